r"""Gaussian error propagation: a smooth function of uncertain arguments, to first order.

In: a function, the locations and standard deviations of its independent arguments. Out: mean
and variance of the Gaussian that stands for its result. Absent: higher orders; they
matter where the function bends within one standard deviation.
"""

from collections.abc import Callable

import numpy as np

from howgood.stats.arrays import FloatArray

_RELATIVE_STEP = float(np.finfo(np.float64).eps) ** (1.0 / 3.0)


def propagate_first_order(
    function: Callable[[FloatArray], float],
    location: FloatArray,
    sd: FloatArray,
    *,
    gradient: Callable[[FloatArray], FloatArray] | None = None,
) -> tuple[float, float]:
    r"""Return mean and variance of g(X) to first order, for independent arguments.

    .. math:: E\,g(X) \approx g(\mu), \qquad
        V\,g(X) \approx \sum_i \left(\frac{\partial g}{\partial x_i}(\mu)\right)^2 \sigma_i^2

    Without `gradient`, derivatives are central differences over steps well inside one standard
    deviation; arguments without spread are skipped.

    References
    ----------
    Jasberg and Sizov (2018), Eq. 1 and 2, in several arguments. (The paper's text prints the first
    central moment in the first-order variance; the second is meant.)

    Examples
    --------
    The product of 2 +- 0.1 and 3 +- 0.2:

    >>> mean, variance = propagate_first_order(
    ...     lambda x: x[0] * x[1], np.array([2.0, 3.0]), np.array([0.1, 0.2]))
    >>> mean, round(variance, 10)  # 9 * 0.01 + 4 * 0.04
    (6.0, 0.25)
    """
    if gradient is None:
        slopes = _central_differences(function, location, sd)
    else:
        slopes = np.asarray(gradient(location), dtype=np.float64)
    return float(function(location)), float(np.sum((slopes * sd) ** 2))


def _central_differences(
    function: Callable[[FloatArray], float], location: FloatArray, sd: FloatArray
) -> FloatArray:
    slopes = np.zeros(location.shape)
    point = location.astype(np.float64)
    for i in np.flatnonzero(sd):
        step = _RELATIVE_STEP * max(sd[i], abs(location[i]) * _RELATIVE_STEP)
        point[i] = location[i] + step
        above, upper = point[i], function(point)
        point[i] = location[i] - step
        below, lower = point[i], function(point)
        slopes[i] = (upper - lower) / (above - below)
        point[i] = location[i]
    return slopes
