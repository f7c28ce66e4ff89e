"""Files somebody gave: a small JSON file as plain values, and errors that name the file.

In: paths. Out: what a file holds; messages with its name instead of the role it plays in a
function. Absent: what the values mean, and anything that runs: JSON holds numbers, text, lists and
tables, nothing else.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from howgood.ask.row_numbers import row_names
from howgood.errors import FileFormatError, InputError

MOST_BYTES = 2_000_000


def read_json(path: Path, *, needed: str) -> Any:  # noqa: ANN401 - foreign data enters here
    """Return what a JSON file holds; `needed` says what it should be when it is not JSON."""
    found, cure = _refusable(path), "Check the path."
    if found is None:
        try:
            return json.loads(path.read_text(encoding="utf-8-sig"))
        except RecursionError:
            found = "lists or tables too deep in each other"
        except UnicodeDecodeError:
            found, cure = "text that is not UTF-8", "Save it as UTF-8."
        except (ValueError, OSError) as error:
            found = f"text that is not JSON ({str(error).partition(';')[0]:.80})"
    raise FileFormatError(where=str(path), found=found, needed=needed, cure=cure)


def _refusable(path: Path) -> str | None:
    try:
        size = path.stat().st_size if path.is_file() else None
    except (OSError, ValueError):  # a name no file can have
        size = None
    if size is None:
        return "no such file"
    return f"{size:,} bytes, more than {MOST_BYTES:,}" if size > MOST_BYTES else None


@contextmanager
def naming(files: Mapping[str, str | Path]) -> Iterator[None]:
    """Say the file instead of its word, wherever an error begins with one of these words.

    Rows are then called what they are in the file (see `ask.row_numbers`).

    Examples
    --------
    >>> with naming({"ratings": Path("may.csv")}):
    ...     raise InputError(where="ratings, column 'x'", found="a", needed="b", cure="C.")
    Traceback (most recent call last):
    howgood.errors.InputError: may.csv, column 'x': a; expected b. C.
    """
    try:
        yield
    except InputError as error:
        for word, path in files.items():
            if error.where == word or error.where.startswith(f"{word},"):
                error.found_in(f"{path}{error.where[len(word) :]}")
                error.name_rows(row_names(path))
                break
        raise
