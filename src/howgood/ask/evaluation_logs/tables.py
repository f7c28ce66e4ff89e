"""A plain table of results: CSV, JSON Lines or Parquet with one row per item (and repeat).

In: a path. Out: `EvaluationLog`; columns of numbers are metrics, columns of text attributes.
Absent: logs of tools, which have files of their own.
"""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howgood.ask.files import open_table
from howgood.errors import InputError
from howgood.records.evaluation_log import EvaluationLog
from howgood.records.levels import VERDICT_WORDS, missing_values
from howgood.records.table import frame_column_names, frame_columns
from howgood.stats.arrays import FloatArray

NAME = "table (CSV, JSON Lines, Parquet)"
# Usual names, the first found counts.
ITEMS = ("item", "id", "item_id", "sample_id", "doc_id", "task_id", "question_id", "example_id",
         "test_case", "prompt", "question", "input")  # fmt: skip
_COST = ("cost", "total_cost", "price", "usd", "cost_usd")
_LATENCY = ("latency", "latency_ms", "latencyms", "duration", "seconds", "time_s")
_REPEATS = ("epoch", "repeat", "run", "trial", "seed", "attempt")
_SYSTEM = ("system", "model", "provider")


def read(path: Path, *, item: str | None = None, system: str | None = None) -> EvaluationLog:
    """Return the rows of a table; with `system`, those whose system column says so."""
    frame = open_table(path)
    names = frame_column_names(frame)
    lowered = {name.lower(): name for name in reversed(names)}
    chosen = item or next((lowered[one_item] for one_item in ITEMS if one_item in lowered), None)
    if chosen is None or chosen not in names:
        raise InputError(
            where=str(path),
            found=f"no column {'of items' if item is None else repr(item)} among "
            f"{', '.join(map(repr, names[:12]))}",
            needed="a column that names the item, the same in both logs",
            cure="Name it: item=...",
        )
    columns = frame_columns(frame, names, where=str(path))
    known = _roles(lowered)
    if system is not None:
        columns = _of_system(columns, known["system"], system, path)
    _require_one_system(columns, known["system"], path)
    # A column without a name is the row number that pandas writes.
    numbers = {name: _numbers(columns[name]) for name in names if name not in (chosen, "")}
    others = {chosen, *(entry for entry in known.values() if entry)}
    return EvaluationLog(
        source=str(path),
        format=NAME,
        system=system or path.stem,
        items=tuple(_name(value) for value in columns[chosen].tolist()),
        metrics={
            name: values
            for name, values in numbers.items()
            if values is not None and name not in others
        },
        attributes={
            name: tuple(str(value) for value in columns[name].tolist())
            for name, values in numbers.items()
            if values is None or name == known["repeat"]
        },
        cost=numbers.get(known["cost"]) if known["cost"] else None,
        latency=numbers.get(known["latency"]) if known["latency"] else None,
    )


def _roles(lowered: dict[str, str]) -> dict[str, str]:
    usual = {"cost": _COST, "latency": _LATENCY, "repeat": _REPEATS, "system": _SYSTEM}
    return {
        role: next((lowered[name] for name in names if name in lowered), "")
        for role, names in usual.items()
    }


def _of_system(
    columns: dict[str, NDArray[Any]], column: str, system: str, path: Path
) -> dict[str, NDArray[Any]]:
    is_mine = (
        np.array([str(value) == system for value in columns[column].tolist()]) if column else None
    )
    if is_mine is None or not is_mine.any():
        raise InputError(
            where=str(path),
            found=f"no row of {system!r}",
            needed="a column system (or model) that names it",
            cure="Check the name after #.",
        )
    return {name: values[is_mine] for name, values in columns.items()}


def _require_one_system(columns: dict[str, NDArray[Any]], column: str, path: Path) -> None:
    """Rows of several systems would pass for repeats of one."""
    found = sorted({str(value) for value in columns[column].tolist()}) if column else []
    if len(found) > 1:
        raise InputError(
            where=f"{path}, column {column!r}",
            found=f"{len(found)} systems: {', '.join(map(repr, found[:6]))}",
            needed="the rows of one",
            cure=f"Name it behind the file: {path}#{found[0]}",
        )


def _numbers(values: NDArray[Any]) -> FloatArray | None:
    """Return numbers, percent as shares, verdicts in words as 1 and 0; None for other text."""
    if values.dtype.kind in "biuf":
        return values.astype(np.float64)
    gaps = missing_values(values)
    texts = [str(value).strip().lower() for value in values.tolist()]
    filled = [text for text, gap in zip(texts, gaps, strict=True) if not gap]
    if not filled:
        return None
    known = {text: _number(text) for text in set(filled)}
    if None in known.values():
        return None
    return np.array([np.nan if gap else known[text] for text, gap in zip(texts, gaps, strict=True)],
                    dtype=np.float64)  # fmt: skip


def _number(text: str) -> float | None:
    """Return what a word or a percentage counts.

    Examples
    --------
    >>> _number("pass"), _number("85 %"), _number("blue")
    (1.0, 0.85, None)
    """
    if not text.endswith("%"):
        return VERDICT_WORDS.get(text)
    try:
        return float(text[:-1].strip().replace(",", ".")) / 100.0
    except ValueError:
        return None


def _name(value: object) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
