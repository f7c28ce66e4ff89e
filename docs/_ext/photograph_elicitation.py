"""Take the pictures of a comparison: what people see, and a facilitator next to them.

Run it from the project's folder: python docs/_ext/photograph_elicitation.py. It starts a server on
a database of its own and lets one made-up person take part, at the size of a computer and of a
telephone.
"""

import re
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]
TARGET = ROOT / "docs" / "_static"
SIZES = {"1280": (1280, 900), "390": (390, 844)}


def main() -> None:
    """Make the study, walk through it, take the pictures."""
    from benchmarks.load.servers import HowgoodServer
    from checks.browser import browser as find_chromium
    from playwright.sync_api import sync_playwright

    (TARGET / "elicitation").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        server = HowgoodServer(Path(name), [_study()])
        browser = playwright.chromium.launch(
            executable_path=find_chromium(), args=["--no-sandbox", "--disable-gpu"]
        )
        try:
            _walk(browser, server)
        finally:
            browser.close()
            server.kill()


def _study():
    from howgood.flow.study_files.new import template

    study = tomllib.loads(template("comparison")) | {"slug": "pairs", "demographics": []}
    study["consent"] |= {"mirror": True}
    study["comparison"] |= {"bars_on_demand": True}
    return study


def _walk(browser, server) -> None:
    person = browser.new_context(color_scheme="light").new_page()
    person.goto(f"{server.home}/s/pairs")
    person.get_by_label("A facilitator may see").check()
    _photograph(person, "consent")
    person.get_by_role("button", name="I agree").click()
    _photograph(person, "task")
    _go_on(person)
    _photograph(person, "practice")
    while not person.locator(".choose button").count():
        if person.locator("#field-ratio").count():
            _photograph(person, "direct")
        _go_on(person)
    _photograph(person, "pair")
    person.get_by_text("Show as bars").click()
    _photograph(person, "pair-with-bars")
    with person.expect_navigation():
        person.keyboard.press("1")
    _follow(browser, server)


def _go_on(page) -> None:
    for field in page.locator("input[type=text]").all():
        field.fill("5")
    for group in page.locator("fieldset").all():
        group.locator("input").first.check()
    with page.expect_navigation():
        page.locator(".buttons button").first.click()


def _follow(browser, server) -> None:
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.goto(re.search(r"http\S+/setup/\S+", (server.folder / "log.txt").read_text())[0])
    page.get_by_label("Name").fill("ada")
    page.get_by_label("Password").fill("correct horse battery")
    page.get_by_role("button", name="Make the account").click()
    page.goto(f"{server.home}/studies/pairs/people/1/follow")
    page.get_by_label("What they say").fill("“Two more missed cancers, that is a lot.”")
    page.get_by_role("button", name="Save note").click()
    _photograph(page, "follow")


def _photograph(page, name: str) -> None:
    from take_screenshots import shrink

    for size, (wide, tall) in SIZES.items():
        page.set_viewport_size({"width": wide, "height": tall})
        path = TARGET / "elicitation" / f"{name}-{size}.png"
        page.screenshot(path=path)
        shrink(path)


if __name__ == "__main__":
    main()
