"""Researchers read results in real Chromium: fit, progress, answer, download, upload, library."""

import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from benchmarks.load.servers import HowgoodServer
from tests.flow.results.conftest import RERATING, SURVEY, comparison
from tests.journeys.looks import DESKTOP, PHONE, check_page
from tests.web.conftest import PASSWORD

from howgood.demo.web import add_people
from howgood.flow import accounts
from howgood.flow.hosting import add_study, open_host
from howgood.flow.results.requests import ask_fit
from howgood.kinds.study import Study
from howgood.records.job import JobStatus
from howgood.store import jobs
from howgood.web.access import SESSION

FIT_SECONDS = 900_000  # a busy machine is slow, not wrong
PEOPLE = {"doors": 12, "pairs": 4, "songs": 6}


@pytest.fixture(scope="module")
def office(tmp_path_factory):
    """A server whose studies have been answered, and the session of its owner."""
    folder = tmp_path_factory.mktemp("office")
    now = datetime.now(UTC)
    host = open_host(str(folder / "answers.sqlite"))
    for study in (SURVEY, comparison(), RERATING):
        row = add_study(host, Study.from_dict(study), folder=Path(), now=now)
        add_people(host, row.slug, people=PEOPLE[row.slug], seed=1, now=now)
    token = accounts.setup_link(host, now=now)
    joined = accounts.join(host, token, name="ada", password=PASSWORD, now=now)
    host.close()
    server = HowgoodServer(folder, [])
    yield server, joined.signed_in.token
    server.kill()


def _page(chromium, office, **how):
    server, token = office
    context = chromium.new_context(**({"viewport": DESKTOP} | how))
    context.add_cookies([{"name": SESSION, "value": token, "url": server.home}])
    page = context.new_page()
    page.set_default_timeout(60_000)
    return page


def _fit(page, office, slug):
    page.goto(f"{office[0].home}/studies/{slug}/results")
    check_page(page)
    page.get_by_role("button", name="Fit now").click()
    # The page polls and reloads itself when the fit is done.
    page.locator(".story").wait_for(timeout=FIT_SECONDS)


def _uploaded(page, office, slug, file, button):
    page.goto(f"{office[0].home}/studies/{slug}/results")
    page.locator("#input-file").set_input_files(file)
    page.get_by_role("button", name="Upload").click()
    page.get_by_role("button", name=button).wait_for()  # the next page, not the one being left
    check_page(page)
    page.get_by_role("button", name=button).click()
    page.locator(".story").wait_for(timeout=FIT_SECONDS)
    check_page(page)


def test_a_survey_is_fitted_read_downloaded_judged_and_published(chromium, office, tmp_path):
    page = _page(chromium, office)
    faults = []
    page.on("console", lambda message: faults.append(message.text))
    page.on("pageerror", lambda error: faults.append(str(error)))
    _fit(page, office, "doors")
    assert "to be accepted by half of people" in page.locator(".story").text_content()
    check_page(page)
    for picture in page.locator(".plot img:visible").all():
        picture.scroll_into_view_if_needed()
        assert picture.evaluate("each => each.decode().then(() => each.naturalWidth > 100)")
    with page.expect_download() as begun:
        page.get_by_role("link", name="Download report.html").click()
    report = Path(begun.value.path()).read_text()
    assert "<svg" in report
    assert "Provenance" in report
    scores = tmp_path / "scores.csv"
    rows = [f"{int(n % 3 == 0)},{(n * 37 % 100) / 100 * 0.6 + 0.4 * (n % 3 == 0):.3f}"
            for n in range(300)]  # fmt: skip
    scores.write_text("outcome,probability\n" + "\n".join(rows))
    _uploaded(page, office, "doors", scores, "Judge the classifier")
    assert "of people would accept it" in page.locator(".story").text_content()
    page.goto(f"{office[0].home}/studies/doors/results")
    page.get_by_role("button", name="Publish the card of The bell").click()
    page.wait_for_url("**/library/doors-the-bell")
    check_page(page)
    assert faults == []
    page.context.close()


def test_a_comparison_and_a_rerating_are_read_and_systems_ranked(chromium, office, tmp_path):
    page = _page(chromium, office, color_scheme="dark")
    _fit(page, office, "pairs")
    assert "On average over 4 people" in page.locator(".story").text_content()
    check_page(page)
    _fit(page, office, "songs")
    assert "magic barrier" in page.locator(".story").text_content()
    check_page(page)
    systems = tmp_path / "systems.csv"
    systems.write_text("item,a,b\n" + "\n".join(f"s{n},3.{n},{5 - n / 2}" for n in range(1, 6)))
    _uploaded(page, office, "songs", systems, "Rank the systems")
    page.context.close()


def test_a_fit_is_followed_without_scripts(chromium, office):
    page = _page(chromium, office, java_script_enabled=False, viewport=PHONE)
    page.goto(f"{office[0].home}/studies/songs/results")
    page.get_by_text("Options").click()
    page.get_by_label("Random seed").fill("2")
    page.get_by_role("button", name="Fit now").click()
    for _ in range(600):
        if page.locator(".story").count():
            break
        page.get_by_role("link", name="Look again").click()
        page.wait_for_timeout(200)
    assert "magic barrier" in page.locator(".story").text_content()
    page.context.close()


def test_everybody_may_ask_the_library(chromium, office):
    page = chromium.new_context(viewport=PHONE).new_page()
    page.goto(f"{office[0].home}/library")
    check_page(page)
    page.get_by_label("The nearest application").select_option("kay2015-answers-alarm-police")
    page.get_by_role("button", name="Ask").click()
    assert "of people would accept" in page.locator("#answer").inner_text()
    check_page(page)
    page.goto(page.url.replace("precision=85", "precision=many"))
    assert page.get_by_role("alert").is_visible()
    check_page(page)
    page.context.close()


def test_a_fit_survives_a_killed_server_and_ends_once(tmp_path):
    now = datetime.now(UTC)
    host = open_host(str(tmp_path / "answers.sqlite"))
    row = add_study(host, Study.from_dict(SURVEY), folder=Path(), now=now)
    add_people(host, row.slug, people=12, seed=1, now=now)
    number = ask_fit(host, row.slug, {}, actor="ada", now=now)

    def job():
        with host.database.reading() as connection:
            return jobs.find(connection, number)

    def wait_for(condition):
        end = time.monotonic() + 240
        while not condition(job()):
            assert time.monotonic() < end, job()
            time.sleep(0.1)

    server = HowgoodServer(tmp_path, [])
    wait_for(lambda each: each.attempts == 1 and each.message)
    server.kill()
    assert job().status is JobStatus.RUNNING
    server.start()
    wait_for(lambda each: each.status is JobStatus.DONE)
    server.kill()
    assert job().attempts == 2
    assert job().message == "12 people, 108 judgements"
    host.close()
