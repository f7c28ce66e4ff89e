"""Sums over rows of a crossed table, from which its model follows (see `crossed_components`).

In: values by group, item and rater (integer codes), perhaps clusters of items. Out: `CrossedSums`,
whose size depends on groups and raters only. Absent: estimates, names.

Levels of most effects (an item, an item under a rater) lie within one item, or within one cluster.
So rows may come in blocks of whole items (clusters), in any order and from any machine: the sums of
the blocks add up to those of all rows. Only raters, and raters x groups, run through all blocks.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from howgood.stats.arrays import FloatArray, IntArray

# Letters: group (system), item, rater, cluster of items.
RESIDUAL = "sir"
_PLAIN, _CLUSTERED = ("si", "i", "ir"), ("sc", "c", "cr", "scr")
# Rows of one block: its tables stay small, and most of them in the processor's cache.
_MOST_ROWS, _FEWEST_ROWS, _MOST_CELLS = 100_000, 20_000, 4_000_000
# Every block is looked for among all rows, so there are not too many.
_MOST_BLOCKS = 64

Key = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CrossedSums:
    """Sums of blocks; tables by group and rater have a column for each of `raters` (sorted codes).

    Values are counted from `anchor`, one number per group. `sums` holds what is added, `by_rater`
    those of them whose last axis are the raters. With n the rows of a level, U their sum, w one
    over the rows of an item in a group, and g, h groups:

    ("levels", e)          how many levels effect e has
    ("powers", e)          sums of n, n^2, n^3, by group if e holds groups
    ("squares",), ("squares", e)   of single values, of U^2 / n; by group if e holds groups
    ("lean", e)            sum of U n_g / n by group
    ("pairs", e), ("products", e)  sums of n_g n_h / n and of n_g n_h
    ("shared", j, e)       sum of n_j^2 / n_e over the levels of j, which lie within those of e
    ("share", e, f)        sum over rows of n_g / n_e times n_f, by the row's group
    ("mixed", e, f)        sum over joint levels of n / n_e times the counts of both, by group
    ("shape", e)           what weights w leave of a unit of variance in the groups' means
    ("means",)             sum of U / n over the levels of item x group
    ("rows",), ("values",), ("weights",)   by group and rater: rows, U, w
    ("row share", e), ("row count", f)     by group and rater: n_g / n_e, n_f, over rows
    ("with rater", e), ("of rater", e)     by group and rater: n / n_e n_g, n n_g, over levels
    ("rater squares", e)   by rater: n^2
    ("item share",)        by rater: one over the rows of an item
    """

    anchor: FloatArray
    lowest: float
    highest: float
    raters: IntArray
    has_clusters: bool
    sums: dict[Key, FloatArray]
    by_rater: dict[Key, FloatArray]

    @property
    def local(self) -> tuple[str, ...]:
        """The effects whose levels lie within blocks."""
        return _PLAIN + _CLUSTERED if self.has_clusters else _PLAIN

    def joined(self, *names: str) -> str:
        """Return the effect whose levels are the combinations of several effects' levels."""
        return joined(self.has_clusters, *names)

    def counted_from(self, anchor: FloatArray) -> "CrossedSums":
        """Return the same sums of values counted from another number for each group."""
        gap = self.anchor - anchor
        if not gap.any():
            return self
        sums, by_rater = dict(self.sums), dict(self.by_rater)
        rows, totals = by_rater["rows",].sum(axis=1), by_rater["values",].sum(axis=1)
        further = gap * (2.0 * totals + gap * rows)
        sums["squares",] = sums["squares",] + further
        for name in self.local:
            if "s" in name:
                sums["squares", name] = sums["squares", name] + further
                continue
            moved = sums["pairs", name] @ gap
            sums["squares", name] = sums["squares", name] + gap @ (2.0 * sums["lean", name] + moved)
            sums["lean", name] = sums["lean", name] + moved
        sums["means",] = sums["means",] + gap * sums["levels", "i"]
        by_rater["values",] = by_rater["values",] + gap[:, None] * by_rater["rows",]
        return CrossedSums(
            anchor=anchor,
            lowest=self.lowest,
            highest=self.highest,
            raters=self.raters,
            has_clusters=self.has_clusters,
            sums=sums,
            by_rater=by_rater,
        )

    def __add__(self, other: "CrossedSums") -> "CrossedSums":
        """Join the sums of two sets of whole items (clusters) of the same groups."""
        other = other.counted_from(self.anchor)
        raters = self.raters
        if not np.array_equal(raters, other.raters):
            raters = np.union1d(raters, other.raters)
        return CrossedSums(
            anchor=self.anchor,
            lowest=min(self.lowest, other.lowest),
            highest=max(self.highest, other.highest),
            raters=raters,
            has_clusters=self.has_clusters,
            sums={key: part + other.sums[key] for key, part in self.sums.items()},
            by_rater={
                key: _spread(self, key, raters) + _spread(other, key, raters)
                for key in self.by_rater
            },
        )


def _spread(sums: CrossedSums, key: Key, raters: IntArray) -> FloatArray:
    table = sums.by_rater[key]
    if len(raters) == len(sums.raters):
        return table
    wider = np.zeros((*table.shape[:-1], len(raters)))
    wider[..., np.searchsorted(raters, sums.raters)] = table
    return wider


def joined(has_clusters: bool, *names: str) -> str:
    """Return the effect whose levels are the combinations of several effects' levels."""
    letters = set("".join(names))
    if "i" in letters:
        letters -= {"c"}  # an item lies within its cluster
    known = ("s", "r", "sr", *_PLAIN, *(_CLUSTERED if has_clusters else ()), RESIDUAL)
    by_letters: dict[frozenset[str], str] = {frozenset(name): name for name in known}
    return by_letters[frozenset(letters)]


def blocks_of(codes: IntArray, n_groups: int) -> Iterator[IntArray | None]:
    """Yield the rows of blocks of whole items (or clusters), by their codes; None: all rows."""
    most = int(np.clip(_MOST_CELLS // n_groups, _FEWEST_ROWS, _MOST_ROWS))
    most = max(most, len(codes) // _MOST_BLOCKS)
    if len(codes) <= most:
        yield None
        return
    ends = np.cumsum(_counted(codes))
    start = 0
    while start < len(ends):
        done = int(ends[start - 1]) if start else 0
        stop = max(int(np.searchsorted(ends, done + most, side="right")), start + 1)
        yield np.flatnonzero((codes >= start) & (codes < stop))
        start = stop


def _counted(codes: IntArray) -> IntArray:
    """Return how often each code comes; counting makes wide copies, so of some rows at a time."""
    counts = np.zeros(int(codes.max()) + 1, dtype=np.int64)
    for start in range(0, len(codes), _MOST_ROWS):
        part = np.bincount(codes[start : start + _MOST_ROWS])
        counts[: len(part)] += part
    return counts


def crossed_sums(
    values: FloatArray,
    group: IntArray,
    item: IntArray,
    rater: IntArray,
    *,
    cluster: IntArray | None,
    anchor: FloatArray,
) -> CrossedSums:
    """Return the sums of one block; groups are numbered from 0 to one less than anchors.

    A rater gives one value per group and item, and every item has a value of every group.
    """
    return _Block(values - anchor[group], group, item, rater, cluster, len(anchor)).summed(
        anchor, float(values.min()), float(values.max())
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Levels:
    """Which level of an effect each row has, and how many rows each level has."""

    codes: IntArray
    counts: FloatArray


def _levels(codes: IntArray) -> _Levels:
    if int(codes.max()) < 2 * len(codes):
        # Counting is faster than sorting where few numbers are left out.
        seen = np.bincount(codes)
        if seen.all():
            return _Levels(codes, seen.astype(np.float64))
        place = np.cumsum(seen > 0) - 1
        return _Levels(place[codes], seen[seen > 0].astype(np.float64))
    _, places, counts = np.unique(codes, return_inverse=True, return_counts=True)
    return _Levels(places.reshape(-1), counts.astype(np.float64))


class _Block:
    """The rows of some items, by the levels of every effect."""

    def __init__(
        self,
        values: FloatArray,
        group: IntArray,
        item: IntArray,
        rater: IntArray,
        cluster: IntArray | None,
        n_groups: int,
    ) -> None:
        self.n_groups, self.has_clusters = n_groups, cluster is not None
        self.values, self.group = values, group.astype(np.int64)
        # A block holds a range of items or clusters: numbers below it need no place.
        start = int(item.min())
        plain = {"i": item.astype(np.int64) - start, "r": rater.astype(np.int64)}
        if cluster is not None:
            plain["c"] = cluster.astype(np.int64) - int(cluster.min())
        self.raters = np.unique(plain["r"])
        self.levels = {name: _levels(codes) for name, codes in plain.items()}
        self.local = _PLAIN + (_CLUSTERED if self.has_clusters else ())
        self.levels["s"] = _Levels(self.group, np.bincount(self.group).astype(np.float64))
        for name in ("sr", *self.local):
            if name not in self.levels:
                first, second = self.levels[name[:-1]], self.levels[name[-1]]
                self.levels[name] = _levels(first.codes * len(second.counts) + second.codes)
        self._places: dict[Key, IntArray] = {}
        self.weight = 1.0 / self.levels["si"].counts[self.levels["si"].codes]

    def joined(self, *names: str) -> str:
        return joined(self.has_clusters, *names)

    def at(self, fine: str, coarse: str) -> IntArray:
        """Return the level of a coarser effect that each level (row) of a finer one lies in."""
        if fine == RESIDUAL:
            return self.levels[coarse].codes
        if fine == coarse:
            return np.arange(len(self.levels[fine].counts))
        if (fine, coarse) not in self._places:
            places = np.zeros(len(self.levels[fine].counts), dtype=np.int64)
            places[self.levels[fine].codes] = self.levels[coarse].codes
            self._places[fine, coarse] = places
        return self._places[fine, coarse]

    def counts(self, name: str) -> FloatArray:
        return np.ones(len(self.values)) if name == RESIDUAL else self.levels[name].counts

    def total(self, name: str, weights: FloatArray) -> FloatArray:
        """Return sums over the rows of each level."""
        return _added(self.levels[name].codes, weights, len(self.levels[name].counts))

    def by_group(self, name: str, weights: FloatArray | None = None) -> FloatArray:
        """Return sums over the rows of each level in each group (n_levels, K)."""
        k, n = self.n_groups, len(self.levels[name].counts)
        joint = self.joined(name, "s")
        places = self.at(joint, name) * k + self.at(joint, "s")
        if weights is None:
            weights = self.counts(joint)
        elif joint != RESIDUAL:
            weights = self.total(joint, weights)
        return _added(places, weights, n * k).reshape(n, k)

    def summed(self, anchor: FloatArray, lowest: float, highest: float) -> CrossedSums:
        sums: dict[Key, FloatArray] = {
            ("squares",): _added(self.group, self.values**2, self.n_groups),
            ("shape", RESIDUAL): _added(
                self.at("si", "s"), 1.0 / self.levels["si"].counts, self.n_groups
            ),
            ("means",): _added(
                self.at("si", "s"),
                self.total("si", self.values) / self.levels["si"].counts,
                self.n_groups,
            ),
        }
        by_rater: dict[Key, FloatArray] = {
            ("rows",): self._cells(np.ones(len(self.values))),
            ("values",): self._cells(self.values),
            ("weights",): self._cells(self.weight),
            ("item share",): self.total("r", 1.0 / self.levels["i"].counts[self.levels["i"].codes]),
        }
        counted = {name: self.by_group(name) for name in self.local if "s" not in name}
        for name in self.local:
            self._of_effect(name, counted, sums, by_rater)
        for of in counted:
            self._of_two(of, counted, sums, by_rater)
        for joint, of in self._nested():
            n = self.levels[joint].counts
            part = n**2 / self.levels[of].counts[self.at(joint, of)]
            sums["shared", joint, of] = np.asarray(part.sum())
        return CrossedSums(
            anchor=anchor,
            lowest=lowest,
            highest=highest,
            raters=self.raters,
            has_clusters=self.has_clusters,
            sums=sums,
            by_rater=by_rater,
        )

    def _nested(self) -> set[tuple[str, str]]:
        """Return pairs of a finer and a coarser effect, both with levels inside the block."""
        joints = {
            (self.joined(of, by), of) for of in self.local for by in ("s", "r", "sr", *self.local)
        }
        return {(joint, of) for joint, of in joints if joint not in (RESIDUAL, of)}

    def _of_effect(
        self,
        name: str,
        counted: dict[str, FloatArray],
        sums: dict[Key, FloatArray],
        by_rater: dict[Key, FloatArray],
    ) -> None:
        n, k = self.levels[name].counts, self.n_groups
        totals = self.total(name, self.values)
        weights = None if name == "si" else self.total(name, self.weight)
        sums["levels", name] = np.asarray(float(len(n)))
        if "s" in name:
            group = self.at(name, "s")
            sums["powers", name] = np.stack([_added(group, n**power, k) for power in (1, 2, 3)])
            sums["squares", name] = _added(group, totals**2 / n, k)
            sums["shape", name] = _added(
                group, np.ones_like(n) if weights is None else weights**2, k
            )
            by_rater["row count", name] = self._cells(n[self.levels[name].codes])
        else:
            by_group = counted[name]
            sums["powers", name] = np.array([[float(np.sum(n**power))] for power in (1, 2, 3)])
            sums["squares", name] = np.asarray(float(np.sum(totals**2 / n)))
            sums["lean", name] = (totals / n) @ by_group
            sums["pairs", name] = (by_group / n[:, None]).T @ by_group
            sums["products", name] = by_group.T @ by_group
            weighted = self.by_group(name, self.weight)
            sums["shape", name] = weighted.T @ weighted
        if "r" in name:
            by_rater["rater squares", name] = _added(self.at(name, "r"), n**2, len(self.raters))

    def _of_two(
        self,
        of: str,
        counted: dict[str, FloatArray],
        sums: dict[Key, FloatArray],
        by_rater: dict[Key, FloatArray],
    ) -> None:
        """Add what an effect without groups has in common with others."""
        n = self.levels[of].counts
        share = counted[of] / n[:, None]
        of_rows = share[self.levels[of].codes, self.group]
        by_rater["row share", of] = self._cells(of_rows)
        for by in self.local:
            if "s" in by:
                rows = of_rows * self.levels[by].counts[self.levels[by].codes]
                sums["share", of, by] = _added(self.group, rows, self.n_groups)
            else:
                joint = self.joined(of, by)
                ones = share[self.at(joint, of)] * self.levels[joint].counts[:, None]
                sums["mixed", of, by] = np.einsum("lg,lg->g", ones, counted[by][self.at(joint, by)])
        joint = self.joined(of, "r")
        who, many = self.at(joint, "r"), self.levels[joint].counts[:, None]
        counts = counted[of][self.at(joint, of)] * many
        by_rater["of rater", of] = self._columns(who, counts)
        by_rater["with rater", of] = self._columns(who, share[self.at(joint, of)] * many)

    def _cells(self, weights: FloatArray) -> FloatArray:
        """Return sums over rows by group and rater (K, R)."""
        n_raters = len(self.raters)
        places = self.group * n_raters + self.levels["r"].codes
        return _added(places, weights, self.n_groups * n_raters).reshape(-1, n_raters)

    def _columns(self, who: IntArray, table: FloatArray) -> FloatArray:
        """Return sums of rows of a table (n, K) by rater, as (K, R)."""
        return np.stack([_added(who, column, len(self.raters)) for column in table.T])


def _added(places: IntArray, weights: FloatArray, size: int) -> FloatArray:
    return np.bincount(places, weights=weights, minlength=size).astype(np.float64, copy=False)
