r"""How likely each rating is: the ordinal model's likelihood, stated once.

In: thresholds, what a system is worth to the average person, the scale of the ratings, people's
leniency. Out: log probabilities of the levels, and their slopes. Absent: priors, parameters.

.. math:: P(Y \le l) = F((\theta_l - c - U) / s), \qquad c = b\,M + \gamma + \beta

with the logistic F, slope b, level :math:`\gamma` of the application and shift :math:`\beta` of the
part. Every array has thresholds, or levels, along its second axis; `xp` is NumPy, or PyTensor's
`tensor`, which then differentiates the same statement by itself.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit


def centre(slope: Any, mean: Any, level: Any, shift: Any) -> Any:  # noqa: ANN401 - of NumPy or PyTensor
    """Return what a system is worth to the average person."""
    return slope * mean + level + shift


def standardised(thresholds: Any, center: Any, scale: Any) -> tuple[Any, Any]:  # noqa: ANN401 - of NumPy or PyTensor
    """Return thresholds from the center, and gaps between neighbouring ones, in units of scale."""
    gap = (thresholds[:, 1:] - thresholds[:, :-1]) / scale
    return (thresholds - center) / scale, gap


def log_levels(xp: Any, x: Any, gap: Any) -> Any:  # noqa: ANN401 - of NumPy or PyTensor
    r"""Return log probabilities of the levels from thresholds `x` less people's leniency.

    :math:`F(a) - F(b) = F(a)\,(1 - F(b))\,(1 - e^{-(a-b)})`, which loses no digits.
    """
    above = -(xp.maximum(x, 0) + xp.log1p(xp.exp(-xp.abs(x))))
    below = above + x
    middle = below[:, 1:] + above[:, :-1] + xp.log(-xp.expm1(-gap))
    return xp.concatenate([below[:, :1], middle, above[:, -1:]], axis=1)


def log_level_slopes(
    pull: NDArray[np.float64], x: NDArray[np.float64], gap: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    r"""Return the slopes of :math:`\sum` pull × `log_levels` by `x` and by `gap`.

    `pull` is how much each level counts. A level lies between two thresholds, so its log
    probability pulls on three things:

    - on the threshold over it, by :math:`1 - F(x_l)`: it gains when that rises;
    - on the threshold under it, by :math:`-F(x_{l-1})`: it loses when that rises;
    - on the gap between the two, by :math:`1 / (e^g - 1)`: only middle levels have one.
    """
    below = expit(x)
    by_x = pull[:, :-1] * (1.0 - below) - pull[:, 1:] * below
    return by_x, pull[:, 1:-1] / np.expm1(np.minimum(gap, 700.0))
