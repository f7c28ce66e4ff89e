"""Agreement of raters: Krippendorff's published example, by hand, properties."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howgood.errors import InputError
from howgood.learn import rater_agreement

_GAP = None
# Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability", sections C and D: four
# observers, twelve units, gaps.
_TABLE = (
    (1, 2, 3, 3, 2, 1, 4, 1, 2, _GAP, _GAP, _GAP),
    (1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _GAP, 3),
    (_GAP, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _GAP),
    (1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _GAP),
)


def _published():
    rows = [
        (unit, rater, grade)
        for rater, grades in enumerate(_TABLE)
        for unit, grade in enumerate(grades)
        if grade is not _GAP
    ]
    return dict(zip(("item", "rater", "grade"), map(list, zip(*rows, strict=True)), strict=True))


@pytest.mark.parametrize(
    ("level", "published"),
    [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)],
)
def test_alpha_is_the_published_one(level, published):
    found = rater_agreement(_published(), level=level)
    assert round(found.alpha.mean, 3) == published
    assert found.alpha.interval.lower < published < found.alpha.interval.upper
    assert found.alpha.interval.upper <= 1


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
def test_alpha_is_that_of_evalica(level):
    evalica = pytest.importorskip("evalica", reason="not among the packages of make test-library")
    rng = np.random.default_rng(1)
    table = np.clip(np.round(rng.normal(3, 1, 30)[None] + rng.normal(0, 0.7, (5, 30))), 1, 5)
    table[rng.random(table.shape) < 0.2] = np.nan
    rater, unit = np.nonzero(~np.isnan(table))
    found = rater_agreement(
        {"item": unit, "rater": rater, "grade": table[rater, unit]}, level=level
    )
    theirs = evalica.alpha(pd.DataFrame(table), distance=level).alpha
    assert found.alpha.mean == pytest.approx(theirs, abs=1e-9)


def test_two_raters_by_hand():
    # Values 1 1 | 1 2: of 4 values three are 1. Observed: 2 of 4 ordered pairs differ; expected:
    # 2 * 3 * 1 of 4 * 3.
    grades = {"item": [1, 1, 2, 2], "rater": ["a", "b"] * 2, "grade": [1, 1, 1, 2]}
    assert rater_agreement(grades, level="nominal").alpha.mean == pytest.approx(
        1 - (2 / 4) / (6 / 12)
    )


def test_perfect_agreement_is_one_and_nothing_in_common_is_refused():
    grades = {"item": [1, 1, 2, 2], "rater": ["a", "b"] * 2, "grade": [1, 1, 5, 5]}
    assert rater_agreement(grades).alpha.mean == 1
    with pytest.raises(InputError, match="no item graded by two raters"):
        rater_agreement({**grades, "rater": ["a", "a", "b", "b"]})
    with pytest.raises(InputError, match="same grade"):
        rater_agreement({**grades, "grade": [3, 3, 3, 3]})
    with pytest.raises(InputError, match="one of nominal"):
        rater_agreement(grades, level="cardinal")
    with pytest.raises(InputError, match="ratio"):
        rater_agreement({**grades, "grade": [-1, 1, 5, 5]}, level="ratio")
    with pytest.raises(InputError, match="nominal"):
        rater_agreement({**grades, "grade": ["bad", "bad", "good", "good"]})


def test_who_repeats_themselves_agrees_with_themselves():
    steady = {"item": [1, 1, 1, 2, 2, 2, 3, 3], "rater": list("aabaabab"),
              "grade": [1, 1, 2, 4, 4, 5, 2, 3]}  # fmt: skip
    found = rater_agreement(steady)
    assert found.self_agreement.mean == 1
    assert found.alpha.mean < 1
    once = {name: values[1:] for name, values in steady.items()}
    assert rater_agreement({**once, "rater": list("ababcab")}).self_agreement is None


def test_shares_of_variance_are_those_of_the_analysis_of_variance():
    rng = np.random.default_rng(2)
    table = rng.normal(0, 1, 40)[:, None] + rng.normal(0, 0.5, 8) + rng.normal(0, 0.7, (40, 8))
    item, rater = (each.ravel() for each in np.indices(table.shape))
    shares = rater_agreement(
        {"item": item, "rater": rater, "grade": table.ravel()}, level="interval"
    ).variance_shares
    rows, columns = table.mean(axis=1), table.mean(axis=0)
    rest = table - rows[:, None] - columns + table.mean()
    error = (rest**2).sum() / (39 * 7)
    parts = np.array([rows.var(ddof=1) - error / 8, columns.var(ddof=1) - error / 40, error])
    assert list(shares.values()) == pytest.approx((parts / parts.sum()).tolist(), abs=1e-9)


@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 500), level=st.sampled_from(["nominal", "ordinal", "interval"]))
def test_order_of_rows_and_names_change_nothing(seed, level):
    rng = np.random.default_rng(seed)
    item, rater = rng.integers(6, size=40), rng.integers(4, size=40)
    grade = rng.integers(1, 5, size=40)
    one = rater_agreement({"item": item, "rater": rater, "grade": grade}, level=level)
    mixed = rng.permutation(40)
    other = rater_agreement(
        {"item": (item[mixed] + 7) % 50, "rater": [f"r{who}" for who in rater[mixed]],
         "grade": grade[mixed]}, level=level,
    )  # fmt: skip
    assert other.alpha.mean == pytest.approx(one.alpha.mean, abs=1e-9)
    assert one.alpha.mean <= 1
    if level == "ordinal":  # any rising change of the grades
        cubed = rater_agreement({"item": item, "rater": rater, "grade": grade**3}, level=level)
        assert cubed.alpha.mean == pytest.approx(one.alpha.mean, abs=1e-9)


def test_outputs_of_several_systems_are_items_of_their_own():
    """Nobody graded anything twice: an item's three outputs differ, and both raters see it."""
    rows = [(item, system, rater) for item in range(5) for system in "ABC" for rater in "xy"]
    grades = {
        "item": [row[0] for row in rows],
        "system": [row[1] for row in rows],
        "rater": [row[2] for row in rows],
        "grade": [1 + (item + "ABC".index(system)) % 5 for item, system, _ in rows],
    }
    apart = rater_agreement(grades, system="system")
    assert apart.alpha.mean == 1.0
    assert apart.self_agreement is None
    assert apart.n_items == 15
    assert rater_agreement(grades).self_agreement is not None
