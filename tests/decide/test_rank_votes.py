"""Votes between two systems: by hand, against choix, and what must not change the ranking."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.special import expit

from howgood import decide
from howgood.errors import InputError
from howgood.show.leaderboard import Nouns, can_be_told, needed_sections
from howgood.show.votes import needed_rows, side_finding
from howgood.stats.paired_votes import is_side_known

few = settings(max_examples=10, deadline=None)


def test_systems_called_as_columns_are_ranked_by_their_names():
    votes = {"left": ["system_b"] * 9, "right": ["system_a"] * 9,
             "winner": ["system_a"] * 8 + ["tie"]}  # fmt: skip
    ranking = decide.rank_votes(votes, left="left", right="right", winner="winner")
    assert ranking.provenance.settings["votes by answer"] == {"left": 0, "right": 8, "tie": 1}


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
    choix = pytest.importorskip("choix", reason="not among the packages of make test-library")

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


def test_systems_called_1_and_2_are_not_taken_for_shares_of_a_vote():
    votes = {"left": ["1", "2"], "right": ["2", "1"], "winner": ["1", "2"]}
    with pytest.raises(InputError, match=r"may also mean a side.*on which side the winner stood"):
        decide.rank_votes(votes)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"winner": ["a", "b"]}, "left, right or tie"),
        ({"right": ["a", "c"]}, "on both sides"),
        ({"winner": ["0", "1"]}, "do not say which side"),
        ({"winner": ["0", "2"]}, "do not say which side"),
        ({"winner": [0.0, 0.0]}, "do not say which side"),
        ({"winner": ["left", "b"]}, "may also mean a side"),
        ({"winner": ["A", "B"]}, "'A', 'B': names of systems that may also mean a side"),
        ({"winner": ["left", "c"]}, "mixed"),
        ({"winner": ["yes", "no"]}, "'no', 'yes'"),
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


def test_winners_are_called_what_other_programs_call_them():
    votes = _votes(7, n=300)
    expected = decide.rank_votes(votes)
    plain = votes["winner"]
    by_name = np.where(plain == "left", votes["left"], np.where(plain == "right", votes["right"],
                       "tie"))  # fmt: skip
    names = {letter: f"model {letter}" for letter in "abcde"}
    renamed = {side: np.array([names[name] for name in votes[side]]) for side in ("left", "right")}
    for words in (
        {"left": "model_a", "right": "model_b", "tie": "tie (bothbad)"},
        {"left": "Model_A", "right": "model_b ", "tie": "tie"},
        {"left": "1.0", "right": "2.0", "tie": "1.5"},
        {"left": "A", "right": "B", "tie": "draw"},
    ):
        winner = np.array([words[word] for word in plain])
        found = decide.rank_votes(renamed | {"winner": winner})
        np.testing.assert_allclose(found.scores, expected.scores)
    winner = np.array([names.get(name, name) for name in by_name])
    found = decide.rank_votes(renamed | {"winner": winner})
    np.testing.assert_allclose(found.scores, expected.scores)
    other = np.where(np.arange(300) == 5, "model a", winner)
    renamed["left"][5], renamed["right"][5] = "model b", "model c"
    with pytest.raises(InputError, match=r"row 6.*stood on neither side"):
        decide.rank_votes(renamed | {"winner": other})


def test_numbers_that_may_mean_two_things_rank_nobody():
    """0, 1 and 2 are a tie, left and right to some programs; left, right and a tie to others."""
    votes = _votes(7, n=300)
    for codes in (("tie", "left", "right"), ("left", "right", "tie")):
        winner = np.array([codes.index(word) for word in votes["winner"]])
        with pytest.raises(InputError, match="'0', '1', '2': numbers that do not say which side"):
            decide.rank_votes(votes | {"winner": winner})


def test_a_system_that_never_lost_is_not_certain():
    """Four wins of four: the likelihood of being no better is one in sixteen, so no less is said.

    With half a win's chance in each vote against an equal system, P(error) cannot be below what
    these four votes exclude.
    """
    base = _votes(8, systems=4, n=1200, ties=0.0, side=0.0)
    strongest = decide.rank_votes(base).order[0]
    votes = {
        "left": np.append(base["left"], ["new"] * 4),
        "right": np.append(base["right"], [strongest] * 4),
        "winner": np.append(base["winner"], ["left"] * 4),
        "item": np.append(base["item"], [0, 1, 2, 3]),
        "rater": np.append(base["rater"], [0, 1, 2, 3]),
    }
    for options in ({}, {"item": "item", "rater": "rater"}):
        found = decide.rank_votes(votes, **options)
        assert found.error("new", strongest) > 1 / 16 / 2
        assert found.score_sds[found.index("new")] > 1


def test_a_newcomer_neither_leads_by_one_vote_nor_blurs_the_others():
    base = _votes(9, systems=5, n=1500)
    before = decide.rank_votes(base, item="item", rater="rater")
    votes = {name: np.append(values, values[:1]) for name, values in base.items()}
    votes["left"] = np.append(base["left"], "newcomer")
    votes["right"][-1], votes["winner"][-1] = before.order[0], "left"
    found = decide.rank_votes(votes, item="item", rater="rater")
    assert found.best_probability["newcomer"] < 0.5
    assert found.order[0] == before.order[0]
    for first, second in itertools.combinations(before.order, 2):
        assert found.error(first, second) == pytest.approx(before.error(first, second), abs=0.02)
    assert [name for name in found.order if name != "newcomer"] == list(before.order)
    for first, second in itertools.pairwise(found.order):
        assert found.error(first, second) <= 0.5


def test_groups_that_no_vote_connects_are_named_and_not_ordered():
    one, two = _votes(10, systems=2, n=300), _votes(11, systems=2, n=300)
    rename = {"a": "c", "b": "d"}
    for side in ("left", "right"):
        two[side] = np.array([rename[name] for name in two[side]])
    votes = {name: np.concatenate([one[name], two[name]]) for name in one}
    found = decide.rank_votes(votes, item="item", rater="rater")
    assert found.provenance.settings["groups never compared"] == [["a", "b"], ["c", "d"]]
    for first, second in itertools.product("ab", "cd"):
        assert 0.05 < found.error(first, second) < 0.95, "nobody was asked"
    assert found.error("a", "b") < 0.01
    assert found.error("c", "d") < 0.01


def test_pairs_asked_again_are_not_votes_of_their_own():
    votes = _votes(12, n=200)
    turned = _turned(votes)
    again = {name: np.append(votes[name], turned[name][:40]) for name in votes}
    again["repeats"] = np.array([None] * 200 + list(range(1, 41)), dtype=object)
    found = decide.rank_votes(again, item="item", rater="rater", repeats="repeats")
    expected = decide.rank_votes(votes, item="item", rater="rater")
    np.testing.assert_allclose(found.scores, expected.scores)
    assert found.provenance.rows_used == 200
    assert found.provenance.rows_dropped == {"asked again": 40}
    counts = found.provenance.settings["asked again"]
    assert counts["votes"] == 40
    # Each says the same as before, but for pairs that were seen more than twice.
    assert counts["alike"] >= 36
    for marks in (np.array([0.0] * 200 + [1.0] * 40), np.array([False] * 200 + [True] * 40),
                  np.array([np.nan] * 200 + [3.0] * 40)):  # fmt: skip
        named = {**again, "again": again["item"], "repeats": marks}
        other = decide.rank_votes(named, item="again", rater="rater", repeats="repeats")
        np.testing.assert_allclose(other.scores, expected.scores)
        assert other.provenance.settings["items"] == expected.provenance.settings["items"]
    with pytest.raises(InputError, match="every vote asks an earlier one again"):
        decide.rank_votes(again | {"repeats": np.arange(1, 241)}, repeats="repeats")


def test_more_votes_are_said_to_be_needed_and_are_enough():
    """What `needed` says of raters is about what it takes: the same votes by so many raters."""
    rng = np.random.default_rng(13)
    votes = _votes(13, systems=8, n=240, raters=12, items=400)
    found = decide.rank_votes(votes, item="item", rater="rater")
    tied = (found.order[0], found.ties[found.order[0]][-1])
    needed = found.needed(*tied)
    assert needed.status == "needed"
    assert needed.error_now == found.error(*tied)
    assert needed.items > 170 or needed.raters > 12
    factor = int(np.ceil(needed.raters / 12))
    many = {name: np.tile(values, factor) for name, values in votes.items()}
    many["rater"] = np.arange(factor).repeat(240) * 12 + many["rater"]
    many["item"] = rng.integers(400 * factor, size=240 * factor)
    assert decide.rank_votes(many, item="item", rater="rater").error(*tied) < 0.06


def test_one_scale_is_tested_at_the_style_that_each_vote_had():
    rng, n = np.random.default_rng(3), 3_000
    left = rng.integers(0, 5, n)
    right = (left + rng.integers(1, 5, n)) % 5
    words = np.array([100, 200, 400, 800, 1600])  # one system always writes more than the next
    style = np.log(words[left] / words[right]) + rng.normal(0, 0.4, n)
    strengths = np.array([0.8, 0.2, 0.0, -0.2, -0.8])
    won = rng.random(n) < expit(strengths[left] - strengths[right] + style)
    votes = {
        "left": np.array(list("abcde"))[left],
        "right": np.array(list("abcde"))[right],
        "winner": np.where(won, "left", "right"),
        "style": style,
    }
    sides = {name: name for name in votes}
    settings = decide.rank_votes(votes, **sides, random_state=1).provenance.settings
    assert settings["deviance, p-value"] > 0.001


def pairs_to_settle(ranking):
    tables = [section.table for section in needed_sections(ranking, Nouns("vote", "asking"))]
    assert (needed_rows(ranking) is None) == (not tables)
    return [row for table in tables for row in table.rows()]


def test_a_base_that_always_stands_left_is_not_separated_from_its_side():
    rng = np.random.default_rng(3)
    other = np.array(["a", "b"])[rng.integers(0, 2, 200)]
    won = rng.random(200) < 0.3
    votes = {"left": np.full(200, "base"), "right": other, "winner": np.where(won, "left", "right")}
    found = decide.rank_votes(votes)
    assert found.provenance.settings["every pair one way round"]
    assert "shown one way round only" in side_finding(found.provenance.settings).text
    assert found.provenance.settings["sides of systems"] == {"base": 0, "a": -1, "b": -1}
    assert not can_be_told(found, "base", "a")
    assert can_be_told(found, "a", "b")
    named = [{row["to tell"], row["from"]} for row in pairs_to_settle(found)]
    assert found.ties["base"]
    assert all("base" not in pair for pair in named)
    is_swapped = rng.random(200) < 0.5
    swapped = {
        "left": np.where(is_swapped, votes["right"], votes["left"]),
        "right": np.where(is_swapped, votes["left"], votes["right"]),
        "winner": np.where(is_swapped != won, "left", "right"),
    }
    again = decide.rank_votes(swapped)
    assert not again.provenance.settings["every pair one way round"]
    assert again.provenance.settings["sides of systems"] == {}
    assert again.order[-1] == "base"
    assert again.error("a", "base") < 0.05 < found.error("a", "base")


@few
@given(pairs=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=12))
def test_a_side_is_known_where_it_adds_a_dimension_to_strengths(pairs):
    pairs = [pair for pair in pairs if pair[0] != pair[1]] or [(0, 1)]
    left, right = np.array(pairs).T
    strengths = np.eye(6)[left] - np.eye(6)[right]
    with_side = np.column_stack([strengths, np.ones(len(pairs))])
    is_known = np.linalg.matrix_rank(with_side) > np.linalg.matrix_rank(strengths)
    assert is_side_known(left, right) == is_known
