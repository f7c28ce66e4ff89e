"""Means and spreads from repeated ratings, on every engine, and what is refused."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.statistical.judging import unbiased

from howgood.ask import simulate_ratings
from howgood.errors import DroppedRowsWarning, InputError, MissingColumnError
from howgood.learn import (
    RaterConsistency,
    rater_consistency,
    rating_uncertainty,
    unbiased_fourth_power,
    unbiased_variance,
)
from howgood.records.provenance import Provenance
from howgood.records.table import Table, frame_columns

ENGINES = ("dict", "pandas", "polars", "polars lazy", "pyarrow", "duckdb", "spark")
FEW = ("dict", "polars lazy", "duckdb")


def shuffled_ratings():
    ratings = simulate_ratings(users=8, items=3, random_state=4)
    order = np.random.default_rng(0).permutation(len(ratings))
    return {name: values[order] for name, values in ratings.items()}


def sorted_columns(frame, names=("user", "item", "mean", "sd", "trials")):
    columns = frame_columns(frame, names, where="test")
    order = np.lexsort((columns["item"], columns["user"]))
    return {name: values[order] for name, values in columns.items()}


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_gives_mean_sd_and_trials_in_its_own_kind_of_frame(engine, on_engine):
    ratings = shuffled_ratings()
    frame = on_engine(engine, ratings)
    result = rating_uncertainty(frame, trial="trial")
    assert isinstance(result, Table if engine == "dict" else type(frame))
    columns = sorted_columns(result)
    for place, (user, item) in enumerate(
        zip(columns["user"].tolist(), columns["item"].tolist(), strict=True)
    ):
        mine = ratings["rating"][(ratings["user"] == user) & (ratings["item"] == item)]
        assert columns["mean"][place] == pytest.approx(mine.mean(), rel=1e-14)
        assert columns["sd"][place] == pytest.approx(math.sqrt(mine.var()), abs=1e-12)
        assert columns["trials"][place] == 5
    assert len(columns["user"]) == 24


@pytest.mark.parametrize("engine", ["dict", "pandas", "polars", "pyarrow"])
def test_in_memory_rows_are_sorted(engine, on_engine):
    result = rating_uncertainty(on_engine(engine, shuffled_ratings()))
    columns = frame_columns(result, ["user", "item"], where="test")
    pairs = list(zip(columns["user"].tolist(), columns["item"].tolist(), strict=True))
    assert pairs == sorted(pairs)


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_counts_the_same_consistency(engine, on_engine):
    ratings = {"user": [1] * 6 + [2] * 3, "item": [1, 1, 1, 2, 2, 2, 1, 1, 1]}
    ratings["rating"] = [3, 3, 3, 3, 4, 5, 2, 2, 1]
    columns = {name: np.array(values) for name, values in ratings.items()}
    found = rater_consistency(on_engine(engine, columns))
    assert found.pairs == (1, 1, 1)
    assert found.users == (0, 1, 1)
    assert found.pairs_by_user == {(0, 1, 0): 1, (1, 0, 1): 1}
    assert found.provenance.rows_used == 3


def test_consistency_shares_come_with_intervals():
    found = rater_consistency(simulate_ratings(users=100, items=2, random_state=1))
    table = found.table()
    assert (table["lower"] <= table["share"]).all()
    assert (table["share"] <= table["upper"]).all()
    # Jeffreys for 35 of 100, from tables: [0.262, 0.447].
    assert table["lower"][0] == pytest.approx(0.262, abs=0.001)
    assert table["upper"][0] == pytest.approx(0.447, abs=0.001)
    assert found.to_dict()["users"]["one"] == 35


def test_pairs_of_one_user_count_as_one_where_users_differ_and_as_many_where_they_do_not():
    """Ten users who are all or nothing say no more than ten answers would."""
    nothing = Provenance(method="")
    apart = RaterConsistency(
        pairs=(60, 60, 0), users=(5, 5, 0), provenance=nothing,
        pairs_by_user={(12, 0, 0): 5, (0, 12, 0): 5},
    ).table()  # fmt: skip
    # Student's t of ten zeros and ones, on the scale of log odds: 2.262 * sqrt(.25 / 9) / .25.
    half = 2.262 * np.sqrt(0.25 / 9) / 0.25
    ends = [1 / (1 + np.exp(half)), 1 / (1 + np.exp(-half))]
    assert [apart["lower"][3], apart["upper"][3]] == pytest.approx(ends, abs=0.03)
    alike = RaterConsistency(
        pairs=(60, 60, 0), users=(0, 10, 0), provenance=nothing, pairs_by_user={(6, 6, 0): 10}
    ).table()
    unknown = RaterConsistency(pairs=(60, 60, 0), users=(0, 10, 0), provenance=nothing).table()
    # Jeffreys for 60 of 120, from tables: [0.411, 0.589]; nobody differs, or nobody knows.
    for found in (alike, unknown):
        assert found["lower"][3] == pytest.approx(0.411, abs=0.002)
        assert found["upper"][3] == pytest.approx(0.589, abs=0.002)
    assert (alike["lower"][5], alike["upper"][3] < 1) == (0.0, True)


@pytest.mark.parametrize("engine", FEW)
def test_kept_columns_come_along_and_must_not_change_within_a_pair(engine, on_engine):
    ratings = shuffled_ratings()
    ratings["svd"] = ratings["user"] + 0.1 * ratings["item"]
    result = rating_uncertainty(on_engine(engine, ratings), keep=["svd"])
    columns = sorted_columns(result, ("user", "item", "svd"))
    np.testing.assert_allclose(columns["svd"], columns["user"] + 0.1 * columns["item"])
    ratings["svd"][0] += 1
    with pytest.raises(InputError, match="'svd': 1 pairs with several values"):
        rating_uncertainty(on_engine(engine, ratings), keep=["svd"])


@pytest.mark.parametrize("engine", FEW)
def test_missing_ratings_are_refused_or_dropped_with_their_count(engine, on_engine):
    ratings = shuffled_ratings()
    ratings["rating"] = ratings["rating"].astype(float)
    ratings["rating"][[1, 2]] = np.nan, np.inf
    with pytest.raises(InputError, match="2 in 'rating', of 120 rows"):
        rating_uncertainty(on_engine(engine, ratings))
    with pytest.warns(DroppedRowsWarning, match="2 in 'rating'"):
        result = rating_uncertainty(on_engine(engine, ratings), missing="drop")
    assert sorted_columns(result)["trials"].sum() == 118


@pytest.mark.parametrize("engine", FEW)
def test_pairs_rated_once_are_refused_or_dropped_with_their_count(engine, on_engine):
    columns = {"user": [1, 1, 2], "item": [1, 1, 1], "rating": [3, 4, 5]}
    frame = on_engine(engine, {name: np.array(values) for name, values in columns.items()})
    with pytest.raises(InputError, match="1 of 2 pairs rated only once"):
        rating_uncertainty(frame)
    with pytest.warns(DroppedRowsWarning, match="1 of 2 pairs"):
        result = rating_uncertainty(frame, missing="drop")
    assert sorted_columns(result)["user"].tolist() == [1]
    once = on_engine(engine, {name: np.array(values[1:]) for name, values in columns.items()})
    with pytest.raises(InputError, match=r"2 of 2 pairs.*assumed_uncertainty"):
        rating_uncertainty(once, missing="drop")


@pytest.mark.parametrize("engine", [*FEW, "pandas"])
def test_a_trial_given_twice_is_refused(engine, on_engine):
    ratings = simulate_ratings(users=3, items=1, random_state=1)
    ratings["trial"][1] = ratings["trial"][0]
    with pytest.raises(InputError, match="'trial': 1 trials that occur more than once"):
        rating_uncertainty(on_engine(engine, ratings), trial="trial")


@pytest.mark.parametrize("engine", FEW)
def test_text_emptiness_and_absent_columns_have_their_own_words(engine, on_engine):
    ratings = dict(simulate_ratings(users=3, items=1, random_state=1))
    with pytest.raises(InputError, match=r"'rating'.*expected numbers"):
        rating_uncertainty(on_engine(engine, ratings | {"rating": ratings["rating"].astype(str)}))
    with pytest.raises(InputError, match="no row"):
        rating_uncertainty(on_engine(engine, {name: each[:0] for name, each in ratings.items()}))
    with pytest.raises(MissingColumnError, match="no column 'stars'"):
        rating_uncertainty(on_engine(engine, ratings), rating="stars")
    with pytest.raises(InputError, match="one of error, drop"):
        rating_uncertainty(on_engine(engine, ratings), missing="ignore")


def test_a_list_is_not_a_table():
    with pytest.raises(InputError, match="a table"):
        rating_uncertainty([1, 2, 3])


@settings(max_examples=30, deadline=None)
@given(
    ratings=st.lists(st.integers(1, 5), min_size=2, max_size=12),
    factor=st.floats(0.1, 10),
    shift=st.floats(-5, 5),
)
def test_another_scale_moves_mean_and_sd_with_it(ratings, factor, shift):
    columns = {"user": [1] * len(ratings), "item": [1] * len(ratings), "rating": ratings}
    plain = rating_uncertainty(columns)
    moved = rating_uncertainty(columns | {"rating": [each * factor + shift for each in ratings]})
    assert moved["mean"][0] == pytest.approx(plain["mean"][0] * factor + shift, abs=1e-9)
    assert moved["sd"][0] == pytest.approx(plain["sd"][0] * factor, abs=1e-9)


def test_the_three_rules_by_hand():
    ratings = np.array([1.0, 2.0, 2.0, 4.0, 5.0])  # mean 2.8, squares 10.8
    sd = ratings.std()
    assert sd**2 == pytest.approx(10.8 / 5)
    assert unbiased_variance(sd, 5) == pytest.approx(10.8 / 4)
    assert unbiased_fourth_power(sd, 5) == pytest.approx((10.8 / 4) ** 2 * 4 / 6)
    with pytest.raises(InputError, match="at least 2"):
        unbiased_variance(0.0, 1)


@pytest.mark.slow
@pytest.mark.parametrize("trials", [2, 3, 5])
def test_the_rules_are_unbiased(trials, ledger):
    seed = 20189
    rng = np.random.default_rng([seed, trials])
    ratings = rng.normal(3.0, 1.2, (1_000_000, trials))
    sd, away = ratings.std(axis=1), ratings.mean(axis=1) - 3.5
    judgement = unbiased(
        {
            "score": sd**2 + away**2,
            "variance": unbiased_variance(sd, trials),
            "fourth power": unbiased_fourth_power(sd, trials),
        },
        {"score": 1.2**2 + 0.5**2, "variance": 1.2**2, "fourth power": 1.2**4},
    )
    setting = "one normal rater, true mean and spread known"
    name = f"rules for {trials} ratings per pair"
    ledger.add("brute force", name, judgement, setting=setting, seed=seed)
    ledger.settle()


def test_kept_columns_may_not_take_the_names_of_the_result():
    ratings = simulate_ratings(users=3, items=1, random_state=1)
    with pytest.raises(InputError, match=r"'mean'.*Rename"):
        rating_uncertainty({**ratings, "mean": ratings["rating"]}, keep=["mean"])
