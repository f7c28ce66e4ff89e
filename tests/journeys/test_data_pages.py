"""Researchers' pages around data and tokens in real Chromium: used, and free of violations."""

from datetime import UTC, datetime

import pytest
from tests.flow.hosting.conftest import Person
from tests.journeys.conftest import PICTURE, survey
from tests.journeys.in_process import Running
from tests.journeys.looks import DESKTOP, PHONE, check_page

from howgood.flow.collected import tidy_rows
from howgood.flow.hosting import add_study, open_host
from howgood.kinds.study import Study

TABLE = (
    "Who,application,scenario,acceptable,useful,intent,ease\n"
    "r1,bell,1,5,4,3,2\nr1,bell,2,6,4,3,\nr2,camera,3,5,9,3,2\n"
)


@pytest.fixture
def running(tmp_path):
    """A survey with two people's answers, served."""
    (tmp_path / "door.svg").write_text(PICTURE)
    host, now = open_host(str(tmp_path / "answers.sqlite")), datetime.now(UTC)
    add_study(host, Study.from_dict(survey()), folder=tmp_path, now=now)
    for seed in (1, 2):
        someone = Person(host, "doors", seed=seed, now=now)
        someone.begin()
        someone.finish()
    made = Running(host)
    yield made
    made.stop()


@pytest.mark.parametrize(
    ("view", "scheme"),
    [
        pytest.param(PHONE, "dark", id="phone-dark"),
        pytest.param(DESKTOP, "light", id="desktop-light", marks=pytest.mark.slow),
    ],
)
def test_download_import_erase_and_delete(chromium, running, tmp_path, view, scheme):
    page = running.page(chromium, view, scheme)
    page.goto(f"{running.home}/studies/doors/data")
    check_page(page)
    with page.expect_download() as waiting:
        page.get_by_role("link", name="ZIP of CSV").click()
    assert waiting.value.suggested_filename == "doors.zip"
    table = tmp_path / "answers.csv"
    table.write_text(TABLE)
    page.get_by_label("Files, at most 50 MB").set_input_files(table)
    page.get_by_role("button", name="Upload").click()
    assert page.locator("[role=alert]").count() == 1  # nobody says who "Who" is
    check_page(page)
    page.get_by_label("participant (needed)").select_option("Who")
    page.get_by_role("button", name="Look again").click()
    assert "2 problems" in page.locator("[role=alert]").inner_text()
    check_page(page)
    page.get_by_label("useful").select_option("")
    page.get_by_label("are left out and counted").check()
    page.get_by_role("button", name="Look again").click()
    assert "Will add 2 people with 2 answers" in page.locator("[role=status]").inner_text()
    check_page(page)
    page.get_by_role("button", name="Import").click()
    assert "Added 2 people with 2 answers" in page.locator("[role=status]").inner_text()
    check_page(page)
    assert len(list(tidy_rows(running.host, "doors", table="participants"))) == 4
    page.get_by_role("link", name="Undo this import…").click()
    assert "2 answers of 2 people will be taken out" in page.locator("main").inner_text()
    check_page(page)
    page.get_by_role("button", name="Undo the import").click()
    assert "The import is undone" in page.locator("[role=status]").inner_text()
    assert len(list(tidy_rows(running.host, "doors", table="participants"))) == 2
    _own_export_adds_nobody(page, running, tmp_path)
    page.get_by_label("Number in the data").fill("1")
    page.get_by_label("I know that this cannot be undone").check()
    page.get_by_role("button", name="Erase this participant").click()
    assert "is erased" in page.locator("[role=status]").inner_text()
    page.get_by_label("to delete it").fill("doors")
    page.get_by_role("button", name="Delete the study").click()
    assert page.url == f"{running.home}/studies"
    page.context.close()


def _own_export_adds_nobody(page, running, folder):
    """The file the page itself gives is recognised whole."""
    with page.expect_download() as waiting:
        page.get_by_role("link", name="answers as CSV").click()
    own = folder / "own.csv"
    waiting.value.save_as(own)
    page.get_by_label("Files, at most 50 MB").set_input_files(own)
    page.get_by_role("button", name="Upload").click()
    said = page.locator("[role=status]").inner_text()
    assert "Nothing to add." in said
    assert "Already here: 2 people with" in said
    assert page.get_by_role("button", name="Import").count() == 0
    check_page(page)
    page.get_by_role("button", name="Discard the upload").click()
    assert len(list(tidy_rows(running.host, "doors", table="participants"))) == 2


def test_tokens_and_what_programs_can_ask(chromium, running):
    page = running.page(chromium, PHONE)
    page.goto(f"{running.home}/tokens")
    check_page(page)
    page.get_by_role("button", name="Make the token").click()
    assert page.locator("[role=alert]").count() == 1
    page.get_by_label("What it is for").fill("nightly export")
    page.get_by_label("answers:read").check()
    page.get_by_role("button", name="Make the token").click()
    secret = page.locator(".secret").inner_text()
    check_page(page)
    key = {"Authorization": f"Bearer {secret}"}
    rows = page.request.get(f"{running.home}/api/v1/studies/doors/answers", headers=key)
    assert len(rows.json()["rows"]) == 8
    page.get_by_role("button", name="Revoke nightly export").click()
    assert page.locator("table").count() == 0
    page.goto(f"{running.home}/api/docs")
    check_page(page)
    page.context.close()
