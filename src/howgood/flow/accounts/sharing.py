"""Who may see a study: roles of people and groups, invitations to one study, links to results.

In: a host, who acts, a study. Out: what somebody may do there, lists, one-time secrets. Absent:
which address needs which permission (`web.permissions`); whoever calls this has checked that.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from sqlalchemy.engine import Connection
from sqlalchemy.exc import IntegrityError

from howgood.errors import InputError, UnknownNameError
from howgood.flow.accounts import passwords
from howgood.flow.accounts.members import INVITATION_LASTS
from howgood.flow.hosting import Host, tokens
from howgood.records.researcher import (
    ALLOWED,
    STUDY_ROLES,
    Permission,
    Researcher,
    StudyRole,
    allowed,
)
from howgood.store import audit, researchers, sharing, studies
from howgood.store.sharing import Group, ResultLink, Share
from howgood.store.studies import StudyHead

_LONGEST_NAME, MOST_DAYS = 100, 365
# Who reads the results of every study has this role in each: no answers, no fits.
_READS_ALL: StudyRole = "viewer"


def in_study(host: Host, person: Researcher, slug: str) -> Researcher | None:
    """Return the person with their permissions in a study; None: it does not exist for them."""
    if person.is_owner:
        return replace(person, permissions=ALLOWED["owner"])
    with host.database.reading() as connection:
        known = studies.head(connection, slug) is not None
        roles = sharing.roles_in(connection, person.number, slug) if known else ()
    if known and person.role == "viewer":
        roles = (*roles, _READS_ALL)
    return replace(person, permissions=allowed(roles)) if roles else None


def shared_with(host: Host, person: Researcher) -> Mapping[str, frozenset[Permission]] | None:
    """Return the studies that somebody may see and what they may do there; None: all of them."""
    if person.is_owner:
        return None
    with host.database.reading() as connection:
        roles = sharing.roles_everywhere(connection, person.number)
        if person.role == "viewer":
            everything = studies.heads(connection)
            roles = {
                study_row.slug: (*roles.get(study_row.slug, ()), _READS_ALL)
                for study_row in everything
            }
    return {slug: allowed(held) for slug, held in roles.items()}


def may_use_tokens(host: Host, person: Researcher) -> bool:
    """Return whether somebody may have keys for programs: who makes studies, or reads data."""
    shared = shared_with(host, person)
    return person.may_create or shared is None or any("data" in may for may in shared.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Sharing:
    """Everybody who may see a study, apart from the owners of the server."""

    study: StudyHead
    shares: tuple[Share, ...]
    links: tuple[ResultLink, ...]
    groups: tuple[Group, ...]
    invitations: tuple[researchers.Invitation, ...]


def sharing_of(host: Host, slug: str, *, now: datetime) -> Sharing:
    """Return with whom a study is shared."""
    with host.database.reading() as connection:
        head = studies.existing(connection, slug)
        return Sharing(
            study=head,
            shares=sharing.shares(connection, head.number),
            links=sharing.links(connection, head.number),
            groups=sharing.every_group(connection),
            invitations=researchers.open_invitations(connection, now=now, study=head.number),
        )


def share(
    host: Host, person: Researcher, slug: str, *, name: str, role: str, is_group: bool,
    now: datetime,
) -> None:  # fmt: skip
    """Give somebody, or a group, a role in a study."""
    wanted = study_role(role)
    name = name.strip() if is_group else passwords.clean_name(name)

    def store(connection: Connection) -> None:
        head = studies.existing(connection, slug)
        if is_group:
            number = _group(connection, name).number
            sharing.give_role(connection, head.number, wanted, group=number, now=now)
        else:
            number = _account(connection, name).number
            sharing.give_role(connection, head.number, wanted, researcher=number, now=now)
        detail = {"with": name, "role": wanted}
        audit.note(
            connection, actor=person.name, action="shared study", study=slug, detail=detail, now=now
        )

    host.database.write(store)


def unshare(host: Host, person: Researcher, slug: str, number: int, *, now: datetime) -> None:
    """Take a role in a study back; it ends with the next request."""

    def store(connection: Connection) -> None:
        head = studies.existing(connection, slug)
        gone = [held for held in sharing.shares(connection, head.number) if held.number == number]
        if not gone:
            raise UnknownNameError(where="shares", name=number, names=())
        sharing.take_role(connection, head.number, number)
        detail = {"with": gone[0].name, "role": gone[0].role}
        audit.note(
            connection, actor=person.name, action="stopped sharing", study=slug, detail=detail,
            now=now,
        )  # fmt: skip

    host.database.write(store)


def invite_to_study(
    host: Host, person: Researcher, slug: str, *, role: str, now: datetime
) -> str:  # fmt: skip
    """Return the token of a one-time invitation: a guest account with a role in one study."""
    token, wanted = tokens.fresh_token(), study_role(role)

    def store(connection: Connection) -> None:
        head = studies.existing(connection, slug)
        researchers.invite(
            connection, tokens.digest(token), "guest", now=now, until=now + INVITATION_LASTS,
            study=(head.number, wanted),
        )  # fmt: skip
        audit.note(
            connection, actor=person.name, action="invited", study=slug, detail={"role": wanted},
            now=now,
        )  # fmt: skip

    host.database.write(store)
    return token


def withdraw_from_study(
    host: Host, person: Researcher, slug: str, key: str, *, now: datetime
) -> None:
    """Let an invitation to a study that nobody has used yet end now; a used one stays used."""

    def store(connection: Connection) -> None:
        head = studies.existing(connection, slug)
        if researchers.withdraw_invitation(connection, key, study=head.number):
            audit.note(
                connection, actor=person.name, action="invitation withdrawn", study=slug, now=now
            )

    host.database.write(store)


def make_result_link(
    host: Host, person: Researcher, slug: str, *, name: str, days: int, now: datetime
) -> str:
    """Return the token of a link by which anybody who has it reads the results for some days."""
    name = _checked_name(name, "says who the link is for")
    if not 1 <= days <= MOST_DAYS:
        raise InputError(
            where="days", found=str(days), needed=f"1 to {MOST_DAYS}", cure="Choose fewer days."
        )
    token = tokens.fresh_token()

    def store(connection: Connection) -> None:
        head = studies.existing(connection, slug)
        until = now + timedelta(days=days)
        sharing.add_link(
            connection, head.number, tokens.digest(token), name=name, actor=person.name, now=now,
            until=until,
        )  # fmt: skip
        detail = {"name": name, "until": until.date().isoformat()}
        audit.note(
            connection, actor=person.name, action="result link made", study=slug, detail=detail,
            now=now,
        )  # fmt: skip

    host.database.write(store)
    return token


def revoke_result_link(
    host: Host, person: Researcher, slug: str, number: int, *, now: datetime
) -> None:
    """Let a link to results end now."""

    def store(connection: Connection) -> None:
        head = studies.existing(connection, slug)
        name = sharing.remove_link(connection, head.number, number)
        if name is None:
            raise UnknownNameError(where="result links", name=number, names=())
        audit.note(
            connection, actor=person.name, action="result link revoked", study=slug,
            detail={"name": name}, now=now,
        )  # fmt: skip

    host.database.write(store)


def result_link(host: Host, token: str, *, now: datetime) -> ResultLink | None:
    """Return the link of this token, unless it was revoked or its time is over."""
    with host.database.reading() as connection:
        return sharing.find_link(connection, tokens.digest(token), now=now)


def every_group(host: Host) -> tuple[Group, ...]:
    """Return every group and its members."""
    with host.database.reading() as connection:
        return sharing.every_group(connection)


def make_group(host: Host, person: Researcher, *, name: str, now: datetime) -> None:
    """Make an empty group."""
    name = _checked_name(name, "names the group")

    def store(connection: Connection) -> None:
        sharing.add_group(connection, name, now=now)
        audit.note(
            connection, actor=person.name, action="group made", detail={"name": name}, now=now
        )

    try:
        host.database.write(store)
    except IntegrityError:
        raise InputError(
            where="name", found=f"{name!r}, which exists", needed="a new name",
            cure="There is a group of that name already: choose another.",
        ) from None  # fmt: skip


def remove_group(host: Host, person: Researcher, number: int, *, now: datetime) -> None:
    """Remove a group; its members lose the roles they had by it."""

    def store(connection: Connection) -> None:
        group = _group_numbered(connection, number)
        sharing.remove_group(connection, number)
        audit.note(
            connection, actor=person.name, action="group removed", detail={"name": group.name},
            now=now,
        )  # fmt: skip

    host.database.write(store)


def set_group_member(
    host: Host, person: Researcher, number: int, *, name: str, is_in: bool, now: datetime
) -> None:
    """Put somebody into a group, or take them out; their roles change with the next request."""
    name = passwords.clean_name(name)

    def store(connection: Connection) -> None:
        group = _group_numbered(connection, number)
        sharing.set_member(connection, number, _account(connection, name).number, is_in=is_in)
        audit.note(
            connection, actor=person.name, action="joined group" if is_in else "left group",
            detail={"name": name, "group": group.name}, now=now,
        )  # fmt: skip

    host.database.write(store)


def study_role(text: str) -> StudyRole:
    """Return the role of this name, or say which there are."""
    for role in STUDY_ROLES:
        if role == text:
            return role
    raise UnknownNameError(where="role", name=text, names=tuple(STUDY_ROLES))


def _account(connection: Connection, name: str) -> Researcher:
    """Return the account of this name; which other names there are is nobody's business here."""
    known = researchers.find(connection, name)
    if known is None:
        raise InputError(
            where="name", found=f"no account {name[:80]!r}", needed="the name of an account",
            cure="There is no account of that name. Check the spelling, or invite them first.",
        )  # fmt: skip
    return known[0]


def _group(connection: Connection, name: str) -> Group:
    known = sharing.every_group(connection)
    for group in known:
        if group.name == name:
            return group
    raise UnknownNameError(where="group", name=name, names=[group.name for group in known])


def _group_numbered(connection: Connection, number: int) -> Group:
    for group in sharing.every_group(connection):
        if group.number == number:
            return group
    raise UnknownNameError(where="group", name=number, names=())


def _checked_name(name: str, purpose: str) -> str:
    name = name.strip()
    if not name or len(name) > _LONGEST_NAME or not name.isprintable():
        raise InputError(
            where="name", found=repr(name[:60]),
            needed=f"1 to {_LONGEST_NAME} characters: what {purpose}",
            cure=f"Write a name of 1 to {_LONGEST_NAME} characters, in one line.",
        )  # fmt: skip
    return name
