"""The joint distribution of several systems' scores on the same feedback, in a few numbers.

In: sums of squared errors, or checked arrays by role. Out: `JointScores`: expected scores, and
mean and variance of every pairwise difference. Absent: ranks and words (see `decide.rank`).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from howgood.errors import InputError
from howgood.records.progress import Progress
from howgood.records.ranking import Doubt
from howgood.records.sums import SquaredErrorSums, trial_freedom
from howgood.score.feedback_columns import system_columns, system_names, too_large
from howgood.stats.absolute_differences import absolute_difference_moments
from howgood.stats.folded_normal import folded_normal_mean, folded_normal_variance
from howgood.stats.two_way_clusters import same_tail_variances

FloatArray = NDArray[np.float64]
# Squares of greater numbers, summed up, are more than a number holds.
_LARGEST = 1e100
# Below so many pairs the difference of two MAEs is not yet normal, and re-ratings are drawn.
FEW_PAIRS = 50
_RERATINGS = 65_536


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JointScores:
    """Expected scores of K systems and everything about their differences.

    `draws` (n_draws, K) replaces the Gaussian where a metric has no closed form; `freedom` are
    the degrees of freedom behind the variances, where these came from few trials.
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

    def flip_variances(self) -> FloatArray:
        """How far the next difference may lie from the expected one, as Gaussians."""
        if self.mean_variances is None:
            return self.difference_variances
        return self._same_tails(self.difference_variances + self.mean_variances)

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
        second = np.maximum(sums.trials.second_power, 0.0)
    # The expected score is the mean of n scores like the next one: its variance is 1 / n of that.
    variances = 2 * second / float(sums.n) ** 2 * (1 + sums.doubt)
    means, sds = expected, np.sqrt(variances)
    if metric == "rmse":
        means = np.sqrt(expected)
        sds = np.sqrt(variances / np.where(expected > 0, 4 * expected, 1.0))
    mean_variances = None
    if sums.trials is not None:
        mean_variances = 4 * sums.trials.mean_noise / float(sums.n) ** 2
    differences, spread = _against(sums.gaps / sums.n), 4 * sums.noise / float(sums.n) ** 2
    if mean_variances is not None:
        spread = spread + mean_variances  # ddof 0 to ddof 1
    if not paired:
        differences, spread, mean_variances = _against(means), _independent(sds**2), None
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
    )


def absolute_scores(
    arrays: Mapping[str, FloatArray], *, paired: bool, generator: np.random.Generator
) -> JointScores:
    """Return scores and differences of the MAE: exact moments, Gaussian by the limit theorem.

    Fewer than `FEW_PAIRS` are too few for the limit: then re-ratings are drawn too.
    """
    _refuse_overflow(arrays)
    mean, sd, predictions = arrays["mean"], _unbiased_sd(arrays), system_columns(arrays)
    n_systems, n = len(predictions), len(mean)
    means = np.array([folded_normal_mean(mean - each, sd).mean() for each in predictions])
    wider = 1 + 1 / arrays["trials"] if "trials" in arrays else np.ones(n)
    variances = np.array([wider @ folded_normal_variance(mean - each, sd) for each in predictions])
    variances /= float(n) ** 2
    differences, spread = _against(means), _independent(variances)
    for i in range(n_systems if paired else 0):
        for k in range(i):
            expected, variance = absolute_difference_moments(
                mean, sd, predictions[i], predictions[k]
            )
            differences[i, k] = expected.sum() / n
            spread[i, k] = spread[k, i] = variance.sum() / float(n) ** 2
    differences = np.tril(differences, -1) - np.tril(differences, -1).T
    draws = None
    method = "paired, exact moments" if paired else "independent scores (Eq. 5)"
    if paired and n < FEW_PAIRS:
        draws = _rerated_absolute(mean, sd * np.sqrt(wider), predictions, arrays, generator)
        method = "paired, exact moments; errors and ranks by shared draws"
    return JointScores(
        systems=system_names(arrays),
        metric="mae",
        paired=paired,
        method=method,
        n=n,
        means=means,
        sds=np.sqrt(variances),
        differences=differences,
        difference_variances=spread,
        difference_scale="mae",
        mean_variances=_absolute_mean_variances(arrays, sd, predictions) if paired else None,
        freedom=_freedom(arrays),
        draws=draws,
        barrier=float(np.sqrt(2 / np.pi) * sd.mean()),
        settings={} if draws is None else {"draws": len(draws)},
    )


def _rerated_absolute(
    mean: FloatArray,
    sd: FloatArray,
    predictions: list[FloatArray],
    arrays: Mapping[str, FloatArray],
    generator: np.random.Generator,
) -> FloatArray:
    """Return the MAE of every system in many re-ratings, each shared by all systems.

    After n ratings the next one is distributed as Student's t with n - 1 degrees of freedom.
    """
    size = (_RERATINGS, 1)
    predicted = np.stack(predictions, axis=1)
    scores = np.zeros((_RERATINGS, len(predictions)))
    for pair in range(len(mean)):
        noise = (
            generator.standard_t(arrays["trials"][pair] - 1, size)
            if "trials" in arrays
            else generator.standard_normal(size)
        )
        scores += np.abs(mean[pair] + sd[pair] * noise - predicted[pair])
    return scores / len(mean)


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


def _refuse_overflow(arrays: Mapping[str, FloatArray]) -> None:
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
    mean, sd, predictions = arrays["mean"], _unbiased_sd(arrays), system_columns(arrays)
    scores = np.empty((draws, len(predictions)))
    for draw in range(draws):
        feedback = generator.normal(mean, sd)
        scores[draw] = [float(metric(feedback, each)) for each in predictions]
        progress((draw + 1) / draws, "re-rating")
    apart = scores[:, :, None] - scores[:, None, :]
    return JointScores(
        systems=system_names(arrays),
        metric=getattr(metric, "__name__", type(metric).__name__),
        paired=True,
        method="shared draws",
        n=len(mean),
        means=scores.mean(axis=0),
        sds=scores.std(axis=0, ddof=1),
        differences=apart.mean(axis=0),
        difference_variances=apart.var(axis=0, ddof=1),
        difference_scale="score",
        draws=scores,
        greater_is_better=greater_is_better,
        settings={"draws": draws},
    )


def _absolute_mean_variances(
    arrays: Mapping[str, FloatArray], sd: FloatArray, predictions: list[FloatArray]
) -> FloatArray | None:
    r"""Return how uncertain few trials leave each difference of expected absolute errors.

    To first order: the slope of :math:`E|X - p|` in the mean is
    :math:`2 \Phi((\mu - p) / \sigma) - 1`, and the mean of n trials has variance
    :math:`\sigma^2 / n`.
    """
    if "trials" not in arrays:
        return None
    noise = arrays["sd"] / np.sqrt(arrays["trials"] - 1)  # sd has ddof 0
    safe = np.where(sd > 0.0, sd, 1.0)
    slopes = np.stack(
        [noise * (2.0 * ndtr((arrays["mean"] - p) / safe) - 1.0) for p in predictions]
    )
    variances = np.zeros((len(slopes), len(slopes)))
    for i, row in enumerate(slopes):
        variances[i] = np.sum((slopes - row) ** 2, axis=1) / float(row.size) ** 2
    return variances


def _freedom(arrays: Mapping[str, FloatArray]) -> float:
    if "trials" not in arrays:
        return float("inf")
    variances = arrays["sd"] ** 2
    total = float(variances @ (arrays["trials"] / (arrays["trials"] - 1)))
    return trial_freedom(float(variances.sum()), float(variances @ variances), total)


def _unbiased_sd(arrays: Mapping[str, FloatArray]) -> FloatArray:
    """Return the sd with ddof 1 where the number of trials is known, else as given."""
    if "trials" not in arrays:
        return arrays["sd"]
    corrected: FloatArray = arrays["sd"] * np.sqrt(arrays["trials"] / (arrays["trials"] - 1))
    return corrected


def _against(scores: FloatArray) -> FloatArray:
    return scores[:, None] - scores[None, :]


def _independent(variances: FloatArray) -> FloatArray:
    spread = variances[:, None] + variances[None, :]
    np.fill_diagonal(spread, 0.0)
    return spread
