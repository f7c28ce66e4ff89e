"""Drafts: what a researcher is writing, before it becomes a version.

In: a connection and plain values, right or wrong. Out: drafts and whether they were saved. Absent:
what the values mean (`flow.authoring`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from howgood.store.schema import draft_media, drafts, facts, insert_into, media, studies, versions
from howgood.store.studies import MediaFile


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A draft as it was saved; no two saves of any draft have the same `edition`."""

    content: Mapping[str, Any]
    edition: int
    changed_at: datetime


def find(connection: Connection, study: int) -> Draft | None:
    """Return the draft of a study; a discarded one is none."""
    row = connection.execute(
        sa.select(drafts).where(drafts.c.study_id == study, drafts.c.discarded_at.is_(None))
    ).one_or_none()
    if row is None:
        return None
    return Draft(content=row.content, edition=row.edition, changed_at=row.changed_at)


def studies_with_drafts(connection: Connection) -> frozenset[int]:
    """Return the numbers of studies that somebody is writing on."""
    query = sa.select(drafts.c.study_id).where(drafts.c.discarded_at.is_(None))
    return frozenset(connection.execute(query).scalars())


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscardedDraft:
    """A draft that can be restored."""

    slug: str
    title: str
    discarded_at: datetime


def discarded(connection: Connection) -> tuple[DiscardedDraft, ...]:
    """Return the drafts that were discarded, the latest first."""
    rows = connection.execute(
        sa.select(studies.c.slug, studies.c.title, drafts.c.discarded_at)
        .join_from(drafts, studies, studies.c.id == drafts.c.study_id)
        .where(drafts.c.discarded_at.is_not(None))
        .order_by(drafts.c.discarded_at.desc())
    )
    return tuple(
        DiscardedDraft(slug=row.slug, title=row.title, discarded_at=row.discarded_at)
        for row in rows
    )


def discard(connection: Connection, study: int, *, now: datetime) -> None:
    """Put a draft aside, unseen."""
    connection.execute(sa.update(drafts).where(drafts.c.study_id == study).values(discarded_at=now))


def restore(connection: Connection, study: int) -> bool:
    """Bring a discarded draft back; False if there is none."""
    done = connection.execute(
        sa.update(drafts)
        .where(drafts.c.study_id == study, drafts.c.discarded_at.is_not(None))
        .values(discarded_at=None)
    )
    return done.rowcount == 1


def free_name(connection: Connection, slug: str) -> None:
    """Forget a study that was never published and whose draft was discarded: its name is free."""
    is_discarded = sa.exists().where(
        drafts.c.study_id == studies.c.id, drafts.c.discarded_at.is_not(None)
    )
    is_published = sa.exists().where(versions.c.study_id == studies.c.id)
    connection.execute(
        sa.delete(studies).where(studies.c.slug == slug, is_discarded, ~is_published)
    )


def begin(
    connection: Connection,
    study: int,
    content: Mapping[str, Any],
    *,
    version: int | None,
    now: datetime,
) -> int | None:
    """Store a first edition, with the pictures of a version; None if there is a draft.

    A draft that was discarded before gives way.
    """
    gone = sa.delete(drafts).where(drafts.c.study_id == study, drafts.c.discarded_at.is_not(None))
    connection.execute(gone)
    edition = _next_edition(connection)
    made = connection.execute(
        insert_into(connection.dialect.name, drafts)
        .values(study_id=study, content=dict(content), edition=edition, changed_at=now)
        .on_conflict_do_nothing()
        .returning(drafts.c.edition)
    ).first()
    if made is None:
        return None
    if version is not None:
        names = ["study_id", "name", "media_type", "content"]
        there = sa.select(sa.literal(study), media.c.name, media.c.media_type, media.c.content)
        chosen = there.where(media.c.version_id == version)
        connection.execute(sa.insert(draft_media).from_select(names, chosen))
    return edition


def save(
    connection: Connection, study: int, content: Mapping[str, Any], *, edition: int, now: datetime
) -> int | None:
    """Store the next edition; None if somebody saved since this edition was read."""
    following = _next_edition(connection)
    done = connection.execute(
        sa.update(drafts)
        .where(
            drafts.c.study_id == study,
            drafts.c.edition == edition,
            drafts.c.discarded_at.is_(None),
        )
        .values(content=dict(content), edition=following, changed_at=now)
    )
    return following if done.rowcount == 1 else None


def _next_edition(connection: Connection) -> int:
    """Return a number that no draft of any study ever had: drafts end, old tabs stay open."""
    last = sa.cast(facts.c.value, sa.Integer)
    counted = connection.execute(
        sa.update(facts)
        .where(facts.c.name == "draft_edition")
        .values(value=sa.cast(last + 1, sa.Text))
        .returning(facts.c.value)
    )
    return int(counted.scalar_one())


def remove(connection: Connection, study: int) -> None:
    """Delete the draft and its pictures."""
    connection.execute(sa.delete(drafts).where(drafts.c.study_id == study))


def add_media(connection: Connection, study: int, new: MediaFile) -> None:
    """Keep a picture or film with the draft; the same name replaces the file."""
    which = sa.and_(draft_media.c.study_id == study, draft_media.c.name == new.name)
    connection.execute(sa.delete(draft_media).where(which))
    connection.execute(
        sa.insert(draft_media).values(
            study_id=study, name=new.name, media_type=new.media_type, content=new.content
        )
    )


def media_heads(connection: Connection, study: int, length: int) -> dict[str, bytes]:
    """Return the first bytes of the files kept with a draft, by name."""
    head = sa.func.substr(draft_media.c.content, 1, length)
    rows = connection.execute(
        sa.select(draft_media.c.name, head).where(draft_media.c.study_id == study)
    )
    return {name: bytes(content) for name, content in rows}


def media_files(connection: Connection, study: int, names: list[str]) -> tuple[MediaFile, ...]:
    """Return files kept with a draft, by name."""
    rows = connection.execute(
        sa.select(draft_media).where(draft_media.c.study_id == study, draft_media.c.name.in_(names))
    )
    return tuple(
        MediaFile(name=row.name, media_type=row.media_type, content=bytes(row.content))
        for row in rows
    )
