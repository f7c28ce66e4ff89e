"""Rules on applications: who judges what, checked, walked, written down."""

from collections import Counter
from itertools import pairwise

import pytest
from tests.flow.hosting.conftest import NOW, SURVEY

from howgood.flow.collected import codebook
from howgood.flow.participate import answers_as_rows, take_part
from howgood.flow.study_files.check import study_from
from howgood.kinds import kind_of
from howgood.kinds.study import Study

PETS = [{"key": key, "text": key.title()} for key in ("cat", "dog", "none")]
PET = {"key": "pet", "text": "Which pet?", "options": PETS, "required": True}
KEYS = ("bell", "camera", "feeder")
TASK = SURVEY["survey"]


def ruled(rules, **task):
    first = TASK["applications"][0]
    applications = [
        {**first, "key": key, "name": key.title()}
        | ({"show_if": rules[key]} if key in rules else {})
        for key in KEYS
    ]
    own = {key: value for key, value in TASK.items() if key not in ("branches", "real")}
    survey = own | {"applications": applications} | task
    return SURVEY | {"slug": "ruled", "demographics": [PET], "survey": survey}


CATS = {"question": "pet", "any_of": ["cat"]}
PETS_ONLY = {"question": "pet", "none_of": ["none"]}
RULED = Study.from_dict(ruled({"feeder": CATS, "camera": PETS_ONLY}))


@pytest.mark.parametrize(
    "people", [200, pytest.param(10_000, marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_everybody_judges_what_the_rules_say_and_the_progress_never_jumps(people):
    expected = {"cat": set(KEYS), "dog": {"bell", "camera"}, "none": {"bell"}}
    said = Counter()
    for seed in range(people):
        screens, participation = take_part(RULED, seed=seed, now=NOW)
        pet = participation.answers[1].values["pet"]
        said[pet] += 1
        rows = answers_as_rows(RULED, participation)
        assert {row["application"] for row in rows} == expected[pet]
        shares = [screen.place.share for screen in screens if screen.place]
        steps = [after - before for before, after in pairwise(shares)]
        assert min(steps) >= 0
        assert max(steps) <= 2 / len(screens)
    assert set(said) == set(expected)


def test_a_subset_is_drawn_among_those_that_apply():
    study = Study.from_dict(ruled({"feeder": CATS, "camera": CATS}, applications_each=1))
    for seed in range(40):
        _, participation = take_part(study, seed=seed, now=NOW)
        judged = {row["application"] for row in answers_as_rows(study, participation)}
        assert len(judged) == 1
        assert judged == {"bell"} or participation.answers[1].values["pet"] == "cat"


def _problems(rules, **task):
    problems = []
    study_from(ruled(rules, **task), problems=problems)
    return [problem.path for problem in problems]


@pytest.mark.parametrize(
    ("rule", "task", "path"),
    [
        ({"question": "cat", "any_of": ["x"]}, {}, ("show_if", 0, "question")),
        ({"question": "pet", "any_of": ["horse"]}, {}, ("show_if", 0, "any_of", 0)),
        ([CATS, {"question": "pet", "none_of": ["cat"]}], {}, ("show_if",)),
        (CATS, {"micro_task": True}, ("show_if",)),
    ],
)
def test_a_rule_that_nobody_can_meet_is_said_before_publishing(rule, task, path):
    assert _problems({"feeder": rule}, **task)[0] == ("survey", "applications", 2, *path)


def test_rules_that_can_hold_are_no_problem_and_advice_says_where_all_have_one():
    assert _problems({"feeder": CATS}) == []
    every = Study.from_dict(ruled(dict.fromkeys(KEYS, CATS)))
    assert any("judge nothing" in advice for advice in kind_of(every).advice(every))
    assert not any("judge nothing" in advice for advice in kind_of(RULED).advice(RULED))


def test_the_codebook_says_who_judges_what():
    (column,) = [each for each in codebook(RULED).tables["answers"] if each.name == "application"]
    assert column.levels["feeder"] == "Feeder; judged by people with pet cat"
    assert column.levels["bell"] == "Bell"
