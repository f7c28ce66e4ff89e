"""Predicted labels ranked and gated by what somebody values."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howgood import decide, learn, score
from howgood.cli.main import run
from howgood.errors import InputError
from howgood.show.decisions import metric_gate_findings


def labels(tp, fn, fp, tn):
    return np.repeat([1, 1, 0, 0], (tp, fn, fp, tn)), np.repeat([1, 0, 1, 0], (tp, fn, fp, tn))


def test_scores_are_those_counted_by_hand():
    # a0 = 1/4: (1/4 * TN + 3/4 * TP) / n = (15 + 15) / 100 and (10 + 22.5) / 100.
    truth = np.repeat([1, 0], (30, 70))
    shy = np.r_[np.repeat([1, 0], (20, 10)), np.repeat([1, 0], (10, 60))]
    eager = np.r_[np.ones(30, int), np.repeat([1, 0], (30, 40))]
    ranking = decide.rank_predictions(
        score.LinearMetric(a0=0.25), truth, {"shy": shy, "eager": eager}
    )
    assert ranking.scores.tolist() == pytest.approx([0.30, 0.325])
    assert ranking.order == ("eager", "shy")
    assert ranking.greater_is_better


def test_the_error_is_that_of_a_paired_comparison():
    """Two systems that differ on 30 negatives and 10 positives only: a Dirichlet of three."""
    truth = np.repeat([1, 0], (300, 700))
    one = np.r_[np.ones(300, int), np.repeat([1, 0], (30, 670))]
    other = np.r_[np.repeat([0, 1], (10, 290)), np.zeros(700, int)]
    ranking = decide.rank_predictions(score.LinearMetric(a0=0.25), truth, {"a": one, "b": other})
    # a gains 3/4 on 10 positives and loses 1/4 on 30 negatives: level.
    drawn = np.random.default_rng(1).dirichlet([10, 30, 960], 20_000)
    expected = np.mean(0.75 * drawn[:, 0] <= 0.25 * drawn[:, 1])
    assert ranking.error("a", "b") == pytest.approx(expected, abs=0.03)
    assert ranking.score_sds[0] == pytest.approx(
        np.sqrt((0.75**2 * 0.3 + 0.25**2 * 0.67 - (0.225 + 0.1675) ** 2) / 1000), rel=0.05
    )


@given(st.tuples(*[st.integers(1, 40)] * 4))
@settings(max_examples=20, deadline=None)
def test_a_system_is_level_with_itself_and_errors_mirror(cells):
    truth, predicted = labels(*cells)
    other = 1 - predicted
    ranking = decide.rank_predictions(
        score.LinearMetric(a0=0.3), truth, {"a": predicted, "b": predicted, "c": other}
    )
    # Alike so far: which one other cases favour is a toss (4,000 draws, four standard errors).
    assert ranking.error("a", "b") == pytest.approx(0.5, abs=0.032)
    assert ranking.error("a", "c") + ranking.error("c", "a") == pytest.approx(1)
    gate = decide.metric_gate(score.LinearMetric(a0=0.3), truth, predicted, than=other)
    assert gate.p_better == pytest.approx(1 - ranking.error("a", "c"), abs=0.06)
    assert gate.value.interval.lower <= gate.value.mean <= gate.value.interval.upper


def test_a_gate_passes_fails_and_investigates():
    metric = score.LinearMetric(a0=0.5)
    good, poor, unclear = labels(80, 20, 20, 180), labels(20, 80, 80, 120), labels(3, 2, 2, 5)
    assert decide.metric_gate(metric, *good).verdict == "pass"
    assert decide.metric_gate(metric, *poor).verdict == "fail"
    found = decide.metric_gate(metric, *unclear)
    assert found.verdict == "investigate"
    assert found.rival == "flagging nothing"
    assert "does not say" in metric_gate_findings(found)[0].text
    assert decide.metric_gate(metric, *good, margin=0.4).verdict == "fail"
    level = decide.metric_gate(metric, *good, than=good[1])
    assert level.verdict == "investigate"
    assert abs(level.gain.mean) < 0.01


def test_the_person_is_uncertain_too():
    truth, predicted = labels(80, 20, 20, 180)
    even = decide.metric_gate(score.LinearMetric(a0=0.3), truth, predicted)
    rng = np.random.default_rng(0)
    a0 = learn_estimate(np.clip(rng.normal(0.3, 0.1, 2000), 0.01, 0.9))
    assert decide.metric_gate(a0, truth, predicted).gain.sd > 1.3 * even.gain.sd


def learn_estimate(draws):
    from howgood.records.estimate import Estimate

    return Estimate.from_draws(draws)


def test_kind_refusals():
    truth, predicted = labels(8, 2, 2, 8)
    with pytest.raises(InputError, match="at least two"):
        decide.rank_predictions(score.LinearMetric(a0=0.3), truth, {"a": predicted})
    with pytest.raises(InputError, match="certainty"):
        decide.metric_gate(score.LinearMetric(a0=0.3), truth, predicted, certainty=1.2)


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(1)
    chance = rng.beta(0.5, 0.9, 1000)
    truth = (rng.random(1000) < chance).astype(int)
    person = score.LinearMetric(a0=0.2).prefers
    learn.elicit(scores=chance, y=truth, ui=person, random_state=1).save(tmp_path / "metric.json")
    rows = ["y,low,high"]
    rows += [f"{t},{int(c >= 0.2)},{int(c >= 0.6)}" for t, c in zip(truth, chance, strict=True)]
    (tmp_path / "labels.csv").write_text("\n".join(rows))
    return tmp_path


def test_gate_and_rank_take_the_saved_file(files, capsys):
    metric, table = str(files / "metric.json"), str(files / "labels.csv")
    gate = ["gate", metric, table, "--truth", "y", "--predicted"]
    assert run([*gate, "low", "--than", "high", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["verdict"] == "pass"
    badge, markdown = files / "badge.json", files / "gate.md"
    assert run([*gate, "high", "--than", "low", "--badge", str(badge), "--markdown",
                str(markdown)]) == 1  # fmt: skip
    assert capsys.readouterr().out.startswith("fail: by this person's metric")
    assert json.loads(badge.read_text())["color"] == "red"
    assert "difference to the other system" in markdown.read_text()
    rank = ["rank", table, "--elicited", metric, "--system", "low=low", "--system", "high=high"]
    assert run([*rank, "--truth", "y", "--out", str(files / "r.html")]) == 0
    assert "low is best" in capsys.readouterr().out
    assert run(rank) == 2
    assert run([*rank, "--truth", "y", "--sd", "1"]) == 2
    assert run(["gate", "--than", "x", str(table), table, "--truth", "y"]) == 2
