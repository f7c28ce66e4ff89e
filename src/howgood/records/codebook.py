"""What every column of a study's data means.

In: names, meanings, levels. Out: a frozen `Codebook`. Absent: how it is made from a study
(`flow.collected`) and written to a file.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

TableName = Literal["answers", "participants", "screens"]
TABLES: tuple[TableName, ...] = ("answers", "participants", "screens")
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
        return tuple(each.name for each in self.tables[table])

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "study": self.study,
            "title": self.title,
            "kind": self.kind,
            "versions": list(self.versions),
            "tables": {
                name: [each.to_dict() for each in columns] for name, columns in self.tables.items()
            },
        }
