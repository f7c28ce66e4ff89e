"""How much grades vary with items, raters and what both do to a group: one crossed model.

In: sums of values by group, item and rater (see `crossed_sums`). Out: means of the groups, and the
variance components of everything else, with their degrees of freedom. Absent: draws (see
`joint_means`).

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

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from howgood.stats.arrays import FloatArray
from howgood.stats.crossed_sums import RESIDUAL, CrossedSums

# Of two effects that cannot be separated the first is kept.
_EFFECTS = (RESIDUAL, "si", "sr", "i", "r", "ir", "sc", "c", "cr", "scr")
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


def means_from_sums(sums: CrossedSums, *, step: float = 0.0) -> CrossedMeans:
    """Return means and components of all rows that were summed."""
    rows, totals = (sums.by_rater[name,].sum(axis=1) for name in ("rows", "values"))
    design = _Design(sums.counted_from(sums.anchor + totals / rows))
    names = _estimable(design)
    n_items = design.n_levels("i")
    means = design.sums.anchor + design.sums.sums["means",] / n_items
    variances = _by_moments(design, names)
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
                shape=design.shape(name),
            )
        )
    middle = float(np.sum(rows * design.sums.anchor) / np.sum(rows))
    least = _SAME * max(sums.highest - middle, middle - sums.lowest) ** 2
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
    carrier = by_name.get("si", by_name[RESIDUAL])
    if max(carrier.mean_square, by_name[RESIDUAL].mean_square) > least:
        return tuple(components)
    widened = replace(carrier, mean_square=carrier.size * hidden, variance=hidden)
    return tuple(
        widened if component.name == carrier.name else component for component in components
    )


class _Design:
    """What is counted of the rows in the levels of every effect, read off the sums.

    Values in the sums are counted from the means of their groups.
    """

    def __init__(self, sums: CrossedSums) -> None:
        self.sums = sums
        self.cells = sums.by_rater["rows",]
        self.group_counts: FloatArray = self.cells.sum(axis=1)
        self.rater_counts: FloatArray = self.cells.sum(axis=0)
        self.n_rows = float(self.cells.sum())

    def __contains__(self, name: str) -> bool:
        return name in (RESIDUAL, "r", "sr", *self.sums.local)

    def joined(self, *names: str) -> str:
        return self.sums.joined(*names)

    def n_levels(self, name: str) -> float:
        if name in self.sums.local:
            return float(self.sums.sums["levels", name])
        counts = {"s": self.group_counts, "r": self.rater_counts, "sr": self.cells}
        return self.n_rows if name == RESIDUAL else float(np.count_nonzero(counts[name]))

    def powers(self, name: str) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return sums of counts, their squares and cubes, of levels in a group or altogether."""
        if name == RESIDUAL:
            return (self.group_counts,) * 3
        if name in self.sums.local:
            n, squares, cubes = self.sums.sums["powers", name]
            return n, squares, cubes
        if name == "sr":
            n, squares, cubes = (np.sum(self.cells**power, axis=1) for power in (1, 2, 3))
            return n, squares, cubes
        n, squares, cubes = (np.array([np.sum(self.rater_counts**power)]) for power in (1, 2, 3))
        return n, squares, cubes

    def squares(self, name: str) -> float:
        """Return the sum over levels of the squared sum of values over their number."""
        if name == RESIDUAL:
            return float(self.sums.sums["squares",].sum())
        if name in self.sums.local:
            return float(self.sums.sums["squares", name].sum())
        totals = self.sums.by_rater["values",]
        if name == "sr":
            return float(np.sum(_over(totals**2, self.cells)))
        return float(np.sum(_over(totals.sum(axis=0) ** 2, self.rater_counts)))

    def shared(self, joint: str, of: str) -> float:
        """Return the sum over rows of how many share the joint level, over those of a coarser."""
        if joint == RESIDUAL:
            return self.n_levels(of)
        if joint == of:
            return self.n_rows
        if of in self.sums.local:
            return float(self.sums.sums["shared", joint, of])
        by_rater = self.sums.by_rater
        if of == "s":
            return float(np.sum(self.powers(joint)[1] / self.group_counts))
        if of == "sr":
            return float(np.sum(_over(by_rater["row count", joint], self.cells)))
        squares = (
            np.sum(self.cells**2, axis=0) if joint == "sr" else by_rater["rater squares", joint]
        )
        return float(np.sum(_over(squares, self.rater_counts)))

    def crossed(self, of: str, by: str) -> float:
        """Return the trace of Z_k D_k^-1 Z_k' G Z_j Z_j', G taking means of groups."""
        if "s" in of:
            return self.shared(self.joined(by, "s"), "s")
        n = self.group_counts
        if by == RESIDUAL:
            return float(np.sum(np.diag(self.products(of, is_per_value=True)) / n))
        if of == "r":
            return float(np.sum(self._by_rater(by) / n[:, None]))
        if by in self.sums.local:
            kind = "share" if "s" in by else "mixed"
            return float(np.sum(self.sums.sums[kind, of, by] / n))
        table = self.sums.by_rater["row share" if by == "sr" else "with rater", of]
        return float(np.sum(table * self.cells / n[:, None]))

    def _by_rater(self, by: str) -> FloatArray:
        """Return by group and rater what the other effect adds to `crossed` of raters."""
        share = _over(self.cells, self.rater_counts)
        if by == "r":
            return self.cells**2
        if by == "sr":
            return share * self.cells**2
        return share * self.sums.by_rater["row count" if "s" in by else "of rater", by]

    def products(self, name: str, *, is_per_value: bool) -> FloatArray:
        """Return sums over levels of products of their counts in two groups (over all counts)."""
        if "s" in name:
            return np.diag(self.group_counts if is_per_value else self.powers(name)[1])
        if name != "r":
            return self.sums.sums["pairs" if is_per_value else "products", name]
        scaled = _over(self.cells, self.rater_counts) if is_per_value else self.cells
        products: FloatArray = scaled @ self.cells.T
        return products

    def shape(self, name: str) -> FloatArray:
        """Return the covariance of the groups' weighted means per unit of variance."""
        if name in (RESIDUAL, *self.sums.local):
            shape = self.sums.sums["shape", name]
        else:
            weights = self.sums.by_rater["weights",]
            shape = np.sum(weights**2, axis=1) if name == "sr" else weights @ weights.T
        scaled: FloatArray = shape / self.n_levels("i") ** 2
        return np.diag(scaled) if scaled.ndim == 1 else scaled


def _over(numbers: FloatArray, counts: FloatArray) -> FloatArray:
    """Return numbers over counts, 0 where nothing was counted."""
    shares: FloatArray = numbers / np.where(counts > 0, counts, 1.0)
    return shares


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
            if one_name == RESIDUAL or _freedom(design, names, one_name) >= 1
        ]
        if _freedom(design, names, RESIDUAL) >= 1:
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
        n, squares, cubes = design.powers(name)
        kept = float(np.sum(n - squares / n))
        spread = float(np.sum(squares - 2.0 * cubes / n + (squares / n) ** 2))
        even = kept**2 / spread / (design.n_levels(name) - len(n))
        freedoms[name] = max(_freedom(design, names, name), 1.0) * even
    return freedoms


def _sizes(design: _Design, names: Sequence[str]) -> dict[str, float]:
    """Return the values per level, as they count in a mean square."""
    sizes = {}
    for name in names:
        n, squares, _ = design.powers(name)
        sizes[name] = float(np.sum(n - squares / n)) / (design.n_levels(name) - len(n))
    return sizes


def _by_moments(design: _Design, names: Sequence[str]) -> dict[str, float]:
    """Return the variances whose expected sums of squares are those observed."""
    squares = np.array([design.squares(name) for name in names])
    expected = np.array([[_expected(design, of, by) for by in names] for of in names])
    variances = np.linalg.lstsq(expected, squares, rcond=None)[0]
    return dict(zip(names, variances.tolist(), strict=True))


def _expected(design: _Design, of: str, by: str) -> float:
    """Return one effect's expected sum of squares per unit of variance of another effect.

    With Z the indicators of levels, D their counts and M taking off groups' means, this is the
    trace of Z_k D_k^-1 Z_k' M Z_j Z_j' M, written out as sums over levels and groups.
    """
    n = design.group_counts
    plain = design.shared(design.joined(of, by), of)
    first = design.products(of, is_per_value=True)
    second = design.products(by, is_per_value=False)
    both = float(np.sum(first * second / np.outer(n, n)))
    return plain - 2.0 * design.crossed(of, by) + both
