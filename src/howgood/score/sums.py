"""One pass over any table, embedded or on a cluster, to the sums all squared-error results need.

In: a frame and the names of its columns. Out: `SquaredErrorSums`. Absent: distributions
(`score.rmse`) and comparisons (`decide.rank_sums`), which need nothing but the sums.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from howgood.errors import InputError, MissingColumnError
from howgood.records.missing import check_policy
from howgood.records.provenance import Provenance, versions_of
from howgood.records.sums import SquaredErrorSums
from howgood.records.table import frame_column_names
from howgood.score.feedback_columns import (
    WHERE,
    feedback_roles,
    finite_arrays,
    mention_single_ratings,
    system_names,
    too_large,
)
from howgood.score.lazy_sums import sum_batches, sum_lazily, sums_of_arrays
from howgood.stats.error_sums import ErrorSums

POWERS = 12
# Up to this many sums a query of its own is as fast as one written by hand; beyond, matrix products
# over batches are faster.
_FEW = 16


def squared_error_sums(
    frame: Any,  # noqa: ANN401 - any frame narwhals knows, or a mapping of columns
    *,
    mean: str,
    sd: str,
    predictions: Mapping[str, str] | Sequence[str],
    trials: str | float | None = None,
    missing: str = "error",
    powers: int = POWERS,
) -> SquaredErrorSums:
    r"""Sum a table of uncertain feedback and predictions, in one pass, on the engine it lives in.

    Person-item pair v has feedback mean :math:`\mu_v` and standard deviation :math:`\sigma_v`;
    system k predicts :math:`\pi_{kv}`. The sums (see `SquaredErrorSums`) fix the distribution of
    every system's MSE and RMSE and the joint distribution of their differences.

    Parameters
    ----------
    frame : pandas, Polars (eager or lazy), PyArrow, DuckDB, Spark, `Table` or dict of columns
        Lazy frames stay where they are: DuckDB and Spark sum by one query of their own, of which
        only one row comes back; Polars streams batches, so files larger than memory are fine.
    mean, sd : str
        Columns of :math:`\mu` and :math:`\sigma`. A `sd` of 0 is a person who never wavers.
    predictions : mapping of system name to column, or list of columns
        The systems to score.
    trials : str or int, optional
        How many ratings each mean came from (a column, or one number). From two on, the sd is
        that of these ratings, computed with ddof 0 as `learn.rating_uncertainty` does; then
        differences use the ddof 1 variance, and how far the means themselves are uncertain is
        kept too. Where it is 1, the mean is the one rating itself, which holds its noise already,
        and the sd from another source: how far one rating lies from the mean of many.
        None: the means are taken as known; where all are whole or half numbers, as single
        ratings are, a `RatedOnceWarning` asks. `math.inf` says that they are known.
    missing : {"error", "drop"}
        What to do with rows that hold a missing, NaN or infinite value. "drop" leaves them out
        and counts them in `provenance.rows_dropped`. A negative sd is always an error.
    powers : int
        Power sums kept. A ranking needs 2; the distribution of a score is made from 12. (On
        five-star data, an inversion truncated after 12 cumulants has a CDF within 1e-10 from
        about 2000 pairs on; after 8 from 1e4, after 6 from 1e5, after 4 from 1e7.)

    Returns
    -------
    SquaredErrorSums

    Raises
    ------
    InputError
        A column is missing, not numeric, has missing values (column and count are named) or a
        negative sd; or the table is empty.

    Notes
    -----
    Good data are read once. On DuckDB and Spark, a second query counts what is wrong in which
    column, but only when the sums show that something is.

    Stability: stable

    Examples
    --------
    >>> table = {"mu": [3.0, 4.0], "sigma": [0.0, 0.5], "svd": [3.5, 4.0], "knn": [2.0, 4.5]}
    >>> sums = squared_error_sums(table, mean="mu", sd="sigma", predictions=["svd", "knn"])
    >>> sums.n, round(sums.barrier, 3)
    (2, 0.354)
    >>> sums.gaps  # the second system's squared deviations are larger by one
    array([0., 1.])
    """
    check_policy(missing)
    said, trials = trials, None if trials == math.inf else trials
    trials = _checked_settings(powers, trials)
    roles = feedback_roles(mean, sd, predictions, trials if isinstance(trials, str) else None)
    lazy = _lazy(frame)
    if lazy is None:
        sums, dropped = _sum_arrays(frame, roles, trials, missing, powers)
    else:
        _require_columns(roles, frame_column_names(frame))
        streams = hasattr(frame, "collect_batches")  # Polars, from 1.34 on
        is_small = _number_of_sums(len(predictions), powers) <= _FEW
        total = sum_batches if streams and not is_small else sum_lazily
        sums, dropped = total(lazy, roles, trials, missing, powers)
    if said is None:
        mention_single_ratings(frame, roles)
    return _named(sums, roles, dropped, missing, engine=_engine(frame))


def _number_of_sums(systems: int, powers: int) -> int:
    return powers * (1 + systems) + systems * (systems - 1) // 2


def _checked_settings(powers: int, trials: str | float | None) -> str | int | None:
    if powers < 2:
        raise InputError(
            where="powers",
            found=repr(powers),
            needed="at least 2: a mean and a variance",
            cure=f"Leave it at {POWERS}.",
        )
    if trials is None or isinstance(trials, str):
        return trials
    if trials != int(trials) or trials < 1:
        raise InputError(
            where="trials",
            found=str(trials),
            needed="the number of ratings behind each mean: a whole number, 1 or more",
            cure="If the means are known, say trials=inf.",
        )
    return int(trials)


def _lazy(frame: Any) -> Any:  # noqa: ANN401 - narwhals' own types
    """Return the narwhals frame of a lazy engine, or None for columns held in memory."""
    if isinstance(frame, Mapping):
        return None
    import narwhals as nw

    wrapped = nw.from_native(frame, pass_through=True)
    return wrapped if isinstance(wrapped, nw.LazyFrame) else None


def _engine(frame: Any) -> str:  # noqa: ANN401 - any frame
    name = "numpy" if isinstance(frame, Mapping) else type(frame).__module__.split(".")[0]
    return "duckdb" if name == "_duckdb" else name


def _require_columns(roles: Mapping[str, str], present: list[str]) -> None:
    for name in roles.values():
        if name not in present:
            raise MissingColumnError(where=WHERE, column=name, columns=present)


def _sum_arrays(
    frame: Any,  # noqa: ANN401 - any eager frame
    roles: Mapping[str, str],
    trials: str | int | None,
    missing: str,
    powers: int,
) -> tuple[ErrorSums, int]:
    arrays, dropped = finite_arrays(frame, roles, missing=missing)
    sums = sums_of_arrays(arrays, trials, powers)
    if not (np.isfinite(sums.variance_powers).all() and np.isfinite(sums.deviation_powers).all()):
        raise too_large(roles["sd"])
    return sums, dropped


def _named(
    sums: ErrorSums, roles: Mapping[str, str], dropped: int, missing: str, *, engine: str
) -> SquaredErrorSums:
    packages = [engine] if engine in ("polars", "duckdb", "pandas", "pyarrow", "pyspark") else []
    return SquaredErrorSums(
        systems=system_names(roles),
        n=sums.n,
        max_variance=sums.max_variance,
        variance_powers=sums.variance_powers,
        deviation_powers=sums.deviation_powers,
        gaps=sums.gaps,
        noise=sums.noise,
        trials=sums.trials,
        provenance=Provenance(
            method="squared-error sums",
            settings={
                "engine": engine,
                "columns": dict(roles),
                "missing": missing,
                "powers": len(sums.variance_powers),
            },
            rows_used=sums.n,
            rows_dropped={"missing or not finite": dropped} if dropped else {},
            versions=versions_of("numpy", "narwhals", *packages),
        ),
    )
