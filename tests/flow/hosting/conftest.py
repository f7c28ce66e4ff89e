"""Small studies, and people who walk through them."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from howgood.flow import hosting
from howgood.flow.hosting import Host, Visitor, add_study, filled_form
from howgood.flow.participate import fill
from howgood.kinds.study import Study

NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
PHRASES = {
    "happened": "somebody came to your door {n} {one:time|times}.",
    "found": "on {n} of these {real} occasions {system} told you.",
    "missed": "on {n} of these {real} occasions {system} did not.",
    "false_alarm": "{system} told you {n} {one:time|times} though nobody was there.",
    "cleared": "{n} quiet {one:time|times} {system} said nothing.",
}
SURVEY = {
    "kind": "survey", "slug": "doors", "title": "Doors", "consent": {"text": "I agree."},
    "survey": {
        "applications": [
            {"key": key, "name": key.title(), "description": "It rings.", "phrases": PHRASES}
            for key in ("bell", "camera")
        ],
        "precision": [0.5, 1], "recall": [0.5, 1], "per_application": 2,
        "branches": [{"key": "a", "applications": ["bell"]},
                     {"key": "b", "applications": ["camera"]}],
    },
}  # fmt: skip
RERATING = {
    "kind": "rerating", "slug": "songs", "title": "Songs", "consent": {"text": "I agree."},
    "completion": {"code": "C-17"},
    "rerating": {"question": "How good?", "scale": ["bad", "fair", "good"], "rounds": 2,
                 "items": [{"key": "x", "text": "First"}, {"key": "y", "text": "Second"}]},
}  # fmt: skip


@pytest.fixture
def host(database):
    return Host(database)


def alone(work):
    """Return what a coroutine returns; in a thread, for Playwright keeps a loop in the main one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


def look(host, token, **given):
    return alone(hosting.look(host, token, **given))


def send(host, token, **given):
    return alone(hosting.send(host, token, **given))


class Person:
    """Someone at the door of a study, with a clock."""

    def __init__(self, host, slug, *, seed=1, now=NOW, **parameters):
        self.host, self.slug, self.seed, self.now = host, slug, seed, now
        self.parameters, self.token, self.visit = parameters, "", ""

    @property
    def visitor(self):
        return Visitor(parameters=self.parameters, token=self.token, visit=self.visit)

    def arrive(self):
        return alone(hosting.arrive(self.host, self.slug, self.visitor, now=self.now))

    def form(self, view, **changes):
        hidden = {"signature": view.signature, "visit": view.visit, "screen": view.screen.key}
        frame = hidden | {name: changes.pop(name) for name in hidden if name in changes}
        known = {each.name for each in (*view.screen.fields, *view.screen.all_buttons)}
        own = {name: value for name, value in changes.items() if name in known}
        return filled_form(view.screen, fill(view.screen, seed=self.seed) | own) | frame

    def begin(self, view=None, **changes):
        view = view or self.arrive().view
        form = self.form(view, **changes)
        sent = alone(hosting.begin(self.host, self.slug, self.visitor, form=form, now=self.now))
        self.token = sent.token
        return sent

    def look(self):
        return look(self.host, self.token, now=self.now)

    def send(self, view=None, **changes):
        self.now += timedelta(seconds=3)
        view = view or self.look()
        return send(self.host, self.token, form=self.form(view, **changes), now=self.now)

    def finish(self):
        seen = []
        while not (view := self.look()).screen.is_last:
            seen.append(view.screen.key)
            self.send(view)
        return seen


@pytest.fixture
def person(host):
    def make(slug, **changes):
        return Person(host, slug, **changes)

    return make


@pytest.fixture
def run(host):
    """Put a study into the database; keyword arguments change its top level."""

    def put(study, *, now=NOW, **changes):
        return add_study(host, Study.from_dict({**study, **changes}), folder=Path(), now=now)

    return put
