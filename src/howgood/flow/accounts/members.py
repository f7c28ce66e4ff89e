"""The members, researchers with accounts: the first owner, invitations, removal.

In: a host and the owner who acts. Out: one-time links, the letters that carry them, lists. Absent:
using a link (`signing_in`), sending a letter (`flow.mail`).
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy.engine import Connection

from howgood.errors import InputError, UnknownNameError
from howgood.flow.accounts import passwords
from howgood.flow.hosting import Host, tokens
from howgood.flow.mail import Letter
from howgood.records.researcher import Researcher, Role
from howgood.store import audit, factors, researchers
from howgood.store.researchers import Invitation

SETUP_LASTS, INVITATION_LASTS = timedelta(hours=24), timedelta(days=7)


@dataclass(frozen=True, slots=True, kw_only=True)
class Members:
    """Everybody with an account, who has codes after the password, and unused invitations."""

    researchers: tuple[Researcher, ...]
    with_codes: frozenset[int]
    invitations: tuple[Invitation, ...]


def setup_link(host: Host, *, now: datetime) -> str:
    """Return a fresh token for the first owner, or nothing when there is one.

    Links from earlier starts stop working: the one printed last is the one that counts.
    """
    token = tokens.fresh_token()

    def store(connection: Connection) -> str:
        if researchers.count_owners(connection):
            return ""
        researchers.withdraw_invitations(connection)
        until = now + SETUP_LASTS
        researchers.invite(connection, tokens.digest(token), "owner", now=now, until=until)
        return token

    return host.database.write(store)


def members(host: Host, *, now: datetime) -> Members:
    """Return who has an account or an invitation."""
    with host.database.reading() as connection:
        return Members(
            researchers=researchers.everyone(connection),
            with_codes=factors.with_second_factor(connection),
            invitations=researchers.open_invitations(connection, now=now),
        )


def invite(host: Host, person: Researcher, *, role: Role, now: datetime) -> str:
    """Return the token of a new one-time invitation; it is shown once and stored as a digest."""
    token = tokens.fresh_token()

    def store(connection: Connection) -> None:
        until = now + INVITATION_LASTS
        researchers.invite(connection, tokens.digest(token), role, now=now, until=until)
        audit.note(connection, actor=person.name, action="invited", detail={"role": role}, now=now)

    host.database.write(store)
    return token


def withdraw_invitation(host: Host, person: Researcher, key: str, *, now: datetime) -> None:
    """Let an invitation that nobody has used yet end now; one that was used meanwhile stays so."""

    def store(connection: Connection) -> None:
        if researchers.withdraw_invitation(connection, key):
            audit.note(connection, actor=person.name, action="invitation withdrawn", now=now)

    host.database.write(store)


def renewal_link(host: Host, name: str, *, actor: str, now: datetime) -> str:
    """Return the token of a one-time link by which somebody chooses a new password.

    Their password and their sessions stay until the link is used; a link made before is void.
    """
    token, name = tokens.fresh_token(), passwords.clean_name(name)

    def store(connection: Connection) -> None:
        researcher = researchers.find(connection, name)
        if researcher is None:
            names = [member.name for member in researchers.everyone(connection)]
            raise UnknownNameError(where="account", name=name, names=names)
        person, until = researcher[0], now + SETUP_LASTS
        researchers.invite(
            connection, tokens.digest(token), person.role, now=now, until=until,
            researcher=person.number,
        )  # fmt: skip
        detail = {"name": person.name}
        audit.note(connection, actor=actor, action="password link made", detail=detail, now=now)

    host.database.write(store)
    return token


def remove(host: Host, person: Researcher, number: int, *, now: datetime) -> None:
    """Remove somebody and end their sessions; the last owner stays."""

    def store(connection: Connection) -> None:
        researchers.lock(connection)
        gone = [member for member in researchers.everyone(connection) if member.number == number]
        if not gone:
            return
        if gone[0].role == "owner" and researchers.count_owners(connection) == 1:
            raise LastOwnerError
        researchers.remove(connection, number)
        detail = {"name": gone[0].name, "role": gone[0].role}
        audit.note(connection, actor=person.name, action="removed", detail=detail, now=now)

    host.database.write(store)


def set_role(host: Host, person: Researcher, number: int, *, role: Role, now: datetime) -> None:
    """Give somebody another role on the server; the last owner stays one."""

    def store(connection: Connection) -> None:
        researchers.lock(connection)
        known = [member for member in researchers.everyone(connection) if member.number == number]
        if not known or known[0].role == role:
            return
        if known[0].is_owner and researchers.count_owners(connection) == 1:
            raise LastOwnerError
        researchers.set_role(connection, number, role)
        detail = {"name": known[0].name, "role": role}
        audit.note(connection, actor=person.name, action="role changed", detail=detail, now=now)

    host.database.write(store)


class LastOwnerError(InputError):
    """The last owner was to be removed."""

    def __init__(self) -> None:
        super().__init__(
            where="people",
            found="the last owner",
            needed="at least one owner who stays, or nobody could change anything",
            cure="Invite another owner first.",
        )


def invitation_letter(*, to: str, link: str, sender: str, study: str = "") -> Letter:
    """Return a letter that invites somebody, to one study or to the server.

    Examples
    --------
    >>> invitation_letter(to="ada@example.org", link="https://s.org/x", sender="bo").subject
    'Invitation to howgood'
    """
    where = f"the study {study}" if study else "a server on which studies are made"
    subject = f"Invitation to the study {study}" if study else "Invitation to howgood"
    text = (
        f"Hello,\n\n{sender} invites you to {where}. Make your account here:\n\n{link}\n\n"
        "The link works once, for seven days. If you expected no invitation, do nothing.\n"
    )
    return Letter(to=to, subject=subject, text=text)


def renewal_letter(*, to: str, link: str) -> Letter:
    """Return a letter with a link to a new password."""
    text = (
        f"Hello,\n\nchoose a new password for your account here:\n\n{link}\n\n"
        "The link works once, for a day. Until then your password stays as it is. If you asked for "
        "nothing, do nothing.\n"
    )
    return Letter(to=to, subject="A new password for howgood", text=text)
