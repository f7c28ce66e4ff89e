"""The joint distribution of several systems' scores on the same feedback, in a few numbers.

In: sums of squared errors, or checked arrays by role. Out: `JointScores`: expected scores, and
mean and variance of every pairwise difference; for mean absolute errors their distribution itself.
Absent: ranks and words (see `decide.rank`).
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
    noise_freedom,
    unbiased_sd,
)
from howgood.errors import InputError
from howgood.records.absolute_sums import AbsoluteErrorSums
from howgood.records.progress import Progress
from howgood.records.ranking import Doubt
from howgood.records.sums import SquaredErrorSums
from howgood.score.feedback_columns import system_columns, system_names, too_large
from howgood.stats.absolute_differences import (
    absolute_difference_moments,
    absolute_error_noise,
    difference_tail,
    seen_absolute_error,
    unbiased_sd_factor,
)
from howgood.stats.arrays import FloatArray
from howgood.stats.folded_normal import folded_normal_mean, folded_normal_variance
from howgood.stats.two_way_clusters import same_tail_variances

# Squares of greater numbers, summed up, are more than a number holds.
_LARGEST = 1e100


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JointScores:
    """Expected scores of K systems and everything about their differences.

    `draws` (n_draws, K) replaces the Gaussian where a metric has no closed form; `freedom` are
    the degrees of freedom behind the variances, where these came from few trials. `tails` (K, K)
    replaces the Gaussian's P(i scores worse than j) where the exact one is known to `tail_error`,
    as it is of known means. `true_draws` are draws of the scores under people's mean opinions.
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
    true_draws: FloatArray | None = None

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
            scores[which, draw] = [
                float(metric(feedback, prediction)) for prediction in predictions
            ]
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


# Mean absolute errors of several systems on the same feedback.
#
# Where the means are known, so is the next feedback's distribution, and with it that of every
# difference. Where each mean is that of n ratings, what is known is another: a difference of two
# mean absolute errors in these ratings and in one more of everybody are means of like numbers, so
# that their gap is symmetric about zero with 1 + 1 / n times the variance of one, whatever people
# think. All systems together are Gaussian around the scores with these variances (Student's, where
# the sds came from few ratings): scores, order, errors and ranks are of one distribution.

# Of so few pairs re-ratings are drawn: their MAEs may differ by little more than a few atoms.
FEW_PAIRS = 50
_RERATINGS = 65_536
# Ranks of MAEs are counted up to so many pairs, in so many absolute errors at most.
_MOST_DRAWN = 2_000
_RANK_BUDGET = 200_000_000


def absolute_scores(
    arrays: Mapping[str, FloatArray], *, paired: bool, generator: np.random.Generator
) -> JointScores:
    """Return scores and differences of the MAE, and how far the next ones lie from them."""
    refuse_overflow(arrays)
    sd, predictions = unbiased_sd(arrays), system_columns(arrays)
    is_known, n = "trials" not in arrays, len(sd)
    means, variances = _own_moments(arrays, sd, predictions)
    more: dict[str, Any] = {
        "method": "independent scores (Eq. 5)",
        "differences": against(means),
        "difference_variances": independent(variances),
    }
    if paired and is_known:
        more |= _of_known_means(arrays["mean"], sd, predictions, generator)
    elif paired:
        more |= _of_ratings(arrays, sd, predictions, means)
    settings = {**more.pop("settings", {}), "means": means_of(arrays.get("trials"))}
    return JointScores(
        systems=system_names(arrays),
        metric="mae",
        paired=paired,
        n=n,
        means=means,
        sds=np.sqrt(variances),
        difference_scale="mae",
        freedom=noise_freedom(arrays),
        barrier=float(np.sqrt(2 / np.pi) * np.mean(_expected_sd(arrays, sd))),
        settings=settings,
        **more,
    )


def scores_of_absolute_sums(sums: AbsoluteErrorSums, *, paired: bool) -> JointScores:
    """Return scores and differences of the MAE from sums of many pairs; refuse few."""
    if sums.n < FEW_PAIRS:
        raise InputError(
            where="sums of absolute errors",
            found=f"{sums.n} pairs",
            needed=f"at least {FEW_PAIRS} pairs, whose errors add up to a Gaussian",
            cure="Rank the predictions themselves: decide.rank(..., metric='mae').",
        )
    means, square = sums.means / sums.n, float(sums.n) ** 2
    variances = sums.variances / square
    return JointScores(
        systems=sums.systems,
        metric="mae",
        paired=paired,
        method="paired, from sums (Gaussian)" if paired else "independent scores (Eq. 5)",
        n=sums.n,
        means=means,
        sds=np.sqrt(variances),
        differences=against(means),
        difference_variances=(
            sums.difference_variances / square if paired else independent(variances)
        ),
        difference_scale="mae",
        barrier=sums.barrier,
        settings={"means": means_of(None)},
    )


def _own_moments(
    arrays: Mapping[str, FloatArray], sd: FloatArray, predictions: list[FloatArray]
) -> tuple[FloatArray, FloatArray]:
    """Return the expected MAE of every system, and how far the next one varies around it."""
    mean, wider = arrays["mean"], np.ones(len(sd))
    if "trials" in arrays:
        seen = mean, arrays["sd"], arrays["trials"]
        means = [seen_absolute_error(*seen, prediction).mean() for prediction in predictions]
        wider = 1 + 1 / arrays["trials"]
    else:
        means = [folded_normal_mean(mean - prediction, sd).mean() for prediction in predictions]
    variances = [
        wider @ folded_normal_variance(mean - prediction, sd) for prediction in predictions
    ]
    return np.array(means), np.array(variances) / float(len(sd)) ** 2


def _expected_sd(arrays: Mapping[str, FloatArray], sd: FloatArray) -> FloatArray:
    """Return sds whose mean is right: those of few ratings are too small on average."""
    if "trials" not in arrays:
        return sd
    factor = unbiased_sd_factor(np.maximum(arrays["trials"], 2.0))
    return np.where(arrays["trials"] < 2, sd, sd * factor)


def _of_ratings(
    arrays: Mapping[str, FloatArray],
    sd: FloatArray,
    predictions: list[FloatArray],
    means: FloatArray,
) -> dict[str, Any]:
    """Return the differences seen, and how far those of one more rating lie from them."""
    mean, square = arrays["mean"], float(len(sd)) ** 2
    one_more, seen = absolute_error_noise(mean, arrays["sd"], arrays["trials"], predictions)
    # Ratings that never came between two predictions do not show that the next ones will not.
    _, as_if_known = _absolute_differences(mean, sd, predictions)
    is_unseen = (one_more <= 0) & (as_if_known > 0)
    per_trial = float(np.mean(1.0 / arrays["trials"]))
    one_more = np.where(is_unseen, as_if_known * square, one_more)
    seen = np.where(is_unseen, one_more * per_trial, seen)
    return {
        "method": "paired, centred on the ratings seen (Gaussian)",
        "differences": against(means),
        "difference_variances": one_more / square,
        "mean_variances": seen / square,
    }


def _of_known_means(
    mean: FloatArray,
    sd: FloatArray,
    predictions: list[FloatArray],
    generator: np.random.Generator,
) -> dict[str, Any]:
    """Return exact moments and errors; of fewer than `FEW_PAIRS` pairs, re-ratings are drawn."""
    differences, spread = _absolute_differences(mean, sd, predictions)
    exact: dict[str, Any] = {"differences": differences, "difference_variances": spread}
    if len(mean) < FEW_PAIRS:
        draws = _rerated_absolute(mean, sd, predictions, generator)
        method = "paired, exact moments; errors and ranks by shared draws"
        return {**exact, "method": method, "draws": draws, "settings": {"draws": len(draws)}}
    tails, error = _absolute_tails(mean, sd, predictions)
    exact |= {"method": "paired, exact", "tails": tails, "tail_error": error}
    return exact | _absolute_rank_draws(mean, sd, predictions, generator)


def _absolute_differences(
    mean: FloatArray, sd: FloatArray, predictions: list[FloatArray]
) -> tuple[FloatArray, FloatArray]:
    """Return means and variances of all differences of two mean absolute errors, means known."""
    n, n_systems = float(len(mean)), len(predictions)
    differences, spread = np.zeros((2, n_systems, n_systems))
    for i in range(n_systems):
        for k in range(i):
            points = predictions[i], predictions[k]
            expected, variance = absolute_difference_moments(mean, sd, *points)
            differences[i, k] = expected.sum() / n
            spread[i, k] = spread[k, i] = variance.sum() / n**2
    return differences - differences.T, spread


def _absolute_tails(
    mean: FloatArray, sd: FloatArray, predictions: list[FloatArray]
) -> tuple[FloatArray, float]:
    """Return P(the next sum of absolute errors of i is above that of j), and how far off it is."""
    n_systems = len(predictions)
    tails, errors = np.full((n_systems, n_systems), 0.5), [0.0]
    for i in range(n_systems):
        for k in range(i):
            tail, error = difference_tail(mean, sd, predictions[i], predictions[k])
            tails[i, k], tails[k, i] = tail, 1.0 - tail
            errors.append(error)
    return tails, max(errors)


def _absolute_rank_draws(
    mean: FloatArray,
    sd: FloatArray,
    predictions: list[FloatArray],
    generator: np.random.Generator,
) -> dict[str, Any]:
    """Return re-ratings from which to count ranks, where that is quick and more than two compete.

    Two systems have the ranks their error says. Of very many pairs ranks are those of Gaussians.
    """
    n, n_systems = len(mean), len(predictions)
    if n_systems < 3 or n > _MOST_DRAWN:
        return {}
    size = int(np.clip(_RANK_BUDGET // (n * n_systems), 4_096, _RERATINGS))
    draws = _rerated_absolute(mean, sd, predictions, generator, size=size)
    return {"draws": draws, "settings": {"rank draws": size}}


def _rerated_absolute(
    mean: FloatArray,
    sd: FloatArray,
    predictions: list[FloatArray],
    generator: np.random.Generator,
    *,
    size: int = _RERATINGS,
) -> FloatArray:
    """Return the MAE of every system in many re-ratings, each shared by all systems."""
    predicted = np.stack(predictions, axis=1)
    scores = np.zeros((size, len(predictions)))
    for pair in range(len(mean)):
        noise = generator.standard_normal((size, 1))
        scores += np.abs(mean[pair] + sd[pair] * noise - predicted[pair])
    return scores / len(mean)
