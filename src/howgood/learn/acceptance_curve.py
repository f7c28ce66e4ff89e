r"""The share of people who accept, from the parameters of the binary model.

In: arrays of parameters (one per draw) and of points. Out: shares of shape (draws, points).
Absent: fits and estimates.
"""

import numpy as np
from numpy.typing import NDArray

from howgood.stats.power_mean import power_mean
from howgood.stats.quadrature import normal_nodes

FloatArray = NDArray[np.float64]

_BLOCK = 4_000_000


def acceptance(
    precision: FloatArray,
    recall: FloatArray,
    *,
    intercept: FloatArray,
    slope: FloatArray,
    alpha: FloatArray,
    order: FloatArray,
    person_sd: FloatArray | None,
) -> FloatArray:
    r"""Return :math:`E_U[\operatorname{logit}^{-1}(b_0 + b M + U)]` for every draw and point.

    With `person_sd` None, U is zero: the average person.

    Examples
    --------
    >>> one = np.ones(1)
    >>> acceptance(one, one, intercept=-one, slope=one, alpha=one, order=one, person_sd=None)
    array([[0.5]])
    """
    mean = power_mean(precision, recall, p=order[:, None], alpha=alpha[:, None])
    center = intercept[:, None] + slope[:, None] * mean
    if person_sd is None:
        return _logistic(center)
    nodes, weights = normal_nodes()
    share = np.empty_like(center)
    step = max(1, _BLOCK // (center.shape[1] * nodes.size))
    for start in range(0, len(center), step):
        rows = slice(start, start + step)
        spread = person_sd[rows, None, None] * nodes
        share[rows] = _logistic(center[rows, :, None] + spread) @ weights
    return share


def _logistic(x: FloatArray) -> FloatArray:
    return np.asarray(0.5 * (1.0 + np.tanh(0.5 * x)))
