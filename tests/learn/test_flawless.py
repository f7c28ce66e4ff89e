"""A term of its own for systems without any error: model, fit, decisions, files, public answers."""

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import halfnorm

from howgood import ask, decide, learn
from howgood.errors import (
    DroppedRowsWarning,
    FewRespondentsWarning,
    InputError,
    UnknownNameError,
)
from howgood.learn.binary_model import BinaryModel, accepted_from, cells_from
from howgood.learn.cards import card_of_fit
from howgood.learn.engines.nuts import pymc_model
from howgood.learn.evidence import flawless_probability
from howgood.records.acceptance import AcceptanceDraws
from howgood.records.priors import HOWGOOD, KAY2015, Priors
from howgood.show.acceptability import fit_findings, fit_report
from howgood.show.decisions import target_findings
from howgood.stats.half_normal import half_normal_value
from howgood.stats.power_mean import power_mean

TRUTH = {"alarm": {"alpha": 0.4, "intercept": -9.0, "slope": 11.0, "flawless": 4.0}}


@pytest.fixture(scope="module")
def answers():
    return ask.simulate_answers(TRUTH, people=40, random_state=5)


@pytest.fixture(scope="module")
def fit(answers):
    return learn.fit_acceptability(answers, means=(0,), draws=1500, random_state=5)


def _cells(answers):
    read = ask.read_answers(answers)
    return cells_from(read, accepted_from(read, 5))


# -- the density ---------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [-1.0, None])
@pytest.mark.parametrize("priors", [HOWGOOD, KAY2015], ids=lambda prior: prior.name)
def test_the_gradient_is_that_of_finite_differences(answers, priors, order):
    model = BinaryModel(_cells(answers), priors, order, flawless=True)
    point = model.start() + 0.3 * np.random.default_rng(1).normal(size=model.size)
    _, gradient = model.value_and_gradient(point)
    for index, unit in enumerate(1e-5 * np.eye(model.size)):
        above, below = (model.value_and_gradient(point + sign * unit)[0] for sign in (1, -1))
        assert gradient[index] == pytest.approx((above - below) / 2e-5, abs=1e-4)


def test_the_likelihood_is_the_one_written_from_the_formula(answers):
    """Each person's answers, multiplied and integrated over leniency on a dense grid."""
    model = BinaryModel(_cells(answers), HOWGOOD, 0.0, flawless=True)
    without = BinaryModel(_cells(answers), HOWGOOD, 0.0)
    point = model.start() + 0.2 * np.random.default_rng(2).normal(size=model.size)
    intercept, slope, alpha, sd, _, more = model.natural(point[None])[0]
    assert more == pytest.approx(half_normal_value(point[-1], 5.0))

    def by_hand(d):
        mean = power_mean(answers["precision"], answers["recall"], p=0, alpha=alpha)
        perfect = (answers["precision"] == 1) & (answers["recall"] == 1)
        center = intercept + slope * mean + d * perfect
        sign = np.where(answers["accepted"], 1.0, -1.0)
        grid = np.linspace(-8, 8, 2001)
        weight = np.exp(-(grid**2) / 2)
        total = 0.0
        for person in np.unique(answers["participant"]):
            here = answers["participant"] == person
            chance = expit(sign[here, None] * (center[here, None] + sd * grid)).prod(axis=0)
            total += np.log(chance @ weight / weight.sum())
        return total

    gained = model.value_and_gradient(point)[0] - without.value_and_gradient(point[:-1])[0]
    prior = -0.5 * point[-1] ** 2 - 0.5 * np.log(2 * np.pi)
    assert gained - prior == pytest.approx(by_hand(more) - by_hand(0.0), abs=1e-4)


def test_the_other_engine_states_the_same_density(answers):
    """PyMC's log density of the term, people's leniency and all, changes as ours says."""
    pytest.importorskip("pymc")
    model = BinaryModel(_cells(answers), HOWGOOD, 0.0, flawless=True)
    built = pymc_model(model)
    assert "flawless" in built.named_vars


# -- the fit -------------------------------------------------------------------------------------


def test_the_term_is_found_again(fit):
    assert fit.has_flawless_term
    assert 1.0 < fit.flawless.interval.lower < 4.0 < fit.flawless.interval.upper
    assert "flawless" in fit.summary()["parameter"]
    assert "without any error" in fit.methods_text()


def test_it_is_there_only_where_answers_can_tell_it_and_not_in_the_published_model(answers):
    shown = ask.scenarios(precision=(1 / 2, 5 / 6), recall=(1 / 2, 5 / 6, 1))
    other = ask.simulate_answers(TRUTH, people=20, scenarios=shown, random_state=1)
    settings = {"means": (0,), "draws": 400, "random_state": 1}
    assert learn.fit_acceptability(other, **settings).flawless is None
    assert learn.fit_acceptability(answers, priors="kay2015", **settings).flawless is None
    assert learn.fit_acceptability(answers, flawless=False, **settings).flawless is None
    asked = learn.fit_acceptability(answers, priors="kay2015", flawless=True, **settings)
    assert asked.flawless.mean > 0
    with pytest.raises(InputError, match="no scenario without any error"):
        learn.fit_acceptability(other, flawless=True, **settings)
    with pytest.raises(UnknownNameError):
        learn.fit_acceptability(answers, flawless="sometimes", **settings)


def test_evidence_and_the_corner_speak_for_the_truth(fit):
    table = fit.flawless_comparison()
    without, with_term = 0, 1
    assert table["probability"].sum() == pytest.approx(1.0)
    assert table["log_evidence"][with_term] > table["log_evidence"][without]
    perfect = (fit.cells.is_flawless > 0).nonzero()[0]
    total = fit.cells.groups.alike @ fit.cells.groups.counts
    share = total[perfect].sum() / (total[perfect] + total[perfect + fit.cells.n_cells]).sum()
    assert table["observed"] == pytest.approx([share, share])
    assert abs(table["p_value"][with_term] - 0.5) < 0.48


def test_the_density_at_nothing_gives_the_probability_of_the_term():
    """Draws of the prior say nothing: one half. None near 0: certain, as far as draws can tell."""
    prior = HOWGOOD.flawless
    of_prior = halfnorm(scale=prior.scale).ppf((np.arange(4000) + 0.5) / 4000)
    assert flawless_probability(of_prior, prior) == pytest.approx(0.5, abs=0.002)
    assert flawless_probability(of_prior / 3, prior) < 0.3
    assert flawless_probability(of_prior + prior.scale, prior) == 1.0


def test_perfection_is_called_special_only_where_answers_say_so(fit):
    said = [finding.text for finding in fit_findings(fit)]
    assert any(text.startswith("More people accept perfect accuracy") for text in said)
    few = ask.simulate_answers(
        {"alarm": {**TRUTH["alarm"], "flawless": 0.0}}, people=3, random_state=1
    )
    with pytest.warns(FewRespondentsWarning):
        unsure = learn.fit_acceptability(few, means=(0,), draws=400, random_state=1)
    said = [finding.text for finding in fit_findings(unsure)]
    assert not any(text.startswith("More people accept perfect accuracy") for text in said)
    assert any("do not show that perfect accuracy" in text for text in said)


def test_without_flawless_scenarios_there_is_nothing_to_compare():
    shown = ask.scenarios(precision=(1 / 2, 5 / 6), recall=(1 / 2, 5 / 6, 1))
    other = ask.simulate_answers(TRUTH, people=20, scenarios=shown, random_state=1)
    bare = learn.fit_acceptability(other, means=(0,), draws=400, random_state=1)
    assert len(bare.flawless_comparison()) == 0


def test_the_fit_keeps_its_term_in_a_file_and_on_a_card(fit, tmp_path):
    fit.save(tmp_path / "fit.npz")
    again = learn.load_fit(tmp_path / "fit.npz")
    np.testing.assert_array_equal(again.averaged_draws, fit.averaged_draws)
    card = card_of_fit(fit, "alarm", name="alarm", description="an alarm")
    at = {"precision": 1.0, "recall": 1.0}
    share = card.acceptance_draws("alarm").shares(**at).mean()
    assert share == pytest.approx(fit.predict(**at, application="alarm").mean, abs=0.01)


def test_a_file_of_an_earlier_version_has_no_term(fit, tmp_path):
    from howgood.learn import fit_file
    from howgood.learn.acceptability_fit import KIND

    fit.save(tmp_path / "new.npz")
    values, arrays = fit_file.read_fit(tmp_path / "new.npz", kind=KIND)
    old = {
        name: rows[:, :-1] if name.startswith(("averaged", "given")) else rows
        for name, rows in arrays.items()
    }
    values["priors"].pop("flawless")
    fit_file.write_fit(tmp_path / "old.npz", kind=KIND, values=values, arrays=old)
    assert learn.load_fit(tmp_path / "old.npz").flawless is None


# -- decisions -----------------------------------------------------------------------------------


def test_shares_by_hand_with_everybody_alike():
    draws = AcceptanceDraws(
        application="x", p=0, alpha=0.5, intercept=-10, slope=11, person_sd=0, flawless=3.0
    )
    assert draws.shares(1.0, 1.0)[0] == pytest.approx(expit(-10 + 11 + 3))
    assert draws.shares(1.0, 0.99)[0] == pytest.approx(expit(-10 + 11 * 0.99**0.5))
    # expit(4) = .982 and expit(1) = .731: 90 % needs the term, 70 % does not, 99 % is not reached.
    assert draws.mean_for_share(0.9)[0] == 1.0
    assert draws.mean_for_share(0.7)[0] == pytest.approx((np.log(0.7 / 0.3) + 10) / 11)
    assert draws.mean_for_share(0.99)[0] > 1.0


def test_target_says_that_only_perfection_is_enough():
    draws = AcceptanceDraws(
        application="x", p=[0, 0], alpha=0.5 * np.ones(2), intercept=[-10, -10], slope=[11, 14],
        person_sd=[0, 0], flawless=[3.0, 3.0],
    )  # fmt: skip
    target = decide.target(draws, "x", share=0.9)
    assert target.reachable == 1.0
    assert target.only_flawless == 0.5
    assert any("no error at all" in finding.text for finding in target_findings(target))


def test_the_report_compares_both_models(fit):
    report = fit_report(fit)
    section = next(s for s in report.sections if s.title == "Is no error at all special?")
    assert len(section.table) == 2
    said = [finding.text for finding in report.findings]
    assert any("accept perfect accuracy than the curve" in text for text in said)


# -- the public answers --------------------------------------------------------------------------


def test_on_the_public_answers_the_paper_s_model_misses_the_corner(kay_file):
    columns = {"precision": "ppv", "recall": "tpr", "rating": "acceptable"}
    with pytest.warns(DroppedRowsWarning):
        fit = learn.fit_acceptability(kay_file, columns=columns, draws=2000, random_state=1)
    table = fit.flawless_comparison()
    # 101 of 102 answers accept; a likelihood-ratio of 37 (AIC 1137 to 1102) is beyond 10 nats.
    assert table["observed"][0] == pytest.approx(101 / 102)
    assert table["log_evidence"][1] - table["log_evidence"][0] > 10
    assert table["p_value"][0] < 0.01
    assert 0.05 < table["p_value"][1] < 0.95
    for name in fit.applications:
        assert decide.target(fit, name, share=0.8).reachable > 0.99


def test_priors_of_an_earlier_version_can_be_read():
    values = HOWGOOD.to_dict()
    values.pop("flawless")
    assert Priors.from_dict(values) == HOWGOOD
