"""Rows out of JSON, JSON Lines and Excel workbooks.

In: the bytes of a file with one JSON object per line (`.jsonl`), a list of objects, or an object of
columns (`.json`); the path of an .xlsx file with one filled sheet. Out: named columns of plain
values, None for gaps. What is nested gets a dotted name; lists inside rows are kept as JSON text,
for nobody can say how many columns they would be. Dates of a workbook become ISO text. Absent: a
choice between sheets (a workbook with several filled ones is refused by name).
"""

import datetime
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from json import JSONDecodeError
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from howgood.errors import FileFormatError, MissingExtraError

Columns = dict[str, list[Any]]
_DEEPEST = 32


def columns_of_lines(lines: Iterable[bytes], *, where: str, most_cells: int) -> Columns:
    """Return the columns of a file with one object per line.

    Examples
    --------
    >>> lines = [b'{"id": 1, "scores": {"helpful": 4}}', b'{"id": 2}']
    >>> columns_of_lines(lines, where="answers.jsonl", most_cells=100)
    {'id': [1, 2], 'scores.helpful': [4, None]}
    """
    return _columns(_objects_of_lines(lines, where), where=where, most_cells=most_cells)


def columns_of_document(content: bytes, *, where: str, most_cells: int) -> Columns:
    """Return the columns of one JSON document: a list of objects, or an object of lists.

    Examples
    --------
    >>> columns_of_document(b'{"y": [1, 0], "s": [0.9, 0.2]}', where="t.json", most_cells=100)
    {'y': [1, 0], 's': [0.9, 0.2]}
    """
    document = _parsed(content, where)
    if isinstance(document, list):
        rows = ((f"{where}, entry {number}", row) for number, row in enumerate(document, 1))
        return _columns(_checked_objects(rows), where=where, most_cells=most_cells)
    lists = document if isinstance(document, dict) else {}
    if _are_columns(lists):
        return {name: _one_kind(values) for name, values in lists.items()}
    raise _not_rows(where, _described(document), cure=_cure(lists))


def _are_columns(document: Mapping[str, Any]) -> bool:
    lists = [values for values in document.values() if isinstance(values, list)]
    return (
        len(lists) == len(document) > 0
        and len({len(values) for values in lists}) == 1
        and not any(isinstance(value, dict | list) for values in lists for value in values)
    )


def _objects_of_lines(lines: Iterable[bytes], where: str) -> Iterator[tuple[str, dict[str, Any]]]:
    filled = ((number, line) for number, line in enumerate(lines, 1) if line.strip())
    parsed = (
        (f"{where}, line {number}", _parsed(line, f"{where}, line {number}"))
        for number, line in filled
    )
    yield from _checked_objects(parsed)


def _checked_objects(
    rows: Iterable[tuple[str, Any]],
) -> Iterator[tuple[str, dict[str, Any]]]:
    for place, row in rows:
        if not isinstance(row, dict):
            raise _not_rows(place, _described(row), cure="Write each row as {...}.")
        yield place, row


def _columns(
    rows: Iterable[tuple[str, Mapping[str, Any]]], *, where: str, most_cells: int
) -> Columns:
    columns: Columns = {}
    n_rows = 0
    for place, row in rows:
        for name, value in _flat(row, place).items():
            if name not in columns:
                columns[name] = [None] * n_rows
            columns[name].append(value)
        n_rows += 1
        for values in columns.values():
            if len(values) < n_rows:
                values.append(None)
        if n_rows * len(columns) > most_cells:
            raise _not_rows(
                where,
                f"rows with {len(columns):,} different fields among {n_rows:,} of them",
                cure="Write the same fields in every row.",
            )
    if not n_rows:
        raise _not_rows(where, "no rows", cure="Export the table again.")
    return {name: _one_kind(values) for name, values in columns.items()}


def _flat(row: Mapping[str, Any], place: str) -> dict[str, Any]:
    """Give nested values dotted names: {"scores": {"helpful": 4}} is scores.helpful = 4."""
    flat: dict[str, Any] = {}
    waiting: list[tuple[str, Any, int]] = [(name, value, 1) for name, value in row.items()]
    for name, value, depth in waiting:
        if isinstance(value, dict) and value and depth < _DEEPEST:
            waiting.extend((f"{name}.{key}", inner, depth + 1) for key, inner in value.items())
        elif name in flat:
            raise _not_rows(place, f"the field {name!r:.80} twice", cure="Rename one of them.")
        else:
            flat[name] = _as_text(value) if isinstance(value, list | dict) else value
    return flat


def _one_kind(values: Sequence[Any]) -> list[Any]:
    """Return numbers, truth values or text as they are, and a mixture of them as text."""
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {bool} or kinds <= {str}:
        return list(values)
    if kinds <= {int}:
        fits = all(value is None or abs(value) < 2**63 for value in values)
        return list(values) if fits else [None if v is None else str(v) for v in values]
    if kinds <= {int, float} and _fit_floats(values):
        return [None if v is None or math.isnan(v) else float(v) for v in values]
    return [v if v is None or isinstance(v, str) else _as_text(v) for v in values]


def _fit_floats(values: Iterable[Any]) -> bool:
    return all(value is None or isinstance(value, float) or abs(value) < 2**53 for value in values)


def _as_text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _parsed(content: bytes, where: str) -> Any:  # noqa: ANN401 - whatever was written
    try:
        return json.loads(content.decode("utf-8-sig"), object_pairs_hook=_without_repeats)
    except UnicodeDecodeError as error:
        raise _not_rows(where, "text that is not UTF-8", cure="Save it in UTF-8.") from error
    except JSONDecodeError as error:
        found = f"JSON that breaks off or is misspelt at character {error.pos + 1} ({error.msg})"
        raise _not_rows(where, found, cure="Export the file again.") from error
    except (RecursionError, ValueError) as error:
        found = str(error).splitlines()[0] if str(error) else "values nested too deeply"
        raise _not_rows(where, f"{found:.200}", cure="Export the file again.") from error


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the field {twice!r:.80} twice in one object")
    return members


def _described(value: object) -> str:
    kinds = {dict: "an object", list: "a list", str: "a text", type(None): "null"}
    return f"{kinds.get(type(value), 'a single value')} that is no row"


def _cure(document: Mapping[str, Any]) -> str:
    lists = [name for name, value in document.items() if isinstance(value, list)]
    if not lists:
        return "Write a list of objects, or one object per line in a .jsonl file."
    return f"Save the list in {lists[0]!r:.60} as a file of its own."


def _not_rows(where: str, found: str, *, cure: str) -> FileFormatError:
    needed = "a list of objects with the same fields, or one such object per line"
    return FileFormatError(where=where, found=found, needed=needed, cure=cure)


# Rows out of an Excel workbook with one filled sheet.

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
    if "" in names[1:]:  # pandas leaves the name of its row numbers, the first column, empty
        place = names.index("", 1) + 1
        raise _refused(where, f"no name above column {place}", "Write the names in the first row.")
    twice = next((one_name for one_name in names if names.count(one_name) > 1), None)
    if twice is not None:
        raise _refused(where, f"the column {twice[:60]!r} more than once", "Rename one of them.")
    if not filled:
        raise _refused(where, "a header without rows", "Export it again, once it has rows.")
    return {
        one_name: _one_kind_of_cell([_plain(row[place]) for row in filled])
        for place, one_name in enumerate(names)
    }


def filled_rows(location: Path) -> list[int]:
    """Return the numbers a spreadsheet shows at the header and at every row that was read."""
    import python_calamine

    book = python_calamine.CalamineWorkbook.from_path(location)
    sheets = [book.get_sheet_by_name(name) for name in book.sheet_names]
    (sheet,) = [one_sheet for one_sheet in sheets if one_sheet.to_python()]
    top = sheet.start[0] if sheet.start else 0
    rows = sheet.to_python(skip_empty_area=True)
    return [
        top + place + 1
        for place, row in enumerate(rows)
        if place == 0 or any(cell != "" for cell in row)
    ]


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
            unpacked = sum(member.file_size for member in packed.infolist())
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


def _one_kind_of_cell(values: list[Any]) -> list[Any]:
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
