"""How sure means are when both who measured and what was measured vary, whatever their spread.

In: several values per measurement (one per group) with its item and rater (integer codes). Out: the
means, and the parts of their covariance that items and raters contribute. Absent: draws (see
`joint_means`), and measurements of some groups only (see `crossed_components`).

Every mean is the mean over items of an item's mean over its raters. With both items and raters
drawn from larger crowds (crossed random effects), the covariance of the means is

    V = V_items + (V_raters - V_both):

sums of squares and products over items, over raters, and over single measurements, which the first
two both count. Unlike in the crossed model nothing is pooled over groups: two groups that always
come out alike differ by little, however much a third one varies. For a full table and two groups
this is the quasi-F of Clark (1973); for one rater per item it is clustering by rater.
"""

import numpy as np
from scipy.special import ndtri, stdtr

from howgood.stats.arrays import FloatArray, IntArray
from howgood.stats.crossed_components import Component, CrossedMeans

_TINY = 1e-6
# Items that differ by less than this share of the largest value do not differ.
_SAME = 1e-12


def clustered_means(
    values: FloatArray, item: IntArray, rater: IntArray, *, step: float = 0.0
) -> CrossedMeans:
    """Return means and the parts of their covariance, of values (n, K) with codes from 0.

    A rater measures an item once. With one rater only items vary. `step` is the smallest difference
    that values can show (0: they are continuous): where all items show the same differences, these
    are taken as if two more items had been one step above and below.
    """
    n_items, n_raters = int(item.max()) + 1, int(rater.max()) + 1
    n = np.bincount(item).astype(np.float64)
    item_means = _summed(item, values) / n[:, None]
    means: FloatArray = item_means.mean(axis=0)
    items = (item_means - means) / np.sqrt(n_items * (n_items - 1.0))
    shape = items.T @ items
    if _trace(shape) <= (_SAME * float(np.abs(values).max())) ** 2:
        shape = np.eye(len(means)) * step**2 / (n_items * (n_items + 1.0))
    parts = [_part("items", 1.0, n_items - 1.0, shape)]
    if n_raters > 1:
        known = (n, item_means, means, items)
        parts = [*_of_raters(values, item, rater, known, _trace(shape)), *parts]
    return CrossedMeans(means=means, components=tuple(parts))


def effective_raters(item: IntArray, rater: IntArray) -> float:
    """Return how many raters with equal shares in the mean would know as much about raters.

    Examples
    --------
    >>> effective_raters(np.arange(4), np.array([0, 0, 1, 1]))
    2.0
    >>> round(effective_raters(np.arange(10), np.array([0] * 9 + [1])), 2)
    1.22
    """
    share = np.bincount(rater, weights=_weights(item))
    return 1.0 / float(share @ share)


def _weights(item: IntArray) -> FloatArray:
    """Return the weight of each measurement in the mean over items of an item's mean."""
    n = np.bincount(item)
    weight: FloatArray = 1.0 / (len(n) * n[item])
    return weight


def _of_raters(
    values: FloatArray,
    item: IntArray,
    rater: IntArray,
    known: tuple[FloatArray, FloatArray, FloatArray, FloatArray],
    unit: float,
) -> list[Component]:
    """Return what raters contribute, and the noise of single measurements within it.

    Both are mean squares in the unit given, the size of what items contribute. Raters whose sums
    happen to agree have a small mean square or none, and are a sample of all raters none the less.
    """
    n, item_means, means, items = known
    n_items = len(n)
    weight = _weights(item)
    raters = _summed(rater, weight[:, None] * (values - means))
    share = np.bincount(rater, weights=weight)
    # What a single value adds to its mean beyond its item; an item with one rater is that rater's.
    wider = (np.sqrt(n / np.maximum(n - 1.0, 1.0))[item] * weight)[:, None]
    around = np.where((n > 1)[item, None], wider * (values - item_means[item]), items[item])
    between, both = raters.T @ raters, around.T @ around
    # A rater saw only some items: how hard those were is in the rater's sum, and taken off again.
    effects = n_items * (_trace(items.T @ items) - _trace(both))
    seen = max((float(weight @ weight) - float(share @ share) / n_items) * effects, 0.0)
    squares = float(share @ share)
    # What remains of a rater's share once the mean it is part of is taken off.
    remains = (squares * (1.0 + squares) - 2.0 * float(np.sum(share**3))) / squares
    remains = max(remains, _SAME)
    whole, noise = _trace(between), _trace(both)
    # Raters who show less than noise show no direction either: then the noise has a say in it.
    shape = between + both * (max(1.0 - whole / noise, 0.0) if noise > 0 else 0.0)
    size = _trace(shape)
    if size <= 0:
        return []
    unit = unit if unit > 0 else size
    n_within = max(len(values) - n_items - len(share) + 1.0, 1.0)
    seen_of_raters = max(whole - seen, 0.0) / remains
    return [
        _part("noise", noise / unit, n_within, np.zeros_like(shape)),
        _part(
            "raters",
            seen_of_raters / unit,
            remains / (1.0 - remains),
            shape * (unit / size),
            finer=("noise",),
        ),
    ]


def _part(
    name: str, mean_square: float, freedom: float, shape: FloatArray, finer: tuple[str, ...] = ()
) -> Component:
    """Return a part whose covariance as estimated is its mean square times its shape."""
    return Component(
        name=name,
        variance=1.0,
        mean_square=mean_square,
        freedom=freedom,
        size=1.0,
        finer=finer,
        shape=shape,
    )


def _summed(unit: IntArray, values: FloatArray) -> FloatArray:
    """Return the sums of the columns by unit."""
    return np.column_stack([np.bincount(unit, weights=column) for column in values.T])


def _trace(shape: FloatArray) -> float:
    """Return the sum of the variances of the columns' differences from their common mean."""
    return float(np.trace(shape) - shape.mean() * len(shape))


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
    widened: FloatArray = variances * wider
    return widened
