"""What a binary classifier gets right and wrong, and what it does at every threshold.

In: counts or proportions. Out: `ConfusionMatrix`, `ThresholdMatrices`, the distinct ones a
threshold can reach as people see them, and `ThresholdCounts`, the counts behind them. Absent:
computing them from scores (see `learn.threshold_matrices`).
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Protocol, overload

import numpy as np
from numpy.typing import ArrayLike

from howgood.errors import InputError
from howgood.records.saved import Saved
from howgood.records.shown import Shown
from howgood.stats.arrays import FloatArray

_CELLS = ("true_positives", "false_negatives", "false_positives", "true_negatives")
# Systems are shown as whole numbers out of the first of these in which the rarer class has at
# least this many cases: with one case shown, one miss more or less is everything or nothing.
_OUT_OF, _FEWEST_SHOWN = (100, 1_000, 10_000), 10


class Range(NamedTuple):
    """From `lower` to `upper`; `value in range` asks whether it lies between them.

    Stability: stable
    """

    lower: float
    upper: float

    def __contains__(self, value: object) -> bool:
        return isinstance(value, int | float) and self.lower <= value <= self.upper

    @property
    def middle(self) -> float:
        """Half way between the ends."""
        return (self.lower + self.upper) / 2


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfusionMatrix(Saved):
    """Counts (or proportions) of the four outcomes of a binary classifier.

    Notes
    -----
    Stability: stable

    Examples
    --------
    >>> matrix = ConfusionMatrix(
    ...     true_positives=32, false_negatives=3, false_positives=7, true_negatives=58
    ... )
    >>> matrix.total, round(matrix.recall, 3), round(matrix.specificity, 3)
    (100, 0.914, 0.892)
    """

    is_plain: ClassVar[bool] = True

    true_positives: float
    false_negatives: float
    false_positives: float
    true_negatives: float

    def __post_init__(self) -> None:
        cells = {name: getattr(self, name) for name in _CELLS}
        wrong = {name: value for name, value in cells.items() if not 0 <= value < math.inf}
        if wrong or sum(cells.values()) <= 0:
            raise InputError(
                where="ConfusionMatrix",
                found=", ".join(f"{name} = {value}" for name, value in (wrong or cells).items()),
                needed="four finite numbers, none negative, not all zero",
                cure="Pass counts, or proportions of all cases.",
            )

    @property
    def positives(self) -> float:
        """Cases that are really positive."""
        return self.true_positives + self.false_negatives

    @property
    def negatives(self) -> float:
        """Cases that are really negative."""
        return self.false_positives + self.true_negatives

    @property
    def flagged(self) -> float:
        """Cases predicted positive."""
        return self.true_positives + self.false_positives

    @property
    def total(self) -> float:
        """All cases."""
        return self.positives + self.negatives

    @property
    def precision(self) -> float:
        """Share of predicted positives that are real (NaN when none is predicted)."""
        return _share(self.true_positives, self.flagged)

    @property
    def recall(self) -> float:
        """Share of real positives that are found (NaN without real positives)."""
        return _share(self.true_positives, self.positives)

    @property
    def specificity(self) -> float:
        """Share of real negatives that are cleared (NaN without real negatives)."""
        return _share(self.true_negatives, self.negatives)

    def displayed(self, *, out_of: int = 100) -> "ConfusionMatrix":
        """Return whole numbers out of `out_of` whose totals add up.

        Positives, false negatives and false positives are rounded half up; the rest follows, so
        that every row and the whole add up to what is shown.

        Examples
        --------
        >>> ConfusionMatrix(
        ...     true_positives=110, false_negatives=11, false_positives=14, true_negatives=215
        ... ).displayed()
        ConfusionMatrix(true_positives=32, false_negatives=3, false_positives=4, true_negatives=61)
        """
        positives = _half_up(self.positives, self.total, out_of)
        negatives = out_of - positives
        missed = min(_half_up(self.false_negatives, self.total, out_of), positives)
        alarms = min(_half_up(self.false_positives, self.total, out_of), negatives)
        return ConfusionMatrix(
            true_positives=positives - missed,
            false_negatives=missed,
            false_positives=alarms,
            true_negatives=negatives - alarms,
        )

    def dominates(self, other: "ConfusionMatrix") -> bool:
        """Is this at least as good on both kinds of case, and better on one?"""
        more_found = self.true_positives - other.true_positives
        more_cleared = self.true_negatives - other.true_negatives
        return more_found >= 0 and more_cleared >= 0 and (more_found > 0 or more_cleared > 0)

    def to_dict(self) -> dict[str, float]:
        """Return plain values, ready for JSON."""
        return {name: getattr(self, name) for name in _CELLS}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "ConfusionMatrix":
        """Return the matrix `to_dict` wrote."""
        return cls(**{name: values[name] for name in _CELLS})


@dataclass(frozen=True, slots=True, kw_only=True)
class ThresholdMatrices(Shown, Sequence[ConfusionMatrix]):
    """The distinct displayed matrices of one scorer, from the lowest threshold to the highest.

    `ranges[i]` holds the thresholds t for which flagging every score >= t gives `matrices[i]`:
    above `lower`, up to and including `upper` (infinite where nobody is flagged). `counts` holds
    the cases themselves; what to recommend is decided by them, not by rounded numbers.

    Notes
    -----
    Stability: stable
    """

    matrices: tuple[ConfusionMatrix, ...]
    ranges: tuple[Range, ...]
    out_of: int
    rows_used: int
    rows_dropped: int = 0
    counts: "ThresholdCounts | None" = None

    @overload
    def __getitem__(self, index: int) -> ConfusionMatrix: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[ConfusionMatrix, ...]: ...
    def __getitem__(self, index: int | slice) -> ConfusionMatrix | tuple[ConfusionMatrix, ...]:
        return self.matrices[index]

    def __len__(self) -> int:
        return len(self.matrices)

    def __iter__(self) -> Iterator[ConfusionMatrix]:
        return iter(self.matrices)

    def at(self, threshold: float) -> ConfusionMatrix:
        """Return the displayed matrix when every score >= `threshold` is flagged."""
        uppers = [one_range.upper for one_range in self.ranges]
        return self.matrices[int(np.searchsorted(uppers, threshold, side="left"))]

    def thresholds_of(self, matrix: ConfusionMatrix) -> Range:
        """Return the thresholds that give this displayed matrix."""
        return self.ranges[self.matrices.index(matrix)]


class CountsMetric(Protocol):
    """A metric that scores whole arrays of confusion counts; greater is better."""

    def of_counts(self, tp: ArrayLike, fn: ArrayLike, fp: ArrayLike, tn: ArrayLike) -> FloatArray:
        """Score arrays of confusion counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ThresholdCounts:
    """Counts of the cases themselves at every threshold that may be the best one.

    Thresholds that only miss more, or only raise more false alarms, than a neighbour are left
    out. Each entry of `missed`, `cleared` and `ranges` belongs to one threshold, in rising order.

    Notes
    -----
    Stability: experimental
    """

    positives: int
    negatives: int
    missed: tuple[int, ...]
    cleared: tuple[int, ...]
    ranges: tuple[Range, ...]

    def __post_init__(self) -> None:
        lengths = {len(self.missed), len(self.cleared), len(self.ranges)}
        if len(lengths) > 1 or not self.missed:
            raise InputError(
                where="ThresholdCounts",
                found=f"{len(self.missed)} counts of misses, {len(self.cleared)} of cleared cases, "
                f"{len(self.ranges)} ranges of thresholds",
                needed="one of each per threshold, and at least one threshold",
                cure="Take them from learn.threshold_matrices.",
            )

    def matrix(self, index: int) -> ConfusionMatrix:
        """Return the counts at one of the thresholds."""
        missed, cleared = self.missed[index], self.cleared[index]
        return ConfusionMatrix(
            true_positives=self.positives - missed,
            false_negatives=missed,
            false_positives=self.negatives - cleared,
            true_negatives=cleared,
        )

    def best(self, metric: CountsMetric) -> int:
        """Return which threshold scores highest, the lowest of several."""
        missed, cleared = np.array(self.missed), np.array(self.cleared)
        scores = metric.of_counts(
            self.positives - missed, missed, self.negatives - cleared, cleared
        )
        return int(np.argmax(scores))

    def optimal_range(self, index: int) -> Range | None:
        """Return every a0 for which this threshold scores highest of all, None if there is none."""
        more_found = self.missed[index] - np.array(self.missed)
        more_cleared = np.array(self.cleared) - self.cleared[index]
        lower, upper = more_found > 0, more_cleared > 0
        least = more_found[lower] / (more_found[lower] - more_cleared[lower])
        most = more_found[upper] / (more_found[upper] - more_cleared[upper])
        ends = Range(float(max(least, default=0.0)), float(min(most, default=1.0)))
        return ends if ends.lower <= ends.upper else None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON, which has no infinity: an open end is None."""
        return {
            "positives": self.positives,
            "negatives": self.negatives,
            "missed": list(self.missed),
            "cleared": list(self.cleared),
            "ranges": [[plain_end(end) for end in one_range] for one_range in self.ranges],
        }

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "ThresholdCounts":
        """Return the counts `to_dict` wrote."""
        return cls(
            positives=int(values["positives"]),
            negatives=int(values["negatives"]),
            missed=tuple(int(value) for value in values["missed"]),
            cleared=tuple(int(value) for value in values["cleared"]),
            ranges=tuple(range_from(value) for value in values["ranges"]),
        )


def plain_end(end: float) -> float | None:
    """Return an end of a range for JSON: the open end above the highest score becomes None."""
    return None if end == math.inf else end


def range_from(ends: Sequence[float | None]) -> Range:
    """Return the range whose ends `plain_end` wrote."""
    lower, upper = ends
    return Range(float(lower or 0.0), math.inf if upper is None else float(upper))


def display_total(positive_share: float) -> int:
    """Return out of how many cases to show systems, so that the rarer class is visible.

    The first of 100, 1,000 and 10,000 that shows at least 10 cases of it.

    Examples
    --------
    >>> [display_total(share) for share in (0.35, 0.1, 0.01, 0.004, 0.00001, 0.98)]
    [100, 100, 1000, 10000, 10000, 1000]
    """
    rarer = min(positive_share, 1.0 - positive_share)
    # A grain of sand: 10 of 100 is not less than a tenth.
    enough = [total for total in _OUT_OF if rarer * total >= _FEWEST_SHOWN - 1e-9]
    return enough[0] if enough else _OUT_OF[-1]


def _share(part: float, whole: float) -> float:
    return part / whole if whole > 0 else math.nan


def _half_up(part: float, whole: float, out_of: int) -> int:
    # Counts are exact in integers; proportions get a grain of sand against 0.4999999.
    if float(part).is_integer() and float(whole).is_integer():
        return (2 * int(part) * out_of + int(whole)) // (2 * int(whole))
    return math.floor(part / whole * out_of + 0.5 + 1e-9)
