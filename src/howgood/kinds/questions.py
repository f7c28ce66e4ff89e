"""Questions beside a task.

In: plain values. Out: frozen records and problems. Absent: the tasks themselves.
"""

from typing import Literal

from pydantic import Field

from howgood.kinds.plan import repeated_keys, too_few
from howgood.records.record import CoherentRecord, Problem, Record


class Option(Record):
    """One answer that can be chosen."""

    key: str = Field(description="short name in the data")
    text: str = Field(description="what people read")


class Question(CoherentRecord):
    """A question beside the task: about the person, or about what they thought."""

    key: str = Field(description="name of the column in the data")
    text: str = Field(description="the question")
    type: Literal["choice", "choices", "scale", "number", "text"] = Field(
        default="choice",
        description="choice (one), choices (several), scale, number or text",
    )
    options: tuple[Option, ...] = Field(default=(), description="what can be chosen")
    scale: tuple[str, ...] = Field(
        default=(), description="labels of a scale, lowest first; type scale only"
    )
    minimum: float | None = Field(default=None, description="smallest number allowed")
    maximum: float | None = Field(default=None, description="largest number allowed")
    help: str = Field(default="", description="a line in small print below the question")

    def problems(self) -> list[Problem]:
        """Return what does not fit together."""
        found = repeated_keys(self.options, ("options",))
        if self.type in ("choice", "choices") and len(self.options) < 2:
            found.append(too_few(self.options, ("options",), "options", "Add an option."))
        if self.type == "scale" and len(self.scale) < 2:
            found.append(too_few(self.scale, ("scale",), "labels", "Add a label."))
        return found
