"""Targets, gains, diminishing returns, trade-offs and going live."""

import numpy as np
import pytest
from scipy.special import expit

from howgood import decide
from howgood.errors import InputError, MissingColumnError


@pytest.fixture
def one(make_people):
    """One draw without spread: every answer can be worked out on paper."""
    return make_people(
        {"a": {"alpha": 0.25, "intercept": -8.0, "slope": 10.0, "person_sd": 0.0, "p": 1}},
        n_draws=1,
    )


def test_the_needed_mean_and_the_gains_by_hand(one):
    target = decide.target(one, "a", share=0.8, precision=0.9, recall=0.8)
    assert target.needed_mean.mean == pytest.approx((np.log(4) + 8) / 10)
    assert target.reachable == 1.0
    here = -8 + 10 * (0.25 * 0.9 + 0.75 * 0.8)
    assert target.acceptance.mean == pytest.approx(expit(here))
    assert target.precision_gain.mean == pytest.approx(expit(here + 0.025) - expit(here))
    assert target.recall_gain.mean == pytest.approx(expit(here + 0.075) - expit(here))
    assert target.at_best.mean == pytest.approx(expit(2))


def test_returns_diminish_where_one_more_point_brings_little(make_people):
    steep = make_people(
        {"a": {"alpha": 0.5, "intercept": -20.0, "slope": 40.0, "person_sd": 0.0}}, n_draws=1
    )
    found = decide.target(steep, least_gain=0.005).diminishing_from
    gains = {m: expit(-20 + 40 * (m + 0.01)) - expit(-20 + 40 * m) for m in (found - 0.01, found)}
    assert gains[found] < 0.005 <= gains[found - 0.01]
    assert decide.target(steep, least_gain=1e-12).diminishing_from is None


def test_a_share_nobody_can_reach_is_said_to_be_out_of_reach(one):
    target = decide.target(one, share=0.99)
    assert target.needed_mean is None
    assert target.reachable == 0.0


def test_the_needed_accuracy_gives_the_share_back(asked):
    target = decide.target(asked, "recall first", share=0.7)
    draws = asked.acceptance_draws("recall first")
    at_mean = draws.shares(target.needed_mean.mean, target.needed_mean.mean)
    assert at_mean.mean() == pytest.approx(0.7, abs=0.02)


def test_giving_up_accuracy_costs_acceptance(asked):
    curve = decide.trade_off(asked, "recall first", share=0.6)
    accepting = curve.curve["accepting"]
    assert np.all(np.diff(accepting) > 0)
    draws = asked.acceptance_draws("recall first")
    least = curve.least_accuracy
    assert np.mean(draws.shares(least, least) >= 0.6) >= 0.95
    assert np.mean(draws.shares(least - 0.01, least - 0.01) >= 0.6) < 0.95
    assert decide.trade_off(asked, "recall first", share=0.99).least_accuracy is None


def test_one_share_has_one_interval_whatever_is_decided(asked):
    at = {"size": [10], "precision": [0.85], "recall": [0.85]}
    live = decide.go_live(asked, "recall first", at).table
    target = decide.target(asked, "recall first", precision=0.85, recall=0.85)
    trade = decide.trade_off(asked, "recall first").curve
    for end in ("lower", "upper"):
        expected = getattr(target.acceptance.interval, end)
        assert live[end][0] == pytest.approx(expected, abs=1e-12)
        assert trade[end][85] == pytest.approx(expected, abs=1e-9)


def test_going_live_waits_until_every_later_size_passes_too(one):
    curve = {
        "size": [40, 10, 20, 80],
        "precision": [0.7, 0.5, 0.99, 0.99],
        "recall": [0.7, 0.5, 0.99, 0.99],
    }
    assert decide.go_live(one, "a", curve, share=0.8).size == 80
    found = decide.go_live(one, "a", curve, share=0.8).table
    assert found["size"].tolist() == [10, 20, 40, 80]
    assert found["passes"].tolist() == [False, True, False, True]
    assert decide.go_live(one, "a", curve, share=0.999).size is None


def test_a_small_test_set_delays_going_live(known):
    sizes = {"size": [10, 20], "precision": [0.9, 0.95], "recall": [0.9, 0.95]}
    counts = {
        "size": [10, 20],
        "true_positives": [9, 19],
        "false_negatives": [1, 1],
        "false_positives": [1, 1],
    }
    without = decide.go_live(known, "recall first", sizes, share=0.75)
    with_sampling = decide.go_live(known, "recall first", counts, share=0.75, random_state=1)
    assert without.size == 10
    assert with_sampling.size is None


def test_a_learning_curve_from_any_frame(one):
    import polars as pl

    frame = pl.DataFrame({"size": [1, 2], "precision": [0.5, 1.0], "recall": [0.5, 1.0]})
    assert decide.go_live(one, "a", frame.lazy(), share=0.8).size == 2


def test_unusable_learning_curves_are_refused_kindly(one):
    with pytest.raises(MissingColumnError, match="recall"):
        decide.go_live(one, "a", {"size": [1], "precision": [0.5]})
    with pytest.raises(InputError, match="out of range"):
        decide.go_live(one, "a", {"size": [1], "precision": [85], "recall": [0.9]})
    with pytest.raises(InputError, match="flags nothing has no precision"):
        decide.go_live(one, "a", {"size": [1], "precision": [np.nan], "recall": [0.0]})
    with pytest.raises(InputError, match="Divide percentages"):
        decide.target(one, precision=85)


def test_what_is_reachable_is_what_perfect_accuracy_reaches(make_people):
    """Brute force: also where acceptance does not rise with accuracy at all."""
    lenient = make_people(
        {"a": {"alpha": 0.5, "intercept": 4.0, "slope": 0.0, "person_sd": 1.0}}, spread=2.0
    )
    draws = lenient.acceptance_draws("a")
    assert np.mean(draws.slope <= 0) > 0.3
    people = np.linspace(-8, 8, 2001)
    weight = np.exp(-(people**2) / 2)
    place = (draws.intercept + draws.slope)[:, None] + draws.person_sd[:, None] * people
    share = expit(place) @ weight / weight.sum()
    target = decide.target(lenient, "a", share=0.8)
    assert target.reachable == pytest.approx(np.mean(share >= 0.8), abs=1e-12)
    assert target.reachable == pytest.approx(np.mean(target.at_best.draws >= 0.8), abs=1e-12)
