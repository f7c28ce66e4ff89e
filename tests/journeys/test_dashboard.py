"""The dashboard in real Chromium: signing in, pages without violations, what is wrong said."""

from urllib.parse import urlsplit

import pytest
from benchmarks.load.servers import HowgoodServer
from tests.journeys.looks import DESKTOP, PHONE, check_page
from tests.journeys.steps import PASSWORD, become_owner, field, make_study, save_fields, setup_link
from tests.journeys.test_journeys import _press


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
    check_page(page)
    become_owner(page, empty_server)
    page.close()
    yield context
    context.close()


def test_pages_that_say_what_is_wrong_are_accessible_too(chromium, empty_server, owner):
    page, tab = owner.new_page(), owner.new_page()
    make_study(page, empty_server, "rerating", "Big Name", "Songs")
    assert page.locator(".problem").count() == 1
    check_page(page)
    make_study(page, empty_server, "rerating", "songs-again", "Songs")
    tab.goto(page.url)
    page.goto(f"{empty_server.home}/studies/songs-again/edit/ending")
    save_fields(page, quota="many")
    assert page.locator(".problem").count() == 1
    check_page(page)
    for path in ("publish", "preview"):
        page.goto(f"{empty_server.home}/studies/songs-again/{path}")
        check_page(page)
    field(tab, "title").fill("Typed in the other tab")
    _press(tab, tab.get_by_role("button", name="Save", exact=True).last)
    assert tab.get_by_role("alert").count() == 1
    assert field(tab, "title").input_value() == "Typed in the other tab"
    check_page(tab)
    page.goto(f"{empty_server.home}/people")
    page.get_by_role("link", name="Remove ada…").click()
    assert "Remove the account of ada?" in page.locator("main").inner_text()
    check_page(page)
    _press(page, page.get_by_role("button", name="Remove ada"))
    assert "one owner who stays" in page.get_by_role("alert").inner_text()
    check_page(page)
    page.goto(f"{empty_server.home}/setup/used")
    check_page(page)
    page.close()
    tab.close()


def test_signing_in_is_accessible_and_needs_no_script(chromium, empty_server, owner):
    context = chromium.new_context(viewport=PHONE)
    page = context.new_page()
    page.goto(f"{empty_server.home}/studies")
    check_page(page)
    context.close()
    context = chromium.new_context(viewport=PHONE, java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{empty_server.home}/studies")
    page.get_by_label("Name").fill("ada")
    page.get_by_label("Password").fill(PASSWORD)
    _press(page, page.get_by_role("button", name="Sign in", exact=True))
    assert page.locator("h1").inner_text() == "Studies"
    page.locator(".bar .menu summary").click()
    _press(page, page.get_by_role("button", name="Sign out"))
    assert page.locator("h1").inner_text() == "Sign in"
    context.close()


@pytest.mark.parametrize(("view", "scripts"), [(DESKTOP, True), (PHONE, False)],
                         ids=["desktop", "phone without scripts"])  # fmt: skip
def test_typed_text_survives_every_tab_and_a_discarded_draft_comes_back(
    chromium, empty_server, owner, view, scripts
):
    context = chromium.new_context(viewport=view, java_script_enabled=scripts)
    context.add_cookies(owner.cookies())
    page, slug = context.new_page(), f"typed-{int(scripts)}"
    make_study(page, empty_server, "rerating", slug, "Songs")
    field(page, "title").fill("Typed and not saved")
    _press(page, page.get_by_role("button", name="Ending"))
    assert urlsplit(page.url).path.endswith("/edit/ending")
    assert page.locator("h1").inner_text() == "Typed and not saved"
    field(page, "completion.code").fill("C-99")
    _press(page, page.get_by_role("button", name="Preview"))
    assert page.url.endswith("/preview")
    page.goto(f"{empty_server.home}/studies/{slug}/edit/ending")
    assert field(page, "completion.code").input_value() == "C-99"
    field(page, "completion.code").fill("C-100")
    field(page, "completion.code").press("Enter")  # Enter saves and stays
    page.wait_for_url("**/edit/ending?saved=*")
    assert field(page, "completion.code").input_value() == "C-100"
    page.get_by_role("link", name="Discard draft…").click()
    page.get_by_role("link", name="Keep it").click()
    page.goto(f"{empty_server.home}/studies/{slug}/discard")
    _press(page, page.get_by_role("button", name="Discard draft"))
    assert "is discarded" in page.get_by_role("status").inner_text()
    assert page.goto(f"{empty_server.home}/studies/{slug}/edit/ending").status == 404
    page.goto(f"{empty_server.home}/studies")
    _press(page, page.get_by_role("button", name="Restore the draft of Typed and not saved"))
    page.goto(f"{empty_server.home}/studies/{slug}/edit/ending")
    assert field(page, "completion.code").input_value() == "C-100"
    context.close()


def test_what_was_typed_when_the_session_ended_is_saved_after_signing_in(
    chromium, empty_server, owner
):
    context = chromium.new_context(viewport=PHONE)
    page = context.new_page()
    page.goto(f"{empty_server.home}/login")
    _sign_in(page, PASSWORD)
    make_study(page, empty_server, "rerating", "ended", "Songs")
    field(page, "introduction").fill("Two lines,\n\ntyped with care.")
    other = context.new_page()  # the session ends on the server; this browser still has its cookie
    other.goto(f"{empty_server.home}/studies")
    cookies = context.cookies()
    other.locator(".bar .menu summary").click()
    _press(other, other.get_by_role("button", name="Sign out"))
    context.add_cookies([each for each in cookies if each["name"] == "howgood-session"])
    _press(page, page.get_by_role("button", name="Save", exact=True).last)
    assert "what you typed is saved" in page.get_by_role("status").inner_text()
    check_page(page)
    _sign_in(page, "a wrong password")
    assert page.get_by_role("alert").count() == 1
    _sign_in(page, PASSWORD)
    assert "/studies/ended/edit/texts?saved=" in page.url
    assert field(page, "introduction").input_value() == "Two lines,\n\ntyped with care."
    context.close()


def _sign_in(page, password):
    page.get_by_label("Name").fill("ada")
    page.get_by_label("Password").fill(password)
    _press(page, page.get_by_role("button", name="Sign in", exact=True))
