"""The Relevance Score: by hand, by property, against an independent count."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howgood import learn, score
from howgood.errors import InputError, LengthMismatchError, UnknownNameError

ROOM = {"room": ["x"] * 10, "light": [*"AAAABBBBCC"]}
ACTUAL, PREDICTED = [*"ABCAB"], [*"ACABB"]
HERE = {"room": ["x"] * 5}


def _room(**settings):
    return learn.outcome_probabilities(ROOM, outcome="light", context=["room"], **settings)


def _by_hand(rows, tests, alpha, beta, *, leave_out=False):
    """Eq. 8 with lists and loops: an independent reference."""
    scores = []
    for number, (context, actual, predicted) in enumerate(tests):
        others = [row for i, row in enumerate(rows) if not (leave_out and i == number)]
        here = [outcome for where, outcome in others if where == context]
        if actual == predicted:
            scores.append(100.0)
        elif here:
            shares = {label: here.count(label) / len(here) for label in set(here)}
            p, a = shares.get(predicted, 0.0), shares.get(actual, 0.0)
            error = alpha * (max(shares.values()) - p) + beta * abs(p - a)
            scores.append(100 * (1 - error / (alpha + beta)))
    return np.mean(scores) if scores else None


@pytest.mark.parametrize(
    ("alpha", "beta", "expected"),
    [(2, 1, [100, 80, 100 - 20 / 3, 100, 100]), (1, 1, [100, 80, 90, 100, 100])],
)
def test_the_papers_table_1_by_its_formula(alpha, beta, expected):
    report = score.relevance_report(
        ACTUAL, PREDICTED, contexts=HERE, table=_room(), alpha=alpha, beta=beta, random_state=0
    )
    np.testing.assert_allclose(report.scores, expected, atol=1e-9)
    assert report.value == pytest.approx(np.mean(expected), abs=1e-9)
    value = score.relevance_score(
        ACTUAL, PREDICTED, contexts=HERE, table=_room(), alpha=alpha, beta=beta
    )
    assert value == pytest.approx(np.mean(expected), abs=1e-9)


def test_infinite_alpha_or_beta_gives_the_bounds():
    # Wrong rows: B for C .4/.2, C for A .2/.4, A for B .4/.4. dHP = .2, 0, 0; dPA = .2, .2, 0.
    at = {
        end: score.relevance_score(ACTUAL, PREDICTED, contexts=HERE, table=_room(), **end_value)
        for end, end_value in {
            "alpha": {"alpha": math.inf, "beta": 1},
            "beta": {"alpha": 1, "beta": math.inf},
        }.items()
    }
    assert at["alpha"] == pytest.approx((100 + 80 + 100 + 100 + 100) / 5, abs=1e-9)
    assert at["beta"] == pytest.approx((100 + 80 + 80 + 100 + 100) / 5, abs=1e-9)


LABELS = st.integers(0, 3)
DATA = st.lists(st.tuples(st.integers(0, 2), LABELS, LABELS), min_size=1, max_size=30)


@settings(max_examples=80, deadline=None)
@given(data=DATA, alpha=st.floats(0.1, 5), beta=st.floats(0, 5), loo=st.booleans())
def test_the_score_matches_a_count_with_loops(data, alpha, beta, loo):
    context, actual, predicted = (np.array(column) for column in zip(*data, strict=True))
    table = learn.outcome_probabilities(
        {"c": context, "y": actual},
        outcome="y",
        context=["c"],
        reference="cross-fit" if loo else "all",
    )
    expected = _by_hand(list(zip(context, actual, strict=True)), data, alpha, beta, leave_out=loo)
    if expected is None:
        with pytest.raises(InputError, match="none of which can be graded"):
            score.relevance_score(actual, predicted, contexts={"c": context}, table=table)
        return
    found = score.relevance_score(
        actual, predicted, contexts={"c": context}, table=table, alpha=alpha, beta=beta
    )
    assert found == pytest.approx(expected, abs=1e-9)
    # The same rows many times over take the short cut by cells (all but leave-one-out).
    if not loo:
        many = score.relevance_score(
            np.tile(actual, 60),
            np.tile(predicted, 60),
            contexts={"c": np.tile(context, 60)},
            table=table,
            alpha=alpha,
            beta=beta,
        )
        assert many == pytest.approx(expected, abs=1e-9)


@settings(max_examples=50, deadline=None)
@given(data=DATA, names=st.permutations("wxyz"), seed=st.integers(0, 99))
def test_renaming_labels_and_reordering_rows_changes_nothing(data, names, seed):
    context, actual, predicted = (np.array(column) for column in zip(*data, strict=True))
    order = np.random.default_rng(seed).permutation(len(data))
    labels = np.array(names)

    def reported(y, p, c):
        table = learn.outcome_probabilities({"c": c, "y": y}, outcome="y", context=["c"])
        return score.relevance_report(y, p, contexts={"c": c}, table=table, random_state=0)

    one = reported(actual, predicted, context)
    two = reported(labels[actual][order], labels[predicted][order], context[order])
    assert two.value == pytest.approx(one.value, abs=1e-9)
    assert two.most_probable == pytest.approx(one.most_probable, abs=1e-9)
    assert two.cases.tolist() == one.cases[order].tolist()
    if set(predicted) <= set(actual):
        assert two.chance == pytest.approx(one.chance, abs=1e-9)


@settings(max_examples=50, deadline=None)
@given(data=DATA, seed=st.integers(0, 99))
def test_weights_equal_repeated_rows(data, seed):
    context, actual, predicted = (np.array(column) for column in zip(*data, strict=True))
    times = np.random.default_rng(seed).integers(0, 4, len(data))
    times[0] += 1
    table = learn.outcome_probabilities(
        {"c": context, "y": actual, "n": times}, outcome="y", context=["c"], weights="n"
    )
    weighted = score.relevance_report(
        actual, predicted, contexts={"c": context}, table=table, sample_weight=times,
        random_state=0,
    )  # fmt: skip
    again = [np.repeat(column, times) for column in (context, actual, predicted)]
    repeated = score.relevance_report(
        again[1],
        again[2],
        contexts={"c": again[0]},
        table=learn.outcome_probabilities(
            {"c": again[0], "y": again[1]}, outcome="y", context=["c"]
        ),
        random_state=0,
    )
    assert weighted.value == pytest.approx(repeated.value, abs=1e-9)
    assert weighted.accuracy == pytest.approx(repeated.accuracy, abs=1e-9)
    if set(again[1]) == set(actual):
        assert weighted.chance == pytest.approx(repeated.chance, abs=1e-9)


@settings(max_examples=50, deadline=None)
@given(data=DATA, new=LABELS)
def test_cross_fit_never_uses_the_scored_row(data, new):
    # Change the first row's own outcome: no other row's table entry for it may change, so the
    # probabilities it is scored with stay as they are.
    context, actual, _ = (np.array(column) for column in zip(*data, strict=True))
    changed = actual.copy()
    changed[0] = new
    shares = []
    for outcome in (actual, changed):
        rows = {
            "c": np.append(context, 9),
            "y": np.append(outcome, 9),
            "f": np.arange(len(data) + 1),
        }
        table = learn.outcome_probabilities(
            rows, outcome="y", context=["c"], reference="cross-fit", folds="f"
        )
        found = table.lookup({name: column[:1] for name, column in rows.items()})[0]
        chosen = zip(table.outcomes.tolist(), found.tolist(), strict=True)
        shares.append({label: share for label, share in chosen if share > 0})
    assert shares[0] == pytest.approx(shares[1])


@settings(max_examples=50, deadline=None)
@given(data=DATA)
def test_leaving_one_out_equals_a_fold_per_row(data):
    context, actual, predicted = (np.array(column) for column in zip(*data, strict=True))
    rows = {"c": context, "y": actual, "f": np.arange(len(data))}
    scores = []
    for folds in (None, "f"):
        table = learn.outcome_probabilities(
            rows, outcome="y", context=["c"], reference="cross-fit", folds=folds
        )
        for unseen in ("exclude", "marginal"):
            try:
                scores.append(
                    score.relevance_score(
                        actual, predicted, contexts=rows, table=table, unseen=unseen
                    )
                )
            except InputError:
                scores.append(-1.0)
    assert scores[:2] == pytest.approx(scores[2:], abs=1e-9)


def test_on_dice_the_likeliest_outcome_gains_from_a_table_that_holds_the_scored_row():
    generator = np.random.default_rng(3)
    rows = {"c": generator.integers(0, 200, 1000), "y": generator.integers(0, 8, 1000)}
    guess = generator.integers(0, 8, 1000)
    likeliest, values = {}, {}
    for reference in ("all", "cross-fit"):
        table = learn.outcome_probabilities(rows, outcome="y", context=["c"], reference=reference)
        report = score.relevance_report(
            rows["y"], guess, contexts=rows, table=table, random_state=0
        )
        likeliest[reference], values[reference] = report.most_probable, report.value
    # With dice nothing can be predicted: that the likeliest outcome beats guessing is a leak.
    assert likeliest["all"] - values["all"] > 15
    assert likeliest["cross-fit"] < likeliest["all"] - 5


def test_unseen_labels_have_probability_zero_and_may_still_be_right():
    table = _room()
    found = score.relevance_report(
        ["A", "Z", "Z"], ["Z", "A", "Z"], contexts=HERE["room"][:3], table=table, random_state=0
    )
    # Predicted Z for A: P_H .4, P_P 0, P_A .4 -> error .4. Predicted A for Z: error (1/3) .4.
    np.testing.assert_allclose(found.scores, [60, 100 * (1 - 0.4 / 3), 100], atol=1e-9)


def test_unseen_contexts_are_left_out_when_wrong_refused_or_scored_by_the_marginal():
    arguments = {"contexts": {"room": ["x", "new", "new"]}, "table": _room()}
    truth, guess = ["A", "A", "B"], ["C", "A", "C"]
    report = score.relevance_report(truth, guess, random_state=0, **arguments)
    assert report.value == pytest.approx((80 + 100) / 2)
    assert (report.n_excluded, report.cases.tolist()) == (1, [5, 1, 0])
    assert math.isnan(report.scores[2])
    assert score.relevance_score(truth, guess, **arguments) == pytest.approx(90)
    with pytest.raises(InputError, match=r"row 3.*never saw \(1 such"):
        score.relevance_score(truth, guess, unseen="error", **arguments)
    marginal = score.relevance_score(truth, guess, unseen="marginal", **arguments)
    assert marginal == pytest.approx((80 + 100 + 80) / 3)
    for measure in (score.relevance_score, score.relevance_report):
        with pytest.raises(InputError, match="none of which can be graded"):
            measure(["A"], ["B"], contexts={"room": ["new"]}, table=_room())


@pytest.mark.parametrize("times", [1, 3000])
@pytest.mark.parametrize("weighted", [False, True])
def test_exclusions_are_the_same_on_the_short_cut(times, weighted):
    truth, guess = np.tile([*"AAB"], times), np.tile([*"CAC"], times)
    found = score.relevance_score(
        truth,
        guess,
        contexts={"room": np.tile(["x", "new", "new"], times)},
        table=_room(),
        sample_weight=np.full(3 * times, 2.0) if weighted else None,
    )
    assert found == pytest.approx(90)


def test_scoring_some_rows_at_a_time_changes_nothing(monkeypatch):
    generator = np.random.default_rng(8)
    rows = {"c": generator.integers(0, 300, 500), "y": generator.integers(0, 9, 500)}
    guess = generator.integers(0, 9, 500)
    table = learn.outcome_probabilities(rows, outcome="y", context=["c"], reference="cross-fit")
    arguments = {"contexts": rows, "table": table, "sample_weight": generator.random(500)}
    whole = score.relevance_score(rows["y"], guess, **arguments)
    monkeypatch.setattr("howgood.score.relevance._ROWS_AT_ONCE", 7)
    assert score.relevance_score(rows["y"], guess, **arguments) == pytest.approx(whole, abs=1e-9)


def test_the_row_at_fault_is_counted_from_the_first_however_many_are_scored_at_a_time(monkeypatch):
    monkeypatch.setattr("howgood.score.relevance._ROWS_AT_ONCE", 7)
    with pytest.raises(
        InputError, match=r"row 17\b.*rows that the cross-fitted table was made from"
    ):
        score.relevance_score(
            ["A"] * 16 + ["Z"] + ["A"] * 3,
            ["B"] * 20,
            contexts={"room": ["x"] * 20},
            table=_room(reference="cross-fit"),
        )


def test_weights_may_be_small_and_rows_that_are_left_out_weigh_nothing():
    arguments = {"contexts": {"room": ["x", "new", "new"]}, "table": _room()}
    truth, guess = ["A", "A", "B"], ["C", "A", "C"]  # 80, 100, and not graded
    weights = [0.03, 0.01, 0.5]
    expected = (3 * 80 + 100) / 4
    found = score.relevance_score(truth, guess, sample_weight=weights, **arguments)
    assert found == pytest.approx(expected)
    report = score.relevance_report(
        truth, guess, sample_weight=weights, random_state=0, **arguments
    )
    assert report.value == pytest.approx(expected)


def test_a_hundred_labels_are_told_apart_by_the_short_cut():
    generator = np.random.default_rng(2)
    truth, guess = generator.integers(0, 100, (2, 20_000))
    here = np.zeros(20_000, dtype=int)
    table = learn.outcome_probabilities({"c": here, "y": truth}, outcome="y", context=["c"])
    found = score.relevance_score(
        truth.astype(np.int8), guess.astype(np.int8), contexts={"c": here}, table=table
    )
    shares = np.bincount(truth, minlength=100) / len(truth)
    error = 2 * (shares.max() - shares[guess]) + np.abs(shares[guess] - shares[truth])
    expected = np.where(truth == guess, 100, 100 * (1 - error / 3)).mean()
    assert found == pytest.approx(expected, abs=1e-9)


def test_every_way_to_pass_contexts_gives_the_same_score():
    generator = np.random.default_rng(1)
    rows = {"a": generator.integers(0, 3, 200), "b": generator.integers(0, 3, 200)}
    y, p = generator.integers(0, 4, (2, 200)).astype(np.int8)
    table = learn.outcome_probabilities({**rows, "y": y}, outcome="y", context=["a", "b"])
    ways = [
        rows,
        pd.DataFrame(rows),
        pl.DataFrame(rows),
        np.column_stack(list(rows.values())),
        table.encode(rows),
    ]
    found = {score.relevance_score(y, p, contexts=way, table=table) for way in ways}
    text = learn.outcome_probabilities(
        {**rows, "y": y.astype(str)}, outcome="y", context=["a", "b"]
    )
    found.add(score.relevance_score(y.astype(str), p.astype(str), contexts=rows, table=text))
    assert max(found) - min(found) < 1e-9


def test_wrong_input_says_what_is_needed():
    table = _room()
    good = {"contexts": HERE, "table": table}
    with pytest.raises(LengthMismatchError, match="y_true has 5, y_pred has 4"):
        score.relevance_score(ACTUAL, PREDICTED[:4], **good)
    with pytest.raises(LengthMismatchError, match="contexts has 4"):
        score.relevance_score(ACTUAL, PREDICTED, contexts={"room": ["x"] * 4}, table=table)
    with pytest.raises(LengthMismatchError, match="sample_weight has 2"):
        score.relevance_score(ACTUAL, PREDICTED, sample_weight=[1, 2], **good)
    with pytest.raises(LengthMismatchError, match="groups has 1"):
        score.relevance_report(ACTUAL, PREDICTED, groups=["a"], **good)
    for settings_ in ({"probability": 1.0}, {"resamples": 0}):
        with pytest.raises(InputError, match="between 0 and 1"):
            score.relevance_report(ACTUAL, PREDICTED, **settings_, **good)
    with pytest.raises(InputError, match="without rows"):
        score.relevance_score([], [], contexts={"room": []}, table=table)
    for weights in ([1, 1, -1, 1, 1], [1, 1, np.nan, 1, 1], [1, 1, np.inf, 1, 1], [0] * 5):
        with pytest.raises(InputError, match="finite weights of 0 or more"):
            score.relevance_score(ACTUAL, PREDICTED, sample_weight=weights, **good)
    for alpha, beta in [(0, 0), (-1, 2), (math.nan, 1), (math.inf, math.inf)]:
        with pytest.raises(InputError, match="not both 0"):
            score.relevance_score(ACTUAL, PREDICTED, alpha=alpha, beta=beta, **good)
    for truth in (["A", None, "A", "A", "A"], [1.0, np.nan, 1.0, 1.0, 1.0]):
        with pytest.raises(InputError, match="y_true: 1 of 5 values missing"):
            score.relevance_score(truth, PREDICTED, **good)
    with pytest.raises(InputError, match="y_true: numbers such as 1"):
        score.relevance_score([1] * 5, [1] * 5, **good)
    with pytest.raises(UnknownNameError, match="unseen"):
        score.relevance_score(ACTUAL, PREDICTED, unseen="ignore", **good)
    other = learn.outcome_probabilities(
        {"r": [1, 2], "y": [1, 2]}, outcome="y", context=["r"]
    ).encode({"r": [1] * 5})
    with pytest.raises(LengthMismatchError, match="another table"):
        score.relevance_score(ACTUAL, PREDICTED, contexts=other, table=table)


def test_a_cross_fitted_table_refuses_rows_it_was_not_made_from():
    table = _room(reference="cross-fit")
    for contexts, truth in [({"room": ["new"]}, ["A"]), ({"room": ["x"]}, ["Z"])]:
        with pytest.raises(
            InputError, match=r"row 1.*rows that the cross-fitted table was made from"
        ):
            score.relevance_score(truth, ["B"], contexts=contexts, table=table)
    folds = learn.outcome_probabilities(
        {**ROOM, "f": [0, 1] * 5}, outcome="light", context=["room"], reference="cross-fit",
        folds="f",
    )  # fmt: skip
    with pytest.raises(InputError, match="fold 7, which the table does not hold"):
        score.relevance_score(["A"], ["B"], contexts={"room": ["x"], "f": [7]}, table=folds)
    many = {"room": ["x"] * 5000}
    with pytest.raises(InputError, match="row 5000"):
        score.relevance_score(["A"] * 4999 + ["Z"], ["B"] * 5000, contexts=many, table=table)


@pytest.mark.parametrize("side", ["y_true", "y_pred"])
def test_nan_among_labels_in_a_list_is_missing_and_no_label(side):
    labels = {"y_true": [*ACTUAL], "y_pred": [*PREDICTED]}
    labels[side][1] = math.nan
    with pytest.raises(InputError, match=rf"{side}: 1 of 5 values missing \(first: row 2\)"):
        score.relevance_score(**labels, contexts=HERE, table=_room())


def test_contexts_in_a_list_of_rows_may_mix_text_and_numbers():
    rows = {"room": [*"aabb"], "hour": [1, 2, 1, 2], "light": [*"ABAB"]}
    table = learn.outcome_probabilities(rows, outcome="light", context=["room", "hour"])
    # Right is 100; wrong where everybody chose otherwise is 0.
    found = score.relevance_score([*"AB"], [*"BB"], contexts=[("a", 1), ("b", 2)], table=table)
    assert found == pytest.approx(50.0)


@pytest.mark.parametrize("kind", ["int8", "uint8", "int64", "uint64"])
def test_every_kind_of_integer_label_scores_alike(kind):
    rows = np.random.default_rng(0).integers(0, 3, (2, 400))
    table = learn.outcome_probabilities(
        {"c": np.zeros(400, dtype=int), "y": rows[0]}, outcome="y", context=["c"]
    )
    found = score.relevance_score(
        rows[0].astype(kind), rows[1].astype(kind), contexts=np.zeros(400, dtype=int), table=table
    )
    texts = learn.outcome_probabilities(
        {"c": np.zeros(400, dtype=int), "y": rows[0].astype(str)}, outcome="y", context=["c"]
    )
    expected = score.relevance_score(
        rows[0].astype(str), rows[1].astype(str), contexts=np.zeros(400, dtype=int), table=texts
    )
    assert found == pytest.approx(expected, abs=1e-9)


def test_text_is_no_weight_and_one_label_no_column():
    with pytest.raises(InputError, match="not numbers"):
        score.relevance_score(
            ACTUAL, PREDICTED, contexts=HERE, table=_room(), sample_weight=[*"abcde"]
        )
    with pytest.raises(LengthMismatchError):
        score.relevance_score("A", PREDICTED, contexts=HERE, table=_room())


def test_distances_are_those_of_eq_3_to_5():
    """P = .4, .4, .2: C predicted where B was chosen is .2 below both; A for C is the likeliest."""
    rows = {"room": ["x"] * 10, "light": [*"AAAABBBBCC"]}
    table = learn.outcome_probabilities(rows, outcome="light", context=["room"])
    report = score.relevance_report(
        [*"ABCAB"], [*"ACABB"], contexts={"room": ["x"] * 5}, table=table, random_state=0
    )
    expected = [[0, 0, 0], [0.2, 0.2, 0], [0, 0.2, 0.2], [0, 0, 0], [0, 0, 0]]
    assert report.distances == pytest.approx(np.array(expected))
    assert report.mean_distances == pytest.approx((0.04, 0.08, 0.04))
    assert report.to_dict()["mean_distances"]["HA"] == pytest.approx(0.04)
