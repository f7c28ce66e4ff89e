"""Alpha and beta swept for several models."""

import math

import numpy as np
import pytest

from howgood import learn, score
from howgood.errors import InputError

ROWS = {"c": [0] * 10, "y": [*"AAAAABBBCC"]}  # .5, .3, .2


def _report(actual, predicted, **settings):
    table = learn.outcome_probabilities(ROWS, outcome="y", context=["c"])
    return score.relevance_report(
        [*actual], [*predicted], contexts={"c": [0] * len(actual)}, table=table, random_state=0,
        **settings,
    )  # fmt: skip


def test_two_models_cross_where_the_lines_do():
    # For actual C: always A has dHP 0 and dPA .3; always B has dHP .2 and dPA .1.
    sweep = score.relevance_sweep({"a": _report("CCC", "AAA"), "b": _report("CCC", "BBB")})
    row = next(sweep.crossings.rows())
    # Errors .3 (1 - s) and .2 s + .1 (1 - s) meet at s = 1/2.
    assert row["level at alpha share"] == pytest.approx(0.5)
    assert (row["leads at infinite beta"], row["leads at infinite alpha"]) == ("b", "a")
    assert (row["p lead (beta)"], row["p lead (alpha)"]) == (1.0, 1.0)


def test_a_model_ahead_everywhere_never_crosses():
    sweep = score.relevance_sweep({"good": _report("CCC", "CCC"), "bad": _report("CCC", "BBB")})
    assert math.isnan(next(sweep.crossings.rows())["level at alpha share"])


def test_lines_run_between_the_scores_at_infinite_beta_and_alpha():
    report = _report("ABC" * 20, "AAA" * 20)
    lines = score.relevance_sweep({"m": report}, steps=4).lines
    assert lines["score"][0] == pytest.approx(report.at_infinite_beta.mean)
    assert lines["score"][2] == pytest.approx(report.value)  # alpha 2, beta 1
    assert lines["score"][3] == pytest.approx(report.at_infinite_alpha.mean)
    np.testing.assert_array_less(lines["lower"] - 1e-9, lines["score"])
    np.testing.assert_array_less(lines["score"], lines["upper"] + 1e-9)


def test_shares_are_a_twentieth_apart():
    lines = score.relevance_sweep({"m": _report("ABC", "AAA")}).lines
    assert lines["alpha_share"] == pytest.approx(np.arange(21) / 20)


def test_models_that_are_level_everywhere_never_cross_and_none_is_surer_to_lead():
    report = _report("CCCAB", "AABAB")
    row = next(score.relevance_sweep({"a": report, "b": report}).crossings.rows())
    assert math.isnan(row["level at alpha share"])
    for end in ("alpha", "beta"):
        assert (row[f"leads at infinite {end}"], row[f"p lead ({end})"]) == ("a", 0.5)


def test_where_all_rows_score_alike_the_band_is_no_wider_than_what_is_not_seen():
    # A for C is 100 at infinite alpha and 70 at infinite beta, C for B 70 and 90: both are 82 at
    # a share of .4, whatever the rows weigh.
    report = _report("CB" * 1_500, "AC" * 1_500)
    line = list(score.relevance_sweep({"m": report}, steps=6).lines.rows())[2]
    assert (line["alpha_share"], line["score"]) == pytest.approx((0.4, 82))
    assert 81.9 < line["lower"] <= 82 + 1e-9
    assert 82 - 1e-9 <= line["upper"] < 82.1


def test_a_band_reaches_down_to_nothing():
    table = learn.outcome_probabilities({"c": [0], "y": ["A"]}, outcome="y", context=["c"])
    report = score.relevance_report(
        ["A"] * 4, ["Z"] * 4, contexts={"c": [0] * 4}, table=table, random_state=0
    )
    assert score.relevance_sweep({"m": report}).lines["lower"].tolist() == [0.0] * 21


def test_reports_of_other_rows_are_refused():
    with pytest.raises(InputError, match="same rows"):
        score.relevance_sweep({"a": _report("AB", "AA"), "b": _report("ABC", "AAA")})
    with pytest.raises(InputError, match="no reports"):
        score.relevance_sweep({})


def test_lines_carry_the_quantiles_of_their_paired_draws():
    reports = {"a": _report("CCCAB", "AABAB"), "b": _report("CCCAB", "BACBB")}
    sweep = score.relevance_sweep(reports, steps=3)
    lines = [row for row in sweep.lines.rows() if row["model"] == "b"]
    alpha, beta = reports["b"].at_infinite_alpha.draws, reports["b"].at_infinite_beta.draws
    for share, row in zip((0.0, 0.5, 1.0), lines, strict=True):
        lower, upper = np.quantile(share * alpha + (1 - share) * beta, [0.025, 0.975])
        assert row["alpha_share"] == share
        assert row["lower"] <= lower + 1e-9
        assert row["upper"] >= upper - 1e-9
    for end, row in (("at_infinite_beta", lines[0]), ("at_infinite_alpha", lines[2])):
        interval = getattr(reports["b"], end).interval
        assert (row["lower"], row["upper"]) == pytest.approx((interval.lower, interval.upper))
    plain = sweep.to_dict()
    assert plain["lines"] == list(sweep.lines.rows())
    assert plain["crossings"] == list(sweep.crossings.rows())


def test_rows_that_are_all_right_leave_doubt_at_every_share():
    report = _report("ABCAB" * 2, "ABCAB" * 2)
    lines = score.relevance_sweep({"m": report}, steps=5).lines
    # Every draw is 100; the report's interval knows that the eleventh row may be wrong.
    assert lines["lower"] == pytest.approx(np.full(5, report.estimate.interval.lower))
    assert report.estimate.interval.lower < 90
    assert lines["upper"].tolist() == [100.0] * 5


def test_many_rows_have_the_band_of_their_report():
    report = _report("ABC" * 100, "AAB" * 100)
    line = score.relevance_sweep({"m": report}, steps=4).lines
    interval = report.estimate.interval  # alpha 2, beta 1: the third of four shares
    assert line["lower"][2] == pytest.approx(interval.lower, abs=0.1)
    assert line["upper"][2] == pytest.approx(interval.upper, abs=0.1)


def test_how_sure_a_lead_is_does_not_depend_on_who_is_named_first():
    a, b = _report("CCCAB", "AABAB"), _report("CCCAB", "BACBB")
    one = next(score.relevance_sweep({"a": a, "b": b}).crossings.rows())
    two = next(score.relevance_sweep({"b": b, "a": a}).crossings.rows())
    for end, mine, other in (
        ("alpha", a.at_infinite_alpha, b.at_infinite_alpha),
        ("beta", a.at_infinite_beta, b.at_infinite_beta),
    ):
        ahead = np.mean(mine.draws > other.draws) + 0.5 * np.mean(mine.draws == other.draws)
        leads = one[f"leads at infinite {end}"]
        assert leads == two[f"leads at infinite {end}"]
        assert one[f"p lead ({end})"] == pytest.approx(ahead if leads == "a" else 1 - ahead)
        assert two[f"p lead ({end})"] == pytest.approx(one[f"p lead ({end})"])
