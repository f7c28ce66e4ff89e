"""How far ratings might vary when nobody was asked twice: assumptions, named as such.

In: a table with one rating per pair, and an sd from elsewhere; or ratings with item attributes.
Out: mean and sd per pair, or an sd per user. Absent: repeated ratings (see `learn.feedback`),
which beat every assumption here.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from howgood.errors import InputError, NoEvidenceWarning, announce
from howgood.learn.feedback import without_gaps
from howgood.records.engine_frame import EngineFrame
from howgood.records.table import Table

_WHERE = "ratings"


def assumed_uncertainty(
    ratings: Any,  # noqa: ANN401 - any frame narwhals knows, or a mapping of columns
    *,
    sd: Any,  # noqa: ANN401 - a number, or a frame of sds
    user: str = "user",
    item: str = "item",
    rating: str = "rating",
    keep: Sequence[str] = (),
    missing: str = "error",
) -> Any:  # noqa: ANN401 - the kind of frame that came in
    """Give every rating an sd that was assumed or measured elsewhere.

    Parameters
    ----------
    ratings : any frame or dict of columns
        One rating per pair.
    sd : number, or frame with columns `user` (or `item`) and "sd"
        One sd for all, one per user (for instance from `rating_coherence`), or one per item. A
        lazy `ratings` needs the frame of sds on the same engine.
    user, item, rating : str
        Columns.
    keep : sequence of str
        Further columns to carry along, such as predictions.
    missing : {"error", "drop"}
        What to do with ratings that are missing or not finite.

    Returns
    -------
    frame
        user, item, mean (the rating itself), sd, trials (1) and the `keep` columns, as the kind
        of frame that came in.

    Notes
    -----
    Hand on all three: `decide.rank(..., mean=found["mean"], sd=found["sd"],
    trials=found["trials"])`. A single rating holds its noise already. Taken as a known mean
    (without trials), that noise would count twice in every score, and a re-rating, which differs
    from the first with variance 2 sd^2, would be said to flip too few orders.

    Stability: experimental

    Examples
    --------
    >>> ratings = {"user": [1, 2], "item": [7, 7], "rating": [3, 5]}
    >>> assumed_uncertainty(ratings, sd=0.6)["sd"]
    array([0.6, 0.6])
    >>> assumed_uncertainty(ratings, sd={"user": [1, 2], "sd": [0.0, 0.9]})["sd"]
    array([0. , 0.9])
    """
    import narwhals as nw

    source = EngineFrame.of(ratings, where=_WHERE)
    source.require([user, item, *keep], numeric=[rating])
    source = without_gaps(source, [user, item], rating, missing)
    mean = nw.col(rating).cast(nw.Float64).alias("mean")
    kept = [name for name in keep if name not in (user, item)]
    if isinstance(sd, int | float | np.number) and not isinstance(sd, bool):
        _check_spread(float(sd))
        frame = source.frame.with_columns(mean).with_columns(sd=nw.lit(float(sd)))
    else:
        frame = _with_spreads(source, sd, keys=(user, item)).with_columns(mean)
    frame = frame.with_columns(trials=nw.lit(1, dtype=nw.Int64))
    result = frame.select(user, item, "mean", "sd", "trials", *kept)
    return source.replace(result).native(order=[user, item])


def rating_coherence(
    ratings: Any,  # noqa: ANN401 - any frame narwhals knows, or a mapping of columns
    *,
    attributes: str | Sequence[str],
    user: str = "user",
    rating: str = "rating",
    missing: str = "error",
) -> Any:  # noqa: ANN401 - the kind of frame that came in
    r"""Estimate each user's sd from how differently they rate items with the same attributes.

    .. math:: s_u = \sqrt{\sum_a \sum_{i \in a} (r_{ui} - \bar r_{ua})^2 \Big/ \sum_a (n_{ua} - 1)}

    Parameters
    ----------
    ratings : any frame or dict of columns
        One row per rating, with the item's attributes beside it. An item with several attribute
        values (two genres) appears once per value.
    attributes : str or sequence of str
        Columns that make items alike, for instance "genre".
    user, rating : str
        Columns.
    missing : {"error", "drop"}
        What to do with ratings that are missing or not finite.

    Returns
    -------
    frame
        user, sd, ratings (how many were comparable), as the kind of frame that came in. A user
        without two items of the same attributes cannot be judged: they are left out, and in
        memory a `NoEvidenceWarning` says how many.

    References
    ----------
    Said & Bellogín (2018), "Coherence and inconsistencies in rating behavior", User Modeling and
    User-Adapted Interaction 28. Their coherence sums the spreads; this pools them, so that the
    result is an sd in stars.

    Notes
    -----
    An upper bound in spirit: taste differs between items of one genre too.

    Stability: experimental

    Examples
    --------
    >>> ratings = {"user": [1, 1, 1, 1], "genre": ["a", "a", "b", "b"], "rating": [3, 5, 2, 2]}
    >>> rating_coherence(ratings, attributes="genre")["sd"]
    array([1.])
    """
    import narwhals as nw

    alike = [attributes] if isinstance(attributes, str) else list(attributes)
    source = EngineFrame.of(ratings, where=_WHERE)
    source.require([user, *alike], numeric=[rating])
    source = without_gaps(source, [user, *alike], rating, missing)
    value = nw.col(rating).cast(nw.Float64)
    groups = (
        source.frame.with_columns(howgood_value=value)
        .group_by(user, *alike)
        .agg(
            nw.col("howgood_value").std(ddof=0).alias("howgood_sd"),
            nw.len().alias("howgood_n"),
        )
        .with_columns(
            howgood_squares=nw.col("howgood_sd") * nw.col("howgood_sd") * nw.col("howgood_n"),
            howgood_free=nw.col("howgood_n").cast(nw.Int64) - 1,
        )
        .filter(nw.col("howgood_free") > 0)
    )
    users = groups.group_by(user).agg(
        nw.col("howgood_squares").sum(), nw.col("howgood_free").sum(), nw.col("howgood_n").sum()
    )
    result = users.with_columns(
        sd=(nw.col("howgood_squares") / nw.col("howgood_free")).sqrt(),
        ratings=nw.col("howgood_n").cast(nw.Int64),
    ).select(user, "sd", "ratings")
    if not source.is_lazy:
        _warn_of_unjudged(source.frame[user].n_unique() - len(result))
    return source.replace(result).native(order=[user])


def _warn_of_unjudged(n_unjudged: int) -> None:
    if n_unjudged:
        announce(
            f"{n_unjudged} users have no two items with the same attributes: no sd for them",
            NoEvidenceWarning,
        )


def _with_spreads(source: EngineFrame, spreads: Any, *, keys: tuple[str, str]) -> Any:  # noqa: ANN401 - any frame
    """Join a frame of sds by user or item; every rating must find one."""
    import narwhals as nw

    table = spreads if not isinstance(spreads, Mapping) else Table(spreads)
    if isinstance(table, Table) and not source.is_lazy:
        backend: Any = source.frame.implementation
        table = nw.from_dict(dict(table), backend=backend).to_native()
    given = EngineFrame.of(table, where="sd")
    names = given.frame.collect_schema().names()
    key = next((name for name in keys if name in names), None)
    if key is None:
        raise InputError(
            where="sd",
            found=f"columns {names}",
            needed=f"a column {keys[0]!r} or {keys[1]!r}, and 'sd'",
            cure="Give a number, or one row per user or per item.",
        )
    given.require([key], numeric=["sd"])
    joined = source.left_join(given.replace(given.frame.select(key, "sd")), on=[key])
    counted = joined.one_row(
        n=nw.when(nw.col("sd").is_null()).then(1).otherwise(0).sum(), least=nw.col("sd").min()
    )
    if counted["n"]:
        raise InputError(
            where="sd",
            found=f"{counted['n']} ratings without an sd",
            needed=f"an sd for every {key}",
            cure=f"Add the missing rows, one per {key}.",
        )
    _check_spread(float(counted["least"]))
    return joined.frame


def _check_spread(sd: float) -> None:
    if not (np.isfinite(sd) and sd >= 0):
        raise InputError(
            where="sd",
            found=repr(sd),
            needed="standard deviations of zero or more",
            cure="Give it in stars, for instance 0.6.",
        )
