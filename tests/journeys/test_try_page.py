"""The page "Is 85 % enough?" that runs in a reader's browser.

Pyodide itself is not at hand in tests: its script is replaced by one that passes every line of
Python to this process. What is tested is our page and its own lines of Python.
"""

import re
from pathlib import Path

import pytest

from howgood import decide
from howgood.flow.registry import find_card

DOCS = Path(__file__).parents[2] / "docs"
TRY = DOCS / "_static" / "try"
FAKE = """
window.loadPyodide = async () => ({
  loadPackage: async () => {},
  unpackArchive: () => {},
  runPythonAsync: (code) => window.pythonHere(code),
});
"""


def _page():
    text = (DOCS / "try.md").read_text("utf-8")
    raw = re.search(r"```\{raw\} html\n(.*?)```", text, re.DOTALL)[1]
    return f"<!doctype html><html lang=en><meta name=viewport content=width=device-width>{raw}"


@pytest.fixture
def opened(chromium):
    """Return a function that opens the page at a width, with Python answered here."""
    space, contexts = {}, []

    def python(code):
        try:
            return eval(code, space)  # noqa: S307 - the page's own lines
        except SyntaxError:
            exec(code, space)  # noqa: S102 - the page's own lines
            return None

    def serve(route):
        address = route.request.url
        if "cdn.jsdelivr.net" in address:
            return route.fulfill(body=FAKE, content_type="text/javascript")
        name = address.rpartition("/")[2]
        if name == "howgood.whl":
            return route.fulfill(body=b"wheel")
        if name in {"try.js", "try.css", "try.py"}:
            kinds = {"js": "text/javascript", "css": "text/css", "py": "text/plain"}
            body = (TRY / name).read_text("utf-8")
            return route.fulfill(body=body, content_type=kinds[name.rpartition(".")[2]])
        return route.fulfill(body=_page(), content_type="text/html; charset=utf-8")

    def open_at(width):
        context = chromium.new_context(viewport={"width": width, "height": 900})
        contexts.append(context)
        page = context.new_page()
        page.expose_function("pythonHere", python)
        page.route("**/*", serve)
        page.goto("http://docs.example/try.html")
        return page

    yield open_at
    for context in contexts:
        context.close()


@pytest.mark.parametrize("width", [390, 1280])
def test_sliders_show_what_howgood_says(opened, width):
    page = opened(width)
    page.get_by_role("button", name="Start").click()
    page.get_by_label("Application").wait_for()
    page.get_by_label("Application").select_option("kay2015-answers-electricity")
    page.get_by_label(re.compile("Precision")).fill("70")
    card = find_card("kay2015-answers-electricity")
    share = decide.target(card, precision=0.70, recall=0.85, share=0.8).acceptance
    page.locator("[data-part=precision-value]", has_text="70 %").wait_for()
    page.locator("[data-part=share]", has_text=f"{round(100 * share.mean)} %").wait_for()
    assert f"between {round(100 * share.interval.lower)} and" in page.inner_text("#try")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_nothing_is_fetched_from_other_hosts_before_the_reader_says_so(opened):
    page = opened(1280)
    page.wait_for_load_state("networkidle")
    fetched = page.evaluate("performance.getEntriesByType('resource').map((one) => one.name)")
    assert all("docs.example" in address for address in fetched)


def test_what_goes_wrong_is_said_and_can_be_tried_again(opened):
    page = opened(390)
    page.route("**/cdn.jsdelivr.net/**", lambda route: route.abort())
    page.get_by_role("button", name="Start").click()
    page.get_by_role("status").filter(has_text="did not work").wait_for()
    assert page.get_by_role("button", name="Start").is_enabled()
