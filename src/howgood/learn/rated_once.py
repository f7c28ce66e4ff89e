"""Ratings given only once, or missing: refused, left out, or with a spread from others.

In: ratings gathered by pair (mean, sd with ddof 0, trials); or a table with one rating per pair and
an sd from another source, or with item attributes. Out: the same frame under a named policy,
`LentSpread`; mean and sd per pair, or an sd per user, under an assumption that is named as such.
Absent: gathering ratings, and repeated ones (see `learn.feedback`), which beat every assumption
here.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from howgood.errors import (
    BorrowedSpreadWarning,
    DroppedRowsWarning,
    InputError,
    NoEvidenceWarning,
    announce,
    check_one_of,
)
from howgood.records.engine_frame import EngineFrame
from howgood.records.missing import check_policy
from howgood.records.table import Table

ONCE = ("error", "drop", "borrow")
# Chosen after 30 had failed a proof, not derived: see the end of docs/explanation/calibration.md.
LEAST_LENDERS = 100

_WHERE = "ratings"


@dataclass(frozen=True, slots=True, kw_only=True)
class LentSpread:
    """What pairs rated repeatedly lend to those rated once.

    sd         of one rating: the root of the pooled variance (ddof 1) of the lenders
    freedom    degrees of freedom of that variance for a sum over the borrowers: the lenders are a
               sample, and people differ in how far they vary
    """

    sd: float
    lenders: int
    borrowers: int
    freedom: float

    def sentence(self) -> str:
        """Say who borrows what from whom."""
        return (
            f"{self.borrowers:,} of {self.borrowers + self.lenders:,} pairs were rated once; how "
            f"far they would vary (sd {self.sd:.3g}) is borrowed from the {self.lenders:,} rated "
            "more often"
        )


def check_once(once: str) -> None:
    """Raise unless `once` names a policy."""
    check_one_of(once, ONCE, where="once")


def with_spreads(pairs: EngineFrame, *, once: str) -> EngineFrame:
    """Return pairs that all have a spread; those rated once as the policy says."""
    import narwhals as nw

    trials = nw.col("trials")
    counted = pairs.one_row(n=nw.len(), once=nw.when(trials < 2).then(1).otherwise(0).sum())
    n_once, n_pairs = int(counted["once"] or 0), int(counted["n"])
    if not n_once:
        return pairs
    if once == "error" or n_once == n_pairs:
        raise _refusal(n_once, n_pairs)
    if once == "drop":
        announce(f"{n_once} of {n_pairs} pairs left out: rated only once", DroppedRowsWarning)
        return pairs.replace(pairs.frame.filter(trials > 1))
    lent = lent_spread(pairs)
    announce(lent.sentence(), BorrowedSpreadWarning)
    borrowed = nw.when(trials < 2).then(lent.sd).otherwise(nw.col("sd"))
    return pairs.replace(pairs.frame.with_columns(sd=borrowed))


def lent_spread(pairs: EngineFrame) -> LentSpread:
    r"""Pool the variances of pairs rated repeatedly, and say how well a sum of others is known.

    Of m lenders with variances :math:`s_j^2` (ddof 1, :math:`n_j` ratings) the pooled one is
    :math:`v = \sum (n_j-1) s_j^2 / \sum (n_j-1)`. A sum over b borrowers, weighted by squared
    differences of predictions (taken as squares of normal numbers), differs from b v because v is
    estimated and because people differ: its relative variance is
    :math:`V(v)/v^2 + 3 h/b`, with h the lenders' relative variance beyond that of few ratings.
    """
    sums = _lenders(pairs)
    lenders, borrowers = int(sums["lenders"]), int(sums["borrowers"] or 0)
    if lenders < LEAST_LENDERS:
        raise InputError(
            where=_WHERE,
            found=f"{lenders} pairs rated more than once",
            needed=f"at least {LEAST_LENDERS} to borrow the spread from",
            cure="Give an sd yourself: learn.assumed_uncertainty.",
        )
    variance = sums["squares"] / sums["free"]
    if variance <= 0 and borrowers:
        raise InputError(
            where=_WHERE,
            found=f"{lenders} pairs rated more than once, none of which ever varied",
            needed="some that varied: without a spread to borrow, pairs rated once would look "
            "certain",
            cure="Leave pairs rated once out (once='drop'), or give an sd yourself: "
            "learn.assumed_uncertainty.",
        )
    if borrowers == 0:
        return LentSpread(sd=math.sqrt(variance), lenders=lenders, borrowers=borrowers,
                          freedom=math.inf)  # fmt: skip
    around = sums["squares2"] - 2 * variance * sums["squares_free"] + variance**2 * sums["free2"]
    unsure = max(around, 0.0) / sums["squares"] ** 2
    between = sums["variances2"] / lenders - variance * (2 * sums["variances"] / lenders - variance)
    differ = max(between - sums["sampling"] / lenders, 0.0) / variance**2
    relative = unsure + 3 * differ / borrowers
    return LentSpread(
        sd=math.sqrt(variance),
        lenders=lenders,
        borrowers=borrowers,
        freedom=2 / relative if relative > 0 else np.inf,
    )


def _lenders(pairs: EngineFrame) -> dict[str, float]:
    """Return the sums over pairs rated repeatedly that `lent_spread` needs, in one query."""
    import narwhals as nw

    trials = nw.col("trials").cast(nw.Float64)
    is_lender = trials > 1
    rows = pairs.frame.with_columns(
        howgood_free=nw.when(is_lender).then(trials - 1).otherwise(0.0),
        howgood_ss=nw.when(is_lender).then(nw.col("sd") * nw.col("sd") * trials).otherwise(0.0),
        howgood_more=trials + 1,
        howgood_lender=nw.when(is_lender).then(1.0).otherwise(0.0),
    ).with_columns(
        howgood_var=nw.col("howgood_ss")
        / nw.when(is_lender).then(nw.col("howgood_free")).otherwise(1.0)
    )
    free, squares, variance = (nw.col(f"howgood_{name}") for name in ("free", "ss", "var"))
    sums = pairs.replace(rows).one_row(
        lenders=nw.col("howgood_lender").sum(),
        borrowers=(1 - nw.col("howgood_lender")).sum(),
        squares=squares.sum(),
        free=free.sum(),
        squares2=(squares * squares).sum(),
        squares_free=(squares * free).sum(),
        free2=(free * free).sum(),
        variances=variance.sum(),
        variances2=(variance * variance).sum(),
        sampling=(2 * variance * variance / nw.col("howgood_more")).sum(),
    )
    return {name: float(value or 0.0) for name, value in sums.items()}


def _refusal(n_once: int, n_pairs: int) -> InputError:
    return InputError(
        where=_WHERE,
        found=f"{n_once} of {n_pairs} pairs rated only once",
        needed="repeated ratings: one rating does not show how far it would vary",
        cure="Let them borrow it from the others by name (once='borrow'), leave them out "
        "(once='drop'), or use learn.assumed_uncertainty."
        if n_once < n_pairs
        else "If each was asked once, say how far such ratings vary, for instance mean='rating', "
        "sd=0.7, trials=1 (learn.assumed_uncertainty has a proxy). If several people "
        "rated each item once, rank with them as a sample: rater=...",
    )


def without_gaps(source: EngineFrame, keys: list[str], rating: str, missing: str) -> EngineFrame:
    """Return the rows with a finite rating and known keys; refuse or count the others."""
    import narwhals as nw

    check_policy(missing)
    value = nw.col(rating).cast(nw.Float64)
    good = {rating: value.is_finite() & ~value.is_null()}
    good |= {name: ~nw.col(name).is_null() for name in keys}
    counted = source.one_row(
        howgood_rows=nw.len(),
        **{
            f"howgood_{place}": nw.when(values).then(1).otherwise(0).sum()
            for place, values in enumerate(good.values())
        },
    )
    n_rows = int(counted["howgood_rows"])
    if n_rows == 0:
        raise InputError(
            where=_WHERE,
            found="no row",
            needed="at least two ratings of one pair",
            cure="Check the file or filter.",
        )
    n_bad = {
        name: n_rows - int(counted[f"howgood_{place}"] or 0) for place, name in enumerate(good)
    }
    if not any(n_bad.values()):
        return source
    listed = ", ".join(f"{count} in {name!r}" for name, count in n_bad.items() if count)
    if missing == "error":
        raise InputError(
            where=_WHERE,
            found=f"values missing or not finite: {listed}, of {n_rows} rows",
            needed="finite numbers, each of a known user and item",
            cure="Fill them in, or leave these rows out: missing='drop'.",
        )
    announce(
        f"ratings left out, missing or not finite: {listed}, of {n_rows} rows",
        DroppedRowsWarning,
    )
    return source.replace(source.frame.filter(*good.values()))


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
    """Give every rating an sd that was assumed, or measured in another study.

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
        One row per rating, with the item's attributes next to it. An item with several attribute
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
