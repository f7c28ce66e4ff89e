"""Ratings and predictions gathered into each user's list.

In: tables of ratings and of predictions. Out: `RatedLists`, sorted by user and item. Absent: scores
of lists (see `decide.list_scores`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from howgood.decide.scores import refuse_huge
from howgood.errors import (
    DroppedRowsWarning,
    InputError,
    LengthMismatchError,
    announce,
    check_one_of,
)
from howgood.learn.feedback import rating_uncertainty
from howgood.records.levels import codes_of, distinct
from howgood.records.missing import complete_rows
from howgood.records.table import as_numbers, frame_column_names, frame_columns
from howgood.stats.arrays import FloatArray, IntArray
from howgood.stats.steps import smallest_step

UNRATED = ("error", "drop", "zero")
UNLISTED = ("error", "last")

_WHERE, _PREDICTIONS = "ratings", "predictions"
_SPREAD, _ROW = "howgood_sd", "howgood_row"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListColumns:
    """Which columns say who rated what and how; what becomes of rows that do not fit."""

    user: str
    item: str
    rating: str
    missing: str
    once: str
    unrated: str
    unlisted: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RatedLists:
    """What users think of their items, and every system's score for them: a row per pair.

    `scores` has shape (n, K); minus infinity says that an item is not in a system's list. `given`
    holds the ratings themselves, pair by pair from `starts` on, as many as `counts` says. `step`,
    `lowest` and `highest` are those of the rating scale, as far as it was used.
    """

    systems: tuple[str, ...]
    user: IntArray
    mean: FloatArray
    sd: FloatArray
    trials: FloatArray
    scores: FloatArray
    given: FloatArray
    starts: IntArray
    counts: IntArray
    step: float
    lowest: float
    highest: float
    n_ratings: int
    dropped: dict[str, int]

    @property
    def one_sd(self) -> FloatArray:
        """How far one rating lies from the mean of many: ddof 1 where several were given."""
        many = np.isfinite(self.trials) & (self.trials >= 2)
        trials = np.where(many, self.trials, 2.0)
        return self.sd * np.sqrt(np.where(many, trials / (trials - 1), 1.0))

    @property
    def n_users(self) -> int:
        """How many users have a list."""
        return int(self.user[-1]) + 1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Pairs:
    """Rated pairs sorted by their key (user, then item); `rows` is the pair of each kept row."""

    key: IntArray
    rows: IntArray
    kept: IntArray
    mean: FloatArray
    sd: FloatArray
    trials: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Predicted:
    """Scores (n, K) of pairs, known by their key; users who rated nothing are left out."""

    systems: tuple[str, ...]
    key: IntArray
    scores: FloatArray
    n_strangers: int = 0


def rated_lists(
    predictions: Any,  # noqa: ANN401 - a frame, columns, or a mapping of arrays
    ratings: Any,  # noqa: ANN401 - any frame narwhals knows, or a mapping of columns
    *,
    columns: ListColumns,
    sd: str | float | ArrayLike | None,
    trials: float,
) -> RatedLists:
    """Gather users' lists; refuse or count what does not fit."""
    check_one_of(columns.unrated, UNRATED, where="unrated")
    check_one_of(columns.unlisted, UNLISTED, where="unlisted")
    named = _columns_named(predictions)
    table = _table(ratings, columns, list(named.values()), sd)
    predicted_table = None if named else _predicted_table(predictions, columns)
    users = distinct(_present_values(table[columns.user]), where=_WHERE)
    items = distinct(_present_values(table[columns.item]), where=_WHERE)
    if predicted_table is not None:
        more = distinct(predicted_table[columns.item], where=_PREDICTIONS)
        codes_of(more, items, where=_PREDICTIONS)  # refuses text where there were numbers
        items = np.union1d(items, more)
    pairs, n_missing = _pairs(table, columns, users, items, trials)
    if predicted_table is not None:
        predicted = _joined(predicted_table, columns, users, items)
    else:
        arrays = {name: table[column] for name, column in named.items()} or predictions
        predicted = _aligned(arrays, pairs, len(table[columns.rating]))
    merged, scores, n_unrated = _merged(pairs, predicted, columns.unrated)
    dropped = {
        "missing or not finite": n_missing,
        "predicted, of a user without ratings": predicted.n_strangers,
        "predicted, but not rated": n_unrated if columns.unrated == "drop" else 0,
    }
    scores = _listed(scores, predicted.systems, columns.unlisted)
    user = np.unique(merged.key // len(items), return_inverse=True)[1]
    given = table[columns.rating][pairs.kept]
    return _lists_of(merged, user, given, predicted.systems, scores, dropped)


def _lists_of(
    merged: _Pairs,
    user: IntArray,
    values: FloatArray,
    systems: tuple[str, ...],
    scores: FloatArray,
    dropped: dict[str, int],
) -> RatedLists:
    order = np.argsort(merged.rows, kind="stable")
    counts = np.bincount(merged.rows, minlength=len(merged.key))
    return RatedLists(
        systems=systems,
        user=user,
        mean=merged.mean,
        sd=merged.sd,
        trials=merged.trials,
        scores=scores,
        given=values[order],
        starts=np.concatenate([[0], np.cumsum(counts)[:-1]]),
        counts=counts,
        step=smallest_step(values),
        lowest=float(min(values.min(), merged.mean.min())),
        highest=float(values.max()),
        n_ratings=len(values),
        dropped=dropped,
    )


def _present_values(column: NDArray[Any]) -> NDArray[Any]:
    """Return the values that are there."""
    if column.dtype.kind != "O":
        return column[~np.isnan(column)] if column.dtype.kind == "f" else column
    there = [value for value in column.tolist() if value is not None and value == value]
    return np.array(there, dtype=object)


def _columns_named(predictions: Any) -> dict[str, str]:  # noqa: ANN401 - foreign data enters here
    """Return system -> column of the ratings, where predictions are said by columns' names."""
    if isinstance(predictions, list | tuple):
        return {str(name): str(name) for name in predictions}
    if isinstance(predictions, Mapping) and all(isinstance(v, str) for v in predictions.values()):
        return dict(predictions)
    return {}


def _predicted_table(
    predictions: Any,  # noqa: ANN401 - any frame, or a mapping
    columns: ListColumns,
) -> dict[str, NDArray[Any]] | None:
    """Return the table of predictions, where it has users and items of its own."""
    present = frame_column_names(predictions)
    if columns.user not in present or columns.item not in present:
        return None
    return frame_columns(predictions, present, where=_PREDICTIONS)


def _table(
    ratings: Any,  # noqa: ANN401 - any frame
    columns: ListColumns,
    further: list[str],
    sd: str | float | ArrayLike | None,
) -> dict[str, NDArray[Any]]:
    names = [columns.user, columns.item, columns.rating, *further]
    table = frame_columns(ratings, [*names, *([sd] if isinstance(sd, str) else [])], where=_WHERE)
    where = f"{_WHERE}, column {columns.rating!r}"
    values = as_numbers(table[columns.rating], where=where)
    refuse_huge(values[np.isfinite(values)], where=where, what="rating")
    table[columns.rating] = values
    if sd is not None:
        table[_SPREAD] = _spread(table, sd, len(values))
    return table


def _spread(
    table: Mapping[str, NDArray[Any]], sd: str | float | ArrayLike, n_rows: int
) -> FloatArray:
    where = f"{_WHERE}, column {sd!r}" if isinstance(sd, str) else "sd"
    spread = as_numbers(table[sd] if isinstance(sd, str) else sd, where=where)
    if spread.ndim == 0:
        spread = np.full(n_rows, float(spread))
    if len(spread) != n_rows:
        raise LengthMismatchError(
            where="rank_lists", lengths={"ratings": n_rows, "sd": len(spread)}
        )
    if not np.all(np.isfinite(spread)) or (spread < 0).any():
        raise InputError(
            where=where,
            found="a value that is negative, missing or infinite",
            needed="standard deviations: numbers of 0 or more",
            cure="Correct the sd; 0 says that a rating would come out the same again.",
        )
    refuse_huge(spread, where=where, what="standard deviation")
    return spread


def _pairs(
    table: dict[str, NDArray[Any]],
    columns: ListColumns,
    users: NDArray[Any],
    items: NDArray[Any],
    trials: float,
) -> tuple[_Pairs, int]:
    """Return one row per pair, and the number of rows left out."""
    wanted = {name: table[name] for name in (columns.user, columns.item, columns.rating)}
    complete, n_missing = complete_rows(
        {**wanted, _ROW: np.arange(len(table[columns.rating]))},
        missing=columns.missing,
        where=_WHERE,
        numbers=[columns.rating],
    )
    kept, values = complete[_ROW], complete[columns.rating]
    user = codes_of(complete[columns.user], users, where=_WHERE)
    item = codes_of(complete[columns.item], items, where=_WHERE)
    key, first, rows, counts = np.unique(
        user * len(items) + item, return_index=True, return_inverse=True, return_counts=True
    )
    if _SPREAD in table:
        _refuse_repeats(counts)
        sd, number = table[_SPREAD][kept][first], np.full(len(key), trials)
        return _Pairs(key=key, rows=rows, kept=kept, mean=values[first], sd=sd,
                      trials=number), n_missing  # fmt: skip
    _refuse_singles(counts)
    uncertainty = rating_uncertainty(
        {"user": user, "item": item, "rating": values}, once=columns.once
    )
    spared = np.asarray(uncertainty["user"] * len(items) + uncertainty["item"])
    place = np.full(len(key), -1)
    place[np.searchsorted(key, spared)] = np.arange(len(spared))
    is_spared = place[rows] >= 0
    mean, sd, number = (
        np.asarray(uncertainty[name], np.float64) for name in ("mean", "sd", "trials")
    )
    return _Pairs(key=spared, rows=place[rows][is_spared], kept=kept[is_spared], mean=mean, sd=sd,
                  trials=number), n_missing  # fmt: skip


def _refuse_repeats(counts: IntArray) -> None:
    if counts.max() > 1:
        raise InputError(
            where=_WHERE,
            found=f"{int((counts > 1).sum())} pairs of user and item rated several times, and an "
            "sd",
            needed="either repeated ratings, which show how far people vary, or an sd",
            cure="Leave out sd, or keep one rating per pair.",
        )


def _refuse_singles(counts: IntArray) -> None:
    if counts.max() == 1:
        raise InputError(
            where=_WHERE,
            found="one rating per user and item, and no sd",
            needed="how far a rating varies when the same person is asked again",
            cure="Say it: sd=0.7, or a column of the ratings; sd=0 ignores the noise.",
        )


def _aligned(
    arrays: Any,  # noqa: ANN401 - a mapping, or a frame with a column per system
    pairs: _Pairs,
    n_rows: int,
) -> _Predicted:
    """Return the systems' scores of each pair, from columns as long as the ratings."""
    systems = tuple(frame_column_names(arrays))
    columns = frame_columns(arrays, systems, where=_PREDICTIONS)
    scores = np.empty((len(pairs.key), len(systems)))
    for place, name in enumerate(systems):
        values = as_numbers(columns[name], where=f"predictions[{name!r}]")
        if len(values) != n_rows:
            raise LengthMismatchError(
                where="rank_lists", lengths={"ratings": n_rows, name: len(values)}
            )
        mine = values[pairs.kept]
        scores[pairs.rows, place] = mine
        differs = (scores[pairs.rows, place] != mine) & ~np.isnan(mine)
        if differs.any():
            raise InputError(
                where=f"predictions[{name!r}]",
                found="different predictions for repeated ratings of one user and item",
                needed="one prediction per user and item",
                cure="Correct the column: it is the rating that is repeated.",
            )
    return _Predicted(systems=systems, key=pairs.key, scores=scores)


def _joined(
    table: Mapping[str, NDArray[Any]],
    columns: ListColumns,
    users: NDArray[Any],
    items: NDArray[Any],
) -> _Predicted:
    """Return the systems' scores of each predicted pair."""
    systems = tuple(name for name in table if name not in (columns.user, columns.item))
    user = codes_of(table[columns.user], users, where=_PREDICTIONS)
    item = codes_of(table[columns.item], items, where=_PREDICTIONS)
    is_known = user >= 0
    key = (user * len(items) + item)[is_known]
    order = np.argsort(key, kind="stable")
    key = key[order]
    if (np.diff(key) == 0).any():
        raise InputError(
            where=_PREDICTIONS,
            found=f"{int((np.diff(key) == 0).sum())} pairs of user and item given twice",
            needed="one row per user and item",
            cure="Remove the repeated rows.",
        )
    if not len(key):
        raise InputError(
            where=_PREDICTIONS,
            found="no user who is in the ratings",
            needed="predictions for the users who rated",
            cure="Check the columns that say who and what.",
        )
    arrays = [as_numbers(table[name], where=f"predictions, column {name!r}") for name in systems]
    scores = np.column_stack(arrays)[is_known][order] if arrays else np.empty((len(key), 0))
    n_strangers = int((~is_known).sum())
    if n_strangers:
        announce(
            f"predictions: {n_strangers} rows left out, of users without a rating",
            DroppedRowsWarning,
        )
    return _Predicted(systems=systems, key=key, scores=scores, n_strangers=n_strangers)


def _merged(pairs: _Pairs, predicted: _Predicted, unrated: str) -> tuple[_Pairs, FloatArray, int]:
    """Return pairs with a score per system (NaN: none), and how many were never rated."""
    is_rated = np.isin(predicted.key, pairs.key, assume_unique=True)
    n_unrated = int((~is_rated).sum())
    if n_unrated and unrated == "error":
        raise InputError(
            where=_PREDICTIONS,
            found=f"{n_unrated} of {len(is_rated)} pairs that nobody rated",
            needed="a rating of every item in the lists",
            cure="Leave these items out of the lists (unrated='drop'), or count them as worthless "
            "(unrated='zero'), as tools for search engines do.",
        )
    key = pairs.key
    if unrated == "zero":
        key = np.union1d(key, predicted.key)
    else:
        predicted = replace(
            predicted, key=predicted.key[is_rated], scores=predicted.scores[is_rated]
        )
    scores = np.full((len(key), len(predicted.systems)), np.nan)
    scores[np.searchsorted(key, predicted.key)] = predicted.scores
    at = np.searchsorted(key, pairs.key)
    # Nothing is known about an item nobody rated: it is worth 0, and stays so.
    mean, sd, trials = np.zeros(len(key)), np.zeros(len(key)), np.full(len(key), np.inf)
    mean[at], sd[at], trials[at] = pairs.mean, pairs.sd, pairs.trials
    merged = replace(pairs, key=key, rows=at[pairs.rows], mean=mean, sd=sd, trials=trials)
    return merged, scores, n_unrated


def _listed(scores: FloatArray, systems: tuple[str, ...], unlisted: str) -> FloatArray:
    """Return scores in which an item without one is behind the list."""
    absent = ~np.isfinite(scores)
    if unlisted == "error" and absent.any():
        worst = int(np.argmax(absent.sum(axis=0)))
        raise InputError(
            where=f"predictions of {systems[worst]!r}",
            found=f"no score for {int(absent[:, worst].sum())} of {len(scores)} rated items",
            needed="a score for every rated item",
            cure="Add them, or say that items without a score are not in the list: "
            "unlisted='last'.",
        )
    return np.where(absent, -np.inf, scores)
