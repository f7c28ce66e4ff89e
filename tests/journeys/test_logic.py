"""A study with logic in a real browser: with and without scripts, and as one file."""

import json
from datetime import UTC, datetime

import pytest
from tests.flow.hosting.test_logic import LOGIC
from tests.journeys.in_process import Running
from tests.journeys.looks import PHONE, WAYS, check_page
from tests.journeys.test_journeys import _choose, _press
from tests.journeys.test_offline import _filled_in, _saved_page

from howgood.flow.collected import tidy_rows
from howgood.flow.hosting import add_study, open_host
from howgood.flow.importing import import_files
from howgood.kinds.study import Study

_NOW = datetime(2026, 5, 4, tzinfo=UTC)


@pytest.fixture
def host(tmp_path):
    opened = open_host(str(tmp_path / "answers.sqlite"))
    yield opened
    opened.close()


@pytest.fixture
def running(host, tmp_path):
    few = LOGIC | {"quotas": [LOGIC["quotas"][1] | {"people": 1}]}
    add_study(host, Study.from_dict(few), folder=tmp_path, now=_NOW)
    server = Running(host)
    yield server
    server.stop()


def _answer(page, age, pet):
    """Fill in the first page of questions, whatever the order of its options."""
    page.get_by_label("How old are you?").fill(age)
    page.get_by_role("radio", name=pet).check()
    _press(page, page.get_by_role("button", name="Continue"))


def _begin(context, running):
    page = context.new_page()
    page.goto(f"{running.home}/s/logic")
    _press(page)
    return page


@WAYS
def test_answers_decide_what_is_asked_who_goes_on_and_where_people_go_after(
    chromium, running, view, scripts
):
    with chromium.new_context(viewport=view, java_script_enabled=scripts) as context:
        page = _begin(context, running)
        _answer(page, "40", "Dog")
        page.get_by_label("What is the name of your Dog?").fill("Rex")
        _press(page, page.get_by_role("button", name="Continue"))
        while page.locator("main button").count():
            if scripts:
                check_page(page)
            last = page.locator("main").inner_text()
            _choose(page)
            _press(page, page.locator("main button").first)
        assert "How is the vet of Rex?" in last
        assert "DONE" in page.locator("main").inner_text()
    for age, pet, code, words in (
        ("12", "Cat", "OUT", "This study is for adults."),
        ("30", "Dog", "FULL", "Enough pets of this kind."),
    ):
        with chromium.new_context(viewport=view, java_script_enabled=scripts) as context:
            page = _begin(context, running)
            _answer(page, age, pet)
            if scripts:
                check_page(page)
            said = page.locator("main").inner_text()
            assert words in said
            assert code in said
            link = page.get_by_role("link", name="Go back to the platform")
            assert f"code={code}" in link.get_attribute("href")


@pytest.mark.parametrize("age", ["33", "12"])
def test_the_offline_page_asks_the_same_questions_and_its_file_is_taken(
    chromium, host, tmp_path, age, monkeypatch
):
    study = Study.from_dict(LOGIC)
    file = _saved_page(host, tmp_path, study, tmp_path)

    def choose(page):
        _choose(page)
        if page.get_by_label("How old are you?").count():
            page.get_by_label("How old are you?").fill(age)
            page.get_by_role("radio", name="Dog").check()

    monkeypatch.setattr("tests.journeys.test_offline._choose", choose)
    with chromium.new_context(viewport=PHONE) as context:
        _, saved = _filled_in(context, file, check=True)
    screens = [answer["screen"] for answer in json.loads(saved)["answers"]]
    assert ("closing" in screens) == (age == "33")
    report = import_files(host, "logic", [("a.json", saved)], mapping={}, actor="x", now=_NOW)
    assert report.people == 1
    (row,) = tidy_rows(host, "logic", table="participants")
    assert row["status"] == ("complete" if age == "33" else "screened_out")
