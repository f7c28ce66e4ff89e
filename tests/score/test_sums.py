"""Sums of squared errors: by hand, by brute force, on every engine, and what is refused."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howgood.errors import InputError, MissingColumnError
from howgood.score import squared_error_sums

ENGINES = ("dict", "pandas", "polars", "polars lazy", "pyarrow", "duckdb", "spark")
COLUMNS = {"mean": "mu", "sd": "sigma", "predictions": {"svd": "p1", "knn": "p2", "top": "p3"}}


FEW = {**COLUMNS, "powers": 2}


def feedback(n=200, *, seed=1):
    rng = np.random.default_rng(seed)
    mean = rng.uniform(1, 5, n)
    return {
        "mu": mean,
        "sigma": np.sqrt(rng.integers(0, 25, n) * 0.16),
        "p1": mean + rng.normal(0, 0.9, n),
        "p2": mean + rng.normal(0, 1.0, n),
        "p3": np.full(n, 3.0),
        "trials": rng.integers(2, 9, n),
    }


def brute_force(columns, *, powers=12):
    """The definitions, row by row in exact-ish sums, with no regard for speed."""
    variance = [float(each) ** 2 for each in columns["sigma"]]
    systems = [columns[name] for name in ("p1", "p2", "p3")]
    away = [[float(m - p) for m, p in zip(columns["mu"], ps, strict=True)] for ps in systems]
    rows = range(len(variance))
    noise = np.array(
        [[math.fsum(variance[v] * (a[v] - b[v]) ** 2 for v in rows) for b in away] for a in away]
    )
    n = [float(each) for each in columns["trials"]]
    mean_noise = np.array(
        [
            [math.fsum(variance[v] * (a[v] - b[v]) ** 2 / (n[v] - 1) for v in rows) for b in away]
            for a in away
        ]
    )
    return {
        "variance_powers": [math.fsum(v**s for v in variance) for s in range(1, powers + 1)],
        "deviation_powers": [
            [
                math.fsum(variance[v] ** (s - 1) * a[v] ** 2 for v in rows)
                for s in range(1, powers + 1)
            ]
            for a in away
        ],
        "gaps": [math.fsum(a[v] ** 2 - away[0][v] ** 2 for v in rows) for a in away],
        "noise": noise,
        "mean_noise": mean_noise,
    }


def test_two_pairs_by_hand():
    table = {"mu": [3.0, 4.0], "sigma": [0.0, 2.0], "p1": [3.5, 4.0], "p2": [2.0, 5.0]}
    sums = squared_error_sums(table, mean="mu", sd="sigma", predictions=["p1", "p2"], powers=3)
    assert sums.n == 2
    assert sums.max_variance == 4.0
    np.testing.assert_allclose(sums.variance_powers, [4, 16, 64])
    np.testing.assert_allclose(sums.deviation_powers, [[0.25, 0, 0], [2, 4, 16]])
    np.testing.assert_allclose(sums.gaps, [0, 1.75])
    np.testing.assert_allclose(sums.noise, [[0, 4], [4, 0]])
    np.testing.assert_allclose(sums.power_sums("p2"), [6, 24, 112])
    np.testing.assert_allclose(sums.cumulants("p2"), [3, 12, 112])
    assert sums.barrier == pytest.approx(math.sqrt(2))


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_gives_the_sums_of_the_definitions(engine, on_engine):
    columns = feedback()
    sums = squared_error_sums(on_engine(engine, columns), **COLUMNS, trials="trials")
    expected = brute_force(columns)
    assert sums.systems == ("svd", "knn", "top")
    assert sums.n == 200
    assert sums.max_variance == pytest.approx(float((columns["sigma"] ** 2).max()), rel=1e-15)
    for name in ("variance_powers", "deviation_powers", "gaps", "noise"):
        np.testing.assert_allclose(getattr(sums, name), expected[name], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(sums.trials.mean_noise, expected["mean_noise"], rtol=1e-12)


@pytest.mark.parametrize("engine", ENGINES[:-1])
def test_one_number_of_trials_equals_a_column_of_it(engine, on_engine):
    columns = feedback() | {"trials": np.full(200, 5)}
    frame = on_engine(engine, columns)
    one = squared_error_sums(frame, **FEW, trials=5).trials
    column = squared_error_sums(frame, **FEW, trials="trials").trials
    np.testing.assert_allclose(one.mean_noise, column.mean_noise, rtol=1e-12)
    np.testing.assert_allclose(one.second_power, column.second_power, rtol=1e-12)
    assert one.variance == pytest.approx(column.variance, rel=1e-12)


@pytest.mark.parametrize("engine", ENGINES)
def test_gaps_in_the_data_are_refused_with_column_and_count(engine, on_engine):
    columns = feedback()
    columns["p2"][[3, 7, 9]] = np.nan
    columns["mu"][0] = np.inf
    with pytest.raises(InputError, match=r"1 in 'mu', 3 in 'p2', of 200 rows.*missing='drop'"):
        squared_error_sums(on_engine(engine, columns), **FEW)


@pytest.mark.parametrize("engine", ENGINES)
def test_dropped_rows_are_counted(engine, on_engine):
    columns = feedback()
    columns["p2"][[3, 7, 9]] = np.nan
    columns["mu"][0] = np.inf
    sums = squared_error_sums(on_engine(engine, columns), **FEW, missing="drop")
    whole = np.isfinite(columns["p2"]) & np.isfinite(columns["mu"])
    expected = brute_force({name: values[whole] for name, values in columns.items()})
    assert sums.n == 196
    assert sums.provenance.rows_used == 196
    assert sums.provenance.rows_dropped == {"missing or not finite": 4}
    powers = np.array(expected["deviation_powers"])[:, :2]
    np.testing.assert_allclose(sums.deviation_powers, powers, rtol=1e-12)


@pytest.mark.parametrize("engine", [name for name in ENGINES if name not in ("dict", "spark")])
def test_nulls_are_gaps_too(engine):
    import duckdb
    import polars as pl

    columns = {name: values.tolist() for name, values in feedback(10).items()}
    columns["sigma"][4] = None
    frame = pl.DataFrame(columns)
    table = frame.to_arrow()
    native = {
        "pandas": frame.to_pandas,
        "polars": lambda: frame,
        "polars lazy": frame.lazy,
        "pyarrow": lambda: table,
        "duckdb": lambda: duckdb.from_arrow(table),
    }[engine]()
    with pytest.raises(InputError, match="1 in 'sigma', of 10 rows"):
        squared_error_sums(native, **FEW)
    kept = squared_error_sums(native, **FEW, missing="drop")
    whole = np.arange(10) != 4
    expected = brute_force({name: values[whole] for name, values in feedback(10).items()})
    assert kept.n == 9
    for name in ("variance_powers", "deviation_powers"):
        powers = np.array(expected[name])[..., :2]
        np.testing.assert_allclose(getattr(kept, name), powers, rtol=1e-12)


def test_a_query_refuses_gaps_even_when_no_column_is_whole():
    import duckdb
    import polars as pl

    columns = {name: values.tolist() for name, values in feedback(10).items()}
    columns["sigma"][4] = columns["mu"][5] = columns["mu"][6] = None
    table = pl.DataFrame(columns).to_arrow()
    with pytest.raises(InputError, match="2 in 'mu', 1 in 'sigma', of 10 rows"):
        squared_error_sums(duckdb.from_arrow(table), **FEW)
    assert squared_error_sums(duckdb.from_arrow(table), **FEW, missing="drop").n == 7


@pytest.mark.parametrize(
    "column",
    [
        np.array([True, False, True]),
        np.array(["2026-01-01"] * 3, dtype="datetime64[D]"),
        np.array([1 + 2j, 2, 3]),
    ],
    ids=["truth values", "dates", "complex numbers"],
)
def test_columns_that_are_no_real_numbers_are_refused(column):
    with pytest.raises(InputError, match=r"column 'p1'.*expected numbers"):
        squared_error_sums(feedback(3) | {"p1": column}, **FEW)


@pytest.mark.parametrize("gap", ["None", "pandas.NA", "pandas.NaT"])
def test_gaps_among_objects_are_counted_and_other_objects_refused(gap):
    import pandas as pd

    columns = {name: values.astype(object) for name, values in feedback(10).items()}
    columns["sigma"][[4, 6]] = {"None": None, "pandas.NA": pd.NA, "pandas.NaT": pd.NaT}[gap]
    with pytest.raises(InputError, match="2 in 'sigma', of 10 rows"):
        squared_error_sums(columns, **FEW)
    assert squared_error_sums(columns, **FEW, missing="drop").n == 8
    columns["p1"][0] = True
    with pytest.raises(InputError, match=r"column 'p1'.*expected numbers"):
        squared_error_sums(columns, **FEW, missing="drop")


@pytest.mark.parametrize("engine", ENGINES[:-1])
def test_negative_spreads_are_refused_even_when_gaps_are_dropped(engine, on_engine):
    columns = feedback()
    columns["sigma"][5] = -0.1
    with pytest.raises(InputError, match="'sigma': 1 negative"):
        squared_error_sums(on_engine(engine, columns), **FEW, missing="drop")


@pytest.mark.parametrize("engine", ENGINES[:-1])
def test_a_mean_of_no_trial_is_refused(engine, on_engine):
    columns = feedback()
    columns["trials"][:2] = 0
    with pytest.raises(InputError, match="2 pairs with fewer than 1 trial"):
        squared_error_sums(on_engine(engine, columns), **FEW, trials="trials")


@pytest.mark.parametrize("engine", ["dict", "polars", "polars lazy", "duckdb"])
def test_text_emptiness_and_absent_columns_have_their_own_words(engine, on_engine):
    columns = feedback(5)
    with pytest.raises(InputError, match=r"column 'mu'.*expected numbers"):
        squared_error_sums(on_engine(engine, columns | {"mu": np.array(list("abcde"))}), **FEW)
    empty = {name: values[:0] for name, values in columns.items()}
    with pytest.raises(InputError, match="no row"):
        squared_error_sums(on_engine(engine, empty), **FEW)
    with pytest.raises(MissingColumnError, match="no column 'sd'"):
        squared_error_sums(on_engine(engine, columns), mean="mu", sd="sd", predictions=["p1"])


@pytest.mark.parametrize("engine", ["dict", "polars lazy", "duckdb"])
def test_values_whose_powers_overflow_are_named(engine, on_engine):
    columns = feedback(5) | {"sigma": np.full(5, 1e200)}
    with pytest.raises(InputError, match="overflow"):
        squared_error_sums(on_engine(engine, columns), **COLUMNS)
    # One system's errors are enough.
    columns = feedback(5) | {"p2": np.full(5, 1e160)}
    with pytest.raises(InputError, match="overflow"):
        squared_error_sums(on_engine(engine, columns), **COLUMNS)


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ({"missing": "ignore"}, "one of error, drop"),
        ({"powers": 1}, "at least 2"),
        ({"trials": 0}, "1 or more"),
        ({"trials": 2.5}, "a whole number"),
        ({"predictions": {}}, "no system"),
    ],
)
@pytest.mark.parametrize("engine", ["dict", "polars lazy"])
def test_impossible_settings_are_refused(setting, words, engine, on_engine):
    with pytest.raises(InputError, match=words):
        squared_error_sums(on_engine(engine, feedback(5)), **{**COLUMNS, **setting})


def test_a_list_of_numbers_is_not_a_table():
    with pytest.raises(InputError, match="a table"):
        squared_error_sums([1, 2, 3], **FEW)


@settings(max_examples=30, deadline=None)
@given(cut=st.integers(1, 199), seed=st.integers(0, 99))
def test_parts_add_up_to_the_whole_in_any_row_order(cut, seed):
    columns = feedback()
    order = np.random.default_rng(seed).permutation(200)
    shuffled = {name: values[order] for name, values in columns.items()}
    parts = [
        {name: values[rows] for name, values in shuffled.items()}
        for rows in (slice(0, cut), slice(cut, None))
    ]
    first, second = (squared_error_sums(part, **COLUMNS, trials="trials") for part in parts)
    whole, both = squared_error_sums(columns, **COLUMNS, trials="trials"), first + second
    assert both.n == both.provenance.rows_used == 200
    assert both.max_variance == whole.max_variance
    for name in ("variance_powers", "deviation_powers", "gaps", "noise"):
        np.testing.assert_allclose(getattr(both, name), getattr(whole, name), rtol=1e-11, atol=1e-9)
    np.testing.assert_allclose(both.trials.second_power, whole.trials.second_power, rtol=1e-11)


def test_sums_of_different_systems_do_not_add():
    first = squared_error_sums(feedback(), mean="mu", sd="sigma", predictions=["p1"])
    second = squared_error_sums(feedback(), mean="mu", sd="sigma", predictions=["p2"])
    with pytest.raises(InputError, match="same systems"):
        first + second
    with pytest.raises(InputError, match="equally many powers"):
        first + squared_error_sums(feedback(), mean="mu", sd="sigma", predictions=["p1"], powers=4)
    with pytest.raises(InputError, match="trials known for one part"):
        first + squared_error_sums(feedback(), mean="mu", sd="sigma", predictions=["p1"], trials=5)


@pytest.mark.parametrize("engine", ["dict", "polars lazy"])
def test_nearly_equal_systems_keep_their_digits(engine, on_engine):
    columns = feedback(20_000)
    columns["p2"] = columns["p1"] + 1e-9
    sums = squared_error_sums(on_engine(engine, columns), **COLUMNS)
    expected = math.fsum((columns["sigma"] * (columns["p1"] - columns["p2"])) ** 2)
    assert sums.noise[0, 1] == pytest.approx(expected, rel=1e-9, abs=0)


def test_identical_systems_differ_by_exactly_nothing():
    columns = feedback(20_000)
    columns["p2"] = columns["p1"].copy()
    sums = squared_error_sums(columns, **COLUMNS)
    assert sums.noise[0, 1] == 0.0
    assert sums.gaps[1] == 0.0


def test_batches_of_a_query_add_up_to_the_definitions(on_engine, monkeypatch):
    monkeypatch.setattr("howgood.score.sums._FEW_SYSTEMS", 0)
    monkeypatch.setattr("howgood.score.sums._ROWS", 64)
    columns = feedback(500)
    columns["p2"][[3, 400]] = np.nan  # gaps in two different batches
    whole = np.isfinite(columns["p2"])
    expected = brute_force({name: values[whole] for name, values in columns.items()})
    table = on_engine("polars lazy", columns)
    sums = squared_error_sums(table, **COLUMNS, trials="trials", missing="drop")
    assert sums.n == 498
    assert sums.provenance.rows_dropped == {"missing or not finite": 2}
    assert sums.max_variance == max(columns["sigma"][whole]) ** 2
    for name in ("variance_powers", "deviation_powers", "gaps", "noise"):
        np.testing.assert_allclose(getattr(sums, name), expected[name], rtol=1e-11, atol=1e-9)
    np.testing.assert_allclose(sums.trials.mean_noise, expected["mean_noise"], rtol=1e-11)
    with pytest.raises(InputError, match=": 2 in 'p2', of 500 rows"):
        squared_error_sums(table, **COLUMNS)


def test_batches_refuse_what_cannot_be_summed(on_engine, monkeypatch):
    monkeypatch.setattr("howgood.score.sums._FEW_SYSTEMS", 0)
    monkeypatch.setattr("howgood.score.sums._ROWS", 16)

    def summed(name, rows, value, **more):
        columns = feedback(60)
        columns[name][rows] = value
        return squared_error_sums(on_engine("polars lazy", columns), **COLUMNS, **more)

    with pytest.raises(InputError, match="'sigma': 3 negative"):
        summed("sigma", [2, 20, 21], -0.5)
    with pytest.raises(InputError, match="'trials': 3 pairs with fewer than 1 trial"):
        summed("trials", [2, 20, 21], 0, trials="trials")
    # Only high powers overflow: 1e30² to the sixth is still a number, to the twelfth it is not.
    with pytest.raises(InputError, match="overflow"):
        summed("sigma", 7, 1e30)
    with np.errstate(over="ignore"), pytest.raises(InputError, match="overflow"):
        summed("p2", 7, 1e160)
    # Not even the plain sum of a batch is a number: still the same words, and no warning.
    with pytest.raises(InputError, match="overflow"):
        summed("sigma", [2, 3], 1.5e308)


def test_a_file_is_summed_without_loading_it(tmp_path, monkeypatch):
    import polars as pl

    columns = feedback(5_000)
    pl.DataFrame(columns).write_parquet(tmp_path / "ratings.parquet")
    memory = squared_error_sums(columns, **COLUMNS)
    monkeypatch.delattr("howgood.score.sums.finite_arrays")  # what takes columns into memory
    lazy = squared_error_sums(pl.scan_parquet(tmp_path / "ratings.parquet"), **COLUMNS)
    np.testing.assert_allclose(lazy.deviation_powers, memory.deviation_powers, rtol=1e-12)
    assert lazy.provenance.settings["engine"] == "polars"
    assert lazy.provenance.versions["polars"] == pl.__version__
    assert "polars" not in memory.provenance.versions
    assert lazy.to_dict()["n"] == 5_000


@pytest.mark.slow
def test_second_moments_from_few_trials_are_unbiased():
    """Rule three: sigma**4 from the squared ddof 1 variance times (n - 1) / (n + 1)."""
    rng = np.random.default_rng(4)
    n, sigma, mu, point, repeats = 5, 1.3, 3.0, 3.7, 400_000
    ratings = rng.normal(mu, sigma, (repeats, n))
    sums = squared_error_sums(
        {"m": ratings.mean(axis=1), "s": ratings.std(axis=1), "p": np.full(repeats, point)},
        mean="m",
        sd="s",
        predictions=["p"],
        trials=n,
    )
    truth = sigma**4 + 2 * sigma**2 * (mu - point) ** 2
    assert sums.trials.second_power[0] / repeats == pytest.approx(truth, rel=0.01)
    assert sums.trials.variance / repeats == pytest.approx(sigma**2, rel=0.01)
    expected_score = (sums.variance_powers[0] + sums.deviation_powers[0, 0]) / repeats
    assert expected_score == pytest.approx(sigma**2 + (mu - point) ** 2, rel=0.01)
