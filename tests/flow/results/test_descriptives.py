"""What people answered, question by question: counted by hand, and nobody's words in a result."""

from pathlib import Path

import pytest
from tests.flow.hosting.conftest import NOW, SURVEY

from howgood.demo.web import add_people
from howgood.flow.collected.rows import find_study
from howgood.flow.hosting import Host, add_study
from howgood.flow.results.descriptives import described, own_words
from howgood.flow.results.tasks import gather
from howgood.kinds.study import Study
from howgood.store import reviews
from howgood.store.reviews import Review

QUESTIONS = [
    {"key": "age", "text": "How old are you?", "type": "number", "minimum": 18, "maximum": 90},
    {"key": "home", "text": "Where do you live?", "required": True,
     "options": [{"key": "flat", "text": "In a flat"}, {"key": "house", "text": "In a house"}]},
    {"key": "words", "text": "Anything else?", "type": "text"},
]  # fmt: skip


@pytest.fixture
def sampled(database):
    host = Host(database)
    study = Study.from_dict(SURVEY | {"demographics": QUESTIONS})
    add_study(host, study, folder=Path(), now=NOW)
    add_people(host, "doors", people=14, seed=3, now=NOW)
    return host, study, gather(host, find_study(host, "doors"), policy="everyone")


def _sections(sampled):
    _, study, sample = sampled
    return {section.title: section for section in described(sample, study)}


def test_choices_add_up_to_everybody(sampled):
    rows = list(_sections(sampled)["Who answered"].table.rows())
    homes = {row["answer"]: row["people"] for row in rows if row["answer"].startswith("In a")}
    assert sum(homes.values()) == 14
    assert any(row["answer"].startswith("median ") for row in rows)


def test_every_item_counts_every_answer(sampled):
    sample = sampled[2]
    table = _sections(sampled)["Every item, in numbers"].table
    given = sum(row.get("acceptable") is not None for each in sample.people for row in each.rows)
    assert sum(row["answers"] for row in table.rows() if "accept" in row["item"]) == given
    assert "<svg" in _sections(sampled)["Every item"].svg


def test_subgroups_are_means_over_people_and_small_ones_are_hidden(sampled):
    section = _sections(sampled)["Subgroups"]
    rows = [row for row in section.table.rows() if row["question"] == "Where do you live?"]
    assert sum(row["people"] for row in rows) <= 14
    assert all(row["people"] >= 5 for row in rows)
    assert all("likely" in row["ratings above the middle"] for row in rows)


def test_words_are_in_no_section_but_on_a_page_of_their_own(sampled):
    host, study, sample = sampled
    words = {text for asked in own_words(host, "doors") for _, text in asked.texts}
    assert words
    shown = repr([section.table for section in described(sample, study)])
    assert not any(text in shown for text in words if len(text) > 3)
    number = own_words(host, "doors")[0].texts[0][0]
    note = Review(note="Said that the page was slow.")
    host.database.write(
        lambda connection: reviews.put(
            connection, find_study(host, "doors").number, number, note, actor="ada", now=NOW
        )
    )
    assert own_words(host, "doors")[-1].texts == ((number, "Said that the page was slow."),)


def test_nobody_is_described_by_nothing(sampled):
    _, study, sample = sampled
    from dataclasses import replace

    assert described(replace(sample, people=()), study) == ()
