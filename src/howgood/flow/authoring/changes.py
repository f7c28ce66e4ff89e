"""What changes between two texts of a study, field by field.

In: plain values before and after. Out: `Change`s in reading order. Absent: judging them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from howgood.flow.authoring.shape import label_of, question_at
from howgood.kinds import KINDS
from howgood.records.record import Path

Plain = object


class _Entry(str):
    """The key of an entry of a list: its place may change, it stays the same entry."""

    __slots__ = ()


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
    differing = (path for path in dict.fromkeys([*old, *new]) if old.get(path) != new.get(path))
    found = [
        Change(place=in_words(path), before=old.get(path, _NOTHING), after=new.get(path, _NOTHING))
        for path in differing
    ]
    orders, now = dict(_orders(before, ())), dict(_orders(after, ()))
    for path in (each for each in orders if each in now):
        kept = [key for key in orders[path] if key in now[path]]
        moved = [key for key in now[path] if key in orders[path]]
        if kept != moved:
            place = f"{in_words(path)} › Order"
            found.append(Change(place=place, before=", ".join(kept), after=", ".join(moved)))
    return tuple(found)


def in_words(path: Path) -> str:
    """Return where something is as the form names it, counting from 1: its question comes last.

    Examples
    --------
    >>> in_words(("survey", "applications", 0, "name"))
    'Task › Applications 1 › What is the system called?'
    """
    words: list[str] = []
    for place, part in enumerate(path):
        if isinstance(part, _Entry) and words:
            words[-1] += f" “{part}”"
        elif isinstance(part, int) and words:
            words[-1] += f" {part + 1}"
        elif place and place == len(path) - 1:
            steps: list[str | int] = [0 if isinstance(one, _Entry) else one for one in path]
            words.append(question_at(tuple(steps)))
        else:
            words.append("Task" if part in KINDS else label_of(str(part)))
    return " › ".join(words)


def _leaves(value: Plain, path: Path) -> Iterator[tuple[Path, str]]:
    if isinstance(value, Mapping):
        for name, entry in value.items():
            yield from _leaves(entry, (*path, str(name)))
    elif isinstance(value, list | tuple):
        names: Sequence[str | int] = _keys(value) or range(len(value))
        for name, entry in zip(names, value, strict=True):
            yield from _leaves(entry, (*path, name))
    elif isinstance(value, bool):
        yield path, "yes" if value else "no"
    else:
        is_whole = isinstance(value, float) and value.is_integer()
        yield path, f"{value:.0f}" if is_whole else str(value)


def _orders(value: Plain, path: Path) -> Iterator[tuple[Path, list[_Entry]]]:
    """Yield the keys of every list whose entries have one."""
    if isinstance(value, Mapping):
        for name, entry in value.items():
            yield from _orders(entry, (*path, str(name)))
    elif isinstance(value, list | tuple) and (keys := _keys(value)):
        yield path, keys
        for name, entry in zip(keys, value, strict=True):
            yield from _orders(entry, (*path, name))


def _keys(entries: Sequence[Plain]) -> list[_Entry]:
    """Return the keys of the entries of a list; none unless each has one of its own."""
    keys = [entry.get("key") for entry in entries if isinstance(entry, Mapping)]
    named = [_Entry(key) for key in keys if isinstance(key, str) and key]
    return named if len(set(named)) == len(entries) else []
