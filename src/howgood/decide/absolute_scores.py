"""Mean absolute errors of several systems on the same feedback, with exact errors of their order.

In: checked arrays by role. Out: `JointScores`. Absent: squared errors and other metrics (see
`decide.scores`).
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from howgood.decide.rating_noise import inside_sd, means_of, noise_freedom, unbiased_sd
from howgood.decide.scores import JointScores, against, independent, refuse_overflow
from howgood.score.feedback_columns import system_columns, system_names
from howgood.stats.absolute_differences import absolute_difference_moments, difference_tail
from howgood.stats.folded_normal import folded_normal_mean, folded_normal_variance

FloatArray = NDArray[np.float64]
# Of so few pairs re-ratings are drawn: their MAEs may differ by little more than a few atoms.
FEW_PAIRS = 50
_RERATINGS = 65_536
# Ranks of MAEs are counted up to so many pairs, in so many absolute errors at most.
_MOST_DRAWN = 2_000
_RANK_BUDGET = 200_000_000


def absolute_scores(
    arrays: Mapping[str, FloatArray], *, paired: bool, generator: np.random.Generator
) -> JointScores:
    """Return scores and differences of the MAE: exact moments, and exact errors when paired.

    Of fewer than `FEW_PAIRS` re-ratings are drawn, which know the tails of few trials too.
    """
    refuse_overflow(arrays)
    mean, sd, predictions = arrays["mean"], unbiased_sd(arrays), system_columns(arrays)
    inside, n = inside_sd(arrays), len(mean)
    means = np.array([folded_normal_mean(mean - each, inside).mean() for each in predictions])
    wider = 1 + 1 / arrays["trials"] if "trials" in arrays else np.ones(n)
    variances = np.array([wider @ folded_normal_variance(mean - each, sd) for each in predictions])
    variances /= float(n) ** 2
    differences, spread = against(means), independent(variances)
    if paired:
        differences, spread = _absolute_differences(mean, inside, sd, predictions)
    more: dict[str, Any] = {"method": "independent scores (Eq. 5)", "settings": {}}
    if paired and n < FEW_PAIRS:
        draws = _rerated_absolute(mean, sd * np.sqrt(wider), predictions, arrays, generator)
        method = "paired, exact moments; errors and ranks by shared draws"
        more = {"method": method, "draws": draws, "settings": {"draws": len(draws)}}
    elif paired:
        next_sd = sd * np.sqrt(wider)
        tails, error = _absolute_tails(mean, next_sd, predictions)
        more = {"method": "paired, exact", "tails": tails, "tail_error": error}
        more |= _absolute_rank_draws(mean, next_sd, predictions, arrays, generator)
    more["settings"] = {**more.get("settings", {}), "means": means_of(arrays.get("trials"))}
    return JointScores(
        systems=system_names(arrays),
        metric="mae",
        paired=paired,
        n=n,
        means=means,
        sds=np.sqrt(variances),
        differences=differences,
        difference_variances=spread,
        difference_scale="mae",
        mean_variances=_absolute_mean_variances(arrays, sd, predictions) if paired else None,
        freedom=noise_freedom(arrays),
        barrier=float(np.sqrt(2 / np.pi) * sd.mean()),
        **more,
    )


def _absolute_differences(
    mean: FloatArray, inside: FloatArray, sd: FloatArray, predictions: list[FloatArray]
) -> tuple[FloatArray, FloatArray]:
    """Return means and variances of all differences of two mean absolute errors.

    The expectation takes the sd with ddof 0, which makes it unbiased; the variance that with 1.
    """
    n, n_systems = float(len(mean)), len(predictions)
    differences, spread = np.zeros((2, n_systems, n_systems))
    for i in range(n_systems):
        for k in range(i):
            points = predictions[i], predictions[k]
            expected, variance = absolute_difference_moments(mean, sd, *points)
            if inside is not sd:
                expected, _ = absolute_difference_moments(mean, inside, *points)
            differences[i, k] = expected.sum() / n
            spread[i, k] = spread[k, i] = variance.sum() / n**2
    return differences - differences.T, spread


def _absolute_tails(
    mean: FloatArray, sd: FloatArray, predictions: list[FloatArray]
) -> tuple[FloatArray, float]:
    """Return P(the next sum of absolute errors of i is above that of j), and how far off it is.

    `sd`: how far the next rating lies from the mean.
    """
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
    arrays: Mapping[str, FloatArray],
    generator: np.random.Generator,
) -> dict[str, Any]:
    """Return re-ratings from which to count ranks, where that is quick and more than two compete.

    Two systems have the ranks their error says. Of very many pairs, and where the sds themselves
    are in doubt, ranks are those of Gaussians.
    """
    n, n_systems = len(mean), len(predictions)
    if n_systems < 3 or n > _MOST_DRAWN or np.isfinite(noise_freedom(arrays)):
        return {}
    size = int(np.clip(_RANK_BUDGET // (n * n_systems), 4_096, _RERATINGS))
    draws = _rerated_absolute(mean, sd, predictions, arrays, generator, size=size)
    return {"draws": draws, "settings": {"rank draws": size}}


def _rerated_absolute(
    mean: FloatArray,
    sd: FloatArray,
    predictions: list[FloatArray],
    arrays: Mapping[str, FloatArray],
    generator: np.random.Generator,
    *,
    size: int = _RERATINGS,
) -> FloatArray:
    """Return the MAE of every system in many re-ratings, each shared by all systems.

    After n ratings the next one is distributed as Student's t with n - 1 degrees of freedom; after
    a single one, whose sd was given, as a Gaussian.
    """
    predicted = np.stack(predictions, axis=1)
    scores = np.zeros((size, len(predictions)))
    for pair in range(len(mean)):
        freedom = arrays["trials"][pair] - 1 if "trials" in arrays else 0
        shape = (size, 1)
        noise = (
            generator.standard_t(freedom, shape)
            if freedom > 0
            else generator.standard_normal(shape)
        )
        scores += np.abs(mean[pair] + sd[pair] * noise - predicted[pair])
    return scores / len(mean)


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
    noise = sd / np.sqrt(arrays["trials"])
    safe = np.where(sd > 0.0, sd, 1.0)
    slopes = np.stack(
        [noise * (2.0 * ndtr((arrays["mean"] - p) / safe) - 1.0) for p in predictions]
    )
    variances = np.zeros((len(slopes), len(slopes)))
    for i, row in enumerate(slopes):
        variances[i] = np.sum((slopes - row) ** 2, axis=1) / float(row.size) ** 2
    return variances
