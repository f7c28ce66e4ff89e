"""An arena from its file of outputs to a settled board: people vote in a real browser."""

import itertools
import json
import math
import random
import re
from datetime import UTC, datetime

import httpx
import pytest
from benchmarks.load.people import filled_form
from tests.journeys.in_process import Running
from tests.journeys.looks import PHONE

from howgood.flow.collected import tidy_rows
from howgood.flow.hosting import add_study, open_host, tokens
from howgood.flow.study_files import new_study, read_study
from howgood.kinds.seeded import draw
from howgood.kinds.votes.next_pair import Pair
from howgood.store.answers import answers_to

DESKTOP = {"width": 1280, "height": 900}
STRENGTHS = {"alpha": 2.0, "beta": 0.0, "twin": 0.0, "gamma": -2.0}
LONG = "\n\n".join(
    f"{number}. A paragraph with **stars**, `code` and <b>tags</b> that goes on for a while, so "
    "that the output is longer than a telephone's screen."
    for number in range(1, 7)
)


@pytest.fixture
def arena(tmp_path):
    rows = [
        {"prompt": f"Question {n}: what would you do?", "model": model,
         "response": f"Answer {n} of hidden-{place}.\n\n{LONG}"}
        for n in range(12)
        for place, model in enumerate(STRENGTHS)
    ]  # fmt: skip
    file = tmp_path / "outputs.jsonl"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    study = read_study(new_study("votes", file))
    study = study.model_copy(
        update={"plan": study.plan.changed(votes=20, reason=True), "title": "Which is better?"}
    )
    host = open_host(f"sqlite:///{tmp_path / 'arena.db'}")
    add_study(host, study, folder=tmp_path, now=datetime.now(UTC))
    running = Running(host)
    yield running, study
    running.stop()
    host.close()


def _side(words, person, number):
    """Which button this person presses, by the strengths behind what they see."""
    seen = [int(place) for place in re.findall(r"hidden-(\d)", words)]
    left, right = (list(STRENGTHS.values())[place] for place in seen)
    wins = draw(person, "vote", number) < 1 / (1 + math.exp(right - left))
    return "1" if wins else "2"


def _votes(page, home, slug, person, *, by_keys):
    page.goto(f"{home}/s/{slug}")
    page.get_by_role("button", name="I agree: start").click()
    page.get_by_role("button", name="Continue").click()
    for number in range(1, 21):
        key = _side(page.locator("main").inner_text(), person, number)
        assert "alpha" not in page.content(), "pages must not name systems"
        if by_keys:
            with page.expect_navigation():
                page.keyboard.press(key)
        else:
            with page.expect_navigation():
                page.get_by_role("button", name=f"{'A' if key == '1' else 'B'} is better").click()
    assert page.get_by_text("VOTES-3308").is_visible()


def _votes_by_forms(home, slug, person):
    """The same votes without drawing the pages: what a browser would send for them."""
    numbers, chance = itertools.count(1), random.Random(person)  # noqa: S311 - no secret
    with httpx.Client(base_url=home, follow_redirects=True) as browser:
        page = browser.get(f"/s/{slug}")
        while "VOTES-3308" not in page.text:
            form = filled_form(page.text, chance)
            for name in [name for name in form if name.endswith("choice")]:
                side = _side(page.text, person, next(numbers))
                form[name] = {"1": "left", "2": "right"}[side]
            page = browser.post(page.url, data=form)
            assert page.status_code == 200
    assert next(numbers) == 21


def test_twelve_people_vote_and_the_live_board_knows_the_order(chromium, arena, monkeypatch):
    running, study = arena
    # People get the same pairs in every run, so that the board they make is the same too.
    seeds = itertools.count(1)
    monkeypatch.setattr(tokens, "fresh_seed", lambda: next(seeds))
    slug = study.slug
    for person in range(2, 12):
        _votes_by_forms(running.home, slug, person)
    for person in range(2):
        is_phone = person == 0
        context = chromium.new_context(
            viewport=PHONE if is_phone else DESKTOP, java_script_enabled=True
        )
        page = context.new_page()
        _votes(page, running.home, slug, person, by_keys=not is_phone)
        context.close()
    rows = list(tidy_rows(running.host, slug))
    assert len(rows) == 240
    assert sum(row["repeats"] is not None for row in rows) == 24
    with running.host.database.reading() as connection:
        assert len(answers_to(connection, 1, begins="vote-")) == 240
    for view, scheme in ((DESKTOP, "light"), (PHONE, "dark")):
        page = running.page(chromium, view, scheme)
        page.goto(f"{running.home}/studies/{slug}")
        board = page.locator("section.board")
        systems = board.locator("tbody th").all_inner_texts()
        assert (systems[0], systems[-1]) == ("alpha", "gamma")
        ties = dict(
            zip(systems, board.locator("tbody td:nth-child(5)").all_inner_texts(), strict=True)
        )
        assert "twin" in ties["beta"], "planted twins must tie"
        assert "beta" in ties["twin"]
        assert "216 votes of 12 people" in board.inner_text()
        assert page.evaluate("document.documentElement.scrollWidth") <= view["width"]
        page.close()


def test_buttons_stay_in_view_on_a_telephone_however_long_outputs_are(chromium, arena):
    running, study = arena
    context = chromium.new_context(viewport=PHONE)
    page = context.new_page()
    page.goto(f"{running.home}/s/{study.slug}")
    page.get_by_role("button", name="I agree: start").click()
    page.get_by_role("button", name="Continue").click()
    for scroll in (0, 400, 10_000):
        page.evaluate(f"window.scrollTo(0, {scroll})")
        for name in ("A is better", "B is better", "Tie", "Both are bad"):
            box = page.get_by_role("button", name=name).bounding_box()
            assert box["y"] >= 0
            assert box["y"] + box["height"] <= PHONE["height"]
            assert box["height"] >= 44
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert page.locator("main b").count() == 0, "outputs are text, never markup"
    page.get_by_label("Why? (optional)").fill("Because 1 is shorter.")
    assert page.get_by_role("button", name="A is better").is_visible()
    with page.expect_navigation():
        page.get_by_role("button", name="Tie").click()
    rows = list(tidy_rows(running.host, study.slug))
    assert (rows[0]["choice"], rows[0]["reason"]) == ("tie", "Because 1 is shorter.")
    assert Pair(prompt=rows[0]["prompt"], left=rows[0]["left"], right=rows[0]["right"])
    context.close()
