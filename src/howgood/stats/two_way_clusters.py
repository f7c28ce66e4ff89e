"""How sure means and their differences are when both who measured and what was measured vary.

In: values by group, item and rater (integer codes). Out: means of the groups, variances and
degrees of freedom of the means and of all differences. Absent: names, and draws.

Every mean is the mean over items of an item's mean over its raters. With both items and raters
drawn from larger crowds (crossed random effects), the variance of a difference is

    V = V_items + max(V_raters - V_both, 0):

squared sums over items, over raters, and over the grades of one rater for one item, which the
first two both count. For one rater per item this is clustering by rater; for a full table it is
the quasi-F of Clark (1973), whose degrees of freedom (Satterthwaite's) are used too.

Grades come in steps, so that two or three items often show the very same difference. Their spread
is then not zero but hidden: it is taken as if two more items had been one step above and one step
below, in the manner of Agresti and Coull (1998).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtr, stdtrit

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_TINY = 1e-6
# Items that differ by less than this share of the largest value do not differ.
_SAME = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """Variances and their degrees of freedom, of one shape."""

    variances: FloatArray
    freedoms: FloatArray

    def gaussian_sds(self, probability: float = 0.95) -> FloatArray:
        """Return sds of Gaussians whose central intervals are as wide as those of Student's t."""
        tail = (1.0 - probability) / 2.0
        found: FloatArray = np.sqrt(self.variances) * stdtrit(self.freedoms, tail) / ndtri(tail)
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusteredMeans:
    """Means of K groups, how sure each is (K,) and how sure each difference (K, K)."""

    means: FloatArray
    own: Spread
    between: Spread


def clustered_means(
    values: FloatArray,
    group: IntArray,
    item: IntArray,
    rater: IntArray | None,
    *,
    step: float = 0.0,
) -> ClusteredMeans:
    """Return means and spreads; every group needs a value for every item, codes start at 0.

    A rater gives one value per group and item. Without raters, or with one, only items vary.
    `step` is the smallest difference that values can show (0: they are continuous).
    """
    n_groups, n_items = int(group.max()) + 1, int(item.max()) + 1
    cell = item * n_groups + group
    shape = (n_items, n_groups)
    n_values = np.bincount(cell, minlength=n_items * n_groups).reshape(shape).astype(np.float64)
    sums = np.bincount(cell, weights=values, minlength=n_items * n_groups).reshape(shape)
    cell_means = sums / n_values
    means: FloatArray = cell_means.mean(axis=0)
    items = (cell_means - means) / np.sqrt(n_items * (n_items - 1.0))
    same, hidden = (_SAME * np.abs(values).max()) ** 2, 2 * step**2 / (n_items * (n_items + 1.0))
    own_items, apart_items = (
        np.where(each > same, each, hidden) for each in (np.sum(items**2, axis=0), _apart(items))
    )
    np.fill_diagonal(apart_items, 0.0)
    if rater is None or int(rater.max()) == 0:
        return ClusteredMeans(
            means=means,
            own=_of_items(own_items, n_items),
            between=_of_items(apart_items, n_items),
        )
    weight = 1.0 / (n_items * n_values[item, group])
    raters, shares = _summed(rater, group, [weight * (values - means[group]), weight], n_groups)
    around = _around(values, weight, (cell_means, n_values, items), (group, item))
    _, cell = np.unique(item * (int(rater.max()) + 1) + rater, return_inverse=True)
    both, cell_shares = _summed(cell.reshape(-1), group, [around, weight], n_groups)
    # A rater saw only some items: how hard those were is in the rater's sum, and taken off again.
    item_effects = n_items * (items.T @ items - both.T @ both)
    seen = (cell_shares.T @ cell_shares - shares.T @ shares / n_items) * item_effects
    squares = np.sum(shares**2, axis=0)
    # What remains of a rater's share once the mean it is part of is taken off.
    remains = squares * (1.0 + squares) - 2.0 * np.sum(shares**3, axis=0)
    pairs = (remains[:, None] + remains) / (squares[:, None] + squares)
    own = [own_items, *(np.sum(part**2, axis=0) for part in (raters, both))]
    apart = [apart_items, _apart(raters), _apart(both)]
    return ClusteredMeans(
        means=means,
        own=_joined(own, np.diag(seen), remains / squares, n_items),
        between=_joined(apart, _pairs_of(seen), pairs, n_items),
    )


def same_tail_variances(
    differences: FloatArray, variances: FloatArray, freedoms: FloatArray
) -> FloatArray:
    """Return variances of Gaussians that lie beyond zero as often as Student's t does.

    Few degrees of freedom so become a wider Gaussian, whose ranks are easily computed.
    """
    ratio = np.abs(differences) / np.sqrt(np.where(variances > 0, variances, 1.0))
    is_tiny = ratio < _TINY
    ratio = np.where(is_tiny, _TINY, ratio)
    # Beyond the smallest number a tail is empty, ndtri infinite and the Gaussian without width.
    wider = (ratio / ndtri(stdtr(freedoms, -ratio))) ** 2
    found: FloatArray = variances * wider
    return found


def _summed(
    unit: IntArray, group: IntArray, parts: list[FloatArray], n_groups: int
) -> list[FloatArray]:
    """Return the sums of each part by unit and group."""
    n_units = int(unit.max()) + 1
    place = unit * n_groups + group
    size, shape = n_units * n_groups, (n_units, n_groups)
    sums = (np.bincount(place, weights=part, minlength=size) for part in parts)
    return [each.astype(np.float64).reshape(shape) for each in sums]


def _around(
    values: FloatArray,
    weight: FloatArray,
    cells: tuple[FloatArray, FloatArray, FloatArray],
    codes: tuple[IntArray, IntArray],
) -> FloatArray:
    """Return what a single value adds to its mean beyond its item.

    From the raters of one item where it has several; an item with one rater is part of that rater.
    """
    cell_means, n_values, items = cells
    group, item = codes
    n = n_values[item, group]
    around = np.sqrt(n / np.maximum(n - 1.0, 1.0)) * weight * (values - cell_means[item, group])
    found: FloatArray = np.where(n > 1, around, items[item, group])
    return found


def _of_items(variances: FloatArray, n_items: int) -> Spread:
    return Spread(variances=variances, freedoms=np.full_like(variances, n_items - 1.0))


def _joined(parts: list[FloatArray], seen: FloatArray, remains: FloatArray, n_items: int) -> Spread:
    items, both = parts[0], parts[2]
    raters = np.maximum(parts[1] - np.maximum(seen, 0.0), 0.0) / remains
    variances = items + np.maximum(raters - both, 0.0)
    doubt = items**2 / (n_items - 1.0) + raters**2 * (1.0 - remains) / remains
    freedoms = np.where(doubt > 0, variances**2 / np.where(doubt > 0, doubt, 1.0), n_items - 1.0)
    return Spread(variances=variances, freedoms=freedoms)


def _apart(part: FloatArray) -> FloatArray:
    """Return the sums of squared differences of all pairs of columns."""
    # What all columns share cancels: taken off first, it costs no digits.
    own = part - part.mean(axis=1, keepdims=True)
    apart: FloatArray = np.maximum(_pairs_of(own.T @ own), 0.0)
    return apart


def _pairs_of(products: FloatArray) -> FloatArray:
    squares = np.diag(products)
    pairs: FloatArray = squares[:, None] + squares - 2.0 * products
    return pairs
