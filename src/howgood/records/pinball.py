"""Costs of predictions that are too low or too high: the metric, and what an interview says.

In: a quantile, predictions. Out: `PinballMetric`, `QuantileResult`. Absent: asking.
"""

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from howgood.errors import InputError, LengthMismatchError, MissingExtraError
from howgood.records.elicitation import (
    Agreement,
    AttentionChecks,
    Evidence,
    evidence_of,
    why_nothing,
)
from howgood.records.estimate import Estimate, Interval
from howgood.records.probability import check_probability
from howgood.records.provenance import Provenance
from howgood.records.saved import Saved
from howgood.records.shown import Shown
from howgood.stats.arrays import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class PinballMetric(Saved):
    r"""What errors cost where too low and too high differ, smaller is better.

    .. math:: \frac1n \sum_i \tau (y_i - \hat y_i)^+ + (1-\tau)(\hat y_i - y_i)^+

    It is least on average where the prediction is the quantile :math:`\tau` of what may come.

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> PinballMetric(quantile=0.8)([10, 10], [8, 13])  # (.8 * 2 + .2 * 3) / 2
    1.1
    """

    is_plain: ClassVar[bool] = True

    quantile: float

    def __post_init__(self) -> None:
        check_probability(self.quantile, name="quantile", where="PinballMetric")

    def __call__(
        self, y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None
    ) -> float:
        """Return the mean cost."""
        truth = np.asarray(y_true, dtype=np.float64).ravel()
        predicted = np.asarray(y_pred, dtype=np.float64).ravel()
        if truth.size != predicted.size:
            raise LengthMismatchError(
                where="PinballMetric", lengths={"y_true": truth.size, "y_pred": predicted.size}
            )
        low, high = np.maximum(truth - predicted, 0.0), np.maximum(predicted - truth, 0.0)
        costs = self.quantile * low + (1 - self.quantile) * high
        weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        return float(np.average(costs, weights=weights))

    def scorer(self, **options: Any) -> Any:  # noqa: ANN401 - scikit-learn's own type
        """Return a scikit-learn scorer (minus the cost); options go to `make_scorer`."""
        try:
            from sklearn.metrics import make_scorer
        except ImportError as error:
            raise MissingExtraError(task="a scikit-learn scorer", extra="sklearn") from error
        return make_scorer(self, **({"greater_is_better": False} | options))

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {"quantile": self.quantile}


@dataclass(frozen=True, slots=True, kw_only=True)
class QuantileResult(Shown):
    """What choices say about predictions that are too low or too high.

    `quantile` is the one to predict, `ratio` how many units too high are as bad as one too low;
    both hold if costs grow evenly with the error. `residuals` are those of the predictions asked
    about, so that `shift` can say how much to add to them.

    With fewer than 3 answers that prefer a side there is not enough `evidence`, and with any
    `misfit` no ratio describes this person; where `is_informative` is false, the answers are
    foretold hardly better than by a coin. Then `metric` is None.

    Notes
    -----
    Stability: experimental
    """

    quantile: Estimate
    ratio: Estimate
    metric: PinballMetric | None
    unit: str
    residuals: FloatArray = field(compare=False, repr=False)
    queries: int
    choices: int
    preferences: int
    stopped: str
    checks: AttentionChecks
    agreement: Agreement | None
    provenance: Provenance
    misfit: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()
    is_informative: bool = True

    @property
    def evidence(self) -> Evidence:
        """Whether the answers say enough for a ratio: "enough", "little" or "none"."""
        return evidence_of(self.preferences, is_informative=self.is_informative)

    @property
    def fits(self) -> bool:
        """Whether a ratio of costs describes this person, as far as the tests can tell."""
        return not self.misfit

    @property
    def interval(self) -> Interval:
        """The 90 % interval of the quantile."""
        return self.quantile.interval

    @property
    def shift(self) -> Estimate:
        """How much to add to the predictions: this quantile of their residuals.

        With the uncertainty of the person and of the cases (Bayesian bootstrap).
        """
        self._described()
        generator = np.random.default_rng(0)
        ordered = np.sort(self.residuals)
        weights = generator.dirichlet(np.ones(ordered.size), size=self.quantile.draws.size)
        reached = weights.cumsum(axis=1) >= self.quantile.draws[:, None]
        return Estimate.from_draws(
            ordered[np.argmax(reached, axis=1)], probability=0.9, kind="quantile"
        )

    def scorer(self, **options: Any) -> Any:  # noqa: ANN401 - scikit-learn's own type
        """Return a scikit-learn scorer of the pinball loss; options go to `make_scorer`."""
        return self._described().scorer(**options)

    def _described(self) -> PinballMetric:
        if self.metric is None:
            raise InputError(
                where="elicited quantile",
                found=why_nothing(self.misfit, self.preferences),
                needed="a ratio of costs that describes the person",
                cure=" ".join(self.advice) or "Ask more questions.",
            )
        return self.metric

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "evidence": self.evidence,
            "is_informative": self.is_informative,
            "fits": self.fits,
            "misfit": list(self.misfit),
            "advice": list(self.advice),
            "quantile": self.quantile.to_dict(),
            "ratio": self.ratio.to_dict(),
            "metric": self.metric and self.metric.to_dict(),
            "shift": self.shift.to_dict() if self.metric else None,
            "unit": self.unit,
            "queries": self.queries,
            "choices": self.choices,
            "preferences": self.preferences,
            "stopped": self.stopped,
            "checks": self.checks.to_dict(),
            "agreement": self.agreement and self.agreement.to_dict(),
            "provenance": self.provenance.to_dict(),
        }
