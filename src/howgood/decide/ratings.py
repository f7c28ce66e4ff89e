"""Rank systems straight from ratings: repeated by the same people, or given by several raters.

In: a long table of ratings and predictions, on any engine. Out: `Ranking`. Absent: files.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from howgood.decide.rank_by_raters import rank_by_raters, refuse_item_as_user
from howgood.decide.ranking import rank_sums
from howgood.errors import InputError
from howgood.records.ranking import Ranking
from howgood.score.sums_of_ratings import rating_sums
from howgood.stats.randomness import RandomState


def rank_ratings(
    ratings: Any,  # noqa: ANN401 - any frame narwhals knows, or a mapping of columns
    *,
    predictions: Mapping[str, str] | Sequence[str],
    predicted: Any = None,  # noqa: ANN401 - any frame
    user: str = "user",
    item: str = "item",
    rating: str = "rating",
    trial: str | None = None,
    missing: str = "error",
    once: str | None = None,
    metric: str = "rmse",
    paired: bool = True,
    level: float = 0.05,
    random_state: RandomState = 0,
    rater: str | None = None,
    combine: str = "error",
) -> Ranking:
    """Rank systems by their error on repeated ratings, or on ratings of several raters.

    With `rater`, items and raters are taken as samples: the question is what other items and other
    raters like these would say, not what the same people would say next time.

    Parameters
    ----------
    ratings, predictions, predicted, user, item, rating, trial, missing, once
        As in `score.rating_sums`.
    metric, paired, level, random_state
        As in `rank_sums`; with `rater` the metric may be "mae" too.
    rater : str, optional
        Column that says who rated, where each item was rated by several people (not: by one person
        several times). `user` is then not used, `trial`, `once` and `paired=False` are refused,
        and `predicted` has one row per item.
    combine : {"error", "mean", "last"}
        With `rater`: what to do with several ratings of one rater for one item, whose predictions
        must be the same.

    Returns
    -------
    Ranking
        `.error` says how likely a re-rating flips an order, `.true_error` how likely the order
        under the people's mean opinions is the opposite, given the few times they were asked. With
        `rater`, `.error` says how likely the order over all items and raters like these is the
        opposite.

    Notes
    -----
    A system that was made from these very ratings (their mean, or the first of them) is favoured:
    both probabilities are about noise in the feedback, not about overfitting.

    Stability: stable

    Examples
    --------
    >>> from howgood.ask import simulate_ratings
    >>> ratings = simulate_ratings(users=30, items=4, random_state=1)
    >>> table = {**ratings, "three": [3.0] * len(ratings), "four": [4.0] * len(ratings)}
    >>> ranking = rank_ratings(table, predictions=["three", "four"], trial="trial")
    >>> ranking.n, ranking.true_error(*ranking.order) < ranking.error(*ranking.order)
    (120, True)
    """
    _refuse_unused(rater=rater, paired=paired, once=once, trial=trial, combine=combine)
    if rater is not None:
        return rank_by_raters(
            ratings,
            predictions=predictions,
            predicted=predicted,
            item=item,
            rater=rater,
            rating=rating,
            metric=metric,
            combine=combine,
            missing=missing,
            level=level,
            random_state=random_state,
        )
    refuse_item_as_user(user, item)
    sums = rating_sums(
        ratings,
        predictions=predictions,
        predicted=predicted,
        user=user,
        item=item,
        rating=rating,
        trial=trial,
        missing=missing,
        once=once,
        powers=2,
    )
    return rank_sums(sums, metric=metric, paired=paired, level=level, random_state=random_state)


def _refuse_unused(
    *, rater: str | None, paired: bool, once: str | None, trial: str | None, combine: str
) -> None:
    """Refuse what only the other kind of ratings has a use for."""
    if rater is None:
        where, unused = "ratings", {f"combine={combine!r}": combine != "error"}
        needed = "`combine` with `rater` only: several rows of a pair are repeated ratings"
        cure = "Leave out combine, or name the column that says who rated: rater=..."
    else:
        where = "rater"
        unused = {
            "paired=False": not paired,
            f"once={once!r}": once is not None,
            f"trial={trial!r}": trial is not None,
        }
        needed = "either several raters per item (rater), or the same people's repeated ratings"
        cure = "Leave these out, or rater."
    given = [name for name, is_given in unused.items() if is_given]
    if given:
        raise InputError(where=where, found=f"{' and '.join(given)} too", needed=needed, cure=cure)
