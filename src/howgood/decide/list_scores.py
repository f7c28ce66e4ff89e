"""The joint distribution of several systems' scores of ranked lists, if people rated again.

In: `RatedLists` and a metric. Out: `JointScores`. A metric that is linear in the feedback has a
closed form; others are scored on re-ratings that all systems share. Absent: reading tables (see
`decide.list_rows`), ranks and words.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from howgood.decide.list_rows import RatedLists
from howgood.decide.rating_noise import means_of, noise_freedom
from howgood.decide.scores import JointScores, against
from howgood.records.progress import Progress
from howgood.score.list_metrics import ListMetric, PaddedLists
from howgood.stats.arrays import FloatArray
from howgood.stats.joint_means import next_means

# Re-ratings of every pair; of more pairs than fit into the budget fewer, down to the least.
DRAWS, LEAST_DRAWS, _BUDGET = 4096, 128, 2.5e8
# So many numbers at once.
_AT_ONCE = 2_000_000
# How often one of several ratings of each pair is picked for the expected score.
_PICKS = 256


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Simulated:
    """Sums over users: scores in each re-rating (D, K), and the covariance of one user's."""

    totals: FloatArray
    centre: FloatArray
    covariance: FloatArray


def linear_scores(rated: RatedLists, metric: ListMetric, name: str) -> JointScores:
    """Return the joint law of scores that are weighted sums of the feedback: Gaussian."""
    n_systems, n_users = len(rated.systems), rated.n_users
    around, mean_part = _re_rating_variance(rated), _mean_variance(rated)
    means = np.zeros(n_systems)
    noise, doubt = (np.zeros((n_systems, n_systems)) for _ in range(2))
    own = np.zeros(n_systems)
    for rows, lists in _batches(rated, 1):
        weights = metric.weights(lists)
        padded = [
            np.where(lists.filled, values[rows], 0.0) for values in (rated.mean, around, mean_part)
        ]
        means += np.einsum("bkl,bl->k", weights, padded[0])
        own += np.einsum("bkl,bl->k", weights**2, padded[1])
        for sums, variance in ((noise, padded[1] - padded[2]), (doubt, padded[2])):
            cross = np.einsum("bkl,bjl,bl->kj", weights, weights, variance)
            sums += np.diag(cross)[:, None] + np.diag(cross) - 2 * cross
    known = bool(np.isinf(rated.trials).all())
    differences = against(means / n_users)
    return JointScores(
        systems=rated.systems,
        metric=name,
        paired=True,
        method="lists, exact Gaussian",
        n=n_users,
        means=means / n_users,
        sds=np.sqrt(own) / n_users,
        differences=differences,
        difference_variances=np.maximum(noise, 0.0) / n_users**2,
        difference_scale=name,
        mean_variances=None if known else np.maximum(doubt, 0.0) / n_users**2,
        freedom=_freedom(rated),
        greater_is_better=True,
        settings=_settings(rated),
    )


def simulated_list_scores(
    rated: RatedLists,
    metric: ListMetric,
    name: str,
    *,
    relevant: float,
    generator: np.random.Generator,
    progress: Progress,
) -> JointScores:
    """Return the joint law of scores by re-ratings that all systems share.

    Where pairs are too many for `DRAWS` re-ratings of each, every user has fewer, and the mean over
    so many independent users is taken as Gaussian with the covariance of these.
    """
    n_users = rated.n_users
    n_draws = int(np.clip(_BUDGET / len(rated.mean), LEAST_DRAWS, DRAWS)) // 2 * 2
    if not rated.sd.any():
        n_draws = 4  # without noise, all re-ratings are the same
    simulated = _simulated(rated, metric, n_draws, relevant, generator, progress)
    known = bool(np.isinf(rated.trials).all())
    around, mean_part = _re_rating_variance(rated), _mean_variance(rated)
    total = float(around.sum())
    # How much of a re-rating's distance is that of the mean from its truth: first order.
    share = 0.0 if known or total <= 0 else float(mean_part.sum()) / total
    means = simulated.centre / n_users
    if n_draws in (4, DRAWS):
        # Around means that are known, scores are drawn as they are, and equal ones stay equal.
        draws = simulated.totals / n_users + (0.0 if known else means)
        covariance = np.cov(draws.T, ddof=1).reshape(len(means), len(means))
        error = float(_antithetic_error(draws).max())
    else:
        draws, covariance = None, simulated.covariance / n_users**2
        error = float(_antithetic_error(simulated.totals / n_users).max())
    variances = np.diag(covariance)[:, None] + np.diag(covariance) - 2 * covariance
    variances = np.maximum(variances, 0.0)
    return JointScores(
        systems=rated.systems,
        metric=name,
        paired=True,
        method="lists, shared re-ratings",
        n=n_users,
        means=means,
        sds=np.sqrt(np.diag(covariance)),
        differences=against(means),
        difference_variances=variances * (1 - share),
        difference_scale=name,
        mean_variances=None if known else variances * share,
        freedom=_freedom(rated),
        draws=draws,
        greater_is_better=True,
        settings={**_settings(rated), "draws": n_draws, "sampling error of a score": error},
    )


def shrunk(scores: JointScores, generator: np.random.Generator) -> JointScores:
    """Return the scores with draws that know how far these systems differ, of three or more.

    Systems' scores under people's mean opinions (of `users`: over users like these) are Gaussian
    with a common sd, whose prior is flat: where systems hardly differ, most of what they seem to
    differ by is noise, and will not come again. Two systems do not show how far such systems
    differ; means that are known leave nothing to shrink.
    """
    if len(scores.systems) < 3 or scores.mean_variances is None:
        return scores
    parts = [scores.mean_variances, scores.difference_variances]
    if scores.doubt == "users":
        parts = [scores.difference_variances, np.zeros_like(scores.mean_variances)]
    centring = np.eye(len(scores.systems)) - 1.0 / len(scores.systems)
    doubt, spread = (-centring @ part @ centring / 2 for part in parts)
    if np.trace(doubt) <= 0:
        return scores
    true, after = next_means(
        scores.means, doubt, spread, freedom=scores.freedom, generator=generator
    )
    for place, first in enumerate(_first_identical(scores)):
        true[:, place], after[:, place] = true[:, first], after[:, first]
    return replace(
        scores,
        draws=after,
        true_draws=true,
        settings={**scores.settings, "prior of systems": "Gaussian, flat over its sd"},
    )


def _first_identical(scores: JointScores) -> NDArray[np.int64]:
    """Return for every system the first one that always scores the same."""
    is_same = (scores.differences == 0) & (scores.next_variances() <= 0)
    first: NDArray[np.int64] = np.argmax(is_same | np.eye(len(is_same), dtype=bool), axis=1)
    return first


def scores_by_user(rated: RatedLists, metric: ListMetric, *, relevant: float) -> FloatArray:
    """Return the scores (users, K) of the ratings as they were given."""
    by_user = []
    for rows, lists in _batches(rated, 1):
        feedback = np.where(lists.filled, rated.mean[rows], 0.0)[:, None, :]
        by_user.append(_scored(metric, feedback, lists, relevant)[:, 0])
    return np.concatenate(by_user)


def sampled_users(rated: RatedLists, scores: FloatArray, name: str) -> JointScores:
    """Return the joint law of mean scores over users like these: Student's t."""
    n_users = len(scores)
    covariance = np.cov(scores.T, ddof=1).reshape(scores.shape[1], scores.shape[1]) / n_users
    variances = np.diag(covariance)[:, None] + np.diag(covariance) - 2 * covariance
    means = scores.mean(axis=0)
    return JointScores(
        systems=rated.systems,
        metric=name,
        paired=True,
        method="lists, users as a sample",
        n=n_users,
        means=means,
        sds=np.sqrt(np.diag(covariance)),
        differences=against(means),
        difference_variances=np.maximum(variances, 0.0),
        difference_scale=name,
        mean_variances=np.zeros_like(variances),
        freedom=n_users - 1.0,
        greater_is_better=True,
        doubt="users",
        settings=_settings(rated),
    )


def _settings(rated: RatedLists) -> dict[str, object]:
    trials = None if np.isinf(rated.trials).all() else rated.trials
    return {
        "lists": rated.n_users,
        "ratings": rated.n_ratings,
        "pairs": len(rated.mean),
        "means": means_of(trials),
    }


def _freedom(rated: RatedLists) -> float:
    if np.isinf(rated.trials).all():
        return float("inf")
    finite = np.isfinite(rated.trials)
    return noise_freedom({"sd": rated.sd[finite], "trials": rated.trials[finite]})


def _mean_variance(rated: RatedLists) -> FloatArray:
    return rated.one_sd**2 / rated.trials


def _re_rating_variance(rated: RatedLists) -> FloatArray:
    """Return how far a re-rating lies from the mean of the ratings given."""
    return rated.one_sd**2 + _mean_variance(rated)


def _batches(rated: RatedLists, n_draws: int) -> Iterator[tuple[NDArray[np.int64], PaddedLists]]:
    """Yield the rows (B, L) of users with about equally many items, and their lists."""
    n_items = np.bincount(rated.user)
    starts = np.concatenate([[0], np.cumsum(n_items)[:-1]])
    order = np.argsort(n_items, kind="stable")
    done = 0
    while done < len(order):
        # Lists grow along the order: the last of a batch is its longest.
        size = max(int(_AT_ONCE / (n_items[order[done]] * n_draws)), 1)
        users = order[done : done + size]
        while len(users) > 1 and n_items[users[-1]] * len(users) * n_draws > 2 * _AT_ONCE:
            users = users[: (len(users) + 1) // 2]
        done += len(users)
        at = np.arange(int(n_items[users[-1]]))
        filled = at < n_items[users][:, None]
        rows = np.where(filled, starts[users][:, None] + at, starts[users][:, None])
        scores = np.where(filled[:, None, :], rated.scores[rows].transpose(0, 2, 1), -np.inf)
        yield rows, PaddedLists.of(scores, filled)


def _simulated(
    rated: RatedLists,
    metric: ListMetric,
    n_draws: int,
    relevant: float,
    generator: np.random.Generator,
    progress: Progress,
) -> _Simulated:
    """Score re-ratings of everybody.

    Scores in the ratings given and in the next ones are alike but for chance: both are drawn around
    a mean opinion that these ratings allow for, and differ with the variance of one, V, times
    1 + 1/n. Drawing the next ones around the ratings themselves would be wrong for metrics of what
    is relevant: ratings are more extreme than opinions.
    """
    n_systems = len(rated.systems)
    opinion, doubt = _opinions(rated)
    noise = float(np.sum(rated.one_sd**2))
    repeats = float(_mean_variance(rated).sum()) / noise if noise > 0 else 1.0
    grows = np.sqrt((1 + repeats) / 2)
    is_known = bool(np.isinf(rated.trials).all())
    totals, centre = np.zeros((n_draws, n_systems)), np.zeros(n_systems)
    covariance = np.zeros((n_systems, n_systems))
    done = 0
    for rows, lists in _batches(rated, n_draws):
        shape = (len(rows), n_draws // 2, lists.longest)
        mean, spread = opinion[rows][:, None, :], rated.one_sd[rows][:, None, :]
        if not is_known:
            mean = mean + doubt[rows][:, None, :] * generator.standard_normal(shape)
        first = spread * generator.standard_normal(shape)
        scores = [_scored(metric, mean + first, lists, relevant)]
        if is_known:
            scores.append(_scored(metric, mean - first, lists, relevant))
            drawn = np.concatenate(scores, axis=1)
            middle = drawn.mean(axis=1)
        else:
            again = spread * generator.standard_normal(shape)
            scores.append(_scored(metric, mean + again, lists, relevant))
            apart = grows * (scores[0] - scores[1])
            drawn = np.concatenate([apart, -apart], axis=1)
            middle = _expected(rated, metric, rows, lists, relevant, generator)
        totals += drawn.sum(axis=0)
        apart = drawn - drawn.mean(axis=1, keepdims=True)
        covariance += np.einsum("bdk,bdj->kj", apart, apart) / n_draws
        centre += middle.sum(axis=0)
        done += len(rows)
        progress(done / rated.n_users, "re-rating")
    return _Simulated(totals=totals, centre=centre, covariance=covariance)


def _opinions(rated: RatedLists) -> tuple[FloatArray, FloatArray]:
    """Return mean opinions given the ratings, and how far they may lie from that (sd).

    Opinions of all pairs are taken as one normal population: a rating far out is partly chance.
    """
    if np.isinf(rated.trials).all():
        return rated.mean, np.zeros(len(rated.mean))
    noise = rated.one_sd**2 / rated.trials
    between = max(float(np.var(rated.mean)) - float(np.mean(noise)), 0.0)
    kept = np.where(noise > 0, between / np.where(noise > 0, between + noise, 1.0), 1.0)
    return rated.mean.mean() + kept * (rated.mean - rated.mean.mean()), np.sqrt(kept * noise)


def _expected(
    rated: RatedLists,
    metric: ListMetric,
    rows: NDArray[np.int64],
    lists: PaddedLists,
    relevant: float,
    generator: np.random.Generator,
) -> FloatArray:
    """Return the expected score (B, K): each pair's feedback is any of the ratings it got.

    Without repeats that is the score of the ratings. As every pair enters once, it is right on
    average for every metric.
    """
    counts = rated.counts[rows][:, None, :]
    n_picks = 1 if counts.max() == 1 else _PICKS
    chance = generator.random((len(rows), n_picks, lists.longest))
    picked = rated.starts[rows][:, None, :] + (chance * counts).astype(np.int64)
    given = rated.given[np.minimum(picked, len(rated.given) - 1)]
    feedback = np.where(counts > 0, given, rated.mean[rows][:, None, :])
    expected: FloatArray = _scored(metric, feedback, lists, relevant).mean(axis=1)
    return expected


def _scored(
    metric: ListMetric, feedback: FloatArray, lists: PaddedLists, relevant: float
) -> FloatArray:
    is_relevant = (feedback >= relevant) & lists.filled[:, None, :]
    return metric.scores(feedback, is_relevant, lists)


def _antithetic_error(draws: FloatArray) -> FloatArray:
    """Return the sampling error of the mean of draws whose second half mirrors the first."""
    half = len(draws) // 2
    pairs = (draws[:half] + draws[half:]) / 2
    return np.asarray(pairs.std(axis=0, ddof=1) / np.sqrt(half))
