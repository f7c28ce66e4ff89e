"""The joint distribution of several systems' scores on the same feedback, in a few numbers.

In: sums of squared errors, or checked arrays by role. Out: `JointScores`: expected scores, and
mean and variance of every pairwise difference. Absent: ranks and words (see `decide.rank`).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from howgood.decide.rating_noise import (
    KNOWN,
    ONE_RATING,
    REPEATED,
    SOME_ONCE,
    inside_sd,
    means_of,
    unbiased_sd,
)
from howgood.errors import InputError
from howgood.records.progress import Progress
from howgood.records.ranking import Doubt
from howgood.records.sums import SquaredErrorSums
from howgood.score.feedback_columns import system_columns, system_names, too_large
from howgood.stats.arrays import FloatArray
from howgood.stats.two_way_clusters import same_tail_variances

# Squares of greater numbers, summed up, are more than a number holds.
_LARGEST = 1e100


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JointScores:
    """Expected scores of K systems and everything about their differences.

    `draws` (n_draws, K) replaces the Gaussian where a metric has no closed form; `freedom` are
    the degrees of freedom behind the variances, where these came from few trials. `tails` (K, K)
    replaces the Gaussian's P(i scores worse than j) where the exact one is known to `tail_error`,
    as it is of known means.
    """

    systems: tuple[str, ...]
    metric: str
    paired: bool
    method: str
    n: int
    means: FloatArray
    sds: FloatArray
    differences: FloatArray
    difference_variances: FloatArray
    difference_scale: str
    mean_variances: FloatArray | None = None
    freedom: float = float("inf")
    draws: FloatArray | None = None
    greater_is_better: bool = False
    barrier: float = float("nan")
    doubt: Doubt = "re-rating"
    settings: Mapping[str, Any] = field(default_factory=dict)
    tails: FloatArray | None = None
    tail_error: float = 0.0

    def next_variances(self) -> FloatArray:
        """How far the next difference may lie from the expected one; Student's with `freedom`."""
        if self.mean_variances is None:
            return self.difference_variances
        return self.difference_variances + self.mean_variances

    def flip_variances(self) -> FloatArray:
        """How far it may lie as Gaussians, each with the tail of Student's t."""
        variances = self.next_variances()
        return variances if self.mean_variances is None else self._same_tails(variances)

    def true_variances(self) -> FloatArray | None:
        """How far the true difference may lie from the expected one, as Gaussians."""
        return None if self.mean_variances is None else self._same_tails(self.mean_variances)

    def _same_tails(self, variances: FloatArray) -> FloatArray:
        """Widen what rests on variances of few ratings to the tails of Student's t."""
        if not np.isfinite(self.freedom):
            return variances
        return same_tail_variances(self.differences, variances, np.array(self.freedom))


def squared_scores(sums: SquaredErrorSums, *, metric: str, paired: bool) -> JointScores:
    """Return scores and differences of MSE or RMSE: exactly Gaussian when paired."""
    expected = (sums.variance_powers[0] + sums.deviation_powers[:, 0]) / sums.n
    second = sums.variance_powers[1] + 2 * sums.deviation_powers[:, 1]
    if sums.trials is not None:
        # Deviations that look smaller than the noise of single ratings are none at most.
        second = np.maximum(sums.trials.second_power, sums.trials.single_square)
    # The expected score is the mean of n scores like the next one: its variance is 1 / n of that.
    variances = 2 * second / float(sums.n) ** 2 * (1 + sums.doubt)
    means, sds = expected, np.sqrt(variances)
    if metric == "rmse":
        means = np.sqrt(expected)
        sds = np.sqrt(variances / np.where(expected > 0, 4 * expected, 1.0))
    mean_variances = None
    if sums.trials is not None:
        mean_variances = 4 * sums.trials.mean_noise / float(sums.n) ** 2
    differences, spread = against(sums.gaps / sums.n), 4 * sums.noise / float(sums.n) ** 2
    if mean_variances is not None:
        spread = spread + mean_variances  # ddof 0 to ddof 1
    if not paired:
        differences, spread, mean_variances = against(means), independent(sds**2), None
    return JointScores(
        systems=sums.systems,
        metric=metric,
        paired=paired,
        method="paired, exact Gaussian" if paired else "independent scores (Eq. 5)",
        n=sums.n,
        means=means,
        sds=sds,
        differences=differences,
        difference_variances=spread,
        difference_scale="mse" if paired else metric,
        mean_variances=mean_variances,
        freedom=sums.freedom,
        barrier=sums.barrier if metric == "rmse" else sums.barrier**2,
        settings={"means": _means(sums)},
    )


def _means(sums: SquaredErrorSums) -> str:
    """Say what the means are; pairs rated once have no variance around them."""
    if sums.trials is None:
        return KNOWN
    if sums.trials.single_variance <= 0:
        return REPEATED
    repeated = sums.trials.variance - sums.trials.single_variance
    return SOME_ONCE if repeated > 1e-9 * sums.trials.variance else ONE_RATING


def refuse_huge(values: FloatArray, *, where: str, what: str) -> None:
    """Refuse numbers whose squares, summed up, no number holds."""
    largest = _largest(values)
    if largest > _LARGEST:
        raise InputError(
            where=where,
            found=f"a {what} of {largest:g} or its negative",
            needed=f"{what}s between -{_LARGEST:g} and {_LARGEST:g}",
            cure=f"Check the column: is it really the {what}?",
        )


def refuse_overflow(arrays: Mapping[str, FloatArray]) -> None:
    """Refuse feedback and predictions that are too large, as sums of them do."""
    for role, values in arrays.items():
        if _largest(values) > _LARGEST:
            raise too_large(role)


def _largest(values: FloatArray) -> float:
    return float(np.abs(values).max(initial=0.0))


def simulated_scores(
    metric: Callable[[FloatArray, FloatArray], float],
    arrays: Mapping[str, FloatArray],
    *,
    draws: int,
    greater_is_better: bool,
    generator: np.random.Generator,
    progress: Progress,
) -> JointScores:
    """Return scores of any metric on simulated re-ratings; each one is shared by all systems."""
    if draws < 2:
        raise InputError(
            where="draws",
            found=str(draws),
            needed="at least 2 re-ratings",
            cure="Use 1000 or more.",
        )
    scores = _simulated(metric, arrays, draws=draws, generator=generator, progress=progress)
    apart = scores[:, :, None] - scores[:, None, :]
    return JointScores(
        systems=system_names(arrays),
        metric=getattr(metric, "__name__", type(metric).__name__),
        paired=True,
        method="shared draws",
        n=len(arrays["mean"]),
        means=scores.mean(axis=0),
        sds=scores.std(axis=0, ddof=1),
        differences=apart.mean(axis=0),
        difference_variances=apart.var(axis=0, ddof=1),
        difference_scale="score",
        draws=scores,
        greater_is_better=greater_is_better,
        settings={"draws": draws, "means": means_of(arrays.get("trials"))},
    )


def _simulated(
    metric: Callable[[FloatArray, FloatArray], float],
    arrays: Mapping[str, FloatArray],
    *,
    draws: int,
    generator: np.random.Generator,
    progress: Progress,
) -> FloatArray:
    """Return the scores of all systems in each re-rating, shape (draws, K).

    Means of few ratings: what to expect is the mean score at the ddof 0 sd (of single ratings the
    score itself), and re-ratings lie around it as far as they do from the mean of n ratings.
    """
    mean, predictions = arrays["mean"], system_columns(arrays)
    inside, around = inside_sd(arrays), unbiased_sd(arrays)
    if "trials" in arrays:
        around = around * np.sqrt(1 + 1 / arrays["trials"])
    scores = np.empty((2 if "trials" in arrays else 1, draws, len(predictions)))
    for draw in range(draws):
        noise = generator.standard_normal(len(mean))
        for which, sd in enumerate((around, inside)[: len(scores)]):
            feedback = mean + sd * noise
            scores[which, draw] = [float(metric(feedback, each)) for each in predictions]
        progress((draw + 1) / draws, "re-rating")
    if len(scores) == 1:
        return np.asarray(scores[0])
    return np.asarray(scores[0] - scores[0].mean(axis=0) + scores[1].mean(axis=0))


def against(scores: FloatArray) -> FloatArray:
    """Return all differences of two scores."""
    return scores[:, None] - scores[None, :]


def independent(variances: FloatArray) -> FloatArray:
    """Return the variances of all differences of two independent scores."""
    spread = variances[:, None] + variances[None, :]
    np.fill_diagonal(spread, 0.0)
    return spread
