"""How a row of a file is called in an error: as whoever opens the file sees it.

In: a path. Out: a function from the place of a row among the rows that were read (the first is 0)
to its name. Absent: reading values (see `files`).

One rule: a row of CSV, TSV or Excel has the number that a spreadsheet shows, so the header is row
1 and empty rows count; JSON Lines have line numbers, a JSON list counts its entries; Parquet and
frames, which have no header line, count rows from 1.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import wraps
from pathlib import Path
from typing import ParamSpec, TypeVar

from howgood.ask.csv_rows import check_rows
from howgood.ask.files import (
    CSV,
    DOCUMENT,
    EXCEL,
    LINES,
    binary,
    inner_suffix,
    is_address,
    separator_of,
)
from howgood.ask.json_and_excel import filled_rows
from howgood.errors import InputError

RowName = Callable[[int], str]
Given = ParamSpec("Given")
Result = TypeVar("Result")


def row_names(path: str | Path) -> RowName:
    """Return what the rows of a table file are called.

    Examples
    --------
    >>> row_names("grades.parquet")(0)
    'row 1'
    """
    location = Path(path)
    suffix = "" if is_address(path) else inner_suffix(location)

    def name(place: int) -> str:
        """Look at the file only now: most files have no wrong row."""
        try:
            return _name(location, suffix, place)
        except (OSError, EOFError, IndexError, ValueError):
            return f"row {place + 1}"

    return name


@contextmanager
def rows_as_in(path: str | Path) -> Iterator[None]:
    """Call rows as the file shows them, in errors of the block that begin with its path.

    Examples
    --------
    >>> with rows_as_in("grades.csv.gz"):
    ...     raise InputError(where="grades.csv.gz, row 1", found="a", needed="b", cure="C.")
    Traceback (most recent call last):
    howgood.errors.InputError: grades.csv.gz, row 1: a; expected b. C.
    """
    try:
        yield
    except InputError as error:
        if error.where.startswith(str(path)):
            error.name_rows(row_names(path))
        raise


def with_rows_as_in_file(read: Callable[Given, Result]) -> Callable[Given, Result]:
    """Let a function whose first argument may be a path call rows as that file shows them."""

    @wraps(read)
    def wrapped(*args: Given.args, **named: Given.kwargs) -> Result:
        first = args[0] if args else None
        with rows_as_in(first) if isinstance(first, str | Path) else nullcontext():
            return read(*args, **named)

    return wrapped


def _name(location: Path, suffix: str, place: int) -> str:
    if suffix in CSV:
        with binary(location) as handle:
            empty = check_rows(
                handle, separator=separator_of(location, suffix), where=str(location)
            ).empty
        # Each empty place counts those before it too: so many are passed until this row.
        passed = bisect_right([gap - number for number, gap in enumerate(empty)], place)
        return f"row {place + passed + 2}"
    if suffix in EXCEL:
        return f"row {filled_rows(location)[place + 1]}"
    if suffix in LINES:
        with binary(location) as handle:
            filled = [number for number, line in enumerate(handle, 1) if line.strip()]
        return f"line {filled[place]}"
    return f"entry {place + 1}" if suffix in DOCUMENT else f"row {place + 1}"
