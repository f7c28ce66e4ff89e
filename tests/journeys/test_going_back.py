"""Back, Forward, reload, restored tabs: no page ever holds or sends the answers of another."""

import json
import sqlite3
from pathlib import Path

import pytest
from tests.journeys.conftest import FLAGS, OTHERS, find_chromium
from tests.journeys.firefox import Firefox, find_firefox
from tests.journeys.looks import DESKTOP, PHONE, shape
from tests.journeys.test_journeys import _press

from howgood.flow.hosting import tokens

CONTROLS = "main input:not([type=hidden]), main select, main textarea, main button"
HELD = "main input:checked, main option:checked:not([value=''])"
FRAME = {"screen", "signature", "visit"}


def token_of(page):
    return page.url.split("/p/")[1].split("/")[0]


def step_of(page):
    return int(page.url.rpartition("/")[2])


def stored_answers(server, token):
    """What the database holds of a person, by screen."""
    with sqlite3.connect(server.folder / "answers.sqlite") as connection:
        rows = connection.execute(
            "SELECT answers.screen, answers.content FROM answers JOIN participants"
            " ON participants.id = answers.participant_id WHERE token_digest = ?",
            [tokens.digest(token)],
        ).fetchall()
    return {screen: json.loads(content) for screen, content in rows}


def choose(page, number):
    """Answer everything with the option of this number, and return what was chosen."""
    screen = page.locator("input[name=screen]").input_value()
    chosen = {}
    for group in page.locator("fieldset").all():
        option = group.locator("input").nth(number % group.locator("input").count())
        option.check()
        chosen[option.get_attribute("name")] = option.get_attribute("value")
    for line in page.locator("main input[type=text], main textarea").all():
        line.fill(str(20 + number))
        chosen[line.get_attribute("name")] = str(20 + number)
    for menu in page.locator("main select").all():
        menu.select_option(index=number + 1)
        chosen[menu.get_attribute("name")] = menu.input_value()
    button = page.locator("main button:not(.quiet)").nth(
        number % page.locator("main button:not(.quiet)").count()
    )
    if button.get_attribute("name"):
        chosen[button.get_attribute("name")] = button.get_attribute("value")
    return screen, button, {key.removeprefix(f"{screen}."): each for key, each in chosen.items()}


def is_stored(stored, chosen):
    """Whether the database holds what was chosen; what is not on the page (the pair) aside."""
    flat = {key: ";".join(each) if isinstance(each, list) else str(each)
            for key, each in stored.items() if each is not None}  # fmt: skip
    return all(flat.get(key, "") == value for key, value in chosen.items())


def go_astray(page, here):
    """Use every way back and forth a browser has; nothing may be held by a page it was not for."""
    page.go_back()
    if "/p/" in page.url and step_of(page) < here:
        assert page.locator(CONTROLS).count() == 0
    page.go_forward()
    assert step_of(page) == here
    assert page.locator(HELD).count() == 0
    page.go_back()
    page.reload()
    onward = page.locator("main a.button")
    if onward.count():
        _press(page, onward)
    assert step_of(page) == here
    assert page.locator(HELD).count() == 0


# Each kind of study once, half of them without scripts; `make slow` has all, on every page.
WAYS = [(slug, place % 2 == 0) for place, slug in enumerate(["doors", "again", "pairs", *OTHERS])]


@pytest.mark.parametrize(
    ("slug", "scripts", "everywhere"),
    [
        *[pytest.param(*way, False) for way in WAYS],
        *[pytest.param(slug, scripts, True, marks=pytest.mark.slow)
          for slug, _ in WAYS for scripts in (True, False)],
    ],
)  # fmt: skip
def test_whoever_goes_back_and_forth_on_every_page_stores_what_they_chose(
    chromium, server, slug, scripts, everywhere
):
    """On every kind of page that follows another kind; everywhere is for `make slow`."""
    context = chromium.new_context(viewport=PHONE, java_script_enabled=scripts)
    page = context.new_page()
    page.goto(f"{server.home}/s/{slug}")
    _press(page)
    token, chosen, names = token_of(page), {}, set()
    steps, before = set(), ""
    for number in range(60):
        if not page.locator("main button").count():
            break
        here, step = step_of(page), (before, shape(page))
        if number and (everywhere or step not in steps):
            go_astray(page, here)
        steps.add(step)
        before = step[1]
        own = {each.get_attribute("name") for each in page.locator("main [name]").all()} - FRAME
        assert not own & names
        names |= own
        screen, button, chosen[screen] = choose(page, number)
        _press(page, button)
        assert step_of(page) == here + 1
    stored = stored_answers(server, token)
    assert stored.pop("consent") == {"consent": "yes"}
    assert stored.keys() == chosen.keys()
    assert [each for each in stored if not is_stored(stored[each], chosen[each])] == []
    context.close()


def _second_scenario(page, server):
    """Answer the first scenario with the third answer throughout; return what stands there."""
    page.goto(f"{server.home}/s/plain")
    _press(page)
    _press(page)
    screen, button, chosen = choose(page, 2)
    _press(page, button)
    return screen, chosen


def test_one_click_after_back_stores_nothing_for_the_page_that_was_not_answered(chromium, server):
    context = chromium.new_context(viewport=DESKTOP)
    page = context.new_page()
    screen, _ = _second_scenario(page, server)
    here, stored = page.url, stored_answers(server, token_of(page))
    page.go_back()
    assert page.locator("dd", has_text="Slightly unlikely").count() == len(stored[screen])
    _press(page, page.get_by_role("link", name="Continue where you are"))
    assert page.url == here
    _press(page)
    assert page.locator("[role=alert]").count() == 1
    assert stored_answers(server, token_of(page)) == stored
    context.close()


def test_another_answer_from_an_old_tab_is_shown_not_to_count(chromium, server):
    """Where a browser keeps whole pages (bfcache), going back leads to such a page."""
    context = chromium.new_context(viewport=DESKTOP)
    page, old = context.new_page(), context.new_page()
    page.goto(f"{server.home}/s/plain")
    _press(page)
    _press(page)
    old.goto(page.url)
    twin = context.new_page()
    twin.goto(page.url)
    _, button, _ = choose(page, 2)
    _press(page, button)
    stored, here = stored_answers(server, token_of(page)), page.url
    _, button, _ = choose(twin, 2)
    _press(twin, button)
    assert twin.url == here  # the same sent twice: on they go
    _, button, _ = choose(old, 5)
    _press(old, button)
    assert step_of(old) == step_of(page) - 1
    assert "Your first answer counts" in old.locator("main").inner_text()
    assert old.locator("dd", has_text="Slightly unlikely").count() > 0
    assert stored_answers(server, token_of(page)) == stored
    context.close()


# Criteria are chosen by buttons, as votes are.
@pytest.mark.parametrize(
    "slug",
    [each if each != "criteria" else pytest.param(each, marks=pytest.mark.slow) for each in OTHERS],
)
def test_a_second_tab_of_every_kind_gives_no_second_answer(chromium, server, slug):
    context = chromium.new_context(viewport=PHONE)
    page = context.new_page()
    page.goto(f"{server.home}/s/{slug}")
    for _ in range(30):
        if not page.locator("main button").count():
            break
        old = context.new_page()
        old.goto(page.url)
        _, button, _ = choose(page, 1)
        _press(page, button)
        stored = stored_answers(server, token_of(page))
        if old.locator("input[name=screen]").count() and "/p/" in old.url:
            _, button, _ = choose(old, 0)
            _press(old, button)
            assert step_of(old) in (step_of(page), step_of(page) - 1)
        assert stored_answers(server, token_of(page)) == stored
        old.close()
    assert len(stored) >= 4
    context.close()


def test_ratings_asked_for_again_are_not_shown_by_going_back(chromium, server):
    context = chromium.new_context(viewport=DESKTOP)
    page = context.new_page()
    page.goto(f"{server.home}/s/again")
    _press(page)
    _press(page)
    _, button, _ = choose(page, 4)
    _press(page, button)
    page.go_back()
    said = page.locator("main").inner_text()
    assert "very much" not in said
    assert "frühere Bewertungen werden nicht noch einmal gezeigt" in said
    context.close()


def test_old_links_lead_to_the_step_a_person_is_at(chromium, server):
    context = chromium.new_context(viewport=DESKTOP)
    page = context.new_page()
    _second_scenario(page, server)
    here, token = page.url, token_of(page)
    for path in ("/s/plain", f"/p/{token}", f"/p/{token}/900", f"/p/{token}/0", f"/p/{token}/x"):
        page.goto(server.home + path)
        assert page.url == here
    context.close()


def _profile(browsers, folder):
    # Playwright turns the cache of whole pages off; people have it on.
    return browsers.chromium.launch_persistent_context(
        folder, executable_path=find_chromium(), args=[*FLAGS, "--restore-last-session"],
        ignore_default_args=["--disable-back-forward-cache"], viewport=DESKTOP)  # fmt: skip


def _travel(page, steps):
    """Go through the history as the buttons do; Playwright's own way misses kept pages."""
    page.evaluate(f"history.go({steps})")
    page.wait_for_timeout(700)


def test_a_page_the_browser_kept_whole_cannot_change_an_answer_or_give_another(
    browsers, server, tmp_path
):
    context = _profile(browsers, tmp_path / "profile")
    page = context.new_page()
    screen, chosen = _second_scenario(page, server)
    token, here = token_of(page), step_of(page)
    _travel(page, -1)
    assert step_of(page) == here - 1
    if page.locator("main form").count():  # kept as it was when it was sent
        _, button, _ = choose(page, 5)
        _press(page, button)
        assert step_of(page) == here - 1
    assert "Your first answer counts" in page.locator("main").inner_text()
    _press(page, page.get_by_role("link", name="Continue where you are"))
    assert (step_of(page), page.locator(HELD).count()) == (here, 0)
    stored = stored_answers(server, token)
    assert is_stored(stored[screen], chosen)
    assert len(stored) == here - 1
    context.close()


def test_tabs_of_a_browser_that_was_closed_come_back_without_foreign_answers(
    browsers, server, tmp_path
):
    if Path(find_chromium()).name == "start-chromium":
        pytest.skip("Chromium out of a package registry has no windows, so keeps no tabs")
    context = _profile(browsers, tmp_path / "profile")
    page = context.new_page()
    screen, chosen = _second_scenario(page, server)
    token, here = token_of(page), step_of(page)
    choose(page, 4)  # ticked, never sent
    page.wait_for_timeout(3000)  # a browser writes its tabs down every few seconds
    context.close()
    context = _profile(browsers, tmp_path / "profile")
    page = next((each for each in context.pages if "/p/" in each.url), None)
    assert page is not None
    assert (step_of(page), page.locator(HELD).count()) == (here, 0)
    _travel(page, -1)
    assert page.locator(CONTROLS).count() == 0
    _travel(page, 1)
    assert (step_of(page), page.locator(HELD).count()) == (here, 0)
    stored = stored_answers(server, token)
    assert is_stored(stored[screen], chosen)
    assert len(stored) == here - 1
    context.close()


@pytest.fixture(scope="module")
def firefox(tmp_path_factory):
    program = find_firefox()
    if program is None:
        pytest.skip("no Firefox on the PATH: apt-get install firefox-esr")
    browser = Firefox(program, tmp_path_factory.mktemp("firefox"))
    yield browser
    browser.close()


N_HELD = f"document.querySelectorAll({HELD!r}).length"
N_CONTROLS = f"document.querySelectorAll({CONTROLS!r}).length"


@pytest.mark.parametrize(("slug", "pages"), [("plain", 4), ("again", 5), ("pairs", 6)])
def test_going_back_and_forth_in_firefox_puts_no_answer_on_another_page(
    firefox, server, slug, pages
):
    firefox.open(f"{server.home}/s/{slug}")
    firefox.click("main button")
    for _ in range(pages):
        address, before = firefox.address, int(firefox.address.rpartition("/")[2])
        for number in range(firefox.evaluate("document.querySelectorAll('fieldset').length")):
            firefox.click(f"fieldset:nth-of-type({number + 1}) label")
        firefox.evaluate(
            "document.querySelectorAll('main input[type=text]').forEach(e => e.value = '33')"
        )
        sent = firefox.evaluate(N_HELD)
        firefox.click("main button:not(.quiet)")
        assert firefox.address == f"{address.rpartition('/')[0]}/{before + 1}"
        assert firefox.evaluate(N_HELD) == 0
        firefox.back()
        assert firefox.address == address
        kept = firefox.evaluate("document.querySelectorAll('main form').length")
        # A page that was kept whole holds what was sent from it; one that was not, nothing.
        assert firefox.evaluate(N_HELD) == (sent if kept else 0)
        firefox.reload()
        assert firefox.evaluate(N_CONTROLS) == 0
        firefox.forward()
        assert firefox.address == f"{address.rpartition('/')[0]}/{before + 1}"
        assert firefox.evaluate(N_HELD) == 0
        firefox.reload()
        assert firefox.evaluate(N_HELD) == 0
    stored = stored_answers(server, firefox.address.split("/p/")[1].split("/")[0])
    consent = 1
    assert len(stored) == pages + consent
