"""Steps that researchers and participants take in a real browser, shared by journeys."""

import re
from pathlib import Path

from tests.journeys.looks import PHONE
from tests.journeys.test_journeys import _choose, _press

PASSWORD = "correct horse battery"  # noqa: S105 - of an account in a test


def setup_link(server):
    """The one-time link the server printed when it started."""
    return re.search(r"http\S+/setup/\S+", (server.folder / "log.txt").read_text())[0]


def become_owner(page, server):
    page.goto(setup_link(server))
    page.get_by_label("Name").fill("Ada")
    page.get_by_label("Password").fill(PASSWORD)
    _press(page, page.get_by_role("button", name="Make the account"))
    assert page.url.endswith("/studies")


def make_study(page, server, kind, slug, title):
    page.goto(f"{server.home}/studies/new")
    page.locator(f'input[value="{kind}"]').check()
    page.get_by_label("Title").fill(title)
    page.get_by_label("Short name").fill(slug)
    _press(page, page.get_by_role("button", name="Make the draft"))


def field(page, name):
    """A field of the builder, after opening the block it is in, as somebody would."""
    found = page.locator(f'[name="{name}"]').last
    blocks = page.locator("details.block").filter(has=found)
    if blocks.count() and blocks.first.get_attribute("open") is None:
        blocks.first.locator("summary").first.click()
    return found


def save_fields(page, **fields):
    """Fill fields of the form and save; two underscores stand for the dot in a field's name."""
    for name, value in fields.items():
        field(page, name.replace("__", ".")).fill(value)
    _press(page, page.get_by_role("button", name="Save", exact=True).last)
    assert page.get_by_text("Saved.", exact=True).is_visible()


def publish_and_open(page, server, slug):
    page.goto(f"{server.home}/studies/{slug}/publish")
    _press(page, page.get_by_role("button", name="Publish"))
    _press(page, page.get_by_role("button", name="Open the study"))


def take_part(chromium, server, slug, *, choose=_choose):
    """Somebody with a browser of their own goes from the link to the end; return its words."""
    context = chromium.new_context(viewport=PHONE, java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{server.home}/s/{slug}")
    for _ in range(80):
        buttons = page.locator("main button:not(.quiet)")
        if not buttons.count():
            break
        _press(page, choose(page) or buttons.first)
    words = page.locator("main").inner_text()
    context.close()
    return words


def in_guide(journey):
    """Return the clicks and fields that the guide's table gives for a journey."""
    guide = Path(__file__).parents[2] / "docs" / "howto" / "dashboard.md"
    row = re.search(rf"^\| {re.escape(journey)} \| (\d+) \|$", guide.read_text(), re.MULTILINE)
    assert row is not None, f"docs/howto/dashboard.md has no row | {journey} | STEPS |"
    return int(row[1])
