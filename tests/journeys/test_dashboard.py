"""Researchers make studies in real Chromium, people take part, and the live page follows."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from benchmarks.load.servers import HowgoodServer
from tests.journeys.test_journeys import DESKTOP, PHONE, _check_page, _choose, _press

PASSWORD = "correct horse battery"  # noqa: S105 - of an account in a test
PAGES = ("/studies", "/studies/new", "/people", "/account", "/studies/{slug}",
         "/studies/{slug}/edit/texts", "/studies/{slug}/edit/task",
         "/studies/{slug}/edit/questions", "/studies/{slug}/edit/ending",
         "/studies/{slug}/preview", "/studies/{slug}/preview?page=4", "/studies/{slug}/publish",
         "/studies/{slug}/versions", "/studies/{slug}/links", "/lost")  # fmt: skip


@pytest.fixture(scope="module")
def empty_server(tmp_path_factory):
    """A server without any study, as on the first day."""
    running = HowgoodServer(tmp_path_factory.mktemp("dashboard"), [])
    yield running
    running.kill()


@pytest.fixture(scope="module")
def owner(chromium, empty_server):
    """The owner's browser, after making an account by the link in the terminal."""
    printed = (empty_server.folder / "log.txt").read_text()
    link = re.search(r"http\S+/setup/\S+", printed)[0]
    context = chromium.new_context(viewport=DESKTOP)
    page = context.new_page()
    page.goto(link)
    _check_page(page, set())
    page.get_by_label("Name").fill("Ada")
    page.get_by_label("Password").fill(PASSWORD)
    _press(page, page.get_by_role("button", name="Make the account"))
    assert page.url.endswith("/studies")
    page.close()
    yield context
    context.close()


def _make(page, server, kind, slug, title):
    page.goto(f"{server.home}/studies/new")
    page.locator(f'input[value="{kind}"]').check()
    page.get_by_label("Title").fill(title)
    page.get_by_label("Short name").fill(slug)
    _press(page, page.get_by_role("button", name="Make the draft"))


def _set(page, **fields):
    for name, value in fields.items():
        page.locator(f'[name="{name.replace("__", ".")}"]').last.fill(value)
    _press(page, page.get_by_role("button", name="Save", exact=True).last)
    assert page.get_by_text("Saved.", exact=True).is_visible()


def _publish_and_open(page, server, slug):
    page.goto(f"{server.home}/studies/{slug}/publish")
    _press(page, page.get_by_role("button", name="Publish"))
    _press(page, page.get_by_role("button", name="Open the study"))


def _take_part(chromium, server, slug):
    context = chromium.new_context(viewport=PHONE, java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{server.home}/s/{slug}")
    for _ in range(80):
        buttons = page.locator("main button:not(.quiet)")
        if not buttons.count():
            break
        _choose(page)
        _press(page, buttons.first)
    assert "Thank you" in page.locator("main").inner_text()
    context.close()


def test_a_survey_is_made_edited_previewed_opened_taken_and_watched(chromium, empty_server, owner):
    page, faults = owner.new_page(), []
    page.on("console", lambda message: faults.append(message.text))
    page.on("pageerror", lambda error: faults.append(str(error)))
    _make(page, empty_server, "survey", "door-bell", "The door bell")
    page.locator('[name="consent.contact"]').fill("Grace Hopper, Room 7")
    page.locator("#glance").get_by_text("Grace Hopper, Room 7").wait_for(timeout=20_000)
    _set(page, title="Who rings?")
    page.goto(f"{empty_server.home}/studies/door-bell/edit/task")
    _set(page, survey__per_application="2")
    page.goto(f"{empty_server.home}/studies/door-bell/preview")
    assert page.get_by_text("Grace Hopper, Room 7").is_visible()
    _press(page, page.locator(".screen button").first)
    assert page.get_by_text("Page 2.").is_visible()
    _publish_and_open(page, empty_server, "door-bell")
    assert page.locator("#counts").get_by_text("Nobody has begun yet").is_visible()
    for _ in range(3):
        _take_part(chromium, empty_server, "door-bell")
    # The page that was opened before anybody came follows by itself.
    page.locator("#counts dl").get_by_text("3", exact=True).wait_for(timeout=30_000)
    assert page.locator("#counts tbody tr").count() > 4
    assert faults == []
    page.close()


def test_a_comparison_is_made_shortened_opened_taken_and_watched(chromium, empty_server, owner):
    page = owner.new_page()
    _make(page, empty_server, "comparison", "which-one", "Which one?")
    page.goto(f"{empty_server.home}/studies/which-one/edit/task")
    _set(page, comparison__queries="6", comparison__checks="1", comparison__repeats="0",
         comparison__evaluation="1")  # fmt: skip
    _publish_and_open(page, empty_server, "which-one")
    _take_part(chromium, empty_server, "which-one")
    page.reload()
    assert page.locator("#counts dl dd").first.inner_text() == "1"
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_of_the_dashboard_is_accessible(chromium, empty_server, owner, scheme):
    page = owner.new_page()
    if not page.goto(f"{empty_server.home}/studies/door-bell/edit").ok:
        _make(page, empty_server, "survey", "door-bell", "The door bell")
    view = DESKTOP if scheme == "light" else PHONE
    page.set_viewport_size(view)
    page.emulate_media(color_scheme=scheme)
    for path in PAGES:
        page.goto(empty_server.home + path.format(slug="door-bell"))
        if "edit/" in path:
            page.locator("#glance .screen, #glance .notice").first.wait_for(timeout=20_000)
        result = Axe().run(page, options={"resultTypes": ["violations"]})
        assert result.violations_count == 0, f"{path}: {result.generate_report()}"
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), path
    page.close()


def test_pages_that_say_what_is_wrong_are_accessible_too(chromium, empty_server, owner):
    page, seen, tab = owner.new_page(), set(), owner.new_page()
    _make(page, empty_server, "rerating", "Big Name", "Songs")
    assert page.locator(".problem").count() == 1
    _check_page(page, seen)
    _make(page, empty_server, "rerating", "songs-again", "Songs")
    tab.goto(page.url)
    page.goto(f"{empty_server.home}/studies/songs-again/edit/ending")
    _set(page, quota="many")
    assert page.locator(".problem").count() == 1
    _check_page(page, seen)
    for path in ("publish", "preview"):
        page.goto(f"{empty_server.home}/studies/songs-again/{path}")
        _check_page(page, seen)
    tab.locator('[name="title"]').fill("Typed in the other tab")
    _press(tab, tab.get_by_role("button", name="Save", exact=True).last)
    assert tab.get_by_role("alert").count() == 1
    assert tab.locator('[name="title"]').input_value() == "Typed in the other tab"
    _check_page(tab, seen)
    page.goto(f"{empty_server.home}/people")
    _press(page, page.get_by_role("button", name="Remove"))
    _check_page(page, seen)
    page.goto(f"{empty_server.home}/setup/used")
    _check_page(page, seen)
    page.close()
    tab.close()


def test_signing_in_is_accessible_and_needs_no_script(chromium, empty_server, owner):
    context = chromium.new_context(viewport=PHONE)
    page = context.new_page()
    page.goto(f"{empty_server.home}/studies")
    _check_page(page, set())
    context.close()
    context = chromium.new_context(viewport=PHONE, java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{empty_server.home}/studies")
    page.get_by_label("Name").fill("ada")
    page.get_by_label("Password").fill(PASSWORD)
    _press(page, page.get_by_role("button", name="Sign in"))
    assert page.locator("h1").inner_text() == "Studies"
    _press(page, page.get_by_role("button", name="Sign out"))
    assert page.locator("h1").inner_text() == "Sign in"
    context.close()
