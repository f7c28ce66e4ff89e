"""Make, check and revoke keys for programs.

In: a host, who asks, what for. Out: a key, once; afterwards only records. Absent: the web.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy.engine import Connection

from howgood.errors import InputError, UnknownNameError
from howgood.flow.accounts.sharing import in_study
from howgood.flow.collected.rows import find_study
from howgood.flow.hosting import Host, tokens
from howgood.records.api_token import SCOPES, ApiToken
from howgood.records.researcher import Researcher
from howgood.store import api_tokens, audit

# Says what it is to whoever finds one where it should not be.
PREFIX = "howgood_"
_LONGEST_NAME, _MOST_DAYS = 100, 3660


@dataclass(frozen=True, slots=True, kw_only=True)
class Issued:
    """A new key: `secret` is shown now and never again."""

    number: int
    secret: str


def issue_token(
    host: Host,
    person: Researcher,
    *,
    name: str,
    scopes: Sequence[str],
    study: str | None,
    days: int | None,
    now: datetime,
) -> Issued:
    """Make a key in somebody's name; `study` limits it to one study, `days` to a time.

    A key may do what its scopes say and its holder may do at that moment, and no more.

    Notes
    -----
    Stability: experimental
    """
    _check(name, scopes, days)
    if study and in_study(host, person, study) is None:
        raise UnknownNameError(where="study", name=study, names=())
    number = find_study(host, study).number if study else None
    secret = PREFIX + tokens.fresh_token()
    expires = now + timedelta(days=days) if days is not None else None

    def store(connection: Connection) -> int:
        made = api_tokens.add(
            connection,
            digest=tokens.digest(secret),
            name=name.strip(),
            scopes=[scope for scope in SCOPES if scope in scopes],
            study=number,
            researcher=person.number,
            expires_at=expires,
            now=now,
        )
        detail = {"token": name.strip(), "scopes": list(scopes)}
        audit.note(
            connection, actor=person.name, action="make token", study=study, detail=detail, now=now
        )
        return made

    return Issued(number=host.database.write(store), secret=secret)


def bearer(host: Host, secret: str, *, now: datetime) -> ApiToken | None:
    """Return the key that a program shows; None when it is unknown, revoked or over."""
    if not secret.startswith(PREFIX):
        return None
    with host.database.reading() as connection:
        return api_tokens.find(connection, tokens.digest(secret), now=now)


def tokens_of(host: Host, person: Researcher) -> tuple[ApiToken, ...]:
    """Return somebody's keys, those whose time is over too; who owns the server sees all."""
    with host.database.reading() as connection:
        known = api_tokens.everything(connection)
    return tuple(key for key in known if person.is_owner or key.researcher == person.number)


def revoke_token(host: Host, person: Researcher, number: int, *, now: datetime) -> str:
    """Revoke a key at once and return its name: one's own, or any for who owns the server."""

    def remove(connection: Connection) -> str | None:
        whose = None if person.is_owner else person.number
        name = api_tokens.remove(connection, number, researcher=whose)
        if name is not None:
            audit.note(
                connection,
                actor=person.name,
                action="revoke token",
                detail={"token": name},
                now=now,
            )
        return name

    name = host.database.write(remove)
    if name is None:
        raise UnknownNameError(where="tokens", name=number, names=())
    return name


def _check(name: str, scopes: Sequence[str], days: int | None) -> None:
    if not name.strip() or len(name) > _LONGEST_NAME or not name.isprintable():
        raise InputError(
            where="name",
            found=repr(name[:60]),
            needed=f"1 to {_LONGEST_NAME} characters that say what the token is for",
            cure="Choose another name.",
        )
    for scope in scopes:
        if scope not in SCOPES:
            raise UnknownNameError(where="scopes", name=scope, names=SCOPES)
    if not scopes:
        raise InputError(
            where="scopes", found="none", needed="at least one", cure="Tick what it may do."
        )
    if days is not None and not 1 <= days <= _MOST_DAYS:
        raise InputError(
            where="days",
            found=str(days),
            needed=f"1 to {_MOST_DAYS}",
            cure="Choose a shorter time.",
        )
