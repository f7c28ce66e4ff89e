"""Create studies, give them new versions, open and close them, from plain values.

In: a host and the content of a study file as plain values. Out: facts about studies. Absent: the
dashboard's drafts, and pictures: a new version may keep those of the version before, no others.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy.engine import Connection
from sqlalchemy.exc import IntegrityError

from howgood.errors import InputError, ManyProblemsError, UnknownNameError
from howgood.flow import authoring, watching
from howgood.flow.collected.rows import find_study
from howgood.flow.hosting import COUNTED, Host, every_study
from howgood.flow.hosting.studies import new_version
from howgood.flow.study_files.check import study_from
from howgood.flow.watching.counts import Condition, Page
from howgood.kinds import pictures_of
from howgood.kinds.plan import Picture
from howgood.kinds.study import Study
from howgood.records.participant import Status
from howgood.records.record import Problem, Record
from howgood.records.researcher import Researcher
from howgood.store import audit, drafts, sharing, studies
from howgood.store.studies import StudyRow


class StudyFacts(Record):
    """A study as programs see it."""

    slug: str
    title: str
    kind: str
    is_open: bool
    version: str
    pilot: bool
    quota: int | None


class VersionFacts(Record):
    """One version of a study; `people` counts who began with it, `active` who is still inside."""

    version: str
    created_at: str
    is_from_file: bool
    people: int
    active: int


class Quartiles(Record):
    """How long people take from consent to the end, in seconds."""

    low: float
    median: float
    high: float


class LiveNumbers(Record):
    """How a study is going; pilots are in `pilots` alone.

    `refused` counts those who could not begin: `full` because of a quota, `no_identity` because
    they came without the participant id of the recruiting platform.
    """

    is_open: bool
    quota: int | None
    places_taken: int
    people: Mapping[str, int]
    refused: Mapping[str, int]
    pilots: Mapping[str, int]
    conditions: tuple[Condition, ...]
    pages: tuple[Page, ...]
    seconds: Quartiles | None


class ExistingStudyError(InputError):
    """A study of this name is there already."""

    def __init__(self, slug: str) -> None:
        super().__init__(
            where="slug",
            found=f"{slug!r}, which exists",
            needed="the short name of a new study",
            cure="Choose another, or add a version to the existing study.",
        )


def study_facts(host: Host, slug: str) -> tuple[StudyFacts, Mapping[str, Any]]:
    """Return a study's facts and the content of its newest version."""
    row = find_study(host, slug)
    study = host.study(row.version)
    return _facts(host, row), study.to_dict()


def studies_within(host: Host, only: str | None) -> tuple[StudyFacts, ...]:
    """Return every study, or the one that is named."""
    rows = every_study(host)
    return tuple(_facts(host, row) for row in rows if only is None or row.slug == only)


def create_study(
    host: Host,
    content: Mapping[str, Any],
    *,
    is_open: bool,
    actor: str,
    holder: Researcher | None = None,
    now: datetime,
) -> StudyFacts:
    """Store a new study; it is its maker's."""
    study = _checked(content)
    _refuse_pictures(study, frozenset())

    def store(connection: Connection) -> None:
        drafts.free_name(connection, study.slug)
        if studies.head(connection, study.slug) is not None:  # a draft has the name, too
            raise ExistingStudyError(study.slug)
        made = studies.save(connection, new_version(study, ()), now=now, is_open=is_open)
        if holder is not None and not holder.is_owner:
            sharing.give_role(connection, made.number, "owner", researcher=holder.number, now=now)
        audit.note(connection, actor=actor, action="create study", study=study.slug, now=now)

    try:
        host.database.write(store)
    except IntegrityError as error:  # somebody was quicker
        raise ExistingStudyError(study.slug) from error
    return _facts(host, find_study(host, study.slug))


def add_version(
    host: Host, slug: str, content: Mapping[str, Any], *, actor: str, now: datetime
) -> StudyFacts:
    """Make this the version that new participants get; those inside keep theirs."""
    find_study(host, slug)
    study = _checked(content)
    if study.slug != slug:
        raise InputError(
            where="study.slug",
            found=repr(study.slug),
            needed=repr(slug),
            cure="A study keeps its short name; create another study instead.",
        )

    def store(connection: Connection) -> None:
        head = studies.hold(connection, slug)
        if head is None or head.version is None:  # deleted meanwhile
            raise UnknownNameError(where="study", name=slug, names=[])
        _refuse_kind(study, head.kind)
        before = Study.from_dict(studies.content(connection, head.version))
        kept = _kept_pictures(before, study)
        _refuse_pictures(study, kept)
        media = studies.media_files(connection, head.version, {name for name, _ in kept})
        # Whether it is open stays as it is, whoever changed that meanwhile.
        studies.save(connection, new_version(study, media), now=now)
        audit.note(connection, actor=actor, action="publish version", study=slug, now=now)

    host.database.write(store)
    return _facts(host, find_study(host, slug))


def _refuse_kind(study: Study, kind: str) -> None:
    if study.kind != kind:
        raise InputError(
            where="study.kind",
            found=repr(study.kind),
            needed=repr(kind),
            cure="A study keeps its kind: people answered it. Create another study instead.",
        )


def set_open(host: Host, slug: str, *, is_open: bool, actor: str, now: datetime) -> StudyFacts:
    """Open or close a study to new participants."""
    find_study(host, slug)
    action = "open study" if is_open else "close study"

    def store(connection: Connection) -> None:
        studies.set_open(connection, [slug], is_open=is_open)
        audit.note(connection, actor=actor, action=action, study=slug, now=now)

    host.database.write(store)
    return _facts(host, find_study(host, slug))


def set_places(
    host: Host, slug: str, *, pilot: bool, quota: int | None, actor: str, now: datetime
) -> StudyFacts:
    """Change pilot mode and quota alone, as on the dashboard: a new version."""
    find_study(host, slug)
    authoring.set_places(host, slug, pilot=pilot, quota=quota, actor=actor, now=now)
    return _facts(host, find_study(host, slug))


def versions_of(host: Host, slug: str) -> tuple[VersionFacts, ...]:
    """Return the versions of a study, the one newcomers get first."""
    number = find_study(host, slug).number
    with host.database.reading() as connection:
        known = studies.history(connection, number)
    return tuple(
        VersionFacts(
            version=version.digest,
            created_at=version.created_at.isoformat(),
            is_from_file=version.file_at is not None,
            people=version.people,
            active=version.active,
        )
        for version in known
    )


def live_numbers(host: Host, slug: str, *, now: datetime) -> LiveNumbers:
    """Return how a study is going; people who only tried it are counted apart."""
    find_study(host, slug)
    live = watching.watch(host, slug, now=now)
    return LiveNumbers(
        is_open=live.head.is_open,
        quota=live.study.quota,
        places_taken=live.holding,
        people={status.value: live.counts.get(status, 0) for status in Status},
        refused={one_status.value: live.refused.get(one_status, 0) for one_status in COUNTED},
        pilots={status.value: live.pilots.get(status, 0) for status in Status},
        conditions=live.conditions,
        pages=live.pages,
        seconds=None
        if live.times is None
        else Quartiles(low=live.times[0], median=live.times[1], high=live.times[2]),
    )


def _facts(host: Host, row: StudyRow) -> StudyFacts:
    study = host.study(row.version)
    return StudyFacts(
        slug=row.slug,
        title=row.title,
        kind=row.kind,
        is_open=row.is_open,
        version=study.version,
        pilot=study.pilot,
        quota=study.quota,
    )


def _checked(content: Mapping[str, Any]) -> Study:
    """Return the study, or raise everything that is wrong with it."""
    problems: list[Problem] = []
    study = study_from(content, problems=problems)
    if study is None:
        raise ManyProblemsError(problems[0].error(where="study"), problems)
    return study


def _kept_pictures(before: Study, study: Study) -> frozenset[tuple[str, str]]:
    """Return the pictures of a study that the version before has too."""
    known = {_print(picture) for picture in pictures_of(before)}
    return frozenset(known & {_print(picture) for picture in pictures_of(study)})


def _print(picture: Picture) -> tuple[str, str]:
    return picture.file, picture.digest


def _refuse_pictures(study: Study, kept: frozenset[tuple[str, str]]) -> None:
    unknown = next((picture for picture in pictures_of(study) if _print(picture) not in kept), None)
    if unknown is not None:
        raise InputError(
            where="study",
            found=f"the picture {unknown.file[:80]!r}",
            needed="texts alone, or pictures of the version before, unchanged",
            cure="Add pictures on the dashboard, or start from a study file: howgood serve.",
        )
