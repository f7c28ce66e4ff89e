"""Linear-fractional metrics, such as F-beta and Jaccard, by two bisections and a grid.

In: the matrix at each threshold, and answers. Out: `FractionalMetric`. Absent: any model of
error. As published (Hiranandani et al. 2019, Algorithms 2 and 3).
"""

import numpy as np

from howgood.errors import InputError
from howgood.learn.elicitation.bisection import Bisection, MatrixAt, Rule, check_choice
from howgood.records.confusion import ConfusionMatrix, ThresholdMatrices
from howgood.records.elicitation import FractionalResult, Query
from howgood.records.elicited_metric import Choice, FractionalMetric
from howgood.records.provenance import Provenance
from howgood.stats.arrays import FloatArray

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
    alike are not told apart: Jaccard comes back as F1.

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
        points = np.array([_point(each) for each in boundary])
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
