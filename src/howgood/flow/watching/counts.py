"""A study while it runs: who is where, who left where, how long it takes.

In: a host and a study's short name. Out: `Live`. Absent: pilots, and single people (`flags`).
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median, quantiles

from howgood.flow.hosting import Host, Reason, RefusedError
from howgood.flow.hosting.admission import idle_time
from howgood.flow.participate import conditions
from howgood.kinds.study import Study
from howgood.records.participant import HOLDING, Status
from howgood.store import drafts, participants, studies, watching
from howgood.store.studies import StudyHead
from howgood.store.watching import Place

# Enough for a median, few enough to look up every few seconds.
_LATEST = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyCounts:
    """One line of the list of studies."""

    head: StudyHead
    finished: int
    active: int
    has_draft: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page of the way: how many came, how many are there now, how many left for good."""

    number: int
    name: str
    reached: int
    here: int
    left: int
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
        counts = watching.everywhere(connection)
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
        latest = [each.number for each in watching.finishers(connection, number, most=_LATEST)]
        places = watching.places(connection, number, idle_since=now - idle_time(study))
        durations = watching.durations(connection, number)
        spent = watching.page_seconds(connection, latest)
        stored = watching.by_status(connection, number, is_pilot=False)
        pilots = watching.by_status(connection, number, is_pilot=True)
        has_draft = drafts.find(connection, number) is not None
        refused = participants.refused(connection, number)
    return Live(
        head=head,
        study=study,
        has_draft=has_draft,
        counts=_counts(places, invited=stored.get(Status.INVITED, 0)),
        pilots=pilots,
        pages=_pages(places, spent),
        conditions=_conditions(study, places),
        times=_times(durations),
        latest=len(latest),
        refused={Reason(reason): people for reason, people in refused.items()},
    )


def _counts(places: Sequence[Place], *, invited: int) -> dict[Status, int]:
    counts = Counter({Status.INVITED: invited})
    for each in places:
        counts[each.status] += each.people
    return dict(counts)


def _pages(places: Sequence[Place], spent: list[tuple[int, str, float]]) -> tuple[Page, ...]:
    """Return every page anybody reached; the last page of those who finished is the thanks."""
    seconds: defaultdict[int, list[float]] = defaultdict(list)
    names: defaultdict[int, Counter[str]] = defaultdict(Counter)
    for page, name, each in spent:
        names[page][name] += 1
        # Consent is stored when it is given, and imported answers may know no times.
        if page > 1 and each > 0:
            seconds[page].append(each)
    longest = max((each.page for each in places), default=0)

    def people(page: int, *statuses: Status) -> int:
        here = (each for each in places if each.page == page and each.status in statuses)
        return sum(each.people for each in here)

    return tuple(
        Page(
            number=page,
            name="thanks" if _is_end(places, page) else _page_name(names[page]),
            # Paths differ in length: who finished has passed every page there is.
            reached=sum(
                each.people
                for each in places
                if each.page >= page or each.status is Status.COMPLETE
            ),
            here=people(page, Status.ACTIVE),
            left=people(page, Status.EXPIRED, Status.FULL),
            median_seconds=median(seconds[page]) if seconds[page] else None,
        )
        for page in range(1, longest + 1)
    )


def _is_end(places: Sequence[Place], page: int) -> bool:
    """Return whether a page is where all who finished are: nobody answers it, so no name is known.

    Where paths differ in length it is the end for some and a task for others, and has no name.
    """
    ends = {each.page for each in places if each.status is Status.COMPLETE}
    return ends == {page}


def _page_name(names: Counter[str]) -> str:
    """Return what the page is when it is the same for everybody; orders of tasks differ."""
    return next(iter(names)) if len(names) == 1 and sum(names.values()) > 1 else ""


def _conditions(study: Study, places: Sequence[Place]) -> tuple[Condition, ...]:
    counts: Counter[tuple[str, Status]] = Counter()
    for each in places:
        counts[each.condition, each.status] += each.people
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
