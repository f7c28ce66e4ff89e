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


def test_reports_of_other_rows_are_refused():
    with pytest.raises(InputError, match="same rows"):
        score.relevance_sweep({"a": _report("AB", "AA"), "b": _report("ABC", "AAA")})
    with pytest.raises(InputError, match="no reports"):
        score.relevance_sweep({})
