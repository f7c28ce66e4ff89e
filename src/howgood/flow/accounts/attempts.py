"""How often passwords may be tried, whichever process is asked.

In: a host, a name, a network, the time. Out: whether an attempt may be made, and how long it has to
wait. Absent: the password (`signing_in`), and how many are checked at once (`web.routes.accounts`).

Whoever guesses is refused where they are; nobody is refused because somebody else guesses. A name
that is tried from many networks is slowed down everywhere except on devices that have signed in to
it before: no stranger can lock an owner out there. On a new device an owner waits a few seconds,
and is asked to come back only while attempts from a hundred other networks wait.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeVar

from sqlalchemy.engine import Connection

from howgood.flow.accounts import passwords
from howgood.flow.hosting import Host, tokens
from howgood.store import audit, researchers
from howgood.store.researchers import Allowance

T = TypeVar("T")
# Of one name from one network (an IPv4 address, an IPv6 /64), or from one known device.
PER_NAME = Allowance(at_once=8, one_more_after=timedelta(seconds=20))
PER_ADDRESS = Allowance(at_once=30, one_more_after=timedelta(seconds=4))
# Of one name from all networks together; more of them wait.
ANYWHERE = Allowance(at_once=20, one_more_after=timedelta(seconds=20))
DELAY_SECONDS = 5.0
# How many failed attempts by one name are written into the history, so that it stays readable.
NOTED = Allowance(at_once=5, one_more_after=timedelta(minutes=10))
# By then every allowance is full again, so that nothing needs to be remembered.
KEPT = timedelta(minutes=10)
# How often somebody tidies up, of all processes together.
TIDYING = Allowance(at_once=1, one_more_after=timedelta(minutes=1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """Whether a password may be tried, and how many seconds it has to wait."""

    is_allowed: bool
    delay: float = 0.0


def may_sign_in(host: Host, *, name: str, network: str, device: str, now: datetime) -> Attempt:
    """Take one attempt to sign in from the allowances it belongs to.

    `device` is what a browser was given when somebody last signed in on it, or empty.
    """
    name = passwords.clean_name(name)
    known = _known_device(host, device, name)

    def store(connection: Connection) -> Attempt:
        if known:
            return Attempt(is_allowed=researchers.take(connection, known, PER_NAME, now=now))
        is_allowed = _take_here(connection, host, name, network, now)
        is_calm = researchers.take(connection, _key(host, "name", name), ANYWHERE, now=now)
        if not is_allowed:
            note_failure(connection, host, name, network, action="sign-in refused", now=now)
        return Attempt(is_allowed=is_allowed, delay=0.0 if is_calm else DELAY_SECONDS)

    return _tidied(host, host.database.write(store), now)


def may_try(host: Host, *, name: str, address: str, now: datetime) -> bool:
    """Take one attempt at something else, such as a link; False when either allowance is used up.

    Who has not tried for a while is forgotten, so that there are never more rows than attempts
    within the last few minutes.
    """
    return _tidied(
        host, host.database.write(lambda c: _take_here(c, host, name, address, now)), now
    )


def device_token(host: Host, name: str) -> str:
    """Return what a browser keeps that has signed in to a name; it opens nothing."""
    nonce, name = tokens.fresh_token(), passwords.clean_name(name)
    return f"{nonce}.{tokens.signature(host.key, 'device', name, nonce)}"


def note_failure(
    connection: Connection, host: Host, name: str, network: str, *, action: str, now: datetime
) -> None:
    """Write a failed attempt into the history, without the address, and not without end.

    What was typed is written down only if it is somebody's name: it could be a password.
    """
    known = researchers.find(connection, name) is not None
    noted = _key(host, "noted", name if known else "")
    if researchers.take(connection, noted, NOTED, now=now):
        detail = {"network": _key(host, "network", network)[:8]}
        actor = name if known else "somebody (no such account)"
        audit.note(connection, actor=actor, action=action, detail=detail, now=now)


def _known_device(host: Host, device: str, name: str) -> str:
    nonce, _, signature = device.partition(".")
    if not tokens.is_signed(host.key, signature, "device", name, nonce):
        return ""
    return _key(host, "device", nonce)


def _take_here(connection: Connection, host: Host, name: str, network: str, now: datetime) -> bool:
    # Always in this order, so that no two wait for each other.
    by_network, by_both = _key(host, "address", network), _key(host, "name", name, network)
    may_network = researchers.take(connection, by_network, PER_ADDRESS, now=now)
    return researchers.take(connection, by_both, PER_NAME, now=now) and may_network


def _key(host: Host, *parts: str) -> str:
    """Return a name for a row that tells nobody who it is about."""
    return tokens.signature(host.key, "attempts", *parts)


def _tidied(host: Host, outcome: T, now: datetime) -> T:
    def tidy(connection: Connection) -> None:
        if researchers.take(connection, "tidying", TIDYING, now=now):
            researchers.forget(connection, before=now - KEPT)

    host.database.write(tidy)  # by itself: it must not hold rows that somebody waits for
    return outcome
