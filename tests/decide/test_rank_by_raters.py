"""Ranking predictions on several raters' ratings: by hand, other raters, and what is refused."""

from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from scipy.stats import t as student

from howgood.decide import rank_ratings
from howgood.errors import DroppedRowsWarning, InputError, MissingValueError

NET = 0.004


def _table(seed=1, *, items=30, raters=3, leniency=0.0):
    """Ratings of items by raters, and two judges: one too high, one too low by the same."""
    rng = np.random.default_rng(seed)
    item, rater = (each.ravel() for each in np.indices((items, raters)))
    truth = rng.normal(3, 1, items)
    rating = truth[item] + rng.normal(0, leniency, raters)[rater] + rng.normal(0, 0.5, item.size)
    noise = rng.normal(0, 0.4, (2, items))
    return {
        "item": item,
        "rater": rater,
        "rating": rating,
        "high": (truth + 0.4 + noise[0])[item],
        "low": (truth - 0.4 + noise[1])[item],
    }


def _ranked(table, **given):
    return rank_ratings(table, predictions=["high", "low"], rater="rater", **given)


def test_one_rater_is_the_paired_t_test_of_squared_errors():
    table = _table(raters=1)
    ranking = _ranked(table)
    squares = [(table["rating"] - table[name]) ** 2 for name in ("high", "low")]
    d = squares[0] - squares[1]
    t = abs(d.mean()) / np.sqrt(d.var(ddof=1) / len(d))
    assert ranking.error(*ranking.order) == pytest.approx(student.cdf(-t, 29), abs=NET)
    assert ranking.scores == pytest.approx([np.sqrt(each.mean()) for each in squares])
    assert (ranking.doubt, ranking.n, ranking.metric) == ("items", 30, "rmse")
    assert ranking.provenance.settings["raters"] == 1


@pytest.mark.parametrize(("metric", "power"), [("mse", 2), ("mae", 1)])
def test_other_metrics_are_means_of_their_losses(metric, power):
    table = _table()
    ranking = _ranked(table, metric=metric)
    losses = [np.mean(np.abs(table["rating"] - table[name]) ** power) for name in ("high", "low")]
    assert ranking.scores == pytest.approx(losses)
    assert ranking.doubt == "items and raters"


def test_lenient_raters_are_a_sample_and_not_evidence():
    """The same three raters on everything: their leniency favours a judge on every item."""
    said, repeated, flipped = [], [], []
    for seed in range(30):
        table = _table(seed, items=150, leniency=0.6)
        other = _table(seed + 1000, items=150, leniency=0.6)
        ranking = _ranked(table)
        first, second = ranking.order
        said.append(ranking.error(first, second))
        flipped.append(_ranked(other).order != (first, second))
        copied = {**table, "user": table["item"]}
        repeated.append(rank_ratings(copied, predictions=[first, second]).error(first, second))
    # Both judges are equally good: other raters turn the order round half the time.
    assert 0.25 < np.mean(flipped) < 0.75
    # Taken as repeats of each other, the raters of an item made many of these orders certain.
    assert np.mean(np.array(repeated) < 0.001) > 0.25
    assert np.mean(np.array(said) < 0.001) == 0.0
    assert np.mean(np.array(said) < 0.025) < 0.15


def test_naming_the_item_as_the_user_is_refused():
    with pytest.raises(InputError, match="Name the column that says who rated"):
        rank_ratings(_table(), predictions=["high", "low"], user="item")


def test_predictions_may_stand_in_a_table_of_their_own():
    table = _table()
    columns = {name: table.pop(name) for name in ("high", "low")}
    first = [np.flatnonzero(table["item"] == each)[0] for each in range(30)]
    predicted = {"item": np.arange(30), **{k: v[first] for k, v in columns.items()}}
    together = _ranked(table | columns)
    apart = _ranked(pl.DataFrame(table), predicted=pl.DataFrame(predicted))
    assert apart.errors.tolist() == together.errors.tolist()
    each = {"item": table["item"], "rater": table["rater"], **columns}
    assert _ranked(table, predicted=each).errors.tolist() == together.errors.tolist()
    with pytest.raises(InputError, match="one row per item"):
        _ranked(table, predicted={k: np.concatenate([v, v[:1]]) for k, v in predicted.items()})
    part = {k: v[:-1] for k, v in predicted.items()}
    with pytest.raises(MissingValueError, match="high"):
        _ranked(table, predicted=part)
    with pytest.warns(DroppedRowsWarning, match="3 of 90 rows"):
        ranking = _ranked(table, predicted=part, missing="drop")
    assert (ranking.n, dict(ranking.provenance.rows_dropped)) == (29, {"missing or not finite": 3})


def test_three_systems_cannot_contradict_each_other():
    table = _table(leniency=0.5)
    table["middle"] = (table["high"] + table["low"]) / 2
    ranking = rank_ratings(table, predictions=["high", "low", "middle"], rater="rater")
    for name in ranking.systems:
        for other in set(ranking.systems) - {name}:
            assert ranking.best_probability[name] <= 1 - ranking.error(name, other)
    assert all(ranking.error(a, b) <= 0.5 for a, b in pairwise(ranking.order))


def test_several_ratings_of_one_rater_for_one_item_are_refused_or_combined():
    table = _table()
    twice = {name: np.concatenate([each, each]) for name, each in table.items()}
    with pytest.raises(InputError, match="90 times several rows of one rater for one item"):
        _ranked(twice)
    assert _ranked(twice, combine="mean").errors == pytest.approx(_ranked(table).errors, abs=NET)


@pytest.mark.parametrize(
    ("change", "given", "said"),
    [
        ({"item": np.zeros(90)}, {}, "at least two items"),
        ({}, {"metric": "ndcg"}, "one of rmse, mse, mae"),
        ({}, {"level": 2}, "between 0 and 1"),
        ({"rating": np.full(90, 1e80)}, {}, "squared ratings between"),
    ],
)
def test_what_cannot_be_ranked_is_refused(change, given, said):
    with pytest.raises(InputError, match=said):
        _ranked(_table() | change, **given)
    with pytest.raises(InputError, match="at least two systems"):
        rank_ratings(_table(), predictions=["high"], rater="rater")


def test_systems_that_equal_every_rating_are_level():
    same = [1, 2, 3]
    table = {"item": same, "rater": ["x"] * 3, "rating": same, "a": same, "b": same}
    ranking = rank_ratings(table, predictions=["a", "b"], rater="rater")
    assert ranking.error("a", "b") == ranking.error("b", "a") == 0.5


def _agreeing(more=0.0):
    """Ratings of two raters whose sums happen to agree."""
    x = [5 + more, 1, 1, 2, 1, 5, 5, 3, 1, 1, 2, 3]
    y = [1, 3, 5, 1, 2, 5, 1, 3, 5, 1, 2, 1]
    rater = ["x"] * 12 + ["y"] * 12
    table = {"item": [*range(12)] * 2, "rater": rater, "rating": [*x, *y]}
    return table | {"high": [4.0] * 24, "low": [3.0] * 24}


@pytest.mark.parametrize("more", [1e-12, 1e-6, 0.001])
def test_raters_whose_sums_happen_to_agree_are_a_sample_too(more):
    errors = [_ranked(_agreeing(each)).error("low", "high") for each in (0.0, more)]
    assert errors[0] == pytest.approx(errors[1], abs=NET)
    alone = {**_agreeing(), "rater": ["x"] * 24, "item": [*range(24)]}
    assert errors[0] > _ranked(alone).error("low", "high") + NET


def test_a_rater_with_few_items_says_little_about_raters():
    """The fewer items the second of two raters has, the less sure the order is."""
    table, errors = _table(items=100, raters=1), []
    for n in (1, 5, 10, 20, 50):
        ranking = _ranked({**table, "rater": np.arange(100) < n})
        errors.append(ranking.error(*ranking.order))
        assert ranking.provenance.settings["effective raters"] == pytest.approx(
            1 / ((n / 100) ** 2 + (1 - n / 100) ** 2)
        )
        away = np.abs([table["rating"] - table[name] for name in ("high", "low")])
        assert np.all(ranking.score_sds <= np.ptp(away))
        assert np.all(ranking.difference_variances <= np.ptp(away**2) ** 2)
    assert errors == sorted(errors, reverse=True)
    assert errors[0] == pytest.approx(0.5, abs=0.01)


def test_several_predictions_for_one_rater_and_item_are_refused():
    table = _table()
    twice = {name: np.concatenate([each, each]) for name, each in table.items()}
    twice["low"][100] += 1
    for combine in ("mean", "last"):
        with pytest.raises(InputError, match=r"'low'.*1 times another prediction"):
            _ranked(twice, combine=combine)


def test_a_sum_of_ratings_is_not_what_was_predicted():
    table = _table()
    twice = {name: np.concatenate([each, each]) for name, each in table.items()}
    with pytest.raises(InputError, match="one of error, mean, last"):
        _ranked(twice, combine="sum")
    with pytest.raises(InputError, match="combine='mean'") as refused:
        _ranked(twice)
    assert "sum" not in str(refused.value)


@pytest.mark.parametrize("given", [{"paired": False}, {"once": "drop"}, {"trial": "trial"}])
def test_what_has_no_use_together_raters_is_refused(given):
    with pytest.raises(InputError, match=f"{next(iter(given))}=.* too"):
        _ranked(_table(), **given)


def test_combining_rows_without_raters_is_refused():
    table = _table() | {"user": _table()["rater"]}
    with pytest.raises(InputError, match="combine='mean' too"):
        rank_ratings(table, predictions=["high", "low"], combine="mean")
