"""From a draft to a version that newcomers get, and the doors of a study.

In: a host, a study's short name, the owner who acts. Out: what would change, then a new version.
Absent: anything that changes a version: people stay on the one they began with.
"""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.engine import Connection

from howgood.errors import ManyProblemsError
from howgood.flow.authoring.changes import Change, changes
from howgood.flow.authoring.draft import Checked, StaleDraftError, Written, checked, written
from howgood.flow.hosting import Host, Reason, RefusedError
from howgood.flow.hosting.studies import new_version
from howgood.flow.study_files import pages_per_person
from howgood.kinds import kind_of
from howgood.kinds.study import Study
from howgood.records.researcher import Researcher
from howgood.store import audit, drafts, studies
from howgood.store.studies import MediaFile, StudyHead, VersionRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """What publishing would do."""

    head: StudyHead
    edition: int
    changes: tuple[Change, ...]
    result: Checked
    pages: dict[str, int]
    inside: int

    @property
    def is_draft(self) -> bool:
        """Whether there is a draft."""
        return self.edition > 0

    @property
    def can_publish(self) -> bool:
        """Whether there is something to publish and nothing wrong with it."""
        is_new = self.head.version is None
        return self.result.study is not None and (bool(self.changes) or is_new)


def review(host: Host, slug: str) -> Review:
    """Return what would change for newcomers, and how many people stay on the old version."""
    given = written(host, slug)
    result = checked(given)
    before = host.study(given.head.version).to_dict() if given.head.version else {}
    after = result.study.to_dict() if result.study else given.content
    with host.database.reading() as connection:
        inside = sum(each.active for each in studies.history(connection, given.head.number))
    return Review(
        head=given.head,
        edition=given.edition,
        changes=changes(before, after),
        result=result,
        pages=pages_per_person(result.study) if result.study else {},
        inside=inside,
    )


def publish(host: Host, person: Researcher, slug: str, *, edition: int, now: datetime) -> None:
    """Make the draft, as it was looked through, the version newcomers get."""
    given = written(host, slug)
    result = checked(given)
    if given.edition != edition or not given.is_draft:
        raise StaleDraftError(done="published")
    if result.study is None:
        raise ManyProblemsError(result.problems[0].error(where="draft"), result.problems)
    study = result.study

    def store(connection: Connection) -> None:
        studies.hold(connection, slug)
        if _edition(connection, given) != edition:
            raise StaleDraftError(done="published")
        _save(connection, given, study, now)
        drafts.remove(connection, given.head.number)
        audit.note(
            connection, actor=person.name, action="published", study=slug,
            detail={"version": study.version}, now=now,
        )  # fmt: skip

    host.database.write(store)


def _edition(connection: Connection, given: Written) -> int:
    draft = drafts.find(connection, given.head.number)
    return draft.edition if draft else 0


def _save(connection: Connection, given: Written, study: Study, now: datetime) -> None:
    names = list(dict.fromkeys(each.file for each in kind_of(study).pictures(study)))
    media: tuple[MediaFile, ...] = drafts.media_files(connection, given.head.number, names)
    studies.save(connection, new_version(study, media), now=now)


def republish(host: Host, person: Researcher, slug: str, version: int, *, now: datetime) -> None:
    """Make an earlier version the one newcomers get."""

    def store(connection: Connection) -> None:
        head = studies.head(connection, slug)
        known = studies.history(connection, head.number) if head else ()
        chosen = next((each for each in known if each.number == version), None)
        if chosen is None:
            raise RefusedError(Reason.UNKNOWN_STUDY)
        studies.renew(connection, version, now=now)
        detail = {"version": chosen.digest}
        audit.note(
            connection, actor=person.name, action="published again", study=slug, detail=detail,
            now=now,
        )  # fmt: skip

    host.database.write(store)


def history(host: Host, slug: str) -> tuple[StudyHead, tuple[VersionRow, ...]]:
    """Return the versions of a study, the newest first."""
    with host.database.reading() as connection:
        head = studies.head(connection, slug)
        if head is None:
            raise RefusedError(Reason.UNKNOWN_STUDY)
        return head, studies.history(connection, head.number)


def set_open(host: Host, person: Researcher, slug: str, *, is_open: bool, now: datetime) -> None:
    """Open or close a study to newcomers; those inside may finish."""
    action = "opened" if is_open else "closed"

    def store(connection: Connection) -> None:
        head = studies.head(connection, slug)
        if head is None or head.version is None:
            raise RefusedError(Reason.UNKNOWN_STUDY)
        studies.set_open(connection, [slug], is_open=is_open)
        audit.note(connection, actor=person.name, action=action, study=slug, now=now)

    host.database.write(store)


def set_places(
    host: Host, slug: str, *, pilot: bool, quota: int | None, actor: str, now: datetime
) -> None:
    """Change pilot mode and quota alone: a new version, and the draft follows."""

    def store(connection: Connection) -> None:
        head = studies.hold(connection, slug)
        if head is None or head.version is None:
            raise RefusedError(Reason.UNKNOWN_STUDY)
        before = Study.from_dict(studies.content(connection, head.version))
        study = before.changed(pilot=pilot, quota=quota)
        names = {each.file for each in kind_of(study).pictures(study)}
        media = studies.media_files(connection, head.version, names)
        studies.save(connection, new_version(study, media), now=now)
        draft = drafts.find(connection, head.number)
        if draft is not None:
            content = {**draft.content, "pilot": pilot, "quota": quota}
            drafts.save(connection, head.number, content, edition=draft.edition, now=now)
        detail = {"pilot": pilot, "quota": quota}
        audit.note(
            connection, actor=actor, action="places changed", study=slug, detail=detail, now=now
        )

    host.database.write(store)
