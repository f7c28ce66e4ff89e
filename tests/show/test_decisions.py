"""Decisions in plain sentences."""

from dataclasses import replace

import numpy as np
import pytest

from howgood import decide
from howgood.records.acceptance import AcceptanceDraws
from howgood.records.estimate import Interval
from howgood.show import decisions

generator = np.random.default_rng(3)
PEOPLE = AcceptanceDraws(
    application="alarm",
    p=np.zeros(400),
    alpha=generator.normal(0.3, 0.03, 400),
    intercept=generator.normal(-12, 0.5, 400),
    slope=generator.normal(16, 0.3, 400),
    person_sd=np.full(400, 2.0),
    n_respondents=25,
)
LABELS = np.repeat([1, 1, 0, 0], [95, 5, 5, 895]), np.repeat([1, 0, 1, 0], [95, 5, 5, 895])


def _text(findings):
    return " ".join(finding.text for finding in findings)


@pytest.mark.parametrize(
    ("share", "verdict", "tone"), [(0.5, "pass", "good"), (0.99, "fail", "bad")]
)
def test_a_gate_names_verdict_share_and_probability(share, verdict, tone):
    gate = decide.gate(PEOPLE, "alarm", *LABELS, share=share, random_state=1)
    finding = decisions.gate_findings(gate)[0]
    assert finding.text.startswith(f"{verdict}:")
    assert finding.tone == tone
    assert decisions.gate_badge(gate)["schemaVersion"] == 1


def test_a_target_out_of_reach_is_said_to_be_so():
    target = decide.target(PEOPLE, share=0.9999)
    assert "No accuracy is known to reach" in _text(decisions.target_findings(target))
    assert "For 70 % to accept" in _text(
        decisions.target_findings(decide.target(PEOPLE, share=0.7))
    )


def test_where_only_no_error_is_enough_no_accuracy_is_named():
    target = decide.target(PEOPLE, share=0.7)
    perfect = Interval(lower=1.0, upper=1.0, probability=0.95, kind="quantile")
    needed = replace(target.needed_mean, mean=1.0, interval=perfect)
    text = _text(decisions.target_findings(replace(target, needed_mean=needed, only_flawless=0.98)))
    assert "For 70 % to accept, nothing less than no error at all would do;" in text
    assert "1.0000" not in text
    assert text.count("no error at all") == 1


def test_a_share_of_draws_is_never_certain():
    gate = decide.gate(PEOPLE, "alarm", *LABELS, share=0.01, random_state=1)
    assert gate.p_enough == 1.0
    assert "probability > 0.999 that at least 1 % do" in _text(decisions.gate_findings(gate))


def test_diminishing_returns_are_named_where_they_begin():
    found = decisions.target_findings(decide.target(PEOPLE, share=0.7, least_gain=0.01))
    assert "Returns diminish from a mean of" in _text(found)


def test_a_choice_of_application_admits_when_it_cannot_tell():
    choice = decide.best_application(PEOPLE, *LABELS, random_state=1)
    assert "Best accepted in alarm" in _text(decisions.application_findings(choice))


def test_a_threshold_says_where_the_doubt_comes_from():
    truth = np.tile([0, 0, 1], 60)
    scores = generator.normal(truth)
    found = _text(decisions.threshold_findings(decide.threshold(PEOPLE, truth, scores)))
    assert "Uncertainty about the threshold comes from: people" in found
    assert "of people would accept it" in found


def test_a_target_says_how_likely_perfection_would_reach_it():
    target = decide.target(PEOPLE, "alarm", share=0.85)
    text = _text(decisions.target_findings(target))
    assert "perfect accuracy wins that many with probability" in text


def test_going_live_says_the_probability_found_next_to_the_wanted_one():
    curve = {"size": [10, 50, 100], "precision": [0.5, 0.8, 0.99], "recall": [0.5, 0.8, 0.99]}
    found = decide.go_live(PEOPLE, "alarm", curve, share=0.5)
    text = _text(decisions.go_live_findings(found))
    assert "at least 50 % accept alarm with probability > 0.999 (wanted 0.95)" in text
    table = decisions.go_live_table(found)
    assert table["size"].tolist() == [10, 50, 100]
    assert table["passes"].tolist()[::2] == ["no", "yes"]
    assert all("%" in share for share in table["people accepting"].tolist())
    never = decisions.go_live_findings(decide.go_live(PEOPLE, "alarm", curve, share=0.9999))[0]
    assert "at size 100, the largest tried, this has probability < 0.001" in never.text
    assert never.tone == "unsure"


def test_a_trade_off_says_how_low_accuracy_may_be_or_that_none_is_enough():
    trade = decide.trade_off(PEOPLE, share=0.5)
    text = _text(decisions.trade_off_findings(trade))
    assert text.startswith(f"From {100 * trade.least_accuracy:.0f} % precision and recall on")
    assert "at least 50 % accept alarm with probability 0.95" in text
    never = decisions.trade_off_findings(decide.trade_off(PEOPLE, share=0.9999))[0]
    assert never.text.startswith("At no accuracy do at least")
    assert never.tone == "bad"
