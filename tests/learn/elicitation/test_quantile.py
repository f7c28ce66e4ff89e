"""Too low or too high: from choices in the user's units to the quantile to predict."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howgood import learn, score
from howgood.cli.main import run
from howgood.errors import HowgoodError, InputError
from howgood.show.quantile import quantile_findings

RNG = np.random.default_rng(1)
SOLD = RNG.normal(100, 15, 400)
PREDICTED = np.full(400, 100.0)


def baker(ratio):
    def choose(one, other):
        costs = [ratio * each.values["too low"] + each.values["too high"] for each in (one, other)]
        gap = costs[0] - costs[1]
        return "same" if abs(gap) < 1e-9 else "first" if gap < 0 else "second"

    return choose


def test_the_loss_by_hand_and_as_in_scikit_learn():
    from sklearn.metrics import mean_pinball_loss

    metric = score.PinballMetric(quantile=0.8)
    assert metric([10, 10, 10], [8, 13, 10]) == pytest.approx((0.8 * 2 + 0.2 * 3) / 3)
    for quantile in (0.1, 0.5, 0.93):
        assert score.PinballMetric(quantile=quantile)(SOLD, PREDICTED) == pytest.approx(
            mean_pinball_loss(SOLD, PREDICTED, alpha=quantile)
        )
    with pytest.raises(InputError, match="quantile"):
        score.PinballMetric(quantile=1.5)


@given(st.floats(0.02, 0.98), st.integers(0, 1000))
@settings(max_examples=30, deadline=None)
def test_the_quantile_itself_costs_least(quantile, seed):
    values = np.random.default_rng(seed).gamma(2, size=41)
    metric = score.PinballMetric(quantile=quantile)
    best = metric(values, np.full(41, np.quantile(values, quantile, method="inverted_cdf")))
    assert all(metric(values, np.full(41, each)) >= best - 1e-12 for each in values)


@pytest.mark.parametrize("ratio", [9.0, 4.0, 1.0, 1 / 6])
def test_the_ratio_of_costs_gives_the_quantile_and_the_shift(ratio):
    learner = learn.QuantileElicitor(SOLD, PREDICTED, unit="loaves", random_state=1)
    result = learn.ask_oracle(learner, baker(ratio))
    tau = ratio / (1 + ratio)
    assert result.fits
    assert tau in result.interval
    assert result.quantile.mean == pytest.approx(tau, abs=0.05)
    ends = result.shift.interval
    assert ends.lower - 2 < np.quantile(SOLD - 100, tau) < ends.upper + 2
    assert result.metric.quantile == result.quantile.mean
    assert result.choices < 25


def test_random_clicks_have_no_quantile():
    rng = np.random.default_rng(2)
    learner = learn.QuantileElicitor(SOLD, PREDICTED, random_state=2)
    result = learn.ask_oracle(learner, lambda *_: str(rng.choice(["first", "second"])))
    # A misfit, or too little information: either way there is no quantile.
    assert result.evidence == "little" if result.fits else result.misfit
    assert result.metric is None
    said = "Not enough information" if result.fits else "No ratio of costs describes"
    assert quantile_findings(result)[0].text.startswith(said)
    for ask_for in (result.scorer, lambda: result.shift):
        with pytest.raises(InputError, match="ratio of costs"):
            ask_for()


def test_units_change_nothing_but_the_shift():
    results = []
    for factor in (1.0, 1000.0):
        learner = learn.QuantileElicitor(factor * SOLD, factor * PREDICTED, random_state=3)
        results.append(learn.ask_oracle(learner, baker(3.0)))
    assert results[0].quantile.mean == pytest.approx(results[1].quantile.mean, abs=0.02)
    assert 1000 * results[0].shift.mean == pytest.approx(results[1].shift.mean, rel=0.3)


def test_terminal_log_resume_save_and_kind_refusals(tmp_path, capsys):
    path, log, saved = (tmp_path / name for name in ("f.csv", "log.json", "q.json"))
    rows = [f"{a:.4f},{b}" for a, b in zip(SOLD, PREDICTED, strict=True)]
    path.write_text("\n".join(["sold,baked", *rows]))
    command = ["quantile", str(path), "--truth", "sold", "--predicted", "baked", "--unit",
               "loaves", "--seed", "1", "--simulate", "4", "--log", str(log)]  # fmt: skip
    assert run([*command, "--save", str(saved), "--out", str(tmp_path / "r.html")]) == 0
    said = capsys.readouterr().out
    assert "Too low is worse" in said
    assert "should move up" in said
    tau = np.median(learn.QuantileResult.load(saved).quantile.draws)
    number = int(said.partition("are as bad as ")[2].split()[0])
    assert number == round(10 * tau / (1 - tau))
    assert run([*command, "--json"]) == 0
    loaded = learn.QuantileResult.load(saved).to_dict()
    assert all(loaded[name] == each for name, each in json.loads(capsys.readouterr().out).items())
    assert run(["quantile", str(path), "--truth", "no"]) == 2
    with pytest.raises(HowgoodError, match="at least 20 cases"):
        learn.elicit_quantile([1, 2, 3], [1, 2, 4])
    person = baker(4.0)
    again = learn.elicit_quantile(SOLD, PREDICTED, ui=person, random_state=1, resume=tmp_path / "l")
    assert again.to_dict() == learn.elicit_quantile(
        SOLD, PREDICTED, ui=person, random_state=1, resume=tmp_path / "l"
    ).to_dict()  # fmt: skip
