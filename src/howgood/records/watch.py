"""How acceptable a system in use is, over time.

In: what `decide.watch` found. Out: frozen records. Absent: deciding, drawing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from howgood.records.decision import GateVerdict
from howgood.records.estimate import Estimate
from howgood.records.provenance import Provenance
from howgood.records.saved import Saved
from howgood.records.table import Table, Tabular

# The part of a study that answers from inside a product make up.
IN_USE = "in use"
Direction = Literal["fell", "rose"]
Whose = Literal["new people", "the same people"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptanceChange(Saved):
    """A change of acceptance: whose answers show it, when it was noticed, and where it began.

    Times are in ISO 8601. `began_at` is the time of the answer from which the strongest evidence
    counts: about then.

    Stability: experimental
    """

    whose: Whose
    direction: Direction
    noticed_at: str
    began_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptanceWatch(Tabular):
    """Whether enough people accept a system in use, and whether that has changed.

    `accepting` is the share of people who accepted when they were first asked; its interval holds
    at every look. `verdict` compares it with `share`. `changes` holds a warning for new people, for
    people asked before, for both or for none; together they come with a probability of at most
    `level`, ever, where nothing changes. `periods` is the table behind the chart.

    Stability: experimental
    """

    frame_of: ClassVar[str] = "periods"

    verdict: GateVerdict
    accepting: Estimate
    share: float
    level: float
    changes: tuple[AcceptanceChange, ...]
    n_people: int
    n_answers: int
    since: str | None
    period: str
    periods: Table = field(repr=False)
    evidence_of_change: Mapping[str, float]
    provenance: Provenance = field(repr=False)

    @property
    def has_changed(self) -> bool:
        """Whether there is a warning."""
        return bool(self.changes)
