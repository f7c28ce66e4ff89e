"""Tables that researchers upload: checked whole, and which column means what.

In: the bytes of a CSV file. Out: a `Table`, and a guess at its columns. Absent: judging what is in
it (`tasks`).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howgood.ask.files import open_table
from howgood.errors import FileFormatError, InputError, MissingColumnError
from howgood.records.table import Table, as_numbers
from howgood.stats.arrays import FloatArray

LARGEST = 20 * 1024 * 1024
MOST_ROWS = 1_000_000
_SUFFIXES = {".csv", ".tsv", ".txt"}
_LONGEST_NAME = 100
_LOOKED_AT = 10_000

# What people call such columns; the first one found is the guess.
_USUAL = {
    "truth": ("y_true", "truth", "true", "label", "target", "actual", "y", "outcome"),
    "predicted": ("y_pred", "predicted", "prediction", "pred"),
    "score": ("y_score", "score", "scores", "probability", "proba", "prob", "p", "y_prob"),
    "item": ("item", "item_id", "itemid"),
    "user": ("user", "user_id", "userid", "participant", "rater"),
}


def read_upload(name: str, content: bytes) -> Table:
    """Return an uploaded CSV file as columns, or say what is wrong with it; nothing is kept."""
    shown = PurePath(name.replace("\\", "/")).name[:_LONGEST_NAME] or "the file"
    if len(content) > LARGEST:
        raise FileFormatError(
            where=shown,
            found=f"{len(content) / 2**20:.0f} MB",
            needed=f"at most {LARGEST // 2**20} MB",
            cure="Leave out columns and rows that are not needed.",
        )
    _refuse_rows(content.count(b"\n") - 1, shown)  # before a million of them are parsed
    suffix = PurePath(shown).suffix.lower()
    _refuse_repeated_names(content, suffix, shown)
    with TemporaryDirectory() as folder:
        # The name is the reader's own: what came with the upload never becomes a path.
        path = Path(folder) / f"table{suffix if suffix in _SUFFIXES else '.csv'}"
        path.write_bytes(content)
        try:
            table: Table = open_table(path, engine="built-in")
        except FileFormatError as error:
            error.found_in(error.where.replace(str(path), shown, 1))
            raise
    _check_shape(table, shown)
    return table


def guess(columns: Sequence[str], role: str) -> str:
    """Return the column that probably has this role, or an empty text.

    Examples
    --------
    >>> guess(["id", "Y_true", "score"], "truth"), guess(["a", "b"], "truth")
    ('Y_true', '')
    """
    known = {column.strip().lower(): column for column in reversed(columns)}
    return next((known[name] for name in _USUAL[role] if name in known), "")


def column(table: Table, name: str, *, where: str) -> NDArray[np.object_]:
    """Return a column, or say which there are."""
    if name not in table:
        raise MissingColumnError(where=where, column=name, columns=table.columns)
    return np.asarray(table[name], dtype=object)


def numbers(table: Table, name: str, *, where: str) -> FloatArray:
    """Return a column of finite numbers, or say in which row there is none."""
    values = column(table, name, where=where)
    cure = f"Choose another column; there are {', '.join(table.columns)}."
    checked = as_numbers(values, where=f"{where}, column {name!r}", cure=cure)
    gaps = np.flatnonzero(~np.isfinite(checked))
    if gaps.size:
        raise InputError(
            where=f"{where}, column {name!r}",
            found=f"{gaps.size} of {checked.size} values missing (first: row {gaps[0] + 1})",
            needed="a number in every row",
            cure="Fill them in, or leave these rows out.",
        )
    return checked


def names_as_text(values: NDArray[np.object_]) -> NDArray[np.str_]:
    """Return names however a file spells them: 7.0 and "7" are the same.

    Examples
    --------
    >>> names_as_text(np.array([7.0, "b"], dtype=object)).tolist()
    ['7', 'b']
    """
    return np.array(
        [
            str(int(value))
            if isinstance(value, float) and value.is_integer()
            else str(value).strip()
            for value in values.tolist()
        ],
        dtype=str,
    )


def preview(table: Table, *, rows: int = 5) -> Mapping[str, list[object]]:
    """Return the first values of every column; whole numbers look whole."""
    return {name: [_whole(value) for value in values[:rows].tolist()]
            for name, values in table.items()}  # fmt: skip


def labels(values: NDArray[Any], *, most: int = 6) -> tuple[str, ...]:
    """Return the different values of a column of labels, the most frequent first.

    Examples
    --------
    >>> labels(np.array(["ham", "spam", "ham"]))
    ('ham', 'spam')
    """
    counted = Counter(str(_whole(value)) for value in values[:_LOOKED_AT].tolist())
    return tuple(name for name, _ in counted.most_common(most))


def _whole(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _refuse_repeated_names(content: bytes, suffix: str, shown: str) -> None:
    """Refuse two columns of one name: the second would silently hide the first."""
    header = content.partition(b"\n")[0].decode("utf-8-sig", errors="replace").strip()
    separator = "\t" if suffix == ".tsv" else ";" if ";" in header and "," not in header else ","
    names = Counter(part.strip(' "') for part in header.split(separator))
    repeated = sorted(name for name, times in names.items() if name and times > 1)
    if repeated:
        raise FileFormatError(
            where=shown,
            found=f"more than one column named {', '.join(repeated)[:100]}",
            needed="a name of its own for every column",
            cure="Rename or remove the repeated columns.",
        )


def _check_shape(table: Table, shown: str) -> None:
    if len(table.columns) < 2:
        raise FileFormatError(
            where=shown,
            found=f"one column ({', '.join(table.columns)})",
            needed="at least two columns, parted by commas, semicolons or (.tsv) tabs",
            cure="Export the table again as CSV.",
        )
    if any(not name.strip() for name in table.columns):
        raise FileFormatError(
            where=shown,
            found=f"a column without a name, among {', '.join(table.columns)}",
            needed="a name for every column, in the first line",
            cure="Add the names.",
        )
    if len(table) == 0:
        raise FileFormatError(
            where=shown, found="no rows", needed="at least one", cure="Export the table again."
        )
    _refuse_rows(len(table), shown)


def _refuse_rows(rows: int, shown: str) -> None:
    if rows > MOST_ROWS:
        raise FileFormatError(
            where=shown,
            found=f"{rows:,} rows",
            needed=f"1 to {MOST_ROWS:,}",
            cure="Take a random sample of the rows.",
        )
