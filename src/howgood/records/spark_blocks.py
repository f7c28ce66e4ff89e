"""Rows of Spark brought together by a column, and summed where they lie.

In: a Spark frame, the columns whose equal values belong together, and a function from columns of a
part of the rows to plain values. Out: what it returned for each part. Absent: what the sums mean.

One job reads the rows once, sends each to the machine of its key and runs the function there (in
Python: these machines need NumPy, SciPy and PyArrow, not howgood). Only its results come back.
"""

import base64
import json
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howgood.errors import InputError
from howgood.records.table import lazy_frame, rows_being_read

_INTEGERS = ("byte", "short", "integer", "long", "tinyint", "smallint", "int", "bigint")


@dataclass(frozen=True, slots=True)
class PartColumn:
    """A column of some rows: its distinct values, sorted, and the place of each row's value."""

    levels: list[Any]
    codes: NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class PartRows:
    """Complete rows of one part: columns of names, of numbers, and how many rows had a gap."""

    names: Mapping[str, PartColumn]
    numbers: Mapping[str, NDArray[np.float64]]
    n_rows: int
    gaps: Mapping[str, int]
    n_gaps: int


Work = Callable[[PartRows], Any]


def spark_rows(
    frame: Any,  # noqa: ANN401 - any frame narwhals knows
    names: Sequence[str],
    numbers: Sequence[str],
    *,
    where: str,
) -> Any | None:  # noqa: ANN401 - a Spark frame
    """Return the columns as a Spark frame if parts of it can be summed where they lie, else None.

    That takes columns of text or whole numbers, and of numbers.
    """
    if isinstance(frame, Mapping) or set(names) & set(numbers):
        return None
    lazy = lazy_frame(frame, [*names, *numbers], where=where)
    if lazy is None or not lazy.implementation.is_spark_like():
        return None
    native = lazy.to_native()
    if not hasattr(native, "mapInArrow"):
        return None
    kinds = dict(native.dtypes)
    if any(kinds[name] != "string" and kinds[name] not in _INTEGERS for name in names):
        return None
    if any(kinds[name] not in (*_INTEGERS, "float", "double") for name in numbers):
        return None
    return native


def part_results(
    native: Any,  # noqa: ANN401 - a Spark frame
    by: Sequence[str],
    names: Sequence[str],
    numbers: Sequence[str],
    work: Work,
    *,
    where: str,
    keep_gaps: bool = False,
) -> list[Any]:
    """Return what `work` makes of each part; rows with equal values of `by` are in one part.

    Without `by` rows stay where they are. `keep_gaps` leaves rows with a gap to `work` (as NaN).
    """

    def run(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        held = [batch for batch in batches if batch.num_rows]
        if held:
            made = work(part_rows(pa.Table.from_batches(held), names, numbers, keep_gaps))
            yield pa.RecordBatch.from_pydict({"made": [json.dumps(_packed(made))]})

    with _code_travels(), _this_python(native), warnings.catch_warnings():
        # Spark looks for pandas whenever Python runs, and warns of new ones; none is used here.
        warnings.filterwarnings("ignore", message="PySpark does not yet fully support pandas")
        with rows_being_read(where), _without_module(where):
            together = native.repartition(*by) if by else native
            sent = together.mapInArrow(run, "made string")
            return [_unpacked(json.loads(row["made"])) for row in sent.collect()]


def _packed(value: Any) -> Any:  # noqa: ANN401 - plain values of any kind
    """Return arrays, tables and numbers as JSON can hold them: nothing that comes back can run."""
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "biuf":
            raise TypeError(f"arrays of {value.dtype} do not travel")
        data = base64.b64encode(np.ascontiguousarray(value).tobytes()).decode("ascii")
        return {"array": value.dtype.str, "shape": list(value.shape), "data": data}
    if isinstance(value, Mapping):
        return {"table": [[_packed(key), _packed(held)] for key, held in value.items()]}
    if isinstance(value, tuple | list):
        return {type(value).__name__: [_packed(held) for held in value]}
    return value.item() if isinstance(value, np.generic) else value


def _unpacked(value: Any) -> Any:  # noqa: ANN401 - plain values of any kind
    if not isinstance(value, dict):
        return value
    if "array" in value:
        flat = np.frombuffer(base64.b64decode(value["data"]), dtype=value["array"])
        return flat.reshape(value["shape"]).copy()
    if "table" in value:
        return {_unpacked(key): _unpacked(held) for key, held in value["table"]}
    held = [_unpacked(one) for one in next(iter(value.values()))]
    return tuple(held) if "tuple" in value else held


@contextmanager
def _this_python(native: Any) -> Iterator[None]:  # noqa: ANN401 - a Spark frame
    """On this machine alone, let this Python do the work: another may lack its packages."""
    context = getattr(native.sparkSession, "_sc", None)  # a remote Spark has none
    if context is None or not str(context.master).startswith("local"):
        yield
        return
    before, context.pythonExec = context.pythonExec, sys.executable
    try:
        yield
    finally:
        context.pythonExec = before


@contextmanager
def _without_module(where: str) -> Iterator[None]:
    """Say which package the machines of a cluster lack."""
    try:
        yield
    except Exception as error:  # Spark wraps what failed there in errors of its own
        lacking = re.search(r"ModuleNotFoundError: No module named '([\w.]+)'", str(error))
        if lacking is None:
            raise
        raise InputError(
            where=where,
            found=f"a Spark whose Python has no module {lacking[1]!r}",
            needed="NumPy, SciPy and PyArrow on the machines of Spark, which sum the rows there",
            cure="Install them there, or name a Python that has them: PYSPARK_PYTHON.",
        ) from error


@contextmanager
def _code_travels() -> Iterator[None]:
    """Send our functions along with the job, so that machines of a cluster need not have them."""
    from pyspark import cloudpickle

    package = sys.modules["howgood"]
    cloudpickle.register_pickle_by_value(package)
    try:
        yield
    finally:
        cloudpickle.unregister_pickle_by_value(package)


def part_rows(
    table: Any,  # noqa: ANN401 - PyArrow's own type
    names: Sequence[str],
    numbers: Sequence[str],
    keep_gaps: bool = False,
) -> PartRows:
    """Return the complete rows of an Arrow table (or all of them), with names as codes."""
    gaps = {name: _gaps(table.column(name)) for name in (*names, *numbers)}
    is_whole = ~np.logical_or.reduce(list(gaps.values()))
    if not keep_gaps and not is_whole.all():
        table = table.filter(is_whole)
    return PartRows(
        names={name: _encoded(table.column(name)) for name in names},
        numbers={
            name: table.column(name).to_numpy().astype(np.float64, copy=False) for name in numbers
        },
        n_rows=len(is_whole),
        gaps={name: int(is_gap.sum()) for name, is_gap in gaps.items()},
        n_gaps=int((~is_whole).sum()),
    )


def _gaps(column: Any) -> NDArray[np.bool_]:  # noqa: ANN401 - PyArrow's own type
    import pyarrow as pa
    import pyarrow.compute as pc

    is_gap = column.is_null()
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        is_gap = pc.or_(is_gap, pc.fill_null(pc.equal(pc.utf8_trim_whitespace(column), ""), True))
    elif pa.types.is_floating(column.type):
        is_gap = pc.or_(is_gap, pc.invert(pc.fill_null(pc.is_finite(column), False)))
    return np.asarray(is_gap.to_numpy(), dtype=bool)


def _encoded(column: Any) -> PartColumn:  # noqa: ANN401 - PyArrow's own type
    coded = column.unify_dictionaries() if column.num_chunks > 1 else column
    coded = coded.combine_chunks().dictionary_encode()
    levels = coded.dictionary.to_pylist()
    order = sorted(range(len(levels)), key=levels.__getitem__)
    place = np.empty(len(levels), dtype=np.int64)
    place[order] = np.arange(len(levels))
    return PartColumn([levels[at] for at in order], place[coded.indices.to_numpy()])
