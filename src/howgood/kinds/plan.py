"""What the plans of all kinds share: a base, pictures, and checks of their lists.

In: plain values. Out: frozen records and problems. Absent: the plans themselves (each kind's
`plan`).
"""

from collections import Counter
from collections.abc import Iterable
from typing import ClassVar, Protocol

from pydantic import Field

from howgood.errors import HowgoodError, InputError
from howgood.records.record import CoherentRecord, Path, Problem, Record


class Plan(CoherentRecord):
    """What a study file says about the task of one kind.

    `own_columns` are what the kind writes about a participant; no question may have such a key.
    """

    own_columns: ClassVar[frozenset[str]] = frozenset()


# The plan of every kind there is, by the kind's name; `kind_registry` fills it.
PLANS: dict[str, type[Plan]] = {}


class Picture(Record):
    """A picture, film, sound or mock-up that lies next to the study file."""

    file: str = Field(
        description="path relative to the study file: svg, png, jpg, webp, gif, mp4, webm, mp3, "
        "ogg, wav, m4a; html for a mock-up in one file, which people can use and which reaches "
        "nothing else"
    )
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


def table_problem(error: HowgoodError, path: Path) -> Problem:
    """Return what is wrong with a table that a plan names."""
    if isinstance(error, InputError):
        found = f"{error.where}: {error.found}"
        return Problem(path=path, found=found, needed=error.needed, cure=error.cure)
    return Problem(path=path, found=str(error), needed="a readable table", cure="Save it as CSV.")
