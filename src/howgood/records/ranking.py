"""A ranking of systems, with the probability that each statement in it is wrong.

In: scores, pairwise differences and rank probabilities made by `decide.rank`. Out: `Ranking`,
`Ordering`, `Needed`. Absent: how they were computed (see `decide`), rounding (see `show`).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise, permutations
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from howgood.errors import InputError, place_of
from howgood.records.provenance import Provenance
from howgood.records.shown import Shown
from howgood.records.table import Table, Tabular
from howgood.records.ties import ties_among
from howgood.stats.arrays import FloatArray, IntArray

Status = Literal["reached", "needed", "never"]
Doubt = Literal["re-rating", "items and raters", "items", "users"]

_ALL_ORDERINGS_UP_TO = 6
# Nobody collects more than this: as good as never.
_MOST_NEEDED = 1e9


class Ordering(NamedTuple):
    """One full ordering, best first, and its probability.

    Stability: stable
    """

    order: tuple[str, ...]
    probability: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """What it takes to bring one error probability below a target.

    `pairs` and `repeats` are totals (either one alone suffices), None when `status` is "never":
    the difference is on the wrong side, or exactly zero.
    """

    error_now: float
    status: Status
    pairs: int | None
    more_pairs: int | None
    repeats: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Needed(Shown):
    """How much more data until "first is better than second" errs with less than `error`.

    `rerating`: until asking the same people again flips the order with less than that
    probability; `repeats` then means ratings per pair averaged into each answer (the next, and
    those already given where their number is known).
    `true_order`: until the order of the people's mean opinions is known that well; None when the
    means are taken as known. `status`, `pairs`: with both in mind.

    Stability: experimental
    """

    first: str
    second: str
    error: float
    rerating: Requirement
    true_order: Requirement | None

    @property
    def status(self) -> Status:
        """The less comfortable of the two."""
        states = {part.status for part in self._parts()}
        return "never" if "never" in states else "needed" if "needed" in states else "reached"

    @property
    def pairs(self) -> int | None:
        """Pairs that satisfy both; None when no number does."""
        totals = [part.pairs for part in self._parts()]
        known = [total for total in totals if total is not None]
        return max(known) if len(known) == len(totals) else None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        parts = {"rerating": self.rerating, "true_order": self.true_order}
        return {
            "first": self.first,
            "second": self.second,
            "error": self.error,
            "status": self.status,
            "pairs": self.pairs,
            **{
                name: None
                if part is None
                else {field: getattr(part, field) for field in part.__dataclass_fields__}
                for name, part in parts.items()
            },
        }

    def _parts(self) -> list[Requirement]:
        return [self.rerating] + ([self.true_order] if self.true_order else [])


@dataclass(frozen=True, slots=True, kw_only=True)
class NeededGrades(Shown):
    """How many items or raters until "first is better than second" errs with less than `error`.

    `items` is a total with the raters as they are, `raters` one on the same items, `repeats` how
    often each rater would grade each output; None where no number of them alone is enough, raters
    are not known, or nobody graded an output twice. `together` are items and raters, both so many
    times those there are: that is enough whenever the first leads. `as_items` says how many more
    items narrow the difference as much as one more rater does (infinite: more than any number). All
    are rough: variances of few raters are hardly known.

    Stability: experimental
    """

    first: str
    second: str
    error: float
    error_now: float
    status: Status
    items: int | None
    raters: int | None
    as_items: float | None
    repeats: int | None = None
    together: tuple[int, int] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON; infinitely many items are None."""
        content = {name: getattr(self, name) for name in self.__dataclass_fields__}
        is_finite = self.as_items is not None and math.isfinite(self.as_items)
        return content | {"as_items": self.as_items if is_finite else None}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """Where the uncertainty about differences of grades comes from: variances, each (K, K).

    That of items falls with their number, that of raters with theirs, the rest with either. Part of
    the rest (`repeated`, already in the others) falls with the repeats of each grade.
    """

    items: FloatArray
    raters: FloatArray
    both: FloatArray
    n_items: int
    n_raters: int | None
    repeated: FloatArray | None = None
    n_repeats: float | None = None
    n_clusters: int | None = None

    def needed(
        self, place: tuple[int, int], *, inflated: float, target: float
    ) -> tuple[int | None, int | None]:
        """Return items and raters that bring the variance of a difference below the target."""
        items, raters, both = (
            inflated * float(source[place]) for source in (self.items, self.raters, self.both)
        )
        more_items = _total(self.n_items, falling=items + both, staying=raters, target=target)
        if self.n_raters is None or self.n_raters < 2:
            return more_items, None
        return more_items, _total(
            self.n_raters, falling=raters + both, staying=items, target=target
        )

    def repeats_needed(
        self, place: tuple[int, int], *, inflated: float, target: float
    ) -> int | None:
        """Return how often everybody would grade each output; None: never enough, or not known."""
        if self.repeated is None or self.n_repeats is None:
            return None
        falling = inflated * float(self.repeated[place])
        seen = sum(float(source[place]) for source in (self.items, self.raters, self.both))
        staying = inflated * seen - falling
        if target <= staying:
            return None
        repeats = self.n_repeats * falling / (target - staying)
        return math.floor(repeats) + 1 if repeats < _MOST_NEEDED else None

    def together_needed(
        self, place: tuple[int, int], *, inflated: float, target: float
    ) -> tuple[int, int] | None:
        """Return items and raters, as many times those there are; None: raters are not known."""
        if self.n_raters is None or self.n_raters < 2:
            return None
        items, raters, both = (
            inflated * float(source[place]) for source in (self.items, self.raters, self.both)
        )
        alone = items + raters
        # alone / f + both / f² is the target.
        times = (alone + math.sqrt(alone**2 + 4.0 * target * both)) / (2.0 * target)
        if not max(self.n_items, self.n_raters) * times < _MOST_NEEDED:
            return None
        more_items, more_raters = (
            max(math.floor(times * now) + 1, now) for now in (self.n_items, self.n_raters)
        )
        return more_items, more_raters

    def one_rater_in_items(self, place: tuple[int, int]) -> float | None:
        """Return how many more items narrow a difference as much as one more rater."""
        if self.n_raters is None or self.n_raters < 2:
            return None
        items, raters, both = (
            float(source[place]) for source in (self.items, self.raters, self.both)
        )
        wanted = items + (raters + both) * self.n_raters / (self.n_raters + 1)
        if wanted <= raters:
            return math.inf
        return max(self.n_items * ((items + both) / (wanted - raters) - 1), 0.0)


def _total(now: int, *, falling: float, staying: float, target: float) -> int | None:
    """Return the smallest total at which falling * now / total + staying is below the target."""
    if target <= staying:
        return None
    total = now * falling / (target - staying)
    return max(math.floor(total) + 1, now) if total < _MOST_NEEDED else None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ranking(Tabular):
    """Systems in order of expected score, and how far each place can be trusted.

    Attributes
    ----------
    systems : tuple of str
        Names, in the order they were given; rows and columns of the arrays below.
    metric : str
    paired : bool
        True: scored on the same feedback. False: Eq. 5 of Jasberg & Sizov, as if independent.
    level : float
        Error level of tie groups and rank intervals.
    n : int
        Person-item pairs; items, where outputs were graded directly; users, of ranked lists.
    greater_is_better : bool
    scores, score_sds : arrays of shape (K,)
        Expected score, and how far a re-rating lies from it (standard deviation).
    differences, difference_variances : arrays of shape (K, K)
        Mean and variance of score i minus score j, in the units of `difference_scale`.
    errors : array of shape (K, K)
        P(system i scores worse than or equal to system j) if people rated again; where raters are a
        sample (`decide.rank_grades`), if all items and raters like these were asked. With known
        trials, difference_variances plus mean_variances is the variance it rests on.
    true_errors : array of shape (K, K) or None
        P(the order of i and j under people's mean opinions is the opposite), given that the means
        came from few trials; None where the means are taken as known.
    mean_variances : array of shape (K, K) or None
        Variance of the estimated difference itself, from few trials.
    ranks : array of shape (K, K)
        Probability that system i has rank j + 1.
    mcse : float
        Largest sampling error of a rank probability; 0 where the result is closed-form.
    barrier : float
        Magic barrier: what a system that knew every mean would score. NaN for other metrics.
    doubt : {"re-rating", "items and raters", "items", "users"}
        What may turn out otherwise: the same people's next ratings, or other items, raters
        or users.
    sources : Sources or None
        Of grades: how much of the variance of each difference is due to items and to raters.
    places : array of shape (K,) or None
        Of votes: each system's place from 0, where that is not the order of the scores because some
        systems have far fewer votes than others; None: places follow the scores.
    segments : dict of str to Ranking
        The same ranking for parts of the grades, by the name of the part; empty without any.

    Stability: stable
    """

    frame_of: ClassVar[str] = "table"

    systems: tuple[str, ...]
    metric: str
    paired: bool
    level: float
    n: int
    greater_is_better: bool
    scores: FloatArray
    score_sds: FloatArray
    differences: FloatArray
    difference_variances: FloatArray
    difference_scale: str
    errors: FloatArray
    true_errors: FloatArray | None
    mean_variances: FloatArray | None
    ranks: FloatArray
    likely_orderings: tuple[tuple[tuple[int, ...], float], ...]
    mcse: float
    barrier: float
    provenance: Provenance
    doubt: Doubt = "re-rating"
    sources: Sources | None = None
    places: IntArray | None = None
    segments: Mapping[str, "Ranking"] = field(default_factory=dict)

    def error(self, first: str, second: str) -> float:
        """Return P(first scores worse than or equal to second) if the same people rated again.

        Of grades given directly: over all items and raters like these (see `doubt`). The error
        of the claim "first is better". A certain tie counts one half.
        """
        return float(self.errors[self.index(first), self.index(second)])

    def true_error(self, first: str, second: str) -> float:
        """Return P(first is in truth worse than or equal to second), means being uncertain.

        Needs to know from how many trials the means came (`trials=`).
        """
        if self.true_errors is None:
            raise InputError(
                where="true_error",
                found="means taken as known",
                needed="the number of trials behind each mean",
                cure="Rank with trials=..., or from repeated ratings.",
            )
        return float(self.true_errors[self.index(first), self.index(second)])

    def index(self, system: str) -> int:
        """Return the place of a system in the arrays."""
        return place_of(system, self.systems, where="system")

    @property
    def order(self) -> tuple[str, ...]:
        """Systems by expected score, best first; equal ones as they were given.

        Of votes: where they probably stand, so that one that won its only vote is not first.
        """
        return tuple(self.systems[system] for system in self._order())

    @property
    def rank_probabilities(self) -> dict[str, FloatArray]:
        """System -> probability of rank 1, 2, .. K."""
        return {name: self.ranks[place].copy() for place, name in enumerate(self.systems)}

    @property
    def best_probability(self) -> dict[str, float]:
        """System -> probability of scoring best."""
        return {name: float(self.ranks[place, 0]) for place, name in enumerate(self.systems)}

    @property
    def rank_intervals(self) -> dict[str, tuple[int, int]]:
        """System -> lowest and highest rank that hold all but `level` of the probability."""
        cumulative = np.cumsum(self.ranks, axis=1)
        # A half-ulp below 1 must not widen an interval.
        lower = (cumulative <= self.level / 2 + 1e-12).sum(axis=1) + 1
        upper = (cumulative < 1 - self.level / 2 - 1e-12).sum(axis=1) + 1
        return {
            name: (int(lower[place]), int(upper[place])) for place, name in enumerate(self.systems)
        }

    @property
    def tie_groups(self) -> tuple[tuple[str, ...], ...]:
        """Systems best first, cut where one can be distinguished from the first of its group.

        A system opens a new group when the group's first system is better with an error
        below `level`. Two systems of different groups may tie all the same: see `ties`.
        """
        groups: list[list[int]] = []
        for system in self._order():
            if groups and self.errors[groups[-1][0], system] >= self.level:
                groups[-1].append(system)
            else:
                groups.append([system])
        return tuple(tuple(self.systems[system] for system in group) for group in groups)

    @property
    def ties(self) -> dict[str, tuple[str, ...]]:
        """System, best first -> all systems it cannot be distinguished from at `level`."""
        places = {name: place for place, name in enumerate(self.systems)}
        is_settled = self.errors < self.level
        return ties_among(
            self.order, lambda ahead, behind: bool(is_settled[places[ahead], places[behind]])
        )

    @property
    def headroom(self) -> dict[str, float]:
        """System -> share of its score that lies above the magic barrier."""
        if math.isnan(self.barrier):
            return dict.fromkeys(self.systems, math.nan)
        with np.errstate(invalid="ignore", divide="ignore"):
            share = np.where(self.scores > 0, 1 - self.barrier / self.scores, 0.0)
        return dict(zip(self.systems, share.tolist(), strict=True))

    def orderings(self, *, most: int = 20) -> tuple[Ordering, ...]:
        """Return full orderings, most probable first: all K! up to 6 systems, else `most`."""
        orderings = [
            Ordering(tuple(self.systems[system] for system in order), probability)
            for order, probability in self.likely_orderings
        ]
        if len(self.systems) > _ALL_ORDERINGS_UP_TO:
            return tuple(orderings[:most])
        seen = {ranking_order.order for ranking_order in orderings}
        rest = [
            Ordering(ordering, 0.0)
            for ordering in permutations(self.systems)
            if ordering not in seen
        ]
        return tuple(orderings + rest)

    def needed(self, first: str, second: str, *, error: float = 0.05) -> Needed | NeededGrades:
        """Return how many pairs, or repeats per pair, "first is better" needs to err less.

        Of grades (`decide.rank_grades`): how many items, or how many raters. Of ranked lists
        `pairs` are users.
        """
        if not 0 < error < 0.5:
            raise InputError(
                where="error",
                found=repr(error),
                needed="a probability between 0 and 0.5",
                cure="Use for instance 0.05.",
            )
        if self.sources is not None:
            return self._needed_grades(first, second, error, self.sources)
        if self.doubt not in ("re-rating", "users"):
            raise InputError(
                where="needed",
                found="raters as a sample, whose uncertainty comes from raters too",
                needed="a ranking of predictions: more items alone do not help against few raters",
                cure="Grade more items by more raters, and rank again.",
            )
        place = self.index(first), self.index(second)
        spread, true_order = float(self.difference_variances[place]), None
        if self.true_errors is not None and self.mean_variances is not None:
            doubt = float(self.mean_variances[place])
            behind = spread / doubt if doubt > 0 else 1.0
            now = float(self.true_errors[place])
            true_order = self._requirement(place, now, doubt, error, behind)
            spread += doubt
        rerating = self._requirement(place, float(self.errors[place]), spread, error, 1.0)
        return Needed(
            first=first, second=second, error=error, rerating=rerating, true_order=true_order
        )

    def _needed_grades(
        self, first: str, second: str, error: float, sources: Sources
    ) -> NeededGrades:
        from scipy.special import ndtri

        place = self.index(first), self.index(second)
        now = float(self.errors[place])
        sign = -1.0 if self.greater_is_better else 1.0
        lead = -sign * float(self.differences[place])
        status: Status = "reached" if now < error else "needed"
        items = raters = repeats = together = None
        seen = sum(float(source[place]) for source in (sources.items, sources.raters, sources.both))
        if status == "needed" and (lead <= 0 or now >= 0.5 or seen <= 0):
            status = "never"
        elif status == "needed":
            # The error knows that variances are hardly known: a Gaussian as wide as it says.
            inflated = (lead / float(ndtri(now))) ** 2 / seen
            target = (lead / float(ndtri(error))) ** 2
            items, raters = sources.needed(place, inflated=inflated, target=target)
            repeats = sources.repeats_needed(place, inflated=inflated, target=target)
            together = sources.together_needed(place, inflated=inflated, target=target)
            found = any(number is not None for number in (items, raters, repeats, together))
            status = "needed" if found else "never"
        elif status == "reached":
            items, raters = sources.n_items, sources.n_raters
        return NeededGrades(
            first=first,
            second=second,
            error=error,
            error_now=now,
            status=status,
            items=items,
            raters=raters,
            as_items=sources.one_rater_in_items(place),
            repeats=repeats,
            together=together,
        )

    def __str__(self) -> str:
        return str(self.table())

    def table(self) -> Table:
        """Return one row per system, best first.

        `error_to_next` is the probability that a re-rating swaps a system with the one below it;
        where trials are known, `true_error_to_next` that their true order is the opposite.
        """
        order = self._order()
        intervals, headroom = self.rank_intervals, self.headroom
        names = [self.systems[system] for system in order]
        group = {name: 1 + at for at, names in enumerate(self.tie_groups) for name in names}
        columns = {"error_to_next": self.errors}
        if self.true_errors is not None:
            columns["true_error_to_next"] = self.true_errors
        to_next = {
            name: np.array([*(float(matrix[pair]) for pair in pairwise(order)), math.nan])
            for name, matrix in columns.items()
        }
        return Table(
            {
                "rank": np.arange(1, len(order) + 1),
                "system": names,
                "score": self.scores[order],
                "sd": self.score_sds[order],
                "p_best": self.ranks[order, 0],
                "rank_lower": [intervals[name][0] for name in names],
                "rank_upper": [intervals[name][1] for name in names],
                "tie_group": [group[name] for name in names],
                **to_next,
                "headroom": [headroom[name] for name in names],
            }
        )

    def error_table(self) -> Table:
        """Return the K x K error matrix: row system better than column system, P(wrong)."""
        order = self._order()
        names = [self.systems[system] for system in order]
        return Table(
            {
                "system": names,
                **{self.systems[system]: self.errors[order, system] for system in order},
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "metric": self.metric,
            "paired": self.paired,
            "level": self.level,
            "n": self.n,
            "doubt": self.doubt,
            "order": list(self.order),
            "systems": list(self.table().rows()),
            "errors": {
                name: dict(zip(self.systems, row.tolist(), strict=True))
                for name, row in zip(self.systems, self.errors, strict=True)
            },
            "true_errors": None
            if self.true_errors is None
            else {
                name: dict(zip(self.systems, row.tolist(), strict=True))
                for name, row in zip(self.systems, self.true_errors, strict=True)
            },
            "rank_probabilities": {
                name: row.tolist() for name, row in self.rank_probabilities.items()
            },
            "orderings": [
                {"order": list(ordering.order), "probability": ordering.probability}
                for ordering in self.orderings()
            ],
            "tie_groups": [list(group) for group in self.tie_groups],
            "ties": {name: list(names) for name, names in self.ties.items()},
            "mcse": self.mcse,
            "barrier": self.barrier,
            **(
                {"segments": {name: board.to_dict() for name, board in self.segments.items()}}
                if self.segments
                else {}
            ),
            "provenance": self.provenance.to_dict(),
        }

    def _order(self) -> list[int]:
        if self.places is not None:
            return [int(index) for index in np.argsort(self.places, kind="stable")]
        sign = -1.0 if self.greater_is_better else 1.0
        # Against the first system, not by score: two good systems may agree in 15 digits.
        against = sign * self.differences[:, 0]
        return [int(index) for index in np.argsort(against, kind="stable")]

    def _requirement(
        self, place: tuple[int, int], now: float, variance: float, target: float, behind: float
    ) -> Requirement:
        """Return what one error needs; `behind`: how many ratings its variance already rests on."""
        if now < target:
            least = max(1, round(behind))
            return Requirement(
                error_now=now, status="reached", pairs=self.n, more_pairs=0, repeats=least
            )
        sign = -1.0 if self.greater_is_better else 1.0
        lead = -sign * float(self.differences[place])
        if lead <= 0:
            return Requirement(
                error_now=now, status="never", pairs=None, more_pairs=None, repeats=None
            )
        from scipy.special import ndtri

        # Variances fall as one over pairs and one over repeats. Where few trials or pairs make the
        # error larger than a Gaussian's, the Gaussian may be content already: one more is needed.
        factor = max(float(ndtri(target)) ** 2 * variance / lead**2, 1.0)
        pairs = math.floor(self.n * factor) + 1
        return Requirement(
            error_now=now,
            status="needed",
            pairs=pairs,
            more_pairs=pairs - self.n,
            repeats=max(math.floor(factor * behind + 1e-9) + 1, round(behind)),
        )
