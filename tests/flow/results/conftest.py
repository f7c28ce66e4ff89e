"""Small studies with synthetic people in them."""

import tomllib
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.flow.hosting.conftest import PHRASES

from howgood.demo.web import add_people
from howgood.flow.hosting import Host, add_study
from howgood.flow.study_files.new import template
from howgood.kinds.study import Study

NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
SURVEY = {
    "kind": "survey", "slug": "doors", "title": "Doors", "consent": {"text": "I agree."},
    "survey": {
        "applications": [{"key": "bell", "name": "The bell", "description": "It rings.",
                          "phrases": PHRASES}],
        "precision": [0.5, 0.75, 1], "recall": [0.5, 0.75, 1],
        "attention": [{"key": "care", "text": "Choose: Quite unlikely.", "answer": 2}],
    },
}  # fmt: skip
RERATING = {
    "kind": "rerating", "slug": "songs", "title": "Songs", "consent": {"text": "I agree."},
    "rerating": {"question": "How good?", "scale": list("12345"), "rounds": 3,
                 "items": [{"key": f"s{n}", "text": f"Song {n}"} for n in range(1, 6)]},
}  # fmt: skip


def comparison(**changes):
    """The study `howgood new` writes, made short."""
    study = tomllib.loads(template("comparison"))
    study["comparison"] |= {"queries": 8, "checks": 2, "repeats": 0, "evaluation": 4} | changes
    return study | {"slug": "pairs"}


@pytest.fixture
def host(database):
    return Host(database)


@pytest.fixture
def asked(host):
    """Put a study into the database and let synthetic people take part in it."""

    def put(study, people, *, seed=1):
        row = add_study(host, Study.from_dict(study), folder=Path(), now=NOW)
        add_people(host, row.slug, people=people, seed=seed, now=NOW)
        return row

    return put
