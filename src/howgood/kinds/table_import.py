"""What a kind needs to read its answers from a table that another program wrote.

In: a row at a time. Out: what columns can hold (`Target`), and the reader that a kind's own
function is given. Absent: opening files, people, storing (`flow.importing`).
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol, TypeVar

from howgood.kinds.study import Study
from howgood.records.screen import AnswerValue

Missing = Literal["error", "drop"]
Value = TypeVar("Value")
CONDITION = "condition"


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Something a column can hold; `aliases` are other names that programs give such columns."""

    name: str
    meaning: str
    is_required: bool = False
    aliases: tuple[str, ...] = ()


@dataclass(slots=True)
class PersonDraft:
    """A person while their rows are read: answers by screen, and questions about the person."""

    condition: str = ""
    questions: dict[str, dict[str, AnswerValue]] = field(default_factory=dict)
    answers: dict[str, tuple[dict[str, AnswerValue], float | None]] = field(default_factory=dict)
    at: dict[str, datetime] = field(default_factory=dict)
    is_finished: bool | None = None
    is_pilot: bool = False


class RowReader(Protocol):
    """One table being read: knows the row it is at, and keeps what is wrong."""

    study: Study
    mapping: Mapping[str, str]
    left_out: Counter[str]

    def text(self, target: str) -> str:
        """Return the cell of this row that the mapping names, or nothing."""
        ...

    def cell(self, column: str) -> str:
        """Return a cell of this row by the column's own name, or nothing."""
        ...

    def value(self, column: str, text: str, read: Callable[[str], Value]) -> Value | None:
        """Return the cell's value; what is wrong with it is kept, and None returned."""
        ...

    def mapped(self, target: str, read: Callable[[str], Value]) -> Value | None:
        """Return the value of a mapped cell, None where it is empty."""
        ...

    def has_gap(self, targets: list[str], missing: Missing) -> bool:
        """Return whether a needed cell is empty; the policy says whether that is a problem."""
        ...

    def assign(self, person: PersonDraft, fitting: str) -> None:
        """Give somebody the condition that the table names, else the fitting one."""
        ...

    def judge(self, person: PersonDraft, screen: str, values: dict[str, AnswerValue]) -> None:
        """Keep a judgement; a second one of the same thing is a problem."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TableImport:
    """How a kind reads tables with one row per judgement.

    `targets` are what columns can hold; `needed` names those without which the mapping so far is
    not complete; `read_row` reads one judgement of a person.
    """

    targets: Callable[[Study], tuple[Target, ...]]
    needed: Callable[[Study, Mapping[str, str]], list[str]] = lambda study, mapping: []
    read_row: Callable[[RowReader, PersonDraft, Missing], None]
