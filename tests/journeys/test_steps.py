"""Five journeys of a researcher, in clicks and fields; the first, a new study, is in test_builder.

The table of docs/howto/dashboard.md has the numbers: a journey that takes another number fails.
"""

from datetime import UTC, datetime

import pytest
from benchmarks.load.servers import HowgoodServer
from tests.flow.hosting.conftest import SURVEY
from tests.journeys.looks import DESKTOP
from tests.journeys.steps import PASSWORD, in_guide, setup_link
from tests.journeys.test_builder import Counted

from howgood.demo.web import add_people
from howgood.flow.hosting import open_host


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """A server with one survey that six people have answered."""
    running = HowgoodServer(tmp_path_factory.mktemp("steps"), [SURVEY])
    host = open_host(running.database)
    add_people(host, "doors", people=6, seed=1, now=datetime.now(UTC))
    host.close()
    yield running
    running.kill()


@pytest.fixture(scope="module")
def account(chromium, asked):
    context = chromium.new_context(viewport=DESKTOP)
    page = context.new_page()
    page.goto(setup_link(asked))
    page.get_by_label("Name").fill("ada")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Make the account").click()
    page.wait_for_url(f"{asked.home}/studies")  # a page that is closed on its way may hang
    page.close()
    yield context
    context.close()


@pytest.fixture
def way(account, asked):
    """A researcher at the list of studies."""
    page = account.new_page()
    page.goto(f"{asked.home}/studies")
    yield Counted(page)
    page.close()


def _open_study(way, tab):
    way.press(way.page.get_by_role("link", name=SURVEY["title"]))
    way.press(way.page.locator(".tabs").get_by_role("link", name=tab, exact=True))


def test_a_platforms_link_is_tested_and_copied_in_few_steps(way):
    _open_study(way, "Recruit")
    way.press(way.page.get_by_role("button", name="Run the dry run"))
    assert "reached the end" in way.page.locator("#dry-run").inner_text()
    way.click(way.page.locator("#prolific summary"))
    copy = way.page.locator("#prolific [data-copy]").first
    way.click(copy)
    assert "PROLIFIC_PID={{%PROLIFIC_PID%}}" in copy.get_attribute("data-copy")
    assert way.steps == in_guide("test the way there and back, and copy a platform's link")


def test_a_person_is_excluded_in_few_steps(way):
    _open_study(way, "People")
    way.press(way.page.locator("main tbody a").first)
    way.click(way.page.get_by_text("No: exclude this person"))
    way.fill("reason", "Said that the page broke.")
    way.press(way.page.get_by_role("button", name="Save"))
    assert "left out" in way.page.locator("aside").inner_text()
    assert way.steps == in_guide("look at a person and exclude them, with a reason")


def test_a_fit_is_asked_for_in_few_steps(way):
    _open_study(way, "Results")
    way.press(way.page.get_by_role("button", name="Fit now"))
    way.page.locator("#progress, .verdict").first.wait_for()
    assert way.steps == in_guide("ask for a result")


def test_results_are_shared_by_a_link_in_few_steps(way):
    way.press(way.page.get_by_role("link", name=SURVEY["title"]))
    way.click(way.page.locator(".tabs summary"))
    way.press(way.page.get_by_role("link", name="Share", exact=True))
    way.page.locator("#input-link-name").fill("the board")
    way.steps += 1
    way.press(way.page.get_by_role("button", name="Make a link"))
    assert "/r/" in way.page.locator(".secret").first.inner_text()
    assert way.steps == in_guide("share the results by a link")
