"""Questions beside a task, pictures, and what every list of records must keep to.

In: plain values. Out: frozen records and problems. Absent: the tasks themselves.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, Protocol

from howgood.records.plain import Path, Problem, about


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One answer that can be chosen."""

    key: str = field(metadata=about("short name in the data"))
    text: str = field(metadata=about("what people read"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question beside the task: about the person, or about what they thought."""

    key: str = field(metadata=about("name of the column in the data"))
    text: str = field(metadata=about("the question"))
    type: Literal["choice", "choices", "scale", "number", "text"] = field(
        default="choice",
        metadata=about("choice (one), choices (several), scale, number or text"),
    )
    options: tuple[Option, ...] = field(default=(), metadata=about("what can be chosen"))
    scale: tuple[str, ...] = field(
        default=(), metadata=about("labels of a scale, lowest first; type scale only")
    )
    minimum: float | None = field(default=None, metadata=about("smallest number allowed"))
    maximum: float | None = field(default=None, metadata=about("largest number allowed"))
    help: str = field(default="", metadata=about("a line in small print below the question"))

    def problems(self, path: Path) -> list[Problem]:
        """Return what does not fit together."""
        found = repeated_keys(self.options, (*path, "options"))
        if self.type in ("choice", "choices") and len(self.options) < 2:
            found.append(too_few(self.options, (*path, "options"), "options", "Add an option."))
        if self.type == "scale" and len(self.scale) < 2:
            found.append(too_few(self.scale, (*path, "scale"), "labels", "Add a label."))
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A picture or film that lies beside the study file."""

    file: str = field(metadata=about("path relative to the study file: svg, png, jpg, webp, mp4"))
    alternative: str = field(metadata=about("what it shows, for those who cannot see it"))
    digest: str = field(default="", metadata=about("fingerprint of the file", filled=True))


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
