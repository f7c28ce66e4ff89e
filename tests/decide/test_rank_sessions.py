"""Sessions of the same people: scores by hand, exchanges, and what cannot be read."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howgood.decide import rank_sessions
from howgood.errors import InputError, MissingColumnError


def _table(ratings, predictions, names=None):
    """Ratings (people, items, sessions); predictions by name (people, items)."""
    person, item, session = (codes.ravel() for codes in np.indices(ratings.shape))
    when = session if names is None else np.array(names)[session]
    table = {"user": person, "item": item, "trial": when, "rating": ratings.ravel()}
    for name, values in predictions.items():
        table[name] = values[person, item]
    return table


def test_scores_rankings_and_frequencies_by_hand():
    """One person, two items, two sessions: a is right in the first, b in the second."""
    ratings = np.array([[[3.0, 4.0], [5.0, 4.0]]])
    table = _table(ratings, {"a": np.array([[3.0, 5.0]]), "b": np.array([[4.0, 4.0]])})
    found = rank_sessions(table, predictions=["a", "b"], metric="mae")
    assert found.scores.tolist() == [[0.0, 1.0], [1.0, 0.0]]
    assert {(each.order, each.probability) for each in found.observed} == {
        (("a", "b"), 0.5), (("b", "a"), 0.5),
    }  # fmt: skip
    # Each item answers as in either session: a is off by 0, .5, .5 or 1, b by the rest to 1.
    assert set(found.score_draws[:, 0].round(9)) == {0.0, 0.5, 1.0}
    assert found.score_draws.sum(axis=1) == pytest.approx(1.0)
    assert np.mean(found.score_draws[:, 0] == 0.5) == pytest.approx(0.5, abs=0.04)
    assert found.table()["first"].tolist() == ["a", "b"]
    assert found.n_people == 1
    # One person whose two sessions may be exchanged: nothing can be shown.
    assert found.least_p == pytest.approx(0.5)
    assert found.are_exchangeable is None


def test_a_p_value_is_the_share_of_all_exchanges():
    """Three people, two sessions: eight exchanges, counted one by one."""
    ratings = np.array([[[1.0, 2.0]], [[2.0, 4.0]], [[3.0, 3.5]]])
    found = rank_sessions(
        _table(ratings, {"a": np.zeros((3, 1)), "b": np.ones((3, 1))}), predictions=["a", "b"]
    )
    gaps = ratings[:, 0, 1] - ratings[:, 0, 0]
    seen = abs(gaps.sum())
    signs = np.array(np.meshgrid(*[[-1, 1]] * 3)).reshape(3, -1)
    expected = np.mean(np.abs(gaps @ signs) >= seen - 1e-12)
    assert found.p_values["level"] == pytest.approx(expected, abs=0.03)


def test_a_change_between_sessions_is_found_and_named():
    rng = np.random.default_rng(5)
    plain = rng.normal(3, 1, (40, 4, 1)) + rng.normal(0, 0.5, (40, 4, 5))
    predictions = {"a": np.full((40, 4), 3.0), "b": np.full((40, 4), 3.1)}
    shift = np.array([0.0, 0.0, 0.2, 0.4, 0.6])
    noisier = rng.normal(0, 1, (40, 4, 5)) * np.array([2.0, 0, 0, 0, 0])
    walk = np.cumsum(rng.normal(0, 0.5, (40, 4, 5)), axis=2)
    for name, changed in (("level", plain + shift), ("spread", plain + noisier),
                          ("order", plain + walk)):  # fmt: skip
        found = rank_sessions(_table(changed, predictions), predictions=list(predictions))
        assert found.are_exchangeable is False
        assert found.p_values[name] == min(found.p_values.values()) < 0.01


@given(st.integers(0, 10_000))
@settings(max_examples=15, deadline=None)
def test_order_of_rows_and_names_of_people_change_nothing(seed):
    rng = np.random.default_rng(seed)
    ratings = rng.integers(1, 6, (5, 2, 3)).astype(float)
    table = _table(ratings, {"a": rng.normal(3, 1, (5, 2)), "b": rng.normal(3, 1, (5, 2))})
    mixed = rng.permutation(ratings.size)
    other = {name: np.asarray(values)[mixed] for name, values in table.items()}
    other["user"] = np.array([f"p{code}" for code in other["user"]])
    one, two = (rank_sessions(rows, predictions=["a", "b"]) for rows in (table, other))
    assert one.scores == pytest.approx(two.scores)
    assert one.observed == two.observed
    assert one.p_values == pytest.approx(two.p_values)


def test_sessions_named_otherwise_are_scored_the_same():
    rng = np.random.default_rng(2)
    ratings = rng.normal(3, 1, (6, 2, 3))
    predictions = {"a": np.full((6, 2), 3.0), "b": np.full((6, 2), 2.5)}
    for names in permutations(["x", "y", "z"]):
        found = rank_sessions(_table(ratings, predictions, names), predictions=["a", "b"])
        by_name = dict(zip(found.sessions, found.scores.tolist(), strict=True))
        expected = np.sqrt(np.mean((ratings - 3.0) ** 2, axis=(0, 1)))
        for name, score in zip(names, expected, strict=True):
            assert by_name[name][0] == pytest.approx(score)


def test_pairs_not_rated_in_all_sessions_are_counted_and_left_out():
    rng = np.random.default_rng(3)
    table = _table(rng.normal(3, 1, (4, 2, 3)), {"a": np.zeros((4, 2)), "b": np.ones((4, 2))})
    short = {name: np.delete(values, [0, 4]) for name, values in table.items()}
    found = rank_sessions(short, predictions=["a", "b"])
    assert found.n_pairs == 6
    assert found.provenance.settings["pairs not rated in all sessions"] == 2


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"trial": np.zeros(24, dtype=int)}, "at least two sessions"),
        ({"trial": np.tile([0, 0, 1], 8)}, "one rating per user, item and session"),
        ({"trial": np.arange(24)}, "rated in all 24 sessions"),
        ({"a": np.arange(24.0)}, "one prediction per user and item"),
        ({"rating": np.full(24, np.nan)}, "missing"),
    ],
)
def test_bad_input_is_refused_kindly(change, said):
    rng = np.random.default_rng(3)
    table = _table(rng.normal(3, 1, (4, 2, 3)), {"a": np.zeros((4, 2)), "b": np.ones((4, 2))})
    with pytest.raises(InputError, match=said):
        rank_sessions({**table, **change}, predictions=["a", "b"])


def test_a_missing_column_and_an_unknown_metric_are_named():
    rng = np.random.default_rng(3)
    table = _table(rng.normal(3, 1, (4, 2, 3)), {"a": np.zeros((4, 2)), "b": np.ones((4, 2))})
    with pytest.raises(MissingColumnError, match="visit"):
        rank_sessions(table, predictions=["a", "b"], session="visit")
    with pytest.raises(InputError, match="one of rmse"):
        rank_sessions(table, predictions=["a", "b"], metric="ndcg")
