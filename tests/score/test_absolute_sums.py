"""Absolute errors from sums: those of the arrays themselves, on every engine, part by part."""

import numpy as np
import pytest

from howgood import decide, score
from howgood.errors import DroppedRowsWarning, InputError
from howgood.stats.folded_normal import folded_normal_mean

NAMES = {"mean": "mu", "sd": "sigma", "predictions": ["svd", "knn", "top"]}


def _table(n=400, seed=5):
    rng = np.random.default_rng(seed)
    mu = rng.normal(3, 1, n)
    return {
        "mu": mu,
        "sigma": rng.choice([0.0, 0.4, 0.9], n),
        "svd": mu + rng.normal(0, 0.5, n),
        "knn": mu + rng.normal(0, 0.6, n),
        "top": np.full(n, 3.5),
    }


def test_sums_are_those_of_the_arrays():
    table = _table()
    sums = score.absolute_error_sums(table, **NAMES)
    for name in NAMES["predictions"]:
        expected = folded_normal_mean(table["mu"] - table[name], table["sigma"]).mean()
        whole = score.mae(table["mu"], table["sigma"], table[name])
        assert sums.mae(name)[0] == pytest.approx(expected)
        assert sums.mae(name) == pytest.approx((whole.mean, whole.sd))
    assert sums.barrier == pytest.approx(np.sqrt(2 / np.pi) * table["sigma"].mean())


@pytest.mark.parametrize(
    "engine", ["pandas", "polars", "polars lazy", "pyarrow", "duckdb", "spark"]
)
def test_every_engine_gives_the_same_sums(on_engine, engine):
    table = _table(60)
    found = score.absolute_error_sums(on_engine(engine, table), **NAMES)
    expected = score.absolute_error_sums(table, **NAMES)
    assert found.n == 60
    np.testing.assert_allclose(found.means, expected.means)
    np.testing.assert_allclose(found.variances, expected.variances)
    np.testing.assert_allclose(found.difference_variances, expected.difference_variances)
    assert found.barrier == pytest.approx(expected.barrier)


def test_parts_add_up():
    table = _table()
    parts = [{name: column[rows] for name, column in table.items()} for rows in
             (slice(0, 150), slice(150, None))]  # fmt: skip
    one, other = (score.absolute_error_sums(part, **NAMES) for part in parts)
    whole = score.absolute_error_sums(table, **NAMES)
    np.testing.assert_allclose((one + other).difference_variances, whole.difference_variances)
    assert (one + other).n == whole.n
    with pytest.raises(InputError, match="the same systems"):
        one + score.absolute_error_sums(table, mean="mu", sd="sigma", predictions=["svd"])


@pytest.mark.parametrize("paired", [True, False])
def test_rankings_from_sums_are_those_of_the_predictions(paired):
    """Of many pairs the exact distribution of a difference is close to its Gaussian."""
    table = _table()
    predictions = {name: table[name] for name in NAMES["predictions"]}
    sums = score.absolute_error_sums(table, **NAMES)
    found = decide.rank_sums(sums, paired=paired)
    expected = decide.rank(
        predictions, mean=table["mu"], sd=table["sigma"], metric="mae", paired=paired
    )
    assert found.order == expected.order
    np.testing.assert_allclose(found.scores, expected.scores)
    np.testing.assert_allclose(found.difference_variances, expected.difference_variances)
    np.testing.assert_allclose(found.errors, expected.errors, atol=2e-3)


def test_what_is_refused():
    table = _table(60)
    few = {name: column[:20] for name, column in table.items()}
    with pytest.raises(InputError, match="at least 50 pairs"):
        decide.rank_sums(score.absolute_error_sums(few, **NAMES))
    sums = score.absolute_error_sums(table, **NAMES)
    with pytest.raises(InputError, match="mae: sums of absolute errors"):
        decide.rank_sums(sums, metric="rmse")
    with pytest.raises(InputError, match="below zero"):
        score.absolute_error_sums(table | {"sigma": table["sigma"] - 1}, **NAMES)
    gap = table | {"svd": np.where(np.arange(60) == 7, np.nan, table["svd"])}
    with pytest.raises(InputError, match=r"column 'svd': 1 of 60 values missing"):
        score.absolute_error_sums(gap, **NAMES)
    with pytest.warns(DroppedRowsWarning, match="1 of 60 rows left out"):
        assert score.absolute_error_sums(gap, missing="drop", **NAMES).n == 59
    with pytest.raises(KeyError):
        sums.mae("nobody")
