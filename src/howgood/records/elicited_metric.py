"""Metrics that choices between confusion matrices point to.

In: one number each (a weight, beta, a cap), or the five of a ratio. Out: `LinearMetric`,
`FBetaMetric`, `CappedMetric`, `FractionalMetric`, functions of labels as scikit-learn wants them,
and of whole arrays of confusion counts.
Absent: learning that number (see `learn`).
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from howgood.errors import InputError
from howgood.records.confusion import ConfusionMatrix
from howgood.records.label_metric import LabelMetric
from howgood.stats.confusion_scores import capped_score, f_beta_score

Choice = Literal["first", "second", "same"]


class ElicitedMetric(LabelMetric):
    """What every elicited metric can do; greater is better."""

    __slots__ = ()

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""

    def of(self, matrix: ConfusionMatrix) -> float:
        """Score one confusion matrix."""
        return float(
            self.of_counts(
                matrix.true_positives,
                matrix.false_negatives,
                matrix.false_positives,
                matrix.true_negatives,
            )
        )

    def prefers(self, first: ConfusionMatrix, second: ConfusionMatrix) -> Choice:
        """Say which of two matrices scores higher, "same" when they score alike."""
        gap = self.of(first) - self.of(second)
        # Scores are of order one: smaller gaps are rounding, not preference.
        return "same" if abs(gap) < 1e-12 else "first" if gap > 0 else "second"


@dataclass(frozen=True, slots=True, kw_only=True)
class LinearMetric(ElicitedMetric):
    r"""A weighted sum of the shares of true negatives and true positives, greater is better.

    .. math:: \varphi = a_0\,TN + (1 - a_0)\,TP

    with TN and TP as shares of all cases. One missed positive weighs :math:`(1-a_0)/a_0` times as
    much as one false alarm, and with calibrated probabilities the threshold that maximises it is
    :math:`a_0` itself.

    Notes
    -----
    Stability: stable

    References
    ----------
    Hiranandani, Boodaghians, Mehta, Koyejo (2019), "Performance Metric Elicitation from Pairwise
    Classifier Comparisons", AISTATS.

    Examples
    --------
    >>> metric = LinearMetric(a0=0.125)
    >>> metric([1, 1, 0, 0], [1, 0, 0, 0]), metric.ratio
    (0.28125, 7.0)
    """

    a0: float = 0.5

    def __post_init__(self) -> None:
        if not 0.0 <= self.a0 <= 1.0:
            raise InputError(
                where="LinearMetric",
                found=f"a0 = {self.a0}",
                needed="a0, the weight of true negatives, must lie between 0 and 1",
                cure="Use 1 / (1 + r) when one miss is as bad as r false alarms.",
            )

    @property
    def ratio(self) -> float:
        """How many false alarms one missed positive is worth (infinite for a0 = 0)."""
        return (1.0 - self.a0) / self.a0 if self.a0 > 0 else float("inf")

    @property
    def threshold(self) -> float:
        """The probability at which to flag, when probabilities are calibrated."""
        return self.a0

    def cost_matrix(self) -> NDArray[np.float64]:
        """Return costs by [truth, prediction], 0 first: false alarms cost a0, misses 1 - a0."""
        return np.array([[0.0, self.a0], [1.0 - self.a0, 0.0]])

    def of_counts(
        self, tp: ArrayLike, fn: ArrayLike, fp: ArrayLike, tn: ArrayLike
    ) -> NDArray[np.float64]:
        """Score arrays of confusion counts (or proportions); arrays broadcast."""
        found, missed, alarms, cleared = _floats(tp, fn, fp, tn)
        weighted = self.a0 * cleared + (1.0 - self.a0) * found
        return np.asarray(weighted / (found + missed + alarms + cleared))

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {"family": "linear", "a0": self.a0}


@dataclass(frozen=True, slots=True, kw_only=True)
class FBetaMetric(ElicitedMetric):
    r"""The F-measure with recall weighing beta times as much as precision.

    .. math:: F_\beta = \frac{(1+\beta^2) TP}{(1+\beta^2) TP + \beta^2 FN + FP}

    Notes
    -----
    Stability: stable

    Examples
    --------
    >>> round(FBetaMetric(beta=1.0)([1, 1, 0, 0], [1, 0, 0, 0]), 4)
    0.6667
    """

    beta: float = 1.0

    def __post_init__(self) -> None:
        if not 0.0 < self.beta < float("inf"):
            raise InputError(
                where="FBetaMetric",
                found=f"beta = {self.beta}",
                needed="a positive number",
                cure="Use 1 to weigh precision and recall equally.",
            )

    def of_counts(
        self, tp: ArrayLike, fn: ArrayLike, fp: ArrayLike, tn: ArrayLike
    ) -> NDArray[np.float64]:
        """Score arrays of confusion counts (or proportions); arrays broadcast."""
        found, missed, alarms, _ = _floats(tp, fn, fp, tn)
        return f_beta_score(found, missed, alarms, beta=self.beta)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {"family": "f_beta", "beta": self.beta}


@dataclass(frozen=True, slots=True, kw_only=True)
class CappedMetric(ElicitedMetric):
    """As few false alarms as possible while misses stay within a cap.

    With `cap` a share of all cases: 1 - FP when FN <= cap, else -FN (shares of all cases). Any
    system within the cap beats any system beyond it.

    Notes
    -----
    Stability: stable

    Examples
    --------
    >>> metric = CappedMetric(cap=0.03)
    >>> float(metric.of_counts(33, 2, 10, 55)), float(metric.of_counts(30, 5, 2, 63))
    (0.9, -0.05)
    """

    cap: float = 0.0

    def __post_init__(self) -> None:
        if not 0.0 <= self.cap <= 1.0:
            raise InputError(
                where="CappedMetric",
                found=f"cap = {self.cap}",
                needed="a share of all cases between 0 and 1",
                cure="Use 0.03 when at most 3 of 100 cases may be missed.",
            )

    def of_counts(
        self, tp: ArrayLike, fn: ArrayLike, fp: ArrayLike, tn: ArrayLike
    ) -> NDArray[np.float64]:
        """Score arrays of confusion counts (or proportions); arrays broadcast."""
        found, missed, alarms, cleared = _floats(tp, fn, fp, tn)
        return capped_score(missed, alarms, found + missed + alarms + cleared, cap=self.cap)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {"family": "cap", "cap": self.cap}


@dataclass(frozen=True, slots=True, kw_only=True)
class FractionalMetric(ElicitedMetric):
    r"""A ratio of linear metrics of the shares of true positives and true negatives.

    .. math:: \varphi = \frac{p_{11} TP + p_{00} TN}{q_{11} TP + q_{00} TN + q_0}

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> f1 = FractionalMetric(p11=1.0, p00=0.0, q11=0.5, q00=-0.5, q0=0.5)  # half are positive
    >>> round(float(f1.of_counts(1, 1, 0, 2)), 4)
    0.6667
    """

    p11: float
    p00: float
    q11: float
    q00: float
    q0: float

    def of_rates(self, tp: ArrayLike, tn: ArrayLike) -> NDArray[np.float64]:
        """Score shares of true positives and true negatives among all cases."""
        found, cleared = _floats(tp, tn)
        top = self.p11 * found + self.p00 * cleared
        bottom = self.q11 * found + self.q00 * cleared + self.q0
        return np.asarray(np.divide(top, bottom, out=np.full_like(top, np.nan), where=bottom != 0))

    def of_counts(
        self, tp: ArrayLike, fn: ArrayLike, fp: ArrayLike, tn: ArrayLike
    ) -> NDArray[np.float64]:
        """Score arrays of confusion counts (or proportions); arrays broadcast."""
        found, missed, alarms, cleared = _floats(tp, fn, fp, tn)
        total = found + missed + alarms + cleared
        return self.of_rates(found / total, cleared / total)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "family": "linear-fractional",
            "p11": self.p11,
            "p00": self.p00,
            "q11": self.q11,
            "q00": self.q00,
            "q0": self.q0,
        }


def _floats(*values: ArrayLike) -> tuple[NDArray[np.float64], ...]:
    return tuple(np.broadcast_arrays(*(np.asarray(value, dtype=np.float64) for value in values)))
