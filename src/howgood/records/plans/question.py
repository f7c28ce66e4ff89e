"""Questions beside a task, pictures, and what every list of records must keep to.

In: plain values. Out: frozen records and problems. Absent: the tasks themselves.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Literal, Protocol

from pydantic import Field

from howgood.records.record import CoherentRecord, Path, Problem, Record


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


class Picture(Record):
    """A picture or film that lies beside the study file."""

    file: str = Field(description="path relative to the study file: svg, png, jpg, webp, mp4")
    alternative: str = Field(description="what it shows, for those who cannot see it")
    digest: str = Field(
        default="", description="fingerprint of the file", json_schema_extra={"filled": True}
    )


class _Keyed(Protocol):
    @property
    def key(self) -> str: ...


def repeated_keys(records: Iterable[_Keyed], path: Path) -> list[Problem]:
    """Return a problem for every record whose key an earlier one has, or that has none."""
    seen: Counter[str] = Counter()
    problems = []
    for index, record in enumerate(records):
        seen[record.key] += 1
        if seen[record.key] > 1 or not record.key.replace("-", "_").isidentifier():
            problems.append(
                Problem(
                    path=(*path, index, "key"),
                    found=f"{record.key!r}" + (" again" if seen[record.key] > 1 else ""),
                    needed="a key of its own: letters, digits, _ and -, starting with a letter",
                    cure="Choose another key.",
                )
            )
    return problems


def too_few(
    values: tuple[object, ...], path: Path, what: str, cure: str, least: int = 2
) -> Problem:
    """Return the problem of a list that is too short."""
    return Problem(path=path, found=str(len(values)), needed=f"at least {least} {what}", cure=cure)
