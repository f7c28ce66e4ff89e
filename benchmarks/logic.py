"""A study with logic under load, against the same study without: do rules cost submissions?

Both are served by one server, in turns, so that a busy machine is busy for both.
"""

import asyncio
import tempfile
import tomllib
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.load.people import Load
from benchmarks.load.servers import HowgoodServer
from benchmarks.rows import Row
from benchmarks.server import PEOPLE, at_door, many
from howgood.flow.study_files.new import template

SECONDS, TURNS = 8.0, 4
_SLOWEST = 0.8


def run() -> list[Row]:
    with tempfile.TemporaryDirectory(prefix="howgood-bench-") as name:
        server = HowgoodServer(Path(name), [study("plain"), study("logic", has_rules=True)])
        try:
            turns = [(_turn(server, "plain"), _turn(server, "logic")) for _ in range(TURNS)]
        finally:
            server.kill()
    plain, logic = Load(), Load()
    for without, with_rules in turns:
        plain += without
        logic += with_rules
    return _rows(plain, logic)


def _turn(server: HowgoodServer, slug: str) -> Load:
    before = server.cpu_seconds()
    load = asyncio.run(many(partial(at_door, server.port, slug=slug), SECONDS))
    load.cpu_seconds = server.cpu_seconds() - before
    return load


def _rows(plain: Load, logic: Load) -> list[Row]:
    size = f"{PEOPLE} people, {TURNS} turns of {SECONDS:g} s"
    rate = logic.per_second / plain.per_second
    late = 1000 * plain.quantile(0.99), 1000 * logic.quantile(0.99)
    return [
        Row(
            subject="submissions per second, with logic",
            size=size,
            ours=f"{logic.per_second:.0f}",
            peer="without logic",
            peer_value=f"{plain.per_second:.0f}",
            ratio=rate,
            target=f">= {_SLOWEST:g}x",
            met=rate >= _SLOWEST and logic.wrong == plain.wrong == 0,
        ),
        Row(
            subject="99 % of submissions within (ms), with logic",
            size=size,
            ours=f"{late[1]:.0f}",
            peer="without logic",
            peer_value=f"{late[0]:.0f}",
            ratio=late[0] / late[1],
        ),
        Row(
            subject="server's CPU per submission (ms), with logic",
            size=size,
            ours=f"{logic.cpu_ms:.2f}",
            peer="without logic",
            peer_value=f"{plain.cpu_ms:.2f}",
            ratio=plain.cpu_ms / logic.cpu_ms,
        ),
    ]


def study(slug: str, *, has_rules: bool = False) -> dict[str, Any]:
    """Return a survey with questions before and after it, with rules between them or without."""
    data = tomllib.loads(template("survey"))
    pets = [{"key": key, "text": key.title()} for key in ("cat", "dog", "none")]
    cats = {"question": "pet", "any_of": ["cat"]}
    others = {"question": "pet", "none_of": ["cat"]}

    def only(rule: dict[str, Any]) -> dict[str, Any]:
        return {"show_if": rule} if has_rules else {}

    first, *more = data["survey"]["applications"]
    data["survey"] |= {
        "applications": [first, *(application | only(cats) for application in more)],
        "per_application": 4,
    }
    named = "What is the name of your {answer.pet|pet}?" if has_rules else "A name?"
    return data | {
        "slug": slug,
        "demographics": [
            {"key": "pet", "text": "Which pet?", "options": pets},
            {"key": "name", "text": named, "type": "text", "new_page": True, **only(cats)},
        ],
        "closing": [{"key": "why", "text": "Why?", "type": "text", **only(others)}],
    }
