"""Rank systems straight from ratings: repeated by the same people, or given by several raters.

In: a long table of item, rater, rating and predictions. Out: `Ranking`; several raters are a sample
of all raters. Absent: files.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howgood.decide.combined_rows import combined_rows
from howgood.decide.ranking import METRICS, check_level, rank_sums, ranking_of
from howgood.decide.scores import JointScores, refuse_huge
from howgood.errors import InputError, check_one_of
from howgood.records.levels import codes_of, distinct
from howgood.records.missing import complete_rows
from howgood.records.ranking import Ranking
from howgood.records.table import as_numbers, frame_column_names, frame_columns
from howgood.score.sums_of_ratings import rating_sums
from howgood.stats.arrays import FloatArray, IntArray
from howgood.stats.joint_means import joint_means
from howgood.stats.randomness import RandomState, generator_and_seed
from howgood.stats.steps import smallest_step
from howgood.stats.two_way_clusters import clustered_means, effective_raters

_WHERE, _PREDICTED = "ratings", "predictions"
# A sum of several ratings is not what was predicted.
_RULES = ("error", "mean", "last")


def rank_by_raters(
    ratings: Any,  # noqa: ANN401 - any frame narwhals knows, or a mapping of columns
    *,
    predictions: Mapping[str, str] | Sequence[str],
    predicted: Any = None,  # noqa: ANN401 - any frame
    item: str = "item",
    rater: str = "rater",
    rating: str = "rating",
    metric: str = "rmse",
    combine: str = "error",
    missing: str = "error",
    level: float = 0.05,
    random_state: RandomState = 0,
) -> Ranking:
    """Rank systems by their errors; other items and other raters might order them otherwise.

    A rating is one measurement of every system's error. The error of a system is the mean over
    items of the item's mean over its raters; how far it is known follows from how much items and
    raters differ (`stats.two_way_clusters`). `predicted` holds one row per item (and rater, where
    it has that column). For the rest see `decide.rank_ratings`.
    """
    check_level(level)
    check_one_of(metric, METRICS, where="metric")
    systems = dict(predictions) if isinstance(predictions, Mapping) else {p: p for p in predictions}
    columns = _columns(ratings, predicted, systems, (item, rater, rating))
    numbers = [rating, *dict.fromkeys(systems.values())]
    columns |= {name: as_numbers(columns[name], where=_column(name)) for name in numbers}
    kept, n_missing = complete_rows(columns, missing=missing, where=_WHERE, numbers=numbers)
    for name in numbers:
        refuse_huge(kept[name] ** 2, where=_column(name), what="squared rating")
    place, person = (_codes(kept[name], name) for name in (item, rater))
    _need_two(place, len(systems), item)
    values, first, counts = combined_rows(
        kept[rating],
        [place, person],
        combine=combine,
        where=_WHERE,
        of="one rater for one item",
        rules=_RULES,
    )
    _refuse_differing(kept, place, person, list(dict.fromkeys(systems.values())))
    rows = np.arange(len(values)) if first is None else first
    away = values[:, None] - np.column_stack([kept[system][rows] for system in systems.values()])
    losses = np.abs(away) if metric == "mae" else away**2
    generator, seed = generator_and_seed(random_state)
    scores = _scores(losses, place[rows], person[rows], metric, tuple(systems), generator)
    settings = {
        **scores.settings,
        "combine": combine,
        "combined rows": int(counts[counts > 1].sum()),
    }
    dropped = {"missing or not finite": n_missing}
    return ranking_of(replace(scores, settings=settings), level, generator, seed, dropped=dropped)


def refuse_item_as_user(user: str, item: str) -> None:
    """Refuse to take different raters of an item for one person who rated it repeatedly."""
    if user == item:
        raise InputError(
            where="user",
            found=f"the same column as the item, {item!r}",
            needed="who rated: several raters of one item are not one person asked several times, "
            "and a rater who favours a system does so on every item",
            cure="Name the column that says who rated: rater=... and leave out the user.",
        )


def _refuse_differing(
    columns: Mapping[str, NDArray[Any]], item: IntArray, rater: IntArray, names: Sequence[str]
) -> None:
    """Refuse predictions that differ between the rows of one rater for one item."""
    order = np.lexsort((rater, item))
    is_same_cell = (np.diff(item[order]) == 0) & (np.diff(rater[order]) == 0)
    for name in names:
        n_differing = int(np.sum(is_same_cell & (np.diff(columns[name][order]) != 0)))
        if n_differing:
            raise InputError(
                where=_column(name),
                found=f"{n_differing} times another prediction for the same item and rater",
                needed="one prediction per item and rater, the same in all its rows",
                cure="Give one prediction, or name a column that tells the items apart.",
            )


def _scores(
    losses: FloatArray,
    item: IntArray,
    rater: IntArray,
    metric: str,
    systems: tuple[str, ...],
    generator: np.random.Generator,
) -> JointScores:
    n_raters = int(rater.max()) + 1
    fitted = clustered_means(losses, item, rater, step=smallest_step(losses))
    joint = joint_means(fitted.means, fitted.components, generator=generator)
    # With few raters the uncertainty may exceed the losses, within which every mean lies.
    widest = float(np.ptp(losses))
    means, sds = fitted.means, np.minimum(joint.own_sds, widest)
    if metric == "rmse":
        means = np.sqrt(fitted.means)
        sds = np.minimum(sds / np.where(means > 0, 2 * means, 1.0), np.ptp(np.sqrt(losses)))
    knows_raters = n_raters > 1
    return JointScores(
        systems=systems,
        metric=metric,
        paired=True,
        method="items and raters as samples (two-way clusters)"
        if knows_raters
        else "items as a sample (one rater)",
        n=int(item.max()) + 1,
        means=means,
        sds=sds,
        differences=fitted.means[:, None] - fitted.means,
        difference_variances=np.minimum(joint.apart_sds, widest) ** 2,
        difference_scale="mae" if metric == "mae" else "mse",
        draws=joint.draws,
        doubt="items and raters" if knows_raters else "items",
        settings={
            "ratings": len(losses),
            "raters": n_raters,
            "effective raters": effective_raters(item, rater),
            "draws": len(joint.draws),
        },
    )


def _columns(
    ratings: Any,  # noqa: ANN401 - any frame
    predicted: Any,  # noqa: ANN401 - any frame, or None
    systems: Mapping[str, str],
    roles: tuple[str, str, str],
) -> dict[str, NDArray[Any]]:
    """Return the columns of both tables, the predictions brought to their ratings."""
    names = list(dict.fromkeys(systems.values()))
    if predicted is None:
        return dict(frame_columns(ratings, [*roles, *names], where=_WHERE))
    columns = dict(frame_columns(ratings, list(roles), where=_WHERE))
    keys = [role for role in roles[:2] if role in frame_column_names(predicted)] or [roles[0]]
    table = frame_columns(predicted, [*keys, *names], where=_PREDICTED)
    row_of = {
        key: row for row, key in enumerate(zip(*(table[k].tolist() for k in keys), strict=True))
    }
    if len(row_of) < len(table[keys[0]]):
        raise InputError(
            where=_PREDICTED,
            found="several rows for one item",
            needed=f"one row per {' and '.join(keys)}",
            cure="Remove the duplicates.",
        )
    wanted = zip(*(columns[key].tolist() for key in keys), strict=True)
    rows = np.array([row_of.get(key, -1) for key in wanted], dtype=np.int64)
    for name in names:
        known = as_numbers(table[name], where=f"{_PREDICTED}, column {name!r}")
        # An item without a prediction counts as missing.
        columns[name] = np.where(rows >= 0, known[rows], np.nan)
    return columns


def _codes(column: NDArray[Any], name: str) -> IntArray:
    levels = distinct(column, where=_column(name))
    return codes_of(column, levels, where=_column(name))


def _column(name: str) -> str:
    return f"{_WHERE}, column {name!r}"


def _need_two(item: IntArray, n_systems: int, name: str) -> None:
    if n_systems < 2:
        raise InputError(
            where=_PREDICTED,
            found=f"{n_systems} system",
            needed="at least two systems to rank",
            cure="Add another system, for instance the constant prediction of the mean.",
        )
    if int(item.max()) == 0:
        raise InputError(
            where=_column(name),
            found="one item",
            needed="at least two items: how much they differ is not known from one",
            cure="Name the column that says what was rated.",
        )


# Rank systems straight from ratings: repeated by the same people, or given by several raters.


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
