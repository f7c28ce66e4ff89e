"""More than two classes: what is a right answer on each class worth?

In: labels and class probabilities, and answers. Out: `DiagonalMetric` weights, by the published
bisections or by sequential Monte Carlo. Absent: weights of every kind of confusion.
"""

from collections.abc import Callable, Sequence
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from howgood.errors import InputError, LengthMismatchError, MissingValueError
from howgood.learn.elicitation.bisection import Bisection, Rule, check_choice
from howgood.learn.elicitation.matrices import OutOf, imagined_total
from howgood.learn.elicitation.outcome_weights import OutcomeElicitor
from howgood.records.criteria import CriteriaTable, Criterion
from howgood.records.elicitation import DiagonalResult, Query
from howgood.records.elicited_metric import Choice
from howgood.records.outcomes_by_class import ClassOutcome, DiagonalMetric
from howgood.records.provenance import Provenance
from howgood.stats.arrays import FloatArray
from howgood.stats.randomness import RandomState, generator_and_seed
from howgood.stats.shares import whole_parts


class MulticlassBisection:
    r"""Weights of k classes by k - 1 bisections, as published (diagonal-linear metrics).

    For each class i after the first, Algorithm 1 searches m in [0, 1] over classifiers that
    answer the first class where :math:`m\eta_1 \ge (1-m)\eta_i` and class i otherwise; then
    :math:`a_i / a_1 = (1-m)/m`. At tolerance 0.05 that takes 20 (k - 1) questions.

    Parameters
    ----------
    y_true : array of shape (n,)
        Labels 0 ... k - 1, the columns of `probabilities`.
    probabilities : array of shape (n, k)
        Class probabilities.
    tolerance, rule, lazy
        As in `Bisection`.

    Notes
    -----
    Stability: experimental

    References
    ----------
    Hiranandani et al. (2019), "Multiclass Performance Metric Elicitation", NeurIPS.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> probability = rng.dirichlet([1, 1, 1], size=20_000)
    >>> truth = (rng.random((20_000, 1)) > probability.cumsum(axis=1)).sum(axis=1)
    >>> person = DiagonalMetric(weights=(0.5, 0.3, 0.2), labels=(0, 1, 2))
    >>> search = MulticlassBisection(truth, probability, tolerance=0.01)
    >>> while (query := search.query()) is not None:
    ...     gap = person.of(query.first) - person.of(query.second)
    ...     search.answer("first" if gap > 0 else "second")
    >>> [round(weight, 1) for weight in search.result().metric.weights]
    [0.5, 0.3, 0.2]
    """

    def __init__(
        self,
        y_true: ArrayLike,
        probabilities: ArrayLike,
        *,
        tolerance: float = 0.05,
        rule: Rule = "first",
        lazy: bool = False,
    ) -> None:
        self._truth, self._chances = _checked(y_true, probabilities, "MulticlassBisection")
        self._settings = {"tolerance": tolerance, "rule": rule, "lazy": lazy}
        self._searches = [
            Bisection(self._restricted(rival), tolerance=tolerance, rule=rule, lazy=lazy)
            for rival in range(1, self._chances.shape[1])
        ]

    def query(self) -> Query | None:
        """Return the question at hand, or None when every weight is found."""
        search = self._current()
        query = search.query() if search is not None else None
        if query is None:
            return None
        return Query(first=query.first, second=query.second, number=self._n_answered() + 1)

    def answer(self, choice: Choice) -> None:
        """Take the answer to the question at hand."""
        search = self._current()
        check_choice(choice, is_open=search is not None)
        if search is not None:
            search.answer(choice)

    def undo(self) -> None:
        """Take back the last answer, if there is one."""
        begun = [search for search in self._searches if search.answers]
        if begun:
            begun[-1].undo()

    def result(self) -> DiagonalResult:
        """Return what the answers so far say."""
        shares = [search.result().a0 for search in self._searches]
        odds = np.array([1.0] + [(1 - share) / share for share in shares])
        weights = tuple((odds / odds.sum()).tolist())
        return DiagonalResult(
            metric=DiagonalMetric(weights=weights, labels=tuple(range(len(weights)))),
            intervals=tuple(search.result().interval for search in self._searches),
            queries=self._n_answered(),
            provenance=Provenance(
                method="one bisection per class (diagonal-linear)",
                settings=self._settings,
                rows_used=int(self._truth.size),
            ),
        )

    def _current(self) -> Bisection | None:
        return next((search for search in self._searches if search.query() is not None), None)

    def _n_answered(self) -> int:
        return sum(len(search.answers) for search in self._searches)

    def _restricted(self, rival: int) -> Callable[[float], ClassOutcome]:
        def at(share: float) -> ClassOutcome:
            is_first = share * self._chances[:, 0] >= (1 - share) * self._chances[:, rival]
            return _outcome(self._truth, np.where(is_first, 0, rival), self._chances.shape[1])

        return at


class MulticlassElicitor(OutcomeElicitor):
    """Weights of k classes from any choices, expecting noise (sequential Monte Carlo).

    It stops when every weight is known to within five hundredths (90 % interval).

    Parameters
    ----------
    outcomes : sequence of ClassOutcome
        Systems to compare, for instance from `weighted_outcomes`.
    labels : sequence, optional
        Names of the classes.
    min_queries, max_queries : int
        Fewest and most questions asked to learn.
    catch_pairs, held_out : int
        Questions that check attention (at most 3), and that are kept back to test the weights.
    random_state : None, int or Generator
        Where particles, sides and candidate pairs come from.

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> probability = rng.dirichlet([1, 1, 1], size=2000)
    >>> truth = (rng.random((2000, 1)) > probability.cumsum(axis=1)).sum(axis=1)
    >>> outcomes = weighted_outcomes(truth, probability, random_state=0)
    >>> learner = MulticlassElicitor(outcomes, max_queries=5, random_state=0)
    >>> learner.answer("first")
    >>> sorted(learner.result().weights)
    ['class 0', 'class 1', 'class 2']
    """

    task = (
        "A program sorts cases into classes, and gets some of each class right. Please choose "
        "between two such programs, again and again."
    )

    def __init__(
        self,
        outcomes: Sequence[ClassOutcome],
        *,
        labels: Sequence[object] | None = None,
        min_queries: int = 6,
        max_queries: int = 40,
        catch_pairs: int = 3,
        held_out: int = 8,
        random_state: RandomState = None,
    ) -> None:
        k = len(outcomes[0].correct) if outcomes else 0
        self.labels = None if labels is None else tuple(labels)
        # Without names, classes are the numbers that `weighted_outcomes` expects.
        classes = tuple(range(k)) if self.labels is None else self.labels
        names = [f"class {index}" for index in range(k)] if labels is None else labels
        super().__init__(
            outcomes,
            class_table(outcomes, [str(name) for name in names]),
            metric=lambda weights: DiagonalMetric(weights=weights, labels=classes),
            method="MulticlassElicitor (sequential Monte Carlo)",
            min_queries=min_queries,
            max_queries=max_queries,
            catch_pairs=catch_pairs,
            held_out=held_out,
            random_state=random_state,
        )

    def anew(self, *, random_state: RandomState, **settings: Any) -> Self:  # noqa: ANN401 - its own
        """Return an interview about the same systems, not yet begun."""
        settings.pop("imagined", None)
        return type(self)(self.outcomes, labels=self.labels, random_state=random_state, **settings)


def class_table(outcomes: Sequence[ClassOutcome], names: Sequence[str]) -> CriteriaTable:
    """Return outcomes as alternatives: how many of each class are right, counted in cases."""
    totals = outcomes[0].totals if outcomes else ()
    return CriteriaTable(
        names=tuple(
            _rule(outcome, names) or f"system {place}"
            for place, outcome in enumerate(outcomes, start=1)
        ),
        criteria=tuple(
            Criterion(name=name, direction="max", unit=f"of {total:g} right", label=name)
            for name, total in zip(names, totals, strict=True)
        ),
        scores=np.array([outcome.correct for outcome in outcomes], dtype=np.float64).reshape(
            len(outcomes), len(names)
        ),
        sds=np.zeros((len(outcomes), len(names))),
        common_unit=True,
    )


def _rule(outcome: ClassOutcome, names: Sequence[str]) -> str:
    """Return the weights an outcome comes from, as text."""
    return ", ".join(
        f"{name} {weight:.6f}" for name, weight in zip(names, outcome.rule, strict=False)
    )


def weighted_outcomes(
    y_true: ArrayLike,
    probabilities: ArrayLike,
    *,
    n: int = 150,
    out_of: OutOf = 100,
    random_state: RandomState = None,
) -> tuple[ClassOutcome, ...]:
    """Return what classifiers that favour some classes over others get right, as displayed.

    Each answers the class with the largest weight times probability, for random weights.

    Parameters
    ----------
    y_true : array of shape (n,)
        Labels 0 ... k - 1.
    probabilities : array of shape (n, k)
        Class probabilities.
    n : int
        How many weightings to draw; those that look the same are merged.
    out_of : int or "auto"
        Whole numbers out of how many cases, which the classes add up to; "auto" is the first of
        100, 1,000 and 10,000 that shows at least 10 cases of the rarest class.
    random_state : None, int or Generator
        Where weightings come from.

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> chances = np.array([[0.7, 0.3], [0.4, 0.6], [0.2, 0.8]])
    >>> len(weighted_outcomes([0, 0, 1], chances, random_state=0)) > 1
    True
    """
    truth, chances = _checked(y_true, probabilities, "weighted_outcomes")
    generator, _ = generator_and_seed(random_state)
    k = chances.shape[1]
    rarest = float(np.bincount(truth, minlength=k).min() / truth.size)
    total = imagined_total(out_of, rarest, where="weighted_outcomes")
    weights = generator.dirichlet(np.ones(k), size=n)
    shown = [
        _displayed(
            _outcome(truth, np.argmax(chances * weight, axis=1), k), total, tuple(weight.tolist())
        )
        for weight in weights
    ]
    return tuple({outcome.correct: outcome for outcome in reversed(shown)}.values())[::-1]


def _outcome(truth: NDArray[np.int64], predicted: NDArray[np.int64], k: int) -> ClassOutcome:
    hits = np.bincount(truth[truth == predicted], minlength=k)
    return ClassOutcome(
        correct=tuple(hits.tolist()), totals=tuple(np.bincount(truth, minlength=k).tolist())
    )


def _displayed(outcome: ClassOutcome, out_of: int, rule: tuple[float, ...] = ()) -> ClassOutcome:
    """Round so that the classes add up to what is shown; misses half up, hits are the rest."""
    n = sum(outcome.totals)
    pairs = zip(outcome.correct, outcome.totals, strict=True)
    totals = whole_parts(outcome.totals, out_of)
    correct = [
        total - min(int((whole - hit) / n * out_of + 0.5), total)
        for total, (hit, whole) in zip(totals, pairs, strict=True)
    ]
    return ClassOutcome(correct=tuple(correct), totals=tuple(totals), rule=rule)


def _checked(
    y_true: ArrayLike, probabilities: ArrayLike, where: Literal["MulticlassBisection"] | str
) -> tuple[NDArray[np.int64], FloatArray]:
    chances = np.asarray(probabilities, dtype=np.float64)
    truth = np.asarray(y_true).ravel()
    if chances.ndim != 2 or len(chances) != truth.size:
        raise LengthMismatchError(
            where=where, lengths={"y_true": truth.size, "probabilities": len(chances)}
        )
    bad = ~np.isfinite(chances).all(axis=1)
    if bad.any():
        raise MissingValueError(
            where=where,
            column="probabilities",
            n_missing=int(bad.sum()),
            n_rows=truth.size,
            first=int(np.argmax(bad)),
        )
    k = chances.shape[1]
    present = set(np.unique(truth).tolist())
    if k < 2 or present != set(range(k)):
        raise InputError(
            where=where,
            found=f"labels {sorted(map(str, present))[:8]} for {k} columns of probabilities",
            needed=f"labels 0 to {k - 1}, each present",
            cure="Number the classes as the columns are, and use cases of every class.",
        )
    return truth.astype(np.int64), chances
