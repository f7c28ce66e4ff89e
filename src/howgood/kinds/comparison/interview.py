"""Which pair of matrices comes next, from the choices so far.

In: a comparison, the participant's seed, their direct answer and their choices. Out: the pair to
show, what kind it is, and in the end the result. Absent: screens. Replaying the choices gives the
same pairs at any time; a bounded memo keeps the latest states, so that a new choice costs one step
and not a replay.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from howgood import learn
from howgood.errors import InputError
from howgood.kinds.comparison.plan import ComparisonPlan
from howgood.kinds.pair_choices import Choice, Interviews
from howgood.kinds.seeded import draw
from howgood.kinds.study import Study, plan_of
from howgood.learn.elicitation.further import most_further
from howgood.records.confusion import ConfusionMatrix, Range, ThresholdMatrices
from howgood.records.elicitation import (
    FEWEST_PREFERENCES,
    AnsweredQuery,
    BisectionResult,
    ElicitationResult,
    Query,
)
from howgood.records.estimate import Estimate

_LARGEST_SEED = 2**32


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two systems as they are shown: `left` and `right`; `kind` is for the log alone."""

    left: ConfusionMatrix
    right: ConfusionMatrix
    kind: str
    is_swapped: bool = False


class Interview:
    """One participant's comparison: the search, then the hidden evaluation pairs."""

    def __init__(
        self, study: Study, *, seed: int, ratio: float | None, offline: bool = False
    ) -> None:
        plan, reachable = plan_of(study, ComparisonPlan), matrices_of(study)
        self.seed = seed % _LARGEST_SEED
        self.answered: list[AnsweredQuery] = []
        if plan.algorithm == "mixture":
            self.search: learn.Elicitor | learn.Bisection = learn.Elicitor(
                reachable,
                families=plan.families,
                random_state=self.seed,
                direct_ratio=ratio,
                max_queries=plan.queries,
                catch_pairs=plan.checks,
                repeats=plan.repeats,
                held_out=plan.evaluation,
            )
            if offline:
                # Loads SciPy, which a server does not need before its first comparison.
                from howgood.kinds.comparison.pool import plan_to_follow

                self.search.follow(plan_to_follow(reachable, plan, seed))
            self.kept_back: tuple[Query, ...] = ()
        else:
            if not isinstance(reachable, ThresholdMatrices):
                raise InputError(
                    where="comparison",
                    found="matrices without thresholds",
                    needed="for the bisection, a threshold range per matrix",
                    cure="Name a file of scores, or use the mixture.",
                )
            self.search = learn.Bisection(
                reachable, tolerance=plan.tolerance, rule=plan.rule, identical="same"
            )
            self.kept_back = learn.held_out_queries(
                reachable, n=plan.evaluation, random_state=self.seed
            )

    def pair(self) -> Pair | None:
        """Return the pair to show, or None when all is asked."""
        query = self._query()
        if query is None:
            return None
        # The mixture draws sides itself; the bisection always has the higher threshold first.
        is_swapped = self._is_bisecting() and draw(self.seed, "side", len(self.answered)) < 0.5
        left, right = (query.second, query.first) if is_swapped else (query.first, query.second)
        return Pair(left=left, right=right, kind=query.kind, is_swapped=is_swapped)

    def take(self, choice: Choice) -> None:
        """Take the choice between left ("first") and right ("second"), or "same"."""
        query, pair = self._query(), self.pair()
        if query is None or pair is None:
            return
        if pair.is_swapped and choice != "same":
            choice = "second" if choice == "first" else "first"
        if self.search.query() is not None:
            self.search.answer(choice)
        self.answered.append(AnsweredQuery(query=query, choice=choice))

    def result(self) -> ElicitationResult | BisectionResult:
        """Return what the choices so far say."""
        return self.search.result()

    def closing(self) -> tuple[int, float] | None:
        """Return how many of the last pairs are answered, and how far they are, once known."""
        return self.search.closing() if isinstance(self.search, learn.Elicitor) else None

    @property
    def preferences(self) -> int:
        """How many pairs asked to learn from were answered by preferring a side."""
        return sum(
            answer.query.kind == "choice" and answer.choice != "same" for answer in self.answered
        )

    def _query(self) -> Query | None:
        query = self.search.query()
        if query is not None:
            return query
        asked = sum(answer.query.kind == "held-out" for answer in self.answered)
        return self.kept_back[asked] if asked < len(self.kept_back) else None

    def _is_bisecting(self) -> bool:
        return isinstance(self.search, learn.Bisection) and self.search.query() is not None


def most_pairs(plan: ComparisonPlan) -> int:
    """Return how many pairs a participant sees at most."""
    if plan.algorithm == "mixture":
        tested = plan.repeats + plan.evaluation
        return plan.queries + plan.checks + tested + most_further(tested)
    rounds, width = 0, 1.0
    while width > plan.tolerance:
        rounds, width = rounds + 1, width / 2
    return 4 * rounds + plan.evaluation


def replayed(
    study: Study,
    *,
    seed: int,
    ratio: float | None,
    choices: tuple[Choice, ...],
    offline: bool = False,
) -> Interview:
    """Return the interview after these choices, made from nothing."""
    interview = Interview(study, seed=seed, ratio=ratio, offline=offline)
    for choice in choices:
        interview.take(choice)
    return interview


def weight_of(interview: Interview) -> Estimate | None:
    """Return the weight a0 the choices say; None where there is not enough evidence for any.

    A bisection has no model of error: its last bracket is taken as evenly likely. It would end
    somewhere without a single preference too.
    """
    result = interview.result()
    if isinstance(result, ElicitationResult):
        # Answers that hardly inform have a wide interval, which would pull a group to its middle.
        return result.a0 if result.evidence == "enough" else None
    if interview.preferences < FEWEST_PREFERENCES:
        return None
    ends = result.interval
    return Estimate.from_draws(
        np.linspace(ends.lower, ends.upper, 101), probability=0.9, kind="quantile"
    )


_INTERVIEWS: Interviews[Pair] = Interviews()


def next_pair(
    study: Study,
    *,
    seed: int,
    ratio: float | None,
    history: Sequence[tuple[Choice, ...]],
    offline: bool = False,
) -> tuple[Pair | None, int]:
    """Return the pair that follows the last of these states (None: all is asked), and how far."""
    return _INTERVIEWS.next_pair(
        (study.version, seed, ratio, offline),
        history,
        lambda: Interview(study, seed=seed, ratio=ratio, offline=offline),
        most=most_pairs(plan_of(study, ComparisonPlan)),
    )


@lru_cache(maxsize=64)
def matrices_of(study: Study) -> ThresholdMatrices | tuple[ConfusionMatrix, ...]:
    """Return the matrices as `learn` knows them, with their thresholds where these are known."""
    rows = plan_of(study, ComparisonPlan).matrices
    matrices = tuple(
        ConfusionMatrix(
            true_positives=row.true_positives,
            false_negatives=row.false_negatives,
            false_positives=row.false_positives,
            true_negatives=row.true_negatives,
        )
        for row in rows
    )
    if any(row.lower is None for row in rows):
        return matrices
    return ThresholdMatrices(
        matrices=matrices,
        ranges=tuple(
            Range(row.lower or 0.0, float("inf") if row.upper is None else row.upper)
            for row in rows
        ),
        out_of=int(matrices[0].total),
        rows_used=0,
    )
