"""The study builder in a real browser: a study in few steps, saved by itself, undone, copied."""

import pytest
from benchmarks.load.servers import HowgoodServer
from tests.journeys.looks import DESKTOP, PHONE, check_page
from tests.journeys.steps import PASSWORD, field, in_guide, setup_link
from tests.journeys.test_journeys import _press

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
    assert way.steps == in_guide("publish a survey of two own applications, from an empty server")
    assert way.steps <= MOST_STEPS
    page = context.new_page()
    page.goto(f"{empty_server.home}/s/doors-that-know-you")
    assert "Imagine doors that err." in page.locator("main").inner_text()
    page.goto(f"{empty_server.home}/studies/doors-that-know-you/edit/task")
    outline = page.locator(".outline").inner_text()
    assert "The bell" in outline
    assert "The camera" in outline
    page.close()


@pytest.mark.parametrize(("part", "name"), [
    ("texts", "introduction"), ("task", "survey.applications.0.description"),
    ("questions", "demographics.0.text"), ("ending", "completion.text"),
])  # fmt: skip
def test_typing_is_saved_by_itself_and_undone(empty_server, owner, part, name):
    page = owner[0].new_page()
    address = f"{empty_server.home}/studies/doors-that-know-you/edit/{part}"

    def typed():
        page.evaluate(
            "for (const one of document.querySelectorAll('details.block')) one.open = true"
        )
        return field(page, name)

    page.goto(address)
    before = typed().input_value()
    typed().fill("Typed, not sent: $& <b>")
    page.get_by_text("Saved 0 s ago").or_(page.get_by_text("Saved 1 s ago")).first.wait_for()
    page.goto(address)
    assert typed().input_value() == "Typed, not sent: $& <b>"
    with page.expect_navigation():
        page.get_by_role("button", name="Undo").click()
    assert typed().input_value() == before
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
    check_page(page)
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
    called = field(page, "survey.applications.0.name")
    called.fill("The $& bell")  # means something in a replacement
    phrase.press("End")
    phrase.press_sequentially("!")
    assert filled.inner_text() == "8 of 10 times The $& bell rang!"
    called.fill("The bell")
    page.locator("table.grid-levels").wait_for()
    assert page.locator("table.grid-levels td").count() == 16
    second = page.locator(".outline [data-entry='survey.applications.1']")
    with page.expect_navigation():
        second.press("Alt+ArrowUp")
    assert "1. The camera" in page.locator(".outline").inner_text()
    # The keyboard stays on the entry that was moved.
    moved = page.locator(".outline [data-entry='survey.applications.0']:focus")
    moved.wait_for()
    assert moved.inner_text() == "1. The camera"
    check_page(page)
    page.close()


def test_undo_takes_back_nothing_of_another_tab_and_a_copy_has_what_was_just_typed(
    empty_server, owner
):
    address = f"{empty_server.home}/studies/doors-that-know-you/edit/texts"
    one, other = owner[0].new_page(), owner[0].new_page()
    for page, text in ((one, "Typed in one tab."), (other, "Typed in another.")):
        page.goto(address)
        field(page, "introduction").fill(text)
        page.get_by_text("Saved 0 s ago").or_(page.get_by_text("Saved 1 s ago")).first.wait_for()
    other.close()
    one.reload()
    assert field(one, "introduction").input_value() == "Typed in another."
    assert one.get_by_role("button", name="Undo").is_hidden()
    field(one, "introduction").fill("Typed, and copied at once.")
    one.get_by_role("button", name="Copy this study").click()
    one.wait_for_url("**/studies/copy-of-*/edit/texts")
    assert field(one, "introduction").input_value() == "Typed, and copied at once."
    one.goto(address)
    field(one, "introduction").fill("Imagine doors that err.")
    one.get_by_text("Saved 0 s ago").or_(one.get_by_text("Saved 1 s ago")).first.wait_for()
    one.close()


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


# Whether everything inside an element's box is inside it: what overflows would be cut.
_FITS = "(node) => node.scrollWidth <= node.clientWidth + 1"


def test_the_page_is_the_participants_own_on_a_phone_and_on_a_desktop(empty_server, owner):
    page = owner[0].new_page()
    page.goto(f"{empty_server.home}/studies/doors-that-know-you/edit/task")
    scale = page.locator("#glance .scale").first
    scale.wait_for()
    assert page.locator("#glance .screen").first.bounding_box()["width"] <= PHONE["width"] + 1
    assert scale.evaluate(_FITS)
    # On a phone a scale is one row of circles, as participants have it.
    circles = [node.bounding_box() for node in scale.locator("input").all()]
    assert len({round(box["y"]) for box in circles}) == 1
    page.get_by_role("button", name="Desktop").click()
    assert page.get_by_role("button", name="Desktop").get_attribute("aria-pressed") == "true"
    pinned = page.locator("#glance .pinned").first.bounding_box()
    assert scale.bounding_box()["x"] > pinned["x"] + pinned["width"]
    assert scale.evaluate(_FITS)
    page.set_viewport_size(PHONE)
    page.goto(f"{empty_server.home}/studies/doors-that-know-you/preview?page=4")
    assert all(node.evaluate(_FITS) for node in page.locator(".scale").all())
    page.close()


def test_entries_are_dragged_into_another_order(empty_server, owner):
    page = owner[0].new_page()
    page.goto(f"{empty_server.home}/studies/doors-that-know-you/edit/task")
    entries = page.locator(".outline [data-entry^='survey.applications']")
    before = [text[3:] for text in entries.all_inner_texts()]
    with page.expect_navigation():
        entries.nth(1).drag_to(entries.nth(0))
    assert [text[3:] for text in entries.all_inner_texts()] == before[::-1]
    page.close()


def test_a_problem_is_listed_with_a_link_that_opens_its_field(empty_server, owner):
    page = owner[0].new_page()
    page.goto(f"{empty_server.home}/studies/doors-that-know-you/edit/task")
    name = field(page, "survey.applications.1.name")
    kept = name.input_value()
    name.fill("")
    _press(page, page.get_by_role("button", name="Save", exact=True).last)
    listed = page.locator(".problems a").first
    assert "What is the system called?" in listed.inner_text()
    listed.click()
    again = page.locator('[name="survey.applications.1.name"]')
    again.wait_for(state="visible")
    again.fill(kept)
    _press(page, page.get_by_role("button", name="Save", exact=True).last)
    assert page.locator(".problems").count() == 0
    page.close()
