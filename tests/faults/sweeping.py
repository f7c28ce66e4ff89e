"""Let the first operation of a step fail, then a later one, until a step has no more of them.

In: a server, something that fails on command (`disk_errors`, `cut_connections`). Out: how often it
failed and was noticed. Absent: what is stored afterwards (`counting`).
"""

import asyncio
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from tests.faults.people import Person

from howgood.flow.doctor import examine
from howgood.settings import Settings

MOST = 2000  # no step has so many: the search ends
AGAIN = 40  # how often somebody tries until they are served again
QUIET = 3  # steps without a failure: a log is emptied now and then only


async def sweep(server, faults, *, lasting, every, people):
    """Answer while the n-th operation fails, for growing n; every third time somebody new comes.

    `faults` has `arm(nth, lasting=)`, `n_failed` and `disarm()`.
    """
    tried, nth, quiet = SimpleNamespace(faults=0, unwell=0, doctor=0), 1, 0
    while nth < MOST and quiet < QUIET:
        person = people[-1]
        if nth % 3 == 0:
            await person.browser.close()
            person = Person(server.port, nth, pause=0.0)
            people.append(person)
        before = len(person.acknowledged)
        faults.arm(nth, lasting=lasting)
        for _ in range(3):
            await person._step()
        if faults.n_failed and lasting:
            _, health = await person.browser.follow("/health")
            tried.unwell += health.status == 503
            tried.doctor += await asyncio.to_thread(_doctor_says_what_to_do, server)
        failed = faults.disarm()
        await _served_again(person, before + 2)
        tried.faults += failed > 0
        quiet = 0 if failed else quiet + 1
        nth += every
    await people[-1].browser.close()
    return tried


async def _served_again(person, acknowledged):
    for _ in range(AGAIN):
        if len(person.acknowledged) >= acknowledged:
            return
        await person._step()
    pytest.fail(f"not served again: {person.wrong}")


def _doctor_says_what_to_do(server):
    checks = examine(Settings(database=server.database), backups=None, now=datetime.now(UTC))
    problems = [check for check in checks if check.state == "problem"]
    return bool(problems) and all(check.found and check.cure for check in problems)
