"""A rerating: the same items, rated in several rounds.

In: plain values. Out: a frozen plan that can list what does not fit together in it. Absent: orders
of presentation (`flow.participate`).
"""

from pydantic import Field

from howgood.kinds.plan import Picture, Plan, repeated_keys, too_few
from howgood.records.record import Problem, Record


class RatedItem(Record):
    """Something people rate again and again: a text, a picture, or both."""

    key: str = Field(description="short name in the data")
    text: str = Field(default="", description="what people read")
    picture: Picture | None = Field(default=None, description="what people see")


class ReratingPlan(Plan):
    """The same items, rated in several rounds, each in a new order."""

    question: str = Field(description="asked with every item")
    scale: tuple[str, ...] = Field(description="labels, lowest first")
    rounds: int = Field(default=5, description="how often", ge=2, le=50)
    delay_minutes: float = Field(
        default=0.0,
        description="shortest time between the end of a round and the next",
        ge=0,
    )
    instructions: str = Field(default="", description="before the first round")
    # Last, though it must be there: a form shows a long list below what is short.
    items: tuple[RatedItem, ...] = Field(description="what is rated, at least 2")

    def problems(self) -> list[Problem]:
        """Return what does not fit together."""
        problems = repeated_keys(self.items, ("items",))
        if len(self.items) < 2:
            problems.append(too_few(self.items, ("items",), "items", "Add an item."))
        if len(self.scale) < 2:
            problems.append(too_few(self.scale, ("scale",), "labels", "Add a label."))
        return problems + [
            Problem(
                path=("items", index),
                found="neither text nor picture",
                needed="something to rate",
                cure="Add one of them.",
            )
            for index, item in enumerate(self.items)
            if not item.text and item.picture is None
        ]
