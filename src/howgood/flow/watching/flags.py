"""Answers that look careless: a reason to look, never a reason to throw away.

In: a host and a study's short name. Out: people with reasons, and how many were looked at. Absent:
leaving anybody out; that is for the analyst, who can say why.

Those who finished never change, so each is looked at once; a call looks at those not seen yet until
its time is used up, and the next call goes on.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from statistics import median
from typing import Any

from howgood.flow.collected.rows import find_study, participation_of
from howgood.flow.hosting import Host
from howgood.flow.participate import answers_as_rows, participant_row
from howgood.kinds import kind_of
from howgood.kinds.study import Study
from howgood.records.screen import Participation
from howgood.store import audit, collected, watching
from howgood.store.collected import PersonRow
from howgood.store.watching import Finisher

# Nobody reads a scenario and three items in less; a page of this study is at least that.
_SECONDS_PER_PAGE = 2.0
_LEAST_JUDGEMENTS = 6
_AT_ONCE = 25


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """Somebody whose answers deserve a look, and why."""

    participant: int
    condition: str
    finished_at: datetime | None
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Flags:
    """Flagged people, the latest first, and how many of those who finished were looked at."""

    flagged: tuple[Flag, ...]
    looked_at: int
    finished: int

    @property
    def is_complete(self) -> bool:
        """Whether everybody who finished was looked at."""
        return self.looked_at >= self.finished


class Watcher:
    """Remembers whom it has looked at; one for the server, shared between threads."""

    def __init__(self, host: Host, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.host, self.clock = host, clock
        # None: looked at, nothing to say.
        self._seen: dict[Finisher, Flag | None] = {}

    def flags(self, slug: str, *, seconds: float = 0.15) -> Flags:
        """Look at people not seen before for this long, and return what is known by then."""
        row = find_study(self.host, slug)
        with self.host.database.reading() as connection:
            finished = watching.finishers(connection, row.number)
        until = self.clock() + seconds
        new = [each for each in finished if each not in self._seen]
        while new and self.clock() < until:
            batch, new = new[:_AT_ONCE], new[_AT_ONCE:]
            self._look(batch, until)
        found = [self._seen[each] for each in finished if each in self._seen]
        flagged = tuple(flag for flag in found if flag)
        return Flags(flagged=flagged, looked_at=len(found), finished=len(finished))

    def _look(self, finished: list[Finisher], until: float) -> None:
        with self.host.database.reading() as connection:
            people = collected.some_people(connection, [each.number for each in finished])
        for person in people:
            known = Finisher(number=person.number, finished_at=person.finished_at)
            self._seen[known] = _flag(self.host.study(person.version), person)
            if self.clock() > until:
                return


def _flag(study: Study, person: PersonRow) -> Flag | None:
    reasons = tuple(_reasons(study, participation_of(person)))
    if not reasons:
        return None
    return Flag(
        participant=person.number,
        condition=person.condition or "",
        finished_at=person.finished_at,
        reasons=reasons,
    )


def _reasons(study: Study, way: Participation) -> Iterator[str]:
    facts = participant_row(study, way)
    asked, passed = facts.get("attention_asked"), facts.get("attention_passed")
    if isinstance(asked, int) and isinstance(passed, int) and passed < asked:
        yield f"{asked - passed} of {asked} attention checks failed"
    if facts.get("looks_careless"):
        yield f"choices look careless ({facts.get('checks_wrong')} plain pairs wrong)"
    spent = [each.seconds for each in way.answers if each.seconds is not None]
    if spent and median(spent) < _SECONDS_PER_PAGE:
        yield f"{median(spent):.1f} seconds for a page, at the median"
    ratings = _ratings(study, way)
    if len(ratings) >= _LEAST_JUDGEMENTS and len(set(ratings)) == 1:
        yield f"the same answer to all {len(ratings)} questions"


def _ratings(study: Study, way: Participation) -> list[object]:
    """Return every judgement on the scale of the study, in order."""
    names = kind_of(study).rating_columns(study)
    rows = answers_as_rows(study, way) if names else ()
    return [row[name] for row in rows for name in names if row.get(name) is not None]


# Who did what, told to owners: the audit in words.

MOST_LINES = 200
_WORDS = {
    "close study": "closed the study",
    "closed": "closed the study",
    "create study": "made the study",
    "delete study": "deleted the study",
    "draft begun": "began a draft",
    "draft discarded": "discarded the draft",
    "draft restored": "restored the draft",
    "erase participant": "erased a participant",
    "fit": "asked for a result",
    "import": "imported answers",
    "invited": "invited somebody",
    "joined": "made an account",
    "make token": "made a token",
    "open study": "opened the study",
    "opened": "opened the study",
    "password changed": "changed the password",
    "password link made": "made a link for a new password",
    "password renewed by link": "set a new password by a link",
    "places changed": "changed quota or pilot mode",
    "publish": "put a card into the library",
    "publish version": "published a version",
    "published": "published a version",
    "published again": "published an earlier version again",
    "removed": "removed an account",
    "revoke token": "revoked a token",
    "sign-in failed": "failed to sign in",
    "sign-in refused": "was refused: too many attempts",
    "signed in": "signed in",
    "study made": "made the study",
    "undo import": "undid an import",
    "upload": "uploaded a table",
    "withdraw": "took a card out of the library",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Deed:
    """One line: when, who, what, about which study, and how much of it."""

    at: datetime
    who: str
    what: str
    study: str
    more: str


def deeds(host: Host, *, study: str = "") -> tuple[Deed, ...]:
    """Return the latest lines, of one study or of everything; a deleted study keeps its lines."""
    with host.database.reading() as connection:
        found = audit.lines(connection, study=study or None, most=MOST_LINES)
    return tuple(
        Deed(
            at=line.at,
            who=line.actor,
            what=_WORDS.get(line.action, line.action),
            study=line.study or "",
            more=_more(line.detail),
        )
        for line in found
    )


def _more(detail: Mapping[str, Any]) -> str:
    told = {name: value for name, value in detail.items() if value not in (None, "", [], {})}
    return ", ".join(f"{name.replace('_', ' ')}: {_value(value)}" for name, value in told.items())


def _value(value: object) -> str:
    return ", ".join(str(each) for each in value) if isinstance(value, list) else str(value)
