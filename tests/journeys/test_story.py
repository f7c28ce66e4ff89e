"""The map of a report in a real browser: dragged, with sliders, a classifier, without scripts."""

import pytest
from tests.show.test_story import DRAWS, FINDINGS, HEADLINE, _report

from howgood.records.estimate import Estimate
from howgood.show.numbers import percent
from howgood.show.page import to_html

PHONE = {"width": 390, "height": 844}
SHIFT = (
    "new Promise(done => {let sum = 0; new PerformanceObserver(list => {for (const each of "
    "list.getEntries()) sum += each.value}).observe({type: 'layout-shift', buffered: true});"
    "setTimeout(() => done(sum), 400)})"
)


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    file = tmp_path_factory.mktemp("story") / "report.html"
    file.write_text(to_html(_report(headlines=(HEADLINE,), findings=FINDINGS)), encoding="utf-8")
    return file.as_uri()


def _said(precision, recall):
    share = Estimate.from_draws(DRAWS.shares(precision, recall))
    return percent(share.mean)


def test_sliders_and_dragging_say_what_the_fit_says(chromium, address):
    page = chromium.new_page(viewport={"width": 1280, "height": 900})
    page.goto(address)
    page.get_by_role("slider", name="Precision").fill("95")
    page.get_by_role("slider", name="Recall").fill("70")
    assert page.locator("[data-hero]").inner_text() == _said(0.95, 0.70)
    assert "At 95 % precision and 70 % recall" in page.locator("[data-says]").inner_text()
    box = page.locator(".hg-map").bounding_box()
    scale = box["width"] / 460
    page.mouse.move(box["x"] + scale * 300, box["y"] + scale * 60)
    page.mouse.down()
    x, y = 52 + 360 * (0.45 - 0.4) / 0.6, 14 + 360 * (1 - (0.46 - 0.4) / 0.6)
    page.mouse.move(box["x"] + scale * x, box["y"] + scale * y)
    page.mouse.up()
    assert "45 % precision and 46 % recall" in page.locator("[data-says]").inner_text()
    assert "extrapolation" in page.locator("[data-says]").inner_text()
    page.close()


def test_a_classifiers_curve_is_drawn_and_its_best_threshold_found(chromium, address, tmp_path):
    scores = tmp_path / "scores.csv"
    rows = [(1, 0.9), (1, 0.8), (0, 0.7), (1, 0.6), (0, 0.2)]
    scores.write_text("y_true,score\n" + "\n".join(f"{t},{s}" for t, s in rows))
    page = chromium.new_page()
    page.goto(address)
    page.locator("[data-file]").set_input_files(scores)
    page.locator(".curve").wait_for(state="attached")
    # By hand: (1, 1/3), (1, 2/3), (2/3, 2/3), (3/4, 1), (3/5, 1): the one at .6 dominates.
    assert "threshold 0.600" in page.locator("[data-dropped]").inner_text()
    assert page.locator("[data-hero]").inner_text() == _said(0.75, 1.0)
    scores.write_text("a,b\n1,2\n")
    page.locator("[data-file]").set_input_files([])
    page.locator("[data-file]").set_input_files(scores)
    page.get_by_text("needs a column y_true").wait_for()
    page.close()


def test_without_scripts_the_picture_stands_still_and_nothing_moves_on_a_phone(chromium, address):
    context = chromium.new_context(viewport=PHONE, java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    assert page.locator(".hg-map .here").is_visible()
    assert not page.locator(".ask-map").is_visible()
    assert page.locator("[data-hero]").inner_text() == "76 %"
    context.close()
    page = chromium.new_page(viewport=PHONE)
    page.goto(address)
    assert page.evaluate(SHIFT) < 0.1  # the bound of "good" in Web Vitals
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.close()


def test_on_paper_folds_are_open_nothing_is_cut_and_there_is_nothing_to_press(chromium, address):
    page = chromium.new_page(viewport={"width": 700, "height": 1000})  # A4 without its margins
    page.goto(address)
    inside = page.locator("details.fold > :not(summary)")
    assert inside.count() > 0
    assert not inside.first.is_visible()
    page.emulate_media(media="print")
    assert all(part.bounding_box()["height"] > 0 for part in inside.all())
    assert not page.locator(".ask-map").first.is_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    boxes = page.locator(".scroll").all()
    assert all(box.evaluate("(node) => node.scrollWidth <= node.clientWidth") for box in boxes)
    page.close()
