"""Published searches: the cost of errors by bisection, linear-fractional metrics by two and a grid.

In: the matrix at each threshold, and answers. Out: the cost (Algorithm 1), or `FractionalMetric`,
such as F-beta and Jaccard (Hiranandani et al. 2019, Algorithms 2 and 3), exactly as published.
Absent: any model of error; one wrong answer is never corrected (see `elicitor` for a search that
expects errors).
"""

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

from howgood.errors import InputError
from howgood.records.confusion import ConfusionMatrix, Range, ThresholdMatrices
from howgood.records.elicitation import CHOICES, BisectionResult, FractionalResult, Query
from howgood.records.elicited_metric import Choice, FractionalMetric, LinearMetric
from howgood.records.provenance import Provenance
from howgood.stats.arrays import FloatArray

Rule = Literal["first", "default"]
MatrixAt = Callable[[float], Any]


class Bisection:
    r"""Find the threshold a respondent likes best, and with it their linear metric.

    Each round compares five thresholds a < c < d < e < b of the interval in four questions,
    (c, a), (d, c), (e, d) and (b, e), and keeps half of the interval. The result is
    :math:`a_0 = (a + b)/2` of the last interval.

    Parameters
    ----------
    matrices : ThresholdMatrices or callable
        What each threshold between 0 and 1 leads to.
    tolerance : float
        The interval is halved until it is no longer than this.
    rule : {"first", "default"}
        Which half to keep when answers contradict each other. "first" stops at the first
        decrease. "default" reads a decrease followed by an increase as an increase.
    lazy : bool
        Ask only the questions the decision needs, (d, c) and then perhaps (e, d): half the
        questions and the same interval for consistent answers.
    identical : {"ask", "same"}
        Whether two matrices that look the same are asked about (as published), or taken as
        "same" without asking.

    Notes
    -----
    Stability: stable

    "same" means that neither is strictly preferred. The paper prints the first question as
    (d, a), a misprint for (c, a).

    References
    ----------
    Ali et al. (2022), "Metric Elicitation; Moving from Theory to Practice", Algorithm 1;
    Hiranandani et al. (2019), AISTATS.

    Examples
    --------
    >>> from howgood.learn import ask_oracle
    >>> from howgood.records.elicited_metric import LinearMetric
    >>> def curve(t):  # scores uniform on [0, 1] and calibrated
    ...     return ConfusionMatrix(true_positives=(1 - t * t) / 2, false_negatives=t * t / 2,
    ...         false_positives=(1 - t) ** 2 / 2, true_negatives=t - t * t / 2)
    >>> result = ask_oracle(Bisection(curve), LinearMetric(a0=0.2).prefers)
    >>> result.a0, result.queries
    (0.203125, 20)
    """

    def __init__(
        self,
        matrices: ThresholdMatrices | MatrixAt,
        *,
        tolerance: float = 0.05,
        rule: Rule = "first",
        lazy: bool = False,
        identical: Literal["ask", "same"] = "ask",
    ) -> None:
        _check_settings(matrices, tolerance, rule)
        self._matrices = matrices if isinstance(matrices, ThresholdMatrices) else None
        self._at: MatrixAt = matrices.at if isinstance(matrices, ThresholdMatrices) else matrices
        self._tolerance, self._rule, self._lazy = tolerance, rule, lazy
        self._skip_identical = identical == "same"
        self._answers: list[Choice] = []
        self._restart()

    @property
    def intervals(self) -> list[tuple[float, float]]:
        """Every interval [a, b] so far, the first being (0, 1)."""
        return list(self._intervals)

    @property
    def answers(self) -> tuple[Choice, ...]:
        """Every answer so far, in order."""
        return tuple(self._answers)

    @property
    def state(self) -> tuple[object, ...]:
        """All that the search goes on from: equal states ask alike from here on."""
        return (*self._intervals[-1], *sorted(self._up.items()))

    def query(self) -> Query | None:
        """Return the question at hand, or None when the interval is short enough."""
        if self._is_finished():
            return None
        first, second = self._pair(self._pending()[0])
        return Query(first=first, second=second, number=len(self._answers) + 1)

    def answer(self, choice: Choice) -> None:
        """Take the answer to the question at hand."""
        check_choice(choice, is_open=not self._is_finished())
        self._answers.append(choice)
        self._take(choice)
        self._skip()

    def undo(self) -> None:
        """Take back the last answer, if there is one."""
        kept = self._answers[:-1]
        self._answers = []
        self._restart()
        for choice in kept:
            self.answer(choice)

    def result(self) -> BisectionResult:
        """Return what the answers so far say."""
        lower, upper = self._intervals[-1]
        middle = (lower + upper) / 2
        metric = LinearMetric(a0=middle)
        return BisectionResult(
            metric=metric,
            a0=middle,
            interval=Range(lower, upper),
            queries=len(self._answers),
            optimal_range=self._optimal_range(middle),
            provenance=Provenance(
                method="bisection over thresholds (Algorithm 1)",
                settings={"tolerance": self._tolerance, "rule": self._rule, "lazy": self._lazy},
                rows_used=self._matrices.rows_used if self._matrices else None,
            ),
        )

    def _optimal_range(self, threshold: float) -> Range | None:
        if self._matrices is None:
            return None
        return optimal_range(self._matrices.at(threshold), self._matrices)

    def _restart(self) -> None:
        self._intervals = [(0.0, 1.0)]
        self._up: dict[int, bool] = {}
        self._skip()

    def _is_finished(self) -> bool:
        lower, upper = self._intervals[-1]
        return upper - lower <= self._tolerance

    def _pending(self) -> list[int]:
        """Which of the four comparisons of this round are still to be asked, in order."""
        return [step for step in ((1, 2) if self._lazy else (0, 1, 2, 3)) if step not in self._up]

    def _pair(self, step: int) -> tuple[Any, Any]:
        """Question `step` asks whether the higher of two neighbouring thresholds is liked more."""
        lower, upper = self._intervals[-1]
        points = [lower + (upper - lower) * quarter / 4 for quarter in range(5)]
        return self._at(points[step + 1]), self._at(points[step])

    def _take(self, choice: Choice) -> None:
        self._up[self._pending()[0]] = choice == "first"
        half = self._half()
        if half is not None:
            lower, upper = self._intervals[-1]
            start = lower + half * (upper - lower) / 4
            self._intervals.append((start, start + (upper - lower) / 2))
            self._up = {}

    def _half(self) -> int | None:
        """Where the kept half starts, in quarters; None while answers are missing."""
        if self._lazy:
            return (
                0 if self._up.get(1) is False else {None: None, False: 1, True: 2}[self._up.get(2)]
            )
        if len(self._up) < 4:
            return None
        return shrink([self._up[step] for step in range(4)], rule=self._rule)

    def _skip(self) -> None:
        while self._skip_identical and not self._is_finished():
            first, second = self._pair(self._pending()[0])
            if first != second:
                return
            self._take("same")


def shrink(up: Sequence[bool], *, rule: Rule) -> int:
    """Return where the kept half of the interval starts, in quarters: 0, 1 or 2.

    `up` holds the answers to: is c liked more than a, d than c, e than d, b than e?

    Examples
    --------
    >>> shrink([True, True, False, False], rule="first")
    1
    >>> shrink([True, False, True, False], rule="first")
    0
    >>> shrink([True, False, True, False], rule="default")
    2
    """
    rises = list(up)
    if rule == "default":
        for step in (2, 1, 0):
            rises[step] = rises[step] or rises[step + 1]
    if not rises[0] or not rises[1]:
        return 0
    return 2 if rises[2] else 1


def ask_oracle(search: Any, oracle: Callable[[Any, Any], Choice]) -> Any:  # noqa: ANN401 - any search, any query
    """Let a function answer every question of a search, and return the result.

    Parameters
    ----------
    search : object
        Anything with `query`, `answer` and `result`: `Bisection`, `Elicitor` and their kin.
    oracle : callable
        Gets the two sides and returns "first", "second" or "same".

    Notes
    -----
    Stability: stable

    Examples
    --------
    >>> from howgood import learn, score
    >>> scores = [step / 20 for step in range(20)]
    >>> matrices = learn.threshold_matrices([0, 0, 1, 1] * 5, scores)
    >>> ask_oracle(learn.Bisection(matrices), score.LinearMetric(a0=0.3).prefers).queries
    20
    """
    while (query := search.query()) is not None:
        search.answer(oracle(query.first, query.second))
    return search.result()


def optimal_range(matrix: ConfusionMatrix, matrices: Sequence[ConfusionMatrix]) -> Range | None:
    """Return every a0 for which `matrix` scores highest of all, None if there is none.

    Against each other matrix with more found and fewer cleared, a0 must be at least dTP/(dTP+dTN);
    against each with fewer found and more cleared, at most.

    Notes
    -----
    Stability: stable

    Examples
    --------
    >>> cells = ("true_positives", "false_negatives", "false_positives", "true_negatives")
    >>> rows = [(35, 0, 65, 0), (32, 3, 7, 58), (0, 35, 0, 65)]
    >>> matrices = [ConfusionMatrix(**dict(zip(cells, row))) for row in rows]
    >>> [round(end, 4) for end in optimal_range(matrices[1], matrices)]
    [0.0492, 0.8205]
    """
    lower, upper = 0.0, 1.0
    for other in matrices:
        more_found = other.true_positives - matrix.true_positives
        more_cleared = other.true_negatives - matrix.true_negatives
        if other.dominates(matrix):
            return None
        if more_found > 0 > more_cleared:
            lower = max(lower, more_found / (more_found - more_cleared))
        if more_cleared > 0 > more_found:
            upper = min(upper, -more_found / (more_cleared - more_found))
    return Range(lower, upper) if lower <= upper else None


def check_choice(choice: str, *, is_open: bool) -> None:
    """Refuse answers that are none of the three, and answers to no question."""
    if choice not in CHOICES:
        raise InputError(
            where="answer",
            found=repr(choice),
            needed=f"one of {', '.join(CHOICES)}",
            cure="Pass the side that is preferred, or 'same'.",
        )
    if not is_open:
        raise InputError(
            where="answer",
            found="an answer although every question is answered",
            needed="an open question",
            cure="Call result(), or undo() to take the last answer back.",
        )


def _check_settings(matrices: object, tolerance: float, rule: str) -> None:
    if not isinstance(matrices, ThresholdMatrices) and not callable(matrices):
        raise InputError(
            where="Bisection",
            found=f"a {type(matrices).__name__}",
            needed="threshold_matrices(...), or a function from threshold to ConfusionMatrix",
            cure="A table of matrices without thresholds can be used with Elicitor.",
        )
    if not 0 < tolerance < 1:
        raise InputError(
            where="Bisection",
            found=f"tolerance = {tolerance}",
            needed="a number between 0 and 1",
            cure="The paper uses 0.05.",
        )
    if rule not in ("first", "default"):
        raise InputError(
            where="Bisection", found=f"rule = {rule!r}", needed="'first' or 'default'",
            cure="'first' is the published rule of the first decrease.",
        )  # fmt: skip


_MIRRORED: dict[Choice, Choice] = {"first": "second", "second": "first", "same": "same"}
_BOUNDARY_POINTS = 60


class FractionalElicitor:
    r"""Learn a ratio of linear metrics, up to a monotone transformation.

    .. math:: \varphi = \frac{p_{11} TP + p_{00} TN}{q_{11} TP + q_{00} TN + q_0}

    One bisection finds the best threshold of :math:`1[\eta \ge t]`, a second the worst of
    :math:`1[\eta \le t]`; each fixes the metric up to :math:`p_{11}`, and the value at which
    both agree is found on a grid without questions. 40 questions at tolerance 0.05.

    Parameters
    ----------
    matrices : ThresholdMatrices or callable
        What flagging scores of at least t leads to.
    tolerance, rule, lazy
        As in `Bisection`.
    grid : float
        Step of the grid over p11.

    Notes
    -----
    Stability: experimental

    Assumes answers without error, and metrics with p11, p00 >= 0. Metrics that rank all systems
    alike are not distinguished: Jaccard comes back as F1.

    References
    ----------
    Hiranandani, Boodaghians, Mehta, Koyejo (2019), AISTATS, Algorithms 2 and 3.

    Examples
    --------
    >>> from howgood import learn, score
    >>> def curve(t):  # scores uniform on [0, 1] and calibrated
    ...     return ConfusionMatrix(true_positives=(1 - t * t) / 2, false_negatives=t * t / 2,
    ...         false_positives=(1 - t) ** 2 / 2, true_negatives=t - t * t / 2)
    >>> search = FractionalElicitor(curve, tolerance=1e-4)
    >>> result = learn.ask_oracle(search, score.FBetaMetric(beta=2.0).prefers)
    >>> round(result.metric.p11, 2), round(result.metric.q11, 2)  # F2: 1 and 1/5
    (1.0, 0.2)
    """

    def __init__(
        self,
        matrices: ThresholdMatrices | MatrixAt,
        *,
        tolerance: float = 0.05,
        rule: Rule = "first",
        lazy: bool = False,
        grid: float = 0.01,
    ) -> None:
        if not 0 < grid <= 0.5:
            raise InputError(
                where="FractionalElicitor",
                found=f"grid = {grid}",
                needed="a step between 0 and 0.5",
                cure="Use 0.01.",
            )
        self._upper: MatrixAt = matrices.at if isinstance(matrices, ThresholdMatrices) else matrices
        # On a staircase of scores "at most t" and "above t" differ; on a curve they touch.
        self._has_steps = isinstance(matrices, ThresholdMatrices)
        self._grid = grid
        self._settings = {"tolerance": tolerance, "rule": rule, "lazy": lazy, "grid": grid}
        self._best = Bisection(matrices, tolerance=tolerance, rule=rule, lazy=lazy)
        self._worst = Bisection(self._lower, tolerance=tolerance, rule=rule, lazy=lazy)

    def query(self) -> Query | None:
        """Return the question at hand, or None when both bisections are done."""
        query = self._best.query() or self._worst.query()
        if query is None:
            return None
        return Query(first=query.first, second=query.second, number=self._n_answered() + 1)

    def answer(self, choice: Choice) -> None:
        """Take the answer to the question at hand."""
        check_choice(choice, is_open=self.query() is not None)
        if self._best.query() is not None:
            self._best.answer(choice)
        else:
            # The second search looks for the least liked system: preferences are mirrored.
            self._worst.answer(_MIRRORED[choice])

    def undo(self) -> None:
        """Take back the last answer, if there is one."""
        (self._worst if self._worst.answers else self._best).undo()

    def result(self) -> FractionalResult:
        """Return what the answers so far say."""
        best, worst = self._best.result(), self._worst.result()
        boundary = [self._upper(t) for t in np.linspace(0.02, 0.98, _BOUNDARY_POINTS)]
        boundary += [self._lower(t) for t in np.linspace(0.02, 0.98, _BOUNDARY_POINTS)]
        points = np.array([_point(entry) for entry in boundary])
        positive_rate = boundary[0].positives / boundary[0].total
        tangents = [
            (best.a0, _point(self._upper(best.a0))),
            (worst.a0, _point(self._lower(worst.a0))),
        ]
        steps = np.linspace(0.0, 1.0, round(1 / self._grid) + 1)
        pairs = [
            tuple(_candidate(p11, *tangent, positive_rate) for tangent in tangents)
            for p11 in steps.tolist()
        ]
        spreads = [_disagreement(first, second, points) for first, second in pairs]
        chosen = int(np.nanargmin(spreads))
        return FractionalResult(
            metric=pairs[chosen][0],
            best_threshold=best.a0,
            worst_threshold=worst.a0,
            disagreement=spreads[chosen],
            queries=self._n_answered(),
            provenance=Provenance(
                method="two bisections and a grid (linear-fractional)", settings=self._settings
            ),
        )

    def _lower(self, threshold: float) -> ConfusionMatrix:
        """Flag scores of at most t: everything that scores above t is cleared."""
        above = self._upper(float(np.nextafter(threshold, 2.0)) if self._has_steps else threshold)
        return ConfusionMatrix(
            true_positives=above.false_negatives,
            false_negatives=above.true_positives,
            false_positives=above.true_negatives,
            true_negatives=above.false_positives,
        )

    def _n_answered(self) -> int:
        return len(self._best.answers) + len(self._worst.answers)


def _point(matrix: ConfusionMatrix) -> tuple[float, float]:
    return matrix.true_positives / matrix.total, matrix.true_negatives / matrix.total


def _candidate(
    p11: float, threshold: float, point: tuple[float, float], positive_rate: float
) -> FractionalMetric:
    """Return the metric with this p11 whose best (or worst) point and slope are the given ones.

    The slope is normalised to weights that sum to 1; other normalisations give other, wrong
    coefficients.
    """
    m11, m00 = 1 - threshold, threshold
    level = m11 * point[0] + m00 * point[1]
    at_perfect = p11 * positive_rate + (1 - p11) * (1 - positive_rate)
    slope = m11 * positive_rate + m00 * (1 - positive_rate)
    tau = (at_perfect + level - slope) / at_perfect
    return FractionalMetric(
        p11=p11,
        p00=1 - p11,
        q11=float((p11 - m11) / tau),
        q00=float((1 - p11 - m00) / tau),
        q0=float(level / tau),
    )


def _disagreement(first: FractionalMetric, second: FractionalMetric, points: FloatArray) -> float:
    """Spread of the ratio of two candidates over the boundary; 0 when they are proportional."""
    one, two = first.of_rates(*points.T), second.of_rates(*points.T)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = one / two
    ratio = ratio[np.isfinite(ratio)]
    return float(ratio.std()) if ratio.size > 2 else float("nan")
