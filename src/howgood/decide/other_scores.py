"""Joint scores where feedback is not Gaussian, or where only significant errors count.

In: `DiscreteFeedback` (answer categories, repeated ratings, a beta) or checked arrays, and
predictions. Out: `JointScores`. Absent: Gaussian feedback (see `scores`), ranks and words.
"""

from collections.abc import Callable, Mapping
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from howgood.decide.rating_noise import KNOWN
from howgood.decide.scores import JointScores, against, independent
from howgood.errors import InputError, LengthMismatchError
from howgood.records.progress import Progress
from howgood.records.table import as_numbers
from howgood.score.error_metrics import significant_mae, significant_rmse
from howgood.score.feedback import DiscreteFeedback
from howgood.score.feedback_columns import system_columns, system_names
from howgood.stats.arrays import FloatArray

SIGNIFICANT = {"srmse": significant_rmse, "smae": significant_mae}
# Of so few pairs re-ratings are drawn: a sum of few answers is not Gaussian.
_FEW_PAIRS, _RERATINGS = 50, 65_536
_AT_ONCE = 2_000_000


def feedback_scores(
    feedback: DiscreteFeedback,
    predictions: Mapping[str, ArrayLike],
    *,
    metric: str | Callable[[FloatArray, FloatArray], float],
    greater_is_better: bool,
    draws: int,
    generator: np.random.Generator,
    progress: Progress,
) -> JointScores:
    """Return the joint law of scores on feedback of any law, the same for all systems.

    Means and variances of errors and of all their differences are exact sums over what each pair
    may answer; from 50 pairs on their means are Gaussian, of fewer re-ratings are drawn.
    """
    predicted = _aligned(feedback, predictions)
    if callable(metric):
        scores = _drawn(feedback, predicted, metric, draws, generator, progress)
        return _of_draws(feedback, tuple(predictions), metric, scores, greater_is_better)
    power = 1 if metric == "mae" else 2
    expected, variances, differences, spread = _exact(feedback, predicted, power)
    drawn = None
    if feedback.n < _FEW_PAIRS:
        drawn = _drawn_means(feedback, predicted, power, generator)
    means, sds = expected, np.sqrt(variances)
    barrier = float(np.mean(feedback.absolute_deviation if power == 1 else feedback.sd**2))
    if metric == "rmse":
        means, barrier = np.sqrt(expected), float(np.sqrt(barrier))
        sds = sds / np.where(means > 0, 2 * means, 1.0)
    return JointScores(
        systems=tuple(predictions),
        metric=metric,
        paired=True,
        method=f"paired, {feedback.kind} feedback, exact moments"
        + ("" if drawn is None else "; errors and ranks by shared draws"),
        n=feedback.n,
        means=means,
        sds=sds,
        differences=differences,
        difference_variances=spread,
        difference_scale="mae" if power == 1 else "mse",
        barrier=barrier,
        draws=drawn,
        settings={
            "means": KNOWN,
            "feedback": feedback.kind,
            **({} if drawn is None else {"draws": len(drawn)}),
        },
    )


def _aligned(feedback: DiscreteFeedback, predictions: Mapping[str, ArrayLike]) -> FloatArray:
    """Return predictions (K, n), checked."""
    aligned = []
    for name, given in predictions.items():
        where = f"predictions[{name!r}]"
        values = as_numbers(np.asarray(given), where=where)
        values = np.full(feedback.n, values) if values.ndim == 0 else values
        if len(values) != feedback.n:
            raise LengthMismatchError(
                where="rank", lengths={where: len(values), "feedback": feedback.n}
            )
        if not np.isfinite(values).all():
            raise InputError(
                where=where,
                found=f"{int(np.sum(~np.isfinite(values)))} values missing or not finite",
                needed="a finite prediction for every pair of the feedback",
                cure="Leave these pairs out of the feedback and the predictions.",
            )
        aligned.append(values)
    return np.array(aligned)


def _exact(
    feedback: DiscreteFeedback, predicted: FloatArray, power: int
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return mean errors, their variances, and means and variances of all differences."""
    n, n_systems = feedback.n, len(predicted)
    expected, variances = np.zeros(n_systems), np.zeros(n_systems)
    differences, spread = np.zeros((2, n_systems, n_systems))
    size = max(1, _AT_ONCE // (feedback.values.shape[1] * n_systems))
    for start in range(0, n, size):
        part = slice(start, start + size)
        weights = feedback.probabilities[part]
        away = np.abs(feedback.values[part] - predicted[:, part, None])
        errors = away if power == 1 else away**2
        first = np.sum(errors * weights, axis=2)
        expected += first.sum(axis=1)
        variances += _variance(errors, weights, first)
        for i, j in combinations(range(n_systems), 2):
            apart = errors[i] - errors[j]
            middle = np.sum(apart * weights, axis=1)
            differences[i, j] += middle.sum()
            spread[i, j] += float(_variance(apart[None], weights, middle[None])[0])
    differences, spread = differences - differences.T, spread + spread.T
    return expected / n, variances / n**2, differences / n, spread / float(n) ** 2


def _variance(errors: FloatArray, weights: FloatArray, means: FloatArray) -> FloatArray:
    """Return sums over pairs of the variances of errors (K, n, c)."""
    variance: FloatArray = np.einsum("knc,nc->k", (errors - means[:, :, None]) ** 2, weights)
    return variance


def _drawn_means(
    feedback: DiscreteFeedback, predicted: FloatArray, power: int, generator: np.random.Generator
) -> FloatArray:
    away = np.abs(feedback.draw(generator, _RERATINGS)[:, None, :] - predicted)
    means: FloatArray = (away if power == 1 else away**2).mean(axis=2)
    return means


def _drawn(
    feedback: DiscreteFeedback,
    predicted: FloatArray,
    metric: Callable[[FloatArray, FloatArray], float],
    draws: int,
    generator: np.random.Generator,
    progress: Progress,
) -> FloatArray:
    scores = np.empty((draws, len(predicted)))
    for draw in range(draws):
        answers = feedback.draw(generator, 1)[0]
        scores[draw] = [float(metric(answers, system)) for system in predicted]
        progress((draw + 1) / draws, "re-rating")
    return scores


def _of_draws(
    feedback: DiscreteFeedback,
    systems: tuple[str, ...],
    metric: Any,  # noqa: ANN401 - any function
    scores: FloatArray,
    greater_is_better: bool,
) -> JointScores:
    apart = scores[:, :, None] - scores[:, None, :]
    return JointScores(
        systems=systems,
        metric=getattr(metric, "__name__", type(metric).__name__),
        paired=True,
        method=f"shared draws, {feedback.kind} feedback",
        n=feedback.n,
        means=scores.mean(axis=0),
        sds=scores.std(axis=0, ddof=1),
        differences=apart.mean(axis=0),
        difference_variances=apart.var(axis=0, ddof=1),
        difference_scale="score",
        draws=scores,
        greater_is_better=greater_is_better,
        settings={"draws": len(scores), "means": KNOWN, "feedback": feedback.kind},
    )


def significant_scores(
    arrays: Mapping[str, FloatArray], *, metric: str, paired: bool
) -> JointScores:
    """Return significant scores as the paper compares them: independent Gaussians (Eq. 5)."""
    if paired or "trials" in arrays:
        raise InputError(
            where=f"metric {metric!r}",
            found="trials" if "trials" in arrays else "paired=True",
            needed="paired=False and means that are known: which deviations count is not a "
            "function of one set of ratings that systems could share",
            cure="Say paired=False for the paper's ranking error, or rank by rmse, whose paired "
            "error separates systems better.",
        )
    score = SIGNIFICANT[metric]
    scores = [score(arrays["mean"], arrays["sd"], system) for system in system_columns(arrays)]
    means, sds = np.array([one.mean for one in scores]), np.array([one.sd for one in scores])
    return JointScores(
        systems=system_names(arrays),
        metric=metric,
        paired=False,
        method="independent significant scores (Eq. 5, 18 to 20)",
        n=len(arrays["mean"]),
        means=means,
        sds=sds,
        differences=against(means),
        difference_variances=independent(sds**2),
        difference_scale=metric,
        barrier=scores[0].barrier,
        settings={"means": KNOWN, "significance level": 0.05},
    )
