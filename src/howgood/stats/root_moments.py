r"""Mean and variance of the square root of a positive quantity, without cancellation.

In: a cumulant function of X, its mean and variance. Out: :math:`E \sqrt X` and its variance.
Absent: distributions of anything (see `weighted_chi_square`).

.. math:: E \sqrt X = \frac{1}{2 \sqrt\pi} \int_0^\infty \frac{1 - M(-t)}{t^{3/2}} \, dt

is compared with the same integral of the gamma distribution G with equal mean and variance, whose
root has a closed form. The difference of the two integrands vanishes quickly at both ends, and
the trapezoidal rule in log t is exact to rounding error.
"""

import numpy as np
from scipy.special import gammaln

from howgood.stats.arrays import FloatArray
from howgood.stats.cumulant_functions import CumulantFunction, log1p_minus

_STEP = 0.2
_LOWEST, _HIGHEST = -18.0, 80.0
_CENTRED_BELOW = 50.0


def root_moments(
    function: CumulantFunction, *, mean: float, variance: float
) -> tuple[float, float]:
    r"""Return mean and variance of :math:`\sqrt X`.

    The variance is formed from the gap :math:`b = \sqrt{E X} - E \sqrt X` as
    :math:`2 b \sqrt{E X} - b^2`, which keeps its digits when b is tiny.

    Examples
    --------
    The root of a chi-square with one degree of freedom has mean :math:`\sqrt{2/\pi}`:

    >>> from howgood.stats.cumulant_functions import GroupedCumulants
    >>> chi2 = GroupedCumulants.of(np.ones(1), np.ones(1), np.zeros(1), constant=0.0)
    >>> bool(abs(root_moments(chi2, mean=1.0, variance=2.0)[0] - np.sqrt(2 / np.pi)) < 1e-14)
    True
    """
    shape = mean**2 / variance
    y = np.arange(_LOWEST, _HIGHEST, _STEP)
    scaled = np.exp(y)  # t in units of one over the mean
    t = scaled / mean
    gamma_excess = -shape * log1p_minus(scaled / shape)
    difference = np.zeros_like(y)
    near = scaled < _CENTRED_BELOW
    s = -t * function.scale
    own_excess = function.excess(s[near])
    difference[near] = -np.exp(gamma_excess[near] - scaled[near]) * np.expm1(
        own_excess - gamma_excess[near]
    )
    # Far out the linear parts would cancel; use the uncentred exponents there.
    far = ~near
    own = _log_transform(function, t[far], s[far])
    difference[far] = np.exp(-shape * np.log1p(scaled[far] / shape)) - np.exp(own)
    correction = _STEP * float(np.sum(difference * np.exp(-0.5 * y))) / (2.0 * np.sqrt(np.pi))
    gap = -float(np.expm1(_log_gamma_root(shape))) - correction
    root = float(np.sqrt(mean))
    return root * (1.0 - gap), mean * gap * (2.0 - gap)


def _log_transform(function: CumulantFunction, t: FloatArray, s: FloatArray) -> FloatArray:
    """Return log E exp(-t X); minus infinity where the function is not trusted that far."""
    result = np.full(t.shape, -np.inf)
    trusted = s > function.lower_limit
    value = function.value(s[trusted].astype(np.complex128)).real
    result[trusted] = value - t[trusted] * function.shift
    return result


def _log_gamma_root(shape: float) -> float:
    r"""Return the log of :math:`\Gamma(a + 1/2) / (\Gamma(a) \sqrt a)`."""
    if shape < 40.0:
        return float(gammaln(shape + 0.5) - gammaln(shape) - 0.5 * np.log(shape))
    # Asymptotic series; the next term is below 1e-17 of the first from 40 on.
    inverse = 1.0 / shape
    terms = (-1 / 8, 1 / 192, -1 / 640, 17 / 14336, -31 / 18432)
    powers = inverse ** np.arange(1, 10, 2)
    return float(np.dot(terms, powers))
