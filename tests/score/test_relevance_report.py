"""The report around a Relevance Score: cases, baselines, interval."""

import json

import numpy as np
import pytest

from howgood import learn, score
from howgood.errors import InputError
from howgood.score.relevance_reporting import CASES

COUNTS = {"x": "A" * 5 + "B" * 3 + "C" * 3 + "D"}


def _room(reference="all"):
    rows = {"room": ["x"] * 12, "light": [*COUNTS["x"]]}
    return learn.outcome_probabilities(rows, outcome="light", context=["room"], reference=reference)


@pytest.mark.parametrize(
    ("actual", "predicted", "case"),
    [
        ("A", "A", 1),
        ("B", "A", 2),
        ("D", "B", 3),
        ("B", "D", 4),
        ("A", "B", 5),
        ("B", "C", 7),
    ],
)
def test_the_five_cases_of_table_2_and_the_tie_below_the_top(actual, predicted, case):
    report = score.relevance_report(
        [actual], [predicted], contexts={"room": ["x"]}, table=_room(), random_state=0
    )
    assert CASES[report.cases[0]] == CASES[case]


def test_a_tie_at_the_top_is_a_case_of_its_own_and_scores_100():
    rows = {"room": ["x", "x"], "light": ["A", "B"]}
    table = learn.outcome_probabilities(rows, outcome="light", context=["room"])
    report = score.relevance_report(["A"], ["B"], contexts={"room": ["x"]}, table=table)
    assert (report.cases.tolist(), report.value, report.accuracy) == ([6], 100.0, 0.0)


def test_ties_hold_under_weights_that_are_sums_of_decimals():
    rows = {"c": [0, 0, 0], "y": ["A", "A", "B"], "w": [0.1, 0.2, 0.3]}
    table = learn.outcome_probabilities(rows, outcome="y", context=["c"], weights="w")
    report = score.relevance_report(["A"], ["B"], contexts={"c": [0]}, table=table)
    assert report.cases.tolist() == [6]


def _dice(rows_per_context, n_outcomes=8, contexts=4000, seed=0):
    generator = np.random.default_rng(seed)
    n_rows = rows_per_context * contexts
    rows = {
        "c": np.repeat(np.arange(contexts), rows_per_context),
        "y": generator.integers(0, n_outcomes, n_rows),
    }
    return rows, generator.integers(0, n_outcomes, n_rows)


@pytest.mark.parametrize(
    ("rows_per_context", "expected"),
    # One row: right 1/8 of the time, else 0. Two rows: they agree 1/8 of the time (then 12.5);
    # else both outcomes score 100 and the other six 50: 2/8 * 100 + 6/8 * 50 = 62.5.
    [(1, 12.5), (2, 0.125 * 12.5 + 0.875 * 62.5)],
)
def test_on_dice_the_score_measures_rows_per_context(rows_per_context, expected):
    rows, guess = _dice(rows_per_context)
    table = learn.outcome_probabilities(rows, outcome="y", context=["c"])
    report = score.relevance_report(rows["y"], guess, contexts=rows, table=table, random_state=1)
    assert report.dice == pytest.approx(expected, abs=1.0)
    assert report.chance == pytest.approx(expected, abs=1.5)
    assert report.value == pytest.approx(expected, abs=2.5)
    assert report.accuracy == pytest.approx(1 / 8, abs=0.02)
    assert report.rows_per_context == rows_per_context
    assert report.singleton_share == (1.0 if rows_per_context == 1 else 0.0)


def test_on_dice_a_thousand_rows_per_context_score_nearly_100():
    rows, guess = _dice(1000, contexts=10)
    table = learn.outcome_probabilities(rows, outcome="y", context=["c"])
    report = score.relevance_report(rows["y"], guess, contexts=rows, table=table, random_state=1)
    assert report.value == pytest.approx(98.8, abs=0.2)  # the specification's figure
    assert report.dice == pytest.approx(98.8, abs=0.2)


def test_sizes_between_two_digits_do_not_bias_the_dice_control():
    generator = np.random.default_rng(6)
    rows = {"c": generator.integers(0, 60, 60 * 146), "y": generator.integers(0, 4, 60 * 146)}
    table = learn.outcome_probabilities(rows, outcome="y", context=["c"])
    guess = generator.integers(0, 4, 60 * 146)
    report = score.relevance_report(rows["y"], guess, contexts=rows, table=table, random_state=1)
    assert report.dice == pytest.approx(report.chance, abs=0.25)


@pytest.mark.parametrize("unseen", ["exclude", "marginal"])
@pytest.mark.parametrize("rows_per_context", [1, pytest.param(3, marks=pytest.mark.slow)])
@pytest.mark.parametrize("reference", ["all", "train", "cross-fit", "folds"])
def test_the_dice_control_matches_dice_thrown_anew(reference, rows_per_context, unseen):
    rows, guess = _dice(rows_per_context, contexts=9000 // rows_per_context, n_outcomes=4)
    generator = np.random.default_rng(9)
    truth = rows["y"] if reference != "train" else generator.integers(0, 4, len(rows["y"]))
    folds = {"f": np.tile([0, 0, 1], 3000)}
    table = learn.outcome_probabilities(
        {**rows, **folds},
        outcome="y",
        context=["c"],
        reference="cross-fit" if reference == "folds" else reference,
        folds="f" if reference == "folds" else None,
    )
    report = score.relevance_report(
        truth, guess, contexts={**rows, **folds}, table=table, unseen=unseen, random_state=1
    )
    assert report.dice == pytest.approx(report.value, abs=2.0)


def test_baselines_match_predictors_that_follow_them():
    generator = np.random.default_rng(4)
    rows = {"c": generator.integers(0, 20, 4000), "y": generator.integers(0, 5, 4000) ** 2}
    table = learn.outcome_probabilities(rows, outcome="y", context=["c"])
    likeliest = table.outcomes[table.lookup(rows).argmax(axis=1)]
    guess = generator.choice(table.outcomes, 4000)
    arguments = {"contexts": rows, "table": table}
    report = score.relevance_report(rows["y"], guess, random_state=0, **arguments)
    found = score.relevance_score(rows["y"], likeliest, **arguments)
    assert report.most_probable == pytest.approx(found, abs=1e-9)
    assert report.chance == pytest.approx(report.value, abs=1.0)


@pytest.mark.parametrize(
    ("unseen", "likeliest", "chance"),
    [
        # Seen, actual B: A errs by .2 / 3, B by 0, C by (2 * .3 + .1) / 3. New, actual A: only A
        # counts, which is right.
        ("exclude", (280 / 3 + 100) / 2, (280 / 3 + 100 + 230 / 3 + 100) / 4),
        # New, by the shares over all contexts: B errs by .2, C by .3.
        ("marginal", (280 / 3 + 100) / 2, (280 / 3 + 100 + 230 / 3 + 100 + 80 + 70) / 6),
    ],
)
def test_baselines_in_a_context_never_seen_by_hand(unseen, likeliest, chance):
    rows = {"room": ["x"] * 10, "light": [*"AAAAABBBCC"]}  # .5, .3, .2
    report = score.relevance_report(
        ["B", "A"],
        ["B", "A"],
        contexts={"room": ["x", "new"]},
        table=learn.outcome_probabilities(rows, outcome="light", context=["room"]),
        unseen=unseen,
        random_state=0,
    )
    assert report.most_probable == pytest.approx(likeliest, abs=1e-9)
    assert report.chance == pytest.approx(chance, abs=1e-9)


def test_where_nobody_else_was_the_likeliest_is_that_of_all_contexts():
    rows = {"c": [0, 0, 0, 0, 1], "y": [*"AAABA"]}
    table = learn.outcome_probabilities(rows, outcome="y", context=["c"], reference="cross-fit")
    report = score.relevance_report(
        ["B", "A"], ["B", "A"], contexts={"c": [0, 1]}, table=table, random_state=0
    )
    # The only B, itself left out: A is certain, and wrong by 1/3. The only row of its context:
    # of the four others three show A, which is right.
    assert report.most_probable == pytest.approx((200 / 3 + 100) / 2)


def test_acceptable_is_what_somebody_chose_in_that_context():
    report = score.relevance_report(
        [*"AABA"], [*"BZAA"], contexts={"room": ["x", "x", "new", "new"]}, table=_room(),
        sample_weight=[1.0, 2.0, 4.0, 8.0], random_state=0,
    )  # fmt: skip
    # B was chosen in this room, Z nowhere, and nothing in a room never seen.
    assert report.acceptable == pytest.approx(1 / 15)
    assert report.accuracy == pytest.approx(8 / 15)


def test_the_dice_control_by_hand():
    """Of two outcomes, the one row of a context shows one: no matter which, by symmetry."""
    rows = {"c": [0, 1], "y": ["A", "B"]}

    def dice(contexts, smoothing=0.0, weights=None):
        table = learn.outcome_probabilities(
            rows, outcome="y", context=["c"], reference="train", smoothing=smoothing
        )
        truth = ["A"] * len(contexts)
        return score.relevance_report(
            truth, truth, contexts={"c": contexts}, table=table, sample_weight=weights,
            random_state=0,
        ).dice  # fmt: skip

    # Predicted the one shown, wrongly: error 1/3; the other, wrongly: 1. Half are right.
    one = (100 + 100 + 200 / 3 + 0) / 4
    assert dice([0]) == pytest.approx(one)
    # Shares of 2/3 and 1/3: errors 1/9 and 1/3.
    assert dice([0], smoothing=1.0) == pytest.approx(100 * (1 - (1 / 9 + 1 / 3) / 4))
    # In a context never seen only what is right counts, which is half.
    assert dice([0, 7]) == pytest.approx((one + 100 / 2) / 1.5)
    assert dice([0, 7], weights=[1.0, 3.0]) == pytest.approx((one + 3 * 100 / 2) / 2.5)
    # The same where the rows of other folds speak: one for the context, none for the new one.
    folds = learn.outcome_probabilities(
        {"c": [0, 0], "y": ["A", "B"], "f": [0, 1]}, outcome="y", context=["c"],
        reference="cross-fit", folds="f",
    )  # fmt: skip
    here = {"c": [0, 7], "f": [0, 0]}
    report = score.relevance_report(["A"] * 2, ["A"] * 2, contexts=here, table=folds)
    assert report.dice == pytest.approx((one + 100 / 2) / 1.5)


def test_cases_are_counted_and_averaged_by_weight():
    report = score.relevance_report(
        [*"ABDAA"], [*"AACBC"], contexts={"room": ["x"] * 5}, table=_room(),
        sample_weight=[1.0, 2.0, 3.0, 4.0, 0.0], random_state=0,
    )  # fmt: skip
    found = {row["case"]: row for row in report.case_table.rows()}
    for case, rows, share, mean in [
        (1, 1, 0.1, 100),
        (2, 1, 0.2, 100 * (1 - 2 / 36)),  # B for A: 0 from the likeliest, 2/12 from the actual
        (3, 1, 0.3, 100 * (1 - (2 * 2 + 2) / 36)),
        (5, 2, 0.4, 100 * (1 - (2 * 2 + 2) / 36)),
    ]:
        assert found[CASES[case]]["rows"] == rows
        assert found[CASES[case]]["share"] == pytest.approx(share)
        assert found[CASES[case]]["mean score"] == pytest.approx(mean)
    assert found[CASES[4]]["rows"] == 0
    assert np.isnan(found[CASES[4]]["mean score"])


def test_any_alpha_and_beta_lie_on_the_line_between_the_bounds():
    rows, guess = _dice(3, contexts=50)
    table = learn.outcome_probabilities(rows, outcome="y", context=["c"])
    arguments = {"contexts": rows, "table": table}
    report = score.relevance_report(rows["y"], guess, random_state=0, **arguments)
    for alpha, beta in [(2, 1), (1, 3), (0, 1), (5, 0)]:
        value = score.relevance_score(rows["y"], guess, alpha=alpha, beta=beta, **arguments)
        line = alpha * report.at_infinite_alpha.mean + beta * report.at_infinite_beta.mean
        assert value == pytest.approx(line / (alpha + beta), abs=1e-9)
        assert report.bounds[0] - 1e-9 <= value <= report.bounds[1] + 1e-9


def test_the_report_tells_how_it_was_made_and_goes_to_json():
    rows, guess = _dice(2, contexts=30)
    table = learn.outcome_probabilities(rows, outcome="y", context=["c"], smoothing=0.5)
    report = score.relevance_report(rows["y"], guess, contexts=rows, table=table, random_state=7)
    again = score.relevance_report(rows["y"], guess, contexts=rows, table=table, random_state=7)
    plain = report.to_dict()
    assert plain["provenance"]["seed"] == 7
    assert plain["provenance"]["settings"]["smoothing"] == 0.5
    assert json.dumps(plain["cases"][:5]) == json.dumps(again.to_dict()["cases"][:5])
    assert report.estimate.interval == again.estimate.interval
    assert report.case_table["rows"].sum() == 60


def test_people_with_several_rows_widen_the_interval():
    # Forty people, each either always right or always wrong in the same way, thirty rows each.
    person = np.repeat(np.arange(40), 30)
    truth, guess = np.zeros(1200, dtype=int), person % 2
    seen = {"c": [0, 0, 0, 0], "y": [0, 0, 0, 1]}
    table = learn.outcome_probabilities(seen, outcome="y", context=["c"], reference="train")
    arguments = {"contexts": {"c": np.zeros(1200, int)}, "table": table, "random_state": 0}
    rows = score.relevance_report(truth, guess, **arguments)
    people = score.relevance_report(truth, guess, groups=person, **arguments)
    assert people.value == rows.value
    # Thirty identical rows are worth one: the spread grows by about the root of thirty.
    assert people.estimate.sd / rows.estimate.sd == pytest.approx(np.sqrt(30), rel=0.15)


def test_cases_count_weighted_rows_like_repeated_ones():
    generator = np.random.default_rng(3)
    rows = {"c": generator.integers(0, 4, 60), "y": generator.integers(0, 4, 60)}
    predicted, times = generator.integers(0, 4, 60), generator.integers(0, 4, 60)
    table = learn.outcome_probabilities(rows, outcome="y", context=["c"])
    weighted, repeated = (
        score.relevance_report(
            np.repeat(rows["y"], count),
            np.repeat(predicted, count),
            contexts={"c": np.repeat(rows["c"], count)},
            table=table,
            sample_weight=weight,
            random_state=0,
        )
        for count, weight in ((1, times), (times, None))
    )
    for column in ("share", "mean score"):
        np.testing.assert_allclose(weighted.case_table[column], repeated.case_table[column])
    assert weighted.accuracy == pytest.approx(weighted.case_shares[1])


def test_likeliest_outcomes_that_tie_are_drawn_by_lot_in_every_row():
    known = {"c": [*"xxxxyyyyyy"], "o": [*"AABBAAAABC"]}
    table = learn.outcome_probabilities(known, outcome="o", context=["c"])
    rows = {"c": [*"xyxyy"]}
    truth, weight = [*"ABCCA"], [1.0, 2.0, 3.0, 4.0, 5.0]
    report = score.relevance_report(
        truth, [*"ABABC"], contexts=rows, table=table, sample_weight=weight, random_state=0
    )
    ties = {"x": "AB", "y": "A"}

    def alone(actual, predicted, context):
        return score.relevance_score([actual], [predicted], contexts={"c": [context]}, table=table)

    expected = [
        np.mean([alone(actual, guess, context) for guess in ties[context]])
        for actual, context in zip(truth, rows["c"], strict=True)
    ]
    assert report.most_probable == pytest.approx(np.average(expected, weights=weight))
    by_chance = [
        np.mean([alone(actual, guess, context) for guess in "ABC"])
        for actual, context in zip(truth, rows["c"], strict=True)
    ]
    assert report.chance == pytest.approx(np.average(by_chance, weights=weight))


def test_the_estimate_is_of_the_score_itself():
    rows, guess = _dice(4, contexts=60)
    table = learn.outcome_probabilities(rows, outcome="y", context=["c"])
    report = score.relevance_report(rows["y"], guess, contexts=rows, table=table, random_state=0)
    assert report.estimate.mean == pytest.approx(report.value, abs=report.estimate.sd)
    assert report.estimate.interval.lower < report.value < report.estimate.interval.upper


def test_contexts_are_counted_by_their_rows():
    rows = {"c": [*"xxxyz"], "o": [*"ABABA"]}
    table = learn.outcome_probabilities(rows, outcome="o", context=["c"])
    report = score.relevance_report(["A"], ["B"], contexts={"c": ["x"]}, table=table, resamples=2)
    assert report.n_contexts == 3
    assert report.rows_per_context == pytest.approx(5 / 3)
    assert report.singleton_share == pytest.approx(2 / 3)


def _of_room(truth, guess, **settings):
    return score.relevance_report(
        [*truth], [*guess], contexts={"room": ["x"] * len(truth)}, table=_room("train"),
        resamples=20_000, random_state=0, **settings,
    )  # fmt: skip


@pytest.mark.parametrize("n_rows", [1, 3, 10])
def test_rows_that_are_all_right_leave_the_doubt_of_half_a_wrong_one(n_rows):
    report = _of_room("A" * n_rows, "A" * n_rows)
    rng = np.random.default_rng(1)
    right = rng.gamma(n_rows, size=200_000)
    wrong, more = rng.exponential(0.5, size=(2, 200_000))
    below = np.mean(100 * (right + more) / (right + wrong + more) < report.estimate.interval.lower)
    assert below == pytest.approx(0.025, abs=4 * np.sqrt(0.025 * 0.975 / 20_000))
    assert report.estimate.interval.upper == 100.0


def test_draws_of_few_rows_are_spread_like_students_t():
    """Dirichlet weights, stretched by sqrt((n + 1) / chi-square of n - 1) around the mean."""
    end = _of_room("ABD", "AAB").at_infinite_beta
    scores = np.array([100, 250 / 3, 250 / 3])  # 2 of 12 chose the predicted more than the actual
    rng = np.random.default_rng(2)
    shares = rng.dirichlet(np.ones(3), size=200_000)
    stretch = np.sqrt(4 / rng.chisquare(2, size=200_000))
    expected = scores.mean() + (shares @ scores - scores.mean()) * stretch
    for quantile in (0.1, 0.25, 0.5, 0.75):
        below = np.mean(expected < np.quantile(end.draws, quantile))
        assert below == pytest.approx(quantile, abs=4 * np.sqrt(0.25 / 20_000))


def test_draws_stay_between_0_and_100_and_reach_both():
    table = learn.outcome_probabilities({"c": [0], "o": ["A"]}, outcome="o", context=["c"])
    report = score.relevance_report(
        [*"AAA"], [*"ZZA"], contexts={"c": [0] * 3}, table=table, random_state=0
    )
    assert report.scores.tolist() == [0, 0, 100]
    assert (report.estimate.draws.min(), report.estimate.draws.max()) == (0, 100)


def test_rows_that_weigh_nothing_make_nothing_surer():
    few = _of_room("ABDBA", "AABDA")
    many = _of_room("ABDBA" + "A" * 300, "AABDA" + "A" * 300, sample_weight=[1] * 5 + [0] * 300)
    assert many.value == pytest.approx(few.value)
    for end in ("lower", "upper"):
        found, expected = (getattr(each.estimate.interval, end) for each in (many, few))
        assert found == pytest.approx(expected, abs=1.5)


def test_a_report_refuses_contexts_never_seen_when_told_to():
    table = learn.outcome_probabilities(
        {"c": [*"xxyy"], "o": [*"ABAB"]}, outcome="o", context=["c"]
    )
    arguments = {"contexts": {"c": ["x", "new"]}, "table": table, "random_state": 0}
    with pytest.raises(InputError, match="row 2"):
        score.relevance_report(["A", "A"], ["A", "B"], unseen="error", **arguments)
    report = score.relevance_report(["A", "A"], ["A", "B"], **arguments)
    assert report.n_excluded == 1
    assert report.provenance.rows_used == 1
    assert report.provenance.rows_dropped == {"wrong in a context never seen": 1}
    two = score.relevance_report(["A"] * 3, ["B"] * 3, **arguments | {"contexts": {"c": [*"xxn"]}})
    assert two.provenance.rows_used == 2


@pytest.mark.parametrize("settings", [{"probability": 0.0}, {"probability": 1.0}, {"resamples": 1}])
def test_an_interval_that_cannot_be_is_refused(settings):
    rows, guess = _dice(3, contexts=5)
    table = learn.outcome_probabilities(rows, outcome="y", context=["c"])
    with pytest.raises(InputError, match="at least two resamples"):
        score.relevance_report(rows["y"], guess, contexts=rows, table=table, **settings)


def test_one_context_never_seen_among_many_rows_is_named():
    known = {"c": [*"xxyy"], "o": [*"ABAB"]}
    table = learn.outcome_probabilities(known, outcome="o", context=["c"])
    contexts = {"c": [*("xy" * 50), "new"]}
    truth, guess = [*("AB" * 50), "A"], [*("AB" * 50), "B"]
    with pytest.raises(InputError, match="row 101"):
        score.relevance_score(truth, guess, contexts=contexts, table=table, unseen="error")
    assert score.relevance_score(truth, guess, contexts=contexts, table=table) == 100.0


def test_a_report_of_rows_the_cross_fitted_table_does_not_hold_is_refused():
    rows = {"c": [*"xxxyyy"], "o": [*"AABBBA"]}
    table = learn.outcome_probabilities(rows, outcome="o", context=["c"], reference="cross-fit")
    contexts = {"c": [*"xy"]}
    assert (
        score.relevance_report(["A", "B"], ["B", "B"], contexts=contexts, table=table).n_rows == 2
    )
    rows["o"] = [*"AAABBA"]  # now nobody in context x shows B
    table = learn.outcome_probabilities(rows, outcome="o", context=["c"], reference="cross-fit")
    for measure in (score.relevance_report, score.relevance_score):
        with pytest.raises(InputError, match="no row of the cross-fitted table"):
            measure(["B", "B"], ["A", "B"], contexts=contexts, table=table)
