"""Rank systems by the lists they recommend.

In: predictions and ratings of users' items. Out: `Ranking`. Absent: files, and errors of single
predictions (see `decide.rank`).
"""

import math
from dataclasses import replace
from typing import Any

from numpy.typing import ArrayLike

from howgood.decide.list_rows import ListColumns, RatedLists, rated_lists
from howgood.decide.list_scores import (
    linear_scores,
    sampled_users,
    scores_by_user,
    shrunk,
    simulated_list_scores,
)
from howgood.decide.ranking import check_level, ranking_of
from howgood.errors import InputError, check_one_of
from howgood.records.progress import Progress, silent
from howgood.records.ranking import Ranking
from howgood.score.list_metrics import ListMetric, list_metric
from howgood.stats.randomness import RandomState, generator_and_seed

ABOUT = ("re-rating", "users")


def rank_lists(
    predictions: Any,  # noqa: ANN401 - a frame, columns, or a mapping of arrays
    ratings: Any,  # noqa: ANN401 - any frame narwhals knows, or a mapping of columns
    *,
    metric: str = "ndcg@10",
    user: str = "user",
    item: str = "item",
    rating: str = "rating",
    sd: str | float | ArrayLike | None = None,
    trials: float = 1,
    relevant: float | None = None,
    about: str = "re-rating",
    level: float = 0.05,
    missing: str = "error",
    once: str = "borrow",
    unrated: str = "error",
    unlisted: str = "error",
    random_state: RandomState = 0,
    progress: Progress = silent,
) -> Ranking:
    r"""Rank systems by their lists for each user, and say how far to trust each place.

    Each system orders a user's items by its predictions; a metric scores that list by what the
    user thinks of the items. People would not rate the same way twice, so the score is a
    distribution. With linear gains the difference of two systems' DCG is

    .. math:: \tfrac1U \sum_{ui} (w^A_{ui} - w^B_{ui}) X_{ui},

    exactly Gaussian with variance :math:`\sum (w^A - w^B)^2 \sigma^2 / U^2`; other metrics are
    scored on re-ratings that all systems share.

    Parameters
    ----------
    predictions : frame, mapping, or sequence of str
        A table with the columns `user`, `item` and one per system; or system -> array, one value
        per row of the ratings; or columns of the ratings (a sequence, or system -> column). Only
        their order within a user matters, larger is earlier.
    ratings : pandas, Polars (eager or lazy), PyArrow, DuckDB, Spark, `Table` or dict of columns
        One row per rating.
    metric : str
        "ndcg@K", "dcg@K", "map", "mrr", "precision@K", "recall@K", "hit@K", the mean over users; K
        is how many places count. "ndcg", "dcg", "map" and "mrr" also without, over whole lists.
        Gains are the ratings themselves.
    user, item, rating : str
        Columns of the ratings.
    sd : float, str or array, optional
        How far a rating lies from the mean of many by the same person: one number, or a column of
        the ratings. None: several ratings of a user and item tell.
    trials : float
        With `sd`: from how many ratings each value came. 1 for ratings given once; `math.inf` says
        that they are means which are known.
    relevant : float, optional
        For all but "ndcg" and "dcg": a rating of at least this is relevant. None: one above the
        middle of the scale that was used (4 on one to five stars). Ratings come in steps, so a
        re-rating counts from half a step below.
    about : {"re-rating", "users"}
        What an error is about: the same people's next ratings, or other users like these.
    level : float
        Error level of tie groups and rank intervals.
    missing : {"error", "drop"}
        What to do with rows of ratings that hold a missing value.
    once : {"borrow", "drop", "error"}
        Of repeated ratings: what to do with pairs rated once, as in `learn.rating_uncertainty`.
    unrated : {"error", "drop", "zero"}
        What to do with predictions for items the user never rated: refuse them, take them out of
        the lists, or count them as worth 0.
    unlisted : {"error", "last"}
        What to do with rated items a system has no score for: refuse, or say that they are not in
        its list.
    random_state : None, int or Generator
        For re-ratings.
    progress : callable
        Told the share done.

    Returns
    -------
    Ranking
        `n` is the number of users; in `needed`, `pairs` are users.

    References
    ----------
    Järvelin and Kekäläinen (2002), "Cumulated gain-based evaluation of IR techniques".

    Notes
    -----
    Equal predictions share their places in dcg, ndcg, precision and recall; for the others chance
    does not decide either: the item with the smaller name comes first, in all systems alike. A user
    with nothing relevant scores 0. Of few users 4,096 re-ratings are made; of very many at least
    128 of each, the mean of so many being Gaussian.

    Stability: experimental

    Examples
    --------
    >>> ratings = {"user": [1, 1, 1, 2, 2, 2], "item": [1, 2, 3, 1, 2, 3],
    ...            "rating": [5, 3, 1, 2, 5, 4]}
    >>> ranking = rank_lists(
    ...     {"good": [9, 5, 1, 2, 8, 7], "bad": [1, 5, 9, 8, 2, 3]}, ratings, metric="dcg@2", sd=1.5
    ... )
    >>> ranking.order, round(ranking.error("good", "bad"), 3)
    (('good', 'bad'), 0.049)
    """
    check_level(level)
    scored = list_metric(metric)
    columns = ListColumns(user=user, item=item, rating=rating, missing=missing, once=once,
                          unrated=unrated, unlisted=unlisted)  # fmt: skip
    _check(about, trials)
    rated = rated_lists(predictions, ratings, columns=columns, sd=sd, trials=float(trials))
    generator, seed = generator_and_seed(random_state)
    limit = _limit(rated, relevant)
    if about == "users":
        return _over_users(rated, scored, metric.lower(), relevant, level, random_state)
    if scored.is_linear:
        scores = linear_scores(rated, scored, metric.lower())
    else:
        scores = simulated_list_scores(
            rated, scored, metric.lower(), relevant=limit, generator=generator, progress=progress
        )
    scores = replace(scores, settings={**scores.settings, **_asked(rated, scored, relevant)})
    ranking = ranking_of(shrunk(scores, generator), level, generator, seed, dropped=rated.dropped)
    return replace(ranking, provenance=replace(ranking.provenance, rows_used=rated.n_ratings))


def _over_users(
    rated: RatedLists,
    scored: ListMetric,
    metric: str,
    relevant: float | None,
    level: float,
    random_state: RandomState,
) -> Ranking:
    if rated.n_users < 2:
        raise InputError(
            where="about",
            found="'users', and one user",
            needed="at least two users to say anything about others",
            cure="Ask more people, or say about='re-rating'.",
        )
    generator, seed = generator_and_seed(random_state)
    by_user = scores_by_user(rated, scored, relevant=_limit(rated, relevant))
    scores = sampled_users(rated, by_user, metric)
    scores = replace(scores, settings={**scores.settings, **_asked(rated, scored, relevant)})
    ranking = ranking_of(shrunk(scores, generator), level, generator, seed, dropped=rated.dropped)
    provenance = replace(ranking.provenance, rows_used=rated.n_ratings)
    return replace(ranking, provenance=provenance, true_errors=None, mean_variances=None)


def _check(about: str, trials: float) -> None:
    check_one_of(about, ABOUT, where="about")
    if not trials >= 1:
        raise InputError(
            where="trials",
            found=repr(trials),
            needed="how many ratings each value came from: 1 or more",
            cure="Say 1 for ratings given once, math.inf for means that are known.",
        )


def _least_relevant(rated: RatedLists, relevant: float | None) -> float:
    """Return the smallest relevant rating: as asked, or the first step above the middle."""
    if relevant is not None:
        return relevant
    if rated.step <= 0:
        return rated.highest
    steps = (rated.highest - rated.lowest) / rated.step
    return rated.lowest + (math.floor(steps / 2 + 1e-9) + 1) * rated.step


def _limit(rated: RatedLists, relevant: float | None) -> float:
    return _least_relevant(rated, relevant) - rated.step / 2


def _asked(rated: RatedLists, scored: ListMetric, relevant: float | None) -> dict[str, Any]:
    if not scored.needs_relevant:
        return {}
    least = _least_relevant(rated, relevant)
    return {"relevant from": least, "relevant was given": relevant is not None}
