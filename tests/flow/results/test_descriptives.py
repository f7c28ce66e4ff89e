"""What people answered, question by question: counted by hand, and nobody's words in a result."""

from pathlib import Path

import pytest
from tests.flow.hosting.conftest import NOW, SURVEY

from howgood.demo.web import add_people
from howgood.flow.collected.rows import find_study
from howgood.flow.hosting import Host, add_study
from howgood.flow.results.descriptives import _who, described, own_words
from howgood.flow.results.tasks import gather
from howgood.kinds.study import Study
from howgood.records.codebook import Column
from howgood.show.translation import translated
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


def test_a_question_that_repeats_an_answer_is_shown_in_the_words_after_its_bar():
    words = "What is the name of {answer.pet|your pet}?"
    column = Column(name="name", type="text", meaning="name", question=words)
    table = _who([column], [{"condition": "a", "name": "Rex"}]).table
    assert [row["question"] for row in table.rows()] == ["What is the name of your pet?"]


def test_participants_stand_in_a_column_per_branch_as_papers_print_them():
    """Two branches counted by hand, with an answer that is missing."""
    age = Column(name="age", type="integer", meaning="age", question="How old are you?")
    home = Column(
        name="home", type="text", meaning="home", question="Where do you live?",
        levels={"flat": "Flat", "house": "House"},
    )  # fmt: skip
    said = [("a", 20, "flat"), ("a", 30, "house"), ("a:3", 40, "flat"), ("b", None, "house")]
    facts = [{"condition": one, "age": two, "home": three} for one, two, three in said]
    table = _who([age, home], facts).table
    assert list(table)[4:] == ["branch a (n = 3)", "branch b (n = 1)"]
    ages = "median 30, half between 25 and 35, from 20 to 40"
    assert [tuple(row.values())[1:] for row in table.rows()] == [
        (ages, 3, "", ages, ""),
        ("no answer", 1, "25 %", "0 (0 %)", "1 (100 %)"),
        ("Flat", 2, "50 %", "2 (67 %)", "0 (0 %)"),
        ("House", 2, "50 %", "1 (33 %)", "1 (100 %)"),
    ]
    one_branch = _who([home], [fact for fact in facts if fact["condition"] == "a"])
    assert list(one_branch.table) == ["question", "answer", "people", "share"]


def test_options_that_read_alike_are_counted_apart_in_a_branch():
    """An option may be called as the row of those who said nothing is."""
    levels = {"1": "Other", "2": "Other", "3": "no answer"}
    pet = Column(name="pet", type="text", meaning="pet", question="A pet?", levels=levels)
    said = [("a", "1"), ("a", "1"), ("a", "2"), ("a", "3"), ("a", None), ("b", "3"), ("b", "3")]
    table = _who([pet], [{"condition": one, "pet": two} for one, two in said]).table
    assert [row["branch a (n = 5)"] for row in table.rows()] == [
        "2 (40 %)", "1 (20 %)", "1 (20 %)", "1 (20 %)"
    ]  # fmt: skip
    assert [row["branch b (n = 2)"] for row in table.rows()] == [
        "0 (0 %)", "0 (0 %)", "2 (100 %)", "0 (0 %)"
    ]  # fmt: skip


def test_the_column_of_a_branch_is_german_in_a_german_report():
    assert translated("branch a (n = 3)", "de") == "Zweig a (n = 3)"


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
