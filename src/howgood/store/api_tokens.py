"""Keys for programs, as digests.

In: a connection and plain values. Out: records. Absent: the keys.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row

from howgood.records.api_token import ApiToken
from howgood.store.schema import api_tokens, researchers, studies

_KNOWN = sa.select(
    api_tokens, researchers.c.name.label("owner"), researchers.c.role, studies.c.slug
).select_from(
    api_tokens.join(researchers, researchers.c.id == api_tokens.c.researcher_id).outerjoin(
        studies, studies.c.id == api_tokens.c.study_id
    )
)


def add(
    connection: Connection,
    *,
    digest: str,
    name: str,
    scopes: Sequence[str],
    study: int | None,
    researcher: int,
    expires_at: datetime | None,
    now: datetime,
) -> int:
    """Store a key's digest and what it may do; return its number."""
    row = connection.execute(
        sa.insert(api_tokens)
        .values(
            token_digest=digest,
            name=name,
            scopes=list(scopes),
            study_id=study,
            researcher_id=researcher,
            created_at=now,
            expires_at=expires_at,
        )
        .returning(api_tokens.c.id)
    )
    return int(row.scalar_one())


def find(connection: Connection, digest: str, *, now: datetime) -> ApiToken | None:
    """Return the key with this digest, unless its time is over."""
    row = connection.execute(
        _KNOWN.where(
            api_tokens.c.token_digest == digest,
            sa.or_(api_tokens.c.expires_at.is_(None), api_tokens.c.expires_at > now),
        )
    ).one_or_none()
    return None if row is None else _token(row)


def everything(connection: Connection) -> tuple[ApiToken, ...]:
    """Return every key, the newest first."""
    return tuple(map(_token, connection.execute(_KNOWN.order_by(api_tokens.c.id.desc()))))


def remove(connection: Connection, number: int, *, researcher: int | None = None) -> str | None:
    """Revoke a key, of this researcher or of anybody, and return its name; None: there is none."""
    query = sa.delete(api_tokens).where(api_tokens.c.id == number)
    if researcher is not None:
        query = query.where(api_tokens.c.researcher_id == researcher)
    gone = connection.execute(query.returning(api_tokens.c.name))
    name: str | None = gone.scalar_one_or_none()
    return name


def _token(row: Row[Any]) -> ApiToken:
    return ApiToken(
        number=row.id,
        name=row.name,
        scopes=tuple(row.scopes),
        study=row.slug,
        owner=row.owner,
        researcher=row.researcher_id,
        role=row.role,
        created_at=row.created_at,
        expires_at=row.expires_at,
    )
