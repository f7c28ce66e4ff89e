"""Answers in use stand next to answers about imagined systems."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.flow.results.conftest import SURVEY

from howgood.demo.web import add_people
from howgood.flow import in_use
from howgood.flow.hosting import Host, add_study
from howgood.flow.in_use import SaidInUse
from howgood.flow.results.tasks import run_task
from howgood.kinds.study import Study
from howgood.records.job import FIT
from howgood.records.researcher import Researcher

START = datetime(2026, 3, 2, tzinfo=UTC)
ADA = Researcher(number=1, name="ada", role="owner")


@pytest.fixture
def host(database):
    opened = Host(database)
    row = add_study(opened, Study.from_dict(SURVEY), folder=Path(), now=START)
    add_people(opened, row.slug, people=20, seed=1, now=START)
    return opened


def _answer(host, *, people, **said):
    made = in_use.add_product(
        host, ADA, "doors", name="Camera", application="bell", origins="", now=START
    )
    for number in range(people):
        changes = {name: value(number) for name, value in said.items()}
        sent = {"acceptable": None, "rating": None, "hits": 8, "misses": 2,
                "false_alarms": number % 4}  # fmt: skip
        in_use.take_answer(
            host, made.product,
            SaidInUse(key=f"answer-{number:04}", user=str(number), **(sent | changes)),
            now=START + timedelta(hours=number),
        )  # fmt: skip


def _fit(host):
    return run_task(host, 1, FIT, {"model": "parts", "seed": 1})


def test_ratings_become_the_part_in_use(host):
    _answer(host, people=30, rating=lambda number: 4 + number % 4)
    result = _fit(host)
    assert result.people == 50
    texts = [finding.text for finding in result.report.findings]
    assert any("“in use” holds 30 answers of 30 people" in text for text in texts)


def test_yes_and_no_cut_every_rating_and_unknown_accuracies_are_counted(host):
    _answer(
        host, people=30, acceptable=lambda number: number % 3 != 0,
        hits=lambda number: 0 if number < 3 else 8,
        misses=lambda number: 0 if number < 3 else 2,
    )  # fmt: skip
    texts = [finding.text for finding in _fit(host).report.findings]
    (said,) = [text for text in texts if "“in use”" in text]
    assert "27 answers of 27 people" in said
    assert "3 more were left out" in said
    assert "counts as yes from 5 on" in said
