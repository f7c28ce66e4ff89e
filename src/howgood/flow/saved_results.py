"""Any result or metric as a file, and back.

In: a result, or the file. Out: a JSON file with readable values and everything else packed under
"record", or the result. Absent: what is packed and how (`records.saved`); fits and elicited
metrics, whose files have formats of their own.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from howgood.errors import FileFormatError, InputError
from howgood.records.saved import Saved
from howgood.show.text import to_json
from howgood.writing import write_text

Result = TypeVar("Result", bound=Saved)
FORMAT = "howgood result"
_VERSION = 1
_LARGEST = 500_000_000  # bytes
_NEEDED = "a file that .save(path) wrote"


def save_result(result: Saved, path: str | Path) -> None:
    """Write a result to a JSON file; people's answers may be in it, so only its owner reads it."""
    head = {"format": FORMAT, "version": _VERSION, "class": type(result).__name__}
    write_text(Path(path), to_json({**head, "values": result.to_dict()}, whole=True), private=True)


def load_result(kind: type[Result], path: str | Path) -> Result:
    """Return the result that was saved to a file, if it is of this class."""
    values = _read(Path(path))
    written = values.get("class")
    if written != kind.__name__ and written not in _names_below(kind):
        raise _refused(path, f"a saved {written!s:.60}", f"a saved {kind.__name__}")
    try:
        return kind.from_dict(values["values"])
    except InputError as error:
        raise _refused(path, error.found) from error


def _names_below(kind: type) -> set[str]:
    """Return the names of a class's subclasses: `Saved.load` reads any of them."""
    below: list[type] = kind.__subclasses__()
    return {sub.__name__ for sub in below}.union(*(_names_below(sub) for sub in below))


def _read(path: Path) -> Mapping[str, Any]:
    if not path.is_file():
        raise _refused(path, "no such file")
    if path.stat().st_size > _LARGEST:
        raise _refused(path, "more than 500 MB")
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise _refused(path, f"no JSON ({error!s:.120})") from error
    if not isinstance(values, dict) or not isinstance(values.get("values"), dict):
        raise _refused(path, "no saved result")
    if values.get("format") != FORMAT:
        raise _refused(path, "no saved result")
    if values.get("version") != _VERSION:
        raise _refused(path, f"version {values.get('version')!r:.40}", f"version {_VERSION}")
    return values


def _refused(path: str | Path, found: str, needed: str = _NEEDED) -> FileFormatError:
    return FileFormatError(
        where=str(path), found=found, needed=needed, cure="Check the path, or save it again."
    )
