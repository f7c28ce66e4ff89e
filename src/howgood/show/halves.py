"""How well two halves of a board's data agree, in words.

In: `Halves` by what the halves do not share. Out: a table, a `Section`. Absent: splitting (see
`decide.halves`).
"""

from collections.abc import Mapping

from howgood.decide.halves import Halves
from howgood.records.report import Section
from howgood.records.table import Table
from howgood.show.numbers import percent

TITLE = "Do two halves of these data agree?"


def halves_table(found: Mapping[str, Halves]) -> Table:
    """Return a row per way to split; "-" where no split could be ranked."""
    each = list(found.values())
    return Table(
        {
            "halves share no": list(found),
            "pairs": [halves.pairs for halves in each],
            "agree within what they say": [_share(h.within, h.pairs) for h in each],
            "settled in one half": [_share(h.settled, h.pairs) for h in each],
            "of these, reversed in the other": [_share(h.turned, h.settled) for h in each],
            "settled both ways": [_share(h.contradicted, h.pairs) for h in each],
        }
    )


def halves_text(found: Mapping[str, Halves]) -> str:
    """Return how to read the table."""
    splits = next(iter(found.values())).splits
    times = "once" if splits == 1 else f"{splits} times"
    failed = {name: halves.failed for name, halves in found.items() if halves.failed}
    too_small = "".join(
        f" Of the splits by {name}, {count} left a half too small to be ranked."
        for name, count in failed.items()
    )
    return (
        f"The data were split in two at random, {times}, and each half was ranked by itself. Where "
        "intervals are honest, halves agree within what they say in about 95 % of pairs. A pair "
        "that one half settles may be reversed in the other, which is as noisy; that both settle "
        "it against each other should hardly ever happen. Splits overlap: read the shares as "
        f"rough.{too_small}"
    )


def halves_section(found: Mapping[str, Halves]) -> Section:
    """Return the table with its explanation, for a report."""
    return Section(title=TITLE, text=halves_text(found), table=halves_table(found))


def _share(part: int, whole: int) -> str:
    return percent(part / whole) if whole else "-"
