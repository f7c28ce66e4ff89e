"""The same moves for an event loop: nobody holds a thread while the disk is written.

In: what `door` and `visit` take. Out: what they return. Absent: what a move does. On a local file
reading takes microseconds and happens at once; what takes longer (a remote database, choosing
the next pair to compare) happens in a thread.
"""

import asyncio
from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import TypeVar

from howgood.flow.hosting import door, visit
from howgood.flow.hosting.door import Visitor
from howgood.flow.hosting.host import Host, Known
from howgood.flow.hosting.moves import Move, count_refusal, unless_gone
from howgood.flow.hosting.view import Arrival, Form, RefusedError, Sent, View
from howgood.kinds import kind_of

T = TypeVar("T")


async def arrive(host: Host, slug: str, visitor: Visitor, *, now: datetime) -> Arrival:
    """Return what someone sees who opens a study's link."""
    return await _near(host, partial(door.arrive, host, slug, visitor, now=now))


async def begin(host: Host, slug: str, visitor: Visitor, *, form: Form, now: datetime) -> Sent:
    """Take the consent given at a study's door."""
    move = partial(door.begin_move, host, slug, visitor, form=form, now=now)
    return await _finished(host, await _near(host, move))


async def count(host: Host, error: RefusedError) -> None:
    """Count somebody who could not begin."""
    await host.database.write_soon(count_refusal(error))


async def look(host: Host, token: str, *, step: int = 0, now: datetime) -> View:
    """Return the screen the holder of this token is at, or was at an earlier step."""
    known = await _near(host, partial(visit.known_by, host, token))
    show = partial(visit.show, host, known, token, step=step, now=now)
    if known.screen is not None and visit.is_over(known.screen, now):
        return await asyncio.to_thread(show)  # stores the screen that follows
    return await _near(host, show)


async def send(host: Host, token: str, *, form: Form, now: datetime) -> Sent:
    """Store an answer, and the screen that follows it, before saying so."""
    known = await _near(host, partial(visit.known_by, host, token))
    move = partial(visit.send_move, host, known, token, form=form, now=now)
    if _takes_thought(host, known):
        made = await asyncio.get_running_loop().run_in_executor(host.thinking, move)
    else:
        made = await _near(host, move)
    return await _finished(host, made)


async def _finished(host: Host, move: Sent | Move) -> Sent:
    if isinstance(move, Sent):
        return move
    with unless_gone():
        return move.reply(await host.database.write_soon(move.store))


def _takes_thought(host: Host, known: Known) -> bool:
    return kind_of(host.study(known.participant.version)).computes_steps


async def _near(host: Host, work: Callable[[], T]) -> T:
    return work() if host.database.is_local else await asyncio.to_thread(work)
