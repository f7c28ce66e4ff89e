"""One small JSON file as plain values.

In: a path. Out: what the file holds. Absent: what the values mean, and anything that runs: JSON
holds numbers, text, lists and tables, nothing else.
"""

import json
from pathlib import Path
from typing import Any

from howgood.errors import FileFormatError

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
