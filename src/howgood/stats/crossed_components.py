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
from numpy.typing import NDArray

from howgood.stats.arrays import FloatArray, IntArray

_Codes = NDArray[np.int32] | NDArray[np.int64]

# Letters: group (system), item, rater, cluster of items. Of two effects that cannot be separated
# the first is kept.
_RESIDUAL = "sir"
_EFFECTS = (_RESIDUAL, "si", "sr", "i", "r", "ir", "sc", "c", "cr", "scr")
# What joins the residual when too few values are left to estimate it, in this order.
_FIRST_TO_GO = ("scr", "cr", "ir", "si", "sr", "r", "i", "sc", "c")
# Mean squares below this share of the largest squared deviation are rounding.
_SAME = 1e-13
# So many rows at once, where sums run over rows.
_AT_ONCE = 1_000_000


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

    codes: _Codes
    counts: FloatArray

    @property
    def n_levels(self) -> int:
        return len(self.counts)


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
    design = _Design(group, item, rater, cluster)
    names = _estimable(design)
    n_items = design.n_levels("i")
    weight = 1.0 / (n_items * design.counts("si"))
    middle = float(values.mean())
    plain = middle + np.bincount(group, weights=values - middle) / design.group_counts
    around = values - plain[group]
    sums = _level_sums(around, design, names)
    means: FloatArray = plain + np.bincount(
        design.levels_of("si", "s"), weights=weight * sums["si"]
    )
    variances = _by_moments(around, sums, design, names)
    freedoms, sizes = _freedoms(design, names), _sizes(design, names)
    components = []
    for name in names:
        finer = tuple(one_name for one_name in names if _is_finer(design, one_name, name))
        within = [name, *finer]
        components.append(
            Component(
                name=name,
                variance=variances[name],
                mean_square=sum(sizes[factor] * variances[factor] for factor in within),
                freedom=freedoms[name],
                size=sizes[name],
                finer=finer,
                shape=_shape(design, name, weight),
            )
        )
    least = _SAME * max(float(values.max()) - middle, middle - float(values.min())) ** 2
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
    widened = replace(carrier, mean_square=carrier.size * hidden, variance=hidden)
    return tuple(
        widened if component.name == carrier.name else component for component in components
    )


class _Design:
    """How rows fall into the levels of every effect, and what is counted of them once.

    Sums run over levels where they can, over rows only where no level is coarser than a row.
    """

    def __init__(
        self, group: IntArray, item: IntArray, rater: IntArray, cluster: IntArray | None
    ) -> None:
        codes = {"s": group, "i": item, "r": rater}
        crossed = ["si", "sr", "ir"]
        if cluster is not None:
            codes["c"] = cluster
            crossed += ["sc", "cr", "scr"]
        partitions = {name: _partition(code) for name, code in codes.items()}
        for name in crossed:
            first, second = partitions[name[:-1]], partitions[name[-1]]
            partitions[name] = _partition(
                first.codes.astype(np.int64) * second.n_levels + second.codes
            )
        self.n_rows = len(group)
        self.partitions = partitions
        self.n_groups = partitions["s"].n_levels
        self.group_counts = partitions["s"].counts
        self._levels: dict[tuple[str, str], _Codes] = {}

    def __contains__(self, name: str) -> bool:
        return name == _RESIDUAL or name in self.partitions

    def n_levels(self, name: str) -> int:
        return self.n_rows if name == _RESIDUAL else self.partitions[name].n_levels

    def counts(self, name: str) -> FloatArray:
        """How many rows each level has; of an effect that is not the residual."""
        return self.partitions[name].counts

    def joined(self, *names: str) -> str:
        """Return the effect whose levels are the combinations of several effects' levels."""
        letters = set("".join(names))
        if "i" in letters:
            letters -= {"c"}  # an item lies within its cluster
        if letters == set(_RESIDUAL):
            return _RESIDUAL
        return next(name for name in self.partitions if set(name) == letters)

    def levels_of(self, fine: str, coarse: str) -> _Codes:
        """Return the level of a coarser effect that each level of a finer one lies in."""
        if (fine, coarse) not in self._levels:
            levels = np.zeros(self.n_levels(fine), dtype=np.int32)
            levels[self.partitions[fine].codes] = self.partitions[coarse].codes
            self._levels[fine, coarse] = levels
        return self._levels[fine, coarse]

    def by_group(self, name: str, values: FloatArray | None = None) -> FloatArray:
        """Return sums by level and group (n_levels, K) of an effect without groups.

        Of the rows themselves, or of a value for each level of item x group.
        """
        joint = self.joined(name, "s")
        size = self.n_levels(name) * self.n_groups
        if joint == _RESIDUAL:
            codes = self.partitions[name].codes.astype(np.int64) * self.n_groups
            codes += self.partitions["s"].codes
            weights = None if values is None else values[self.partitions["si"].codes]
            flat = np.bincount(codes, weights=weights, minlength=size)
        else:
            sums = self.counts(joint) if values is None else self.sums(joint, values)
            places = self.levels_of(joint, name).astype(np.int64) * self.n_groups
            flat = np.bincount(places + self.levels_of(joint, "s"), weights=sums, minlength=size)
        return flat.astype(np.float64).reshape(-1, self.n_groups)

    def sums(self, name: str, values: FloatArray) -> FloatArray:
        """Return sums over the rows of each level, of a value for each level of item x group."""
        if name == "si":
            return values * self.counts("si")
        if self.joined("si", name) == "si":
            weights = values * self.counts("si")
            totals = np.bincount(self.levels_of("si", name), weights=weights)
        else:
            totals = np.bincount(
                self.partitions[name].codes, weights=values[self.partitions["si"].codes]
            )
        return totals.astype(np.float64)

    def squares_by_group(self, name: str) -> FloatArray:
        """Return sums of squared counts of levels (K,), of an effect that holds groups."""
        if name == _RESIDUAL:
            return self.group_counts
        squares = self.counts(name) ** 2
        return np.bincount(self.levels_of(name, "s"), weights=squares).astype(np.float64)


def _partition(codes: _Codes) -> _Partition:
    if int(codes.max()) < 2 * len(codes):
        # Counting is faster than sorting where few numbers are left out.
        seen = np.bincount(codes)
        if seen.all():
            return _Partition(codes.astype(np.int32), seen.astype(np.float64))
        place = (np.cumsum(seen > 0) - 1).astype(np.int32)
        return _Partition(place[codes], seen[seen > 0].astype(np.float64))
    _, places, counts = np.unique(codes, return_inverse=True, return_counts=True)
    return _Partition(places.reshape(-1).astype(np.int32), counts.astype(np.float64))


def _is_same(design: _Design, first: str, second: str) -> bool:
    """Whether both divide the rows alike."""
    n_levels = {design.n_levels(side) for side in (first, second)}
    return {design.n_levels(design.joined(first, second))} == n_levels


def _is_finer(design: _Design, first: str, second: str) -> bool:
    """Whether the levels of the first lie within those of the second."""
    one, other = design.n_levels(first), design.n_levels(second)
    return first != second and design.n_levels(design.joined(first, second)) == one and one > other


def _estimable(design: _Design) -> list[str]:
    """Return the effects that the design can tell apart, each after those within it."""
    names: list[str] = []
    for name in (effect for effect in _EFFECTS if effect in design):
        if not any(_is_same(design, name, factor) for factor in ("s", *names)):
            names.append(name)
    for name in ("", *_FIRST_TO_GO):
        names = [one_name for one_name in names if one_name != name]
        names = [
            one_name
            for one_name in names
            if one_name == _RESIDUAL or _freedom(design, names, one_name) >= 1
        ]
        if _freedom(design, names, _RESIDUAL) >= 1:
            break
    return names


def _freedom(design: _Design, names: Sequence[str], name: str) -> float:
    """Return the levels of an effect less what coarser effects, groups and the mean explain."""
    coarser = [factor for factor in ("s", *names) if _is_finer(design, name, factor)]
    explained = sum(_freedom(design, names, factor) for factor in coarser)
    return design.n_levels(name) - 1.0 - explained


def _freedoms(design: _Design, names: Sequence[str]) -> dict[str, float]:
    """Return degrees of freedom, fewer where some levels have far more values than others."""
    freedoms = {}
    for name in names:
        n, squares, cubes = _powers(design, name)
        kept = float(np.sum(n - squares / n))
        spread = float(np.sum(squares - 2.0 * cubes / n + (squares / n) ** 2))
        even = kept**2 / spread / (design.n_levels(name) - len(n))
        freedoms[name] = max(_freedom(design, names, name), 1.0) * even
    return freedoms


def _sizes(design: _Design, names: Sequence[str]) -> dict[str, float]:
    """Return the values per level, as they count in a mean square."""
    sizes = {}
    for name in names:
        n, squares, _ = _powers(design, name)
        sizes[name] = float(np.sum(n - squares / n)) / (design.n_levels(name) - len(n))
    return sizes


def _powers(design: _Design, name: str) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return sums of counts, their squares and cubes, of levels within a group or altogether."""
    if name == _RESIDUAL:
        return (design.group_counts,) * 3
    counts = design.counts(name)
    if "s" not in name:
        n, squares, cubes = (np.array([float(np.sum(counts**power))]) for power in (1, 2, 3))
        return n, squares, cubes
    group = design.levels_of(name, "s")
    n, squares, cubes = (
        np.bincount(group, weights=counts**power).astype(np.float64) for power in (1, 2, 3)
    )
    return n, squares, cubes


# Sums of an effect's levels are sums of these effects' levels, where those are made anyway.
_MADE_FROM = {"i": "si", "sc": "si", "c": "si", "r": "sr", "cr": "scr"}


def _level_sums(around: FloatArray, design: _Design, names: Sequence[str]) -> dict[str, FloatArray]:
    """Return the sum of the values in each level, of every effect but the residual."""
    by_level: dict[str, FloatArray] = {}
    wanted = [name for name in ("si", "sr", "scr", "ir", *names) if name in design.partitions]
    for name in wanted:
        source = _MADE_FROM.get(name, "")
        if name in by_level or (name == "ir" and name not in names):
            continue
        if source in by_level:
            sums = np.bincount(design.levels_of(source, name), weights=by_level[source])
        else:
            sums = np.bincount(design.partitions[name].codes, weights=around)
        by_level[name] = sums.astype(np.float64)
    return by_level


def _by_moments(
    around: FloatArray, sums: Mapping[str, FloatArray], design: _Design, names: Sequence[str]
) -> dict[str, float]:
    """Return the variances whose expected sums of squares are those observed."""
    squares = np.array(
        [
            float(around @ around)
            if name == _RESIDUAL
            else float(np.sum(sums[name] ** 2 / design.counts(name)))
            for name in names
        ]
    )
    by_group = {name: design.by_group(name) for name in names if "s" not in name}
    expected = np.array([[_expected(design, by_group, k, j) for j in names] for k in names])
    variances = np.linalg.lstsq(expected, squares, rcond=None)[0]
    return dict(zip(names, variances.tolist(), strict=True))


def _expected(design: _Design, by_group: Mapping[str, FloatArray], of: str, by: str) -> float:
    """Return one effect's expected sum of squares per unit of variance of another effect.

    With Z the indicators of levels, D their counts and M taking off groups' means, this is the
    trace of Z_k D_k^-1 Z_k' M Z_j Z_j' M, written out as sums over levels and groups. `by_group`
    holds how many rows each level has in each group.
    """
    n = design.group_counts
    plain = _shared(design, design.joined(of, by), of)
    if "s" in of:
        crossed = _shared(design, design.joined(by, "s"), "s")
    elif by == _RESIDUAL:
        crossed = float(np.sum((by_group[of] ** 2 / n).sum(axis=1) / design.counts(of)))
        if design.joined(of, "s") == _RESIDUAL:
            crossed = float(np.sum((by_group[of] / n).sum(axis=1) / design.counts(of)))
    elif "s" in by:
        crossed = _crossed(design, by_group, of, by)
    else:
        joint = design.joined(of, by)
        ones, others = (_at(design, joint, name) for name in (of, by))
        products = (by_group[of][ones] * by_group[by][others]) @ (1.0 / n)
        crossed = float(np.sum(products * design.counts(joint) / design.counts(of)[ones]))
    first = _by_group_products(design, by_group, of, is_per_value=True)
    second = _by_group_products(design, by_group, by, is_per_value=False)
    return plain - 2.0 * crossed + float(np.sum(first * second / np.outer(n, n)))


def _at(design: _Design, joint: str, name: str) -> _Codes:
    if joint == name:
        return np.arange(design.n_levels(name))
    return design.levels_of(joint, name)


def _shared(design: _Design, joint: str, of: str) -> float:
    """Return the sum over rows of how many share the joint level, over those of a coarser one."""
    if joint == _RESIDUAL:
        return float(design.n_levels(of))
    counts = design.counts(joint)
    return float(np.sum(counts**2 / design.counts(of)[_at(design, joint, of)]))


def _crossed(design: _Design, by_group: Mapping[str, FloatArray], of: str, by: str) -> float:
    """Return the sum over rows of shared counts, for effects one of which holds groups.

    Of a row's level of `by`: its count over the group's; of its level of `of`: the count in the
    row's group over all.
    """
    share = by_group[of] / design.counts(of)[:, None]
    scaled = design.counts(by) / design.group_counts[_at(design, by, "s")]
    joint = design.joined(of, by)
    if joint != _RESIDUAL:
        group, level = (_at(design, joint, name) for name in ("s", of))
        weights = design.counts(joint) * scaled[_at(design, joint, by)]
        return float(np.sum(share[level, group] * weights))
    total = 0.0
    parts = design.partitions
    for start in range(0, design.n_rows, _AT_ONCE):
        rows = slice(start, start + _AT_ONCE)
        shares = share[parts[of].codes[rows], parts["s"].codes[rows]]
        total += float(shares @ scaled[parts[by].codes[rows]])
    return total


def _by_group_products(
    design: _Design, by_group: Mapping[str, FloatArray], name: str, *, is_per_value: bool
) -> FloatArray:
    """Return sums over levels of products of their counts in two groups (over all their counts)."""
    if "s" in name:
        return np.diag(design.group_counts if is_per_value else design.squares_by_group(name))
    counts = by_group[name]
    scaled = counts / design.counts(name)[:, None] if is_per_value else counts
    products: FloatArray = scaled.T @ counts
    return products


def _shape(design: _Design, name: str, weight: FloatArray) -> FloatArray:
    """Return the covariance of the groups' weighted means per unit of variance of an effect.

    `weight` is what a row weighs in its group's mean, by level of item x group.
    """
    if name == _RESIDUAL:
        squares = weight**2 * design.counts("si")
        return np.diag(np.bincount(design.levels_of("si", "s"), weights=squares))
    if "s" in name:
        squares = design.sums(name, weight) ** 2
        return np.diag(np.bincount(_at(design, name, "s"), weights=squares))
    by_group = design.by_group(name, weight)
    shape: FloatArray = by_group.T @ by_group
    return shape
