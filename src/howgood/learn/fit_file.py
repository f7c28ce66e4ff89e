"""Fits as files: arrays and plain values in one archive, nothing that runs when opened.

In: arrays and a dict of plain values. Out: an .npz file, and back. Absent: pickles; what is in
the file (each fit knows its own).
"""

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howgood.errors import FileFormatError

FORMAT = 1


def write_fit(
    path: str | Path, *, kind: str, values: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Write one fit."""
    header = json.dumps({"kind": kind, "format": FORMAT, "values": values})
    packed = {**arrays, "header": np.frombuffer(header.encode(), dtype=np.uint8)}
    with Path(path).open("wb") as handle:
        np.savez_compressed(handle, allow_pickle=False, **packed)


def read_fit(path: str | Path, *, kind: str) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Read one fit of the given kind; anything else is refused with a reason."""
    location = Path(path)
    if not location.is_file():
        raise _refusal(location, "no such file", kind)
    try:
        with location.open("rb") as handle, np.load(handle, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        header = json.loads(bytes(arrays.pop("header")))
    except (ValueError, KeyError, OSError, EOFError, zipfile.BadZipFile, AttributeError, TypeError):
        raise _refusal(location, "a file that no fit was saved to", kind) from None
    if not isinstance(header, dict) or header.get("kind") != kind:
        raise _refusal(location, f"a file of kind {header!r:.60}", kind)
    if header.get("format") != FORMAT:
        raise _refusal(location, f"format {header.get('format')!r}, newer than this version", kind)
    return header["values"], arrays


def _refusal(location: Path, found: str, kind: str) -> FileFormatError:
    return FileFormatError(
        where=str(location),
        found=found,
        needed=f"a saved {kind}",
        cure="Write it with fit.save(path), and load it with the same or a later version.",
    )
