"""Ranking by grades: a case by hand, what must not matter, and what is refused."""

from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm
from scipy.stats import t as student

from howgood.decide import rank_grades
from howgood.errors import DroppedRowsWarning, InputError
from howgood.stats import crossed_sums


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


# A share of 32,768 draws, at its largest, and twice that for what two nets of points may miss.
NET = 0.004


def _variances(ranking):
    return ranking.provenance.settings["variances"]


def test_two_items_two_raters_by_hand():
    ranking = rank_grades(_table([[1.0, 2.0], [3.0, 6.0]]))
    assert ranking.order == ("a", "b")
    assert ranking.scores.tolist() == [5.5, 2.5]
    # Mean squares 4.5, 2 and 0.5, as in the test of the array layer; two values per level.
    found = {name: _variances(ranking)[name] for name in ("system x item", "system x rater")}
    assert found == pytest.approx({"system x item": 2.0, "system x rater": 0.75})
    assert _variances(ranking)["residual"] == pytest.approx(0.5)
    error = ranking.error("a", "b")
    # With one degree of freedom for each, less certain than Student's t with 1 for all of V = 3.
    assert student.cdf(-3.0 / np.sqrt(3.0), 1) < error < 0.5
    assert ranking.error("b", "a") == pytest.approx(1 - error)
    assert ranking.best_probability["a"] == pytest.approx(1 - error)
    assert (ranking.n, ranking.doubt, ranking.provenance.rows_used) == (2, "items and raters", 8)
    assert (ranking.paired, ranking.level, ranking.provenance.seed) == (True, 0.05, 0)
    used = ranking.provenance
    assert (used.settings["grades"], used.settings["raters"]) == (8, 2)
    # The first system has 2 and 3, the second up to 6 more.
    assert (used.settings["lowest grade"], used.settings["highest grade"]) == (2.0, 9.0)
    assert used.method == "items and raters as samples (crossed model)"


def test_many_raters_and_items_are_a_gaussian_of_the_pooled_variance():
    """With many degrees of freedom v = (MS_si + MS_sr - MS_e) / (I R) is as good as known."""
    rng = np.random.default_rng(3)
    shape = (60, 40, 2)
    table = rng.normal(0, 1, shape) + rng.normal(0, 0.5, (60, 1, 2)) + rng.normal(0, 0.5, (40, 2))
    table[..., 1] += 0.15
    item, rater, system = (each.ravel() for each in np.indices(shape))
    grades = {"item": item, "rater": rater, "system": system, "grade": table.ravel()}
    ranking = rank_grades(grades)
    d = table[..., 1] - table[..., 0]
    rows, columns = d.mean(axis=1), d.mean(axis=0)
    rest = d - rows[:, None] - columns + d.mean()
    variance = rows.var(ddof=1) / 60 + columns.var(ddof=1) / 40
    variance -= np.sum(rest**2) / (59 * 39) / (60 * 40)
    expected = student.cdf(-abs(d.mean()) / np.sqrt(variance), 39)
    assert ranking.error(*ranking.order) == pytest.approx(expected, abs=NET)


def test_without_raters_only_items_are_a_sample():
    grades = _table([[1.0, 2.0], [3.0, 6.0]])
    ranking = rank_grades(grades, rater=None, combine="mean")
    # Differences of 1.5 and 4.5: variance 4.5, over 2.
    expected = student.cdf(-3.0 / np.sqrt(2.25), 1)
    assert ranking.error("a", "b") == pytest.approx(expected, abs=NET)
    one = rank_grades({**grades, "rater": ["r"] * 8}, combine="mean")
    assert one.error("a", "b") == pytest.approx(ranking.error("a", "b"), abs=NET)
    for each, raters in ((ranking, None), (one, 1)):
        assert (each.doubt, each.provenance.settings["raters"]) == ("items", raters)
        assert each.provenance.method == "items as a sample (crossed model)"


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
    expected = student.cdf(-1.0 / np.sqrt(0.5 / 3), 2)
    assert ranking.error("a", "b") == pytest.approx(expected, abs=NET)
    # Two raters who agree in everything are no more certain than one.
    agreed = rank_grades(_table([[1.0, 1.0], [1.0, 1.0], [1.0, 1.0]]))
    assert agreed.error("a", "b") == pytest.approx(ranking.error("a", "b"), abs=NET)


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
        assert found.error("b", "a") == pytest.approx(expected, abs=NET)


def test_a_system_that_always_gets_the_same_grade_is_not_known_exactly():
    item, system = [1, 1, 2, 2, 3, 3], ["a", "b"] * 3
    grades = {"item": item, "system": system, "grade": [4, 3, 4, 5, 4, 1]}
    own = rank_grades(grades, rater=None).score_sds
    # Pooled: how far grades vary is learned from both systems together.
    assert own[0] == own[1] > 0


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
    fewer_errors = rank_grades(more).error("a", "b")
    # What happens in a few of 32,768 draws may stay at the same count.
    assert fewer_errors < error or error < 0.001 >= fewer_errors


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 1000))
def test_order_names_and_units_change_nothing(seed):
    table = _random(seed)
    rng = np.random.default_rng(seed)
    one = rank_grades(table)
    order = rng.permutation(120)
    shuffled = {name: column[order] for name, column in table.items()}
    moved = {**shuffled, "grade": 3.0 + 10.0 * shuffled["grade"]}
    for other in (rank_grades(pl.DataFrame(shuffled)), rank_grades(moved)):
        # Rounding moves single draws across a border.
        assert other.errors == pytest.approx(one.errors, abs=NET)
        assert other.ranks == pytest.approx(one.ranks, abs=NET)
    flipped = rank_grades({**table, "grade": -table["grade"]}, greater_is_better=False)
    assert flipped.order == one.order
    # Other raters can only add doubt about who is ahead.
    first, second = one.order[:2]
    alone = rank_grades(table, rater=None, combine="mean").error(first, second)
    assert alone <= one.error(first, second) + 0.03


def _contradictions(ranking):
    """Return every statement of a ranking that another one denies, in words."""
    names = ranking.order
    found = [each for place, a in enumerate(names) for each in _denied(ranking, place, a)]
    if not np.allclose(sum(ranking.rank_probabilities.values()), 1.0):
        found.append("places without an owner")
    for group in ranking.tie_groups:
        if any(ranking.error(group[0], each) < ranking.level for each in group[1:]):
            found.append(f"{group} tie and are told apart")
    return found


def _denied(ranking, place, a):
    names, error = ranking.order, ranking.error
    others = [each for each in names if each != a]
    best = ranking.best_probability[a]
    for b in others:
        if best > 1 - error(a, b) + 1e-12:
            yield f"P({a} best) {best} above P({a} ahead of {b})"
        if abs(error(a, b) + error(b, a) - 1) > 1e-12:
            yield f"{a} and {b}: errors do not add up"
        # P(a > c) <= P(a > b) + P(b > c): no order can be without its steps.
        if any(error(a, b) + error(b, c) > 1 + error(a, c) + 1e-9 for c in others if c != b):
            yield f"{a} ahead of others without {b} in between"
    if any(error(a, b) > 0.5 + 1e-12 for b in names[place + 1 :]):
        yield f"{a} stands above one that is ahead more often than not"
    by_rank = ranking.rank_probabilities[a] @ np.arange(len(names))
    by_pair = sum(error(a, b) for b in others)
    if abs(by_rank - by_pair) > 1e-9:
        yield f"mean rank of {a}: {by_rank} by ranks, {by_pair} by pairs"


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    raters=st.sampled_from([1, 2, 3, 5]),
    systems=st.integers(2, 7),
    items=st.sampled_from([2, 5, 20]),
    missing=st.sampled_from([0.0, 0.2, 0.5]),
    points=st.booleans(),
)
def test_no_statement_contradicts_another(seed, raters, systems, items, missing, points):
    """Two, three, more raters; all grade all or cells are missing; grades in points or not."""
    rng = np.random.default_rng(seed)
    table = 3.0 + rng.normal(0, 0.8, (items, raters, systems)) + rng.normal(0, 0.4, systems)
    table += rng.normal(0, 0.6, (1, raters, systems)) + rng.normal(0, 0.5, (items, 1, 1))
    if points:
        table = np.clip(np.round(table), 1, 5)
    gone = rng.random(table.shape) < missing
    gone[np.arange(items)[:, None], (np.arange(items)[:, None] + np.arange(systems)) % raters,
         np.arange(systems)] = False  # fmt: skip
    item, rater, system = np.nonzero(~gone)
    several = [len(set(rater[system == each])) > 1 for each in range(systems)]
    if raters > 1 and not all(several):
        return
    ranking = rank_grades(
        {"item": item, "rater": rater, "system": system, "grade": table[item, rater, system]}
    )
    assert _contradictions(ranking) == []


def test_three_raters_of_eight_systems_know_more_together_than_two_systems_alone():
    """Pooled: 14 degrees of freedom carry what raters do to systems, not 2."""
    rng = np.random.default_rng(5)
    table = rng.normal(0, 0.6, (40, 3, 8)) + rng.normal(0, 0.3, (1, 3, 8))
    table[..., 0] += 1.2
    item, rater, system = (each.ravel() for each in np.indices(table.shape))
    grades = {"item": item, "rater": rater, "system": system, "grade": table.ravel()}
    two = {name: column[system < 2] for name, column in grades.items()}
    assert rank_grades(grades).error("0", "1") < 0.5 * rank_grades(two).error("0", "1")


def test_several_rows_of_one_rater_for_one_output_are_refused():
    once = _table([[1.0, 2.0], [3.0, 6.0]])
    twice = {name: column * 2 for name, column in once.items()}
    with pytest.raises(InputError, match=r"8 times several rows of one rater for one output"):
        rank_grades(twice)
    # Without raters: several rows of one output may be anything.
    with pytest.raises(InputError, match=r"4 times several rows of one output \(up to 2\)"):
        rank_grades(once, rater=None)
    with pytest.raises(InputError, match="one of error, mean, sum, last"):
        rank_grades(once, combine="median")


def test_several_rows_of_one_rater_are_combined_as_named():
    once = _table([[1.0, 2.0], [3.0, 6.0]])
    twice = {name: column * 2 for name, column in once.items()}
    # Grades of 1 and 5 by one rater for one output: 3 on average, 6 together, 5 at last.
    twice["grade"] = [each - 2 for each in once["grade"]] + [each + 2 for each in once["grade"]]
    plain = rank_grades(once)
    for combine, scores in (
        ("mean", plain.scores), ("sum", 2 * plain.scores), ("last", plain.scores + 2),
    ):  # fmt: skip
        found = rank_grades(twice, combine=combine)
        assert found.scores == pytest.approx(scores)
        assert found.error("a", "b") == pytest.approx(plain.error("a", "b"), abs=NET)
        settings_ = found.provenance.settings
        assert (settings_["combine"], settings_["combined rows"]) == (combine, 16)
    assert plain.provenance.settings["combined rows"] == 0


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


# What more items or raters would bring --------------------------------------------------------


def test_the_sources_of_doubt_by_hand():
    sources = rank_grades(_table([[1.0, 2.0], [3.0, 6.0]])).sources
    # Components 2, .75 and .5 (see above), two systems, two items, two raters: V = 3 in all.
    assert sources.items[0, 1] == pytest.approx(2 * 2.0 / 2)
    assert sources.raters[0, 1] == pytest.approx(2 * 0.75 / 2)
    assert sources.both[0, 1] == pytest.approx(2 * 0.5 / 4)
    assert (sources.n_items, sources.n_raters) == (2, 2)
    # A third rater leaves 2 + (.75 + .25) 2 / 3; of items (2 + .25) 2 / I + .75 must be as much.
    worth = 2 * 2.25 / (2 + 2 / 3 - 0.75) - 2
    assert sources.one_rater_in_items((0, 1)) == pytest.approx(worth)


def _error_at(found, ranking, *, items=1.0, raters=1.0):
    """Return the error with so many times the items and raters: a Gaussian as wide as it says."""
    place = ranking.index(found.first), ranking.index(found.second)
    parts = [float(getattr(ranking.sources, name)[place]) for name in ("items", "raters", "both")]
    lead = abs(float(ranking.differences[place]))
    if lead == 0:
        return 0.5
    wider = (lead / norm.ppf(found.error_now)) ** 2 / sum(parts)
    variance = parts[0] / items + parts[1] / raters + parts[2] / items / raters
    return norm.cdf(-lead / np.sqrt(wider * variance))


@settings(max_examples=25)
@given(seed=st.integers(0, 2**32 - 1), error=st.sampled_from([0.05, 0.2]))
def test_needed_items_and_raters_bring_the_error_just_below_the_target(seed, error):
    ranking = rank_grades(_random(seed, items=12))
    first, second = ranking.order[0], ranking.order[-1]
    found = ranking.needed(first, second, error=error)
    assert found.error_now == ranking.error(first, second)
    assert (found.status == "reached") == (found.error_now < error)
    assert found.to_dict()["items"] == found.items
    if found.status == "reached":
        assert (found.items, found.raters) == (12, 4)
        return
    for name, now in (("items", 12), ("raters", 4)):
        total = getattr(found, name)
        if total is None:  # what the others bring in alone is too much
            assert _error_at(found, ranking, **{name: 1e12}) >= error
        else:
            assert _error_at(found, ranking, **{name: total / now}) < error
            assert _error_at(found, ranking, **{name: (total - 1) / now}) >= error
    if found.together is not None:
        items, raters = found.together
        assert _error_at(found, ranking, items=items / 12, raters=raters / 4) < error
        fewer = {"items": (items - 1) / 12, "raters": (raters - 1) / 4}
        assert _error_at(found, ranking, **fewer) >= error
    assert ranking.needed(second, first, error=error).status == "never"


def test_raters_with_tastes_of_their_own_are_what_limits_the_evidence():
    rng = np.random.default_rng(4)
    item, rater, system = (each.ravel() for each in np.indices((200, 4, 2)))
    tastes = rng.normal(0, 0.6, (4, 2))
    grade = 4 + tastes[rater, system] + rng.normal(0, 0.5, item.size)
    ranking = rank_grades({"item": item, "rater": rater, "system": system, "grade": grade})
    found = ranking.needed(*ranking.order)
    assert (found.items, found.as_items) == (None, np.inf)
    assert found.raters > 4
    assert found.to_dict()["as_items"] is None


def test_unknown_raters_leave_items_alone_to_ask_for():
    ranking = rank_grades({**_random(3, raters=1), "rater": [0] * 30}, rater=None)
    found = ranking.needed(*ranking.order[:2])
    assert (found.raters, found.as_items) == (None, None)


def test_what_an_output_with_one_grade_cannot_tell_apart_counts_as_the_items():
    rng = np.random.default_rng(7)
    item, system = (each.ravel() for each in np.indices((40, 2)))
    table = {"item": item, "system": system, "rater": item % 8, "grade": rng.normal(0, 1, 80)}
    sources = rank_grades(table).sources
    assert sources.both.max() == 0
    assert sources.items[0, 1] > 0


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


def test_rounding_does_not_decide_whether_raters_are_a_sample():
    """Raters' tastes leave a mean square of zero here, up to rounding, which rows' order moves."""
    more = {
        "x": [1, 1, 0, 0, 0, 0, 0, 0, 2, 1, 2, 1, 1, 2],
        "y": [2, 1, 0, 0, 0, 1, 0, 1, 0, 1, 2, 1, 2, 0],
    }
    rows = [
        (item, rater, system, 2.0 + (system == "a") * more[rater][item])
        for item, rater, system in product(range(14), "xy", "ab")
    ]
    errors = []
    for seed in range(12):
        shuffled = [rows[place] for place in np.random.default_rng(seed).permutation(len(rows))]
        if seed % 2:
            shuffled[0] = (*shuffled[0][:3], shuffled[0][3] + 1e-9)
        columns = zip(*shuffled, strict=True)
        table = dict(zip(("item", "rater", "system", "grade"), columns, strict=True))
        errors.append(rank_grades(table).error("a", "b"))
    assert max(errors) - min(errors) < NET
    # Two raters with hardly a say in it: still not as sure as 14 items alone would be.
    assert min(errors) > rank_grades(table, rater=None, combine="mean").error("a", "b") + 0.01


def _documents(seed, *, documents=12, each=5, shared=1.0):
    """Two equal systems; a document's sentences share what it does to a system."""
    rng = np.random.default_rng(seed)
    document, sentence, system = (codes.ravel() for codes in np.indices((documents, each, 2)))
    grade = rng.normal(0, shared, (documents, 2))[document, system] + rng.normal(0, 0.5, 10 * 12)
    return {"document": document, "item": sentence, "system": system, "grade": grade}


def test_clusters_are_the_paired_t_test_of_their_means():
    """Equal clusters, two systems, no raters: the t-test over documents, 11 degrees of freedom."""
    grades = _documents(1)
    ranking = rank_grades(grades, rater=None, cluster="document")
    table = grades["grade"].reshape(12, 5, 2).mean(axis=1)
    gap = table[:, 1] - table[:, 0]
    expected = student.cdf(-abs(gap.mean()) / np.sqrt(gap.var(ddof=1) / 12), 11)
    assert ranking.error(*ranking.order) == pytest.approx(expected, abs=3 * NET)
    assert (ranking.n, ranking.provenance.settings["clusters"]) == (60, 12)
    assert "system x cluster" in _variances(ranking)
    assert ranking.sources.n_clusters == 12
    # Sentences that resemble each other say less than as many that do not.
    named = {**grades, "item": np.arange(120) // 2}
    assert ranking.error(*ranking.order) > rank_grades(named, rater=None).error(*ranking.order)


def test_one_cluster_is_refused():
    grades = {**_documents(1), "document": np.zeros(120), "item": np.arange(120) // 2}
    with pytest.raises(InputError, match="one cluster"):
        rank_grades(grades, rater=None, cluster="document")


def test_segments_are_rankings_of_their_rows_alone():
    grades = {**_random(5), "kind": np.repeat(["long", "short"], 60)}
    ranking = rank_grades(grades, segment="kind")
    assert list(ranking.segments) == ["long", "short"]
    half = {name: values[:60] for name, values in grades.items()}
    np.testing.assert_array_equal(ranking.segments["long"].errors, rank_grades(half).errors)
    np.testing.assert_array_equal(ranking.errors, rank_grades(_random(5)).errors)
    assert set(ranking.to_dict()["segments"]) == {"long", "short"}
    again = type(ranking).from_dict(ranking.to_dict())
    assert again.segments["short"].order == ranking.segments["short"].order
    lone = {**grades, "kind": np.where(grades["item"] == 0, "one item", "others")}
    with pytest.raises(InputError, match="segment 'one item'"):
        rank_grades(lone, segment="kind")


def test_repeats_are_worth_what_the_moment_adds():
    """Every grade given twice: v(n) = v - m + m * 2 / n, with m what the moment adds now."""
    rng = np.random.default_rng(8)
    item, rater, system, _ = (codes.ravel() for codes in np.indices((30, 6, 2, 2)))
    steady = 0.35 * system + rng.normal(0, 0.2, (30, 6, 2))[item, rater, system]
    grades = {"item": item, "rater": rater, "system": system,
              "grade": steady + rng.normal(0, 2.0, item.size)}  # fmt: skip
    ranking = rank_grades(grades, combine="mean")
    table = grades["grade"].reshape(-1, 2)
    moment = float(np.mean(np.var(table, axis=1, ddof=1)))
    # 180 means of two repeats each in either system.
    sources = ranking.sources
    assert sources.n_repeats == 2.0
    assert sources.repeated[0, 1] <= 2 * moment / 2 / 180 + 1e-12
    needed = ranking.needed(*ranking.order, error=ranking.error(*ranking.order) / 2)
    assert needed.repeats is None or needed.repeats > 2
    assert rank_grades(_random(5)).needed("a", "b").repeats is None


def test_a_board_made_in_blocks_is_the_same(monkeypatch):
    """Repeats, gaps and clusters: nothing depends on how many rows are looked at at once."""
    rng = np.random.default_rng(8)
    item, system, rater = (codes.ravel() for codes in np.indices((30, 3, 4)))
    again = rng.integers(0, item.size, 60)
    item, system, rater = (np.concatenate([codes, codes[again]]) for codes in (item, system, rater))
    kept = ~((item == 7) & (system == 1))
    item, system, rater = item[kept], system[kept], rater[kept]
    grades = {
        "item": item,
        "system": np.array(["a", "b", "c"])[system],
        "rater": rater,
        "grade": np.round(3 + system / 2 + rng.normal(0, 1, item.size)),
        "doc": item // 3,
    }
    options = {"combine": "mean", "missing": "drop", "cluster": "doc"}
    with pytest.warns(DroppedRowsWarning):
        whole = rank_grades(grades, **options)
    monkeypatch.setattr(crossed_sums, "_MOST_ROWS", 30)
    monkeypatch.setattr(crossed_sums, "_FEWEST_ROWS", 30)
    with pytest.warns(DroppedRowsWarning):
        blocks = rank_grades(grades, **options)
    np.testing.assert_allclose(blocks.errors, whole.errors, atol=1e-4)
    np.testing.assert_allclose(blocks.scores, whole.scores)
    assert blocks.provenance.rows_dropped == whole.provenance.rows_dropped
    assert blocks.provenance.rows_used == whole.provenance.rows_used
    assert blocks.sources.items == pytest.approx(whole.sources.items)
    assert blocks.sources.repeated == pytest.approx(whole.sources.repeated)
    assert blocks.sources.n_repeats == pytest.approx(whole.sources.n_repeats)
    with (
        pytest.warns(DroppedRowsWarning),
        pytest.raises(InputError, match="times several rows"),
    ):
        rank_grades(grades, missing="drop")
