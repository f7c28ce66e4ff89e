"""Results of promptfoo (`promptfoo eval -o results.json`).

In: parsed JSON. Out: `EvaluationLog`, one row per test and repeat. Absent: promptfoo itself; the
layout is its documented output, versions 2 to 4.
"""

import json
from pathlib import Path
from typing import Any

from howgood.errors import FileFormatError
from howgood.records.evaluation_log import EvaluationLog, log_from_rows

NAME = "promptfoo"


def recognises(path: Path, document: Any) -> bool:  # noqa: ANN401 - parsed JSON
    """Say whether these are results of promptfoo."""
    rows = _rows(document)
    return bool(rows) and all(isinstance(row, dict) for row in rows) and "success" in rows[0]


def read(path: Path, document: Any, system: str | None) -> EvaluationLog:  # noqa: ANN401 - JSON
    """Return success, score and named scores of every test."""
    rows = _rows(document)
    names = list(dict.fromkeys(_system(row) for row in rows))
    if system is None and len(names) > 1:
        raise FileFormatError(
            where=str(path),
            found=f"results of {len(names)} systems: {', '.join(map(repr, names[:6]))}",
            needed="one of them",
            cure=f"Name it after the file: {path.name}#{names[0]}",
        )
    if system is not None and system not in names:
        raise FileFormatError(
            where=str(path),
            found=f"no system {system!r}",
            needed=f"one of {', '.join(map(repr, names[:6]))}",
            cure="Name one of these.",
        )
    mine = [row for row in rows if system is None or _system(row) == system]
    failed = sum(bool(row.get("error")) and row.get("score") is None for row in mine)
    notes = [f"{failed} of {len(mine)} tests ended with an error"] if failed else []
    return log_from_rows(
        [_row(row) for row in mine],
        source=str(path),
        kind=NAME,
        system=system or names[0],
        notes=notes,
    )


def _rows(document: Any) -> list[Any]:  # noqa: ANN401 - parsed JSON
    inner = document.get("results") if isinstance(document, dict) else None
    rows = inner.get("results") if isinstance(inner, dict) else inner
    return rows if isinstance(rows, list) else []


def _system(row: dict[str, Any]) -> str:
    provider = row.get("provider")
    if isinstance(provider, dict):
        provider = provider.get("label") or provider.get("id")
    return str(provider or "")


def _row(row: dict[str, Any]) -> dict[str, Any]:
    named = row.get("namedScores")
    metrics = {str(name): value for name, value in named.items()} if isinstance(named, dict) else {}
    metadata = row.get("metadata")
    return {
        "item": _item(row),
        "metrics": {"success": row.get("success"), "score": row.get("score"), **metrics},
        "attributes": {
            str(name): value
            for name, value in (metadata.items() if isinstance(metadata, dict) else ())
            if isinstance(value, str | int | bool)
        },
        "cost": row.get("cost"),
        "latency": row.get("latencyMs"),
    }


def _item(row: dict[str, Any]) -> str:
    """Return what names a test in two files: its variables, else its number."""
    prompt = f"#{row['promptIdx']}" if row.get("promptIdx") else ""
    variables = row.get("vars")
    if isinstance(variables, dict) and variables:
        return json.dumps(variables, sort_keys=True, ensure_ascii=False, default=str) + prompt
    return f"{row.get('testIdx', '')}{prompt}"
