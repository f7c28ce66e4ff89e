"""Studies and their versions: what they hold, when each came, from where, who is on it, until when.

In: a connection and plain values. Out: rows as small records, and how much was taken out. Absent:
what a study means, and the disk (`Database.scrub`).
"""

import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row

from howgood.errors import UnknownNameError
from howgood.records.participant import Status
from howgood.store import in_use
from howgood.store.schema import (
    answers,
    cards,
    deliveries,
    draw_entries,
    facts,
    imports,
    insert_into,
    jobs,
    media,
    participants,
    refusals,
    studies,
    uploads,
    versions,
    webhooks,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyRow:
    """A study with its newest version."""

    number: int
    version: int
    slug: str
    title: str
    kind: str
    is_open: bool


@dataclass(frozen=True, slots=True, kw_only=True, weakref_slot=True)
class MediaFile:
    """A picture or film a study shows."""

    name: str
    media_type: str
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class NewVersion:
    """A study as read from its file."""

    slug: str
    title: str
    kind: str
    digest: str
    content: Mapping[str, Any]
    media: tuple[MediaFile, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyHead:
    """A study as its researchers see it; `version` is None before anything was published."""

    number: int
    slug: str
    title: str
    kind: str
    is_open: bool
    version: int | None


def save(
    connection: Connection,
    new: NewVersion,
    *,
    now: datetime,
    from_file: bool = False,
    is_open: bool = True,
) -> StudyRow:
    """Store the study, as a new version if its text changed, and return it.

    Whether it is open is decided here for a new study alone.
    """
    known = head(connection, new.slug)
    number = known.number if known else add_study(connection, new, is_open=is_open, now=now)
    connection.execute(
        sa.update(studies).where(studies.c.id == number).values(title=new.title, kind=new.kind)
    )
    same = connection.execute(
        sa.select(versions.c.id).where(
            versions.c.study_id == number, versions.c.digest == new.digest
        )
    ).scalar()
    version = _insert_version(connection, number, new, now) if same is None else same
    moments = {"created_at": now, **({"file_at": now} if from_file else {})}
    connection.execute(sa.update(versions).where(versions.c.id == version).values(**moments))
    saved = find(connection, new.slug)
    if saved is None:
        raise LookupError(f"study {new.slug!r} vanished while it was saved")
    return saved


def add_study(connection: Connection, new: NewVersion, *, is_open: bool, now: datetime) -> int:
    """Store a study without any version, and return its number."""
    row = connection.execute(
        sa.insert(studies)
        .values(slug=new.slug, title=new.title, kind=new.kind, is_open=is_open, created_at=now)
        .returning(studies.c.id)
    )
    return int(row.scalar_one())


def _insert_version(connection: Connection, study: int, new: NewVersion, now: datetime) -> int:
    row = connection.execute(
        sa.insert(versions)
        .values(study_id=study, digest=new.digest, content=dict(new.content), created_at=now)
        .returning(versions.c.id)
    )
    version = int(row.scalar_one())
    if new.media:
        connection.execute(
            sa.insert(media),
            [
                {
                    "version_id": version,
                    "name": card.name,
                    "media_type": card.media_type,
                    "content": card.content,
                }
                for card in new.media
            ],
        )
    return version


def _newest() -> sa.Select[Any]:
    """Every study with the version new participants get: the one served last."""
    ranked = sa.select(
        versions.c.id,
        versions.c.study_id,
        sa.func.row_number()
        .over(
            partition_by=versions.c.study_id,
            order_by=(versions.c.created_at.desc(), versions.c.id.desc()),
        )
        .label("age"),
    ).subquery()
    return (
        sa.select(studies, ranked.c.id.label("version"))
        .join(ranked, ranked.c.study_id == studies.c.id)
        .where(ranked.c.age == 1)
    )


_ONE = _newest().where(studies.c.slug == sa.bindparam("slug"))


def _study_row(row: Row[Any]) -> StudyRow:
    return StudyRow(
        number=row.id,
        version=row.version,
        slug=row.slug,
        title=row.title,
        kind=row.kind,
        is_open=row.is_open,
    )


def find(connection: Connection, slug: str) -> StudyRow | None:
    """Return the study with this short name and its newest version."""
    row = connection.execute(_ONE, {"slug": slug}).one_or_none()
    return None if row is None else _study_row(row)


def find_number(connection: Connection, number: int) -> StudyRow | None:
    """Return the study with this number and its newest version."""
    row = connection.execute(_newest().where(studies.c.id == number)).one_or_none()
    return None if row is None else _study_row(row)


def everything(connection: Connection) -> tuple[StudyRow, ...]:
    """Return every study, by title."""
    return tuple(_study_row(row) for row in connection.execute(_newest().order_by("title", "slug")))


def head(connection: Connection, slug: str) -> StudyHead | None:
    """Return a study, whether it was ever published or not."""
    return next((one_head for one_head in _heads(connection, studies.c.slug == slug)), None)


def existing(connection: Connection, slug: str) -> StudyHead:
    """Return a study, published or not, that there has to be."""
    found = head(connection, slug)
    if found is None:
        raise UnknownNameError(where="study", name=slug, names=())
    return found


def hold(connection: Connection, slug: str) -> StudyHead | None:
    """Return a study as `head` does; other changes to it wait until this transaction ends."""
    connection.execute(sa.select(studies.c.id).where(studies.c.slug == slug).with_for_update())
    return head(connection, slug)


def heads(connection: Connection) -> tuple[StudyHead, ...]:
    """Return every study, unpublished ones too, by title."""
    return _heads(connection, sa.true())


def _heads(connection: Connection, which: sa.ColumnElement[bool]) -> tuple[StudyHead, ...]:
    newest = _newest().subquery()
    rows = connection.execute(
        sa.select(studies, newest.c.version)
        .outerjoin(newest, newest.c.id == studies.c.id)
        .where(which)
        .order_by(studies.c.title, studies.c.slug)
    )
    return tuple(
        StudyHead(
            number=row.id,
            slug=row.slug,
            title=row.title,
            kind=row.kind,
            is_open=row.is_open,
            version=row.version,
        )
        for row in rows
    )


def rename(connection: Connection, number: int, title: str) -> None:
    """Change the title under which researchers find a study."""
    connection.execute(sa.update(studies).where(studies.c.id == number).values(title=title))


def content(connection: Connection, version: int) -> Mapping[str, Any]:
    """Return a version's plain values."""
    row = connection.execute(sa.select(versions.c.content).where(versions.c.id == version))
    document: Mapping[str, Any] = row.scalar_one()
    return document


def media_file(connection: Connection, version: int, name: str) -> MediaFile | None:
    """Return a picture or film of a version."""
    row = connection.execute(
        sa.select(media).where(media.c.version_id == version, media.c.name == name)
    ).one_or_none()
    if row is None:
        return None
    return MediaFile(name=row.name, media_type=row.media_type, content=bytes(row.content))


def media_files(
    connection: Connection, version: int, names: Iterable[str]
) -> tuple[MediaFile, ...]:
    """Return those pictures and films of a version that have one of these names."""
    files = (media_file(connection, version, name) for name in names)
    return tuple(row for row in files if row is not None)


def set_open(connection: Connection, slugs: Iterable[str], *, is_open: bool) -> None:
    """Open or close studies to new participants; those inside may finish."""
    connection.execute(
        sa.update(studies).where(studies.c.slug.in_(list(slugs))).values(is_open=is_open)
    )


def touch(connection: Connection) -> None:
    """Write a value nobody reads: only whether that succeeds is of interest.

    It is another one each time, as SQLite does not write what is there already.
    """
    row = {"name": "last_check", "value": secrets.token_hex(8)}
    written = insert_into(connection.dialect.name, facts).values(row)
    connection.execute(written.on_conflict_do_update(index_elements=["name"], set_=row))


def signing_key(connection: Connection) -> bytes:
    """Return the key that signs forms; every process of this database shares it."""
    row = connection.execute(sa.select(facts.c.value).where(facts.c.name == "signing_key"))
    return bytes.fromhex(row.scalar_one())


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionRow:
    """One version; `people` counts everybody who began with it, `active` those still inside."""

    number: int
    digest: str
    created_at: datetime
    file_at: datetime | None
    people: int
    active: int


def history(connection: Connection, study: int) -> tuple[VersionRow, ...]:
    """Return the versions of a study, the one new participants get first."""
    is_active = participants.c.status == Status.ACTIVE.value
    began = participants.c.status != Status.INVITED.value
    rows = connection.execute(
        sa.select(
            versions.c.id,
            versions.c.digest,
            versions.c.created_at,
            versions.c.file_at,
            sa.func.count(sa.case((began, 1))).label("people"),
            sa.func.count(sa.case((is_active, 1))).label("active"),
        )
        .outerjoin(participants, participants.c.version_id == versions.c.id)
        .where(versions.c.study_id == study)
        .group_by(versions.c.id, versions.c.digest, versions.c.created_at, versions.c.file_at)
        .order_by(versions.c.created_at.desc(), versions.c.id.desc())
    )
    return tuple(
        VersionRow(
            number=row.id,
            digest=row.digest,
            created_at=row.created_at,
            file_at=row.file_at,
            people=row.people,
            active=row.active,
        )
        for row in rows
    )


def renew(connection: Connection, number: int, *, now: datetime) -> None:
    """Make a version the newest again."""
    connection.execute(sa.update(versions).where(versions.c.id == number).values(created_at=now))


def everybody(connection: Connection) -> tuple[int, int]:
    """Return how many participants and answers the whole database holds."""
    people = sa.select(sa.func.count()).select_from(participants)
    given = sa.select(sa.func.count()).select_from(answers)
    return connection.execute(people).scalar_one(), connection.execute(given).scalar_one()


# Take out what was stored about one person, or a whole study.


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """Whose data is gone, and which cards went with it.

    The digest says what to drop from the cache.
    """

    number: int
    token_digest: str
    cards: tuple[str, ...] = ()


class SeveralPeopleError(LookupError):
    """One word means several people: a number of one and an id of another."""


def participant(connection: Connection, study: int, who: str) -> Erased | None:
    """Delete a participant with all they left: `#7` is a number, `7` a number or somebody's id.

    Screens and answers go with them. So do results, which may hold one person's numbers, the model
    cards published from them, every uploaded table of the study, which may hold their rows, and
    messages to webhooks that somebody of this number has finished.
    Erasing cannot be undone, so a word that means several people is refused with
    `SeveralPeopleError`.
    """
    bare = who.removeprefix("#")
    is_meant: sa.ColumnElement[bool] = participants.c.external_id.in_([who, f"import-{who}"])
    if bare.isdecimal() and len(bare) < 18:
        is_number = participants.c.id == int(bare)
        is_meant = is_number if who != bare else sa.or_(is_meant, is_number)
    row = connection.execute(
        sa.select(participants.c.id, participants.c.token_digest)
        .where(participants.c.study_id == study, is_meant)
        .limit(2)
    ).all()
    if len(row) > 1:
        raise SeveralPeopleError(who)
    if not row:
        return None
    gone = row[0]
    connection.execute(sa.delete(participants).where(participants.c.id == gone.id))
    connection.execute(_messages(study).where(deliveries.c.subject == str(gone.id)))
    connection.execute(sa.delete(jobs).where(jobs.c.study_id == study))
    connection.execute(sa.delete(uploads).where(uploads.c.study_id == study))
    return Erased(number=gone.id, token_digest=gone.token_digest, cards=_cards(connection, study))


def _messages(study: int) -> sa.Delete:
    """Return what deletes the messages about single people of a study."""
    own = sa.select(webhooks.c.id).where(webhooks.c.study_id == study)
    about_people = deliveries.c.event == "participant.completed"
    return sa.delete(deliveries).where(deliveries.c.webhook_id.in_(own), about_people)


def _cards(connection: Connection, study: int) -> tuple[str, ...]:
    """Take the cards of a study out of the library; return their names."""
    gone = connection.execute(
        sa.delete(cards).where(cards.c.study_id == study).returning(cards.c.name)
    )
    return tuple(sorted(gone.scalars()))


def study(connection: Connection, number: int) -> tuple[int, tuple[str, ...]]:
    """Delete a study with everything in it; return how many participants and which cards it had."""
    names = _cards(connection, number)
    count = connection.execute(
        sa.delete(participants).where(participants.c.study_id == number)
    ).rowcount
    connection.execute(sa.delete(studies).where(studies.c.id == number))
    return count, names


def study_of(connection: Connection, participant: int) -> str | None:
    """Return the short name of the study that a participant is in."""
    slug: str | None = connection.execute(
        sa.select(studies.c.slug)
        .join(participants, participants.c.study_id == studies.c.id)
        .where(participants.c.id == participant)
    ).scalar_one_or_none()
    return slug


def due(connection: Connection, *, now: datetime) -> tuple[str, ...]:
    """Return the studies whose data is to be erased by now."""
    return tuple(
        connection.execute(sa.select(studies.c.slug).where(studies.c.erase_at <= now)).scalars()
    )


def keep_until(connection: Connection, study: int, until: datetime | None) -> None:
    """Say when a study's data is erased, or that nothing is planned."""
    connection.execute(sa.update(studies).where(studies.c.id == study).values(erase_at=until))


def kept_until(connection: Connection, study: int) -> datetime | None:
    """Return when a study's data is erased; None: nothing is planned."""
    until: datetime | None = connection.execute(
        sa.select(studies.c.erase_at).where(studies.c.id == study)
    ).scalar_one()
    return until


def erase_everybody(connection: Connection, study: int) -> tuple[int, tuple[str, ...]]:
    """Delete everybody in a study with all they left, and close it; its texts stay.

    Addresses for a draw, which nothing joins to a person, go here. Return how many
    participants and which model cards went.
    """
    connection.execute(
        sa.update(studies).where(studies.c.id == study).values(is_open=False, erase_at=None)
    )
    count = connection.execute(
        sa.delete(participants).where(participants.c.study_id == study)
    ).rowcount
    count += in_use.erase_of_study(connection, study)
    connection.execute(_messages(study))
    for table in (jobs, uploads, imports, refusals, draw_entries):
        connection.execute(sa.delete(table).where(table.c.study_id == study))
    gone = connection.execute(
        sa.delete(cards).where(cards.c.study_id == study).returning(cards.c.name)
    )
    return count, tuple(sorted(gone.scalars()))
