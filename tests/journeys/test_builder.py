"""The study builder in a real browser: a study in few steps, saved by itself, undone, copied."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from benchmarks.load.servers import HowgoodServer
from tests.journeys.steps import PASSWORD, field, setup_link
from tests.journeys.test_journeys import DESKTOP, PHONE, _press

MOST_STEPS = 25


class Counted:
    """Counts clicks, and fields that are not a text of the study itself."""

    def __init__(self, page):
        self.page, self.steps = page, 0

    def click(self, found):
        self.steps += 1
        found.click()

    def press(self, found):
        self.steps += 1
        _press(self.page, found)

    def fill(self, name, text, *, is_text=False):
        self.steps += not is_text
        self.page.locator(f'[name="{name}"]').last.fill(text)


@pytest.fixture(scope="module")
def empty_server(tmp_path_factory):
    running = HowgoodServer(tmp_path_factory.mktemp("builder"), [])
    yield running
    running.kill()


@pytest.fixture(scope="module")
def owner(chromium, empty_server):
    """From the link in the terminal to a survey of two own applications, steps counted."""
    context = chromium.new_context(viewport=DESKTOP)
    page = context.new_page()
    page.goto(setup_link(empty_server))
    way = Counted(page)
    way.fill("name", "ada")
    way.fill("password", PASSWORD)
    way.press(page.get_by_role("button", name="Make the account"))
    way.press(page.get_by_role("link", name="New study"))
    way.fill("title", "Doors that know you", is_text=True)
    way.press(page.get_by_role("button", name="Make the draft"))
    way.fill("introduction", "Imagine doors that err.", is_text=True)
    way.press(page.get_by_role("button", name="Task"))
    for place, name in enumerate(("The bell", "The camera")):
        if place:
            way.click(page.locator("details.block summary").filter(has_text="2."))
        root = f"survey.applications.{place}"
        way.fill(f"{root}.name", name, is_text=True)
        way.fill(f"{root}.description", f"{name} watches your door.", is_text=True)
    way.press(page.get_by_role("button", name="Look through and publish"))
    way.press(page.get_by_role("button", name="Publish", exact=True))
    way.press(page.get_by_role("button", name="Open the study"))
    yield context, way
    context.close()


def test_an_empty_server_has_a_survey_of_two_own_applications_in_few_steps(empty_server, owner):
    context, way = owner
    assert way.steps <= MOST_STEPS, way.steps
    page = context.new_page()
    page.goto(f"{empty_server.home}/s/doors-that-know-you")
    assert "Imagine doors that err." in page.locator("main").inner_text()
    page.goto(f"{empty_server.home}/studies/doors-that-know-you/edit/task")
    outline = page.locator(".outline").inner_text()
    assert "The bell" in outline
    assert "The camera" in outline
    page.close()


def test_typing_is_saved_by_itself_and_undone(empty_server, owner):
    page = owner[0].new_page()
    address = f"{empty_server.home}/studies/doors-that-know-you/edit/texts"
    page.goto(address)
    before = field(page, "introduction").input_value()
    field(page, "introduction").fill("Typed, not sent.")
    page.get_by_text("Saved 0 s ago").or_(page.get_by_text("Saved 1 s ago")).first.wait_for()
    page.goto(address)
    assert field(page, "introduction").input_value() == "Typed, not sent."
    with page.expect_navigation():
        page.get_by_role("button", name="Undo").click()
    assert field(page, "introduction").input_value() == before
    page.close()


def test_a_text_is_edited_where_it_stands_on_the_page(empty_server, owner):
    page = owner[0].new_page()
    page.goto(f"{empty_server.home}/studies/doors-that-know-you/edit/texts")
    text = page.locator("#glance .in-place").filter(has_text="Imagine doors that err.")
    text.click()
    page.keyboard.press("Control+A")
    page.keyboard.type("Imagine doors that learn.")
    with page.expect_response(lambda answer: answer.request.method == "POST"):
        page.locator("h1").first.click()
    assert field(page, "introduction").input_value() == "Imagine doors that learn."
    page.get_by_text("Saved 0 s ago").or_(page.get_by_text("Saved 1 s ago")).first.wait_for()
    page.locator("#glance .in-place").filter(has_text="Imagine doors that learn.").wait_for()
    assert Axe().run(page, options={"resultTypes": ["violations"]}).violations_count == 0
    field(page, "introduction").fill("Imagine doors that err.")
    page.get_by_text("Saved 0 s ago").or_(page.get_by_text("Saved 1 s ago")).first.wait_for()
    page.close()


def test_a_sentence_is_filled_in_while_it_is_typed_and_entries_move_by_keyboard(
    empty_server, owner
):
    page = owner[0].new_page()
    page.goto(f"{empty_server.home}/studies/doors-that-know-you/edit/task")
    phrase = field(page, "survey.applications.0.phrases.found")
    phrase.fill("{n} of {real} {time|times} {system} rang")
    filled = page.locator("#node-survey\\.applications\\.0\\.phrases\\.found .filled")
    assert filled.inner_text() == "8 of 10 times The bell rang"
    page.locator("table.grid-levels").wait_for()
    assert page.locator("table.grid-levels td").count() == 16
    second = page.locator(".outline [data-entry='survey.applications.1']")
    with page.expect_navigation():
        second.press("Alt+ArrowUp")
    assert "1. The camera" in page.locator(".outline").inner_text()
    assert Axe().run(page, options={"resultTypes": ["violations"]}).violations_count == 0
    page.close()


def test_without_scripts_options_are_pasted_and_a_study_is_copied(chromium, empty_server, owner):
    context = chromium.new_context(viewport=PHONE, java_script_enabled=False)
    context.add_cookies(owner[0].cookies())
    page = context.new_page()
    page.goto(f"{empty_server.home}/studies/doors-that-know-you/edit/questions")
    name = "paste.demographics.1.options"
    page.locator("details.block summary").filter(has_text="2.").click()
    page.get_by_text("Paste from a spreadsheet").locator("visible=true").click()
    page.locator(f'[name="{name}"]').fill("Agender\nTwo spirits")
    add = page.get_by_role("button", name="Add these lines").locator("visible=true")
    _press(page, add)
    assert page.locator('[name="demographics.1.options.4.text"]').input_value() == "Two spirits"
    _press(page, page.get_by_role("button", name="Copy this study"))
    assert page.locator("h1").inner_text() == "Copy of Doors that know you"
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    context.close()
