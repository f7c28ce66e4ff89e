"""Making an account from a one-time link, or renewing the password of one.

In: a host, the link's token, a name and a password. Out: somebody who is signed in. Absent: making
links (`circle`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from howgood.flow.accounts import passwords
from howgood.flow.accounts.signing_in import SignedIn, begin_session
from howgood.flow.hosting import Host, tokens
from howgood.records.researcher import Researcher
from howgood.store import audit, researchers
from howgood.store.researchers import Invitation


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """A new account, or what stood in its way."""

    signed_in: SignedIn | None = None
    problems: Mapping[str, str] = field(default_factory=dict)


def invitation(host: Host, token: str, *, now: datetime) -> Invitation | None:
    """Return the invitation of a link, unless it was used or has expired."""
    with host.database.reading() as connection:
        return researchers.invitation(connection, tokens.digest(token), now=now)


def join(host: Host, token: str, *, name: str, password: str, now: datetime) -> Joined:
    """Make the account and sign in, or say what is wrong, by field ("link" when it is used).

    A link that renews a password knows whose it is: the name is not looked at.
    """
    found = invitation(host, token, now=now)
    if found is not None and found.researcher is not None:
        return _renew(host, token, found.researcher, password, now)
    name = passwords.clean_name(name)
    wrong = {
        "name": passwords.name_problem(name),
        "password": passwords.password_problem(password, name=name),
    }
    if any(wrong.values()):
        return Joined(problems={field: text for field, text in wrong.items() if text})
    made = passwords.hashed(password)

    def store(connection: Connection) -> Joined:
        if researchers.find(connection, name) is not None:
            return _TAKEN
        role = researchers.use_invitation(connection, tokens.digest(token), now=now)
        if role is None:
            return _USED
        person = researchers.add(connection, name=name, password_hash=made, role=role, now=now)
        audit.note(connection, actor=name, action="joined", detail={"role": role}, now=now)
        return Joined(signed_in=begin_session(connection, person, now=now))

    try:
        return host.database.write(store)
    except sa.exc.IntegrityError:  # somebody took the name between looking and writing
        return _TAKEN


def _renew(host: Host, token: str, person: Researcher, password: str, now: datetime) -> Joined:
    """Set a new password; whoever is signed in with the old one is out."""
    wrong = passwords.password_problem(password, name=person.name)
    if wrong:
        return Joined(problems={"password": wrong})
    made = passwords.hashed(password)

    def store(connection: Connection) -> Joined:
        if researchers.use_invitation(connection, tokens.digest(token), now=now) is None:
            return _USED
        researchers.set_password(connection, person.number, made)
        researchers.end_sessions(connection, person.number)
        audit.note(connection, actor=person.name, action="password renewed by link", now=now)
        return Joined(signed_in=begin_session(connection, person, now=now))

    return host.database.write(store)


_USED = Joined(problems={"link": "This link was used or has expired."})
_TAKEN = Joined(problems={"name": "Somebody has this name already: choose another."})
