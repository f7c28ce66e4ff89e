"""The page "Try it: is 85 % enough?" in a browser, with this Python in Pyodide's place.

The page's own Python runs here instead of inside the browser; everything else is the real page.
"""

import json
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
HOME = "http://howgood.test/"
STAND_IN = """window.loadPyodide = async () => ({
  loadPackage: async (names) => { window.asked = names; },
  unpackArchive: (bytes, kind) => { window.unpacked = [bytes.byteLength, kind]; },
  runPythonAsync: (code) => window.runHere(code),
});"""


@pytest.fixture
def page(chromium):
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    shown = context.new_page()
    html = re.search(r"```\{raw\} html\n(.*?)```", (DOCS / "try.md").read_text("utf-8"), re.DOTALL)
    shown.route(HOME, lambda route: route.fulfill(content_type="text/html", body=html[1]))
    shown.route(f"{HOME}_static/**", _static)
    yield shown
    context.close()


def _static(route):
    path = DOCS / route.request.url.removeprefix(HOME)
    body = b"a wheel" if path.suffix == ".whl" else path.read_bytes()
    kinds = {".js": "text/javascript", ".css": "text/css"}
    route.fulfill(content_type=kinds.get(path.suffix, "application/octet-stream"), body=body)


def _runner():
    """Return what runs the page's Python: statements first, then calls that return JSON."""
    names: dict[str, object] = {}

    def run(code):
        if code.startswith('"""'):
            exec(compile(code, "try.py", "exec"), names)  # noqa: S102 - our own page
            return None
        return eval(code, names)  # noqa: S307 - our own page

    return run


def test_moving_precision_and_recall_shows_the_share_that_accepts(page):
    run = _runner()
    page.expose_function("runHere", run)
    page.route(
        "https://cdn.jsdelivr.net/**",
        lambda route: route.fulfill(content_type="text/javascript", body=STAND_IN),
    )
    page.goto(HOME)
    page.get_by_role("button", name="Start").click()
    page.get_by_label("Application").wait_for()
    assert page.evaluate("window.asked") == ["numpy", "scipy", "pydantic"]
    assert page.evaluate("window.unpacked") == [len(b"a wheel"), "wheel"]
    name = page.get_by_label("Application").input_value()

    for precision, recall in ((85, 85), (70, 95)):
        page.get_by_role("slider", name="Precision").fill(str(precision))
        page.get_by_role("slider", name="Recall").fill(str(recall))
        share = json.loads(run(f'answer("{name}", {precision / 100}, {recall / 100})'))
        said = page.locator("[data-part=share]").filter(has_text=f"{100 * share['mean']:.0f} %")
        said.wait_for(state="attached")  # a machine without fonts gives text no height
    low, high = (round(100 * share[end]) for end in ("lower", "upper"))
    assert (
        f"likely between {low} and {high} %" in page.locator("[data-part=sentence]").text_content()
    )
    assert len(page.locator("[data-part=line]").get_attribute("points").split()) > 10


def test_nothing_is_fetched_from_other_hosts_before_the_reader_says_so(page):
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(HOME)
    page.wait_for_load_state("networkidle")
    assert asked
    assert [address for address in asked if not address.startswith(HOME)] == []


def test_the_page_is_no_wider_than_the_screen(page):
    page.expose_function("runHere", _runner())
    page.route(
        "https://cdn.jsdelivr.net/**",
        lambda route: route.fulfill(content_type="text/javascript", body=STAND_IN),
    )
    page.goto(HOME)
    page.get_by_role("button", name="Start").click()
    page.get_by_label("Application").wait_for()
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_reader_without_the_network_is_told_what_to_do(page):
    page.route("https://cdn.jsdelivr.net/**", lambda route: route.abort())
    page.goto(HOME)
    page.get_by_role("button", name="Start").click()
    said = page.locator("[data-part=status]").filter(has_text="This did not work")
    said.wait_for(state="attached")
    assert "Reload the page" in said.text_content()
    assert page.get_by_role("button", name="Start").is_enabled()
