"""Boards of grades and votes summed on Spark: the same as in memory, and one pass over the rows."""

import numpy as np
import pytest

from howgood.decide import rank_grades, rank_votes
from howgood.errors import DroppedRowsWarning, InputError
from howgood.records import spark_blocks


def _grades(seed=3, *, repeats=0):
    rng = np.random.default_rng(seed)
    item, system, rater = (codes.ravel() for codes in np.indices((24, 3, 4)))
    kept = (rater == rng.integers(0, 4, (24, 3))[item, system]) | (rng.random(item.size) < 0.7)
    item, system, rater = item[kept], system[kept], rater[kept]
    again = rng.integers(0, item.size, repeats)
    item, system, rater = (np.concatenate([codes, codes[again]]) for codes in (item, system, rater))
    return {
        "item": np.array([f"q{number}" for number in item]),
        "system": np.array(["b", "a", "c"])[system],
        "rater": rater,
        "doc": item // 3,
        "language": np.array(["de", "en"])[item // 12],
        "grade": np.round(3 + system / 2 + rng.normal(0, 1, item.size), 1),
    }


@pytest.fixture
def several_parts(spark):
    """Rows in several parts, as on a cluster; the tests' Spark otherwise makes one of them."""
    before = spark.conf.get("spark.sql.shuffle.partitions")
    spark.conf.set("spark.sql.shuffle.partitions", "5")
    yield
    spark.conf.set("spark.sql.shuffle.partitions", before)


def _same(found, expected):
    assert found.systems == expected.systems
    np.testing.assert_allclose(found.scores, expected.scores)
    # Sums in another order move a draw by its last digit, and so at most a share of few draws.
    np.testing.assert_allclose(found.errors, expected.errors, atol=1e-3)
    assert found.provenance.rows_used == expected.provenance.rows_used
    assert found.provenance.rows_dropped == expected.provenance.rows_dropped
    settings, others = found.provenance.settings, expected.provenance.settings
    assert settings["variances"] == pytest.approx(others["variances"])
    assert settings["effective raters"] == pytest.approx(others["effective raters"])


@pytest.mark.parametrize(
    "options",
    [{}, {"cluster": "doc"}, {"segment": "language"}, {"rater": None, "combine": "mean"}],
    ids=["plain", "clusters", "segments", "without raters"],
)
def test_grades_on_spark_are_those_in_memory(on_engine, several_parts, options):
    columns = _grades()
    found, expected = (
        rank_grades(on_engine(name, columns), **options) for name in ("spark", "dict")
    )
    if "rater" in options:
        expected.provenance.settings["effective raters"] = 1.0
        found.provenance.settings["effective raters"] = 1.0
    _same(found, expected)
    assert list(found.segments) == list(expected.segments)
    for name, board in found.segments.items():
        _same(board, expected.segments[name])


def test_repeats_and_incomplete_items_on_spark(on_engine, several_parts):
    columns = _grades(repeats=20)
    kept = ~((columns["item"] == "q7") & (columns["system"] == "c"))
    columns = {name: values[kept] for name, values in columns.items()}
    boards = []
    for name in ("spark", "dict"):
        with pytest.warns(DroppedRowsWarning, match="1 of 24 items left out"):
            boards.append(rank_grades(on_engine(name, columns), combine="mean", missing="drop"))
    _same(*boards)
    assert boards[0].sources.n_repeats == pytest.approx(boards[1].sources.n_repeats)
    frame = on_engine("spark", columns)
    with pytest.raises(InputError, match="1 of 24 items without a grade of every system"):
        rank_grades(frame, combine="mean")
    with (
        pytest.warns(DroppedRowsWarning),
        pytest.raises(InputError, match="times several rows of one rater for one output"),
    ):
        rank_grades(frame, missing="drop")


def test_gaps_on_spark_are_refused_or_left_out(spark, several_parts):
    rows = list(zip(*(column.tolist() for column in _grades().values()), strict=True))
    names = list(_grades())
    rows[3] = (None, *rows[3][1:])
    rows[5] = (*rows[5][:-1], float("nan"))
    frame = spark.createDataFrame(rows, names)
    with pytest.raises(InputError, match=r"column 'item': .*1 of"):
        rank_grades(frame)
    with pytest.warns(DroppedRowsWarning, match="2 of .* rows left out"):
        found = rank_grades(frame, missing="drop")
    assert found.provenance.rows_dropped["missing or not finite"] == 2


def test_spark_reads_the_rows_once(spark, several_parts, tmp_path, monkeypatch):
    """One job, whose plan opens the files once and sends every row at most once."""
    path = str(tmp_path / "grades.parquet")
    rows = list(zip(*(column.tolist() for column in _grades().values()), strict=True))
    spark.createDataFrame(rows, list(_grades())).write.parquet(path)
    plans = []
    made = spark_blocks.part_results

    def seen(native, by, *others, **options):
        plans.append(native.repartition(*by)._jdf.queryExecution().executedPlan().toString())
        return made(native, by, *others, **options)

    monkeypatch.setattr("howgood.decide.grades.part_results", seen)
    rank_grades(spark.read.parquet(path))
    (plan,) = plans
    assert plan.count("FileScan parquet") == 1
    assert plan.count("Exchange") == 1


def _votes(seed=5, n=600):
    rng = np.random.default_rng(seed)
    left = rng.integers(0, 4, n)
    right = (left + rng.integers(1, 4, n)) % 4
    return {
        "left": np.array(["d", "a", "c", "b"])[left],
        "right": np.array(["d", "a", "c", "b"])[right],
        "winner": np.array(["model_a", "model_b", "tie"])[rng.integers(0, 3, n)],
        "prompt": rng.integers(0, 30, n),
        "worker": np.array([f"w{number}" for number in rng.integers(0, 9, n)]),
        "repeats": np.where(rng.random(n) < 0.1, 7, 0),
    }


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"item": "prompt"},
        {"rater": "worker"},
        {"item": "prompt", "rater": "worker"},
        {"item": "prompt", "rater": "worker", "repeats": "repeats"},
        {"item": "prompt", "rater": "worker", "repeats": "repeats as numbers"},
        {"item": "prompt", "segment": "language"},
    ],
    ids=["votes", "prompts", "raters", "both", "asked again", "asked again, numbers", "segments"],
)
def test_votes_on_spark_are_those_in_memory(on_engine, several_parts, options):
    columns = _votes()
    columns["repeats as numbers"] = np.where(columns["repeats"], 7.0, [0.0, np.nan] * 300)
    columns["language"] = np.array(["de", "en"])[columns["prompt"] // 15]
    found, expected = (
        rank_votes(on_engine(name, columns), **options) for name in ("spark", "dict")
    )
    assert found.systems == expected.systems
    np.testing.assert_allclose(found.scores, expected.scores)
    np.testing.assert_allclose(found.errors, expected.errors, atol=1e-3)
    np.testing.assert_allclose(found.difference_variances, expected.difference_variances, rtol=1e-4)
    assert found.provenance.rows_used == expected.provenance.rows_used
    assert found.provenance.rows_dropped == expected.provenance.rows_dropped
    for name in ("items", "raters", "circular triples"):
        assert found.provenance.settings[name] == expected.provenance.settings[name]
    assert list(found.segments) == list(expected.segments)
    for name, board in found.segments.items():
        np.testing.assert_allclose(board.scores, expected.segments[name].scores)


def test_gaps_in_votes_on_spark_are_refused_or_left_out(spark, several_parts):
    rows = list(zip(*(column.tolist() for column in _votes().values()), strict=True))
    rows[3] = (None, *rows[3][1:])
    rows[5] = (*rows[5][:4], " ", 0)
    frame = spark.createDataFrame(rows, list(_votes()))
    names = {"item": "prompt", "rater": "worker"}
    with pytest.raises(InputError, match=r"column 'left': .*1 of"):
        rank_votes(frame, **names)
    with pytest.warns(DroppedRowsWarning, match="2 of 600 rows left out"):
        found = rank_votes(frame, **names, missing="drop")
    assert found.provenance.rows_used == 598
