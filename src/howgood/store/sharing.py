"""Who has which role in a study, in which group somebody is, and who holds a link to results.

In: a connection and plain values. Out: records. Absent: what a role allows (`records.researcher`).
"""

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from howgood.records.researcher import StudyRole
from howgood.store.schema import (
    CLOCKS_DIFFER,
    group_members,
    groups,
    researchers,
    result_links,
    studies,
    study_roles,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A person or a group that a study is shared with."""

    number: int
    name: str
    role: StudyRole
    is_group: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """People who get roles together."""

    number: int
    name: str
    members: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultLink:
    """A link by which people without an account read a study's results."""

    number: int
    study: str
    name: str
    actor: str
    created_at: datetime
    expires_at: datetime


def _holds(researcher: int) -> sa.ColumnElement[bool]:
    """Return the condition under which a role is this person's, directly or by a group."""
    own = sa.select(group_members.c.group_id).where(group_members.c.researcher_id == researcher)
    return sa.or_(study_roles.c.researcher_id == researcher, study_roles.c.group_id.in_(own))


def roles_in(connection: Connection, researcher: int, slug: str) -> tuple[StudyRole, ...]:
    """Return every role that somebody has in a study."""
    rows = connection.execute(
        sa.select(study_roles.c.role)
        .join(studies, studies.c.id == study_roles.c.study_id)
        .where(studies.c.slug == slug, _holds(researcher))
    )
    return tuple(rows.scalars())


def roles_everywhere(connection: Connection, researcher: int) -> dict[str, tuple[StudyRole, ...]]:
    """Return the roles that somebody has, by study."""
    rows = connection.execute(
        sa.select(studies.c.slug, study_roles.c.role)
        .join(study_roles, studies.c.id == study_roles.c.study_id)
        .where(_holds(researcher))
    )
    by_study: dict[str, tuple[StudyRole, ...]] = {}
    for slug, role in rows:
        by_study[slug] = (*by_study.get(slug, ()), role)
    return by_study


def give_role(
    connection: Connection,
    study: int,
    role: StudyRole,
    *,
    researcher: int | None = None,
    group: int | None = None,
    now: datetime,
) -> None:
    """Give a person or a group a role in a study, instead of the one they had."""
    whose = study_roles.c.researcher_id == researcher if researcher is not None else (
        study_roles.c.group_id == group
    )  # fmt: skip
    connection.execute(sa.delete(study_roles).where(study_roles.c.study_id == study, whose))
    connection.execute(
        sa.insert(study_roles).values(
            study_id=study, researcher_id=researcher, group_id=group, role=role, created_at=now
        )
    )


def take_role(connection: Connection, study: int, number: int) -> None:
    """Take one role in a study back."""
    mine = study_roles.c.study_id == study
    connection.execute(sa.delete(study_roles).where(mine, study_roles.c.id == number))


def shares(connection: Connection, study: int) -> tuple[Share, ...]:
    """Return everybody a study is shared with: people first, each part by name."""
    rows = connection.execute(
        sa.select(
            study_roles.c.id,
            study_roles.c.role,
            researchers.c.name.label("person"),
            groups.c.name.label("group_name"),
        )
        .outerjoin(researchers, researchers.c.id == study_roles.c.researcher_id)
        .outerjoin(groups, groups.c.id == study_roles.c.group_id)
        .where(study_roles.c.study_id == study)
    )
    shared_with = [
        Share(
            number=row.id,
            name=row.person or row.group_name,
            role=row.role,
            is_group=row.person is None,
        )
        for row in rows
    ]
    return tuple(sorted(shared_with, key=lambda share: (share.is_group, share.name)))


def every_group(connection: Connection) -> tuple[Group, ...]:
    """Return every group with the names of its members."""
    rows = connection.execute(
        sa.select(groups.c.id, groups.c.name, researchers.c.name.label("member"))
        .outerjoin(group_members, group_members.c.group_id == groups.c.id)
        .outerjoin(researchers, researchers.c.id == group_members.c.researcher_id)
        .order_by(groups.c.name, researchers.c.name)
    )
    by_number: dict[int, Group] = {}
    for row in rows:
        before = by_number.get(row.id)
        members = (*(before.members if before else ()), *([row.member] if row.member else ()))
        by_number[row.id] = Group(number=row.id, name=row.name, members=members)
    return tuple(by_number.values())


def add_group(connection: Connection, name: str, *, now: datetime) -> int:
    """Store a group; its name must be free."""
    row = connection.execute(
        sa.insert(groups).values(name=name, created_at=now).returning(groups.c.id)
    )
    return int(row.scalar_one())


def remove_group(connection: Connection, number: int) -> None:
    """Remove a group; what its members had by it ends."""
    connection.execute(sa.delete(groups).where(groups.c.id == number))


def set_member(connection: Connection, group: int, researcher: int, *, is_in: bool) -> None:
    """Put somebody into a group, or take them out."""
    mine = sa.and_(group_members.c.group_id == group, group_members.c.researcher_id == researcher)
    connection.execute(sa.delete(group_members).where(mine))
    if is_in:
        connection.execute(
            sa.insert(group_members).values(group_id=group, researcher_id=researcher)
        )


_LINKS = sa.select(result_links, studies.c.slug).join(
    studies, studies.c.id == result_links.c.study_id
)


def add_link(
    connection: Connection,
    study: int,
    digest: str,
    *,
    name: str,
    actor: str,
    now: datetime,
    until: datetime,
) -> None:
    """Store a link to results as its digest."""
    connection.execute(
        sa.insert(result_links).values(
            study_id=study,
            token_digest=digest,
            name=name,
            actor=actor,
            created_at=now,
            expires_at=until,
        )
    )


def find_link(connection: Connection, digest: str, *, now: datetime) -> ResultLink | None:
    """Return the link of this digest, unless its time is over."""
    row = connection.execute(
        _LINKS.where(
            result_links.c.token_digest == digest,
            result_links.c.expires_at > now,
            result_links.c.created_at <= now + CLOCKS_DIFFER,
        )
    ).one_or_none()
    return None if row is None else _link(row)


def links(connection: Connection, study: int) -> tuple[ResultLink, ...]:
    """Return a study's links to results, the newest first, those whose time is over too."""
    query = _LINKS.where(result_links.c.study_id == study).order_by(result_links.c.id.desc())
    return tuple(map(_link, connection.execute(query)))


def remove_link(connection: Connection, study: int, number: int) -> str | None:
    """Revoke a link and return its name; None: there is none."""
    row = connection.execute(
        sa.delete(result_links)
        .where(result_links.c.study_id == study, result_links.c.id == number)
        .returning(result_links.c.name)
    )
    name: str | None = row.scalar_one_or_none()
    return name


def _link(row: sa.Row[tuple[object, ...]]) -> ResultLink:
    return ResultLink(
        number=row.id,
        study=row.slug,
        name=row.name,
        actor=row.actor,
        created_at=row.created_at,
        expires_at=row.expires_at,
    )
