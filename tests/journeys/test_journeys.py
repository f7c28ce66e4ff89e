"""People take part in real Chromium, from the link to the completion code."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from axe_playwright_python.sync_playwright import Axe
from tests.journeys.looks import DESKTOP, PHONE, check_page, shape

KINDS = {"doors": "DOOR-42", "again": "AGAIN-7", "pairs": "PAIR-3"}


def _choose(page):
    """Answer everything on the page as a person with a mouse or a finger would."""
    for number, group in enumerate(page.locator("fieldset").all()):
        options = group.locator("label")
        options.nth((number + 1) % options.count()).click()
    for box in page.locator("div.field input[type=checkbox]").all():
        box.check()
    for line in page.locator("input[type=text]").all():
        line.fill("33")
    for text in page.locator("textarea").all():
        text.fill("Some words")
    for menu in page.locator("select").all():
        menu.select_option(index=2)


def _press(page, button=None):
    """Press a button (the first one) and wait for the page that follows."""
    with page.expect_navigation():
        (button or page.locator("main button").first).click()


def _journey(context, server, slug, *, checker=None):
    """Walk from the link to the end; `checker` is a page with scripts for one that has none.

    The server owns the place, so whoever opens the same link sees the same page.
    """
    page = context.new_page()
    hosts, faults, looked_at = set(), [], set()
    page.on("request", lambda request: hosts.add(request.url.split("/")[2]))
    page.on("console", lambda message: faults.append(message.text))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(f"{server.home}/s/{slug}")
    for _ in range(60):
        if checker is not None and (kind := shape(page)) not in looked_at:
            looked_at.add(kind)
            checker.goto(page.url)
            assert checker.locator("h1").inner_text() == page.locator("h1").inner_text()
        check_page(checker or page)
        buttons = page.locator("main button:not(.quiet)")
        if not buttons.count():
            break
        _choose(page)
        _press(page, buttons.first)
    assert hosts == {f"127.0.0.1:{server.port}"} or hosts == {f"127.0.0.1:{server.port}", ""}
    assert faults == []
    return page


VIEWS = {
    "phone-light": (PHONE, "light", True),
    "desktop-no-scripts": (DESKTOP, "light", False),
    "desktop-dark": (DESKTOP, "dark", True),
    "phone-no-scripts": (PHONE, "dark", False),
}
# Each kind once, and so that with `test_going_back` each is walked with scripts and without;
# pages are looked at in both sizes and colours. `make slow` has all views.
NOW = {("doors", "desktop-no-scripts"), ("again", "desktop-dark"), ("pairs", "phone-no-scripts")}


@pytest.mark.parametrize(
    ("slug", "view", "scheme", "scripts"),
    [
        pytest.param(slug, *how, id=f"{name}-{slug}",
                     marks=[] if (slug, name) in NOW else [pytest.mark.slow])
        for slug in KINDS
        for name, how in VIEWS.items()
    ],
)  # fmt: skip
def test_someone_takes_part_from_the_link_to_the_code(
    chromium, server, slug, view, scheme, scripts
):
    context = chromium.new_context(
        viewport=view, color_scheme=scheme, java_script_enabled=scripts, has_touch=view is PHONE
    )
    checker = None if scripts else chromium.new_page(viewport=view, color_scheme=scheme)
    page = _journey(context, server, slug, checker=checker)
    assert KINDS[slug] in page.locator("main").inner_text()
    context.close()
    if checker is not None:
        checker.close()


def test_pages_with_problems_and_pages_without_a_study_are_accessible_too(chromium, server):
    context = chromium.new_context(viewport=PHONE)
    page = context.new_page()
    for path in ("/", "/p/unknown", "/s/unknown", "/lost"):
        page.goto(server.home + path)
        check_page(page)
    page.goto(f"{server.home}/s/doors")
    _press(page)
    page.locator("input.number").fill("4000")
    _press(page)
    assert page.locator("[role=alert]").count() == 1
    assert page.evaluate("document.activeElement.className") == "problems"
    check_page(page)
    page.goto(f"{server.home}/s/doors")
    page.locator("input.number").fill("40")
    _press(page)
    _press(page)
    _press(page)
    assert page.locator(".problem").count() > 1
    check_page(page)
    context.close()


def test_someone_takes_part_with_the_keyboard_alone(chromium, server):
    context = chromium.new_context(viewport=DESKTOP)
    page = context.new_page()
    page.goto(f"{server.home}/s/again")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    for _ in range(20):
        if not page.locator("main button").count():
            break
        before = page.url + page.locator("h1").inner_text()
        while page.evaluate("document.activeElement.tagName") != "BUTTON":
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.type") == "radio":
                page.keyboard.press("ArrowRight")
        with page.expect_navigation():
            page.keyboard.press("Enter")
        assert page.url + page.locator("h1").inner_text() != before
    assert "AGAIN-7" in page.locator("main").inner_text()
    context.close()


def test_access_keys_choose_between_two_systems_and_undo(chromium, server):
    context = chromium.new_context(viewport=DESKTOP)
    page = context.new_page()
    page.goto(f"{server.home}/s/keys")
    _press(page)
    _press(page)
    keyboard = context.new_cdp_session(page)

    def pair():
        cards = page.locator(".card [role=img]").all()
        assert len(cards) == 2
        return [card.get_attribute("aria-label") or card.text_content() for card in cards]

    def press(key):
        before = page.locator("input[name=screen]").input_value()
        with page.expect_navigation():
            # Playwright's own keyboard leaves out the text of a key that is pressed with Alt.
            keyboard.send("Input.dispatchKeyEvent", {
                "type": "keyDown", "modifiers": 1, "key": key, "text": key, "unmodifiedText": key,
                "windowsVirtualKeyCode": ord(key.upper()),
                "code": f"Digit{key}" if key.isdigit() else f"Key{key.upper()}"})  # fmt: skip
        assert page.locator("input[name=screen]").input_value() != before
        return pair()

    first = pair()
    assert first not in (press("1"), press("2"))
    second = pair()
    press("0")
    assert press("u") == second
    context.close()


def test_back_reload_and_a_second_tab_change_nothing(chromium, server):
    context = chromium.new_context(viewport=DESKTOP)
    page = context.new_page()
    page.goto(f"{server.home}/s/again")
    _press(page)
    _press(page)
    old_tab = context.new_page()
    old_tab.goto(page.url)
    _choose(page)
    _press(page)
    here = page.locator("h1").inner_text()
    page.go_back()
    page.reload()
    assert page.locator("main form").count() == 0
    _press(page, page.locator("main a.button"))
    assert page.locator("h1").inner_text() == here
    _choose(old_tab)
    _press(old_tab)
    assert old_tab.locator("h1").inner_text() == here
    page.goto(f"{server.home}/s/again")
    assert page.locator("h1").inner_text() == here
    context.close()


def _until_the_wait(page, server):
    page.goto(f"{server.home}/s/later")
    while page.locator("main button").count():
        _choose(page)
        _press(page)
    return page.locator("main time")


def test_a_time_is_read_in_the_zone_of_the_reader(chromium, server):
    walked = chromium.new_context(viewport=PHONE)
    page = walked.new_page()
    _until_the_wait(page, server)
    check_page(page)
    for zone in ("America/New_York", "Asia/Kolkata", "Europe/Berlin"):
        context = chromium.new_context(viewport=PHONE, timezone_id=zone, locale="en-GB")
        reader, faults = context.new_page(), []
        reader.on("console", lambda message, faults=faults: faults.append(message.text))
        reader.goto(page.url)
        shown = reader.locator("main time")
        opens = datetime.fromisoformat(shown.get_attribute("datetime")).astimezone(ZoneInfo(zone))
        said = shown.inner_text()
        assert f"{opens:%H:%M}" in said
        assert f"{opens.day} {opens:%B %Y}" in said
        assert "UTC" not in said
        assert said.split()[-1] != f"{opens:%H:%M}"  # the zone is named
        check_page(reader)
        assert faults == []
        context.close()
    walked.close()


def test_without_scripts_a_time_names_its_zone(chromium, server):
    context = chromium.new_context(viewport=PHONE, java_script_enabled=False)
    shown = _until_the_wait(context.new_page(), server)
    assert shown.inner_text().endswith(" UTC")
    context.close()


def test_the_checker_does_find_faults(chromium):
    page = chromium.new_page()
    page.set_content("<html><body><img src='x.png'><input></body></html>")
    assert Axe().run(page).violations_count > 0
    page.close()
