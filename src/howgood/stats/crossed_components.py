"""How much grades vary with items, raters and what both do to a group: one crossed model.

In: values by group, item and rater (integer codes). Out: means of the groups, and the variance
components of everything else, with their degrees of freedom. Absent: draws (see `joint_means`).

A value is the sum of its group's mean (fixed), effects of item, rater, item x rater, item x group
and rater x group, and a residual. All but the first are drawn from many, and the variance of an
effect is the same in all groups (pooled). Components are estimated by moments: sums of squares of
level means, groups taken off, are set equal to their expectations. On a full table this is the
classical analysis of variance; any other design costs a few passes over the rows.

Effects that a design cannot tell apart are one: with one rater per item, item x group is part of
the residual. The component then stands for both, and so does its share of a mean's variance.

Items may come in clusters (a document's sentences). What a cluster shares is one more factor, with
its own effects on groups and raters; clusters of one item each leave the model as it was.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from howgood.stats.arrays import FloatArray, IntArray

# Letters: group (system), item, rater, cluster of items. Of two effects that cannot be separated
# the first is kept.
_RESIDUAL = "sir"
_EFFECTS = (_RESIDUAL, "si", "sr", "i", "r", "ir", "sc", "c", "cr", "scr")
# What joins the residual when too few values are left to estimate it, in this order.
_FIRST_TO_GO = ("scr", "cr", "ir", "si", "sr", "r", "i", "sc", "c")
# Mean squares below this share of the largest squared deviation are rounding.
_SAME = 1e-13


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Component:
    """One effect: its variance (by moments, may be negative) and what the estimate rests on.

    `mean_square` holds this effect and all `finer` ones, which lie within its levels; `freedom`
    are its degrees of freedom, `size` the values per level, and `shape` (K, K) the covariance of
    the groups' means per unit of this variance.
    """

    name: str
    variance: float
    mean_square: float
    freedom: float
    size: float
    finer: tuple[str, ...]
    shape: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CrossedMeans:
    """Means of K groups (mean over items of an item's mean), and components, finest first."""

    means: FloatArray
    components: tuple[Component, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Partition:
    """The levels of one effect: which one each row has, and how many rows each level has."""

    codes: IntArray
    counts: FloatArray

    @property
    def n_levels(self) -> int:
        return len(self.counts)

    @property
    def of_rows(self) -> FloatArray:
        """How many rows share the row's level."""
        return self.counts[self.codes]


_Partitions = Mapping[str, _Partition]


def crossed_means(
    values: FloatArray,
    group: IntArray,
    item: IntArray,
    rater: IntArray | None,
    *,
    cluster: IntArray | None = None,
    step: float = 0.0,
) -> CrossedMeans:
    """Return means and components; every group needs a value for every item, codes start at 0.

    A rater gives one value per group and item; without raters all values are one rater's. `cluster`
    holds each row's cluster, the same for all rows of an item. `step` is the smallest difference
    that values can show (0: they are continuous).
    """
    rater = np.zeros_like(item) if rater is None else rater
    partitions = _partitions(group, item, rater, cluster)
    names = _estimable(partitions)
    n_items = partitions["i"].n_levels
    weight = 1.0 / (n_items * partitions["si"].of_rows)
    middle = float(values.mean())
    means: FloatArray = middle + np.bincount(group, weights=weight * (values - middle)).astype(
        np.float64
    )
    variances = _by_moments(values, partitions, names)
    freedoms, sizes = _freedoms(partitions, names), _sizes(partitions, names)
    components = []
    for name in names:
        finer = tuple(one_name for one_name in names if _is_finer(partitions, one_name, name))
        within = [name, *finer]
        components.append(
            Component(
                name=name,
                variance=variances[name],
                mean_square=sum(sizes[factor] * variances[factor] for factor in within),
                freedom=freedoms[name],
                size=sizes[name],
                finer=finer,
                shape=_shape(partitions, name, weight),
            )
        )
    least = _SAME * float(np.abs(values - middle).max()) ** 2
    components.sort(key=lambda component: len(component.finer))
    return CrossedMeans(
        means=means, components=_with_hidden(components, least, step**2 / (n_items + 1.0))
    )


def _with_hidden(components: list[Component], least: float, hidden: float) -> tuple[Component, ...]:
    """Return the components; items that all show the same hide a spread within the steps.

    Grades come in steps, so that two or three items often show the very same differences. The
    spread is then taken as if two more items had been one step above and one step below, in the
    manner of Agresti and Coull (1998).
    """
    by_name = {component.name: component for component in components}
    carrier = by_name.get("si", by_name[_RESIDUAL])
    if max(carrier.mean_square, by_name[_RESIDUAL].mean_square) > least:
        return tuple(components)
    found = replace(carrier, mean_square=carrier.size * hidden, variance=hidden)
    return tuple(found if component.name == carrier.name else component for component in components)


def _partitions(
    group: IntArray, item: IntArray, rater: IntArray, cluster: IntArray | None
) -> dict[str, _Partition]:
    codes = {"s": group, "i": item, "r": rater}
    crossed = ["si", "sr", "ir"]
    if cluster is not None:
        codes["c"] = cluster
        crossed += ["sc", "cr", "scr"]
    found = {name: _partition(code) for name, code in codes.items()}
    for name in crossed:
        first, second = found[name[:-1]], found[name[-1]]
        found[name] = _partition(first.codes * second.n_levels + second.codes)
    found[_RESIDUAL] = _Partition(np.arange(len(group)), np.ones(len(group)))
    return found


def _partition(codes: IntArray) -> _Partition:
    if int(codes.max()) < 2 * len(codes):
        # Counting is faster than sorting where few numbers are left out.
        seen = np.bincount(codes)
        return _Partition((np.cumsum(seen > 0) - 1)[codes], seen[seen > 0].astype(np.float64))
    _, found, counts = np.unique(codes, return_inverse=True, return_counts=True)
    return _Partition(found.reshape(-1), counts.astype(np.float64))


def _joined(partitions: _Partitions, *names: str) -> _Partition:
    letters = set("".join(names))
    if "i" in letters:
        letters -= {"c"}  # an item lies within its cluster
    return next(partition for name, partition in partitions.items() if set(name) == letters)


def _is_same(partitions: _Partitions, first: str, second: str) -> bool:
    """Whether both divide the rows alike."""
    n_levels = {partitions[side].n_levels for side in (first, second)}
    return {_joined(partitions, first, second).n_levels} == n_levels


def _is_finer(partitions: _Partitions, first: str, second: str) -> bool:
    """Whether the levels of the first lie within those of the second."""
    one, other = partitions[first], partitions[second]
    joined = _joined(partitions, first, second)
    return first != second and joined.n_levels == one.n_levels and one.n_levels > other.n_levels


def _estimable(partitions: _Partitions) -> list[str]:
    """Return the effects that the design can tell apart, each after those within it."""
    names: list[str] = []
    for name in (effect for effect in _EFFECTS if effect in partitions):
        if not any(_is_same(partitions, name, factor) for factor in ("s", *names)):
            names.append(name)
    for name in ("", *_FIRST_TO_GO):
        names = [one_name for one_name in names if one_name != name]
        names = [
            one_name
            for one_name in names
            if one_name == _RESIDUAL or _freedom(partitions, names, one_name) >= 1
        ]
        if _freedom(partitions, names, _RESIDUAL) >= 1:
            break
    return names


def _freedom(partitions: _Partitions, names: Sequence[str], name: str) -> float:
    """Return the levels of an effect less what coarser effects, groups and the mean explain."""
    coarser = [factor for factor in ("s", *names) if _is_finer(partitions, name, factor)]
    return (
        partitions[name].n_levels
        - 1.0
        - sum(_freedom(partitions, names, factor) for factor in coarser)
    )


def _freedoms(partitions: _Partitions, names: Sequence[str]) -> dict[str, float]:
    """Return degrees of freedom, fewer where some levels have far more values than others."""
    found = {}
    for name in names:
        n, squares, cubes, n_strata = _powers(partitions, name)
        kept = float(np.sum(n - squares / n))
        spread = float(np.sum(squares - 2.0 * cubes / n + (squares / n) ** 2))
        even = kept**2 / spread / (partitions[name].n_levels - n_strata)
        found[name] = max(_freedom(partitions, names, name), 1.0) * even
    return found


def _sizes(partitions: _Partitions, names: Sequence[str]) -> dict[str, float]:
    """Return the values per level, as they count in a mean square."""
    found = {}
    for name in names:
        n, squares, _, n_strata = _powers(partitions, name)
        found[name] = float(np.sum(n - squares / n)) / (partitions[name].n_levels - n_strata)
    return found


def _powers(partitions: _Partitions, name: str) -> tuple[FloatArray, FloatArray, FloatArray, int]:
    """Return sums of counts, their squares and cubes, of levels within a group or altogether."""
    counts = partitions[name].of_rows
    strata = (
        partitions["s"]
        if "s" in name
        else _Partition(np.zeros_like(partitions["s"].codes), np.ones(1))
    )
    sums: list[FloatArray] = [
        np.bincount(strata.codes, weights=counts**power).astype(np.float64) for power in (0, 1, 2)
    ]
    return sums[0], sums[1], sums[2], strata.n_levels


def _by_moments(
    values: FloatArray, partitions: _Partitions, names: Sequence[str]
) -> dict[str, float]:
    """Return the variances whose expected sums of squares are those observed."""
    group = partitions["s"]
    around = values - (np.bincount(group.codes, weights=values) / group.counts)[group.codes]
    squares = np.array(
        [
            np.sum(np.bincount(partition.codes, weights=around) ** 2 / partition.counts)
            for partition in (partitions[name] for name in names)
        ]
    )
    by_group = {name: _by_group(partitions[name], group) for name in names if "s" not in name}
    expected = np.array([[_expected(partitions, by_group, k, j) for j in names] for k in names])
    found = np.linalg.lstsq(expected, squares, rcond=None)[0]
    return dict(zip(names, found.tolist(), strict=True))


def _expected(
    partitions: _Partitions, by_group: Mapping[str, FloatArray], of: str, by: str
) -> float:
    """Return one effect's expected sum of squares per unit of variance of another effect.

    With Z the indicators of levels, D their counts and M taking off groups' means, this is the
    trace of Z_k D_k^-1 Z_k' M Z_j Z_j' M, written out as sums over rows and groups. `by_group`
    holds how many rows each level has in each group.
    """
    one, other, group = partitions[of], partitions[by], partitions["s"]
    plain = float(np.sum(_joined(partitions, of, by).of_rows / one.of_rows))
    n = group.counts
    if "s" in of:
        crossed = float(np.sum(_joined(partitions, by, "s").of_rows / group.of_rows))
    elif "s" in by:
        share = _joined(partitions, of, "s").of_rows / one.of_rows
        crossed = float(np.sum(share * other.of_rows / group.of_rows))
    else:
        # Rows of one joint level are alike: one of them stands for all.
        joined = _joined(partitions, of, by)
        row = np.zeros(joined.n_levels, dtype=np.int64)
        row[joined.codes] = np.arange(len(joined.codes))
        ones, others = one.codes[row], other.codes[row]
        products = (by_group[of][ones] * by_group[by][others]) @ (1.0 / n)
        crossed = float(np.sum(products * joined.counts / one.counts[ones]))
    first = _by_group_products(partitions, by_group, of, is_per_value=True)
    second = _by_group_products(partitions, by_group, by, is_per_value=False)
    return plain - 2.0 * crossed + float(np.sum(first * second / np.outer(n, n)))


def _by_group(partition: _Partition, group: _Partition) -> FloatArray:
    """Return how many rows each level has in each group."""
    size = (partition.n_levels, group.n_levels)
    codes = partition.codes * group.n_levels + group.codes
    counts: FloatArray = np.bincount(codes, minlength=size[0] * size[1]).astype(np.float64)
    return counts.reshape(size)


def _by_group_products(
    partitions: _Partitions, by_group: Mapping[str, FloatArray], name: str, *, is_per_value: bool
) -> FloatArray:
    """Return sums over levels of products of their counts in two groups (over all their counts)."""
    partition, group = partitions[name], partitions["s"]
    if "s" in name:
        row_weights = np.ones(len(group.codes)) if is_per_value else partition.of_rows
        return np.diag(np.bincount(group.codes, weights=row_weights))
    counts = by_group[name]
    scaled = counts / partition.counts[:, None] if is_per_value else counts
    products: FloatArray = scaled.T @ counts
    return products


def _shape(partitions: _Partitions, name: str, weight: FloatArray) -> FloatArray:
    """Return the covariance of the groups' weighted means per unit of variance of an effect."""
    partition, group = partitions[name], partitions["s"]
    if "s" in name:
        sums = np.bincount(partition.codes, weights=weight)
        # A level lies within one group: each row brings its share of the squared sum.
        rows = sums[partition.codes] ** 2 / partition.of_rows
        return np.diag(np.bincount(group.codes, weights=rows))
    codes = partition.codes * group.n_levels + group.codes
    size = partition.n_levels * group.n_levels
    parts: FloatArray = np.bincount(codes, weights=weight, minlength=size).astype(np.float64)
    by_group = parts.reshape(-1, group.n_levels)
    shape: FloatArray = by_group.T @ by_group
    return shape
