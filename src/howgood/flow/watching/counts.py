"""A study while it runs: who is where, who left where, answers that look careless, and its history.

In: a host and a study's short name. Out: `Live`, `Flags`, and the audit in words. Absent: pilots;
leaving anybody out; participants' names, which no line says.
"""

import threading
import time
from collections import Counter, defaultdict
from collections.abc import (
    Callable,
    Hashable,
    Iterable,
    Iterator,
    Mapping,
    MutableMapping,
    Sequence,
)
from dataclasses import dataclass
from datetime import datetime
from statistics import median, quantiles
from typing import Any

from cachetools import LRUCache

from howgood.flow.collected.rows import find_study, participation_of
from howgood.flow.hosting import Host, Reason, RefusedError
from howgood.flow.hosting.admission import idle_time
from howgood.flow.participate import answers_as_rows, conditions, participant_row
from howgood.kinds import kind_of
from howgood.kinds.study import Study
from howgood.records.job import FIT, JobStatus
from howgood.records.live_board import LiveBoard
from howgood.records.participant import HOLDING, Status
from howgood.records.precision import ShareEvidence, evidence_of
from howgood.records.screen import Participation
from howgood.store import (
    answers,
    audit,
    collected,
    drafts,
    jobs,
    participants,
    studies,
    study_counts,
)
from howgood.store.collected import PersonRow
from howgood.store.studies import StudyHead
from howgood.store.study_counts import Finisher, Place

# Enough for a median, few enough to look up every few seconds.
_LATEST = 200
_TITLED = 20  # people whose pages give the pages their names


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyCounts:
    """One line of the list of studies."""

    head: StudyHead
    finished: int
    active: int
    has_draft: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page of the way: how many came, are there now, or left for good.

    `ended` are those whom the study did not let go on: screened out, or one too many.
    """

    number: int
    name: str
    reached: int
    here: int
    left: int
    ended: int
    median_seconds: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """How many people a condition has."""

    name: str
    finished: int
    active: int
    left: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Live:
    """How a study is going; `latest` is how many people the times by page come from.

    `refused` are those who could not begin, by reason: each browser once, nothing else is known.
    """

    head: StudyHead
    study: Study
    has_draft: bool
    counts: dict[Status, int]
    pilots: dict[Status, int]
    pages: tuple[Page, ...]
    conditions: tuple[Condition, ...]
    times: tuple[float, float, float] | None
    latest: int
    refused: dict[Reason, int]
    by_hour: tuple[tuple[datetime, int, int], ...] = ()

    @property
    def is_quota_reached(self) -> bool:
        """Whether as many people as are wanted have finished."""
        quota = self.study.quota
        return quota is not None and self.counts.get(Status.COMPLETE, 0) >= quota

    @property
    def usual_people(self) -> int:
        """About how many people such a study usually has."""
        return kind_of(self.study).usual_people

    @property
    def begun(self) -> int:
        """How many people consented."""
        return sum(count for status, count in self.counts.items() if status is not Status.INVITED)

    @property
    def holding(self) -> int:
        """How many places are taken."""
        return sum(self.counts.get(status, 0) for status in HOLDING)


def overview(host: Host) -> tuple[StudyCounts, ...]:
    """Return every study with how many people it has."""
    with host.database.reading() as connection:
        heads = studies.heads(connection)
        counts = study_counts.everywhere(connection)
        drafted = drafts.studies_with_drafts(connection)
    return tuple(
        StudyCounts(
            head=head,
            finished=counts.get((head.number, Status.COMPLETE), 0),
            active=counts.get((head.number, Status.ACTIVE), 0),
            has_draft=head.number in drafted,
        )
        for head in heads
        if head.version is not None or head.number in drafted
    )


def watch(host: Host, slug: str, *, now: datetime) -> Live:
    """Return how a study is going: a handful of queries, whatever the number of people."""
    with host.database.reading() as connection:
        head = studies.head(connection, slug)
        if head is None or head.version is None:
            raise RefusedError(Reason.UNKNOWN_STUDY)
        number, study = head.number, host.study(head.version)
        latest = [
            finisher.number for finisher in study_counts.finishers(connection, number, most=_LATEST)
        ]
        places = study_counts.places(connection, number, idle_since=now - idle_time(study))
        durations = study_counts.durations(connection, number)
        spent = study_counts.page_seconds(connection, latest)
        stored = study_counts.by_status(connection, number, is_pilot=False)
        pilots = study_counts.by_status(connection, number, is_pilot=True)
        has_draft = drafts.find(connection, number) is not None
        refused = participants.refused(connection, number)
        titles = study_counts.page_titles(connection, latest[:_TITLED])
        by_hour = study_counts.by_hour(connection, number)
    return Live(
        head=head,
        study=study,
        has_draft=has_draft,
        counts=_counts(places, invited=stored.get(Status.INVITED, 0)),
        pilots=pilots,
        pages=_pages(places, spent, titles),
        conditions=_conditions(study, places),
        times=_times(durations),
        latest=len(latest),
        refused={Reason(reason): people for reason, people in refused.items()},
        by_hour=tuple(by_hour),
    )


def _counts(places: Sequence[Place], *, invited: int) -> dict[Status, int]:
    counts = Counter({Status.INVITED: invited})
    for place in places:
        counts[place.status] += place.people
    return dict(counts)


def _pages(
    places: Sequence[Place], spent: list[tuple[int, str, float]], titles: list[tuple[int, str]]
) -> tuple[Page, ...]:
    """Return every page anybody reached; the last page of those who finished is the thanks."""
    seconds: defaultdict[int, list[float]] = defaultdict(list)
    names: defaultdict[int, Counter[str]] = defaultdict(Counter)
    for page, title in titles:
        names[page][title] += 1
    for page, _, time_spent in spent:
        # Consent is stored when it is given, and imported answers may know no times.
        if page > 1 and time_spent > 0:
            seconds[page].append(time_spent)
    longest = max((place.page for place in places), default=0)

    def people(page: int, *statuses: Status) -> int:
        here = (
            one_place
            for one_place in places
            if one_place.page == page and one_place.status in statuses
        )
        return sum(one_place.people for one_place in here)

    return tuple(
        Page(
            number=page,
            name="Consent"
            if page == 1
            else "Thanks"
            if _is_end(places, page)
            else _page_name(names[page]),
            # Paths differ in length: who finished has passed every page there is.
            reached=sum(
                place.people
                for place in places
                if place.page >= page or place.status is Status.COMPLETE
            ),
            here=people(page, Status.ACTIVE),
            left=people(page, Status.EXPIRED),
            ended=people(page, Status.FULL, Status.SCREENED_OUT),
            median_seconds=median(seconds[page]) if seconds[page] else None,
        )
        for page in range(1, longest + 1)
    )


def _is_end(places: Sequence[Place], page: int) -> bool:
    """Return whether a page is where all who finished are: nobody answers it, so no name is known.

    Where paths differ in length it is the end for some and a task for others, and has no name.
    """
    ends = {place.page for place in places if place.status is Status.COMPLETE}
    return ends == {page}


def _page_name(titles: Counter[str]) -> str:
    """Return a page's title, or what its titles share; orders of tasks differ between people.

    Examples
    --------
    >>> _page_name(Counter({"Police: situation 1 of 8": 3, "Message: situation 1 of 8": 4}))
    'Situation 1 of 8'
    >>> _page_name(Counter({"Police": 3, "Message": 4}))
    'Message or Police'
    """
    if not titles:
        return ""
    tails = {title.rpartition(": ")[2] for title in titles}
    if len(tails) == 1:
        name = next(iter(titles)) if len(titles) == 1 else tails.pop()
        return name[:1].upper() + name[1:]
    names = sorted(titles)
    return " or ".join(names) if len(names) < 4 else f"{', '.join(names[:2])} or another"


def _conditions(study: Study, places: Sequence[Place]) -> tuple[Condition, ...]:
    counts: Counter[tuple[str, Status]] = Counter()
    for place in places:
        counts[place.condition, place.status] += place.people
    names = dict.fromkeys([*conditions(study), *(name for name, _ in counts)])
    return tuple(
        Condition(
            name=name,
            finished=counts[name, Status.COMPLETE],
            active=counts[name, Status.ACTIVE],
            left=counts[name, Status.EXPIRED],
        )
        for name in names
    )


def _times(durations: list[float]) -> tuple[float, float, float] | None:
    """Return the quartiles of the seconds from consent to the end."""
    if not durations:
        return None
    if len(durations) == 1:
        return durations[0], durations[0], durations[0]
    low, middle, high = quantiles(durations, n=4, method="inclusive")
    return low, middle, high


# Answers that look careless: a reason to look, never a reason to throw away.
#
# Those who finished never change, so each is looked at once; a call looks at those not seen yet
# until its time is used up, and the next call goes on.

# Nobody reads a scenario and three items in less; a page of this study is at least that.
SECONDS_PER_PAGE = 2.0
LEAST_JUDGEMENTS = 6
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


Reasons = tuple[str, ...]
Look = Callable[[Study, PersonRow], Reasons | None]  # None: nobody has looked yet


class Watcher:
    """Remembers whom it has looked at; one for the server, shared between threads."""

    def __init__(self, host: Host, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.host, self.clock = host, clock
        # None: looked at, nothing to say.
        self._seen: dict[Finisher, Flag | None] = {}
        self._evidence: dict[str, tuple[int, tuple[ShareEvidence, ...]]] = {}
        # By version: until when it counts as new, how many answers it rests on, the board.
        self._boards: LRUCache[int, tuple[float, int, LiveBoard | None]] = LRUCache(64)
        # People who have not finished: their number, when they answered, what they changed.
        self._begun: LRUCache[Hashable, Flag | None] = LRUCache(4096)
        self._lock = threading.Lock()

    def looking(self, *, seconds: float = 1.0) -> Look:
        """Return a look at people that says None for those not seen before once time is up.

        Somebody's interview is played again for it, which takes half a second of computing.
        """
        until = self.clock() + seconds

        def look(study: Study, person: PersonRow) -> Reasons | None:
            cache, key = self._cache_of(person)
            with self._lock:
                is_known, flag = key in cache, cache.get(key)
            if not is_known:
                if self.clock() > until:
                    return None
                flag = _flag(study, person)
                with self._lock:
                    cache[key] = flag
            return flag.reasons if flag else ()

        return look

    def flags(self, slug: str, *, seconds: float = 0.15) -> Flags:
        """Look at people not seen before for this long, and return what is known by then."""
        row = find_study(self.host, slug)
        with self.host.database.reading() as connection:
            finished = study_counts.finishers(connection, row.number)
        until = self.clock() + seconds
        new = [finisher for finisher in finished if finisher not in self._seen]
        while new and self.clock() < until:
            batch, new = new[:_AT_ONCE], new[_AT_ONCE:]
            self._look(batch, until)
        seen = [self._seen[finisher] for finisher in finished if finisher in self._seen]
        flagged = tuple(flag for flag in seen if flag)
        return Flags(flagged=flagged, looked_at=len(seen), finished=len(finished))

    def evidence(self, slug: str) -> tuple[ShareEvidence, ...]:
        """Return how sure the newest fit is; a result is read once, as it holds pictures."""
        row = find_study(self.host, slug)
        with self.host.database.reading() as connection:
            done = [
                job.number
                for job in jobs.of_study(connection, row.number)
                if job.task == FIT and job.status is JobStatus.DONE
            ]
            newest = done[0] if done else 0
            known, evidence = self._evidence.get(slug, (0, ()))
            if known == newest:
                return evidence
            content = jobs.result(connection, newest)
        evidence = evidence_of(content["report"]) if content else ()
        self._evidence[slug] = (newest, evidence)
        return evidence

    def board(self, slug: str) -> LiveBoard | None:
        """Return the result so far, where the kind of study has one to show while it runs.

        It is renewed when answers came in, and takes at most a twentieth of the time.
        """
        from howgood.flow.results.tasks import gather  # loads SciPy

        row = find_study(self.host, slug)
        study = self.host.study(row.version)
        make = kind_of(study).live_board
        if make is None:
            return None
        with self.host.database.reading() as connection:
            held = answers.count_of_study(connection, row.number)
        until, known, made = self._boards.get(row.version, (0.0, -1, None))
        began = self.clock()
        if known == held or began < until:
            return made
        made = make(gather(self.host, row, policy="attentive"), study)
        took = self.clock() - began
        self._boards[row.version] = (began + max(2.0, 20.0 * took), held, made)
        return made

    def _cache_of(self, person: PersonRow) -> tuple[MutableMapping[Any, Flag | None], Hashable]:
        """Return where a look at somebody is cached, and under what."""
        if person.status is Status.COMPLETE:
            return self._seen, Finisher(number=person.number, finished_at=person.finished_at)
        # An answer that is changed keeps its time, and leaves what was said before.
        answered = ((shown.answered_at, len(shown.earlier)) for shown in person.screens)
        return self._begun, (person.number, *answered)

    def _look(self, finished: list[Finisher], until: float) -> None:
        with self.host.database.reading() as connection:
            people = collected.some_people(connection, [finisher.number for finisher in finished])
        for person in people:
            known = Finisher(number=person.number, finished_at=person.finished_at)
            self._seen[known] = _flag(self.host.study(person.version), person)
            if self.clock() > until:
                return


def _flag(study: Study, person: PersonRow) -> Flag | None:
    reasons = tuple(reasons_to_look(study, participation_of(person)))
    if not reasons:
        return None
    return Flag(
        participant=person.number,
        condition=person.condition or "",
        finished_at=person.finished_at,
        reasons=reasons,
    )


def reasons_to_look(study: Study, way: Participation) -> Iterator[str]:
    """Yield why somebody's answers deserve a look."""
    facts = participant_row(study, way)
    asked, passed = facts.get("attention_asked"), facts.get("attention_passed")
    if isinstance(asked, int) and isinstance(passed, int) and passed < asked:
        yield f"{asked - passed} of {asked} attention checks failed"
    if facts.get("looks_careless"):
        yield f"choices look careless ({facts.get('checks_wrong')} plain pairs wrong)"
    spent = [answer.seconds for answer in way.answers if answer.seconds is not None]
    if spent and median(spent) < SECONDS_PER_PAGE:
        yield f"{median(spent):.1f} seconds for a page, at the median"
    given = ratings_of(study, way) or _choices_of(study, way)
    if len(given) >= LEAST_JUDGEMENTS and len(set(given)) == 1:
        yield f"the same answer to all {len(given)} questions"
    checks = kind_of(study).answer_checks(study, way)
    if checks.looks_random:
        contradictory, comparable = checks.contradictions
        yield f"accepts worse and refuses better systems in {contradictory} of {comparable} pairs"


def ratings_of(study: Study, way: Participation) -> list[object]:
    """Return every judgement on the scale of the study, in order."""
    return _given(study, way, kind_of(study).rating_columns(study))


def _choices_of(study: Study, way: Participation) -> list[object]:
    """Return every choice of a side, in order."""
    return _given(study, way, kind_of(study).choice_columns)


def _given(study: Study, way: Participation, names: Sequence[str]) -> list[object]:
    rows = answers_as_rows(study, way) if names else ()
    return [row[name] for row in rows for name in names if row.get(name) is not None]


# Who did what: the audit in words, for owners.

MOST_LINES = 200
_WORDS = {
    "close study": "closed the study",
    "closed": "closed the study",
    "create study": "made the study",
    "delete study": "deleted the study",
    "draft begun": "began a draft",
    "draft discarded": "discarded the draft",
    "draft restored": "restored the draft",
    "draw erased": "erased the addresses of the draw",
    "ended sessions": "signed out on other devices",
    "erase participant": "erased a participant",
    "erased on its day": "erased everything collected, on its day",
    "exported data": "took data out",
    "exported data with ids": "took data out with platform ids",
    "fit": "asked for a result",
    "group made": "made a group",
    "group removed": "removed a group",
    "import": "imported answers",
    "invited": "invited somebody",
    "invitation withdrawn": "withdrew an invitation",
    "joined": "made an account",
    "joined group": "put somebody into a group",
    "left group": "took somebody out of a group",
    "make token": "made a token",
    "open study": "opened the study",
    "opened": "opened the study",
    "passkey added": "added a passkey",
    "passkey removed": "removed a passkey",
    "password changed": "changed the password",
    "password link made": "made a link for a new password",
    "password renewed by link": "set a new password by a link",
    "places changed": "changed quota or pilot mode",
    "precision reached": "reached the precision usually wanted",
    "provider linked": "linked an account of a provider",
    "provider unlinked": "unlinked an account of a provider",
    "publish": "put a card into the library",
    "publish version": "published a version",
    "published": "published a version",
    "published again": "published an earlier version again",
    "read ids": "read platform ids",
    "removed": "removed an account",
    "result link made": "made a link to the results",
    "result link revoked": "revoked a link to the results",
    "retention set": "said how long data is kept",
    "revoke token": "revoked a token",
    "role changed": "changed the role of an account",
    "second factor failed": "failed the second step of signing in",
    "second factor off": "turned off codes after the password",
    "second factor on": "turned on codes after the password",
    "shared study": "shared the study",
    "sign-in failed": "failed to sign in",
    "sign-in refused": "was refused: too many attempts",
    "signed in": "signed in",
    "stopped sharing": "stopped sharing the study",
    "study made": "made the study",
    "undo import": "undid an import",
    "webhook added": "added a webhook or notice",
    "webhook removed": "removed a webhook or notice",
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
        return in_words(audit.lines(connection, study=study or None, most=MOST_LINES))


def in_words(lines: Iterable[audit.AuditLine]) -> tuple[Deed, ...]:
    """Return lines of the audit in words."""
    return tuple(
        Deed(
            at=line.at,
            who=line.actor,
            what=_WORDS.get(line.action, line.action),
            study=line.study or "",
            more=_more(line.detail),
        )
        for line in lines
    )


def _more(detail: Mapping[str, Any]) -> str:
    said = {name: value for name, value in detail.items() if value not in (None, "", [], {})}
    return ", ".join(f"{name.replace('_', ' ')}: {_value(value)}" for name, value in said.items())


def _value(value: object) -> str:
    return ", ".join(str(entry) for entry in value) if isinstance(value, list) else str(value)
