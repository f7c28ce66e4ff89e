"""Every session of the same people by itself: scores, rankings, and whether sessions are alike.

In: a long table of user, item, session, rating and predictions. Out: `Sessions`. Absent: the
ranking that uses all sessions together (see `rank_ratings`), files.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howgood.decide.ranking import check_level
from howgood.errors import InputError, check_one_of
from howgood.records.levels import codes_of, distinct
from howgood.records.missing import complete_rows
from howgood.records.provenance import Provenance, versions_of
from howgood.records.ranking import Ordering
from howgood.records.sessions import Sessions
from howgood.records.table import as_numbers, frame_columns
from howgood.stats.arrays import FloatArray, IntArray
from howgood.stats.randomness import RandomState, generator_and_seed

_WHERE = "ratings"
_METRICS = ("rmse", "mse", "mae")
_ANSWER_SETS, _PERMUTATIONS, _LEAST_PERMUTATIONS = 4_000, 1_999, 199
_BUDGET, _AT_ONCE = 200_000_000, 500_000
_MOST_ORDERINGS = 24


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Rated:
    """Pairs rated in every session: who (P,), ratings (P, S), predictions (K, P)."""

    person: IntArray
    ratings: FloatArray
    predictions: FloatArray
    sessions: tuple[str, ...]
    n_incomplete: int


def rank_sessions(
    ratings: Any,  # noqa: ANN401 - any frame narwhals knows, or a mapping of columns
    *,
    predictions: Mapping[str, str] | Sequence[str],
    session: str = "trial",
    user: str = "user",
    item: str = "item",
    rating: str = "rating",
    metric: str = "rmse",
    missing: str = "error",
    level: float = 0.05,
    random_state: RandomState = 0,
) -> Sessions:
    r"""Score systems in every session of the same people, and test whether sessions are alike.

    Parameters
    ----------
    ratings : pandas, Polars (eager or lazy), PyArrow, DuckDB, Spark, `Table` or dict of columns
        One row per rating.
    predictions : mapping of system to column, or sequence of columns
        Columns of the ratings, the same in all rows of a user and item.
    session : str
        Column that says in which session a rating was given; sorted, its values are the order of
        sessions.
    user, item, rating : str
        Columns: who rated what how.
    metric : {"rmse", "mse", "mae"}
    missing : {"error", "drop"}
        What to do with rows that hold a missing value.
    level : float
        For `.are_exchangeable`.
    random_state : None, int or Generator
        For re-evaluations and permutations.

    Returns
    -------
    Sessions
        Scores per session, how often each ranking was observed and could have been (Fig. 1 and 2 of
        the paper), and p-values of exchangeability. Only pairs rated in all sessions count; the
        others are in `.provenance`.

    References
    ----------
    Jasberg and Sizov (2018), "Human Uncertainty and Ranking Error", Section 1, Fig. 1, 2.

    Notes
    -----
    If sessions are exchangeable, exchanging a person's sessions for one another changes nothing
    about how ratings are distributed: statistics are compared with those after random exchanges,
    for each person anew and for all of a person's items at once, so that a person's moods do not
    count as evidence. Rankings of several sessions (`rank_ratings`) take them as exchangeable.

    Stability: experimental

    Examples
    --------
    >>> from howgood.ask import simulate_ratings
    >>> table = dict(simulate_ratings(users=40, items=5, random_state=3))
    >>> table |= {"three": [3.0] * 1000, "four": [4.0] * 1000}
    >>> found = rank_sessions(table, predictions=["three", "four"])
    >>> found.n_pairs, len(found.sessions), found.are_exchangeable
    (200, 5, True)
    """
    check_level(level)
    check_one_of(metric, _METRICS, where="metric")
    systems = dict(predictions) if isinstance(predictions, Mapping) else {p: p for p in predictions}
    rated, n_missing = _read(ratings, systems, (user, item, session), rating, missing)
    generator, seed = generator_and_seed(random_state)
    scores = _scores(rated.ratings.T, rated.predictions, metric)
    draws = _re_evaluations(rated, metric, generator)
    p_values, n_permutations = _exchangeable(rated, generator)
    names = tuple(systems)
    return Sessions(
        sessions=rated.sessions,
        systems=names,
        metric=metric,
        scores=scores,
        observed=_orderings(scores, names),
        resampled=_orderings(draws, names)[:_MOST_ORDERINGS],
        score_draws=draws,
        p_values=p_values,
        least_p=_least_p(rated, n_permutations),
        mean_ratings=rated.ratings.mean(axis=0),
        n_pairs=len(rated.person),
        n_people=int(rated.person.max()) + 1,
        level=level,
        provenance=Provenance(
            method="scores per session; sessions exchanged within people",
            settings={
                "metric": metric, "permutations": n_permutations, "re-evaluations": len(draws),
                "pairs not rated in all sessions": rated.n_incomplete,
            },
            seed=seed,
            rows_used=rated.ratings.size,
            rows_dropped={"missing or not finite": n_missing} if n_missing else {},
            versions=versions_of("numpy"),
        ),
    )  # fmt: skip


def _read(
    ratings: Any,  # noqa: ANN401 - any frame
    systems: Mapping[str, str],
    keys: tuple[str, str, str],
    rating: str,
    missing: str,
) -> tuple[_Rated, int]:
    wanted = list(dict.fromkeys([*keys, rating, *systems.values()]))
    columns = dict(frame_columns(ratings, wanted, where=_WHERE))
    numbers = [rating, *dict.fromkeys(systems.values())]
    for name in numbers:
        columns[name] = as_numbers(columns[name], where=f"{_WHERE}, column {name!r}")
    kept, n_missing = complete_rows(columns, missing=missing, where=_WHERE, numbers=numbers)
    codes, levels = zip(*(_coded(kept[name], name) for name in keys), strict=True)
    person, thing, when = codes
    n_sessions = len(levels[2])
    _need(n_sessions >= 2, f"{n_sessions} in column {keys[2]!r}", "at least two sessions",
          "Name the column that says in which session a rating was given.")  # fmt: skip
    pair = np.unique(person * len(levels[1]) + thing, return_inverse=True)[1]
    cell = pair * n_sessions + when
    _need(len(np.unique(cell)) == len(cell), "several ratings of a user and item in one session",
          "one rating per user, item and session",
          "Number the sessions, or combine these ratings.")  # fmt: skip
    table = np.full((int(pair.max()) + 1, n_sessions), np.nan)
    table.reshape(-1)[cell] = kept[rating]
    is_complete = np.isfinite(table).all(axis=1)
    _need(bool(is_complete.any()), "no user and item rated in every session",
          f"pairs rated in all {n_sessions} sessions",
          "Leave out sessions that few people took part in.")  # fmt: skip
    first = np.full(len(table), -1)
    first[pair[::-1]] = np.arange(len(pair))[::-1]
    predicted = np.array([_same(kept[name], pair, first, name) for name in systems.values()])
    _, people = np.unique(person[first][is_complete], return_inverse=True)
    rated = _Rated(
        person=people,
        ratings=table[is_complete],
        predictions=predicted[:, is_complete],
        sessions=tuple(str(level) for level in levels[2].tolist()),
        n_incomplete=int(np.sum(~is_complete)),
    )
    return rated, n_missing


def _need(holds: bool, found: str, needed: str, cure: str) -> None:
    if not holds:
        raise InputError(where=f"{_WHERE}, sessions", found=found, needed=needed, cure=cure)


def _coded(column: NDArray[Any], name: str) -> tuple[IntArray, NDArray[Any]]:
    where = f"{_WHERE}, column {name!r}"
    levels = distinct(column, where=where)
    return codes_of(column, levels, where=where).astype(np.int64), levels


def _same(values: FloatArray, pair: IntArray, first: IntArray, name: str) -> FloatArray:
    """Return one prediction per pair; refuse predictions that differ between its rows."""
    predictions: FloatArray = values[first]
    if np.any(predictions[pair] != values):
        _need(False, f"column {name!r} differs between ratings of one user and item",
              "one prediction per user and item",
              "Give the prediction that was made once.")  # fmt: skip
    return predictions


def _scores(ratings: FloatArray, predictions: FloatArray, metric: str) -> FloatArray:
    """Return scores (R, K) of ratings (R, P) and predictions (K, P)."""
    away = np.abs(ratings[:, None, :] - predictions)
    means: FloatArray = (away if metric == "mae" else away**2).mean(axis=2)
    return np.sqrt(means) if metric == "rmse" else means


def _re_evaluations(rated: _Rated, metric: str, generator: np.random.Generator) -> FloatArray:
    """Return scores where every pair answers as in any one of its sessions (Fig. 1, 2)."""
    n_pairs, n_sessions = rated.ratings.shape
    size = n_pairs * len(rated.predictions)
    n_sets = int(np.clip(_BUDGET / size, 200, _ANSWER_SETS))
    rows, parts = np.arange(n_pairs), []
    for start in range(0, n_sets, 50):
        chosen = generator.integers(n_sessions, size=(min(50, n_sets - start), n_pairs))
        parts.append(_scores(rated.ratings[rows, chosen], rated.predictions, metric))
    return np.concatenate(parts)


def _orderings(scores: FloatArray, systems: tuple[str, ...]) -> tuple[Ordering, ...]:
    """Return the rankings of rows of scores and their shares; equal scores as systems stand."""
    counted = Counter(map(tuple, np.argsort(scores, axis=1, kind="stable").tolist()))
    return tuple(
        Ordering(tuple(systems[place] for place in order), count / len(scores))
        for order, count in counted.most_common()
    )


def _exchangeable(rated: _Rated, generator: np.random.Generator) -> tuple[dict[str, float], int]:
    """Return a p-value per question, and how many exchanges of sessions they rest on."""
    n_permutations = int(np.clip(_BUDGET / rated.ratings.size, _LEAST_PERMUTATIONS, _PERMUTATIONS))
    seen = _statistics(rated.ratings[None])[0]
    reached = np.zeros(len(seen))
    n_people, n_sessions = int(rated.person.max()) + 1, rated.ratings.shape[1]
    size = int(np.clip(_AT_ONCE / rated.ratings.size, 1, n_permutations))
    for start in range(0, n_permutations, size):
        n_now = min(size, n_permutations - start)
        order = np.argsort(generator.random((n_now, n_people, n_sessions)), axis=2)
        exchanged = np.take_along_axis(rated.ratings[None], order[:, rated.person], axis=2)
        reached += np.sum(_statistics(exchanged) >= seen * (1 - 1e-12) - 1e-300, axis=0)
    p_values = (1 + reached) / (1 + n_permutations)
    names = ("level", "spread", "order")
    return dict(zip(names, p_values.tolist(), strict=False)), n_permutations


def _statistics(ratings: FloatArray) -> FloatArray:
    """Return of ratings (B, P, S) how far sessions differ in mean and spread; how alike neighbours.

    Shape (B, 3); of two sessions, which are always neighbours, (B, 2).
    """
    centred = ratings - ratings.mean(axis=2, keepdims=True)
    level = np.sum(centred.mean(axis=1) ** 2, axis=1)
    spread = (centred**2).mean(axis=1)
    statistics = [level, np.sum((spread - spread.mean(axis=1, keepdims=True)) ** 2, axis=1)]
    if ratings.shape[2] > 2:
        # The mean product of neighbours: the larger, the more alike they are. Squares, which no
        # exchange changes, keep it above zero.
        products = np.sum(centred[:, :, 1:] * centred[:, :, :-1], axis=2).mean(axis=1)
        statistics.append(products + spread.sum(axis=1))
    return np.stack(statistics, axis=1)


def _least_p(rated: _Rated, n_permutations: int) -> float:
    """Return the smallest p-value there can be: few people allow for few exchanges."""
    n_people, n_sessions = int(rated.person.max()) + 1, rated.ratings.shape[1]
    log_exchanges = n_people * float(np.sum(np.log(np.arange(1, n_sessions + 1))))
    return max(1 / (1 + n_permutations), float(np.exp(-min(log_exchanges, 700.0))))
