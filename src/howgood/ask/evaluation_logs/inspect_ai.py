"""Logs of Inspect (inspect.aisi.org.uk): `.eval`, a zip of JSON files, or one `.json`.

In: a path, or its JSON. Out: `EvaluationLog`, one row per sample and epoch. Absent: Inspect itself;
the layout is its documented log schema, version 2.
"""

import json
import struct
import zipfile
import zlib
from pathlib import Path
from typing import Any

from howgood.errors import FileFormatError
from howgood.records.evaluation_log import EvaluationLog, log_from_rows, plain_number

NAME = "Inspect"
_MOST_UNPACKED = 1_000_000_000
_ZSTD = 93
# Inspect's own values of verdicts: correct, incorrect, partly, no answer; and its words.
_VERDICTS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_BROKEN = (zipfile.BadZipFile, zlib.error, ValueError, KeyError, EOFError, OSError, struct.error)


def recognises(path: Path, document: Any) -> bool:  # noqa: ANN401 - parsed JSON
    """Say whether this is a log of Inspect."""
    if path.suffix.lower() == ".eval":
        return True
    return isinstance(document, dict) and "eval" in document and "samples" in document


def read(path: Path, document: Any, system: str | None) -> EvaluationLog:  # noqa: ANN401 - JSON
    """Return the samples' scores; several epochs of a sample are rows of one item."""
    header, samples = _unpacked(path) if document is None else (document, document["samples"])
    about = header.get("eval") if isinstance(header, dict) else None
    about = about if isinstance(about, dict) else {}
    samples = samples if isinstance(samples, list) else []
    rows = [_row(sample) for sample in samples if isinstance(sample, dict)]
    scored = [row for row in rows if row["metrics"] or row["unread"]]
    notes = []
    status = header.get("status") if isinstance(header, dict) else None
    if document is None and status is None:
        notes.append("the log has no status: the evaluation did not finish")
    if status not in (None, "success"):
        notes.append(f"the evaluation ended with status {status!r}")
    if len(scored) < len(rows):
        notes.append(f"{len(rows) - len(scored)} of {len(rows)} samples have no score")
    notes += [*_twice(samples), *_reduced(about)]
    return log_from_rows(
        scored,
        source=str(path),
        kind=NAME,
        system=system or str(about.get("model", "")) or path.stem,
        notes=notes,
    )


def _reduced(about: dict[str, Any]) -> list[str]:
    """Say that Inspect's own number is not the mean over epochs, where it is not."""
    config = about.get("config")
    reducers = config.get("epochs_reducer") if isinstance(config, dict) else None
    others = [str(name) for name in reducers or [] if name != "mean"]
    if not others:
        return []
    listed = " and ".join(others)
    return [f"Inspect's own number is {listed} of every sample's epochs; here epochs are averaged"]


def _twice(samples: list[Any]) -> list[str]:
    """Say that a sample stands in the log more often than its epochs."""
    runs = [
        (str(sample.get("id")), sample.get("epoch", 1))
        for sample in samples
        if isinstance(sample, dict) and sample.get("scores")
    ]
    again = len(runs) - len({repr(run) for run in runs})
    if not again:
        return []
    samples_are = "1 sample has" if again == 1 else f"{again} samples have"
    return [f"{samples_are} the id and epoch of another; they count as repeats and are averaged"]


def _row(sample: dict[str, Any]) -> dict[str, Any]:
    usage = sample.get("model_usage")
    usage = usage if isinstance(usage, dict) else {}
    tokens = [model_usage for model_usage in usage.values() if isinstance(model_usage, dict)]
    costs = [token["total_cost"] for token in tokens if isinstance(token.get("total_cost"), float)]
    metadata = sample.get("metadata")
    return {
        "item": sample.get("id", ""),
        **_metrics(sample),
        "attributes": {
            str(name): value
            for name, value in (metadata.items() if isinstance(metadata, dict) else ())
            if isinstance(value, str | int | bool)
        },
        "latency": sample.get("working_time") or sample.get("total_time"),
        "cost": sum(costs) - _of_graders(sample) if costs else None,
    }


def _of_graders(sample: dict[str, Any]) -> float:
    """Return what scoring cost: models that grade stand among those that answer."""
    roles = sample.get("role_usage")
    used = roles.get("grader") if isinstance(roles, dict) else None
    cost = used.get("total_cost") if isinstance(used, dict) else None
    return cost if isinstance(cost, float) else 0.0


def _metrics(sample: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return what was scored, and which scores are no numbers, with the sample that has them."""
    metrics: dict[str, float] = {}
    unread: dict[str, str] = {}
    scores = sample.get("scores")
    for name, score in scores.items() if isinstance(scores, dict) else ():
        value = score.get("value") if isinstance(score, dict) else score
        parts = value.items() if isinstance(value, dict) else [("", value)]
        for part, given in parts:
            metric = f"{name}.{part}" if part else str(name)
            known = _number(given)
            if known is not None:
                metrics[metric] = known
            elif given is not None:
                unread[metric] = f"sample {sample.get('id', '')} has {str(given)[:40]!r}"
    return {"metrics": metrics, "unread": unread}


def _number(value: object) -> float | None:
    """Return what Inspect itself makes of a score; None of text that it warns about.

    Examples
    --------
    >>> [_number(value) for value in ("C", "Yes", "0.5", True, "maybe")]
    [1.0, 1.0, 0.5, 1.0, None]
    """
    if isinstance(value, bool | int | float):
        return plain_number(value)
    if not isinstance(value, str):
        return None
    known = _VERDICTS.get(value, _WORDS.get(value.lower()))
    try:
        return float(value) if known is None else known
    except ValueError:
        return None


def _unpacked(path: Path) -> tuple[Any, list[Any]]:
    """Return header and samples; the summaries hold all scores and are much smaller."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
            _require_sensible(archive, path)
            header = _member(archive, "header.json") if "header.json" in names else {}
            if "summaries.json" in names:
                return header, list(_member(archive, "summaries.json"))
            samples = sorted(name for name in names if name.startswith("samples/"))
            return header, [_member(archive, name) for name in samples]
    except FileFormatError:
        raise
    except (*_BROKEN, NotImplementedError, RuntimeError, RecursionError, TypeError) as error:
        raise FileFormatError(
            where=str(path),
            found=f"no log of Inspect ({error})",
            needed="a complete .eval file",
            cure="Copy it again, or write JSON: inspect log convert --to json.",
        ) from error


def _require_sensible(archive: zipfile.ZipFile, path: Path) -> None:
    size = sum(member.file_size for member in archive.infolist())
    if size > 50 * _MOST_UNPACKED:
        raise FileFormatError(
            where=str(path),
            found=f"{size:,} bytes said to be in one log",
            needed="a log of a sensible size",
            cure="Check the file.",
        )


def _member(archive: zipfile.ZipFile, name: str) -> Any:  # noqa: ANN401 - parsed JSON
    about = archive.getinfo(name)
    if about.file_size > _MOST_UNPACKED:
        raise ValueError(f"{name} unpacks to more than 1 GB")
    if about.compress_type != _ZSTD:
        return json.loads(archive.read(name))
    return json.loads(_unpacked_zstd(_raw(archive, about), about.file_size))


def _raw(archive: zipfile.ZipFile, about: zipfile.ZipInfo) -> bytes:
    """Return a member's packed bytes: Python's zipfile knows this compression from 3.14 on."""
    file: Any = archive.fp
    file.seek(about.header_offset)
    head = file.read(30)
    name_length, extra_length = struct.unpack("<HH", head[26:30])
    file.seek(about.header_offset + 30 + name_length + extra_length)
    packed: bytes = file.read(about.compress_size)
    return packed


def _unpacked_zstd(packed: bytes, size: int) -> bytes:
    for unpack in (_with_standard_library, _with_zstandard, _with_pyarrow):
        try:
            unpacked = unpack(packed, size)
        except ImportError:
            continue
        return unpacked
    raise FileFormatError(
        where="the log",
        found="JSON packed with Zstandard",
        needed="Python 3.14, or a package that unpacks it",
        cure='Run: pip install zstandard, or pip install "howgood[parquet]". Or write JSON with '
        "Inspect: inspect log convert --to json.",
    )


def _with_standard_library(packed: bytes, size: int) -> bytes:
    from importlib import import_module

    content: bytes = import_module("compression.zstd").decompress(packed)
    return content


def _with_zstandard(packed: bytes, size: int) -> bytes:
    from importlib import import_module

    zstandard = import_module("zstandard")
    try:
        content: bytes = zstandard.ZstdDecompressor().decompress(packed, max_output_size=size)
    except zstandard.ZstdError as error:
        raise ValueError(str(error)) from error
    return content


def _with_pyarrow(packed: bytes, size: int) -> bytes:
    from importlib import import_module

    pyarrow = import_module("pyarrow")
    content: bytes = pyarrow.decompress(packed, size, codec="zstd", asbytes=True)
    return content
