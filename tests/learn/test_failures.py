"""Failures by kind: the density, recovery, results by hand, files, refusals."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from howgood import ask, decide, learn
from howgood.errors import (
    FewRespondentsWarning,
    InputError,
    NoEvidenceWarning,
    RepeatedRowsWarning,
    UnknownNameError,
)
from howgood.learn.failure_model import FailureModel, failure_columns
from howgood.records.failures import FailurePriors, FailureScenario
from howgood.show.failures import (
    bar_findings,
    failure_findings,
    failure_gate_findings,
    failure_report,
    failure_values,
    promptfoo_config,
)

TRUTH = {"wrong": 0.3, "invented": 1.2, "refused": 0.3}


@pytest.fixture(scope="module")
def answers():
    return ask.simulate_failure_answers(TRUTH, people=40, level=3.5, random_state=3)


@pytest.fixture(scope="module")
def fit(answers):
    return learn.fit_failures(answers, kinds=tuple(TRUTH), draws=2000, random_state=3)


# -- scenarios -----------------------------------------------------------------------------------


@settings(max_examples=25)
@given(st.integers(1, 6), st.sampled_from([10, 20, 50]), st.integers(1, 8), st.integers(0, 999))
def test_scenarios_are_different_and_never_fail_more_than_there_are(n_kinds, out_of, wanted, seed):
    kinds = [f"kind {number}" for number in range(n_kinds)]
    shown = ask.failure_scenarios(kinds, out_of=out_of, per_person=wanted, random_state=seed)
    assert len({tuple(one.counts.values()) for one in shown}) == len(shown) <= wanted
    for one in shown:
        assert list(one.counts) == kinds
        assert one.right == out_of - sum(one.counts.values()) >= 0


def _counts_shown(kinds, people):
    return np.array(
        [
            list(one.counts.values())
            for seed in range(people)
            for one in ask.failure_scenarios(tuple(kinds), random_state=seed)
        ]
    )


@pytest.mark.parametrize("kinds", ["ab", "abc", "abcd"])
def test_kinds_vary_on_their_own_and_so_does_their_sum(kinds):
    counts = _counts_shown(kinds, 100)
    apart = np.corrcoef(counts.T) - np.eye(len(kinds))
    assert np.abs(apart).max() < 0.25
    # A sum that hardly varies would leave the weight of all kinds together unknown.
    assert np.std(counts.sum(axis=1) / 20) > 0.1


def test_half_of_the_scenarios_are_borderline():
    counts = _counts_shown("abcd", 60)
    failing = counts.sum(axis=1) / 20
    assert np.mean((failing >= 0.1) & (failing <= 0.35)) >= 0.45
    assert 0.01 < np.mean(failing == 0) < 0.1


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(InputError, match="kind of failure"):
        ask.failure_scenarios(())
    with pytest.raises(InputError, match="1 to 8"):
        ask.failure_scenarios(tuple("ab"), per_person=9)
    with pytest.raises(InputError, match="two different counts"):
        ask.failure_scenarios(tuple("ab"), levels=(3,))
    with pytest.raises(InputError, match="do not exceed"):
        FailureScenario(counts={"a": 21}, out_of=20)


# -- the density ---------------------------------------------------------------------------------


@pytest.mark.parametrize("power", [1.0, 0.5])
def test_the_gradient_is_that_of_finite_differences(fit, power):
    model = FailureModel(fit.cells, fit.priors, power)
    point = model.start() + 0.3 * np.random.default_rng(1).normal(size=model.size)
    value, gradient = model.value_and_gradient(point)
    for index, unit in enumerate(1e-5 * np.eye(model.size)):
        above, below = (model.value_and_gradient(point + sign * unit)[0] for sign in (1, -1))
        assert gradient[index] == pytest.approx((above - below) / 2e-5, abs=1e-4)
    assert model.log_density(point[None])[0] == pytest.approx(value, abs=1e-3)


def test_one_kind_agrees_with_a_grid_over_all_parameters():
    """An independent computation: prior times likelihood on a grid of level, weight and sd."""
    answers = ask.simulate_failure_answers({"wrong": 0.5}, people=15, random_state=4)
    seen = answers["wrong"] > 0  # nobody is asked about no failure: the term stays out
    few = {name: values[seen] for name, values in answers.items()}
    fit = learn.fit_failures(few, kinds=("wrong",), draws=8000, random_state=1)
    level, weight, sd = np.meshgrid(
        np.linspace(-5, 5, 50), np.linspace(0.05, 60, 60), np.linspace(0.02, 8, 50), indexing="ij"
    )
    nodes = np.linspace(-6, 6, 121)
    mass = np.exp(-(nodes**2) / 2) / np.exp(-(nodes**2) / 2).sum()
    log_posterior = -(level**2) / (2 * 1.6**2) - weight**2 / (2 * 25**2) - sd**2 / (2 * 2.5**2)
    for person in np.unique(few["participant"]):
        here = few["participant"] == person
        total = np.zeros(level.shape)
        for node, share in zip(nodes, mass, strict=True):
            product = np.ones(level.shape)
            for count, yes in zip(few["wrong"][here], few["accepted"][here], strict=True):
                x = level - weight * (count / 20 - 0.15) + sd * node
                product *= expit(x if yes else -x)
            total += share * product
        log_posterior += np.log(total)
    p = np.exp(log_posterior - log_posterior.max())
    p /= p.sum()
    for name, grid in (("level", level), ("weight", weight), ("person_sd", sd)):
        column = failure_columns(1)[name]
        mean = float((p * grid).sum())
        spread = float(np.sqrt((p * (grid - mean) ** 2).sum()))
        found = fit.draws[:, column][:, 0]
        assert found.mean() == pytest.approx(mean, abs=0.08 * spread)
        assert found.std() == pytest.approx(spread, rel=0.08)


# -- results -------------------------------------------------------------------------------------


def test_weights_are_found_again(fit):
    for kind, weight in TRUTH.items():
        assert weight in fit.weights[kind].interval
    ratio = fit.relative("invented", to="refused")
    assert ratio.interval.lower > 1.5
    assert 4.0 in ratio.interval


def test_shares_and_tolerable_rates_by_hand(fit):
    """With everybody alike and known weights, every result is a line of arithmetic."""
    columns = failure_columns(3)
    row = np.zeros((1, columns["power"].stop))
    row[0, columns["level"]] = 1.0
    row[0, columns["weight"]] = [10.0, 40.0, 20.0]
    row[0, columns["flawless"]] = 2.0
    row[0, columns["power"]] = 1.0
    known = _with_draws(fit, row)
    usual = 0.05 * (10 + 40 + 20)  # 15 % in all, equally many of each kind
    rates = {"wrong": 0.1, "invented": 0.02}
    logit = 1.0 + usual - 10 * 0.1 - 40 * 0.02
    assert known.predict(rates).mean == pytest.approx(expit(logit))
    assert known.predict({}).mean == pytest.approx(expit(1.0 + usual + 2.0))
    gain = known.without("invented", rates).mean
    assert gain == pytest.approx(expit(logit + 0.8) - expit(logit))
    assert known.weights["invented"].mean == pytest.approx(2.0)
    assert known.relative("invented", to="refused").mean == pytest.approx(2.0)
    # expit(x) = .7 at x = log(7/3); 1 + usual - .1 * 10 logits are left for the invented ones.
    left = (1.0 + usual - 1.0 - np.log(7 / 3)) / 40
    found = known.tolerable("invented", share=0.7, others={"wrong": 0.1})
    assert found.mean == pytest.approx(left)
    assert known.removing(rates)["without"].tolist() == ["wrong", "invented"]


def _with_draws(fit, draws):
    from dataclasses import replace

    return replace(fit, draws=draws)


def test_more_failures_never_win_more_people(fit):
    rng = np.random.default_rng(0)
    for _ in range(20):
        rates = dict(zip(fit.kinds, rng.uniform(0.01, 0.2, 3), strict=True))
        more = {**rates, "wrong": rates["wrong"] + 0.05}
        assert np.all(fit.share_draws(more) <= fit.share_draws(rates))


def test_powers_are_compared_by_evidence(answers):
    fit = learn.fit_failures(
        answers, kinds=tuple(TRUTH), powers=(1.0, 0.5), draws=1000, random_state=1
    )
    assert sum(fit.power_probabilities.values()) == pytest.approx(1.0)
    assert any("first failures" in section.title for section in failure_report(fit).sections)
    with pytest.raises(InputError, match="above 0"):
        learn.fit_failures(answers, kinds=tuple(TRUTH), powers=(2.0,))


# -- bar and gate --------------------------------------------------------------------------------


def test_rates_of_the_bar_are_low_enough_together(fit):
    bar = decide.failure_bar(fit, share=0.5, certainty=0.9)
    assert np.mean(fit.share_draws(bar.together) >= 0.5) == pytest.approx(0.9, abs=0.01)
    for kind, rate in bar.together.items():
        assert rate < bar.alone[kind].mean
    assert "PROMPTFOO_PASS_RATE_THRESHOLD" in promptfoo_config(bar)
    assert "Together" in bar_findings(bar)[1].text
    impossible = decide.failure_bar(fit, share=0.999)
    assert impossible.together is None
    assert "No rates are known" in bar_findings(impossible)[1].text


def test_a_gate_says_pass_fail_and_investigate(fit):
    settings = {"cases": 2000, "share": 0.5, "random_state": 1}
    good = decide.failure_gate(fit, {"wrong": 10}, **settings)
    bad = decide.failure_gate(fit, {"invented": 600, "wrong": 300}, **settings)
    assert (good.verdict, bad.verdict) == ("pass", "fail")
    assert good.acceptance.mean > bad.acceptance.mean
    assert "fail" in failure_gate_findings(bad)[0].text
    with pytest.raises(InputError, match="do not exceed"):
        decide.failure_gate(fit, {"wrong": 3}, cases=2)


def test_few_people_are_never_enough(answers):
    few = {name: values[: 8 * 5] for name, values in answers.items()}
    with pytest.warns(FewRespondentsWarning):
        fit = learn.fit_failures(few, kinds=tuple(TRUTH), draws=500, random_state=1)
    assert fit.evidence == "few people"
    assert decide.failure_bar(fit).together is None
    gate = decide.failure_gate(fit, {"wrong": 1}, cases=5000, share=0.01, random_state=1)
    assert gate.verdict == "investigate"
    assert "Not enough evidence" in failure_findings(fit)[0].text


def test_a_kind_that_never_varied_is_said(answers):
    same = {**answers, "refused": np.ones(len(answers["refused"]))}
    with pytest.warns((NoEvidenceWarning, RepeatedRowsWarning)):
        fit = learn.fit_failures(same, kinds=tuple(TRUTH), draws=500, random_state=1)
    assert fit.evidence == "none"


# -- files and refusals --------------------------------------------------------------------------


def test_a_fit_comes_back_from_its_file(fit, tmp_path):
    fit.save(tmp_path / "fit.npz")
    again = learn.load_failures(tmp_path / "fit.npz")
    np.testing.assert_array_equal(again.draws, fit.draws)
    assert again.priors == FailurePriors() == fit.priors
    assert again.summary()["mean"].tolist() == fit.summary()["mean"].tolist()
    assert failure_values(again)["weights"].keys() == set(TRUTH)


def test_wrong_tables_are_refused(answers):
    with pytest.raises(InputError, match="at most 5"):
        learn.fit_failures(answers, kinds=tuple(TRUTH), out_of=5)
    two = {**answers, "application": np.where(np.arange(len(answers["wrong"])) % 2, "a", "b")}
    with pytest.raises(InputError, match="one by one"):
        learn.fit_failures(two, kinds=tuple(TRUTH))
    with pytest.raises(InputError, match="invented2"):
        learn.fit_failures(answers, kinds=("wrong", "invented2"))


def test_unknown_kinds_and_impossible_rates_are_refused(fit):
    with pytest.raises(UnknownNameError):
        fit.predict({"nonsense": 0.1})
    with pytest.raises(InputError, match="at most 1"):
        fit.predict({"wrong": 0.9, "invented": 0.9})
    with pytest.raises(InputError, match="other kinds"):
        fit.tolerable("wrong", others={"wrong": 0.1})
