"""What every column of a study's data means.

In: names, meanings, levels. Out: a frozen `Codebook`. Absent: how it is made from a study
(`flow.collected`) and written to a file.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

TableName = Literal["answers", "participants", "screens"]
TABLES: tuple[TableName, ...] = ("answers", "participants", "screens")
# Columns that may name a person: data leaves without them unless a reason was given.
IDENTIFYING = frozenset({"external_id"})
ColumnType = Literal["text", "integer", "number", "boolean", "time"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column: what it holds, and in whose words it was asked.

    `levels` maps the values a column can take to what people read; `question` is the text they
    answered, empty where the column is no question.

    Notes
    -----
    Stability: experimental
    """

    name: str
    type: ColumnType
    meaning: str
    question: str = ""
    levels: Mapping[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "name": self.name,
            "type": self.type,
            "meaning": self.meaning,
            "question": self.question,
            "levels": dict(self.levels),
        }


ColumnRow = tuple[str, ColumnType, str] | tuple[str, ColumnType, str, Mapping[str, str]]


# The cells of a confusion matrix, as columns name and explain them.
CELLS = {
    "true_positives": "right alarms",
    "false_negatives": "misses",
    "false_positives": "false alarms",
    "true_negatives": "correctly quiet",
}
PARTICIPANT: ColumnRow = (
    "participant",
    "text",
    "number of the participant, the same in every table",
)
SECONDS: ColumnRow = (
    "seconds",
    "number",
    "how long the page was in front of the person; empty: not known",
)


def columns(*rows: ColumnRow) -> tuple[Column, ...]:
    """Return columns written as name, type, meaning and perhaps levels."""
    return tuple(
        Column(name=name, type=kind, meaning=meaning, levels=dict(*levels))
        for name, kind, meaning, *levels in rows
    )


def scale_levels(labels: Iterable[str]) -> dict[str, str]:
    """Return the levels of a scale, numbered from 1 as in the data."""
    return {str(number): label for number, label in enumerate(labels, start=1)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Codebook:
    """Every column of every table of a study's data.

    Notes
    -----
    Stability: experimental
    """

    study: str
    title: str
    kind: str
    versions: tuple[str, ...]
    tables: Mapping[TableName, tuple[Column, ...]]

    def names(self, table: TableName) -> tuple[str, ...]:
        """Return the columns of a table, in order."""
        return tuple(one_table.name for one_table in self.tables[table])

    def pseudonymised(self) -> "Codebook":
        """Return the codebook without the columns that may name a person."""
        kept = {
            table: tuple(column for column in columns if column.name not in IDENTIFYING)
            for table, columns in self.tables.items()
        }
        return replace(self, tables=kept)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "study": self.study,
            "title": self.title,
            "kind": self.kind,
            "versions": list(self.versions),
            "tables": {
                name: [column.to_dict() for column in columns]
                for name, columns in self.tables.items()
            },
        }
