"""Predicted labels ranked and gated by what somebody values."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howgood import decide, learn, score
from howgood.cli.main import run
from howgood.errors import InputError
from howgood.records.outcomes_by_class import DiagonalMetric
from howgood.show.decisions import metric_gate_findings, threshold_findings


def labels(tp, fn, fp, tn):
    return np.repeat([1, 1, 0, 0], (tp, fn, fp, tn)), np.repeat([1, 0, 1, 0], (tp, fn, fp, tn))


def test_classes_are_the_same_however_numbers_are_spelled():
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 3, 120)
    right, wrong = truth.copy(), (truth + 1) % 3
    metric = DiagonalMetric(weights=(0.2, 0.3, 0.5), labels=("0", "1", "2"))
    assert metric(truth, right.astype(float)) == metric(truth.astype(str), right.astype(str)) > 0
    spelled = {"good": right.astype(float), "bad": wrong.astype(str)}
    assert decide.rank_predictions(metric, truth, spelled).order[0] == "good"
    with pytest.raises(InputError, match="none"):
        decide.rank_predictions(metric, truth, {"good": right, "bad": np.full(120, "none")})


def test_labels_that_are_missing_or_of_one_class_are_refused():
    metric, truth = score.LinearMetric(a0=0.3), np.array([1, 0] * 30)
    holes = np.where(np.arange(60) == 7, np.nan, truth)
    with pytest.raises(InputError, match="1 missing value"):
        decide.rank_predictions(metric, truth, {"a": truth, "b": holes})
    with pytest.raises(InputError, match="both classes"):
        decide.metric_gate(metric, np.ones(50, int), np.ones(50, int))
    with pytest.raises(InputError, match="numbers or text"):
        decide.rank_predictions(metric, truth, {"a": truth, "b": truth.astype(str)})


def test_equal_forecasts_are_equal_however_many_there_are():
    rng = np.random.default_rng(5)
    real = rng.normal(size=6000)
    said = real + rng.normal(size=6000)
    gate = decide.metric_gate(score.PinballMetric(quantile=0.7), real, said, than=said)
    assert (gate.p_better, gate.gain.sd) == (0, 0)


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


_RNG = np.random.default_rng(8)
CHANCES = _RNG.dirichlet([1, 1, 1], size=400)
NAMES = np.array(["cold", "flu", "pneumonia"])
ILLNESS = NAMES[(_RNG.random((400, 1)) > CHANCES.cumsum(axis=1)).sum(axis=1)]
CASES = {
    "ill": np.where(_RNG.random(400) < CHANCES[:, 0], "yes", "no"),
    "sex": _RNG.choice(["f", "m"], 400, p=[0.7, 0.3]),
    "cold": np.full(400, "cold"),
    "weighted": NAMES[(CHANCES * [1, 1, 3]).argmax(axis=1)],
    "eager": np.where(CHANCES[:, 0] > 0.2, "yes", "no"),
    "shy": np.where(CHANCES[:, 0] > 0.6, "yes", "no"),
    "illness": ILLNESS,
    "sold": _RNG.normal(100, 10, 400).round(2),
    "forecast": np.full(400, 100.0),
    "higher": np.full(400, 108.0),
}
QUICK = {"max_queries": 12, "catch_pairs": 0, "held_out": 0, "random_state": 1}


def by(weights):
    """Return somebody who chooses by these weights of what is shown."""

    def choose(one, other):
        worth = [np.dot(side.features, weights) for side in (one, other)]
        return "first" if worth[0] > worth[1] else "second"

    return choose


def too_low_is_worse(one, other):
    costs = [4 * side.values["too low"] + side.values["too high"] for side in (one, other)]
    return "first" if costs[0] < costs[1] else "second"


@pytest.fixture(scope="module")
def interviews():
    """Give an interview about classes, one about groups, and one about forecasts."""
    model = type("Model", (), {"classes_": NAMES, "predict_proba": lambda self, x: x})()
    return {
        "classes": learn.elicit(model, CHANCES, ILLNESS, ui=by([0.2, 0.2, 0.6]), **QUICK),
        "groups": learn.elicit(
            scores=CHANCES[:, 0], y=CASES["ill"], groups=CASES["sex"], pos_label="yes",
            ui=by([0.5, 0.2, 0.2, 0.1]), **QUICK,
        ),
        "forecasts": learn.elicit_quantile(
            CASES["sold"], CASES["forecast"], ui=too_low_is_worse, **QUICK
        ),
    }  # fmt: skip


# What is true, the better system and the other by those people, and the labels' column of groups.
ASKED = {
    "classes": ("illness", "weighted", "cold", None),
    "groups": ("ill", "eager", "shy", "sex"),
    "forecasts": ("sold", "higher", "forecast", None),
}


@pytest.mark.parametrize("about", ASKED)
def test_interviews_about_weights_rank_and_gate_by_their_own_metric(about, interviews):
    truth, better, other, group = ASKED[about]
    result, systems = interviews[about], {name: CASES[name] for name in (other, better)}
    more = {"groups": CASES[group], "pos_label": "yes"} if group else {}
    ranking = decide.rank_predictions(result, CASES[truth], systems, **more)
    called = {"groups": CASES[group], "pos_label": "yes"} if group else {}
    by_hand = [result.metric(CASES[truth], CASES[name], **called) for name in (other, better)]
    assert ranking.scores.tolist() == pytest.approx(by_hand, rel=0.01)
    assert ranking.order[0] == better
    gate = decide.metric_gate(result, CASES[truth], CASES[better], than=CASES[other], **more)
    assert gate.gain.mean == pytest.approx(abs(by_hand[1] - by_hand[0]), rel=0.15)
    assert gate.p_better == pytest.approx(1 - ranking.error(better, other), abs=0.02)


@pytest.mark.parametrize("about", ASKED)
def test_the_spread_is_that_of_cases_drawn_anew(about, interviews):
    """The metric of an ordinary bootstrap, called as scikit-learn would, without the person."""
    truth, better, _, group = ASKED[about]
    metric, rng = interviews[about].metric, np.random.default_rng(2)
    more = {"groups": CASES[group], "pos_label": "yes"} if group else {}
    again = []
    for _ in range(400):
        at = rng.integers(0, 400, 400)
        drawn = {"groups": CASES[group][at], "pos_label": "yes"} if group else {}
        again.append(metric(CASES[truth][at], CASES[better][at], **drawn))
    gate = decide.metric_gate(
        metric, CASES[truth], CASES[better], than=CASES[better], certainty=0.9, **more
    )
    assert gate.value.sd == pytest.approx(np.std(again), rel=0.15)


def test_commands_take_every_saved_interview_and_its_positive_label(interviews, tmp_path, capsys):
    table = tmp_path / "cases.csv"
    rows = zip(*CASES.values(), strict=True)
    table.write_text("\n".join([",".join(CASES), *(",".join(map(str, row)) for row in rows)]))
    for about, (truth, better, other, group) in ASKED.items():
        saved = tmp_path / f"{about}.json"
        interviews[about].save(saved)
        assert learn.load_elicited(saved).metric == interviews[about].metric
        named = ["--truth", truth, *(["--group", group] if group else [])]
        than = ["--predicted", better, "--than", other]
        assert run(["gate", str(saved), str(table), *named, *than]) == 0
        assert capsys.readouterr().out.startswith("pass")
        systems = ["--system", f"a={other}", "--system", f"b={better}"]
        assert run(["rank", str(table), "--elicited", str(saved), *named, *systems]) == 0
        assert "b is best" in capsys.readouterr().out
    assert run(["gate", str(tmp_path / "groups.json"), str(table), "--truth", "ill", *than]) == 2
    scored = ["threshold", str(table), "--truth", "ill", "--score", "eager"]
    assert run([*scored, "--elicited", str(tmp_path / "classes.json")]) == 2
    assert "result.rule()" in capsys.readouterr().err


def test_thresholds_are_as_uncertain_as_the_metrics_that_remain_possible():
    """Two limits of which one is open: of half of them each threshold is the best."""
    rng = np.random.default_rng(4)
    scores = rng.beta(0.5, 0.9, 2000)
    truth = rng.random(2000) < scores
    person = score.LimitsMetric(misses=0.05, alarms=0.15)
    result = learn.elicit(scores=scores, y=truth, ui=person.prefers, random_state=3)
    assert result.family == "satisfice"
    assert len(set(result.possible)) > 1
    choice = result.threshold(truth, scores, random_state=1)
    assert choice.variance_shares["people"] > 0.05
    alone = decide.threshold(result.metric, truth, scores, random_state=1)
    widths = [
        one.threshold.interval.upper - one.threshold.interval.lower for one in (choice, alone)
    ]
    assert widths[0] > widths[1]


def test_a_linear_metric_that_is_not_settled_is_uncertain_too():
    rng = np.random.default_rng(4)
    scores = rng.beta(0.5, 0.9, 2000)
    truth = rng.random(2000) < scores
    person = score.FBetaMetric(beta=2.0)
    result = learn.elicit(
        scores=scores, y=truth, ui=person.prefers, random_state=3, max_queries=8, held_out=0
    )
    assert (result.family, type(result.metric)) == (None, score.LinearMetric)
    assert result.threshold(truth, scores, random_state=1).variance_shares["people"] > 0


def test_a_threshold_away_from_a_limit_says_why():
    rng = np.random.default_rng(1)
    scores = rng.beta(0.5, 0.9, 2000)
    truth = rng.random(2000) < scores
    choice = decide.threshold(score.CappedMetric(cap=0.05), truth, scores, random_state=1)
    assert choice.chosen < choice.threshold.interval.lower
    assert "on purpose" in threshold_findings(choice)[0].text
