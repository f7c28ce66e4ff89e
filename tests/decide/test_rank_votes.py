"""Votes between two systems: by hand, against choix, and what must not change the ranking."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.special import expit

from howgood import decide
from howgood.errors import InputError

few = settings(max_examples=10, deadline=None)


def _votes(seed, *, systems=5, n=400, side=0.3, ties=0.6, raters=12, items=20):
    rng = np.random.default_rng(seed)
    strength = np.linspace(1, -1, systems)
    left = rng.integers(systems, size=n)
    right = (left + 1 + rng.integers(systems - 1, size=n)) % systems
    d = strength[left] - strength[right] + side
    weights = np.column_stack([np.exp(d / 2), np.exp(-d / 2), np.full(n, ties)])
    chances = weights / weights.sum(axis=1, keepdims=True)
    outcome = (rng.random(n)[:, None] > chances.cumsum(axis=1)).sum(axis=1)
    return {
        "left": np.array(list("abcdefgh"))[left],
        "right": np.array(list("abcdefgh"))[right],
        "winner": np.array(["left", "right", "tie"])[np.minimum(outcome, 2)],
        "rater": rng.integers(raters, size=n),
        "item": rng.integers(items, size=n),
    }


def _turned(votes):
    turn = {"left": "right", "right": "left", "tie": "tie"}
    return {
        **votes,
        "left": votes["right"],
        "right": votes["left"],
        "winner": np.array([turn[each] for each in votes["winner"]]),
    }


def test_two_systems_by_hand():
    """30 wins of 40 on either side: log odds of 3, drawn to 0 by the prior of sd 3.

    With the gap d shared as d/2 and -d/2, the mode solves 30 - 40 expit(d) = d / 18.
    """
    votes = {
        "left": ["a"] * 20 + ["b"] * 20,
        "right": ["b"] * 20 + ["a"] * 20,
        "winner": (["left"] * 15 + ["right"] * 5) + (["right"] * 15 + ["left"] * 5),
    }
    found = decide.rank_votes(votes)
    gap = brentq(lambda d: 30 - 40 * expit(d) - d / 18, 0, 5)
    assert found.order == ("a", "b")
    assert found.differences[0, 1] == pytest.approx(gap, abs=1e-6)
    order = found.provenance.settings["order effect (left, log odds)"]
    assert order["estimate"] == pytest.approx(0, abs=1e-6)


def test_choix_finds_the_same_strengths_without_ties():
    import choix

    votes = _votes(1, n=4000, ties=0.0, side=0.0)
    found = decide.rank_votes(votes)
    codes = {name: place for place, name in enumerate(found.systems)}
    pairs = [
        (codes[a], codes[b]) if won == "left" else (codes[b], codes[a])
        for a, b, won in zip(votes["left"], votes["right"], votes["winner"], strict=True)
    ]
    expected = choix.opt_pairwise(len(codes), pairs, alpha=1 / 9)
    # choix has no sides: their effect here is 0 but for chance.
    assert found.scores == pytest.approx(expected - expected.mean(), abs=0.05)


def test_known_strengths_come_back():
    found = decide.rank_votes(_votes(2, n=60_000), item="item", rater="rater")
    assert found.order == tuple("abcde")
    assert found.scores == pytest.approx(np.linspace(1, -1, 5), abs=0.06)
    order = found.provenance.settings["order effect (left, log odds)"]
    assert order["lower"] < 0.3 < order["upper"]


@few
@given(seed=st.integers(0, 300))
def test_turning_every_pair_round_only_turns_the_order_effect(seed):
    votes = _votes(seed)
    one = decide.rank_votes(votes, item="item", rater="rater")
    other = decide.rank_votes(_turned(votes), item="item", rater="rater")
    assert one.scores == pytest.approx(other.scores, abs=1e-7)
    name = "order effect (left, log odds)"
    sides = [each.provenance.settings[name]["estimate"] for each in (one, other)]
    assert sides[0] == pytest.approx(-sides[1], abs=1e-7)


def test_systems_that_are_the_same_tie():
    rng = np.random.default_rng(3)
    votes = _votes(3, systems=4, n=2000)
    twin = rng.random(2000) < 0.5
    for side in ("left", "right"):
        votes[side] = np.where((votes[side] == "b") & twin, "b twin", votes[side])
    found = decide.rank_votes(votes, item="item", rater="rater")
    assert any({"b", "b twin"} <= set(group) for group in found.tie_groups)


def test_one_rater_of_all_votes_makes_places_less_sure():
    votes = _votes(4, n=300)
    alone = decide.rank_votes(votes)
    copies = {name: np.tile(values, 5) for name, values in votes.items()}
    copies["item"] = np.tile(np.arange(300), 5)
    assert decide.rank_votes(copies).score_sds[0] < 0.6 * alone.score_sds[0]
    grouped = decide.rank_votes(copies, item="item")
    assert grouped.score_sds[0] == pytest.approx(alone.score_sds[0], rel=0.15)


def test_style_takes_its_share():
    rng = np.random.default_rng(5)
    n = 6000
    left = rng.integers(2, size=n)
    length = rng.normal(np.where(left == 0, 1.0, -1.0), 1.0)
    won = rng.random(n) < expit(1.0 * length)
    votes = {"left": np.array(["long", "short"])[left], "right": np.array(["short", "long"])[left],
             "winner": np.where(won, "left", "right"), "length": length}  # fmt: skip
    plain = decide.rank_votes(votes)
    styled = decide.rank_votes(votes, style="length")
    assert plain.error("long", "short") < 0.001
    assert abs(styled.differences[0, 1]) < 0.3 * abs(plain.differences[0, 1])


def test_circles_are_counted_next_to_chance():
    votes = {"left": ["a", "b", "c"] * 30, "right": ["b", "c", "a"] * 30, "winner": ["left"] * 90}
    settings_ = decide.rank_votes(votes).provenance.settings
    assert settings_["circular triples"] == 1


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"winner": ["a", "b"]}, "left, right or tie"),
        ({"right": ["a", "c"]}, "on both sides"),
        ({"winner": ["left", None]}, "missing"),
    ],
)
def test_wrong_votes_are_refused_kindly(change, text):
    votes = {"left": ["a", "b"], "right": ["b", "c"], "winner": ["left", "tie"]}
    with pytest.raises(InputError, match=text):
        decide.rank_votes(votes | change)


@pytest.mark.parametrize("engine", ["polars", "polars lazy", "duckdb"])
def test_votes_coded_by_the_engine_give_the_same_board(on_engine, engine):
    rng = np.random.default_rng(11)
    left = rng.integers(0, 4, 400)
    right = (left + rng.integers(1, 4, 400)) % 4
    columns = {
        "left": np.array(["d", "a", "c", "b"])[left],
        "right": np.array(["d", "a", "c", "b"])[right],
        "winner": np.array(["left", "Tie ", "right"])[rng.integers(0, 3, 400)],
        "prompt": rng.integers(5, 30, 400),
        "worker": np.array([f"w{number}" for number in rng.integers(0, 9, 400)]),
        "longer": rng.normal(size=400),
    }
    options = {"item": "prompt", "rater": "worker", "style": "longer"}
    found = decide.rank_votes(on_engine(engine, columns), **options)
    expected = decide.rank_votes(columns, **options)
    assert found.systems == expected.systems
    np.testing.assert_allclose(found.scores, expected.scores)
    np.testing.assert_allclose(found.errors, expected.errors, atol=1e-3)
    assert found.provenance.settings["raters"] == expected.provenance.settings["raters"]
