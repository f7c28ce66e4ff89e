"""Ranking by grades: a case by hand, what must not matter, and what is refused."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t as student

from howgood.decide import rank_grades
from howgood.errors import DroppedRowsWarning, InputError


def _table(differences, *, names=("b", "a")):
    """Grades of two systems by item and rater; the second is better by `differences`."""
    rows = [
        (f"q{i}", name, f"r{r}", 2.0 + i + place * gap)
        for i, gaps in enumerate(differences)
        for r, gap in enumerate(gaps)
        for place, name in enumerate(names)
    ]
    return dict(
        zip(("item", "system", "rater", "grade"), map(list, zip(*rows, strict=True)), strict=True)
    )


def _random(seed, *, items=10, raters=4, systems="abc"):
    rng = np.random.default_rng(seed)
    item, rater, system = (each.ravel() for each in np.indices((items, raters, len(systems))))
    grade = rng.integers(1, 8, item.size)
    return {"item": item, "rater": rater, "system": np.array(list(systems))[system], "grade": grade}


def test_two_items_two_raters_by_hand():
    ranking = rank_grades(_table([[1.0, 2.0], [3.0, 6.0]]))
    # V = 2.25 + 1 - 0.625 and its degrees of freedom, as in the test of the array layer.
    expected = student.cdf(-3.0 / np.sqrt(2.625), 2.625**2 / (2.25**2 + 1.0))
    assert ranking.order == ("a", "b")
    assert ranking.error("a", "b") == pytest.approx(expected)
    assert ranking.error("b", "a") == pytest.approx(1 - expected)
    assert ranking.scores.tolist() == [5.5, 2.5]
    assert ranking.best_probability["a"] == pytest.approx(1 - expected)
    assert (ranking.n, ranking.doubt, ranking.provenance.rows_used) == (2, "items and raters", 8)
    assert (ranking.paired, ranking.level, ranking.provenance.seed) == (True, 0.05, 0)
    used = ranking.provenance
    assert (used.settings["grades"], used.settings["raters"]) == (8, 2)
    # The first system has 2 and 3, the second up to 6 more.
    assert (used.settings["lowest grade"], used.settings["highest grade"]) == (2.0, 9.0)
    assert used.method == "items and raters as samples (quasi-F)"


def test_without_raters_only_items_are_a_sample():
    grades = _table([[1.0, 2.0], [3.0, 6.0]])
    ranking = rank_grades(grades, rater=None)
    assert ranking.error("a", "b") == pytest.approx(student.cdf(-3.0 / np.sqrt(2.25), 1))
    one = rank_grades({**grades, "rater": ["r"] * 8})
    assert one.error("a", "b") == pytest.approx(ranking.error("a", "b"))
    for each, raters in ((ranking, None), (one, 1)):
        assert (each.doubt, each.provenance.settings["raters"]) == ("items", raters)
        assert each.provenance.method == "items as a sample (paired t)"


def test_grades_where_one_is_best():
    ranking = rank_grades(_table([[1.0, 2.0], [3.0, 6.0]]), greater_is_better=False)
    assert ranking.order == ("b", "a")
    assert ranking.error("b", "a") < 0.5


def test_equal_systems_are_a_coin_toss():
    ranking = rank_grades(_table([[0.0, 0.0], [0.0, 0.0]]))
    assert ranking.error("a", "b") == 0.5
    assert ranking.tie_groups == (("a", "b"),)
    # One grade for all shows no step that could hide anything.
    same = rank_grades(
        {"item": [1, 1, 2, 2], "system": ["a", "b"] * 2, "grade": [4] * 4}, rater=None
    )
    assert (same.error("a", "b"), same.score_sds.tolist()) == (0.5, [0.0, 0.0])


def test_items_that_look_alike_are_not_certain():
    # Grades 2 and 3, 3 and 4, 4 and 5: better by one step three times. As if two more items had
    # been better by 2 and by 0: sum of squares 2 over 4, over 3 items.
    ranking = rank_grades(_table([[1.0], [1.0], [1.0]]), rater=None)
    assert ranking.error("a", "b") == pytest.approx(student.cdf(-1.0 / np.sqrt(0.5 / 3), 2))
    # Two raters who agree in everything are no more certain than one.
    agreed = rank_grades(_table([[1.0, 1.0], [1.0, 1.0], [1.0, 1.0]]))
    assert agreed.error("a", "b") == pytest.approx(ranking.error("a", "b"))


@pytest.mark.parametrize("unit", [1.0, 1e-9, 1e9])
def test_a_grade_written_in_two_ways_is_no_step(unit):
    # 0.1 + 0.2 and 0.3 are one grade: the step is 0.1, from 0 to 0.1.
    written = [0.0, 0.1, 0.2, 0.3, 0.2, 0.1 + 0.2]
    rounded = [0.0, 0.1, 0.2, 0.3, 0.2, 0.3]
    for grade in (written, rounded):
        grades = {"item": [1, 1, 2, 2, 3, 3], "system": ["a", "b"] * 3}
        found = rank_grades({**grades, "grade": unit * np.array(grade)}, rater=None)
        # Three differences of 0.1, and their hidden spread: 2 * 0.1² over 4, over 3.
        expected = student.cdf(-1.0 / np.sqrt(0.5 / 3), 2)
        assert found.error("b", "a") == pytest.approx(expected)


def test_a_system_that_always_gets_the_same_grade_is_not_known_exactly():
    item, system = [1, 1, 2, 2, 3, 3], ["a", "b"] * 3
    grades = {"item": item, "system": system, "grade": [4, 3, 4, 5, 4, 1]}
    own = rank_grades(grades, rater=None).score_sds
    assert own[0] == pytest.approx(np.sqrt(0.5 / 3) * student.ppf(0.975, 2) / 1.959964)
    assert own[1] > own[0]


@settings(max_examples=20, deadline=None)
@given(
    gap=st.integers(1, 4),
    items=st.integers(2, 9),
    raters=st.integers(1, 3),
    unit=st.sampled_from([0.1, 1.0, 25.0]),
)
def test_no_number_of_equal_differences_gives_certainty(gap, items, raters, unit):
    table = _table([[float(gap)] * raters] * items)
    table["grade"] = [unit * each for each in table["grade"]]
    error = rank_grades(table).error("a", "b")
    assert 0 < error < 0.5
    more = _table([[float(gap)] * raters] * (items + 1))
    assert rank_grades(more).error("a", "b") < error


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 1000))
def test_order_names_units_and_other_systems_change_nothing(seed):
    table = _random(seed)
    rng = np.random.default_rng(seed)
    one = rank_grades(table)
    order = rng.permutation(120)
    shuffled = {name: column[order] for name, column in table.items()}
    moved = {**shuffled, "grade": 3.0 + 10.0 * shuffled["grade"]}
    keep = table["system"] != "c"
    fewer = {name: column[keep] for name, column in table.items()}
    for other in (rank_grades(pl.DataFrame(shuffled)), rank_grades(moved), rank_grades(fewer)):
        assert other.error("a", "b") == pytest.approx(one.error("a", "b"), rel=1e-9)
    flipped = rank_grades({**table, "grade": -table["grade"]}, greater_is_better=False)
    assert flipped.order == one.order
    # Other raters can only add doubt about who is ahead.
    first, second = one.order[:2]
    assert rank_grades(table, rater=None).error(first, second) <= one.error(first, second) + 1e-12


def test_a_rater_s_several_grades_of_one_output_are_averaged():
    once = _table([[1.0, 2.0], [3.0, 6.0]])
    twice = {name: column * 2 for name, column in once.items()}
    assert rank_grades(twice).error("a", "b") == pytest.approx(rank_grades(once).error("a", "b"))
    # Grades of 1 and 5 by one rater for one output are a 3.
    twice["grade"] = [each + 2 for each in once["grade"]] + [each - 2 for each in once["grade"]]
    assert rank_grades(twice).scores == pytest.approx(rank_grades(once).scores)


def test_items_not_graded_for_every_system_are_refused_or_left_out():
    table = _table([[1.0, 2.0], [3.0, 6.0], [0.0, 9.0]])
    rest = {name: column[:-1] for name, column in table.items()}  # q2: no second grade of a
    assert rank_grades(rest).n == 3
    gone = [place for place in range(12) if not (table["item"][place] == "q2" and place % 2)]
    rest = {name: [column[place] for place in gone] for name, column in table.items()}
    with pytest.raises(InputError, match="1 of 3 items without a grade of every system"):
        rank_grades(rest)
    with pytest.warns(DroppedRowsWarning, match="1 of 3 items"):
        ranking = rank_grades(rest, missing="drop")
    assert ranking.n == 2
    assert dict(ranking.provenance.rows_dropped) == {"item without a grade of every system": 2}


@pytest.mark.parametrize("gap", [float("nan"), float("inf")])
def test_missing_grades_are_refused_or_counted(gap):
    table = _table([[1.0, 2.0], [3.0, 6.0]])
    table["grade"][0] = gap
    with pytest.raises(InputError, match="row 1"):
        rank_grades(table)
    with pytest.warns(DroppedRowsWarning, match="1 of 8 rows"):
        ranking = rank_grades(table, missing="drop")
    assert dict(ranking.provenance.rows_dropped) == {"missing or not finite": 1}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"system": ["a"] * 8}, "at least two systems"),
        ({"item": ["q"] * 8}, "at least two items"),
        ({"rater": ["r1", "r2"] * 4}, "one rater for all of 'a'"),
        ({"grade": ["good"] * 8}, "text such as 'good'"),
        ({"grade": [float("nan")] * 8}, "missing"),
    ],
)
def test_what_cannot_be_ranked_is_refused(change, said):
    with pytest.raises(InputError, match=said):
        rank_grades({**_table([[1.0, 2.0], [3.0, 6.0]]), **change})


def test_one_rater_for_one_of_three_systems_is_refused_by_its_name():
    table = _random(2, items=3, raters=2)
    with pytest.raises(InputError, match="one rater for all of 'b'"):
        rank_grades({**table, "rater": np.where(table["system"] == "b", 0, table["rater"])})


@pytest.mark.parametrize("level", [0, 1, 5])
def test_levels_are_probabilities(level):
    with pytest.raises(InputError, match="between 0 and 1"):
        rank_grades(_random(1), level=level)


def test_needed_data_are_not_promised():
    with pytest.raises(InputError, match="raters"):
        rank_grades(_random(1)).needed("a", "b")


def test_the_doubt_about_a_mean_does_not_exceed_the_grades():
    """Two raters who disagree about everything: their few degrees of freedom say nothing."""
    grades = {
        "item": [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2], "rater": [0, 0, 1, 1] * 3,
        "system": ["a", "b"] * 6, "grade": [4, 2, 2, 4, 4, 3, 3, 5, 3, 2, 3, 3],
    }  # fmt: skip
    assert rank_grades(grades).score_sds.max() == 3


def test_grades_whose_squares_no_number_holds_are_refused():
    grades = {"item": [1, 1, 2, 2], "system": ["a", "b"] * 2, "grade": [1, 2, 3, -1e308]}
    with pytest.raises(InputError, match=r"grades between -1e\+100 and 1e\+100"):
        rank_grades(grades, rater=None)
