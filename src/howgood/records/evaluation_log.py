"""One evaluation of one system, as rows: whichever tool wrote the log.

In: what a reader of `ask.evaluation_logs` found. Out: `EvaluationLog`. Absent: files.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from howgood.records.shown import Shown
from howgood.records.table import check_sizes
from howgood.stats.arrays import FloatArray

_HUGE = 10**101


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EvaluationLog(Shown):
    """Rows of one evaluation: item and epoch, the metrics' values, cost and latency where known.

    `metrics`, `cost` and `latency` hold one number per row, NaN where there is none; `attributes`
    are texts of items that may name clusters (task, topic). `unread` are columns with text among
    their numbers, each with the first such place: no metrics, and not to be overlooked either.
    `notes` say what was odd.

    Stability: experimental
    """

    source: str
    format: str
    system: str
    items: tuple[str, ...] = field(repr=False)
    metrics: Mapping[str, FloatArray] = field(repr=False)
    attributes: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    cost: FloatArray | None = field(default=None, repr=False)
    latency: FloatArray | None = field(default=None, repr=False)
    unread: Mapping[str, str] = field(default_factory=dict, repr=False)
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        named = {**self.metrics, "cost": self.cost, "latency": self.latency}
        for name, numbers in named.items():
            if numbers is not None:
                check_sizes(numbers, where=f"{self.source}, {name}")

    @property
    def n_items(self) -> int:
        """How many different items there are."""
        return len(set(self.items))

    def to_dict(self) -> dict[str, Any]:
        """Return what was found, ready for JSON (without the rows)."""
        return {
            "source": self.source,
            "format": self.format,
            "system": self.system,
            "rows": len(self.items),
            "items": self.n_items,
            "metrics": list(self.metrics),
            "attributes": list(self.attributes),
            "has_cost": self.cost is not None,
            "has_latency": self.latency is not None,
            "unread": dict(self.unread),
            "notes": list(self.notes),
        }


def log_from_rows(
    rows: Sequence[Mapping[str, Any]],
    *,
    source: str,
    kind: str,
    system: str,
    notes: Sequence[str] = (),
) -> EvaluationLog:
    """Return a log from rows with `item`, `metrics`, and perhaps `attributes`, `cost`, `latency`.

    What mostly is a number, and `unread` in some rows, is no metric: those rows would be left out
    for what they say. What mostly is text never was one, which the notes say.

    Examples
    --------
    >>> row = {"item": "q1", "metrics": {"accuracy": 1.0}}
    >>> log_from_rows([row], source="a.json", kind="promptfoo", system="a").n_items
    1
    """
    first = {name: place for row in reversed(rows) for name, place in row.get("unread", {}).items()}
    metrics = dict.fromkeys(name for row in rows for name in row["metrics"] if name not in first)
    unread = {name: place for name, place in first.items() if _is_mostly_read(name, rows)}
    texts = [
        f"{name!r} is no metric: its scores are no numbers ({place})"
        for name, place in first.items()
        if name not in unread
    ]
    attributes = dict.fromkeys(name for row in rows for name in row.get("attributes", {}))
    return EvaluationLog(
        source=source,
        format=kind,
        system=system,
        items=tuple(str(row["item"]) for row in rows),
        metrics={
            name: np.array([plain_number(row["metrics"].get(name)) for row in rows])
            for name in metrics
        },
        attributes={
            name: tuple(str(row.get("attributes", {}).get(name, "")) for row in rows)
            for name in attributes
        },
        cost=_numbers_if_any(rows, "cost"),
        latency=_numbers_if_any(rows, "latency"),
        unread=unread,
        notes=(*notes, *texts),
    )


def _is_mostly_read(name: str, rows: Sequence[Mapping[str, Any]]) -> bool:
    n_read = sum(name in row["metrics"] for row in rows)
    return n_read > sum(name in row.get("unread", {}) for row in rows)


def named_apart(cases: Sequence[tuple[str, str]]) -> list[str]:
    """Return the names of items, numbered where several with the same name differ in content.

    Examples
    --------
    >>> named_apart([("q", "asks for a"), ("q", "asks for b"), ("q", "asks for a")])
    ['q', 'q (2)', 'q']
    """
    seen: dict[str, list[str]] = {}
    names = []
    for name, content in cases:
        contents = seen.setdefault(name, [])
        if content not in contents:
            contents.append(content)
        number = contents.index(content) + 1
        names.append(name if number == 1 else f"{name} ({number})")
    return names


def _numbers_if_any(rows: Sequence[Mapping[str, Any]], name: str) -> FloatArray | None:
    values = np.array([plain_number(row.get(name)) for row in rows])
    return values if np.isfinite(values).any() else None


def plain_number(value: object) -> float:
    """Return a number as JSON has it; NaN of anything else."""
    if isinstance(value, bool | int | float):
        # Whole numbers of JSON may have hundreds of digits; such are refused by their size.
        return float(min(max(value, -_HUGE), _HUGE) if isinstance(value, int) else value)
    return float("nan")
