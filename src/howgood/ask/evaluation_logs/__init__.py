"""Logs of evaluations, whichever tool wrote them: one file per format, one registry.

In: a path. Out: `EvaluationLog`. Absent: comparing logs (see `decide.shipping`).

A format is a module with NAME, `recognises(path, document)` and `read(path, document, system)`. A
new one is a file here and its name in `_FORMATS`; the last one, a plain table, takes what no other
knows. `document` is the parsed JSON of a `.json` file, else None.
"""

import json
from pathlib import Path
from types import ModuleType
from typing import Any

from howgood.ask.evaluation_logs import deepeval, inspect_ai, lm_eval, promptfoo, tables
from howgood.errors import FileFormatError
from howgood.records.evaluation_log import EvaluationLog

_FORMATS: tuple[ModuleType, ...] = (inspect_ai, promptfoo, lm_eval, deepeval)
_LARGEST = 2_000_000_000
# What Inspect writes next to logs: lists of them.
_NO_LOGS = ("logs.json", "listing.json", "eval-set.json")


def read_log(
    path: str | Path, *, item: str | None = None, system: str | None = None
) -> EvaluationLog:
    """Read an evaluation's log: Inspect, promptfoo, lm-eval, DeepEval, or a table.

    Parameters
    ----------
    path : str or Path
        An `.eval` or `.json` log, or a folder with one; a folder or file of lm-eval samples; or a
        table (CSV, JSONL, Parquet). `file.json#name` takes one system out of a log of several.
    item : str, optional
        Column of a table that names the item; guessed where it is a usual name.
    system : str, optional
        Which system of a log that holds several.

    Notes
    -----
    Stability: experimental
    """
    text, _, chosen = str(path).partition("#")
    location, system = Path(text), system or chosen or None
    _require(location)
    location = _only_log(location)
    document = _document(location)
    for log_format in _FORMATS:
        if log_format.recognises(location, document):
            log: EvaluationLog = log_format.read(location, document, system)
            return _with_rows(log, location)
    return _with_rows(tables.read(location, item=item, system=system), location)


def _require(location: Path) -> None:
    if location.exists():
        return
    raise FileFormatError(
        where=str(location),
        found="no such file",
        needed="a log of an evaluation, or a folder of lm-eval samples",
        cure="Check the path.",
    )


def _only_log(location: Path) -> Path:
    """Return the one log in a folder, as tools write one per run; samples of lm-eval are a log."""
    if not location.is_dir() or lm_eval.recognises(location, None):
        return location
    logs = sorted(
        path
        for path in location.iterdir()
        if path.suffix.lower() in (".eval", ".json") and path.name not in _NO_LOGS
    )
    if len(logs) == 1:
        return logs[0]
    found = f"a folder with {len(logs)} logs" if logs else "a folder without a log"
    raise FileFormatError(
        where=str(location),
        found=found,
        needed="one log (.eval or .json), or samples of lm-eval (samples_*.jsonl)",
        cure=f"Name the file, the last one for instance: {logs[-1]}"
        if logs
        else "Name the file, or run lm_eval with --log_samples.",
    )


def _document(location: Path) -> Any:  # noqa: ANN401 - JSON is made of anything
    """Return the parsed content of a .json file, None of any other."""
    if location.is_dir() or location.suffix.lower() != ".json":
        return None
    if location.stat().st_size > _LARGEST:
        raise FileFormatError(
            where=str(location),
            found="more than 2 GB of JSON",
            needed="a log that fits into memory",
            cure="Write it in a smaller format, such as .eval or Parquet.",
        )
    try:
        return json.loads(location.read_bytes())
    except (ValueError, RecursionError) as error:
        raise FileFormatError(
            where=str(location),
            found=f"no JSON ({error})",
            needed="a complete JSON file",
            cure="Export the log again.",
        ) from error


def _with_rows(log: EvaluationLog, location: Path) -> EvaluationLog:
    if log.items and (log.metrics or log.unread):  # what a text spoilt has its row: see `ship`
        return log
    what = "no metric" if log.items else "no rows"
    raise FileFormatError(
        where=str(location),
        found=f"{what} in what looks like {log.format}",
        needed="at least one item with a number or a verdict",
        cure=f"{log.notes[0][0].upper()}{log.notes[0][1:]}: look there, and run it again."
        if log.notes
        else "Check that the evaluation finished and was scored.",
    )
