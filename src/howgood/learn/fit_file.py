"""Fits as files: arrays and plain values in one archive, nothing that runs when opened.

In: arrays and a dict of plain values. Out: an .npz file, and back. Absent: pickles; what is in
the file beyond what all fits share (each fit knows its own).
"""

import json
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from howgood.errors import FileFormatError
from howgood.learn.kinds import tidy
from howgood.records.diagnostics import Diagnostics
from howgood.records.priors import Priors
from howgood.records.provenance import Provenance
from howgood.stats.arrays import FloatArray
from howgood.writing import replacing

Fit = TypeVar("Fit", bound="SavedFit")
FORMAT = 1
# A fit of 100,000 draws of 20 applications has 200 MB; what unpacks to more is not one.
MOST_BYTES = 500_000_000
# What damaged archives, arrays and headers raise; RuntimeError: encrypted, or made by others.
_DAMAGED = (
    ValueError, KeyError, OSError, EOFError, zipfile.BadZipFile, zlib.error, AttributeError,
    TypeError, RuntimeError, MemoryError, OverflowError, SyntaxError, struct.error,
)  # fmt: skip


class SavedFit(Protocol):
    """What fits of either model have in common."""

    @property
    def n_respondents(self) -> int:
        """Number of people."""

    @property
    def mean_probabilities(self) -> Mapping[float, float]:
        """Posterior probability of each kind of mean."""

    @property
    def log_evidence(self) -> Mapping[float, float]:
        """Log evidence of each kind of mean."""

    @property
    def averaged_draws(self) -> FloatArray:
        """Draws averaged over kinds of mean."""

    @property
    def conditional_draws(self) -> Mapping[float, FloatArray]:
        """Draws given each kind of mean."""

    @property
    def priors(self) -> Priors:
        """What was assumed."""

    @property
    def diagnostics(self) -> Diagnostics:
        """How it was computed."""

    @property
    def provenance(self) -> Provenance:
        """Where it comes from."""


def write_fit(
    path: str | Path, *, kind: str, values: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Write one fit."""
    header = json.dumps({"kind": kind, "format": FORMAT, "values": values})
    packed = {**arrays, "header": np.frombuffer(header.encode(), dtype=np.uint8)}
    with replacing(path) as handle:
        np.savez_compressed(handle, allow_pickle=False, **packed)


def read_fit(path: str | Path, *, kind: str) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Read one fit of the given kind; anything else is refused with a reason."""
    location = Path(path)
    if not location.is_file():
        raise _refusal(location, "no such file", kind)
    try:
        arrays = _arrays(location)
        header = json.loads(bytes(arrays.pop("header")))
    except _DAMAGED:
        raise _refusal(location, "a file that no fit was saved to", kind) from None
    if not isinstance(header, dict) or header.get("kind") != kind:
        raise _refusal(location, f"a file of kind {header!r:.60}", kind)
    if header.get("format") != FORMAT:
        raise _refusal(location, f"format {header.get('format')!r}, newer than this version", kind)
    if not isinstance(header.get("values"), dict):
        raise _refusal(location, "a fit without values", kind)
    return header["values"], arrays


def shared_values(fit: "SavedFit") -> dict[str, Any]:
    """Return what every fit keeps beside its draws, as plain values."""
    return {
        "n_respondents": fit.n_respondents,
        "mean_probabilities": [[p, value] for p, value in fit.mean_probabilities.items()],
        "log_evidence": [[p, value] for p, value in fit.log_evidence.items()],
        "orders": list(fit.conditional_draws),
        "priors": fit.priors.to_dict(),
        "diagnostics": fit.diagnostics.to_dict(),
        "provenance": fit.provenance.to_dict(),
    }


def shared_arrays(fit: "SavedFit") -> dict[str, NDArray[Any]]:
    """Return every fit's draws, averaged and given each kind of mean."""
    given = {f"given_{i}": rows for i, rows in enumerate(fit.conditional_draws.values())}
    return {"averaged": fit.averaged_draws, **given}


def shared_fields(values: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
    """Return the fields every fit has, from what `shared_values` and `shared_arrays` kept."""
    return {
        "n_respondents": values["n_respondents"],
        "mean_probabilities": tidy(dict(values["mean_probabilities"])),
        "log_evidence": tidy(dict(values["log_evidence"])),
        "averaged_draws": arrays["averaged"],
        "conditional_draws": tidy(
            {p: arrays[f"given_{index}"] for index, p in enumerate(values["orders"])}
        ),
        "priors": Priors.from_dict(values["priors"]),
        "diagnostics": Diagnostics(**values["diagnostics"]),
        "provenance": Provenance(**values["provenance"]),
    }


def _arrays(location: Path) -> dict[str, NDArray[Any]]:
    """Unpack every array, none of which may hold objects, and no more than a fit can need."""
    with zipfile.ZipFile(location) as archive:
        if sum(member.file_size for member in archive.infolist()) > MOST_BYTES:
            raise ValueError("too large")
        arrays = {
            member.filename.removesuffix(".npy"): np.lib.format.read_array(
                BytesIO(archive.read(member)), allow_pickle=False
            )
            for member in archive.infolist()
        }
    if any(array.dtype.kind == "c" for array in arrays.values()):
        raise ValueError("complex numbers")
    return arrays


def loaded(
    path: str | Path,
    *,
    kind: str,
    make: Callable[[dict[str, Any], dict[str, NDArray[Any]]], Fit],
    is_whole: Callable[[Fit], bool],
) -> Fit:
    """Return the fit in a file, or refuse one whose parts are missing or do not fit together."""
    values, arrays = read_fit(path, kind=kind)
    try:
        fit = make(values, arrays)
        whole = is_whole(fit)
    except (ValueError, TypeError, LookupError, AttributeError, OverflowError):
        whole = False
    if not whole:
        raise _refusal(Path(path), "a fit whose parts are missing or do not fit together", kind)
    return fit


def has_whole_draws(fit: SavedFit, *, n_columns: int) -> bool:
    """Whether draws and probabilities have the shape and the values every method relies on."""
    draws = [fit.averaged_draws, *fit.conditional_draws.values()]
    return (
        all(each.dtype.kind == "f" and np.isfinite(each).all() for each in draws)
        and all(each.ndim == 2 and each.shape[1] == n_columns and len(each) for each in draws)
        and isinstance(fit.n_respondents, int)
        and fit.n_respondents > 0
        and set(fit.mean_probabilities) == set(fit.log_evidence) == set(fit.conditional_draws)
        and all(0 <= share <= 1 for share in fit.mean_probabilities.values())
        and all(np.isfinite(each) for each in fit.log_evidence.values())
    )


def _refusal(location: Path, found: str, kind: str) -> FileFormatError:
    return FileFormatError(
        where=str(location),
        found=found,
        needed=f"a saved {kind}",
        cure="Write it with fit.save(path), and load it with the same or a later version.",
    )
