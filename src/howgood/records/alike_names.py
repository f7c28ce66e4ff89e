"""Names that may be one and the same, spelt in several ways.

In: columns of names. Out: a warning that shows the spellings. Absent: repairing them; whether two
names are one, only their author knows.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from howgood.errors import AlikeNamesWarning, announce
from howgood.records.engine_codes import CodedColumn

_SHOWN = 3


def announce_alike(names: Iterable[object], *, where: str, ignoring_case: bool = True) -> None:
    """Say which names differ only in spaces, or in case: each spelling counts for itself."""
    alike: dict[str, list[str]] = {}
    for name in dict.fromkeys(names):
        if isinstance(name, str):
            key = " ".join(name.split())
            alike.setdefault(key.casefold() if ignoring_case else key, []).append(name)
    several = [spellings for spellings in alike.values() if len(spellings) > 1]
    if not several:
        return
    shown = "; ".join(", ".join(map(repr, spellings)) for spellings in several[:_SHOWN])
    more = f"; and {len(several) - _SHOWN} more" if len(several) > _SHOWN else ""
    how = "case or spaces" if ignoring_case else "spaces"
    announce(
        f"{where}: {shown}{more} differ only in {how} and count as different. Correct the table "
        "if they are one.",
        AlikeNamesWarning,
    )


def announce_alike_columns(
    columns: Mapping[str, Any],
    *,
    people: Iterable[str | None],
    items: Iterable[str | None] = (),
    where: str,
) -> None:
    """Say it of columns of people and systems, and of items, whose capitals may mean something.

    A person or a document spelt in two ways passes for two, and results look surer than they are.
    """
    for names, ignoring_case in ((people, True), (items, False)):
        for name in (given for given in names if given is not None):
            column = columns[name]
            known = column.levels if isinstance(column, CodedColumn) else column
            if known.dtype.kind not in "biuf":
                announce_alike(
                    known.tolist(), where=f"{where}, column {name!r}", ignoring_case=ignoring_case
                )
