"""Languages, stimuli, coming back and the draw in a real browser: both sizes, with and without
scripts, by keyboard alone."""

from datetime import UTC, datetime

import pytest
from tests.flow.hosting.conftest import RERATING
from tests.journeys.conftest import PICTURE
from tests.journeys.in_process import Running
from tests.journeys.test_journeys import DESKTOP, PHONE, _check_page, _choose, _press
from tests.kinds.test_stimuli import FACTOR, picture, study_with
from tests.kinds.test_translation import german

from howgood.flow.collected.rows import tidy_rows
from howgood.flow.hosting import add_study, open_host
from howgood.flow.thanks import draw_list
from howgood.kinds.study import Study
from howgood.settings import Settings

NOW = datetime(2026, 5, 4, tzinfo=UTC)
MOCK_UP = (
    "<!doctype html><title>Bell</title><button id=b>Ring</button><p id=p></p>"
    "<script>b.onclick=()=>{p.textContent='rang';"
    "try{p.textContent+=parent.document.title}catch(e){p.textContent+=' alone'}"
    "fetch('/health').then(()=>p.textContent+=' reached',()=>p.textContent+=' cut off')}</script>"
)
WAV = b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x40\x1f\0\0\x40\x1f\0\0\1\0\x08\0data\0\0\0\0"
WAYS = pytest.mark.parametrize(
    ("view", "scripts"), [(PHONE, True), (PHONE, False), (DESKTOP, True), (DESKTOP, False)]
)


def stimuli_study():
    stimuli = [picture("door.svg", text="You come home."), picture("two.svg")]
    stimuli += [picture("tone.wav", scenario=1), picture("mock.html", scenario=2)]
    data = study_with(*stimuli, storyboard=True, factor=FACTOR)
    return german({**data, "slug": "seen"})


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    folder = tmp_path_factory.mktemp("seen")
    for name in ("door.svg", "two.svg"):
        (folder / name).write_text(PICTURE)
    (folder / "mock.html").write_text(MOCK_UP)
    (folder / "tone.wav").write_bytes(WAV)
    host = open_host(f"sqlite:///{folder / 'howgood.db'}")
    rounds = {**RERATING, "slug": "rounds", "draw": {"text": "Win a book."},
              "rerating": {**RERATING["rerating"], "delay_minutes": 60}}  # fmt: skip
    once = {**RERATING, "slug": "once", "draw": {"text": "Win a book."}}
    for study in (stimuli_study(), rounds, once):
        add_study(host, Study.from_dict(study), folder=folder, now=NOW)
    server = Running(host)
    yield server
    server.stop()
    host.close()


@WAYS
def test_a_study_is_read_in_the_language_chosen_and_shows_its_stimuli(
    chromium, running, view, scripts
):
    seen: set[str] = set()
    with chromium.new_context(
        viewport=view, java_script_enabled=scripts, locale="en-GB"
    ) as context:
        page = context.new_page()
        page.goto(f"{running.home}/s/seen")
        link = page.get_by_role("link", name="Deutsch")
        box = link.bounding_box()
        assert min(box["width"], box["height"]) >= 44
        link.focus()
        with page.expect_navigation():
            page.keyboard.press("Enter")
        assert page.get_attribute("html", "lang") == "de"
        kinds = set()
        while page.locator("main form.answering button").count():
            if scripts:
                _check_page(page, seen)
            for kind in (".storyboard", "audio", "iframe.mock-up"):
                if page.locator(kind).count():
                    kinds.add(kind)
            _choose(page)
            _press(page)
        assert page.get_by_text("Vielen Dank").is_visible()
        assert kinds == {".storyboard", "audio", "iframe.mock-up"}
    rows = list(tidy_rows(running.host, "seen", table="participants"))
    assert rows[-1]["study_language"] == "de"


def test_a_mock_up_runs_alone_and_reaches_nothing(chromium, running):
    with chromium.new_context(viewport=PHONE) as context:
        page = context.new_page()
        page.goto(f"{running.home}/s/seen?lang=en")
        while not page.locator("iframe.mock-up").count():
            _choose(page)
            _press(page)
        frame = page.frame_locator("iframe.mock-up")
        frame.get_by_role("button", name="Ring").click()
        frame.get_by_text("rang alone cut off").wait_for()


@WAYS
def test_somebody_comes_back_on_another_device(chromium, running, view, scripts):
    with chromium.new_context(viewport=view, java_script_enabled=scripts) as context:
        page = context.new_page()
        page.goto(f"{running.home}/s/rounds")
        while not page.get_by_text("Please come back later").count():
            _choose(page)
            _press(page)
        with page.expect_navigation():
            page.get_by_role("link", name="Continue later or on another device").click()
        if scripts:
            _check_page(page, set())
        own = page.locator(".own-link a").inner_text()
        with page.expect_download() as calendar:
            page.get_by_role("link", name="Add it to my calendar").click()
        assert calendar.value.suggested_filename == "howgood.ics"
    with chromium.new_context(viewport=PHONE) as other:
        page = other.new_page()
        page.goto(own)
        assert page.get_by_text("Please come back later").count()


@WAYS
def test_somebody_enters_the_draw_by_keyboard(chromium, running, view, scripts):
    before = len(draw_list(running.host, "once"))
    with chromium.new_context(viewport=view, java_script_enabled=scripts) as context:
        page = context.new_page()
        page.goto(f"{running.home}/s/once")
        while page.locator("main form.answering button").count():
            _choose(page)
            _press(page)
        with page.expect_navigation():
            page.get_by_role("link", name="Take part in the draw").click()
        if scripts:
            _check_page(page, set())
        page.get_by_label("Your e-mail address").focus()
        page.keyboard.type(f"person{before}@example.org")
        with page.expect_navigation():
            page.keyboard.press("Enter")
        assert page.get_by_text("You are in the draw").is_visible()
    assert len(draw_list(running.host, "once")) == before + 1


def test_reminders_are_offered_where_the_server_can_send_mail(chromium, running):
    running.app.state.settings = Settings(
        public_url=running.home, mail="smtp://127.0.0.1:1", mail_from="us@study.example"
    )
    with chromium.new_context(viewport=PHONE) as context:
        page = context.new_page()
        page.goto(f"{running.home}/s/rounds")
        while not page.get_by_text("Please come back later").count():
            _choose(page)
            _press(page)
        with page.expect_navigation():
            page.get_by_role("link", name="Continue later or on another device").click()
        _check_page(page, set())
        page.get_by_label("Your e-mail address").fill("ada@example.org")
        _press(page, page.get_by_role("button", name="Remind me", exact=True))
        assert page.get_by_text("You will be reminded by e-mail.").is_visible()
        _press(page, page.get_by_role("button", name="Do not remind me; erase my address"))
        assert page.get_by_label("Your e-mail address").is_visible()
