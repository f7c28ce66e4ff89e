"""`howgood elicit --browser`: a person clicks, the terminal has the result."""

import json
import queue
import random
import threading
import tomllib

import httpx
import numpy as np
import pytest
from benchmarks.load.people import filled_form
from tests.journeys.looks import check_page

from howgood.cli.main import run
from howgood.flow.elicit_in_browser import given_so_far, take_seat
from howgood.flow.study_files.new import template
from howgood.kinds.pair_choices import compare_answers
from howgood.kinds.study import Study
from howgood.web.server import serve_in_background


@pytest.fixture
def scores(tmp_path):
    rng = np.random.default_rng(1)
    chance = rng.beta(0.5, 0.9, 300)
    rows = [f"{int(rng.random() < s)},{s:.4f}" for s in chance]
    (tmp_path / "scores.csv").write_text("\n".join(["y,s", *rows]))
    return tmp_path / "scores.csv"


def test_an_interview_in_the_browser_ends_in_the_terminal(
    chromium, scores, tmp_path, monkeypatch, capsys
):
    opened = queue.Queue()
    monkeypatch.setattr("webbrowser.open", opened.put)
    log = tmp_path / "log.json"
    command = ["elicit", str(scores), "--truth", "y", "--score", "s", "--browser", "--json",
               "--questions", "6", "--held-out", "2", "--no-checks", "--log", str(log)]  # fmt: skip
    ended = queue.Queue()
    threading.Thread(target=lambda: ended.put(run(command)), daemon=True).start()
    page = chromium.new_page()
    page.goto(opened.get(timeout=120))
    check_page(page)
    for _ in range(40):
        if not page.locator("main button").count():
            break
        _step(page)
    assert ended.get(timeout=120) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["agreement"]["n_questions"] <= 2
    answers = json.loads(log.read_text())["answers"]
    assert len(answers) == result["queries"]
    assert all(each["milliseconds"] > 0 for each in answers)
    # The cases themselves are there to choose a threshold by, as in the terminal...
    counts = json.loads(log.read_text())["counts"]
    assert counts["positives"] + counts["negatives"] == 300
    # ... but whoever always takes the left one is told that nothing describes that.
    assert result["fits"] is False
    assert (result["metric"], result["counts"], result["thresholds"]) == (None, None, None)
    page.close()


def test_whoever_gave_the_last_answer_gets_the_page_after_it(tmp_path):
    """The terminal sees the answer before the browser has followed; it must not close the door."""
    data = tomllib.loads(template("comparison")) | {"slug": "last"}
    seat = take_seat(Study.from_dict(data), database=tmp_path / "last.sqlite")
    serving = serve_in_background(seat.host)
    address = serving.__enter__()
    page = httpx.get(f"{address}/p/{seat.token}", follow_redirects=True)
    form = filled_form(page.text, random.Random(1))  # noqa: S311 - no secret
    sent = httpx.post(page.url, data=form)
    assert sent.is_redirect
    closing = threading.Thread(target=lambda: serving.__exit__(None, None, None))
    closing.start()
    closing.join(0.5)  # long enough for a server that does not wait to be gone
    assert httpx.get(sent.next_request.url).status_code == 200
    closing.join()
    seat.host.close()


def _step(page):
    for box in page.locator("input[type=checkbox]").all():
        box.check()
    for line in page.locator("input[type=text]").all():
        line.fill("3")
    with page.expect_navigation():
        page.locator("main button").first.click()


@pytest.mark.parametrize("other", [["--simulate", "a0=.2"], ["--direct", "3"]])
def test_options_that_mean_nothing_beside_it_are_refused(scores, other, capsys):
    command = ["elicit", str(scores), "--truth", "y", "--score", "s", "--browser", *other]
    assert run(command) == 2
    assert other[0] in capsys.readouterr().err


SIZES = [(1280, 900), (390, 844)]


@pytest.mark.parametrize("kind", ["comparison", "criteria"])
def test_both_cards_and_both_buttons_are_in_view_and_keys_choose(kind, chromium, tmp_path):
    data = tomllib.loads(template(kind)) | {"demographics": []}
    if kind == "comparison":
        data["comparison"] |= {"practice": False, "direct": "none", "interview": False}
    seat = take_seat(Study.from_dict(data), database=tmp_path / "pairs.sqlite")
    with serve_in_background(seat.host) as address:
        page = chromium.new_page()
        page.goto(f"{address}/p/{seat.token}")
        _step(page)  # consent
        _step(page)  # what this is about
        for wide, tall in SIZES:
            page.set_viewport_size({"width": wide, "height": tall})
            shown = [*page.locator(".card").all(), *page.locator(".choose button").all()]
            boxes = [each.bounding_box() for each in shown]
            assert len(boxes) == 4
            assert all(box["y"] >= 0 and box["y"] + box["height"] <= tall for box in boxes)
            assert page.evaluate("document.documentElement.scrollWidth") <= wide
        assert page.locator(".between").count() == 1
        if kind == "comparison":
            page.locator("summary").click()
            page.locator("details[open] table").wait_for()
        for key in ("2", "1", "u"):
            with page.expect_navigation():
                page.keyboard.press(key)
        page.close()
    given = given_so_far(seat)[1]
    seat.host.close()
    chosen = [answer.values["choice"] for answer in compare_answers(given)]
    assert chosen == ["second", "first", "undo"]
    if kind == "comparison":  # the costs were opened at the first pair, and not again
        opened = [answer.values["costs"] for answer in compare_answers(given)]
        assert [text.split()[0] for text in opened] == ["1", "0", "0"]
        assert float(opened[0].split()[1]) >= 0
