"""What changes between two texts of a study, field by field.

In: plain values before and after. Out: `Change`s in reading order. Absent: judging them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from howgood.flow.authoring.shape import label_of, question_at
from howgood.kinds import KINDS
from howgood.records.record import Path

Plain = object
_NOTHING = "—"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One field, in the words of the form, and what it said; a dash stands for nothing."""

    place: str
    before: str
    after: str


def changes(before: Mapping[str, object], after: Mapping[str, object]) -> tuple[Change, ...]:
    """Return every field that differs.

    Examples
    --------
    >>> changes({"title": "Old", "quota": 3}, {"title": "New"})
    (Change(place='Title', before='Old', after='New'), Change(place='Quota', before='3', after='—'))
    """
    old, new = dict(_leaves(before, ())), dict(_leaves(after, ()))
    return tuple(
        Change(place=in_words(path), before=old.get(path, _NOTHING), after=new.get(path, _NOTHING))
        for path in dict.fromkeys([*old, *new])
        if old.get(path) != new.get(path)
    )


def in_words(path: Path) -> str:
    """Return where something is as the form names it, counting from 1: its question comes last.

    Examples
    --------
    >>> in_words(("survey", "applications", 0, "name"))
    'Task › Applications 1 › What is the system called?'
    """
    words: list[str] = []
    for place, part in enumerate(path):
        if isinstance(part, int) and words:
            words[-1] += f" {part + 1}"
        elif place and place == len(path) - 1:
            words.append(question_at(path))
        else:
            words.append("Task" if part in KINDS else label_of(str(part)))
    return " › ".join(words)


def _leaves(value: Plain, path: Path) -> Iterator[tuple[Path, str]]:
    if isinstance(value, Mapping):
        for name, entry in value.items():
            yield from _leaves(entry, (*path, str(name)))
    elif isinstance(value, list | tuple):
        for index, entry in enumerate(value):
            yield from _leaves(entry, (*path, index))
    else:
        yield path, {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
