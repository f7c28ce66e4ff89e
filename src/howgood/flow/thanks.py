"""A draw among those who took part: who enters, and who wins.

In: a host, a token, an address; a seed that everybody knows. Out: whether somebody is in, the list,
the winners. Absent: which answers are whose: the list cannot be joined to them.
"""

import hashlib
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy.engine import Connection

from howgood.errors import InputError
from howgood.flow.collected.rows import find_study
from howgood.flow.collected.taken_out import note_taken_out
from howgood.flow.collected.writers import CsvWriter
from howgood.flow.hosting import Host
from howgood.flow.hosting.host import SessionState
from howgood.flow.mail import mail_address
from howgood.store import addresses, audit


def can_enter(state: SessionState) -> bool:
    """Return whether somebody may put an address on the list: who has finished, and is no test."""
    screen = state.screen
    return (
        state.study.draw is not None
        and screen is not None
        and screen.kind == "finished"
        and not state.participant.is_pilot
    )


def is_in_draw(host: Host, token: str) -> tuple[SessionState, bool]:
    """Return where the holder of a token is, and whether they are in the draw already."""
    state = host.state(token)
    with host.database.reading() as connection:
        return state, addresses.has_ticket(connection, state.participant.number)


def enter_draw(host: Host, token: str, address: str) -> None:
    """Put an address on the list; a second one of the same person changes nothing."""
    state = host.state(token)
    if not can_enter(state):
        raise InputError(
            where="draw",
            found="somebody who has not finished",
            needed="the last page",
            cure="Finish first.",
        )
    written, person = mail_address(address), state.participant
    host.database.write(
        lambda connection: addresses.enter_draw(connection, person.study, person.number, written)
    )


def draw_list(host: Host, slug: str) -> tuple[str, ...]:
    """Return the addresses of a study's draw, in random order.

    Notes
    -----
    Stability: experimental
    """
    row = find_study(host, slug)
    with host.database.reading() as connection:
        return addresses.draw_list(connection, row.number)


def draw_file(host: Host, slug: str, *, actor: str, now: datetime) -> bytes:
    """Return the addresses as CSV that is safe in a spreadsheet; the history says who took them."""
    entries = draw_list(host, slug)
    note_taken_out(host, slug, table="addresses of the draw", way="csv", actor=actor, now=now)
    return CsvWriter(("address",)).write({"address": entries})


def winners(entries: Sequence[str], *, seed: str, prizes: int) -> tuple[str, ...]:
    """Return who wins: those whose address gives the smallest SHA-256 together with the seed.

    Whoever knows the seed and the list can check it: the order of the list does not matter. Publish
    first where the seed will come from, such as the numbers of a public lottery.

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> some = ["ada@example.org", "bob@example.org", "eve@example.org"]
    >>> winners(some, seed="6 12 49", prizes=1) == winners(some[::-1], seed="6 12 49", prizes=1)
    True
    """
    if not seed.strip() or prizes < 1:
        raise InputError(
            where="draw",
            found=f"the seed {seed!r} and {prizes} prizes",
            needed="a seed, and at least one prize",
            cure="Write a seed that nobody can choose, such as the numbers of a public lottery, "
            "and at least one prize.",
        )
    return tuple(sorted(set(entries), key=lambda entry: _lot(seed.strip(), entry))[:prizes])


def _lot(seed: str, entry: str) -> str:
    return hashlib.sha256(f"{seed}:{entry}".encode()).hexdigest()


def erase_draw(host: Host, slug: str, *, actor: str, now: datetime) -> int:
    """Erase the list when everybody has their prize; return how many addresses it held."""
    row = find_study(host, slug)

    def erase(connection: Connection) -> int:
        gone = addresses.erase_draw(connection, row.number)
        audit.note(connection, actor=actor, action="draw erased", study=slug, now=now)
        return gone

    return host.database.write(erase)
