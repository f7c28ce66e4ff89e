"""Every type of question in a real browser: answered, gone back to, sent twice, offline."""

from datetime import UTC, datetime

import pytest
from tests.flow.hosting.conftest import SURVEY
from tests.journeys.conftest import PICTURE
from tests.journeys.in_process import Running
from tests.journeys.looks import DESKTOP, PHONE, check_page
from tests.journeys.test_journeys import _press
from tests.journeys.test_offline import _saved_page
from tests.kinds.test_question_types import QUESTIONS, asked

from howgood.flow.collected import tidy_rows
from howgood.flow.hosting import add_study, open_host
from howgood.flow.importing import import_files
from howgood.kinds.study import Study

_NOW = datetime(2026, 5, 4, tzinfo=UTC)
# One type per page, so that Back and Forward go from type to type.
STUDY = SURVEY | {
    "slug": "types", "allow_back": True,
    "demographics": [asked(kind, new_page=True) for kind in QUESTIONS],
}  # fmt: skip
ANSWERS = {
    "choice": "dog", "choices": "cat;dog", "scale": "2", "number": 12.5, "text": "Words",
    "slider": 7, "date": "2024-02-29", "pictures": "dog", "matrix-cat": 1, "matrix-dog": 3,
    "ranking-cat": 2, "ranking-dog": 1, "ranking-fish": 3, "sum-cat": 20, "sum-dog": 80,
    "sum-fish": None,
}  # fmt: skip


OWN = "main input:not([type=hidden]), main select, main textarea"


def answer(page):
    """Fill in whatever is on the page, by what people see."""
    for element in page.locator("main input, main select, main textarea").all():
        kind, full = element.get_attribute("type"), element.get_attribute("name")
        name = full.rpartition(".")[2]
        if kind == "hidden" or name not in ANSWERS:
            continue
        value = ANSWERS[name]
        if kind in ("radio", "checkbox"):
            if element.get_attribute("value") in str(value).split(";"):
                element.check()
        elif kind == "range":
            element.focus()
            for _ in range(value + 1):  # from the stop before the first number
                page.keyboard.press("ArrowRight")
        elif element.evaluate("element => element.tagName") == "SELECT":
            element.select_option(str(value))
        elif value is not None:
            element.fill(str(value))


def held(page):
    """What the page's controls hold, by name."""
    return page.evaluate(
        "[...document.querySelectorAll('main input:not([type=hidden]), main select,'"
        " + ' main textarea')]"
        ".filter(e => !['radio', 'checkbox'].includes(e.type) || e.checked)"
        ".map(e => e.name.split('.').pop() + '=' + e.value)"
    )


@pytest.fixture
def host(tmp_path):
    (tmp_path / "door.svg").write_text(PICTURE)
    opened = open_host(str(tmp_path / "answers.sqlite"))
    yield opened
    opened.close()


@pytest.fixture
def running(host, tmp_path):
    add_study(host, Study.from_dict(STUDY), folder=tmp_path, now=_NOW)
    server = Running(host)
    yield server
    server.stop()


def _ways(now):
    """Both sizes, with scripts and without; all but one of them are left to `make slow`."""
    return pytest.mark.parametrize(("view", "scripts"), [
        pytest.param(view, scripts, id=f"{name}-{'scripts' if scripts else 'no-scripts'}",
                     marks=[] if (name, scripts) == now else [pytest.mark.slow])
        for name, view in (("phone", PHONE), ("desktop", DESKTOP)) for scripts in (True, False)
    ])  # fmt: skip


@_ways(("phone", True))
def test_every_type_is_answered_and_holds_its_answer_after_back_and_forward(
    chromium, host, running, view, scripts
):
    with chromium.new_context(viewport=view, java_script_enabled=scripts) as context:
        page = context.new_page()
        page.goto(f"{running.home}/s/types")
        _press(page)
        for _ in QUESTIONS:
            if scripts:
                check_page(page)
            assert page.locator("main img").count() == 0 or page.evaluate(
                "[...document.images].every(image => image.naturalWidth > 0)"
            )
            answer(page)
            given = held(page)
            second = context.new_page()  # another tab shows the same page, without the answers
            second.goto(page.url)
            here = page.url
            _press(page, page.locator("main button").first)
            answer(second)
            _press(second, second.locator("main button").first)  # the same twice is once
            assert second.url == page.url
            second.close()
            page.go_back()
            assert page.url == here
            assert held(page) == given  # what was answered there, not what comes after
            page.go_forward()
            assert page.url != here
            assert page.locator("main input:checked").count() == 0
        (row,) = tidy_rows(host, "types", table="participants")
        assert {name: row[name] for name in ANSWERS} == ANSWERS
        assert row["changes"] == 0


@_ways(("desktop", False))
def test_no_way_back_and_no_filling_in_brings_an_answer_to_another_type(
    chromium, host, tmp_path, view, scripts
):
    """Where going back is not allowed: nothing is held by a page that it was not given on."""
    study = Study.from_dict(STUDY | {"slug": "once", "allow_back": False})
    add_study(host, study, folder=tmp_path, now=_NOW)
    server = Running(host)
    try:
        with chromium.new_context(viewport=view, java_script_enabled=scripts) as context:
            page, names = context.new_page(), set()
            page.goto(f"{server.home}/s/once")
            _press(page)
            for _ in QUESTIONS:
                here, empty = page.url, held(page)
                own = {control.get_attribute("name") for control in page.locator(OWN).all()}
                assert own
                assert not own & names  # a browser fills in by name
                names |= own
                for line in page.locator("main input[type=text], main textarea").all():
                    assert line.evaluate("e => e.autocomplete || e.form.autocomplete") == "off"
                answer(page)
                page.reload()  # some browsers keep what was typed
                assert held(page) == empty
                answer(page)
                _press(page, page.locator("main button").first)
                onward = page.url
                page.go_back()
                assert page.url == here
                assert page.locator(OWN).count() == 0
                page.go_forward()
                assert page.url == onward
                fresh = context.new_page()
                fresh.goto(onward)
                assert held(page) == held(fresh)
                fresh.close()
        (row,) = tidy_rows(host, "once", table="participants")
        assert {name: row[name] for name in ANSWERS} == ANSWERS
    finally:
        server.stop()


def test_every_type_is_answered_with_the_keyboard_alone(chromium, host, running):
    with chromium.new_context(viewport=DESKTOP) as context:
        page = context.new_page()
        page.goto(f"{running.home}/s/types")
        for _ in range(len(QUESTIONS) + 1):
            before = page.url
            while page.evaluate("document.activeElement.tagName") != "BUTTON":
                page.keyboard.press("Tab")
                kind = page.evaluate("document.activeElement.type")
                if kind in ("radio", "range", "select-one"):
                    page.keyboard.press("ArrowDown" if kind != "range" else "ArrowRight")
                elif kind == "checkbox":
                    page.keyboard.press("Space")
                elif kind == "date":
                    page.keyboard.type("02292024")
                elif kind in ("text", "textarea"):
                    page.keyboard.type("0")
            if page.locator("[name$='.ranking-cat'], [name$='.sum-cat']").count():
                # Every place once, a whole sum: what the arrow keys chose is put right.
                answer(page)
                page.locator("main button").first.focus()
            with page.expect_navigation():
                page.keyboard.press("Enter")
            assert page.url != before
        assert page.locator(".problems").count() == 0


def test_every_type_works_in_the_offline_page(chromium, host, tmp_path):
    study = Study.from_dict(STUDY | {"allow_back": False})
    file = _saved_page(host, tmp_path, study, tmp_path)
    with chromium.new_context(viewport=PHONE) as context:
        page = context.new_page()
        faults = []
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto(file.as_uri())
        for _ in range(60):
            check_page(page)
            if page.locator("a[download]").count():
                break
            answer(page)
            for group in page.locator("fieldset.scale").all():
                if not group.locator("input:checked").count():
                    group.locator("label").nth(2).click()
            page.locator("main button:not(.quiet)").first.click()
        assert faults == []
        saved = page.locator("#answers").input_value().encode()
    report = import_files(host, "types", [("a.json", saved)], mapping={}, actor="x", now=_NOW)
    assert report.people == 1
    (row,) = tidy_rows(host, "types", table="participants")
    assert {name: row[name] for name in ANSWERS} == ANSWERS
