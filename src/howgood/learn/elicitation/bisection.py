"""Algorithm 1: the cost of errors by bisection over thresholds, exactly as published.

In: the matrix at each threshold, and answers. Out: `BisectionResult`. Absent: any model of
error; one wrong answer is never corrected (see `elicitor` for a search that expects errors).
"""

from collections.abc import Callable, Sequence
from typing import Any, Literal

from howgood.errors import InputError
from howgood.records.confusion import ConfusionMatrix, Range, ThresholdMatrices
from howgood.records.elicitation import CHOICES, BisectionResult, Query
from howgood.records.elicited_metric import Choice, LinearMetric
from howgood.records.provenance import Provenance

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
    >>> scores = [each / 20 for each in range(20)]
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
