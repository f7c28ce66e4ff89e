"""Signing in and out, and making an account from a one-time link: sessions that end by themselves.

In: a host, names, passwords, tokens of links and sessions, the time. Out: who somebody is. Absent:
making links (`members`), cookies and forms (`web.access`), limits on how often one may try
(`attempts`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from howgood.errors import InputError
from howgood.flow.accounts import passwords
from howgood.flow.accounts.attempts import note_failure
from howgood.flow.accounts.second_factor import SecondStep, needs_second_step, ticket_for
from howgood.flow.accounts.sign_in import IDLE, LONGEST, SignedIn, begin_session
from howgood.flow.hosting import Host, tokens
from howgood.records.researcher import Researcher
from howgood.store import audit, researchers, sharing
from howgood.store.researchers import Invitation, OpenSession

# The end of a session moves at most this often: looking at a page should not write.
_STEP = timedelta(minutes=10)


def sign_in(
    host: Host, *, name: str, password: str, network: str = "", now: datetime
) -> SignedIn | SecondStep | None:
    """Return a new session, or None; a wrong name takes as long as a wrong password.

    Who has a second factor gets a ticket instead, with which a code opens the session. All ends are
    written into the history, without the password and the address.
    """
    name = passwords.clean_name(name)
    with host.database.reading() as connection:
        researcher = researchers.find(connection, name)
    known_hash = researcher[1] if researcher else None
    if not passwords.is_right(password, known_hash) or researcher is None:
        host.database.write(
            lambda c: note_failure(c, host, name, network, action="sign-in failed", now=now)
        )
        return None
    person, renewed = researcher[0], ""
    if passwords.is_dated(researcher[1]):
        renewed = passwords.hashed(password)

    def store(connection: Connection) -> SignedIn | SecondStep:
        if renewed:
            researchers.set_password(connection, person.number, renewed)
        if needs_second_step(connection, person.number):
            return SecondStep(ticket=ticket_for(host, person, renewed or known_hash or "", now=now))
        audit.note(connection, actor=person.name, action="signed in", now=now)
        return begin_session(connection, person, now=now)

    return host.database.write(store)


def who(host: Host, token: str, *, now: datetime) -> Researcher | None:
    """Return who is signed in with this token; each visit keeps the session alive."""
    if not token:
        return None
    digest = tokens.digest(token)
    with host.database.reading() as connection:
        session = researchers.session(connection, digest, now=now)
    if session is None:
        return None
    until = min(now + IDLE, session.created_at + LONGEST)
    if until - session.expires_at >= _STEP:
        host.database.write(lambda c: researchers.prolong(c, digest, until=until))
    return session.researcher


def sign_out(host: Host, token: str) -> None:
    """End the session of this token."""
    host.database.write(lambda c: researchers.end_session(c, tokens.digest(token)))


def open_sessions(
    host: Host, person: Researcher, token: str, *, now: datetime
) -> tuple[OpenSession, ...]:
    """Return where somebody is signed in, the newest first; `token` is the session in use."""
    this = tokens.digest(token)
    with host.database.reading() as connection:
        return researchers.sessions_of(connection, person.number, this=this, now=now)


def end_sessions(
    host: Host, person: Researcher, token: str, *, handle: str = "", now: datetime
) -> None:
    """End one of somebody's sessions, or all but the one in use."""

    def store(connection: Connection) -> None:
        if handle:
            ended = int(researchers.end_session_named(connection, person.number, handle))
        else:
            this = tokens.digest(token)
            ended = researchers.end_other_sessions(connection, person.number, this=this)
        if ended:
            audit.note(
                connection, actor=person.name, action="ended sessions",
                detail={"sessions": ended}, now=now,
            )  # fmt: skip

    host.database.write(store)


def change_password(
    host: Host, person: Researcher, *, old: str, new: str, now: datetime
) -> SignedIn:
    """Replace a password; every session of the person ends and one begins. Refuse a wrong old one.

    Whoever has a copy of the session that is in use is out, too.
    """
    with host.database.reading() as connection:
        researcher = researchers.find(connection, person.name)
    if not passwords.is_right(old, researcher[1] if researcher else None):
        raise WrongPasswordError
    problem = passwords.password_problem(new, name=person.name)
    if problem:
        raise InputError(
            where="new", found="a password that will not do", needed=problem, cure=problem
        )
    made = passwords.hashed(new)

    def store(connection: Connection) -> SignedIn:
        researchers.set_password(connection, person.number, made)
        researchers.end_sessions(connection, person.number)
        audit.note(connection, actor=person.name, action="password changed", now=now)
        return begin_session(connection, person, now=now)

    return host.database.write(store)


class WrongPasswordError(InputError):
    """The password that should prove who somebody is does not."""

    def __init__(self) -> None:
        text = "This is not your password."
        super().__init__(where="old", found="a wrong password", needed=text, cure=text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """A new account, or what stood in its way."""

    signed_in: SignedIn | None = None
    second_step: SecondStep | None = None
    problems: Mapping[str, str] = field(default_factory=dict)


def invitation(host: Host, token: str, *, now: datetime) -> Invitation | None:
    """Return the invitation of a link, unless it was used or has expired."""
    with host.database.reading() as connection:
        return researchers.invitation(connection, tokens.digest(token), now=now)


def join(host: Host, token: str, *, name: str, password: str, now: datetime) -> Joined:
    """Make the account and sign in, or say what is wrong, by field ("link" when it is used).

    A link that renews a password knows whose it is: the name is not looked at.
    """
    open_invitation = invitation(host, token, now=now)
    if open_invitation is not None and open_invitation.researcher is not None:
        return _renew(host, token, open_invitation.researcher, password, now)
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
        used = researchers.use_invitation(connection, tokens.digest(token), now=now)
        if used is None:
            return _USED
        person = researchers.add(connection, name=name, password_hash=made, role=used.role, now=now)
        if used.study is not None and used.study_role is not None:
            sharing.give_role(
                connection, used.study, used.study_role, researcher=person.number, now=now
            )
        audit.note(connection, actor=name, action="joined", detail={"role": used.role}, now=now)
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
        if needs_second_step(connection, person.number):  # a link renews the password alone
            return Joined(second_step=SecondStep(ticket=ticket_for(host, person, made, now=now)))
        return Joined(signed_in=begin_session(connection, person, now=now))

    return host.database.write(store)


_USED = Joined(problems={"link": "This link was used or has expired."})
_TAKEN = Joined(problems={"name": "Somebody has this name already: choose another."})
