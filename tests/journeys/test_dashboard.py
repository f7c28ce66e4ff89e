"""The dashboard in real Chromium: signing in, pages without violations, what is wrong said."""

import pytest
from benchmarks.load.servers import HowgoodServer
from tests.journeys.steps import PASSWORD, become_owner, make_study, save_fields, setup_link
from tests.journeys.test_journeys import DESKTOP, PHONE, _check_page, _press


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
