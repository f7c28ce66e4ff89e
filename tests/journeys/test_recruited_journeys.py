"""Languages, stimuli, coming back and the draw in a real browser: both sizes, with and without
scripts, by keyboard alone."""

import hashlib
import re
from datetime import UTC, datetime, timedelta

import pytest
from tests.flow.hosting.conftest import RERATING
from tests.flow.hosting.test_small_tasks import TASK
from tests.journeys.conftest import PICTURE
from tests.journeys.in_process import Running
from tests.journeys.looks import DESKTOP, PHONE, WAYS, check_page
from tests.journeys.test_journeys import _choose, _press
from tests.kinds.test_stimuli import FACTOR, picture, study_with
from tests.kinds.test_translation import german
from tests.smtp import mail_server

from howgood.flow.collected.rows import tidy_rows
from howgood.flow.coming_back import send_due
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
FILM = b"\0\0\0\x18ftypisom\0\0\0\0isommp42"
KINDS = {".storyboard", "audio", "iframe.mock-up", "video"}


def stimuli_study():
    stimuli = [picture("door.svg", text="You come home."), picture("two.svg")]
    stimuli += [picture("tone.wav", scenario=1), picture("mock.html", scenario=2)]
    stimuli += [picture("clip.mp4", scenario=3)]
    # Several pictures of one situation, side by side.
    stimuli += [picture("door.svg", scenario=4), picture("two.svg", scenario=4)]
    data = study_with(*stimuli, storyboard=True, factor=FACTOR)
    return german({**data, "slug": "seen"})


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    folder = tmp_path_factory.mktemp("seen")
    for name in ("door.svg", "two.svg"):
        (folder / name).write_text(PICTURE)
    (folder / "mock.html").write_text(MOCK_UP)
    (folder / "tone.wav").write_bytes(WAV)
    (folder / "clip.mp4").write_bytes(FILM)
    host = open_host(f"sqlite:///{folder / 'howgood.db'}")
    rounds = {**RERATING, "slug": "rounds", "draw": {"text": "Win a book."},
              "rerating": {**RERATING["rerating"], "delay_minutes": 60}}  # fmt: skip
    once = {**RERATING, "slug": "once", "draw": {"text": "Win a book."}}
    small = {**TASK, "framed_by": [PLATFORM]}
    for study in (stimuli_study(), rounds, once, small):
        add_study(host, Study.from_dict(study), folder=folder, now=NOW)
    server = Running(host)
    yield server
    server.stop()
    host.close()


@WAYS
def test_a_study_is_read_in_the_language_chosen_and_shows_its_stimuli(
    chromium, running, view, scripts
):
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
        kinds, most = set(), 0
        while page.locator("main form.answering button").count():
            if scripts:
                check_page(page)
            kinds |= {kind for kind in KINDS if page.locator(kind).count()}
            if page.locator(".pinned").count():
                most = max(most, page.locator("main img").count())
            _choose(page)
            _press(page)
        assert page.get_by_text("Vielen Dank").is_visible()
        assert kinds == KINDS
        assert most >= 2
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
        _go_on_later(page, running)
        if scripts:
            check_page(page)
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
            check_page(page)
        page.get_by_label("Your e-mail address").focus()
        page.keyboard.type(f"person{before}@example.org")
        with page.expect_navigation():
            page.keyboard.press("Enter")
        assert page.get_by_text("You are in the draw").is_visible()
    assert len(draw_list(running.host, "once")) == before + 1


def _go_on_later(page, running):
    """Answer a whole round, and open the page about coming back."""
    page.goto(f"{running.home}/s/rounds")
    while not page.get_by_text("Please come back later").count():
        _choose(page)
        _press(page)
    with page.expect_navigation():
        page.get_by_role("link", name="Continue later or on another device").click()


def test_reminders_are_offered_where_the_server_can_send_mail(chromium, running):
    running.app.state.settings = Settings(
        public_url=running.home, mail="smtp://127.0.0.1:1", mail_from="us@study.example"
    )
    with chromium.new_context(viewport=PHONE) as context:
        page = context.new_page()
        _go_on_later(page, running)
        check_page(page)
        page.get_by_label("Your e-mail address").fill("ada@example.org")
        _press(page, page.get_by_role("button", name="Remind me", exact=True))
        assert page.get_by_text("You will be reminded by e-mail.").is_visible()
        _press(page, page.get_by_role("button", name="Do not remind me; erase my address"))
        assert page.get_by_label("Your e-mail address").is_visible()


PLATFORM = "https://www.mturk.com"


def framing(context, host, address, faults=None):
    """Return a page of another site that shows an address in a frame."""
    context.grant_permissions(["local-network-access"])  # the study is on this machine
    page = context.new_page()
    inside = f'<!doctype html><title>Task</title><iframe id=f width=390 height=700 src="{address}">'
    if faults is not None:
        page.on("console", lambda message: faults.append(message.text))
    page.route(f"{host}/**", lambda route: route.fulfill(body=inside, content_type="text/html"))
    page.goto(f"{host}/task")
    return page


def task_link(running, worker, assignment):
    given = f"workerId={worker}&assignmentId={assignment}&hitId=h&turkSubmitTo={PLATFORM}"
    return f"{running.home}/s/small?{given}"


@WAYS
def test_a_worker_does_two_small_tasks_inside_the_platforms_frame(chromium, running, view, scripts):
    worker = f"W{view['width']}{scripts}"
    for assignment in ("A1", "A2"):
        with chromium.new_context(viewport=view, java_script_enabled=scripts) as context:
            page = framing(context, PLATFORM, task_link(running, worker, assignment))
            frame = page.frame_locator("#f")
            for _ in range(20):
                frame.locator("h1").wait_for()
                here = frame.locator("[name=screen]")
                if frame.locator("[name=assignmentId]").count():
                    break
                for group in frame.locator("fieldset").all():
                    group.locator("label").nth(2).click()
                key = here.input_value()
                frame.locator("main button").first.click()
                frame.locator(f'[name=screen][value="{key}"]').wait_for(state="detached")
            assert frame.locator("[name=assignmentId]").input_value() == assignment
            assert frame.locator("[name=code]").input_value() == "DONE"
    judged = [(row["precision"], row["recall"]) for row in tidy_rows(running.host, "small")]
    assert judged[-2] != judged[-1]  # another task is another scenario


def test_no_other_site_shows_the_study_in_a_frame(chromium, running):
    with chromium.new_context(viewport=PHONE) as context:
        faults = []
        page = framing(context, "https://other.example", task_link(running, "W9", "A9"), faults)
        for _ in range(300):
            if faults:
                break
            page.wait_for_timeout(100)
        assert "frame-ancestors" in faults[0]
        assert page.frame_locator("#f").locator("main form").count() == 0


@WAYS
def test_who_comes_without_the_platforms_id_reads_why(chromium, running, view, scripts):
    with chromium.new_context(viewport=view, java_script_enabled=scripts) as context:
        page = context.new_page()
        page.goto(f"{running.home}/s/small")
        if scripts:
            check_page(page)
        assert page.locator("main button").count() == 0
        assert "Please start from the platform" in page.locator("main").inner_text()


def test_a_reminder_by_a_real_mail_server_leads_back_on_another_device(chromium, running):
    with mail_server() as (port, letters):
        settings = Settings(
            public_url=running.home, mail=f"smtp://127.0.0.1:{port}", mail_from="us@study.example"
        )
        running.app.state.settings = settings
        with chromium.new_context(viewport=DESKTOP) as context:
            page = context.new_page()
            _go_on_later(page, running)
            page.get_by_label("Your e-mail address").fill("ada@example.org")
            _press(page, page.get_by_role("button", name="Remind me", exact=True))
        assert send_due(running.host, settings, now=datetime.now(UTC)) == 0  # not before the round
        assert send_due(running.host, settings, now=datetime.now(UTC) + timedelta(hours=2)) == 1
        (letter,) = letters
    assert letter["To"] == "ada@example.org"
    link = re.search(rf"{running.home}/p/\S+", letter.get_content())[0]
    with chromium.new_context(viewport=PHONE) as phone:
        page = phone.new_page()
        page.goto(link)
        assert page.get_by_text("Please come back later").count()
    assert "ada@example.org" not in str(
        list(tidy_rows(running.host, "rounds", table="participants"))
    )


def test_a_researcher_draws_winners_that_anybody_can_check(chromium, running):
    token = running.session
    page = running.page(chromium, PHONE, session=token)
    entries = draw_list(running.host, "once")
    page.goto(f"{running.home}/studies/once/draw")
    page.get_by_label("Seed").fill("6 12 49")
    page.get_by_label("Prizes").fill("1")
    _press(page, page.get_by_role("button", name="Draw", exact=True))
    check_page(page)
    lots = sorted(
        (hashlib.sha256(f"6 12 49:{entry}".encode()).hexdigest(), entry) for entry in entries
    )
    assert page.locator("main ol li").all_inner_texts() == [entry for _, entry in lots[:1]]
    page.context.close()
