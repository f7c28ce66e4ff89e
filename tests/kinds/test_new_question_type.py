"""A type of question that this file alone defines goes the whole way: one class, one line.

Stars: one to as many as the question says. It has a key of its own (`stars`) and a field of its
own, which an existing widget shows.
"""

from datetime import UTC, datetime

import pytest
from pydantic import Field as Key

from howgood.flow.authoring.shape import form_of, parts_of
from howgood.flow.collected import codebook
from howgood.flow.participate import fill, parse_answer, participant_row, take_part
from howgood.flow.study_files import read_study
from howgood.flow.study_files.as_text import yaml_text
from howgood.flow.survey_export.file import limesurvey_file, qualtrics_file
from howgood.flow.survey_export.source import StudySource
from howgood.kinds import KINDS
from howgood.kinds.cells import place_from_1
from howgood.kinds.field_types import FIELD_TYPES, NumberField
from howgood.kinds.questions import QUESTION_TYPES, Question, QuestionType, answer_in_cell
from howgood.kinds.study import Study
from howgood.records.screen import Field
from howgood.web.pages import _field_view

NOW = datetime(2026, 1, 1, tzinfo=UTC)


class StarsQuestionRecord(Question):
    """A question that is answered with stars."""

    stars: int = Key(default=5, description="how many there are", ge=2, le=10)


class StarsField(NumberField):
    """A number of stars."""

    name = "stars"

    def in_words(self, field, value):
        return "" if value is None else "★" * int(value)


class StarsQuestion(QuestionType):
    """Stars, one at least."""

    name = "stars"
    record = StarsQuestionRecord
    column_type = "integer"
    limesurvey = "N"
    qualtrics = "TE:SingleLine"

    def fields(self, question, language):
        return (
            Field(name=question.key, kind="stars", label=question.text, required=False,
                  minimum=1, maximum=question.stars, whole=True),
        )  # fmt: skip

    def read_cell(self, question, text):
        return place_from_1(text, question.stars, of="a number of stars")


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    monkeypatch.setitem(QUESTION_TYPES, "stars", StarsQuestion())
    monkeypatch.setitem(FIELD_TYPES, "stars", StarsField())


@pytest.fixture
def study(tmp_path):
    text = KINDS["survey"].template().replace("[survey]", (
        '[[closing]]\nkey = "liked"\ntext = "How did you like it?"\ntype = "stars"\nstars = 7\n\n'
        "[survey]"
    ), 1)  # fmt: skip
    path = tmp_path / "stars.toml"
    path.write_text(text)
    return read_study(path)


def test_a_study_file_may_ask_it_with_its_own_key(study):
    asked = study.closing[-1]
    assert (asked.type, asked.stars) == ("stars", 7)
    assert study.to_dict()["closing"][-1]["stars"] == 7
    assert Study.from_dict(study.to_dict()).version == study.version
    assert "stars: 7" in yaml_text(study.to_dict())
    part = next(part for part in parts_of("survey") if part.key == "questions")
    names = [child.name for node in form_of(part, study.to_dict()) if node.name == "closing"
             for entry in node.children for child in entry.children]  # fmt: skip
    assert any(name.endswith(".stars") for name in names)


def test_what_is_wrong_with_it_is_said_at_its_place(study):
    values = study.to_dict()
    values["closing"][-1]["stars"] = 99
    with pytest.raises(Exception, match=r"closing\[\d\].stars: 99; expected from 2 to 10"):
        Study.from_dict(values)
    del values["closing"][-1]["stars"]
    values["closing"][-1]["type"] = "star"
    with pytest.raises(Exception, match="Did you mean 'stars'"):
        Study.from_dict(values)


def test_it_is_shown_answered_by_a_bot_and_stored_in_its_column(study):
    screens, participation = take_part(study, seed=1, now=NOW)
    closing = next(screen for screen in screens if screen.key == "closing")
    field = closing.fields[-1]
    assert _field_view(field, {}, {}).widget == "line"
    given = fill(closing, seed=1)
    assert 1 <= int(given["liked"]) <= 7
    assert not parse_answer(closing, given | {"liked": "9"}).is_valid
    row = participant_row(study, participation)
    assert row["liked"] == parse_answer(closing, given).values["liked"]
    column = next(c for c in codebook(study).tables["participants"] if c.name == "liked")
    assert (column.type, column.question) == ("integer", "How did you like it?")
    assert StarsField().in_words(field, 3) == "★★★"


def test_other_programs_ask_it_and_its_answers_come_back(study):
    source = StudySource(study=study, picture=lambda name: None)
    assert b"How did you like it?" in limesurvey_file(source)
    assert b"How did you like it?" in qualtrics_file(source)
    assert answer_in_cell(study.closing[-1], "6", language="en") == 6
