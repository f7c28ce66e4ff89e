"""Samples of lm-evaluation-harness (`--log_samples`): one JSON object per line.

In: a samples file, or a folder of them. Out: `EvaluationLog`, one row per document, the task as an
attribute. Absent: the harness; the layout is that of its files `samples_TASK_DATE.jsonl`.
"""

import json
import re
from collections import Counter
from json import JSONDecodeError
from pathlib import Path
from typing import Any

from howgood.errors import FileFormatError
from howgood.records.evaluation_log import EvaluationLog, log_from_rows

NAME = "lm-eval samples"
_NAME = re.compile(r"samples_(?P<task>.+?)_\d{4}-\d{2}-\d{2}T.*\.jsonl$")
# What a sample holds next to its metrics.
_OTHER = {"doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics",
          "doc_hash", "prompt_hash", "target_hash"}  # fmt: skip


def recognises(path: Path, document: Any) -> bool:  # noqa: ANN401 - parsed JSON
    """Say whether these are samples of lm-eval: a folder of them, or a file that begins so."""
    if path.is_dir():
        return next(path.rglob("samples_*.jsonl"), None) is not None
    if path.suffix.lower() != ".jsonl":
        return False
    with path.open("rb") as file:
        first = file.readline(10_000_000)
    return b'"doc_id"' in first and b'"filtered_resps"' in first


def read(path: Path, document: Any, system: str | None) -> EvaluationLog:  # noqa: ANN401 - JSON
    """Return the metrics of every document of every task."""
    files = sorted(path.rglob("samples_*.jsonl")) if path.is_dir() else [path]
    newest, notes = _newest(files, path)
    rows = []
    for file in newest:
        rows += _of_task(_lines(file), _task(file, alone=len(newest) == 1), file)
    repeated = sum("document" in row["attributes"] for row in rows)
    if repeated:
        notes.append(
            f"{repeated} documents are not the only ones with their content; each counts by itself "
            "(--cluster document takes equal ones together)"
        )
        for row in rows:
            row["attributes"].setdefault("document", row["item"])
    return log_from_rows(
        rows,
        source=str(path),
        kind=NAME,
        system=system or _model(files) or path.stem,
        notes=notes,
    )


def _of_task(
    lines: list[tuple[int, dict[str, Any]]], task: str, file: Path
) -> list[dict[str, Any]]:
    """Return a row per document; lines of one document hold what several filters made of it.

    A document is known by its number. Its name in two logs is its content, and where documents
    have equal content, also which of them it is.
    """
    documents: dict[str, dict[str, Any]] = {}
    contents: dict[str, str] = {}
    for number, sample in lines:
        known = str(sample.get("doc_id", number))
        metrics = _metrics(sample)
        contents[known] = str(sample.get("doc_hash") or known)
        row = documents.setdefault(known, {"item": "", "metrics": {}, "attributes": {"task": task}})
        if not row["metrics"].keys().isdisjoint(metrics):
            raise FileFormatError(
                where=f"{file}, line {number}",
                found=f"document {known} a second time",
                needed="one line for every document and filter",
                cure="Keep the lines of one run: two runs may have been written to the same file.",
            )
        row["metrics"] |= metrics
    times = Counter(contents.values())
    seen: Counter[str] = Counter()
    for known in sorted(documents, key=_in_order):
        content, row = contents[known], documents[known]
        seen[content] += 1
        row["item"] = f"{task}/{content}" + (f" ({seen[content]})" if seen[content] > 1 else "")
        if times[content] > 1:
            row["attributes"]["document"] = f"{task}/{content}"
    return list(documents.values())


def _in_order(known: str) -> tuple[int, str]:
    return (int(known) if known.isdecimal() else -1, known)


def _task(file: Path, *, alone: bool) -> str:
    """Return the task in the name that lm-eval gives; a file renamed and alone has only one."""
    match = _NAME.match(file.name)
    return match["task"] if match else "samples" if alone else file.stem


def _newest(files: list[Path], path: Path) -> tuple[list[Path], list[str]]:
    """Return the last run of every task; runs of several models are refused."""
    folders = sorted({str(file.parent) for file in files})
    if len(folders) > 1:
        raise FileFormatError(
            where=str(path),
            found=f"samples in {len(folders)} folders: {', '.join(folders[:4])}",
            needed="the samples of one model",
            cure="Name its folder.",
        )
    last = {_task(file, alone=False): file for file in files}  # names end with the date
    older = len(files) - len(last)
    runs = "1 older run" if older == 1 else f"{older} older runs"
    notes = [f"{runs} of the same tasks left out"] if older else []
    return list(last.values()), notes


def _model(files: list[Path]) -> str:
    """Return the model's name, which stands in the results next to the samples."""
    names = set()
    for folder in {file.parent for file in files}:
        for summary in sorted(folder.glob("results_*.json"))[:20]:
            try:
                name = json.loads(summary.read_bytes()).get("model_name")
            except (JSONDecodeError, UnicodeDecodeError, RecursionError, AttributeError):
                continue
            names |= {name} if isinstance(name, str) else set()
    return names.pop() if len(names) == 1 else ""


def _lines(file: Path) -> list[tuple[int, dict[str, Any]]]:
    rows = []
    for number, line in enumerate(file.read_bytes().splitlines(), 1):
        if not line.strip():
            continue
        try:
            sample = json.loads(line)
        except (JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
            raise FileFormatError(
                where=f"{file}, line {number}",
                found="no JSON",
                needed="one complete object per line",
                cure="Copy the file again.",
            ) from error
        if isinstance(sample, dict):
            rows.append((number, sample))
    return rows


def _metrics(sample: dict[str, Any]) -> dict[str, float]:
    """Return numbers under the metrics' names; with several filters, each under its own."""
    named = sample.get("metrics")
    names = named if isinstance(named, list) else [name for name in sample if name not in _OTHER]
    kind = sample.get("filter")
    mark = f",{kind}" if isinstance(kind, str) and kind not in ("none", "") else ""
    return {
        f"{name}{mark}": float(sample[name])
        for name in names
        if isinstance(name, str) and isinstance(sample.get(name), bool | int | float)
    }
