"""Rows out of an Excel workbook with one filled sheet.

In: the path of an .xlsx file. Out: named columns of plain values, None for gaps; dates as ISO text.
Absent: a choice between sheets (a workbook with several filled ones is refused by name), formulas
(their stored results are read).
"""

import datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from howgood.ask.json_rows import Columns
from howgood.errors import FileFormatError, MissingExtraError

# A workbook is a ZIP: what a few bytes may unpack to is limited.
_MOST_UNPACKED = 500_000_000


def columns_of_workbook(location: Path) -> Columns:
    """Return the columns of the only filled sheet; its first filled row names them."""
    if find_spec("python_calamine") is None:
        raise MissingExtraError(task="reading Excel files", extra="excel")
    _refuse_bombs(location)
    name, rows = _only_sheet(location)
    where = f"{location}, sheet {name!r}"
    header, filled = rows[0], [row for row in rows[1:] if any(cell != "" for cell in row)]
    names = [str(cell).strip() for cell in header]
    if "" in names:
        place = names.index("") + 1
        raise _refused(where, f"no name above column {place}", "Write the names in the first row.")
    twice = next((each for each in names if names.count(each) > 1), None)
    if twice is not None:
        raise _refused(where, f"the column {twice[:60]!r} more than once", "Rename one of them.")
    if not filled:
        raise _refused(where, "a header without rows", "Export the table again.")
    return {
        each: _one_kind([_plain(row[place]) for row in filled]) for place, each in enumerate(names)
    }


def _only_sheet(location: Path) -> tuple[str, list[list[Any]]]:
    import python_calamine

    try:
        book = python_calamine.CalamineWorkbook.from_path(location)
        sheets = {name: book.get_sheet_by_name(name).to_python() for name in book.sheet_names}
    except (python_calamine.CalamineError, OSError, ValueError) as error:
        found = f"content that is not an Excel workbook ({str(error).strip():.120})"
        raise _refused(str(location), found, "Save it again, or as CSV.") from error
    filled = {name: rows for name, rows in sheets.items() if rows}
    if len(filled) != 1:
        several = ", ".join(repr(name) for name in filled)
        raise _refused(
            str(location),
            f"{len(filled)} filled sheets: {several:.200}" if filled else "only empty sheets",
            "Save the sheet you mean as a file of its own, or as CSV.",
        )
    return next(iter(filled.items()))


def _refuse_bombs(location: Path) -> None:
    try:
        with ZipFile(location) as packed:
            unpacked = sum(each.file_size for each in packed.infolist())
    except (BadZipFile, OSError, ValueError, NotImplementedError) as error:
        found = "content that is not an Excel workbook"
        raise _refused(str(location), found, "Save it again as .xlsx, or as CSV.") from error
    if unpacked > _MOST_UNPACKED:
        found = f"more than {_MOST_UNPACKED:,} bytes when unpacked"
        raise _refused(str(location), found, "Save the table as CSV or Parquet.")


def _plain(cell: Any) -> Any:  # noqa: ANN401 - what the workbook holds
    if cell == "":
        return None
    if isinstance(cell, datetime.date | datetime.time):
        return cell.isoformat()
    if isinstance(cell, datetime.timedelta):
        return cell.total_seconds()
    return cell


def _one_kind(values: list[Any]) -> list[Any]:
    """Excel has no whole numbers; a column of them is one of whole numbers all the same."""
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {bool} or kinds <= {str}:
        return values
    if kinds <= {int, float}:
        numbers = [value for value in values if value is not None]
        whole = all(float(value).is_integer() and abs(value) < 2**53 for value in numbers)
        return [None if v is None else int(v) if whole else float(v) for v in values]
    return [value if value is None else str(value) for value in values]


def _refused(where: str, found: str, cure: str) -> FileFormatError:
    needed = "a workbook with one filled sheet whose first row names the columns"
    return FileFormatError(where=where, found=found, needed=needed, cure=cure)
