"""A page as people see it: what is asked about stays in view, in any script and size."""

import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.journeys.conftest import PICTURE, comparison, survey
from tests.journeys.in_process import Running
from tests.journeys.looks import DESKTOP, PHONE, WAYS, check_looks, check_page
from tests.journeys.test_journeys import _choose, _press

from howgood.ask import sentences
from howgood.flow.collected import tidy_rows
from howgood.flow.hosting import add_study, open_host
from howgood.kinds.study import Study

_RTL = "ar"  # a throw-away language: English words after Arabic ones, written from right to left
_NOW = datetime(2026, 1, 1, tzinfo=UTC)
# The left and the right end of each drawing, and of every text in it.
_SIDES = """drawings => drawings.map(drawing => [drawing, ...drawing.querySelectorAll("text")].map(
    each => { const box = each.getBoundingClientRect(); return [box.left, box.right]; }))"""


@pytest.fixture(scope="module")
def throw_away_language(tmp_path_factory):
    """One more file in the folder of languages is one more language."""
    target = tmp_path_factory.mktemp("languages")
    shipped = Path(str(sentences.folder()))
    for file in shipped.glob("*.toml"):
        shutil.copy(file, target)
    english = (shipped / "en.toml").read_text(encoding="utf-8")
    text = english.replace('"ltr"', '"rtl"').replace('= "', '= "أهلا ').replace("أهلا rtl", "rtl")
    (target / f"{_RTL}.toml").write_text(text, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sentences, "folder", lambda: target)
        sentences.languages.cache_clear()
        yield
    sentences.languages.cache_clear()


@pytest.fixture(scope="module")
def running(tmp_path_factory, throw_away_language):
    folder = tmp_path_factory.mktemp("page")
    (folder / "door.svg").write_text(PICTURE)
    host = open_host(f"sqlite:///{folder / 'howgood.db'}")
    for slug, language in (("one", "en"), ("right", _RTL)):
        study = survey(slug=slug, language=language, demographics=[])
        study["survey"] |= {"attention": [], "ease_of_use": False}
        add_study(host, Study.from_dict(study), folder=folder, now=_NOW)
    checked = survey(slug="checked", demographics=[])
    checked["survey"] |= {"per_application": 1}
    add_study(host, Study.from_dict(checked), folder=folder, now=_NOW)
    pairs = comparison(slug="right-pairs", language=_RTL, demographics=[])
    pairs["comparison"] |= {"practice": False, "direct": "none"}
    add_study(host, Study.from_dict(pairs), folder=folder, now=_NOW)
    back = survey(slug="back", allow_back=True)
    add_study(host, Study.from_dict(back), folder=folder, now=_NOW)
    server = Running(host)
    yield server
    server.stop()
    host.close()


def scenario_page(context, running, slug="one"):
    page = context.new_page()
    page.goto(f"{running.home}/s/{slug}")
    while not page.locator(".pinned").count():
        _choose(page)
        _press(page, page.locator("main button:not(.quiet)").first)
    return page


@pytest.mark.parametrize("slug", ["one", "right"])
def test_the_scenario_stays_in_view_while_the_last_question_is_answered(chromium, running, slug):
    with chromium.new_context(viewport=PHONE) as context:
        page = scenario_page(context, running, slug)
        check_page(page)
        assert page.evaluate("document.dir") == ("rtl" if slug == "right" else "ltr")
        for view in (PHONE, DESKTOP):
            page.set_viewport_size(view)
            page.evaluate("scrollTo(0, 0)")
            page.locator("fieldset").last.locator("label").nth(5).click()
            scenario = page.locator(".pinned").bounding_box()
            question = page.locator("fieldset").last.bounding_box()
            assert scenario["y"] >= 0
            assert scenario["y"] + scenario["height"] <= view["height"]
            beside = (
                question["x"] >= scenario["x"] + scenario["width"]
                or scenario["x"] >= question["x"] + question["width"]
            )
            assert beside == (view is DESKTOP)
            assert beside or question["y"] >= scenario["y"] + scenario["height"]


def test_a_scenario_with_three_questions_is_short_on_a_phone(chromium, running):
    with chromium.new_context(viewport=PHONE) as context:
        page = scenario_page(context, running)
        assert page.evaluate("document.documentElement.scrollHeight") < 1300  # 2,066 before


@pytest.mark.parametrize("slug", ["one", "right"])
def test_every_target_has_forty_four_pixels_and_the_ends_of_a_scale_wrap_alike(
    chromium, running, slug
):
    with chromium.new_context(viewport=PHONE) as context:
        page = scenario_page(context, running, slug)
        for target in page.locator(".options label, main button, summary").all():
            box = target.bounding_box()
            assert min(box["width"], box["height"]) >= 44
        for scale in page.locator(".scale").all():
            ends = [scale.locator("label span").nth(place).bounding_box() for place in (0, -1)]
            assert ends[0]["height"] == ends[1]["height"]
            assert ends[0]["y"] == ends[1]["y"]


def test_the_label_of_what_was_chosen_is_shown_and_the_others_can_be_heard(chromium, running):
    with chromium.new_context(viewport=PHONE) as context:
        page = scenario_page(context, running)
        scale = page.locator(".scale").first
        scale.get_by_role("radio", name="Slightly likely").check()
        chosen = scale.get_by_text("Slightly likely")
        assert chosen.evaluate("label => getComputedStyle(label).opacity") == "1"
        assert (
            scale.get_by_text("Quite likely").evaluate("label => getComputedStyle(label).opacity")
            == "0"
        )


def test_an_attention_check_shows_the_label_it_asks_for_before_anything_is_chosen(
    chromium, running
):
    with chromium.new_context(viewport=PHONE) as context:
        page = scenario_page(context, running, "checked")
        while not page.get_by_text("Please choose: Quite unlikely.").count():
            _choose(page)
            _press(page, page.locator("main button:not(.quiet)").first)
        check = page.locator("#field-attention-care")
        assert _opacities(check.locator("label span")) == ["1"] * 7
        assert _opacities(page.locator(".scale").first.locator("label span")).count("1") == 2


def _opacities(labels):
    return [label.evaluate("label => getComputedStyle(label).opacity") for label in labels.all()]


@pytest.mark.parametrize("slug", ["one", "right"])
def test_at_twice_the_size_nothing_is_cut_off_and_nothing_covers_the_questions(
    chromium, running, slug
):
    halves = [{side: length // 2 for side, length in view.items()} for view in (PHONE, DESKTOP)]
    with chromium.new_context(viewport=halves[0], device_scale_factor=2) as context:
        page = scenario_page(context, running, slug)
        for half in halves:
            page.set_viewport_size(half)
            check_looks(page)
            page.evaluate("scrollTo(0, 0)")
            page.locator("fieldset").last.locator("label").nth(3).click()
            covered = (
                page.locator("fieldset")
                .last.locator("input")
                .nth(3)
                .evaluate(
                    "input => { const box = input.getBoundingClientRect();"
                    " const top = document.elementFromPoint(box.x + 5, box.y + 5);"
                    " return !input.parentElement.contains(top); }"
                )
            )
            assert not covered


def test_the_title_says_which_step_it_is(chromium, running):
    """The title is what a screen reader says first when a page is new."""
    with chromium.new_context(viewport=PHONE) as context:
        page = scenario_page(context, running)
        assert "Step 2 of 6" in page.title()


@WAYS
def test_somebody_goes_back_changes_an_answer_and_goes_on(chromium, running, view, scripts):
    with chromium.new_context(viewport=view, java_script_enabled=scripts) as context:
        page = scenario_page(context, running, "back")
        _choose(page)
        _press(page, page.locator("main button").first)
        here = page.locator("h1").inner_text()
        while page.locator("main a.quiet").count():  # back to the questions about the person
            _press(page, page.get_by_role("link", name="Back"))
        assert page.locator("input.number").input_value() == "33"
        if scripts:
            check_page(page)
        page.locator("input.number").fill("4")
        _press(page, page.get_by_role("button", name="Save and go on"))
        assert page.locator("[role=alert]").count() == 1
        page.locator("input.number").fill("44")
        _press(page, page.get_by_role("button", name="Save and go on"))
        assert page.locator("h1").inner_text() == here
    (people,) = {row["age"] for row in tidy_rows(running.host, "back", table="participants")}
    assert people == 44


def test_pairs_and_codes_are_whole_on_a_page_from_right_to_left(chromium, running):
    with chromium.new_context(viewport=PHONE) as context:
        page = context.new_page()
        page.goto(f"{running.home}/s/right-pairs")
        while page.locator("main button").count():
            check_page(page)
            for view in (DESKTOP, PHONE):
                page.set_viewport_size(view)
                for frame, *texts in page.locator(".drawing svg").evaluate_all(_SIDES):
                    for left, right in texts:
                        assert frame[0] - 1 <= left <= right <= frame[1] + 1
            _press(page, page.locator("main button:not(.quiet)").first)
        for code in page.locator(".whole").all():
            lines = "element => new Set([...element.getClientRects()].map(box => box.y)).size"
            assert code.evaluate(lines) == 1
            assert code.evaluate("element => getComputedStyle(element).unicodeBidi") == "plaintext"
        assert page.locator(".whole").count() == 2  # of the end, and for withdrawing
