"""The page of proofs is complete, current and made from its numbers; the judges can say no."""

from dataclasses import replace

import numpy as np
import pytest
from tests.ledgers import still_there
from tests.statistical import calibration_page, inventory, judging, ledger

ROWS = ledger.read_rows()

_BINARY = (
    "intercept", "slope", "alpha", "spread of people", "prediction, population",
    "prediction, average person",
)  # fmt: skip
_DECIDED = (
    "difference of alpha", "acceptance of a classifier", "share at perfect accuracy",
    "gain per point of precision", "gain per point of recall", "needed accuracy (target)",
)  # fmt: skip
_ORDINAL = (
    "slope", "alpha", "spread of people", "shift of a part", "log scale of a part",
    "scale of a part", "variance of a part", "second threshold",
    "prediction, imagined system", "prediction, real system",
)  # fmt: skip
_MULTINOMIAL = (
    "alpha", "level of a rating", "slope of a rating", "spread of people", "share accepting",
)  # fmt: skip
_FITTED = (
    *(f"binary: {name}" for name in _BINARY + _DECIDED),
    *(f"continuous p: {name}" for name in ("p", *_BINARY)),
    *(f"ordinal: {name}" for name in _ORDINAL),
    *(f"flawless: {name}" for name in ("no error at all", "alpha", "share at perfect accuracy")),
    *(f"failures: {name}" for name in ("weight of a kind", "spread of people", "share accepting")),
    *(f"multinomial: {name}" for name in _MULTINOMIAL),
    "elicited a0",
    "weight of a class",
    "weight of a criterion",
    *(f"fair: weight of {name}" for name in ("recall", "the gap in recall", "all gaps")),
)

# Everything the product prints with an uncertainty, and the kind of proof it owes.
OWED = {
    "calibration": _FITTED,
    "coverage": (
        *_FITTED,
        "alpha, fixed truth", "shortest interval, flat posterior",
        *(f"prediction, fixed truth, {n} people" for n in (3, 5, 10)),
        *(f"default priors, {n} people: prediction, population" for n in (3, 5, 10)),
        "elicited a0, noise: none", "elicited a0, noise: flips", "elicited a0, noise: logistic",
        "weight of a criterion, noise: flips",
        "effect of an interface, within people", "effect of an interface, between people",
        "agreement with held-out choices", "group's agreement on held-out choices",
        "Relevance Score", "Relevance Score, people grouped", "weights of the Relevance Score",
        "Relevance Score of other people",
        "difference of mean grades, items in clusters", "agreement that a feature explains",
        "RMSE quantiles", "MSE quantiles", "MAE quantiles", "propagated metric",
        "rank interval", "mean grade", "difference of mean grades",
        "difference of mean grades, few items", "difference of mean grades, few raters",
        "mean grade, few raters", "difference of mean grades, 8 systems",
        "orders told apart at 5 %", "orders told apart at 5 %, few raters",
        "difference of errors, raters as a sample",
        "RMSE of a re-rating, few ratings", "best threshold",
        "precision at the chosen threshold", "recall at the chosen threshold",
        "acceptance at the chosen threshold",
        "study size: alpha's interval",
        *(f"other people: {what}, sd {sd}, {n} people"
          for what in ("alpha", "share accepting") for sd in ("0", "0.5", "1.1")
          for n in (25, 53)),
        *(f"corrected pass rate, {n} raters" for n in (3, 5, 8, 25)),
        *(f"how far a judge is off, {n} raters" for n in (3, 5, 8, 25)),
        "corrected pass rate, a rater per item", "difference of corrected systems",
        "judge agrees with a person", "two people agree", "judge against a colleague",
        "difference of strengths by votes", "two equal systems stay tied at every look of an arena",
        "difference of two evaluations", "ratio of costs",
        "difference of two evaluations, few items", "pass rate of one system, few items",
        "Cronbach's alpha", "McDonald's omega",
        "share accepting in use, at every look", "share accepting in a period",
        "bias of a judge by length", "corrected mean of a segment", "drift of a judge",
        "range of one person's rating",
    ),
    "brute force": (
        "rules for 2 ratings per pair", "rules for 5 ratings per pair",
        "distribution of RMSE", "distribution of MSE", "distribution of MAE",
        "paired error of RMSE", "paired error of MAE", "paired error of MAE, few pairs",
        "probability of being best",
        "best threshold of a ratio of linear metrics", "ratings of people left out",
        "measures: score of people left out",
    ),
    "probability": (
        "kind of mean is harmonic", "gate: enough people accept", "go live: enough people accept",
        "family is linear", "predicted choice",
        "alternative is the best", "alternative is the best, uncertain scores",
        "alternative is the best, noise: flips",
        "a re-rating flips the order", "a re-rating flips the order, few ratings",
        "a re-rating flips the order by RMSE, ratings given once",
        "a re-rating flips the order by MAE, ratings seen",
        "the true order by MAE is the opposite, ratings seen",
        "a re-rating flips the order, sd borrowed",
        "the true order is the opposite, ratings given once",
        "the true order is the opposite, all",
        "the order by mean grades is the opposite",
        "the order by mean grades is the opposite, few items",
        "the order by mean grades is the opposite, few items that look alike",
        "the order by mean grades is the opposite, few raters",
        "the order by mean grades is the opposite, 8 systems",
        "the order by errors is the opposite, raters as a sample",
        "the order by errors is the opposite, close systems",
        "the order by votes is the opposite",
        "the order by votes is the opposite, next to a newcomer", "the newcomer is the best",
        "a re-rating flips the order of lists",
        "a re-rating flips the order of lists, several systems",
        "exchangeable sessions are called different",
        "shipped though equal, few items", "passed though the rate of failure is what is tolerated",
        "shipped though equal", "stopped though equal", "ever shipped though equal, many looks",
        "the better evaluation is not the better system", "the candidate is below the bar",
        "a verdict is reversed on other documents", "ever warned though nothing changed",
        "measures: which one people follow", "segments: people differ by a column",
    ),
    "engines": tuple(
        f"posterior {what}, data sets {first} to {first + 4}"
        for what in ("means", "sds") for first in (1, 6, 11, 16)
    ),
    "planning": (
        "needed pairs, re-rating", "needed pairs, true order", "needed repeats per pair",
        "labels for a wanted width", "needed items for a verdict",
        "study size: width of alpha's interval",
        "study size: wanted width is reached",
        "needed items, grades",
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "quantity"), [(kind, each) for kind, names in OWED.items() for each in names]
)
def test_everything_printed_with_uncertainty_has_its_proof(kind, quantity):
    has_row = any(row.kind == kind and row.quantity == quantity for row in ROWS)
    assert has_row, (
        f"no proof of {quantity!r} ({kind}) in {ledger.ROWS.name}: write one, and run make slow"
    )


def test_every_public_number_with_an_uncertainty_is_in_the_inventory():
    """Walks the types of the four stages: a new interval or probability fails this test."""
    known = inventory.PROVED.keys() | inventory.EXCUSED.keys()
    assert inventory.printed() - known == set(), "write a proof, or say why none is owed"
    assert known - inventory.printed() == set(), "gone from the product"
    assert inventory.PROVED.keys() & inventory.EXCUSED.keys() == set()


def test_the_walk_finds_intervals_probabilities_and_tables():
    found = inventory.printed()
    assert {"Gate.p_enough", "TradeOff.curve", "WeightsResult.weights", "OrdinalFit.predict",
            "Ranking.orderings", "LeftOut.predictions", "decide.acceptance"} <= found  # fmt: skip
    assert "Gate.share" not in found


@pytest.mark.parametrize("name", inventory.PROVED)
def test_every_number_of_the_inventory_rests_on_rows(name):
    rows = {row.quantity for row in ROWS}
    assert [each for each in inventory.PROVED[name] if each not in rows] == []


def test_no_proof_failed():
    assert [row.quantity for row in ROWS if row.verdict != "holds"] == []


def test_every_row_belongs_to_a_proof_that_exists():
    assert [row.proof for row in ROWS if not still_there(row.proof)] == []


def test_page_and_picture_are_made_from_the_numbers():
    page = (ledger.DOCS / "explanation" / "calibration.md").read_text(encoding="utf-8")
    assert page == calibration_page.page(ROWS)
    picture = (ledger.DOCS / "_static" / "calibration.svg").read_text(encoding="utf-8")
    assert picture == calibration_page.picture(ROWS)


def test_titles_of_the_picture_fit_their_column():
    """About 5.7 pixels a letter, 168 pixels a panel: a longer title would run into the next."""
    titles = [each for row in ROWS if row.histogram for each in row.quantity.rsplit(": ", 1)]
    assert [each for each in titles if len(each) > 30] == []


# -- renewing ------------------------------------------------------------------------------------


def _row(**changes):
    proof = ledger.Proof("tests/statistical/test_ledger.py::test_no_proof_failed")
    proof.add("coverage", "x", judging.covers({0.5: np.arange(100) < 50}), setting="", seed=1)
    return replace(proof.rows()[0], **changes)


def test_a_partial_run_renews_its_own_rows_and_leaves_the_others():
    old = [_row(proof="a::x", n=1), _row(proof="a::x", n=2), _row(proof="b::y", n=3)]
    kept = ledger.renewed(old, [_row(proof="a::x", n=4)])
    assert sorted(row.n for row in kept) == [3, 4]


def test_a_proof_that_ends_early_says_so_on_the_page():
    row = ledger.Proof("a::x").rows()[0]
    assert row.verdict == "did not finish"
    assert "**did not finish**" in calibration_page.page([row])


def test_a_failed_claim_fails_the_proof_after_all_claims_are_in():
    proof = ledger.Proof("a::x")
    for quantity, n_hits in (("bad", 20), ("good", 51)):
        hits = {0.5: np.arange(100) < n_hits}
        proof.add("coverage", quantity, judging.covers(hits), setting="", seed=1)
    with pytest.raises(AssertionError, match="bad"):
        proof.settle()
    assert [row.verdict for row in proof.rows()] == ["fails", "holds"]


# -- the judges ----------------------------------------------------------------------------------


def test_stated_power_is_the_power():
    """Posteriors as wrong as the page says would be noticed are noticed nine times in ten."""
    rng = np.random.default_rng(1)
    n = 300
    shift, spread = judging.shift_noticed(n), 1 / (1 - judging.narrowness_noticed(n))
    for place, width in ((shift, 1.0), (0.0, spread)):
        failed = 0
        for _ in range(400):
            shares = judging.ndtr(place + width * rng.standard_normal(n))
            failed += not judging.uniform_ranks(np.floor(100 * shares)).holds
        assert failed / 400 == pytest.approx(0.9, abs=0.06)


def test_right_posteriors_fail_one_time_in_a_thousand():
    rng = np.random.default_rng(2)
    p_values = [judging.uniform_ranks(rng.integers(0, 100, 200)).p_value for _ in range(2000)]
    assert np.mean(np.array(p_values) < 0.05) == pytest.approx(0.05, abs=0.015)


def test_missing_coverage_is_noticed_as_stated():
    rng = np.random.default_rng(3)
    n, level = 500, 0.95
    share = judging.missing_coverage_noticed(n, level)
    failed = [
        not judging.covers({0.5: np.arange(n) < n / 2, 0.8: np.arange(n) < 0.8 * n,
                            level: rng.random(n) < share}).holds
        for _ in range(300)
    ]  # fmt: skip
    assert np.mean(failed) == pytest.approx(0.9, abs=0.06)
    assert judging.covers({0.95: np.arange(n) < 0.93 * n}, allowed=0.03).p_value > 0.5
    assert judging.covers({0.5: np.ones(n, dtype=bool)}, at_least=True).holds
    assert not judging.covers({0.5: np.ones(n, dtype=bool)}).holds


def test_wrong_probabilities_are_noticed():
    rng = np.random.default_rng(4)
    said = rng.uniform(0.1, 0.9, 5000)
    assert judging.expected_counts(rng.random(5000) < said, said, what="").holds
    assert not judging.expected_counts(rng.random(5000) < said + 0.05, said, what="").holds
    assert judging.expected_counts(
        rng.random(5000) < said - 0.05, said, what="", at_most=True
    ).holds
    more = judging.expected_counts(rng.random(5000) < said + 0.05, said, what="", at_most=True)
    assert not more.holds
    counts = rng.binomial(10_000, said[:50])
    assert judging.frequencies(counts, 10_000, said[:50], what="").holds
    assert not judging.frequencies(counts, 10_000, said[:50] + 0.01, what="").holds
    assert judging.frequencies(counts, 10_000, said[:50] + 0.01, allowed=0.01, what="").holds
    assert not judging.at_most_then_at_least([400], [420], 5000, 0.05).holds
    assert judging.at_most_then_at_least([240], [270], 5000, 0.05).holds
    assert not judging.agree(rng.normal(0, 2, 50), found="").holds


def test_ties_are_ranked_by_chance():
    rng = np.random.default_rng(5)
    ranks = [judging.rank_among(np.zeros(500), 0.0, rng) for _ in range(400)]
    assert judging.uniform_ranks(ranks).holds
