"""Researchers, their sessions, invitations and keys for programs; and how often somebody may try.

In: a connection and plain values; of secrets only digests and hashes. Out: records, and whether one
more attempt is allowed. Absent: what a password must be and how it is checked (`flow.accounts`).
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row

from howgood.records.researcher import Researcher, Role, StudyRole
from howgood.store.schema import (
    CLOCKS_DIFFER,
    attempts,
    insert_into,
    invitations,
    researchers,
    sessions,
    studies,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """Somebody who is signed in, since when and until when."""

    researcher: Researcher
    created_at: datetime
    expires_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Invitation:
    """A one-time link that makes an account, or renews the password of the one it is for."""

    role: Role
    expires_at: datetime
    researcher: Researcher | None = None
    study: str | None = None
    study_role: StudyRole | None = None
    # By which a list of them names one; it opens nothing.
    key: str = ""


def _holds(table: sa.Table, now: datetime) -> tuple[sa.ColumnElement[bool], ...]:
    """Return the conditions under which what was given is still good."""
    return table.c.expires_at > now, table.c.created_at <= now + CLOCKS_DIFFER


def _researcher(row: Row[Any]) -> Researcher:
    return Researcher(number=row.id, name=row.name, role=row.role)


def add(
    connection: Connection, *, name: str, password_hash: str, role: Role, now: datetime
) -> Researcher:
    """Store a researcher; the name must be free."""
    number = connection.execute(
        sa.insert(researchers)
        .values(name=name, password_hash=password_hash, role=role, created_at=now)
        .returning(researchers.c.id)
    ).scalar_one()
    return Researcher(number=number, name=name, role=role)


def everyone(connection: Connection) -> tuple[Researcher, ...]:
    """Return all researchers, by name."""
    rows = connection.execute(sa.select(researchers).order_by(researchers.c.name))
    return tuple(_researcher(row) for row in rows)


def lock(connection: Connection) -> None:
    """Make other changes to the list of researchers wait until this transaction ends."""
    connection.execute(sa.select(researchers.c.id).with_for_update())


def find(connection: Connection, name: str) -> tuple[Researcher, str] | None:
    """Return the researcher of this name and the hash of their password."""
    row = connection.execute(sa.select(researchers).where(researchers.c.name == name)).one_or_none()
    return None if row is None else (_researcher(row), row.password_hash)


def count_owners(connection: Connection) -> int:
    """Return how many owners there are."""
    query = sa.select(sa.func.count()).select_from(researchers)
    return int(connection.execute(query.where(researchers.c.role == "owner")).scalar_one())


def set_password(connection: Connection, number: int, password_hash: str) -> None:
    """Replace the hash of a password."""
    connection.execute(
        sa.update(researchers).where(researchers.c.id == number).values(password_hash=password_hash)
    )


def set_role(connection: Connection, number: int, role: Role) -> None:
    """Give an account another role on the server."""
    connection.execute(sa.update(researchers).where(researchers.c.id == number).values(role=role))


def remove(connection: Connection, number: int) -> None:
    """Remove a researcher; their sessions and tokens go with them."""
    connection.execute(sa.delete(researchers).where(researchers.c.id == number))


def open_session(
    connection: Connection, token_digest: str, researcher: int, *, now: datetime, until: datetime
) -> None:
    """Remember that somebody signed in, and forget every session that has ended."""
    connection.execute(sa.delete(sessions).where(sessions.c.expires_at <= now))
    connection.execute(
        sa.insert(sessions).values(
            token_digest=token_digest, researcher_id=researcher, created_at=now, expires_at=until
        )
    )


def session(connection: Connection, token_digest: str, *, now: datetime) -> Session | None:
    """Return whose session this is, unless it has ended."""
    row = connection.execute(
        sa.select(researchers, sessions.c.created_at.label("since"), sessions.c.expires_at)
        .join(sessions, sessions.c.researcher_id == researchers.c.id)
        .where(sessions.c.token_digest == token_digest, *_holds(sessions, now))
    ).one_or_none()
    if row is None:
        return None
    return Session(researcher=_researcher(row), created_at=row.since, expires_at=row.expires_at)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenSession:
    """A session as its holder sees it; `handle` names it and opens nothing."""

    handle: str
    created_at: datetime
    expires_at: datetime
    is_this: bool = False


_HANDLE = 16


def sessions_of(
    connection: Connection, researcher: int, *, this: str, now: datetime
) -> tuple[OpenSession, ...]:
    """Return a researcher's sessions, the newest first; `this` is the digest of the one in use."""
    rows = connection.execute(
        sa.select(sessions)
        .where(sessions.c.researcher_id == researcher, *_holds(sessions, now))
        .order_by(sessions.c.created_at.desc())
    )
    return tuple(
        OpenSession(
            handle=row.token_digest[:_HANDLE],
            created_at=row.created_at,
            expires_at=row.expires_at,
            is_this=row.token_digest == this,
        )
        for row in rows
    )


def end_session_named(connection: Connection, researcher: int, handle: str) -> bool:
    """End the session of a researcher that a handle names; return whether there was one."""
    named = sa.func.substr(sessions.c.token_digest, 1, _HANDLE) == handle
    gone = connection.execute(
        sa.delete(sessions).where(sessions.c.researcher_id == researcher, named)
    )
    return gone.rowcount > 0


def end_other_sessions(connection: Connection, researcher: int, *, this: str) -> int:
    """End every session of a researcher but one; return how many ended."""
    return connection.execute(
        sa.delete(sessions).where(
            sessions.c.researcher_id == researcher, sessions.c.token_digest != this
        )
    ).rowcount


def prolong(connection: Connection, token_digest: str, *, until: datetime) -> None:
    """Move the end of a session."""
    connection.execute(
        sa.update(sessions).where(sessions.c.token_digest == token_digest).values(expires_at=until)
    )


def end_session(connection: Connection, token_digest: str) -> None:
    """End one session."""
    connection.execute(sa.delete(sessions).where(sessions.c.token_digest == token_digest))


def end_sessions(connection: Connection, researcher: int) -> None:
    """End every session of a researcher."""
    connection.execute(sa.delete(sessions).where(sessions.c.researcher_id == researcher))


def invite(
    connection: Connection,
    token_digest: str,
    role: Role,
    *,
    now: datetime,
    until: datetime,
    researcher: int | None = None,
    study: tuple[int, StudyRole] | None = None,
) -> None:
    """Store an invitation, and forget every one that has expired or is for the same researcher.

    `study` is the number of a study that the new account gets a role in, and which.
    """
    connection.execute(sa.delete(invitations).where(invitations.c.expires_at <= now))
    if researcher is not None:
        same = invitations.c.researcher_id == researcher
        connection.execute(sa.delete(invitations).where(same))
    connection.execute(
        sa.insert(invitations).values(
            token_digest=token_digest,
            role=role,
            created_at=now,
            expires_at=until,
            researcher_id=researcher,
            study_id=study[0] if study else None,
            study_role=study[1] if study else None,
        )
    )


def invitation(connection: Connection, token_digest: str, *, now: datetime) -> Invitation | None:
    """Return an invitation that can still be used."""
    row = connection.execute(
        sa.select(
            invitations.c.role.label("invited_as"),
            invitations.c.expires_at,
            invitations.c.study_role,
            studies.c.title.label("study"),
            researchers,
        )
        .outerjoin(researchers, researchers.c.id == invitations.c.researcher_id)
        .outerjoin(studies, studies.c.id == invitations.c.study_id)
        .where(invitations.c.token_digest == token_digest, *_holds(invitations, now))
    ).one_or_none()
    if row is None:
        return None
    person = None if row.id is None else _researcher(row)
    return Invitation(
        role=row.invited_as, expires_at=row.expires_at, researcher=person, study=row.study,
        study_role=row.study_role,
    )  # fmt: skip


def open_invitations(
    connection: Connection, *, now: datetime, study: int | None = None
) -> tuple[Invitation, ...]:
    """Return every invitation that can still make an account; with `study`, one in that study."""
    query = (
        sa.select(invitations, studies.c.slug)
        .outerjoin(studies, studies.c.id == invitations.c.study_id)
        .where(*_holds(invitations, now), invitations.c.researcher_id.is_(None))
        .order_by(invitations.c.expires_at, invitations.c.token_digest)
    )
    if study is not None:
        query = query.where(invitations.c.study_id == study)
    return tuple(
        Invitation(
            role=row.role, expires_at=row.expires_at, study=row.slug, study_role=row.study_role,
            key=row.token_digest,
        )
        for row in connection.execute(query)
    )  # fmt: skip


def withdraw_invitation(connection: Connection, key: str, *, study: int | None = None) -> bool:
    """Make one invitation useless; with `study`, only one to that study. False: it is not there."""
    gone = sa.delete(invitations).where(
        invitations.c.token_digest == key, invitations.c.researcher_id.is_(None)
    )
    if study is not None:
        gone = gone.where(invitations.c.study_id == study)
    return bool(connection.execute(gone).rowcount)


@dataclass(frozen=True, slots=True, kw_only=True)
class UsedInvitation:
    """What an invitation gave: a role on the server, and perhaps one in a study, by number."""

    role: Role
    study: int | None
    study_role: StudyRole | None


def use_invitation(
    connection: Connection, token_digest: str, *, now: datetime
) -> UsedInvitation | None:
    """Take an invitation out: of two who try at once, one gets its role, the other None."""
    row = connection.execute(
        sa.delete(invitations)
        .where(invitations.c.token_digest == token_digest, *_holds(invitations, now))
        .returning(invitations.c.role, invitations.c.study_id, invitations.c.study_role)
    ).one_or_none()
    if row is None:
        return None
    return UsedInvitation(role=row.role, study=row.study_id, study_role=row.study_role)


def withdraw_invitations(connection: Connection) -> None:
    """Make every invitation useless."""
    connection.execute(sa.delete(invitations))


# How often somebody may still try: allowances that refill, shared by every process.


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """How many at once, and how long it takes until one more is allowed."""

    at_once: int
    one_more_after: timedelta


def take(connection: Connection, who: str, allowance: Allowance, *, now: datetime) -> bool:
    """Take one from somebody's allowance; False when it is used up.

    Of many processes that ask for one name, each waits until the one before has committed.
    """
    full = {"who": who, "left": float(allowance.at_once), "at": now}
    # An update that changes nothing holds the row, so that nobody forgets it meanwhile.
    held = insert_into(connection.dialect.name, attempts).values(full).on_conflict_do_update(
        index_elements=["who"], set_={"who": who}
    )  # fmt: skip
    mine = attempts.c.who == who
    row = connection.execute(held.returning(attempts.c.left, attempts.c.at)).one()
    gained = max(now - row.at, timedelta()) / allowance.one_more_after
    left = min(float(allowance.at_once), row.left + gained)
    is_allowed = bool(left >= 1)
    connection.execute(sa.update(attempts).where(mine).values(left=left - is_allowed, at=now))
    return is_allowed


def forget(connection: Connection, *, before: datetime) -> None:
    """Remove who has not tried since then; rows locked by another process wait for another time."""
    old = sa.select(attempts.c.who).where(attempts.c.at < before)
    free = old.with_for_update(skip_locked=True).scalar_subquery()
    connection.execute(sa.delete(attempts).where(attempts.c.who.in_(free)))
