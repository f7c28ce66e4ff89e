"""Tidy rows of a study: complete, in order, without pilots, the same on both databases."""

import tracemalloc
from datetime import timedelta
from itertools import islice
from pathlib import Path
from typing import get_args

import pytest
from tests.flow.hosting.conftest import NOW, RERATING, SURVEY

from howgood import score
from howgood.errors import UnknownNameError
from howgood.flow.collected import codebook, collected_codebook, rows, tidy_rows
from howgood.flow.hosting import make_links
from howgood.flow.participate import answers_as_rows, fill, take_part
from howgood.flow.study_files import read_study
from howgood.kinds.study import Study
from howgood.records.codebook import TABLES
from howgood.records.elicitation import QueryKind
from howgood.records.participant import Status

EXAMPLES = Path(__file__).parents[3] / "examples"

QUESTIONS = [
    {"key": "age", "text": "How old are you?", "type": "number"},
    {"key": "way", "text": "How do you travel?", "type": "choices",
     "options": [{"key": "bike", "text": "Bicycle"}, {"key": "bus", "text": "Bus"}]},
    {"key": "mood", "text": "How are you?", "type": "scale", "scale": ["bad", "good"]},
]  # fmt: skip
CHECK = {"key": "care", "text": "Choose the second.", "answer": 2}


def _finished(person, slug, seed, **parameters):
    someone = person(slug, seed=seed, **parameters)
    someone.begin()
    someone.finish()
    return someone


def test_rows_are_what_everyone_answered_in_order(run, person, host, monkeypatch):
    monkeypatch.setattr(rows, "_PEOPLE_AT_ONCE", 2)
    run(SURVEY)
    for seed in range(5):
        _finished(person, "doors", seed)
    found = list(tidy_rows(host, "doors"))
    assert len(found) == 10
    assert [row["participant"] for row in found] == sorted(
        (row["participant"] for row in found), key=int
    )
    assert {row["part"] for row in found} == {"hypothetical"}
    assert all(row["rating"] == row["acceptable"] for row in found)
    assert all(row["seconds"] == 3.0 for row in found)
    assert all(1 <= row["rating"] <= 7 and 0 < row["precision"] <= 1 for row in found)
    assert all(tuple(row) == collected_codebook(host, "doors").names("answers") for row in found)


def test_the_three_tables_tell_the_same_story(run, person, host):
    run(RERATING)
    _finished(person, "songs", 1)
    unfinished = person("songs", seed=2)
    unfinished.begin()
    answers, people, screens = (list(tidy_rows(host, "songs", table=name)) for name in TABLES)
    assert [row["status"] for row in people] == ["complete", "active"]
    assert len(answers) == 4
    assert {row["user"] for row in answers} == {people[0]["participant"]}
    assert people[0]["pages"] == sum(
        row["participant"] == people[0]["participant"] and row["answered_at"] is not None
        for row in screens
    )
    assert screens[-1]["answered_at"] is None
    assert [row["position"] for row in answers] == [1, 2, 1, 2]
    assert people[0]["finished_at"] > people[0]["started_at"]


def test_pilots_and_unused_links_stay_out_unless_asked_for(run, person, host):
    run(RERATING)
    make_links(host, "songs", people=3, now=NOW)
    run({**RERATING, "slug": "test"}, pilot=True)
    _finished(person, "test", 1)
    assert list(tidy_rows(host, "songs", table="participants")) == []
    assert list(tidy_rows(host, "test")) == []
    assert len(list(tidy_rows(host, "test", pilots=True))) == 4


def test_rows_of_two_versions_share_their_columns(run, person, host):
    run(SURVEY)
    _finished(person, "doors", 1)
    task = SURVEY["survey"] | {"ease_of_use": True, "attention": [CHECK]}
    run(SURVEY, survey=task, demographics=QUESTIONS, now=NOW + timedelta(hours=1))
    _finished(person, "doors", 2, now=NOW + timedelta(hours=2))
    answers = list(tidy_rows(host, "doors"))
    assert [row["ease"] is None for row in answers] == [True, True, False, False]
    people = list(tidy_rows(host, "doors", table="participants"))
    assert [row["attention_asked"] for row in people] == [None, 1]
    assert people[0]["version"] != people[1]["version"]
    assert collected_codebook(host, "doors").versions == tuple(
        person["version"] for person in reversed(people)
    )


def test_an_unknown_study_or_table_is_named(run, host):
    run(RERATING)
    with pytest.raises(UnknownNameError, match="Did you mean 'songs'"):
        tidy_rows(host, "song")
    with pytest.raises(UnknownNameError, match="no 'answer'"):
        tidy_rows(host, "songs", table="answer")


def test_the_codebook_names_meaning_levels_and_question_of_every_column():
    study = Study.from_dict({
        **SURVEY, "demographics": QUESTIONS,
        "survey": SURVEY["survey"] | {"attention": [CHECK]},
    })  # fmt: skip
    book = codebook(study)
    people = {each.name: each for each in book.tables["participants"]}
    answers = {each.name: each for each in book.tables["answers"]}
    assert people["way"].levels == {"bike": "Bicycle", "bus": "Bus"}
    assert people["mood"].levels == {"1": "bad", "2": "good"}
    assert (people["age"].type, people["age"].question) == ("number", "How old are you?")
    assert answers["useful"].question == "I would find this system to be useful."
    assert answers["useful"].levels["7"] == "Extremely likely"
    assert all(each.meaning for columns in book.tables.values() for each in columns)
    assert "attention_passed" in people


@pytest.mark.parametrize("kind", ["survey", "comparison", "rerating"])
def test_every_column_that_rows_have_is_in_the_codebook(kind):
    import tomllib

    from howgood.flow.participate import participant_row
    from howgood.flow.study_files.new import template

    plan = {"comparison": {"queries": 6, "checks": 1, "repeats": 1, "evaluation": 2}}
    data = tomllib.loads(template(kind))
    data[kind] |= plan.get(kind, {})
    study = Study.from_dict(data)
    _, participation = take_part(study, seed=3, now=NOW)
    book = codebook(study)
    assert set(answers_as_rows(study, participation)[0]) <= set(book.names("answers"))
    assert set(participant_row(study, participation)) <= set(book.names("participants"))
    levels = {each.name: each.levels for each in book.tables["participants"] if each.levels}
    row = participant_row(study, participation)
    assert all(str(row[name]) in known for name, known in levels.items() if row.get(name))


def _undoing(screen):
    """Choose by the place of the pair, take the fourth choice back, prefer nothing at times."""
    form = fill(screen, seed=3)
    if screen.key.startswith("compare-"):
        number = int(screen.key.removeprefix("compare-"))
        form["choice"] = "undo" if number == 5 else ("first", "second", "same")[number % 3]
    return form


@pytest.mark.parametrize("algorithm", ["mixture", "bisection"])
def test_every_value_of_a_comparison_is_a_level_of_the_codebook(algorithm):
    data = read_study(EXAMPLES / "cancer-comparison.toml").to_dict()
    data["comparison"] |= {"algorithm": algorithm, "evaluation": 8, "checks": 2, "repeats": 1}
    study = Study.from_dict(data)
    _, participation = take_part(study, seed=3, now=NOW, filler=_undoing)
    columns = {each.name: each for each in codebook(study).tables["answers"]}
    found = answers_as_rows(study, participation)
    for name in ("kind", "choice"):
        assert {row[name] for row in found} <= set(columns[name].levels)
        assert all(columns[name].levels.values())
    assert {row["choice"] for row in found} == set(columns["choice"].levels)
    kinds = set(get_args(QueryKind))
    assert set(columns["kind"].levels) == kinds
    asked = kinds if algorithm == "mixture" else {"choice", "held-out"}
    assert {row["kind"] for row in found} == asked


def test_the_codebook_says_what_the_weight_is_the_weight_of():
    """a0 is the weight of true negatives: who gives it 1 cares for nothing but false alarms."""
    study = read_study(EXAMPLES / "cancer-comparison.toml")
    columns = {each.name: each for each in codebook(study).tables["participants"]}
    assert "true negatives (correct rejections)" in columns["a0"].meaning
    assert "sensitivity" not in columns["a0"].meaning
    only = score.LinearMetric(a0=1.0)
    cleared = only([0, 0, 1, 1], [0, 0, 0, 0])
    assert cleared == only([0, 0, 1, 1], [0, 0, 1, 1]) > only([0, 0, 1, 1], [1, 1, 1, 1])


def test_every_status_a_row_can_have_is_a_level_of_the_codebook(run, person, host):
    run(RERATING)
    _finished(person, "songs", 1)
    person("songs", seed=2).begin()
    columns = {each.name: each for each in collected_codebook(host, "songs").tables["participants"]}
    levels = columns["status"].levels
    assert set(levels) == {each.value for each in Status} - {"invited"}
    assert all(levels.values())
    found = {row["status"] for row in tidy_rows(host, "songs", table="participants")}
    assert found == {"active", "complete"}


def test_memory_does_not_grow_with_the_number_of_people(run, person, host, monkeypatch):
    monkeypatch.setattr(rows, "_PEOPLE_AT_ONCE", 5)
    run(RERATING)
    for seed in range(60):
        _finished(person, "songs", seed)

    def peak(people):
        tracemalloc.start()
        assert sum(1 for _ in islice(tidy_rows(host, "songs"), 4 * people)) == 4 * people
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    peak(5)  # fills the caches
    assert peak(60) < 1.5 * peak(5) + 100_000
