"""Every survey result says how valid and reliable its questionnaire is, and how it was asked."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.flow.results.conftest import SURVEY

from howgood.demo.web import add_people
from howgood.flow.hosting import Host, add_study
from howgood.flow.results.tasks import run_task
from howgood.kinds import kind_of
from howgood.kinds.study import Study
from howgood.records.job import FIT

pytestmark = pytest.mark.filterwarnings("ignore::howgood.errors.FewRespondentsWarning")
NOW = datetime(2026, 3, 2, tzinfo=UTC)


@pytest.fixture
def database_address(tmp_path):
    """SQLite alone: reports are the same on both."""
    return str(tmp_path / "answers.sqlite")


def _study(**changes):
    task = SURVEY["survey"]
    second = {**task["applications"][0], "key": "camera", "name": "The camera"}
    return SURVEY | {"survey": task | {"applications": [task["applications"][0], second]} | changes}


def _report(database, study, people=14):
    host = Host(database)
    row = add_study(host, Study.from_dict(study), folder=Path(), now=NOW)
    add_people(host, row.slug, people=people, seed=1, now=NOW)
    return run_task(host, row.number, FIT, {"seed": 1}).report


def _table(report, title):
    (section,) = [section for section in report.sections if section.title == title]
    return list(section.table.rows())


def test_a_battery_and_branches_are_reported(database):
    branches = [{"key": "a", "applications": ["bell"]}, {"key": "b", "applications": ["camera"]}]
    report = _report(database, _study(battery="tam2", branches=branches))
    tests = {row["test"]: row["found"] for row in _table(report, "Validity of the questionnaire")}
    assert list(tests) == ["T1", "T2", "T3", "T4"]
    assert "[" in tests["T1"]
    assert "of 1 pairs differ" in tests["T3"]
    assert tests["T4"] == "not tested: one interface"
    constructs = _table(report, "Reliability")
    assert [row["construct"] for row in constructs] == [
        "usefulness", "ease of use", "output quality", "intention to use",
    ]  # fmt: skip
    assert {row["items"] for row in constructs} == {3}
    assert {row["branch"] for row in _table(report, "Branch by branch")} == {
        "a", "b", "all together",
    }  # fmt: skip
    odds = _table(report, "What one point of accuracy brings")
    assert [row["application"] for row in odds] == ["The bell", "The camera"]
    for words in ("assigned at random", "13 item(s)", "people entered the analysis"):
        assert words in report.methods


def test_without_a_battery_there_is_no_reliability_and_one_application_tests_no_difference(
    database,
):
    report = _report(database, SURVEY, people=8)
    assert not any(section.title == "Reliability" for section in report.sections)
    tests = {row["test"]: row["found"] for row in _table(report, "Validity of the questionnaire")}
    assert tests["T3"] == "not tested: one application"


def test_advice_on_the_battery_is_given():
    advice = kind_of(Study.from_dict(_study())).advice
    said = " ".join(advice(Study.from_dict(_study(battery="tam2", per_application=8))))
    assert "13 items with every scenario" in said
    own = [{"key": "fine", "text": "It is fine."}]
    assert "not asked" in " ".join(advice(Study.from_dict(_study(battery="tam2", items=own))))
