"""Weigh units anew to see how a ratio of sums, such as a mean, would vary.

In: numerators and denominators per unit (a row, or a group of rows). Out: draws of the ratios,
paired across columns, and as wide as few units ask for. Absent: what the units are.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincinv

from howgood.stats.arrays import FloatArray

# More units than this are thrown together at random into so many: the spread stays, the cost too.
MOST_UNITS = 5000


def ratio_draws(
    numerators: FloatArray,
    denominators: FloatArray,
    *,
    draws: int,
    generator: np.random.Generator,
) -> FloatArray:
    r"""Return draws of a ratio of sums over units like these, shape (draws, columns).

    .. math:: r_{dj} = \frac{\sum_u w_{du}\, a_{uj}}{\sum_u w_{du}\, b_{uj}}, \qquad
       w_{d\cdot} \sim \mathrm{Dirichlet}(1, \dots, 1)

    Both arrays have shape (units, columns). The weights are those of the Bayesian bootstrap (Rubin
    1981), the same for every column, and the same for the same generator and number of units:
    what two calls return is paired. Few units: see `widened`. More than `MOST_UNITS` are first
    thrown together at random.

    Examples
    --------
    >>> values = np.array([[1.0], [3.0]])
    >>> found = ratio_draws(values, np.ones((2, 1)), draws=2000, generator=np.random.default_rng(0))
    >>> bool(abs(found.mean() - 2.0) < 0.05), bool(found.min() >= 1.0)
    (True, True)
    """
    if len(numerators) > MOST_UNITS:
        lot = generator.permutation(len(numerators)) % MOST_UNITS
        numerators, denominators = (
            summed_by_group(column, lot) for column in (numerators, denominators)
        )
    weights = generator.dirichlet(np.ones(len(numerators)), size=draws)
    return np.asarray((weights @ numerators) / (weights @ denominators))


def widened(
    draws: FloatArray,
    centre: float | FloatArray,
    *,
    n_units: int,
    n_fitted: int,
    generator: np.random.Generator,
) -> FloatArray:
    r"""Stretch Bayesian-bootstrap draws to the doubt that few units leave.

    .. math:: c + (x_d - c)\,\sqrt{\frac{n + 1}{n - k}}\,\sqrt{\frac{n - k}{\chi^2_{d}}}, \qquad
       \chi^2_d \sim \chi^2(n - k)

    The weights alone make n units look like n + 1, take residuals of k fitted numbers for errors,
    and know no doubt about the spread itself. With many units nothing changes. n - k is at least 1.
    Columns of one draw are stretched alike, and so are the draws of two calls whose generators are
    alike, whatever their n: what was paired stays so.

    Examples
    --------
    >>> wide = widened(np.array([1.0, 3.0]), 2.0, n_units=10**9, n_fitted=1,
    ...                generator=np.random.default_rng(0))
    >>> wide.round(3).tolist()
    [1.0, 3.0]
    """
    freedom = max(n_units - n_fitted, 1)
    # (n + 1) / (n - k) times (n - k) / chi-square: the spare units cancel.
    shape = (len(draws), *(1,) * (draws.ndim - 1))
    chi_square = 2.0 * gammaincinv(freedom / 2.0, generator.random(shape))
    return np.asarray(centre + (draws - centre) * np.sqrt((n_units + 1) / chi_square))


def summed_by_group(values: FloatArray, groups: NDArray[np.int64]) -> FloatArray:
    """Add up rows (rows, columns) that belong to the same group, coded from 0.

    Examples
    --------
    >>> summed_by_group(np.array([[1.0], [2.0], [4.0]]), np.array([0, 1, 0])).ravel()
    array([5., 2.])
    """
    return np.stack([np.bincount(groups, weights=column) for column in values.T], axis=1)
