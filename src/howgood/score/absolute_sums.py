"""One pass over any table, embedded or on a cluster, to the sums that absolute errors need.

In: a frame and the names of its columns. Out: `AbsoluteErrorSums`. Absent: rankings
(`decide.rank_sums`), few pairs (`decide.rank`, `score.mae`).
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from howgood.errors import InputError
from howgood.records.absolute_sums import AbsoluteErrorSums
from howgood.records.engine_codes import number_batches
from howgood.records.missing import check_policy, refuse_or_announce
from howgood.records.provenance import Provenance, versions_of
from howgood.records.spark_blocks import PartRows, part_results, spark_rows
from howgood.records.table import as_numbers, frame_columns
from howgood.stats.absolute_differences import absolute_difference_moments
from howgood.stats.arrays import FloatArray
from howgood.stats.folded_normal import folded_normal_mean, folded_normal_variance

_WHERE = "the table"
_ROWS = 50_000
_Part = dict[str, Any]


def absolute_error_sums(
    frame: Any,  # noqa: ANN401 - any frame narwhals knows, or a mapping of columns
    *,
    mean: str,
    sd: str,
    predictions: Sequence[str] | Mapping[str, str],
    missing: str = "error",
) -> AbsoluteErrorSums:
    """Sum what the mean absolute errors of systems need, in one pass on any engine.

    Parameters
    ----------
    frame : pandas, Polars (eager or lazy), PyArrow, DuckDB, Spark, `Table` or dict of columns
        One row per person-item pair. Rows of Polars and DuckDB come in batches, those of Spark are
        summed where they lie: memory does not grow with their number.
    mean, sd : str
        Columns: a pair's mean opinion and its standard deviation, taken as known.
    predictions : list of columns, or mapping of names to columns
        The systems.
    missing : {"error", "drop"}
        What to do with rows holding a missing or infinite number.

    Returns
    -------
    AbsoluteErrorSums
        For `decide.rank_sums`; sums of parts add up.

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> table = {"mu": [3.0, 4.0], "sigma": [0.0, 0.0], "svd": [3.5, 4.0], "knn": [2.0, 4.5]}
    >>> sums = absolute_error_sums(table, mean="mu", sd="sigma", predictions=["svd", "knn"])
    >>> sums.n, sums.means.tolist()
    (2, [0.5, 1.5])
    """
    check_policy(missing)
    if not isinstance(predictions, Mapping):
        predictions = {name: name for name in predictions}
    columns = [mean, sd, *predictions.values()]
    on_spark = _on_spark(frame, columns)
    batches = _batches(frame, columns) if on_spark is None else ()
    parts = (_summed(batch, columns) for batch in batches) if on_spark is None else on_spark
    total, gaps, counts = _added(parts, len(predictions))
    refuse_or_announce(dict(gaps), counts["gaps"], counts["rows"], missing=missing, where=_WHERE)
    if counts["negative"]:
        raise InputError(
            where=f"{_WHERE}, column {sd!r}",
            found=f"{counts['negative']} of {counts['rows']} standard deviations below zero",
            needed="standard deviations of 0 or more",
            cure="Check the column.",
        )
    return AbsoluteErrorSums(
        systems=tuple(predictions),
        n=counts["rows"] - counts["gaps"],
        means=total["means"],
        variances=total["variances"],
        difference_variances=total["differences"],
        sds=float(total["sds"]),
        provenance=Provenance(
            method="sums of absolute errors",
            settings={"missing": missing},
            seed=None,
            rows_used=counts["rows"] - counts["gaps"],
            rows_dropped={"missing or not finite": counts["gaps"]} if counts["gaps"] else {},
            versions=versions_of("numpy"),
        ),
    )


def _added(parts: Iterable[_Part], n_systems: int) -> tuple[_Part, Counter[str], Counter[str]]:
    """Return the sums of all parts, gaps by column, and counts of rows."""
    total: _Part = {
        "means": np.zeros(n_systems),
        "variances": np.zeros(n_systems),
        "differences": np.zeros((n_systems, n_systems)),
        "sds": 0.0,
    }
    gaps, counts = Counter[str](), Counter[str]()
    for part in parts:
        gaps.update(part["gaps"])
        counts.update({name: part[name] for name in ("rows", "gaps_in_all", "negative")})
        total = {name: value + part[name] for name, value in total.items()}
    counts["gaps"] = counts.pop("gaps_in_all", 0)
    return total, gaps, counts


def _on_spark(frame: Any, columns: Sequence[str]) -> list[_Part] | None:  # noqa: ANN401 - any frame
    native = spark_rows(frame, [], columns, where=_WHERE)
    if native is None:
        return None

    def work(rows: PartRows) -> _Part:
        return _summed(dict(rows.numbers), columns)

    return part_results(native, [], [], columns, work, keep_gaps=True, where=_WHERE)


def _batches(frame: Any, columns: Sequence[str]) -> Iterator[dict[str, FloatArray]]:  # noqa: ANN401 - any frame
    batches = number_batches(frame, columns, where=_WHERE)
    if batches is not None:
        return batches
    whole = frame_columns(frame, columns, where=_WHERE)
    arrays = {
        name: as_numbers(values, where=f"{_WHERE}, column {name!r}")
        for name, values in whole.items()
    }
    return iter([arrays])


def _summed(arrays: Mapping[str, FloatArray], columns: Sequence[str]) -> _Part:
    """Return the sums of some rows; NaN and infinite numbers are gaps."""
    is_gap = {name: ~np.isfinite(arrays[name]) for name in dict.fromkeys(columns)}
    kept = ~np.logical_or.reduce(list(is_gap.values()))
    mean, sd, *predictions = (arrays[name][kept] for name in columns)
    n_systems, n_negative = len(predictions), int((sd < 0).sum())
    differences = np.zeros((n_systems, n_systems))
    means, variances = np.zeros(n_systems), np.zeros(n_systems)
    for start in range(0, 0 if n_negative else len(mean), _ROWS):
        rows = slice(start, start + _ROWS)
        for place, prediction in enumerate(predictions):
            away = mean[rows] - prediction[rows]
            means[place] += folded_normal_mean(away, sd[rows]).sum()
            variances[place] += folded_normal_variance(away, sd[rows]).sum()
        for one, other in combinations(range(n_systems), 2):
            _, spread = absolute_difference_moments(
                mean[rows], sd[rows], predictions[one][rows], predictions[other][rows]
            )
            differences[one, other] += spread.sum()
    return {
        "means": means,
        "variances": variances,
        "differences": differences + differences.T,
        "sds": float(sd.sum()),
        "rows": len(kept),
        "gaps_in_all": int((~kept).sum()),
        "negative": n_negative,
        "gaps": {name: int(gap.sum()) for name, gap in is_gap.items()},
    }
