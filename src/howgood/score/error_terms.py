"""Feedback and predictions made ready for an error metric.

In: the arguments of `rmse`, `mse` or `mae`. Out: `GaussianTerms` or `DiscreteTerms`, which know the
exact law of the mean squared or absolute error, its floor, and how to draw feedback. Absent:
roots, Gaussian propagation, provenance (see `error_score`).
"""

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from howgood.errors import InputError
from howgood.score.feedback import DiscreteFeedback
from howgood.score.pairs import MissingPolicy, Pairs, checked_columns, checked_pairs
from howgood.stats.arrays import FloatArray
from howgood.stats.discrete_sum import DiscreteLaw, discrete_mean
from howgood.stats.folded_normal import FoldedMean
from howgood.stats.inversion import InvertedLaw
from howgood.stats.weighted_chi_square import WeightedChiSquare

ErrorMetric = Literal["rmse", "mse", "mae"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianTerms:
    """Pairs with Gaussian feedback."""

    metric: ErrorMetric
    pairs: Pairs
    kind: str = "gaussian"

    @property
    def n(self) -> int:
        """Number of pairs."""
        return self.pairs.n

    @property
    def dropped(self) -> dict[str, int]:
        """Rows left out, by reason."""
        return self.pairs.dropped

    @property
    def prediction(self) -> FloatArray:
        """The system's predictions."""
        return self.pairs.prediction

    def floor(self) -> float:
        """Return the expected mean squared or absolute error of the best possible prediction."""
        if self.metric == "mae":
            return float(np.mean(self.pairs.sd)) * float(np.sqrt(2.0 / np.pi))
        return float(np.mean(self.pairs.sd**2))

    def law(self) -> InvertedLaw:
        """Return the exact law of the mean squared or absolute error."""
        if self.metric == "mae":
            return FoldedMean(self.pairs.deviation, self.pairs.spread)
        return WeightedChiSquare.from_terms(self.pairs.mean, self.pairs.sd, self.pairs.prediction)

    def draw(self, generator: np.random.Generator, size: int) -> FloatArray:
        """Return feedback of shape (size, n)."""
        noise = generator.standard_normal((size, self.n))
        return np.asarray(self.pairs.mean + self.pairs.sd * noise)


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscreteTerms:
    """Pairs with answer categories or repeated ratings."""

    metric: ErrorMetric
    feedback: DiscreteFeedback
    prediction: FloatArray = field(repr=False)
    dropped: dict[str, int]

    @property
    def kind(self) -> str:
        """Name of the feedback model."""
        return self.feedback.kind

    @property
    def n(self) -> int:
        """Number of pairs."""
        return self.feedback.n

    def floor(self) -> float:
        """Return the expected mean squared or absolute error of the best possible prediction."""
        if self.metric == "mae":
            return float(np.mean(self.feedback.absolute_deviation))
        return float(np.mean(self.feedback.sd**2))

    def law(self) -> InvertedLaw | DiscreteLaw:
        """Return the exact law of the mean squared or absolute error."""
        distance = self.feedback.values - self.prediction[:, None]
        errors = np.abs(distance) if self.metric == "mae" else distance**2
        return discrete_mean(errors, self.feedback.probabilities)

    def draw(self, generator: np.random.Generator, size: int) -> FloatArray:
        """Return feedback of shape (size, n)."""
        return self.feedback.draw(generator, size)


Terms = GaussianTerms | DiscreteTerms


def checked_terms(
    metric: ErrorMetric,
    mean: ArrayLike | None,
    sd: ArrayLike | None,
    prediction: ArrayLike | None,
    feedback: DiscreteFeedback | None,
    missing: MissingPolicy,
) -> Terms:
    """Return checked terms, or say which argument is wrong."""
    if mean is not None and sd is not None and prediction is not None and feedback is None:
        pairs = checked_pairs(mean, sd, prediction, where=metric, missing=missing)
        return GaussianTerms(metric=metric, pairs=pairs)
    if mean is None and sd is None and prediction is not None and feedback is not None:
        return _discrete(metric, prediction, feedback, missing)
    raise InputError(
        where=metric,
        found="mean, sd, prediction and feedback do not fit together",
        needed="mean, sd and prediction, or feedback and prediction",
        cure=f"For example: {metric}(mean, sd, prediction) or "
        f"{metric}(prediction=..., feedback=...).",
    )


def _discrete(
    metric: ErrorMetric, prediction: ArrayLike, feedback: DiscreteFeedback, missing: MissingPolicy
) -> DiscreteTerms:
    if not isinstance(feedback, DiscreteFeedback):
        raise InputError(
            where=metric,
            found=f"feedback of type {type(feedback).__name__}",
            needed="DiscreteFeedback",
            cure="Make it with categorical_feedback or empirical_feedback.",
        )
    rows = np.arange(feedback.n, dtype=np.float64)
    columns, n, dropped = checked_columns(
        {"feedback": rows, "prediction": prediction}, where=metric, missing=missing
    )
    kept = columns["feedback"].astype(np.intp)
    return DiscreteTerms(
        metric=metric,
        feedback=feedback if kept.size == feedback.n else feedback.rows(kept),
        prediction=np.broadcast_to(columns["prediction"], (n,)),
        dropped=dropped,
    )
