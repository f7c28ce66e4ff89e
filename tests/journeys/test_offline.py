"""The survey as one file: filled in without any server, saved, imported."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.journeys.conftest import PICTURE, survey
from tests.journeys.looks import DESKTOP, PHONE, check_page
from tests.journeys.test_journeys import _choose

from howgood.flow.collected import tidy_rows
from howgood.flow.hosting import add_study, open_host
from howgood.flow.importing import import_files
from howgood.flow.study_files import read_study
from howgood.flow.survey_export import hosted_survey_file
from howgood.kinds.study import Study

EXAMPLES = Path(__file__).parents[2] / "examples"
NOW = datetime(2026, 5, 4, tzinfo=UTC)


@pytest.fixture
def host(tmp_path):
    (tmp_path / "door.svg").write_text(PICTURE)
    opened = open_host(str(tmp_path / "answers.sqlite"))
    yield opened
    opened.close()


def _saved_page(host, tmp_path, study, folder):
    add_study(host, study, folder=folder, now=NOW)
    page = tmp_path / f"{study.slug}.html"
    page.write_bytes(hosted_survey_file(host, study.slug, kind="html").content)
    return page


def _filled_in(context, file, *, check):
    """Answer every page and return the file that is saved at the end."""
    page = context.new_page()
    requests, faults = [], []
    page.on("request", lambda request: requests.append(request.url))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda message: faults.append(message.text))
    page.goto(file.as_uri())
    for _ in range(80):
        if check:
            check_page(page)
        if page.locator("a[download]").count():
            break
        _choose(page)
        page.locator("main button:not(.quiet)").first.click()
    assert {url.split(":")[0] for url in requests} <= {"file", "data", "blob"}
    assert faults == []
    with page.expect_download() as waiting:
        page.locator("a[download]").click()
    return page, Path(waiting.value.path()).read_bytes()


@pytest.mark.parametrize(
    ("view", "scheme"),
    [
        pytest.param(PHONE, "dark", id="phone-dark"),
        pytest.param(DESKTOP, "light", id="desktop-light", marks=pytest.mark.slow),
    ],
)
def test_a_survey_without_a_server(chromium, host, tmp_path, view, scheme):
    branches = [
        {"key": "one", "applications": ["bell"]},
        {"key": "two", "applications": ["camera"]},
    ]
    base = survey()
    study = Study.from_dict(base | {"survey": base["survey"] | {"branches": branches}})
    file = _saved_page(host, tmp_path, study, tmp_path)
    context = chromium.new_context(viewport=view, color_scheme=scheme)
    page, saved = _filled_in(context, file, check=True)
    assert "DOOR-42" in page.locator("main").inner_text()
    assert json.loads(page.locator("#answers").input_value()) == json.loads(saved)
    report = import_files(host, "doors", [("a.json", saved)], mapping={}, actor="x", now=NOW)
    assert report.people == 1
    rows = list(tidy_rows(host, "doors"))
    assert len(rows) == 2
    assert all(row["seconds"] >= 0 and row["ease"] for row in rows)
    (someone,) = tidy_rows(host, "doors", table="participants")
    assert (someone["attention_asked"], someone["age"]) == (1, 33)
    context.close()


def test_the_same_orders_as_on_the_server_for_several_people(chromium, host, tmp_path):
    """Systems in use, imagined systems, branches: the import compares every page."""
    study = read_study(EXAMPLES / "weather-survey.toml")
    file = _saved_page(host, tmp_path, study, EXAMPLES)
    context = chromium.new_context(viewport=DESKTOP)
    files = []
    for number in range(3):
        page, saved = _filled_in(context, file, check=False)
        files.append((f"{number}.json", saved))
    page.locator("button.quiet").last.click()
    assert page.locator("h1").inner_text() == study.title  # ready for the next person
    report = import_files(host, study.slug, files, mapping={}, actor="x", now=NOW)
    assert report.people == 3
    context.close()


def test_wrong_answers_are_named_and_a_reload_loses_nothing(chromium, host, tmp_path):
    file = _saved_page(host, tmp_path, Study.from_dict(survey()), tmp_path)
    context = chromium.new_context(viewport=PHONE)
    page = context.new_page()
    page.goto(file.as_uri())
    page.locator("main button").first.click()
    page.locator("input.number").fill("4000")
    page.locator("main button").first.click()
    assert page.locator("[role=alert]").inner_text().count("from 18 to 120") == 1
    assert page.evaluate("document.activeElement.className") == "problems"
    check_page(page)
    page.locator("input.number").fill("40")
    page.locator("main button").first.click()
    before = page.locator("h1").inner_text()
    page.reload()
    assert page.locator("h1").inner_text() == before != "About you"
    context.close()


def test_an_attention_check_shows_the_label_it_asks_for_here_too(chromium, host, tmp_path):
    study = survey(demographics=[])
    study["survey"] |= {"per_application": 1}
    file = _saved_page(host, tmp_path, Study.from_dict(study), tmp_path)
    with chromium.new_context(viewport=PHONE) as context:
        page = context.new_page()
        page.goto(file.as_uri())
        while not page.get_by_text("Please choose: Quite unlikely.").count():
            _choose(page)
            page.locator("main button:not(.quiet)").first.click()
        label = page.locator("#field-attention-care").get_by_text("Quite unlikely", exact=True)
        assert label.evaluate("label => getComputedStyle(label).opacity") == "1"


# A browser that keeps nothing, as some do for pages opened from a disk.
KEEPS_NOTHING = "Storage.prototype.setItem = () => { throw new Error('full'); }"


def test_where_nothing_is_kept_starting_again_asks_before_answers_are_dropped(
    chromium, host, tmp_path
):
    file = _saved_page(host, tmp_path, Study.from_dict(survey(demographics=[])), tmp_path)
    context = chromium.new_context(viewport=PHONE)
    context.add_init_script(KEEPS_NOTHING)
    page = context.new_page()
    page.goto(file.as_uri())
    again = page.get_by_role("button", name="Start again for the next person")
    while not page.locator("a[download]").count():
        _choose(page)
        page.locator("main button:not(.quiet)").first.click()
    answers = page.locator("#answers").input_value()
    again.click()
    assert page.get_by_role("alert").inner_text().startswith("These answers are not saved yet")
    assert page.locator("#answers").input_value() == answers
    check_page(page)
    with page.expect_download() as waiting:
        page.locator("a[download]").click()
    assert json.loads(Path(waiting.value.path()).read_bytes()) == json.loads(answers)
    again.click()
    assert page.locator("#answers").count() == 0
    context.close()


def test_answers_are_discarded_only_by_a_button_that_says_so(chromium, host, tmp_path):
    file = _saved_page(host, tmp_path, Study.from_dict(survey(demographics=[])), tmp_path)
    context = chromium.new_context(viewport=DESKTOP)
    context.add_init_script(KEEPS_NOTHING)
    page = context.new_page()
    page.goto(file.as_uri())
    while not page.locator("a[download]").count():
        _choose(page)
        page.locator("main button:not(.quiet)").first.click()
    page.get_by_role("button", name="Start again for the next person").click()
    page.get_by_role("button", name="Discard these answers and start again").click()
    assert page.locator("h1").inner_text() == "Who is at the door?"
    assert page.evaluate("sessionStorage.length") == 0
    context.close()


def test_who_declines_leaves_nothing(chromium, host, tmp_path):
    file = _saved_page(host, tmp_path, Study.from_dict(survey()), tmp_path)
    context = chromium.new_context(viewport=PHONE)
    page = context.new_page()
    page.goto(file.as_uri())
    page.locator("main button.quiet").click()
    assert page.locator("h1").inner_text() == "You did not take part"
    assert page.evaluate("sessionStorage.length + localStorage.length") == 0
    context.close()
