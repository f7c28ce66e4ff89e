"""Spreads without repeats: assumed, per user, per item, or from rating coherence."""

import numpy as np
import pytest

from howgood.errors import InputError, NoEvidenceWarning
from howgood.learn import assumed_uncertainty, rating_coherence
from howgood.records.table import frame_columns

ENGINES = ("dict", "pandas", "polars", "polars lazy", "pyarrow", "duckdb", "spark")
RATINGS = {
    "user": np.array([1, 1, 2, 2]),
    "item": np.array([7, 8, 7, 8]),
    "rating": np.array([3, 5, 4, 2]),
}


def by_pair(frame, name):
    columns = frame_columns(frame, ["user", "item", name], where="test")
    return columns[name][np.lexsort((columns["item"], columns["user"]))].tolist()


@pytest.mark.parametrize("engine", ENGINES)
def test_one_sd_for_all(engine, on_engine):
    result = assumed_uncertainty(on_engine(engine, RATINGS), sd=0.7)
    assert by_pair(result, "mean") == [3, 5, 4, 2]
    assert by_pair(result, "sd") == [0.7] * 4


@pytest.mark.parametrize("engine", ENGINES)
def test_an_sd_per_user_or_per_item(engine, on_engine):
    frame = on_engine(engine, RATINGS)
    per_user = on_engine(engine, {"user": np.array([1, 2]), "sd": np.array([0.0, 0.9])})
    assert by_pair(assumed_uncertainty(frame, sd=per_user), "sd") == [0.0, 0.0, 0.9, 0.9]
    per_item = on_engine(engine, {"item": np.array([7, 8]), "sd": np.array([0.4, 0.5])})
    assert by_pair(assumed_uncertainty(frame, sd=per_item), "sd") == [0.4, 0.5, 0.4, 0.5]


@pytest.mark.parametrize(
    ("sd", "words"),
    [
        (-1.0, "zero or more"),
        (float("nan"), "zero or more"),
        ({"user": [1], "sd": [0.5]}, "2 ratings without an sd"),
        ({"group": [1], "sd": [0.5]}, "a column 'user' or 'item'"),
        ({"user": [1, 2], "sd": [0.5, -0.5]}, "zero or more"),
        ({"user": [1, 2], "sd": ["a", "b"]}, "expected numbers"),
    ],
)
def test_spreads_that_cannot_be_are_refused(sd, words):
    with pytest.raises(InputError, match=words):
        assumed_uncertainty(RATINGS, sd=sd)


def test_predictions_can_be_carried_along():
    table = RATINGS | {"svd": np.array([3.1, 4.9, 4.2, 2.0])}
    assert assumed_uncertainty(table, sd=0.5, keep=["svd"])["svd"].tolist() == [3.1, 4.9, 4.2, 2.0]


COHERENCE = {
    "user": np.array([1, 1, 1, 1, 1, 2, 2]),
    "genre": np.array(["a", "a", "a", "b", "b", "a", "a"]),
    "rating": np.array([1, 2, 3, 4, 2, 5, 5]),
}


@pytest.mark.parametrize("engine", ENGINES)
def test_coherence_pools_the_spread_within_attributes(engine, on_engine):
    result = rating_coherence(on_engine(engine, COHERENCE), attributes="genre")
    columns = frame_columns(result, ["user", "sd", "ratings"], where="test")
    order = np.argsort(columns["user"])
    # User 1: squares 2 (genre a) + 2 (genre b), over 2 + 1 degrees of freedom.
    np.testing.assert_allclose(columns["sd"][order], [np.sqrt(4 / 3), 0.0], atol=1e-12)
    assert columns["ratings"][order].tolist() == [5, 2]


def test_users_who_cannot_be_judged_are_counted():
    table = {name: np.append(values, values[:1]) for name, values in COHERENCE.items()}
    table["user"][-1] = 3
    with pytest.warns(NoEvidenceWarning, match="1 users"):
        result = rating_coherence(table, attributes=["genre"])
    assert result["user"].tolist() == [1, 2]


@pytest.mark.slow
def test_coherence_recovers_the_noise_when_alike_items_are_liked_alike():
    rng = np.random.default_rng(3)
    users, genres, each = 300, 10, 8
    taste = rng.normal(3, 1, (users, genres, 1))
    ratings = rng.normal(np.broadcast_to(taste, (users, genres, each)), 0.6)
    user, genre, _ = np.indices(ratings.shape)
    table = {"user": user.ravel(), "genre": genre.ravel(), "rating": ratings.ravel()}
    found = rating_coherence(table, attributes="genre")["sd"]
    assert np.mean(found**2) == pytest.approx(0.36, rel=0.02)
