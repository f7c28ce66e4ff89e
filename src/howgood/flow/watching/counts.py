"""A study while it runs: who is where, who left where, how long it takes.

In: a host and a study's short name. Out: `Live`. Absent: pilots, and single people (`flags`).
"""

from collections import defaultdict
from dataclasses import dataclass
from statistics import median, quantiles

from howgood.flow.hosting import Host, Reason, RefusedError
from howgood.flow.participate import conditions
from howgood.records.participant import HOLDING, Status
from howgood.records.study import Study
from howgood.store import drafts, studies, watching
from howgood.store.studies import StudyHead

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
    """How a study is going; `latest` is how many people the times by page come from."""

    head: StudyHead
    study: Study
    has_draft: bool
    counts: dict[Status, int]
    pilots: dict[Status, int]
    pages: tuple[Page, ...]
    conditions: tuple[Condition, ...]
    times: tuple[float, float, float] | None
    latest: int

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
    )


def watch(host: Host, slug: str) -> Live:
    """Return how a study is going: a handful of queries, whatever the number of people."""
    with host.database.reading() as connection:
        head = studies.head(connection, slug)
        if head is None or head.version is None:
            raise RefusedError(Reason.UNKNOWN_STUDY)
        number = head.number
        latest = [each.number for each in watching.finishers(connection, number, most=_LATEST)]
        last_pages = watching.last_pages(connection, number)
        by_condition = watching.by_condition(connection, number)
        durations = watching.durations(connection, number)
        spent = watching.page_seconds(connection, latest)
        counts = watching.by_status(connection, number, is_pilot=False)
        pilots = watching.by_status(connection, number, is_pilot=True)
        has_draft = drafts.find(connection, number) is not None
    study = host.study(head.version)
    return Live(
        head=head,
        study=study,
        has_draft=has_draft,
        counts=counts,
        pilots=pilots,
        pages=_pages(last_pages, spent),
        conditions=_conditions(study, by_condition),
        times=_times(durations),
        latest=len(latest),
    )


def _pages(last: dict[tuple[Status, int], int], spent: list[tuple[int, float]]) -> tuple[Page, ...]:
    """Return every page anybody reached; the last page of those who finished is the thanks."""
    seconds: defaultdict[int, list[float]] = defaultdict(list)
    for page, each in spent:
        seconds[page].append(each)
    longest = max((page for _, page in last), default=0)
    return tuple(
        Page(
            number=page,
            reached=sum(count for (_, end), count in last.items() if end >= page),
            here=last.get((Status.ACTIVE, page), 0),
            left=last.get((Status.EXPIRED, page), 0) + last.get((Status.FULL, page), 0),
            median_seconds=median(seconds[page]) if seconds[page] else None,
        )
        for page in range(1, longest + 1)
    )


def _conditions(study: Study, counts: dict[tuple[str, Status], int]) -> tuple[Condition, ...]:
    names = dict.fromkeys([*conditions(study), *(name for name, _ in counts)])
    return tuple(
        Condition(
            name=name,
            finished=counts.get((name, Status.COMPLETE), 0),
            active=counts.get((name, Status.ACTIVE), 0),
            left=counts.get((name, Status.EXPIRED), 0),
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
