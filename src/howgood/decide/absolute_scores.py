"""Mean absolute errors of several systems on the same feedback.

In: checked arrays by role. Out: `JointScores`. Absent: squared errors and other metrics (see
`decide.scores`).

Where the means are known, so is the next feedback's distribution, and with it that of every
difference. Where each mean is that of n ratings, what is known is another: a difference of two
mean absolute errors in these ratings and in one more of everybody are means of like numbers, so
that their gap is symmetric about zero with 1 + 1 / n times the variance of one, whatever people
think. All systems together are Gaussian around the scores with these variances (Student's, where
the sds came from few ratings): scores, order, errors and ranks are of one distribution.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from howgood.decide.rating_noise import means_of, noise_freedom, unbiased_sd
from howgood.decide.scores import JointScores, against, independent, refuse_overflow
from howgood.score.feedback_columns import system_columns, system_names
from howgood.stats.absolute_differences import absolute_difference_moments, difference_tail
from howgood.stats.arrays import FloatArray
from howgood.stats.folded_normal import folded_normal_mean, folded_normal_variance
from howgood.stats.seen_absolute_errors import (
    absolute_error_noise,
    seen_absolute_error,
    unbiased_sd_factor,
)

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


def _own_moments(
    arrays: Mapping[str, FloatArray], sd: FloatArray, predictions: list[FloatArray]
) -> tuple[FloatArray, FloatArray]:
    """Return the expected MAE of every system, and how far the next one varies around it."""
    mean, wider = arrays["mean"], np.ones(len(sd))
    if "trials" in arrays:
        seen = mean, arrays["sd"], arrays["trials"]
        means = [seen_absolute_error(*seen, each).mean() for each in predictions]
        wider = 1 + 1 / arrays["trials"]
    else:
        means = [folded_normal_mean(mean - each, sd).mean() for each in predictions]
    variances = [wider @ folded_normal_variance(mean - each, sd) for each in predictions]
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
