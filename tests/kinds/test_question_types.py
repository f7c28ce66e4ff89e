"""Every type of question goes the whole way: form, bot, data, codebook, tables and back."""

from datetime import UTC, datetime

import pytest
from tests.flow.hosting.conftest import SURVEY

from howgood.flow.collected.codebook import codebook
from howgood.flow.participate import fill, parse_answer, participant_row, take_part
from howgood.flow.study_files.check import study_from
from howgood.kinds.questions import QUESTION_TYPES, answer_in_cell, question_fields, question_type
from howgood.kinds.study import Study
from howgood.records.screen import Screen

NOW = datetime(2026, 1, 1, tzinfo=UTC)
TWO = [{"key": "cat", "text": "Cats"}, {"key": "dog", "text": "Dogs"}]
THREE = [*TWO, {"key": "fish", "text": "Fish"}]
PICTURED = [
    option | {"picture": {"file": "door.svg", "alternative": f"Drawing of {option['text']}"}}
    for option in TWO
]
QUESTIONS = {
    "choice": {"options": TWO},
    "choices": {"options": THREE},
    "scale": {"scale": ["bad", "fair", "good"]},
    "number": {"minimum": 0, "maximum": 200, "unit": "kg"},
    "text": {},
    "slider": {"low": "not at all", "high": "very much", "minimum": 0, "maximum": 10},
    "date": {"earliest": "2020-02-01", "latest": "2025-12-31"},
    "pictures": {"options": PICTURED},
    "matrix": {"rows": TWO, "scale": ["bad", "fair", "good"]},
    "ranking": {"options": THREE},
    "sum": {"options": THREE, "total": 100, "unit": "%"},
}


def asked(kind, **more):
    return {"key": kind, "text": f"What about {kind}?", "type": kind, **QUESTIONS[kind], **more}


def study_of(*questions, **changes):
    return Study.from_dict(SURVEY | {"demographics": list(questions)} | changes)


EVERY = study_of(*(asked(kind) for kind in QUESTIONS))


def _screen(question, language="en"):
    fields = question_fields([question], language)
    return Screen(key="q", kind="questions", title="Q", language=language, fields=fields)


def test_every_type_there_is_is_in_this_file():
    assert set(QUESTIONS) == set(QUESTION_TYPES)


@pytest.mark.parametrize("question", EVERY.demographics, ids=lambda question: question.key)
@pytest.mark.parametrize("language", ["en", "de"])
def test_what_a_bot_fills_in_is_an_answer_and_is_shown_again(question, language):
    screen = _screen(question, language)
    for seed in range(30):
        filled = fill(screen, seed=seed)
        result = parse_answer(screen, filled)
        assert result.is_valid, result.problems
        assert tuple(result.values) == question_type(question).names(question)


@pytest.mark.parametrize("question", EVERY.demographics, ids=lambda question: question.key)
def test_nothing_may_be_said_unless_it_is_required(question):
    assert parse_answer(_screen(question), {}).is_valid
    result = parse_answer(_screen(question.changed(required=True)), {})
    assert not result.is_valid


@pytest.mark.parametrize("question", EVERY.demographics, ids=lambda question: question.key)
def test_the_data_have_a_column_for_every_answer_and_tables_are_read_back(question):
    study = study_of(question.to_dict())
    _, participation = take_part(study, seed=3, now=NOW)
    row = participant_row(study, participation)
    columns = {column.name: column for column in codebook(study).tables["participants"]}
    for name in question_type(question).names(question):
        assert columns[name].question
        value = row[name]
        if value is None:
            continue
        again = answer_in_cell(question, str(value), language="en")
        assert (";".join(again) if isinstance(again, list) else again) == value


@pytest.mark.parametrize(
    ("kind", "given", "problem"),
    [
        ("slider", {"slider": "11"}, "slider"),
        ("date", {"date": "31.12.2024"}, "date"),
        ("date", {"date": "2019-12-31"}, "date"),
        ("date", {"date": "2026-01-01"}, "date"),
        ("ranking", {"ranking-cat": "1", "ranking-dog": "1", "ranking-fish": "2"}, "ranking-cat"),
        ("ranking", {"ranking-cat": "1"}, "ranking-cat"),
        ("ranking", {"ranking-cat": "4"}, "ranking-cat"),
        ("sum", {"sum-cat": "50", "sum-dog": "49"}, "sum-cat"),
        ("sum", {"sum-cat": "-1", "sum-dog": "101"}, "sum-cat"),
        ("matrix", {"matrix-dog": "4"}, "matrix-dog"),
        ("pictures", {"pictures": "horse"}, "pictures"),
    ],
)
def test_what_is_no_answer_is_said(kind, given, problem):
    question = next(each for each in EVERY.demographics if each.key == kind)
    result = parse_answer(_screen(question), given)
    assert problem in result.problems


def test_answers_are_what_was_meant():
    def values(kind, **given):
        question = next(each for each in EVERY.demographics if each.key == kind)
        return parse_answer(
            _screen(question), {k.replace("_", "-"): v for k, v in given.items()}
        ).values

    assert values("slider", slider="-1") == {"slider": None}  # where nobody has moved it
    assert values("slider", slider="0") == {"slider": 0}
    assert values("sum", sum_cat="33,5", sum_dog="66.5") == {
        "sum-cat": 33.5, "sum-dog": 66.5, "sum-fish": None}  # fmt: skip
    assert values("ranking", ranking_cat="3", ranking_dog="1", ranking_fish="2") == {
        "ranking-cat": 3, "ranking-dog": 1, "ranking-fish": 2}  # fmt: skip
    assert values("matrix", matrix_cat="2") == {"matrix-cat": 2, "matrix-dog": None}


@pytest.mark.parametrize(
    ("kind", "changes", "path"),
    [
        ("slider", {"maximum": 0}, "maximum"),
        ("date", {"earliest": "2026-02-30"}, "earliest"),
        ("pictures", {"options": TWO}, "options"),
        ("matrix", {"rows": TWO[:1]}, "rows"),
        ("matrix", {"scale": ["one"]}, "scale"),
        ("ranking", {"options": TWO[:1]}, "options"),
        ("sum", {"options": []}, "options"),
        ("sum", {"total": 0}, "total"),
    ],
)
def test_a_question_that_cannot_be_asked_is_said_before_publishing(kind, changes, path):
    problems = []
    data = SURVEY | {"demographics": [asked(kind, **changes)]}
    assert study_from(data, problems=problems) is None
    assert problems[0].path[:3] == ("demographics", 0, path)


def test_a_rule_can_ask_about_one_row_of_a_matrix():
    follow = {"key": "why", "text": "Why?", "type": "text",
              "show_if": {"question": "matrix-dog", "at_most": 1}}  # fmt: skip
    problems = []
    data = SURVEY | {"demographics": [asked("matrix"), follow]}
    assert study_from(data, problems=problems) is not None, problems


@pytest.mark.parametrize("kind", ["scale", "matrix", "ranking", "sum"])
def test_an_order_of_chance_moves_what_is_asked_and_never_the_points_of_a_scale(kind):
    """Before: every row of a matrix had its scale in another order, and rankings their places."""
    (question,) = study_of(asked(kind, shuffle_options=True)).demographics
    written = question_fields([question], "en")
    orders = set()
    for seed in range(40):
        fields = question_fields([question], "en", seed=seed)
        orders.add(tuple(field.name for field in fields))
        assert {field.options for field in fields} == {field.options for field in written}
        assert (fields[0].heading, fields[0].help) == (written[0].heading, written[0].help)
        assert not any(field.heading or field.help for field in fields[1:])
    rows = len(written)
    assert len(orders) == (1 if rows == 1 else 2 if rows == 2 else 6)


@pytest.mark.parametrize("kind", ["matrix", "ranking", "sum"])
def test_a_question_with_several_answers_repeats_an_earlier_one(kind):
    part = "rows" if kind == "matrix" else "options"
    parts = [THREE[0] | {"text": "Cats of {answer.text|yours}"}, *THREE[1:]]
    later = asked(kind, text="And {answer.text|you}?") | {part: parts}
    problems = []
    study = study_from(SURVEY | {"demographics": [asked("text"), later]}, problems=problems)
    assert not problems
    screens, participation = take_part(study, seed=3, now=NOW)
    said = participant_row(study, participation)["text"]
    (asking,) = (each for each in screens if f"{kind}-cat" in {f.name for f in each.fields})
    assert asking.fields[0].heading == f"And {said or 'you'}?"
    assert asking.fields[0].label == f"Cats of {said or 'yours'}"
