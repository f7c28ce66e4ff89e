"""One pass over any table, embedded or on a cluster, to the sums all squared-error results need.

In: a frame and the names of its columns. Out: `SquaredErrorSums`: of frames in memory by blocks, of
lazy engines by one query. Absent: distributions (`score.rmse`) and comparisons
(`decide.rank_sums`), which need nothing but the sums.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from howgood.errors import InputError, MissingColumnError
from howgood.records.engine_frame import single_row
from howgood.records.missing import check_policy
from howgood.records.provenance import Provenance, versions_of
from howgood.records.sums import SquaredErrorSums
from howgood.records.table import frame_column_names, rows_being_read
from howgood.score.feedback_columns import (
    WHERE,
    bad_values,
    feedback_roles,
    finite_arrays,
    mention_single_ratings,
    n_wrong_trials,
    not_numeric,
    refuse,
    system_columns,
    system_names,
    too_large,
)
from howgood.stats.arrays import FloatArray
from howgood.stats.error_sums import ErrorSums, TrialSums, error_sums

POWERS = 12
_FEW_SYSTEMS = 4


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
        only one row comes back. So does Polars for few systems; for many it streams batches.
        Files larger than memory are fine.
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
        # Where batches come to us (Polars from 1.34 on), products of matrices hold many systems in
        # a tenth of the memory of a query; of few systems a query takes a quarter of the time.
        many = hasattr(frame, "collect_batches") and len(system_names(roles)) > _FEW_SYSTEMS
        total = sum_batches if many else sum_lazily
        sums, dropped = total(lazy, roles, trials, missing, powers)
    if said is None:
        mention_single_ratings(frame, roles)
    return _named(sums, roles, dropped, missing, engine=_engine(frame))


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


# The sums of squared errors as one query of a lazy engine, or batch by batch as Polars streams.

_ROWS = 65_536


def sum_lazily(
    frame: Any,  # noqa: ANN401 - a narwhals LazyFrame
    roles: Mapping[str, str],
    trials: str | int | None,
    missing: str,
    powers: int,
) -> tuple[ErrorSums, int]:
    """Return the sums and how many rows were left out; refuse what cannot be summed."""
    selected = selected_floats(frame, roles)
    n_systems = len(system_names(roles))
    prepared = _without_gaps(selected) if missing == "drop" else selected
    row = single_row(_aggregates(prepared, n_systems, powers, with_trials="trials" in roles))
    n_rows = int(row["rows"])
    sums = _from_row(row, n_systems, powers, trials)
    counts = [row[name] for name in row if name.startswith("count_")]
    gaps_left = missing == "error" and any(count != n_rows for count in counts)
    values = [row[name] for name in row if not name.startswith("count_")]
    usable = all(value is not None and np.isfinite(value) for value in values)
    if gaps_left or not usable:
        _refuse_gaps(selected, roles, n_rows=n_rows, missing=missing)
    refuse(
        roles,
        n_used=sums.n,
        n_negative=_count(prepared, "s", below=0) if _least(row, "sd_min") < 0 else 0,
        n_no_trial=int(row.get("wrong_trials") or 0),
    )
    if not usable:
        raise too_large(roles["sd"])
    return sums, n_rows - sums.n


def _refuse_gaps(
    selected: Any,  # noqa: ANN401 - a narwhals LazyFrame
    roles: Mapping[str, str],
    *,
    n_rows: int,
    missing: str,
) -> None:
    """Count, with a second query, what is missing in which column; raise unless it is dropped."""
    import narwhals as nw

    names = selected.collect_schema().names()
    counted = single_row(
        selected.select(**{name: nw.col(name).is_finite().cast(nw.Int64).sum() for name in names})
    )
    n_bad = {
        column: n_rows - int(counted[name] or 0)
        for name, column in zip(names, roles.values(), strict=True)
    }
    if missing == "error" and any(n_bad.values()):
        raise bad_values(n_bad, n_rows)


def _least(row: Mapping[str, Any], name: str) -> float:
    return float(row[name]) if row.get(name) is not None else np.inf


def _count(frame: Any, name: str, *, below: float) -> int:  # noqa: ANN401 - a narwhals LazyFrame
    import narwhals as nw

    return int(single_row(frame.select(n=(nw.col(name) < below).cast(nw.Int64).sum()))["n"])


def _first_texts(frame: Any, name: str) -> list[str]:  # noqa: ANN401 - narwhals frames
    """Return a text that stands where numbers should: letters sort last, so the largest one."""
    import narwhals as nw

    text = single_row(frame.lazy().select(text=nw.col(name).max()))["text"]
    return [] if text is None else [str(text)]


def selected_floats(frame: Any, roles: Mapping[str, str]) -> Any:  # noqa: ANN401 - narwhals frames
    """Select the columns as 64-bit floats under short names: m, s, t and p0 .. pK."""
    import narwhals as nw

    schema = frame.collect_schema()
    for name in roles.values():
        if not schema[name].is_numeric():
            kind = str(schema[name])
            texts = _first_texts(frame, name) if kind == "String" else []
            raise not_numeric(name, kind, *texts)
    ordered = list(roles.values())
    fixed = ["m", "s", "t"] if "trials" in roles else ["m", "s"]
    short = [*fixed, *(f"p{place}" for place in range(len(ordered) - len(fixed)))]
    return frame.select(
        **{key: nw.col(name).cast(nw.Float64) for key, name in zip(short, ordered, strict=True)}
    )


def _without_gaps(frame: Any) -> Any:  # noqa: ANN401 - narwhals frames
    """Turn every row with a value that is not finite into nulls, which sums leave out."""
    import narwhals as nw

    names = frame.collect_schema().names()
    whole = nw.all_horizontal(*(nw.col(name).is_finite() for name in names), ignore_nulls=False)
    return frame.with_columns(**{name: nw.when(whole).then(nw.col(name)) for name in names})


def _aggregates(frame: Any, n_systems: int, powers: int, *, with_trials: bool) -> Any:  # noqa: ANN401 - narwhals frames
    import narwhals as nw

    col = nw.col
    systems, orders = range(n_systems), range(1, powers + 1)
    pairs = list(combinations(systems, 2))
    work = frame.with_columns(
        v1=col("s") * col("s"),
        **{f"e{k}": col("m") - col(f"p{k}") for k in systems},
        **{f"d{i}_{k}": col(f"p{i}") - col(f"p{k}") for i, k in pairs},
    )
    new = {f"w{k}_1": col(f"e{k}") * col(f"e{k}") for k in systems}
    new |= {f"gap{k}": col(f"d0_{k}") * (col("e0") + col(f"e{k}")) for k in systems if k}
    new |= {f"c{i}_{k}": col("v1") * col(f"d{i}_{k}") * col(f"d{i}_{k}") for i, k in pairs}
    work = work.with_columns(**new)
    if with_trials:
        work = _with_trials(work, n_systems, pairs)
    for power in range(2, powers + 1):
        # Each power comes from the one before: one product per sum.
        work = work.with_columns(
            **{
                f"{name}{power}": col(f"{name}{power - 1}") * col("v1")
                for name in ["v", *(f"w{k}_" for k in systems)]
            }
        )
    summed = [f"gap{k}" for k in systems if k] + [f"c{i}_{k}" for i, k in pairs]
    if with_trials:
        summed += ["x", "y", "y2", *(f"x{k}" for k in systems), *(f"u{i}_{k}" for i, k in pairs)]
    summed += [f"w{k}_{power}" for power in orders for k in systems]
    return work.select(
        nw.len().alias("rows"),
        col("s").min().alias("sd_min"),
        col("v1").max().alias("v_max"),
        col("v1").count().alias("count_v"),
        *([_wrong_trials().alias("wrong_trials"), col("t").count().alias("count_t")] * with_trials),
        *(col(f"w{k}_1").count().alias(f"count_{k}") for k in systems),
        *(col(name).sum() for name in summed),
        *(_variance_power(power, with_trials).sum().alias(f"v{power}") for power in orders),
    )


def _wrong_trials() -> Any:  # noqa: ANN401 - a narwhals expression
    """Count numbers of trials that are below 1 or not whole."""
    import narwhals as nw

    t = nw.col("t")
    return nw.when((t < 1) | (t != t.floor())).then(1).otherwise(0).sum()


def _variance_power(power: int, with_trials: bool) -> Any:  # noqa: ANN401 - a narwhals expression
    """Return a row's share of a variance power; of a single trial see `ErrorSums`."""
    import narwhals as nw

    column = nw.col(f"v{power}")
    return column * (1 - power * nw.col("single")) if with_trials else column


def _with_trials(frame: Any, n_systems: int, pairs: list[tuple[int, int]]) -> Any:  # noqa: ANN401 - narwhals frames
    """Add the rows' shares of `TrialSums`: u (mean_noise), x (variance), x0 .. (second_power).

    Also y and y2 (single_variance, single_square); c (noise) is 0 where there was one trial.
    """
    import narwhals as nw

    col, t = nw.col, nw.col("t")
    frame = frame.with_columns(
        single=nw.when(t < 2).then(1.0).otherwise(0.0),
        of_mean=col("v1") / nw.when(t < 2).then(1.0).otherwise(t - 1),
    )
    inside = col("v1") * (1 - col("single"))
    return frame.with_columns(
        x=inside + col("of_mean"),
        y=col("v1") * col("single"),
        y2=col("v1") * col("v1") * col("single"),
        **{f"u{i}_{k}": col("of_mean") * col(f"d{i}_{k}") * col(f"d{i}_{k}") for i, k in pairs},
        **{f"c{i}_{k}": inside * col(f"d{i}_{k}") * col(f"d{i}_{k}") for i, k in pairs},
    ).with_columns(
        **{
            f"x{k}": col("x")
            * (inside * (t - 2) / (t + 1) - col("v1") * col("single") + 2 * col(f"w{k}_1"))
            for k in range(n_systems)
        }
    )


def _from_row(
    row: Mapping[str, Any], n_systems: int, powers: int, trials: str | int | None
) -> ErrorSums:
    def value(name: str) -> float:
        return float(row[name]) if row[name] is not None else 0.0

    orders, systems = range(1, powers + 1), range(n_systems)

    def symmetric(letter: str) -> FloatArray:
        matrix = np.zeros((n_systems, n_systems))
        for i, k in combinations(systems, 2):
            matrix[i, k] = matrix[k, i] = value(f"{letter}{i}_{k}")
        return matrix

    sums = ErrorSums(
        n=int(row["count_v"]),
        max_variance=value("v_max"),
        variance_powers=np.array([value(f"v{order}") for order in orders]),
        deviation_powers=np.array([[value(f"w{k}_{order}") for order in orders] for k in systems]),
        gaps=np.array([value(f"gap{k}") if k else 0.0 for k in systems]),
        noise=symmetric("c"),
        trials=None,
    )
    if isinstance(trials, int):
        return _with_same_trials(sums, float(trials))
    if trials is None:
        return sums
    further = TrialSums(
        mean_noise=symmetric("u"),
        variance=value("x"),
        second_power=np.array([value(f"x{k}") for k in systems]),
        single_variance=value("y"),
        single_square=value("y2"),
    )
    return replace(sums, trials=further)


def _with_same_trials(sums: ErrorSums, trials: float) -> ErrorSums:
    """Add `TrialSums` made from the other sums: equally many trials are a matter of factors."""
    variances, squares = float(sums.variance_powers[0]), float(sums.variance_powers[1])
    deviations = sums.deviation_powers[:, 1]
    if trials == 1:
        single = TrialSums(
            mean_noise=sums.noise,
            variance=variances,
            second_power=2 * deviations - squares,
            single_variance=variances,
            single_square=squares,
        )
        powers = -np.arange(len(sums.variance_powers)) * sums.variance_powers
        no_noise = np.zeros_like(sums.noise)
        return replace(sums, variance_powers=powers, noise=no_noise, trials=single)
    unbiased = trials / (trials - 1)
    fourth = squares * (trials - 2) / (trials + 1)
    repeated = TrialSums(
        mean_noise=sums.noise / (trials - 1),
        variance=unbiased * variances,
        second_power=unbiased * (fourth + 2 * deviations),
    )
    return replace(sums, trials=repeated)


def sum_batches(
    frame: Any,  # noqa: ANN401 - a narwhals LazyFrame over Polars
    roles: Mapping[str, str],
    trials: str | int | None,
    missing: str,
    powers: int,
) -> tuple[ErrorSums, int]:
    """Return the sums and how many rows were left out; refuse what cannot be summed."""
    query = selected_floats(frame, roles).to_native()
    total: ErrorSums | None = None
    bad, counts = Counter[str](), Counter[str]()
    for batch in _batches(query):
        arrays = {
            role: column.to_numpy() for role, column in zip(roles, batch.get_columns(), strict=True)
        }
        counts["rows"] += len(batch)
        arrays = _finite_rows(arrays, roles, bad)
        counts["used"] += len(arrays["mean"])
        counts["negative"] += int((arrays["sd"] < 0).sum())
        counts["no trial"] += n_wrong_trials(arrays)
        if len(arrays["mean"]) and not counts["no trial"]:
            part = sums_of_arrays(arrays, trials, powers)
            total = part if total is None else total + part
    if bad and missing == "error":
        raise bad_values({name: bad[name] for name in roles.values()}, counts["rows"])
    refuse(
        roles,
        n_used=counts["used"],
        n_negative=counts["negative"],
        n_no_trial=counts["no trial"],
    )
    if total is None or not (
        np.isfinite(total.variance_powers).all() and np.isfinite(total.deviation_powers).all()
    ):
        raise too_large(roles["sd"])
    return total, counts["rows"] - counts["used"]


def _batches(query: Any) -> Iterator[Any]:  # noqa: ANN401 - Polars' own types
    with rows_being_read():
        yield from query.collect_batches(chunk_size=_ROWS, engine="streaming")


def _finite_rows(
    arrays: dict[str, FloatArray], roles: Mapping[str, str], bad: Counter[str]
) -> dict[str, FloatArray]:
    """Return the rows in which every value is finite, and count the others by column."""
    # One pass finds the usual case, a batch without gaps: a sum is finite only if all values are.
    with np.errstate(over="ignore"):
        if all(np.isfinite(values.sum()) for values in arrays.values()):
            return arrays
    finite = {role: np.isfinite(values) for role, values in arrays.items()}
    for name, where in {roles[role]: entry for role, entry in finite.items()}.items():
        if not where.all():
            bad[name] += int((~where).sum())
    whole = np.logical_and.reduce(list(finite.values()))
    return {role: values[whole] for role, values in arrays.items()}


def sums_of_arrays(
    arrays: Mapping[str, FloatArray], trials: str | int | None, powers: int
) -> ErrorSums:
    """Return the sums of finite arrays by role; `trials` may be one number for all rows."""
    given = arrays.get("trials")
    n_trials = np.full(len(arrays["mean"]), float(trials)) if isinstance(trials, int) else given
    with np.errstate(over="ignore", invalid="ignore"):
        return error_sums(
            arrays["mean"], arrays["sd"], system_columns(arrays), powers=powers, trials=n_trials
        )
