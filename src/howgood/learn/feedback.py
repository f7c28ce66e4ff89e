"""How far people's feedback can be trusted, from ratings they repeated.

In: a long table of user, item, (trial,) rating, on any engine. Out: mean, sd and number of trials
per user-item pair; how many answer categories people use; the magic barrier with its doubt.
Absent: sd without repeats (see `learn.rated_once`), and the barrier of given spreads
(`score.magic_barrier`).
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from howgood.errors import DroppedRowsWarning, InputError, announce
from howgood.learn.rated_once import check_once, with_spreads, without_gaps
from howgood.records.engine_frame import EngineFrame
from howgood.records.estimate import Estimate
from howgood.records.provenance import Provenance
from howgood.records.rater_consistency import RaterConsistency
from howgood.records.table import Table, frame_columns
from howgood.stats.arrays import FloatArray
from howgood.stats.bootstrap import ratio_draws, summed_by_group, widened

_WHERE = "ratings"
OWN_NAMES = ("mean", "sd", "trials")
_DRAWS = 4000


def rating_uncertainty(
    ratings: Any,  # noqa: ANN401 - any frame narwhals knows, or a mapping of columns
    *,
    user: str = "user",
    item: str = "item",
    rating: str = "rating",
    trial: str | None = None,
    keep: Sequence[str] = (),
    missing: str = "error",
    once: str | None = None,
) -> Any:  # noqa: ANN401 - the kind of frame that came in
    r"""Estimate mean and standard deviation of each pair's feedback from repeated ratings.

    Parameters
    ----------
    ratings : pandas, Polars (eager or lazy), PyArrow, DuckDB, Spark, `Table` or dict of columns
        One row per rating.
    user, item, rating : str
        Columns; together, user and item say which ratings are repeats of each other. Several
        people who rated an item once are no repeats: see `decide.rank_ratings` with `rater`.
    trial : str, optional
        Column that numbers the repeats. Given, the same trial twice for one pair is an error.
    keep : sequence of str
        Further columns to carry along, such as predictions; each must be the same in all rows
        of a pair. With "drop", a value missing in some of a pair's rows is taken from its others.
    missing : {"error", "drop"}
        What to do with ratings that are missing or not finite. "drop" leaves them out and warns
        with the count (`DroppedRowsWarning`).
    once : {"error", "drop", "borrow"}, optional
        What to do with pairs rated only once, which do not show how far they would vary; as
        `missing` where nothing is said. "borrow" keeps them, and gives them the pooled sd of the
        pairs rated more often (at least 100), as if they varied alike; a `BorrowedSpreadWarning`
        says so.

    Returns
    -------
    frame
        user, item, mean, sd (ddof 0), trials, and the `keep` columns: one row per pair, as the
        kind of frame that came in. A borrowed sd (trials 1) is that of one rating. Lazy frames
        stay lazy, in no particular row order, and the checks above run as queries first; in
        memory, rows are sorted by user and item.

    Notes
    -----
    Few trials bias what is computed from them; there are three rules, and howgood applies them
    where they belong when it is given the number of trials:

    1. *Expected score*: use the sd with ddof 0, as given here. With n trials
       :math:`E[(\bar x-\pi)^2] = \Delta^2 + \sigma^2/n` and
       :math:`E[s_0^2] = \sigma^2(1-1/n)`, so their sum is unbiased for
       :math:`\Delta^2+\sigma^2`; ddof 1 would count :math:`\sigma^2/n` twice.
    2. *Variance of a paired difference* and the magic barrier: ddof 1, `unbiased_variance`.
    3. *Fourth powers* (the variance of one system's score): the squared ddof 1 variance times
       :math:`(n-1)/(n+1)`, `unbiased_fourth_power`.

    Stability: stable

    Examples
    --------
    >>> table = rating_uncertainty({"user": [1, 1, 1, 2, 2], "item": [7, 7, 7, 7, 7],
    ...                             "rating": [3, 4, 5, 2, 2]})
    >>> table["mean"], table["trials"]
    (array([4., 2.]), array([3, 2]))
    """
    import narwhals as nw

    check_once(once or "error")
    source = EngineFrame.of(ratings, where=_WHERE)
    keys = list(dict.fromkeys([user, item]))
    source.require([*keys, *keep, *([trial] if trial else [])], numeric=[rating])
    _refuse_own_names([*keys, *keep])
    source = without_gaps(source, keys, rating, missing)
    if trial is not None:
        _refuse_repeated_trials(source, [*keys, trial])
    value = nw.col(rating).cast(nw.Float64)
    kept = [name for name in keep if name not in keys]
    present = {f"howgood_has_{name}": _is_present(source, name) for name in kept}
    pairs = source.frame.with_columns(howgood_value=value, **present).group_by(*keys)
    grouped = source.replace(
        pairs.agg(
            nw.col("howgood_value").mean().alias("mean"),
            nw.col("howgood_value").std(ddof=0).alias("sd"),
            nw.len().alias("trials"),
            *(nw.col(name).min().alias(name) for name in kept),
            *(nw.col(name).max().alias(f"howgood_most_{name}") for name in kept),
            *(nw.col(f"howgood_has_{name}").sum() for name in kept),
        )
    )
    _check_kept(grouped, kept, missing)
    repeated = with_spreads(grouped, once=once or missing)
    trials = nw.col("trials").cast(nw.Int64)
    result = repeated.frame.select(*keys, "mean", "sd", trials, *kept)
    return repeated.replace(result).native(order=keys)


def rater_consistency(
    ratings: Any,  # noqa: ANN401 - any frame narwhals knows, or a mapping of columns
    *,
    user: str = "user",
    item: str = "item",
    rating: str = "rating",
    missing: str = "error",
) -> RaterConsistency:
    """Count how many answer categories people use for the same item.

    Parameters
    ----------
    ratings, user, item, rating, missing
        As in `rating_uncertainty`.

    Returns
    -------
    RaterConsistency
        `.pair_shares`, `.user_shares` (one, two, three or more), `.table()` with intervals over
        users.

    Notes
    -----
    Stability: stable

    Examples
    --------
    >>> ratings = {"user": [1, 1, 2, 2], "item": [5, 5, 5, 5], "rating": [3, 3, 2, 4]}
    >>> rater_consistency(ratings).pair_shares
    {'one': 0.5, 'two': 0.5, 'three or more': 0.0}
    """
    import narwhals as nw

    source = EngineFrame.of(ratings, where=_WHERE)
    source.require([user, item], numeric=[rating])
    source = without_gaps(source, [user, item], rating, missing)
    # Distinct ratings first: engines differ in how they count distinct values within groups.
    distinct = source.frame.select(user, item, rating).unique()
    per_pair = distinct.group_by(user, item).agg(nw.len().alias("categories"))
    per_user = per_pair.group_by(user).agg(nw.col("categories").max())
    n_pairs, n_users = (_by_kind(source.replace(frame)) for frame in (per_pair, per_user))
    return RaterConsistency(
        pairs=n_pairs,
        users=n_users,
        pairs_by_user=_by_user(per_pair, user),
        provenance=Provenance(
            method="distinct ratings per user-item pair",
            settings={"user": user, "item": item, "rating": rating, "missing": missing},
            rows_used=sum(n_pairs),
        ),
    )


def unbiased_variance(sd: ArrayLike, trials: ArrayLike) -> FloatArray:
    r"""Return the ddof 1 variance :math:`s_1^2 = s_0^2\,n/(n-1)` from a ddof 0 sd of n trials.

    Notes
    -----
    For the variance of a paired difference and for the magic barrier.

    Stability: stable

    Examples
    --------
    >>> unbiased_variance(2.0, 5)
    array(5.)
    """
    n = _checked_trials(trials)
    return np.asarray(np.asarray(sd, dtype=np.float64) ** 2 * n / (n - 1))


def unbiased_fourth_power(sd: ArrayLike, trials: ArrayLike) -> FloatArray:
    r"""Return :math:`s_1^4\,(n-1)/(n+1)`, unbiased for :math:`\sigma^4` of Gaussian feedback.

    Notes
    -----
    `sd` is the ddof 0 sd of n trials; :math:`E[s_1^4] = \sigma^4 (n+1)/(n-1)`.

    Stability: stable

    Examples
    --------
    >>> round(float(unbiased_fourth_power(2.0, 5)), 4)
    16.6667
    """
    n = _checked_trials(trials)
    return np.asarray(unbiased_variance(sd, n) ** 2 * (n - 1) / (n + 1))


def _checked_trials(trials: ArrayLike) -> FloatArray:
    n = np.asarray(trials, dtype=np.float64)
    if (n < 2).any():
        raise InputError(
            where="trials",
            found=f"{int((n < 2).sum())} values below 2",
            needed="at least 2 ratings per pair, else there is no spread to see",
            cure="Leave those pairs out.",
        )
    return n


def _refuse_own_names(columns: Sequence[str]) -> None:
    taken = [name for name in columns if name in OWN_NAMES]
    if taken:
        raise InputError(
            where=f"{_WHERE}, column {taken[0]!r}",
            found="the name of a column of the result",
            needed=f"other names than {', '.join(OWN_NAMES)} for users, items and kept columns",
            cure="Rename the column first.",
        )


def _refuse_repeated_trials(source: EngineFrame, columns: list[str]) -> None:
    import narwhals as nw

    counts = source.frame.group_by(*columns).agg(nw.len().alias("howgood_n"))
    again = nw.when(nw.col("howgood_n") > 1).then(1).otherwise(0).sum()
    n_again = int(source.replace(counts).one_row(n=again)["n"] or 0)
    if n_again:
        raise InputError(
            where=f"{_WHERE}, column {columns[-1]!r}",
            found=f"{n_again} trials that occur more than once for the same pair",
            needed="each trial once per user and item",
            cure="Remove the duplicates, or leave `trial` out if they are further repeats.",
        )


def _check_kept(grouped: EngineFrame, kept: list[str], missing: str) -> None:
    """Refuse `keep` values that change within a pair, or that stand in some of its rows only."""
    import narwhals as nw

    def count(condition: Any) -> Any:  # noqa: ANN401 - narwhals expressions
        return nw.when(condition).then(1).otherwise(0).sum()

    if not kept:
        return
    counted = grouped.one_row(
        **{f"howgood_gap_{name}": count(_is_partial(name)) for name in kept},
        **{name: count(nw.col(name) != nw.col(f"howgood_most_{name}")) for name in kept},
    )
    for name in kept:
        if counted[name]:
            raise InputError(
                where=f"{_WHERE}, column {name!r}",
                found=f"{counted[name]} pairs with several values",
                needed="one value per user and item, the same in all its rows",
                cure="Give one prediction per pair.",
            )
        _mention_gaps(int(counted[f"howgood_gap_{name}"] or 0), name, missing)


def _is_present(source: EngineFrame, name: str) -> Any:  # noqa: ANN401 - a narwhals expression
    """Return 1 where a kept value stands, 0 where it is missing or no finite number."""
    import narwhals as nw

    column = nw.col(name)
    is_there = ~column.is_null()
    if source.frame.collect_schema()[name].is_numeric():
        is_there = is_there & column.cast(nw.Float64).is_finite()
    return nw.when(is_there).then(1).otherwise(0)


def _is_partial(name: str) -> Any:  # noqa: ANN401 - a narwhals expression
    """Say whether a kept value stands in some rows of a pair, but not in all."""
    import narwhals as nw

    n_present = nw.col(f"howgood_has_{name}")
    return (n_present > 0) & (n_present < nw.col("trials"))


def _mention_gaps(n_pairs: int, name: str, missing: str) -> None:
    """Refuse a value that stands in some rows of a pair only, or say that the others fill it."""
    if not n_pairs:
        return
    if missing == "error":
        raise InputError(
            where=f"{_WHERE}, column {name!r}",
            found=f"{n_pairs} pairs with a value in some of their rows only",
            needed="the same value in all rows of a pair",
            cure="Fill them in, or take the pair's other rows for it by name: missing='drop'.",
        )
    announce(
        f"{_WHERE}, column {name!r}: {n_pairs} pairs have a value in some of their rows only; "
        "it counts for the whole pair",
        DroppedRowsWarning,
    )


def _by_kind(counted: EngineFrame) -> tuple[int, int, int]:
    one, two, more = counted.one_row(**{n: kind.sum() for n, kind in _kinds().items()}).values()
    return int(one), int(two), int(more)


def _by_user(per_pair: Any, user: str) -> dict[tuple[int, int, int], int]:  # noqa: ANN401 - any lazy frame
    """Return how many users have the same three counts of pairs: few rows to bring home."""
    import narwhals as nw

    names = list(_kinds())
    each_user = per_pair.with_columns(**_kinds()).group_by(user).agg(nw.col(*names).sum())
    alike = each_user.group_by(*names).agg(nw.len().alias("howgood_n"))
    names.append("howgood_n")
    columns = frame_columns(alike.to_native(), names, where=_WHERE)
    rows = np.column_stack([columns[name] for name in names]).astype(int).tolist()
    return {(one, two, more): n for one, two, more, n in sorted(rows)}


def _kinds() -> dict[str, Any]:
    import narwhals as nw

    n = nw.col("categories")
    conditions = {"howgood_one": n == 1, "howgood_two": n == 2, "howgood_more": n > 2}
    return {name: nw.when(condition).then(1).otherwise(0) for name, condition in conditions.items()}


def barrier_of(feedback: Table, *, most: float, seed: int) -> Estimate:
    """Return the magic barrier with a 95 % interval over people.

    The Bayesian bootstrap over people, of the logarithm, widened for their number and cut at
    `most`, the greatest noise the scale has room for. One person alone stands for nobody else:
    then the interval is over that person's items.
    """
    generator = np.random.default_rng(seed)
    variances = unbiased_variance(feedback["sd"], feedback["trials"])
    people, unit = np.unique(feedback["user"], return_inverse=True)
    if len(people) == 1:
        unit = np.arange(len(variances))
    sums = summed_by_group(np.column_stack([variances, np.ones_like(variances)]), unit)
    centre = float(variances.mean())
    squares = np.full(_DRAWS, centre)
    if centre > 0:  # else nobody ever wavered
        logs = np.log(ratio_draws(sums[:, :1], sums[:, 1:], draws=_DRAWS, generator=generator))
        logs = widened(
            logs[:, 0], math.log(centre), n_units=len(sums), n_fitted=1, generator=generator
        )
        squares = np.exp(np.minimum(logs, 2.0 * math.log(most)))
    estimate = Estimate.from_draws(np.sqrt(squares), kind="quantile", n_respondents=len(people))
    return replace(estimate, mean=math.sqrt(centre))
