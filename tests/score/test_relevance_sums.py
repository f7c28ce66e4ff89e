"""The Relevance Score from counts: that of the rows themselves, on every engine, part by part."""

import numpy as np
import pytest

from howgood import learn, score
from howgood.errors import InputError, MissingColumnError

NAMES = {"outcome": "light", "predicted": "guess", "context": ["room", "hour"]}


def _rows(n=300, seed=3):
    rng = np.random.default_rng(seed)
    return {
        "room": np.array([*"xyz"])[rng.integers(3, size=n)],
        "hour": rng.integers(4, size=n),
        "light": np.array([*"ABC"])[rng.choice(3, size=n, p=[0.5, 0.3, 0.2])],
        "guess": np.array([*"ABD"])[rng.integers(3, size=n)],
    }


def _report(rows, reference="all", smoothing=0.0, **settings):
    table = learn.outcome_probabilities(
        rows, outcome="light", context=NAMES["context"], reference=reference, smoothing=smoothing
    )
    report = score.relevance_report(
        rows["light"], rows["guess"], contexts=rows, table=table, random_state=0, resamples=2,
        **settings,
    )  # fmt: skip
    return table, report


@pytest.mark.parametrize(
    "engine", ["dict", "pandas", "polars", "polars lazy", "pyarrow", "duckdb", "spark"]
)
def test_every_engine_gives_the_score_of_the_rows(on_engine, engine):
    rows = _rows(60)
    sums = score.relevance_sums(on_engine(engine, rows), **NAMES)
    _, expected = _report(rows)
    assert sums.n == 60
    assert sums.score() == pytest.approx(expected.value, rel=1e-12)
    assert sums.accuracy == pytest.approx(expected.accuracy)
    counted = {row["case"]: row["rows"] for row in expected.case_table.rows()}
    assert sums.cases() == counted


@pytest.mark.parametrize("reference", ["all", "cross-fit"])
@pytest.mark.parametrize("unseen", ["exclude", "marginal"])
def test_every_setting_gives_the_score_of_the_rows(reference, unseen):
    rows = _rows(40)
    sums = score.relevance_sums(rows, **NAMES)
    table, expected = _report(rows, reference, 0.5, alpha=1, beta=3, unseen=unseen)
    own = sums.table(reference=reference, smoothing=0.5)
    np.testing.assert_array_equal(own.weights, table.weights)
    np.testing.assert_array_equal(own.rows, table.rows)
    found = sums.score(own, alpha=1, beta=3, unseen=unseen)
    assert found == pytest.approx(expected.value, rel=1e-12)
    counted = {row["case"]: row["rows"] for row in expected.case_table.rows()}
    assert sums.cases(own, unseen=unseen) == counted


def test_a_table_of_other_rows_leaves_out_contexts_it_never_saw():
    rows, others = _rows(80), _rows(8, seed=4)
    table, _ = _report(others, "train")
    expected = score.relevance_report(
        rows["light"], rows["guess"], contexts=rows, table=table, random_state=0, resamples=2
    )
    sums = score.relevance_sums(rows, **NAMES)
    assert expected.n_excluded > 0
    assert sums.score(table) == pytest.approx(expected.value, rel=1e-12)
    assert sums.cases(table)["not graded: context never seen"] == expected.n_excluded


def test_parts_add_up():
    rows = _rows()
    one, other = (
        score.relevance_sums({name: column[part] for name, column in rows.items()}, **NAMES)
        for part in (slice(0, 130), slice(130, None))
    )
    whole = score.relevance_sums(rows, **NAMES)
    both = one + other
    assert (both.n, len(both.counts)) == (whole.n, len(whole.counts))
    assert both.score() == pytest.approx(whole.score(), rel=1e-12)
    assert both.provenance.rows_used == 300


@pytest.mark.parametrize("engine", ["pandas", "polars lazy"])
def test_what_is_refused(on_engine, engine):
    rows = _rows(60)
    sums = score.relevance_sums(rows, **NAMES)
    with pytest.raises(InputError, match="the same columns in both parts"):
        sums + score.relevance_sums(rows, **NAMES | {"context": ["room"]})
    with pytest.raises(InputError, match="sums of relevance, column 'hour'"):
        sums + score.relevance_sums(rows | {"hour": rows["hour"].astype(str)}, **NAMES)
    with pytest.raises(InputError, match="relevance_sums, column 'guess'"):
        score.relevance_sums(rows | {"guess": rows["hour"]}, **NAMES)
    gap = rows | {"guess": np.where(np.arange(60) == 7, None, rows["guess"])}
    with pytest.raises(InputError, match=r"relevance_sums, column 'guess': 1 of 60 values missing"):
        score.relevance_sums(on_engine(engine, gap), **NAMES)
    with pytest.raises(InputError, match="without rows"):
        score.relevance_sums({name: column[:0] for name, column in rows.items()}, **NAMES)
    with pytest.raises(MissingColumnError, match="relevance_sums: no column 'nothing'"):
        score.relevance_sums(on_engine(engine, rows), **NAMES | {"predicted": "nothing"})
    with pytest.raises(KeyError):
        sums.table(reference="train")
    with pytest.raises(KeyError):
        sums.score(unseen="error")
