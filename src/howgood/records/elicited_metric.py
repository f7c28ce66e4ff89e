"""Metrics that choices between confusion matrices point to.

In: a few numbers each (a weight, beta, limits, a power, two curves). Out: `LinearMetric` and its
kin, functions of labels as scikit-learn wants them, and of whole arrays of confusion counts.
Absent: learning that number (see `learn`).
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from howgood.errors import InputError
from howgood.records.confusion import ConfusionMatrix
from howgood.records.label_metric import LabelMetric
from howgood.stats.arrays import FloatArray
from howgood.stats.confusion_scores import (
    capped_score,
    f_beta_score,
    limits_score,
    power_cost_score,
)

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
                needed="a weight of true negatives between 0 and 1",
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

    def cost_matrix(self) -> FloatArray:
        """Return costs by [truth, prediction], 0 first: false alarms cost a0, misses 1 - a0."""
        return np.array([[0.0, self.a0], [1.0 - self.a0, 0.0]])

    def of_counts(self, tp: ArrayLike, fn: ArrayLike, fp: ArrayLike, tn: ArrayLike) -> FloatArray:
        """Score arrays of confusion counts (or proportions); arrays broadcast."""
        hits, missed, alarms, cleared = _floats(tp, fn, fp, tn)
        weighted = self.a0 * cleared + (1.0 - self.a0) * hits
        return np.asarray(weighted / (hits + missed + alarms + cleared))

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

    def of_counts(self, tp: ArrayLike, fn: ArrayLike, fp: ArrayLike, tn: ArrayLike) -> FloatArray:
        """Score arrays of confusion counts (or proportions); arrays broadcast."""
        hits, missed, alarms, _ = _floats(tp, fn, fp, tn)
        return f_beta_score(hits, missed, alarms, beta=self.beta)

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

    def of_counts(self, tp: ArrayLike, fn: ArrayLike, fp: ArrayLike, tn: ArrayLike) -> FloatArray:
        """Score arrays of confusion counts (or proportions); arrays broadcast."""
        hits, missed, alarms, cleared = _floats(tp, fn, fp, tn)
        return capped_score(missed, alarms, hits + missed + alarms + cleared, cap=self.cap)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {"family": "cap", "cap": self.cap}


@dataclass(frozen=True, slots=True, kw_only=True)
class AlarmCapMetric(ElicitedMetric):
    """As few misses as possible while false alarms stay within a budget.

    With `alarms` a share of all cases: 1 - FN when FP <= alarms, else -FP (shares of all cases).
    Any system within the budget beats any system beyond it.

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> metric = AlarmCapMetric(alarms=0.05)
    >>> float(metric.of_counts(30, 5, 2, 63)), float(metric.of_counts(33, 2, 10, 55))
    (0.95, -0.1)
    """

    alarms: float = 0.1

    def __post_init__(self) -> None:
        _check_share("AlarmCapMetric", "alarms", self.alarms)

    def of_counts(self, tp: ArrayLike, fn: ArrayLike, fp: ArrayLike, tn: ArrayLike) -> FloatArray:
        """Score arrays of confusion counts (or proportions); arrays broadcast."""
        hits, missed, alarms, cleared = _floats(tp, fn, fp, tn)
        return capped_score(alarms, missed, hits + missed + alarms + cleared, cap=self.alarms)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {"family": "alarm_cap", "alarms": self.alarms}


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitsMetric(ElicitedMetric):
    """Good enough within two limits; beyond them, the less the better.

    With limits as shares of all cases: minus what misses and false alarms exceed their limits by.
    Systems within both limits are equally good.

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> metric = LimitsMetric(misses=0.03, alarms=0.1)
    >>> metric.of_counts([33, 30], [2, 5], [9, 15], [56, 50]).round(9).tolist()
    [0.0, -0.07]
    """

    misses: float = 0.0
    alarms: float = 0.1

    def __post_init__(self) -> None:
        _check_share("LimitsMetric", "misses", self.misses)
        _check_share("LimitsMetric", "alarms", self.alarms)

    def of_counts(self, tp: ArrayLike, fn: ArrayLike, fp: ArrayLike, tn: ArrayLike) -> FloatArray:
        """Score arrays of confusion counts (or proportions); arrays broadcast."""
        hits, missed, alarms, cleared = _floats(tp, fn, fp, tn)
        return limits_score(
            missed, alarms, hits + missed + alarms + cleared, misses=self.misses,
            alarm_limit=self.alarms,
        )  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {"family": "satisfice", "misses": self.misses, "alarms": self.alarms}


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerCostMetric(ElicitedMetric):
    r"""Errors whose cost does not grow in step with their number.

    .. math:: \varphi = -\left((1-a_0)\,FN^p + a_0\,FP^p\right)^{1/p}

    with shares of all cases. Below p = 1 each further error of a kind weighs less than the one
    before (p = 1/2: square-root costs); above, more (p = 2: quadratic costs); p = 1 is linear.

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> round(float(PowerCostMetric(a0=0.5, power=2.0).of_counts(32, 3, 4, 61)), 6)
    -0.035355
    """

    a0: float = 0.5
    power: float = 0.5

    def __post_init__(self) -> None:
        _check_share("PowerCostMetric", "a0", self.a0)
        if not 0.0 < self.power < float("inf"):
            raise InputError(
                where="PowerCostMetric",
                found=f"power = {self.power}",
                needed="a positive number",
                cure="Use 0.5 for square-root costs, 2 for quadratic ones.",
            )

    def of_counts(self, tp: ArrayLike, fn: ArrayLike, fp: ArrayLike, tn: ArrayLike) -> FloatArray:
        """Score arrays of confusion counts (or proportions); arrays broadcast."""
        hits, missed, alarms, cleared = _floats(tp, fn, fp, tn)
        total = hits + missed + alarms + cleared
        return power_cost_score(missed, alarms, total, a0=self.a0, power=self.power)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        family = "concave" if self.power < 1 else "quadratic"
        return {"family": family, "a0": self.a0, "power": self.power}


@dataclass(frozen=True, slots=True, kw_only=True)
class MonotoneMetric(ElicitedMetric):
    """Any costs that rise with misses and with false alarms: two rising curves, added.

    The curves are straight between the given shares of all cases, and flat beyond the last.

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> metric = MonotoneMetric(
    ...     misses=(0.0, 0.1), miss_costs=(0.0, 1.0), alarms=(0.0, 0.5), alarm_costs=(0.0, 0.2)
    ... )
    >>> round(float(metric.of_counts(30, 5, 25, 40)), 6)
    -0.6
    """

    misses: tuple[float, ...]
    miss_costs: tuple[float, ...]
    alarms: tuple[float, ...]
    alarm_costs: tuple[float, ...]

    def __post_init__(self) -> None:
        for shares, costs in (("misses", "miss_costs"), ("alarms", "alarm_costs")):
            for name in (shares, costs):
                object.__setattr__(self, name, tuple(float(entry) for entry in getattr(self, name)))
            at, value = np.array(getattr(self, shares)), np.array(getattr(self, costs))
            rises = at.size > 1 and bool((np.diff(at) > 0).all() and (np.diff(value) >= 0).all())
            if at.size != value.size or not rises:
                raise InputError(
                    where="MonotoneMetric",
                    found=f"{at.size} {shares} and {value.size} costs",
                    needed="at least two rising shares, and as many costs that do not fall",
                    cure="Take them from an elicitation.",
                )

    def of_counts(self, tp: ArrayLike, fn: ArrayLike, fp: ArrayLike, tn: ArrayLike) -> FloatArray:
        """Score arrays of confusion counts (or proportions); arrays broadcast."""
        hits, missed, alarms, cleared = _floats(tp, fn, fp, tn)
        total = hits + missed + alarms + cleared
        misses = np.interp(missed / total, self.misses, self.miss_costs)
        return np.asarray(-misses - np.interp(alarms / total, self.alarms, self.alarm_costs))

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "family": "monotone",
            "misses": list(self.misses),
            "miss_costs": list(self.miss_costs),
            "alarms": list(self.alarms),
            "alarm_costs": list(self.alarm_costs),
        }


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

    def of_rates(self, tp: ArrayLike, tn: ArrayLike) -> FloatArray:
        """Score shares of true positives and true negatives among all cases."""
        recall, cleared = _floats(tp, tn)
        top = self.p11 * recall + self.p00 * cleared
        bottom = self.q11 * recall + self.q00 * cleared + self.q0
        return np.asarray(np.divide(top, bottom, out=np.full_like(top, np.nan), where=bottom != 0))

    def of_counts(self, tp: ArrayLike, fn: ArrayLike, fp: ArrayLike, tn: ArrayLike) -> FloatArray:
        """Score arrays of confusion counts (or proportions); arrays broadcast."""
        hits, missed, alarms, cleared = _floats(tp, fn, fp, tn)
        total = hits + missed + alarms + cleared
        return self.of_rates(hits / total, cleared / total)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "family": "fractional",
            "p11": self.p11,
            "p00": self.p00,
            "q11": self.q11,
            "q00": self.q00,
            "q0": self.q0,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class QuadraticRatesMetric(ElicitedMetric):
    r"""A metric curved in recall R and specificity S.

    .. math:: a_1 R + (1 - a_1) S + \tfrac12 (b_{11} R^2 + 2 b_{12} R S + b_{22} S^2)

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> metric = QuadraticRatesMetric(a1=0.5, b11=0.0, b12=0.5, b22=0.0)  # both at once
    >>> float(metric.of_counts(8, 2, 2, 8)), float(metric.of_counts(10, 0, 4, 6))
    (1.12, 1.1)
    """

    a1: float
    b11: float
    b12: float
    b22: float

    def of_counts(self, tp: ArrayLike, fn: ArrayLike, fp: ArrayLike, tn: ArrayLike) -> FloatArray:
        """Score arrays of confusion counts (or proportions); arrays broadcast."""
        hits, missed, alarms, cleared = _floats(tp, fn, fp, tn)
        recall, clear = hits / (hits + missed), cleared / (cleared + alarms)
        bent = self.b11 * recall**2 + 2 * self.b12 * recall * clear + self.b22 * clear**2
        return np.asarray(self.a1 * recall + (1 - self.a1) * clear + bent / 2)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {"family": "quadratic_rates", "a1": self.a1, "b11": self.b11, "b12": self.b12,
                "b22": self.b22}  # fmt: skip


def _floats(*values: ArrayLike) -> tuple[FloatArray, ...]:
    return tuple(np.broadcast_arrays(*(np.asarray(value, dtype=np.float64) for value in values)))


def _check_share(where: str, name: str, value: float) -> None:
    if not 0.0 <= value <= 1.0:
        raise InputError(
            where=where,
            found=f"{name} = {value}",
            needed="a share between 0 and 1",
            cure="Use 0.03 for 3 of 100 cases.",
        )
