"""A rerating: the same items, rated in several rounds.

In: plain values. Out: a frozen plan that can list what does not fit together in it. Absent: orders
of presentation (`flow.participate`).
"""

from dataclasses import dataclass, field

from howgood.records.plain import Path, Problem, about
from howgood.records.plans.question import Picture, repeated_keys, too_few


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedItem:
    """Something people rate again and again: a text, a picture, or both."""

    key: str = field(metadata=about("short name in the data"))
    text: str = field(default="", metadata=about("what people read"))
    picture: Picture | None = field(default=None, metadata=about("what people see"))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReratingPlan:
    """The same items, rated in several rounds, each in a new order."""

    question: str = field(metadata=about("asked with every item"))
    scale: tuple[str, ...] = field(metadata=about("labels, lowest first"))
    rounds: int = field(default=5, metadata=about("how often", minimum=2, maximum=50))
    delay_minutes: float = field(
        default=0.0,
        metadata=about("shortest time between the end of a round and the next", minimum=0),
    )
    instructions: str = field(default="", metadata=about("before the first round"))
    # Last, though it must be there: a form shows a long list below what is short.
    items: tuple[RatedItem, ...] = field(metadata=about("what is rated, at least 2"))

    def problems(self, path: Path) -> list[Problem]:
        """Return what does not fit together."""
        found = repeated_keys(self.items, (*path, "items"))
        if len(self.items) < 2:
            found.append(too_few(self.items, (*path, "items"), "items", "Add an item."))
        if len(self.scale) < 2:
            found.append(too_few(self.scale, (*path, "scale"), "labels", "Add a label."))
        return found + [
            Problem(
                path=(*path, "items", index),
                found="neither text nor picture",
                needed="something to rate",
                cure="Add one of them.",
            )
            for index, item in enumerate(self.items)
            if not item.text and item.picture is None
        ]
