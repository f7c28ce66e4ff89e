"""A paper's claims next to what we compute.

In: claims and numbers. Out: `Check` and `Reproduction`. Absent: running anything
(see `howgood.reproduce`).
"""

from dataclasses import dataclass, field
from typing import ClassVar, Literal

from howgood.records.table import Table, Tabular

CheckVerdict = Literal["holds", "does not hold", "cannot be checked here"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One claim of a paper, the paper's value, ours, and whether it holds.

    `item` is the number in the list of claims ("S3-13"), `place` where the paper says it
    ("Fig. 4a"). `rule` says how the verdict was reached, for instance "within .05".

    Stability: experimental
    """

    item: str
    place: str
    claim: str
    paper: str
    ours: str
    verdict: CheckVerdict
    rule: str = ""
    note: str = ""

    @classmethod
    def judged(
        cls,
        item: str,
        place: str,
        claim: str,
        *,
        paper: str,
        ours: str,
        holds: bool,
        rule: str,
        note: str = "",
    ) -> "Check":
        """Return a check whose verdict is a truth value found by a stated rule."""
        return cls(
            item=item,
            place=place,
            claim=claim,
            paper=paper,
            ours=ours,
            verdict="holds" if holds else "does not hold",
            rule=rule,
            note=note,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Reproduction(Tabular):
    """All checks of one paper, its pictures (name -> SVG text) and its known misprints.

    Stability: experimental
    """

    frame_of: ClassVar[str] = "to_table"

    paper: str
    citation: str
    checks: tuple[Check, ...]
    figures: dict[str, str] = field(default_factory=dict)
    errata: tuple[str, ...] = ()
    seed: int | None = None

    def to_table(self) -> Table:
        """Return one row per check."""
        names = ("item", "place", "claim", "paper", "ours", "verdict", "rule", "note")
        return Table({name: [getattr(check, name) for check in self.checks] for name in names})
