"""Relevance Scores in words and pictures."""

import numpy as np
import pytest

from howgood import learn, score
from howgood.records.estimate import Estimate, Interval
from howgood.show import relevance
from howgood.show.figures import relevance as pictures
from howgood.show.numbers import with_interval

ROWS = {"c": [0] * 10, "y": [*"AAAAABBBCC"]}  # .5, .3, .2


def _reports(**predicted):
    table = learn.outcome_probabilities(ROWS, outcome="y", context=["c"])
    return {
        name: score.relevance_report(
            [*"CCCC"], [*labels], contexts={"c": [0] * 4}, table=table, random_state=0
        )
        for name, labels in predicted.items()
    }


def test_guidance_names_the_ratio_at_which_two_models_change_places():
    # Always A errs by .3 (1 - s), always B by .2 s + .1 (1 - s): level at s = 1/2, alpha = beta.
    sweep = score.relevance_sweep(_reports(a="AAAA", b="BBBB"))
    text = " ".join(relevance.guidance(sweep))
    assert "a leads when alpha is more than 1.00 times beta" in text
    assert "b when it is less" in text


def test_guidance_says_when_the_choice_does_not_matter():
    same = score.relevance_sweep(_reports(good="CCCC", bad="BBBB"))
    assert "same for every alpha and beta" in relevance.guidance(same)[0]
    table = relevance.crossings_table(same)
    assert table["level at alpha share"].tolist() == ["never"]
    assert table["leads at infinite beta (resamples)"].tolist() == ["good (100 %)"]
    one = score.relevance_sweep(_reports(only="CCCC"))
    assert relevance.guidance(one)[0].startswith("One model")


def test_findings_compare_with_a_paired_interval():
    text = " ".join(relevance.findings(_reports(good="CCCC", bad="BBBB"), None))
    # For C, predicting A scores 90, B 83.3, C 100: chance is their mean, 91.1; the likeliest is A.
    assert "Random predictions score 91.1, the most frequent outcome of each context 90.0" in text
    # Always B for C: 100 (1 - [2 x .2 + 1 x .1] / 3) = 83.3, so 16.7 behind, in every resample.
    assert "good is 16.7 points ahead of bad (paired 95 % interval 16.7 to 16.7)" in text


def test_cautions_fit_the_data():
    thick = " ".join(relevance.cautions(_reports(m="AAAA")))
    assert "include the rows that are scored" in thick
    assert "Contexts are thin" not in thick
    rows = {"c": np.arange(8), "y": [*"ABABABAB"]}
    table = learn.outcome_probabilities(rows, outcome="y", context=["c"], reference="cross-fit")
    report = score.relevance_report(
        rows["y"], [*"AAAAAAAA"], contexts=rows, table=table, random_state=0
    )
    thin = " ".join(relevance.cautions({"m": report}))
    assert "Contexts are thin" in thin
    assert "flatters every model" in thin
    assert "include the rows that are scored" not in thin


@pytest.mark.parametrize("reference", ["all", "train"])
def test_the_caution_about_the_interval_says_what_was_drawn_again(reference):
    table = learn.outcome_probabilities(ROWS, outcome="y", context=["c"], reference=reference)
    report = score.relevance_report(
        ROWS["y"], [*"ABCABCABCA"], contexts=ROWS, table=table, random_state=0
    )
    said = " ".join(relevance.cautions({"m": report}))
    assert ("probabilities vary too" in said) == (reference == "all")
    assert ("probabilities are taken as they are" in said) == (reference == "train")


@pytest.mark.parametrize("n_models", [1, 4, 9])
def test_labels_of_lines_never_overlap(n_models):
    reports = _reports(**{f"model {number}": "ABBA" for number in range(n_models)})
    with pictures.sweep_figure(score.relevance_sweep(reports), chosen=0.5) as figure:
        axes = figure.axes[0]
        heights = sorted(text.xy[1] for text in axes.texts if text.get_text() in reports)
        low, high = axes.get_ylim()
    assert len(heights) == n_models
    assert all(gap >= 0.054 * (high - low) for gap in np.diff(heights))


def test_four_rows_that_are_alike_are_not_sold_as_certainty():
    reports = _reports(m="BBBB", twin="BBBB")
    ends = reports["m"].estimate.interval
    assert ends.lower < 70 < 83.3 < 84 < ends.upper < 100
    assert "m and twin score the same." in relevance.findings(reports, None)


def test_models_that_differ_in_few_rows_are_not_called_clearly_ahead():
    (said,) = relevance.differences(_reports(m="ABBC", other="CBBC"))
    assert "they differ in 1 row only, too few to tell" in said


def test_methods_say_which_rows_fed_the_shares_and_what_was_resampled():
    table = learn.outcome_probabilities(ROWS, outcome="y", context=["c"], reference="train")
    report = score.relevance_report(
        [*"CC"],
        [*"AB"],
        contexts={"c": [0, 0]},
        table=table,
        alpha=float("inf"),
        unseen="marginal",
        groups=["anna", "ben"],
        random_state=0,
    )
    text = relevance.report_of({"m": report}, score.relevance_sweep({"m": report})).methods
    assert "Alpha is infinite, beta 1. The shares were counted over other rows" in text
    assert "In contexts without rows the shares over all contexts were used." in text
    assert "2000 resamples (Bayesian bootstrap of groups, table fixed" in text
    assert relevance.context_sentence({"m": report}).startswith(
        "2 test rows; the probabilities rest on 1 context with"
    )


def test_one_person_alone_leaves_nearly_everything_open():
    table = learn.outcome_probabilities(ROWS, outcome="y", context=["c"])
    report = score.relevance_report(
        [*"CABCB"], [*"ABCAA"], contexts={"c": [0] * 5}, table=table, groups=["anna"] * 5,
        random_state=0,
    )  # fmt: skip
    assert report.estimate.interval.lower < 30
    assert report.value < report.estimate.interval.upper <= 100


def test_a_model_that_is_always_right_is_shown_with_the_digits_of_its_interval():
    draws = np.full(100, 100.0)
    interval = Interval(lower=95.6335, upper=100.0, probability=0.95, kind="quantile")
    shown = with_interval(Estimate(mean=100.0, sd=0.0, interval=interval, draws=draws))
    assert shown == "100.0 [95.6, 100.0]"
