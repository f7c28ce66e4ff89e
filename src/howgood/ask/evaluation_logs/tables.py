"""A plain table of results: CSV, JSON Lines or Parquet with one row per item (and repeat).

In: a path. Out: `EvaluationLog`; columns of numbers are metrics, columns of text attributes.
Absent: logs of tools, which have files of their own.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howgood.ask.files import open_table
from howgood.ask.intake import gaps_in
from howgood.ask.row_numbers import row_names
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
    row_of = row_names(path)
    if system is None:
        _require_one_system(columns, known["system"], path)
        kept = np.arange(len(columns[chosen]))
    else:
        kept = _rows_of_system(columns, known["system"], system, path)
    return log_of_columns(
        {name: values[kept] for name, values in columns.items()},
        item=chosen,
        source=str(path),
        kind=NAME,
        system=system or path.stem,
        known=known,
        row_of=lambda place: row_of(int(kept[place])),
    )


def log_of_columns(
    columns: Mapping[str, NDArray[Any]],
    *,
    item: str,
    source: str,
    kind: str,
    system: str,
    known: Mapping[str, str],
    row_of: Callable[[int], str],
) -> EvaluationLog:
    """Return a log of columns; `known` says which are cost, latency, repeat and system, if any.

    A column of numbers in which a text stands is no metric, and it is not quietly left out either:
    `unread` says where.
    """
    # A column without a name is the row number that pandas writes.
    read = {name: _numbers(values) for name, values in columns.items() if name not in (item, "")}
    others = {item, *(entry for entry in known.values() if entry)}
    numbers = {name: found for name, found in read.items() if not isinstance(found, int)}
    unread = {
        name: f"{row_of(found)} has {str(columns[name][found])[:40]!r}"
        for name, found in read.items()
        if isinstance(found, int)
    }
    repeat = known.get("repeat", "")
    items = _items(columns[item], source=source, column=item, row_of=row_of)
    return EvaluationLog(
        source=source,
        format=kind,
        system=system,
        items=items,
        metrics={
            name: values
            for name, values in numbers.items()
            if values is not None and name not in others
        },
        attributes={
            name: tuple(map(_name, columns[name].tolist()))
            for name in read
            if numbers.get(name) is None or name == repeat
        },
        cost=numbers.get(known.get("cost", "")),
        latency=numbers.get(known.get("latency", "")),
        unread={name: place for name, place in unread.items() if name not in others},
        notes=() if repeat else _notes(items, item),
    )


def _items(
    values: NDArray[Any], *, source: str, column: str, row_of: Callable[[int], str]
) -> tuple[str, ...]:
    """Return the items' names; rows without one would all pass for repeats of the same item."""
    if values.dtype.kind in "iu":
        return tuple(map(str, values.tolist()))
    gaps = missing_values(values) | np.array(
        [str(value).strip() == "" for value in values.tolist()], dtype=bool
    )
    if gaps.any():
        first = int(np.argmax(gaps))
        raise InputError(
            where=f"{source}, column {column!r}",
            found=f"{int(gaps.sum())} of {len(gaps)} rows without an item (first: {row_of(first)})",
            needed="the item's name in every row",
            cure="Fill them in, or leave these rows out.",
        )
    return tuple(map(_name, values.tolist()))


def _notes(items: Sequence[str], column: str) -> tuple[str, ...]:
    """Say that rows count as repeats, where no column says that they are."""
    if len(set(items)) == len(items):
        return ()
    several = sum(count > 1 for count in Counter(items).values())
    which = "1 item has" if several == 1 else f"{several} items have"
    return (
        f"{which} several rows, which count as repeats of one item and are averaged (column "
        f"{column!r}; if they are different items, name another column)",
    )


def _roles(lowered: dict[str, str]) -> dict[str, str]:
    usual = {"cost": _COST, "latency": _LATENCY, "repeat": _REPEATS, "system": _SYSTEM}
    return {
        role: next((lowered[name] for name in names if name in lowered), "")
        for role, names in usual.items()
    }


def _rows_of_system(
    columns: Mapping[str, NDArray[Any]], column: str, system: str, path: Path
) -> NDArray[np.intp]:
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
    return np.flatnonzero(is_mine)


def _require_one_system(columns: Mapping[str, NDArray[Any]], column: str, path: Path) -> None:
    """Rows of several systems would pass for repeats of one."""
    found = sorted({str(value) for value in columns[column].tolist()}) if column else []
    if len(found) > 1:
        raise InputError(
            where=f"{path}, column {column!r}",
            found=f"{len(found)} systems: {', '.join(map(repr, found[:6]))}",
            needed="the rows of one",
            cure=f"Name it behind the file: {path}#{found[0]}",
        )


def _numbers(values: NDArray[Any]) -> FloatArray | int | None:
    """Return numbers, percent as shares, verdicts in words as 1 and 0; None for other text.

    Of a column that mostly holds such values, the place of the first that is none of them.
    """
    if values.dtype.kind in "biuf":
        return values.astype(np.float64)
    gaps = gaps_in(values)
    texts = [str(value).strip().lower() for value in values.tolist()]
    filled = [place for place, gap in enumerate(gaps.tolist()) if not gap]
    kinds = {text: _kind(text) for text in {texts[place] for place in filled}}
    counts = Counter(kinds[texts[place]] for place in filled)
    counted = sum(number for kind, number in counts.items() if kind)
    if not counted:
        return None
    usual = max((kind for kind in counts if kind), key=lambda kind: counts[kind])
    is_usual = {usual, "number"} if usual != "percentage" else {usual}
    other = next((place for place in filled if kinds[texts[place]] not in is_usual), None)
    if other is not None:
        return other if 2 * counted > len(filled) else None
    return np.array(
        [np.nan if gap else _number(text) for text, gap in zip(texts, gaps, strict=True)],
        dtype=np.float64,
    )


def _kind(text: str) -> str:
    """Return what a text says: a number, a percentage, a verdict, or "" for anything else.

    Examples
    --------
    >>> _kind("pass"), _kind("85 %"), _kind("0.5"), _kind("blue")
    ('verdict', 'percentage', 'number', '')
    """
    if text in VERDICT_WORDS:
        return "verdict"
    is_percentage = text.endswith("%")
    number = text.removesuffix("%").strip()
    try:
        float(number.replace(",", ".") if is_percentage else number)
    except ValueError:
        return ""
    return "percentage" if is_percentage else "number"


def _number(text: str) -> float:
    """Return what a word, a percentage or a number counts.

    Examples
    --------
    >>> _number("pass"), _number("85 %"), _number("0.5")
    (1.0, 0.85, 0.5)
    """
    if text in VERDICT_WORDS:
        return VERDICT_WORDS[text]
    if text.endswith("%"):
        return float(text[:-1].strip().replace(",", ".")) / 100.0
    return float(text)


def _name(value: object) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
