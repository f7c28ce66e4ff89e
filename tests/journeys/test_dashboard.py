"""The dashboard in real Chromium: signing in, pages without violations, what is wrong said."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from benchmarks.load.servers import HowgoodServer
from tests.journeys.steps import PASSWORD, become_owner, make_study, save_fields, setup_link
from tests.journeys.test_journeys import DESKTOP, PHONE, _check_page, _press

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
    context = chromium.new_context(viewport=DESKTOP)
    page = context.new_page()
    page.goto(setup_link(empty_server))
    _check_page(page, set())
    become_owner(page, empty_server)
    page.close()
    yield context
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_of_the_dashboard_is_accessible(chromium, empty_server, owner, scheme):
    page = owner.new_page()
    if not page.goto(f"{empty_server.home}/studies/door-bell/edit").ok:
        make_study(page, empty_server, "survey", "door-bell", "The door bell")
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
    make_study(page, empty_server, "rerating", "Big Name", "Songs")
    assert page.locator(".problem").count() == 1
    _check_page(page, seen)
    make_study(page, empty_server, "rerating", "songs-again", "Songs")
    tab.goto(page.url)
    page.goto(f"{empty_server.home}/studies/songs-again/edit/ending")
    save_fields(page, quota="many")
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
