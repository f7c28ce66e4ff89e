"""Other ways to show who one is: second factors, recovery codes, passkeys, accounts of a provider.

In: a connection and plain values; recovery codes as digests. Out: records. Absent: what proves what
(`flow.accounts`). The secret of a second factor is kept as it is, because codes are computed from
it: guard the database's copies, or encrypt them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from howgood.records.researcher import Researcher
from howgood.store.schema import (
    identities,
    passkeys,
    recovery_codes,
    researchers,
    second_factors,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondFactor:
    """The secret of somebody's codes, and since when it is in use; None: not confirmed yet."""

    secret: str
    confirmed_at: datetime | None
    last_step: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Passkey:
    """A key that a device keeps; `credential` names it."""

    credential: str
    researcher: int
    public_key: bytes
    sign_count: int
    name: str
    created_at: datetime
    used_at: datetime | None


def second_factor(connection: Connection, researcher: int) -> SecondFactor | None:
    """Return somebody's second factor, confirmed or not."""
    row = connection.execute(
        sa.select(second_factors).where(second_factors.c.researcher_id == researcher)
    ).one_or_none()
    if row is None:
        return None
    return SecondFactor(
        secret=row.secret, confirmed_at=row.confirmed_at, last_step=int(row.last_step)
    )


def with_second_factor(connection: Connection) -> frozenset[int]:
    """Return the numbers of everybody whose codes are asked for."""
    confirmed = second_factors.c.confirmed_at.is_not(None)
    rows = connection.execute(sa.select(second_factors.c.researcher_id).where(confirmed))
    return frozenset(rows.scalars())


def begin_second_factor(connection: Connection, researcher: int, secret: str) -> None:
    """Keep a secret that is not confirmed yet, in place of one that was not either."""
    mine = second_factors.c.researcher_id == researcher
    connection.execute(
        sa.delete(second_factors).where(mine, second_factors.c.confirmed_at.is_(None))
    )
    connection.execute(
        sa.insert(second_factors).values(researcher_id=researcher, secret=secret, last_step=0)
    )


def confirm_second_factor(
    connection: Connection, researcher: int, *, step: int, now: datetime
) -> bool:
    """Put a second factor into use; False if it is already."""
    done = connection.execute(
        sa.update(second_factors)
        .where(second_factors.c.researcher_id == researcher)
        .where(second_factors.c.confirmed_at.is_(None))
        .values(confirmed_at=now, last_step=step)
    )
    return done.rowcount > 0


def use_step(connection: Connection, researcher: int, step: int) -> bool:
    """Note that the code of a step was used; False if that or a later one was before."""
    done = connection.execute(
        sa.update(second_factors)
        .where(second_factors.c.researcher_id == researcher, second_factors.c.last_step < step)
        .values(last_step=step)
    )
    return done.rowcount > 0


def remove_second_factor(connection: Connection, researcher: int) -> bool:
    """Remove somebody's second factor and the codes that stand in for it."""
    connection.execute(
        sa.delete(recovery_codes).where(recovery_codes.c.researcher_id == researcher)
    )
    gone = connection.execute(
        sa.delete(second_factors).where(second_factors.c.researcher_id == researcher)
    )
    return gone.rowcount > 0


def set_recovery_codes(connection: Connection, researcher: int, digests: Sequence[str]) -> None:
    """Replace somebody's recovery codes."""
    mine = recovery_codes.c.researcher_id == researcher
    connection.execute(sa.delete(recovery_codes).where(mine))
    rows = [{"researcher_id": researcher, "digest": digest} for digest in digests]
    connection.execute(sa.insert(recovery_codes), rows)


def use_recovery_code(connection: Connection, researcher: int, digest: str) -> bool:
    """Take a recovery code out; False if there was none such."""
    gone = connection.execute(
        sa.delete(recovery_codes).where(
            recovery_codes.c.researcher_id == researcher, recovery_codes.c.digest == digest
        )
    )
    return gone.rowcount > 0


def count_recovery_codes(connection: Connection, researcher: int) -> int:
    """Return how many recovery codes are left."""
    query = sa.select(sa.func.count()).select_from(recovery_codes)
    mine = recovery_codes.c.researcher_id == researcher
    return int(connection.execute(query.where(mine)).scalar_one())


def add_passkey(
    connection: Connection,
    *,
    researcher: int,
    credential: str,
    public_key: bytes,
    sign_count: int,
    name: str,
    now: datetime,
) -> None:
    """Keep the public part of a passkey."""
    connection.execute(
        sa.insert(passkeys).values(
            credential=credential,
            researcher_id=researcher,
            public_key=public_key,
            sign_count=sign_count,
            name=name,
            created_at=now,
        )
    )


def passkeys_of(connection: Connection, researcher: int) -> tuple[Passkey, ...]:
    """Return somebody's passkeys, the oldest first."""
    rows = connection.execute(
        sa.select(passkeys)
        .where(passkeys.c.researcher_id == researcher)
        .order_by(passkeys.c.created_at, passkeys.c.credential)
    )
    return tuple(_passkey(row) for row in rows)


def find_passkey(connection: Connection, credential: str) -> Passkey | None:
    """Return the passkey of this name."""
    row = connection.execute(
        sa.select(passkeys).where(passkeys.c.credential == credential)
    ).one_or_none()
    return None if row is None else _passkey(row)


def use_passkey(connection: Connection, credential: str, *, sign_count: int, now: datetime) -> None:
    """Note that a passkey was used."""
    connection.execute(
        sa.update(passkeys)
        .where(passkeys.c.credential == credential)
        .values(sign_count=sign_count, used_at=now)
    )


def remove_passkey(connection: Connection, researcher: int, credential: str) -> str | None:
    """Remove one of somebody's passkeys and return its name."""
    name = connection.execute(
        sa.delete(passkeys)
        .where(passkeys.c.researcher_id == researcher, passkeys.c.credential == credential)
        .returning(passkeys.c.name)
    ).scalar_one_or_none()
    return None if name is None else str(name)


def _passkey(row: sa.Row[tuple[object, ...]]) -> Passkey:
    values = dict(row._mapping)
    return Passkey(researcher=values.pop("researcher_id"), **values)


def identity(connection: Connection, issuer: str, subject: str) -> Researcher | None:
    """Return whose account at a provider this is."""
    row = connection.execute(
        sa.select(researchers)
        .join(identities, identities.c.researcher_id == researchers.c.id)
        .where(identities.c.issuer == issuer, identities.c.subject == subject)
    ).one_or_none()
    return None if row is None else Researcher(number=row.id, name=row.name, role=row.role)


def add_identity(
    connection: Connection, *, researcher: int, issuer: str, subject: str, now: datetime
) -> None:
    """Let somebody sign in with an account at a provider."""
    connection.execute(
        sa.insert(identities).values(
            issuer=issuer, subject=subject, researcher_id=researcher, created_at=now
        )
    )


def identities_of(connection: Connection, researcher: int) -> tuple[str, ...]:
    """Return the providers by which somebody signs in."""
    rows = connection.execute(
        sa.select(identities.c.issuer).where(identities.c.researcher_id == researcher)
    )
    return tuple(str(issuer) for (issuer,) in rows)


def remove_identities(connection: Connection, researcher: int) -> int:
    """Let somebody no longer sign in by a provider; return how many accounts there that were."""
    mine = identities.c.researcher_id == researcher
    return connection.execute(sa.delete(identities).where(mine)).rowcount
