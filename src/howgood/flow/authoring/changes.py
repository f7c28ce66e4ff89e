"""What changes between two texts of a study, field by field.

In: plain values before and after. Out: `Change`s in reading order. Absent: judging them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from howgood.records.plain import Path, written

Plain = object
_NOTHING = "—"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One field that reads differently; a dash stands where there was or is nothing."""

    place: str
    before: str
    after: str


def changes(before: Mapping[str, object], after: Mapping[str, object]) -> tuple[Change, ...]:
    """Return every field that differs.

    Examples
    --------
    >>> changes({"title": "Old", "quota": 3}, {"title": "New"})
    (Change(place='title', before='Old', after='New'), Change(place='quota', before='3', after='—'))
    """
    old, new = dict(_leaves(before, ())), dict(_leaves(after, ()))
    return tuple(
        Change(place=written(path), before=old.get(path, _NOTHING), after=new.get(path, _NOTHING))
        for path in dict.fromkeys([*old, *new])
        if old.get(path) != new.get(path)
    )


def _leaves(value: Plain, path: Path) -> Iterator[tuple[Path, str]]:
    if isinstance(value, Mapping):
        for name, each in value.items():
            yield from _leaves(each, (*path, str(name)))
    elif isinstance(value, list | tuple):
        for index, each in enumerate(value):
            yield from _leaves(each, (*path, index))
    else:
        yield path, str(value)
