"""What every column of a study's data means, and rows of that data by column.

In: names, meanings, levels; rows. Out: a frozen `Codebook`; batches. Absent: how they are made from
a study (`flow.collected`) and written to a file.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, Literal, get_args

TableName = Literal["answers", "participants", "screens"]
TABLES: tuple[TableName, ...] = ("answers", "participants", "screens")
DataFormat = Literal["csv", "parquet", "json", "preferences", "sav", "dta", "xlsx"]
DATA_FORMATS: tuple[DataFormat, ...] = get_args(DataFormat)
SurveyFormat = Literal["html", "limesurvey", "qualtrics"]
SURVEY_FORMATS: tuple[SurveyFormat, ...] = get_args(SurveyFormat)
# Columns that may name a person: data leaves without them unless a reason was given.
IDENTIFYING = frozenset({"external_id"})
ColumnType = Literal["text", "integer", "number", "boolean", "time"]
# Some rows of a table by column: the cells of every name, all of one length. Millions of rows leave
# in batches: a dictionary for each of them takes twice as long.
Batch = Mapping[str, Sequence[Any]]


def batch_of(rows: Sequence[Mapping[str, Any]], names: Iterable[str] | None = None) -> Batch:
    """Return rows by column, of these names or of all that any row has; a gap is None.

    Examples
    --------
    >>> batch_of([{"item": "a"}, {"item": "b", "rating": 3}])
    {'item': ['a', 'b'], 'rating': [None, 3]}
    """
    wanted = dict.fromkeys(chain.from_iterable(rows) if names is None else names)
    return {name: [row.get(name) for row in rows] for name in wanted}


def rows_of(batch: Batch) -> list[dict[str, Any]]:
    """Return the rows of a batch, every row with every column."""
    return [dict(zip(batch, cells, strict=True)) for cells in zip(*batch.values(), strict=True)]


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
