"""An interview that was interrupted goes on in the browser, at the page where it ended."""

import asyncio
from datetime import UTC, datetime

import numpy as np
import pytest

from howgood import ask, learn, score
from howgood.errors import InputError
from howgood.flow import hosting
from howgood.flow.elicit import Interview
from howgood.flow.elicit_criteria import again, of_classes, of_groups, simulated_respondent
from howgood.flow.elicit_in_browser import (
    criteria_seat,
    criteria_so_far,
    interview_seat,
    interview_so_far,
    private_criteria_study,
)
from howgood.kinds.comparison.screens import shows_pair
from howgood.kinds.criteria import screens as criteria
from howgood.kinds.pair_choices import pair_key
from howgood.learn.elicitation.criteria import CriteriaElicitor

RNG = np.random.default_rng(4)
SCORES = RNG.beta(0.5, 0.9, 800)
MATRICES = learn.threshold_matrices(RNG.random(800) < SCORES, SCORES)
PERSON = score.LinearMetric(a0=0.2).prefers


def _begun(n, **settings):
    elicitor = learn.Elicitor(MATRICES, random_state=5, **settings)
    for number in range(n):
        query = elicitor.query()
        elicitor.answer(PERSON(query.first, query.second), milliseconds=100 + number)
    return Interview(elicitor=elicitor, calibration=None)


def _page(seat):
    look = hosting.look(seat.host, seat.token, now=datetime.now(UTC))
    return asyncio.run(look).screen


@pytest.mark.parametrize("direct", [None, 7.0])
def test_the_earlier_answers_are_filled_in_and_the_next_pair_is_shown(tmp_path, direct):
    earlier = _begun(9, direct_ratio=direct)
    seat = interview_seat(earlier, ask.GENERIC_WORDING, tmp_path / "seat.sqlite")
    screen = _page(seat)
    assert shows_pair(screen)
    assert screen.key == pair_key(10)
    again = interview_so_far(seat, earlier).elicitor
    assert again.answers == earlier.elicitor.answers  # how long each took is kept too
    assert again.query() == earlier.elicitor.query()
    seat.host.close()


def test_an_interview_begins_with_the_seed_that_was_asked_for(tmp_path):
    fresh = _begun(0)
    seat = interview_seat(fresh, ask.GENERIC_WORDING, tmp_path / "seat.sqlite")
    assert _page(seat).kind == "consent"
    assert interview_so_far(seat, fresh).elicitor.seed == 5
    seat.host.close()


def test_answers_to_questions_that_pages_would_not_ask_are_refused(tmp_path):
    with pytest.raises(InputError, match="settings that pages lack"):
        interview_seat(
            _begun(12, max_queries=3, min_queries=2), ask.GENERIC_WORDING, tmp_path / "s.sqlite"
        )


def test_an_interview_about_alternatives_goes_on_too(tmp_path):
    table = {"name": ["a", "b", "c"], "quality": [1.0, 2.0, 3.0], "price": [1.0, 4.0, 9.0]}
    elicitor = CriteriaElicitor(table, criteria={"quality": "max", "price": "min"}, random_state=2)
    for _ in range(4):
        elicitor.query()
        elicitor.answer("first")
    seat = criteria_seat(elicitor, tmp_path / "seat.sqlite")
    assert _page(seat).key == pair_key(5)
    assert len(criteria_so_far(seat, elicitor).answers) == 4
    seat.host.close()


# Long enough for a page that would end with the best alternative to end sooner.
SHORT = {"max_queries": 16, "held_out": 3, "random_state": 5}


def _about(what):
    rng = np.random.default_rng(6)
    if what == "classes":
        chances = rng.dirichlet([1, 1, 1], 600)
        truth = (rng.random((600, 1)) > chances.cumsum(axis=1)).sum(axis=1)
        return of_classes(truth, chances, **SHORT), {"class 0": 0.6, "class 1": 0.2}
    if what == "groups":
        truth, groups = rng.random(800) < SCORES, rng.choice(["f", "m"], 800)
        weights = {"recall": 0.5, "specificity": 0.2, "recall gap": 0.2}
        return of_groups(truth, SCORES, groups, positive=True, **SHORT), weights
    sold = rng.normal(100, 15, 300)
    return learn.QuantileElicitor(sold, np.full(300, 100.0), random_state=5), {
        "too low": 4.0,
        "too high": 1.0,
    }


@pytest.mark.parametrize("what", ["classes", "groups", "quantile"])
def test_a_page_asks_about_classes_groups_and_forecasts_until_the_interview_itself_ends(what):
    asked, weights = _about(what)
    person = simulated_respondent(weights, asked.table)
    page = criteria.begun(private_criteria_study(asked), asked.seed).elicitor
    while (query := asked.shown()) is not None:
        shown = page.shown()
        assert [list(side.values.values()) for side in (shown.first, shown.second)] == [
            list(side.values.values()) for side in (query.first, query.second)
        ]
        choice = person(query.first, query.second)
        asked.answer(choice)
        page.answer(choice)
    assert page.shown() is None
    assert again(_about(what)[0], page).result() == asked.result()
