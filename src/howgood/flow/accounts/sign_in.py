"""A session begins.

In: a connection and who has proved who they are. Out: a session under a new token. Absent: the
proof (`signing_in`, `second_factor`, `provider`, `passkeys`).
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy.engine import Connection

from howgood.flow.hosting import tokens
from howgood.records.researcher import Researcher
from howgood.store import researchers

IDLE, LONGEST = timedelta(hours=12), timedelta(days=14)


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedIn:
    """Somebody who has just signed in; the token is known to their browser alone."""

    researcher: Researcher
    token: str


def begin_session(connection: Connection, person: Researcher, *, now: datetime) -> SignedIn:
    """Store a session under a new token."""
    token = tokens.fresh_token()
    until = now + IDLE
    researchers.open_session(connection, tokens.digest(token), person.number, now=now, until=until)
    return SignedIn(researcher=person, token=token)
