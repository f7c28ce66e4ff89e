"""Attention checks name an answer by its label: positions differ between a phone and a desk."""

import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.flow.hosting.conftest import SURVEY

from howgood.ask.sentences import labels
from howgood.cli.check import command
from howgood.flow.study_files.check import advice_on
from howgood.flow.study_files.new import template
from howgood.kinds.study import Study

EXAMPLES = Path(__file__).parents[3] / "examples"


def _advice(text, *, answer=2, language="en", **task):
    check = {"key": "care", "text": text, "answer": answer}
    survey = {**SURVEY["survey"], "attention": [check], **task}
    study = Study.from_dict({**SURVEY, "survey": survey, "language": language})
    return [each for each in advice_on(study) if each.startswith("survey.attention[0].text")]


@pytest.mark.parametrize("text", [
    'Choose the second answer from the left: "Quite unlikely".', "Quite unlikely, on the RIGHT",
    "Quite unlikely (top)", "the bottom one: Quite unlikely", "leftmost but one, Quite unlikely",
    "Quite unlikely, the second answer", "Quite unlikely, the 2nd option",
    "Quite unlikely: sixth from the end", "Quite unlikely, in the upper row",
])  # fmt: skip
def test_a_position_is_announced_with_the_label_to_name_instead(text):
    (said,) = _advice(text)
    assert "says where the answer stands" in said
    assert 'name its label instead: "Quite unlikely"' in said


@pytest.mark.parametrize("text", [
    "Ziemlich unwahrscheinlich, die zweite Antwort von links", "Ziemlich unwahrscheinlich, rechts",
    "Oben: Ziemlich unwahrscheinlich", "Ziemlich unwahrscheinlich, der untere Punkt",
    "Ziemlich unwahrscheinlich, die vorletzte Antwort", "die 2. Antwort Ziemlich unwahrscheinlich",
    "Ziemlich unwahrscheinlich, der linke Kreis",
])  # fmt: skip
def test_a_position_in_german_is_announced_too(text):
    (said,) = _advice(text, language="de")
    assert "says where the answer stands" in said


@pytest.mark.parametrize(("text", "language"), [
    ('To show that you are reading, please choose "Quite unlikely" here.', "en"),
    ("please choose quite unlikely; it takes a second", "en"),
    ("In the last week? Choose Quite unlikely.", "en"),
    ("Bitte wählen Sie hier: Ziemlich unwahrscheinlich.", "de"),
])  # fmt: skip
def test_a_label_is_all_that_is_needed(text, language):
    assert _advice(text, language=language) == []


def test_a_label_may_itself_say_a_direction():
    scale = ["far left", "left", "neither", "right", "far right"]
    assert _advice('Please choose "left" here.', scale=scale) == []


def test_a_check_that_names_another_answer_is_announced():
    (said,) = _advice('Please choose "Quite likely" here.')
    assert 'does not name the answer that passes, number 2: "Quite unlikely"' in said


def test_what_howgood_ships_names_labels():
    shipped = [template("survey"), *(each.read_text() for each in EXAMPLES.glob("*.toml"))]
    checks = 0
    for text in shipped:
        study = Study.from_dict(tomllib.loads(text)) if "[[survey.attention]]" in text else None
        for check in study.plan.attention if study else ():
            checks += 1
            scale = study.plan.scale or labels(study.language, "likely_scale")
            assert scale[check.answer - 1] in check.text
            assert not [each for each in advice_on(study) if "attention" in each]
    assert checks > 1


def test_check_prints_it(tmp_path):
    text = template("survey").replace('"Quite unlikely" here', "the second answer from the left")
    (tmp_path / "study.toml").write_text(text)
    shown = CliRunner().invoke(command, [str(tmp_path / "study.toml")])
    assert "survey.attention[0].text says where the answer stands" in shown.output
