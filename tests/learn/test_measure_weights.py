"""Three measures: density by brute force, recovery, decisions, files, refusals."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.special import expit, logit
from scipy.stats import beta, kstest, norm

from howgood import ask, decide, learn
from howgood.errors import InputError, UnknownNameError
from howgood.flow import registry
from howgood.learn.acceptability import load_fit
from howgood.learn.binary_model import BinaryModel, accepted_from, cells_from
from howgood.learn.cards import prior_of_card
from howgood.learn.measure_weights import THREE, ThreeMeasures
from howgood.records.acceptance import AcceptanceDraws, specificity_of
from howgood.records.card import ModelCard
from howgood.records.priors import HOWGOOD, KAY2015
from howgood.records.record import read_record
from howgood.show.acceptability import fit_report, fit_values
from howgood.show.decisions import go_live_findings

PREVALENCE = 0.25
SCENARIOS = ask.scenarios()


def people(weights, *, n=60, seed=1, others=(1.2, 3.0, 15.0)):
    """Return answers of people who weigh precision, recall and specificity so.

    Scenarios differ in how many other cases there are, so that specificity varies on its own.
    """
    rng = np.random.default_rng(seed)
    seen = np.array([rng.permutation(len(SCENARIOS))[:12] for _ in range(n)])
    precision = np.array([scenario.precision for scenario in SCENARIOS])[seen]
    recall = np.array([scenario.recall for scenario in SCENARIOS])[seen]
    cases = rng.choice(others, seen.shape)
    specificity = 1.0 - np.minimum(recall * (1.0 / precision - 1.0) / cases, 1.0)
    rates = np.stack([precision, recall, specificity])
    mean = np.tensordot(np.array(weights), rates, axes=1)
    chance = expit(1.0 + 16.0 * (mean - 0.8) + 1.5 * rng.standard_normal((n, 1)))
    return {
        "participant": np.repeat([f"p{number}" for number in range(n)], 12),
        "application": np.full(seen.size, "alarm", dtype=object),
        **{name: values.ravel() for name, values in zip(THREE, rates, strict=True)},
        "accepted": (rng.random(seen.shape) < chance).ravel().astype(int),
    }


@pytest.fixture(scope="module")
def answers():
    return people((0.1, 0.3, 0.6))


@pytest.fixture(scope="module")
def fit(answers):
    return learn.fit_acceptability(answers, measures=THREE, draws=1000, random_state=1)


def _model(answers, order, priors=HOWGOOD):
    read = ask.read_answers(answers)
    cells = cells_from(read, accepted_from(read, 1))
    specificity = specificity_of(cells.precision, cells.recall, 1 / PREVALENCE - 1)
    return ThreeMeasures(cells, specificity, priors, order, flawless=True)


@pytest.mark.parametrize("order", [-1.0, 0.0, 1.0, None])
@pytest.mark.parametrize("priors", [HOWGOOD, KAY2015], ids=["howgood", "kay2015"])
def test_gradient_is_that_of_the_density(answers, order, priors):
    model = _model(answers, order, priors)
    point = model.start() + 0.1 * np.random.default_rng(0).standard_normal(model.size)
    value, gradient = model.value_and_gradient(point)
    numeric = approx_fprime(point, lambda x: model.value_and_gradient(x)[0], 1e-6)
    np.testing.assert_allclose(gradient, numeric, rtol=1e-3, atol=2e-3)
    np.testing.assert_allclose(model.log_density(point[None, :]), value, rtol=1e-5)


def test_without_weight_on_specificity_it_is_the_binary_model(answers):
    model = _model(answers, 0.0)
    plain = BinaryModel(model.cells, HOWGOOD, 0.0, flawless=True)
    point = plain.start()
    weight = -8.0  # as good as zero
    prior = norm.logpdf(weight)
    there = model.value_and_gradient(np.append(point, weight))[0]
    assert there == pytest.approx(plain.value_and_gradient(point)[0] + prior, abs=1e-6)


def test_weights_are_uniform_on_the_simplex_beforehand(answers):
    model = _model(answers, 0.0)
    points = np.zeros((4000, model.size))
    rng = np.random.default_rng(5)
    points[:, -1] = rng.standard_normal(4000)
    points[:, 2] = logit(rng.beta(2, 1, 4000))  # the prior of precision and specificity together
    natural = model.natural(points)
    third = natural[:, -1]
    assert kstest(third, beta(1, 2).cdf).pvalue > 0.001
    assert kstest(natural[:, 2] * (1 - third), beta(1, 2).cdf).pvalue > 0.001


@pytest.mark.parametrize("order", [-1.0, 0.0, 1.0])
def test_the_mean_of_three_by_its_definition(order):
    weights = np.array([0.2, 0.5, 0.3])
    draws = AcceptanceDraws(
        application="x", p=order, alpha=0.2 / 0.7, intercept=0, slope=1, person_sd=0,
        specificity=0.3, others=4.0,
    )  # fmt: skip
    rates = np.array([0.5, 0.8, 0.8])  # of 10 real and 40 other cases: 8 found, 8 false alarms
    logs = np.log(weights @ rates**order) / order if order else weights @ np.log(rates)
    assert draws.means(0.5, 0.8)[0] == pytest.approx(np.exp(logs))


def test_weights_are_recovered_and_add_up_to_one(fit):
    weights = fit.measured.weights("alarm")
    for name, truth in zip(THREE, (0.1, 0.3, 0.6), strict=True):
        assert weights[name].interval.lower <= truth <= weights[name].interval.upper
    total = sum(fit.measured.weight_draws("alarm").values())
    np.testing.assert_allclose(total, 1.0)
    assert fit.measured.probability_counting > 0.9
    assert fit.measured.diagnostics.passed


def test_people_who_follow_precision_and_recall_speak_against_specificity():
    """One study hardly tells; several together do."""
    gaps = []
    for seed in range(4, 10):
        answers = people((0.4, 0.6, 0.0), seed=seed)
        weights = learn.fit_acceptability(
            answers, measures=THREE, means=(1,), draws=400, random_state=2
        ).measured
        gaps.append(weights.log_evidence - weights.log_evidence_of_two)
        assert weights.probability_counting < 0.95
    assert np.sum(gaps) < 0


def test_a_column_of_specificity_says_the_same_as_prevalence():
    answers = people((0.1, 0.3, 0.6), others=(1 / PREVALENCE - 1,))
    options = {"measures": THREE, "means": (0,), "draws": 1000, "random_state": 1}
    column = learn.fit_acceptability(answers, **options).measured
    given = learn.fit_acceptability(answers, prevalence=PREVALENCE, **options).measured
    for name, weight in given.weights("alarm").items():
        near = 5 * weight.sd * np.sqrt(2 / 1000)
        assert column.weights("alarm")[name].mean == pytest.approx(weight.mean, abs=near)
    assert column.log_evidence == pytest.approx(given.log_evidence, abs=0.1)
    assert given.at_prevalence().acceptance_draws("alarm").others == pytest.approx(3)
    with pytest.raises(InputError, match="no prevalence"):
        column.at_prevalence()
    assert column.at_prevalence(0.1).acceptance_draws("alarm").others == pytest.approx(9)


def test_decisions_take_people_who_weigh_three_measures(fit):
    three = fit.measured.at_prevalence(PREVALENCE)
    rng = np.random.default_rng(3)
    truth = (rng.random(800) < PREVALENCE).astype(int)
    scores = rng.standard_normal(800) + 1.5 * truth
    chosen = decide.threshold(three, truth, scores, application="alarm", random_state=1)
    by_two = decide.threshold(fit, truth, scores, application="alarm", random_state=1)
    # Rightly leaving cases alone counts most: alarms are rarer than by precision and recall.
    assert chosen.threshold.mean != by_two.threshold.mean
    share = decide.target(three, "alarm", share=0.5, precision=0.7, recall=0.8)
    draws = three.acceptance_draws("alarm")
    assert share.acceptance.mean == pytest.approx(draws.shares(0.7, 0.8).mean())
    assert decide.gate(three, "alarm", y_true=truth, y_pred=scores > 1, share=0.5).verdict in (
        "pass", "fail", "investigate",
    )  # fmt: skip


def test_no_accuracy_is_given_up_that_nobody_was_asked_about(fit, answers):
    lowest = ((answers["precision"] + answers["recall"]) / 2).min()
    three = decide.trade_off(
        fit.measured.at_prevalence(PREVALENCE), "alarm", share=0.001, certainty=0.5
    )
    assert three.lowest_shown == pytest.approx(lowest)
    assert three.least_accuracy >= lowest - 0.005


def test_the_best_threshold_of_every_draw_is_that_of_the_largest_mean(fit):
    from howgood.decide.sampling import Counts
    from howgood.decide.thresholds import PeopleObjective

    draws = fit.measured.at_prevalence(PREVALENCE).acceptance_draws("alarm").thinned(50)
    hits = np.array([[10.0, 8.0, 6.0, 3.0]])
    alarms = np.array([[20.0, 8.0, 3.0, 0.5]])
    tables = Counts(hits, 10 - hits, alarms, 30 - alarms)
    best = PeopleObjective(draws).best(tables)[:, 0]
    means = draws.means(tables.precision[0], tables.recall[0])
    np.testing.assert_array_equal(best, means.argmax(axis=1))


def test_a_test_set_says_its_own_specificity(fit):
    """Half of these cases are real, a tenth in use: 80 % of the others are left alone in both."""
    truth = np.repeat([1, 0], 1000)
    predicted = np.concatenate([np.repeat([1, 0], [800, 200]), np.repeat([1, 0], [200, 800])])
    draws = fit.measured.at_prevalence(0.1).acceptance_draws("alarm")
    seen = decide.acceptance(draws, truth, predicted, random_state=1)
    expected = draws.shares_at_mean(draws.paired_means(*np.full((3, len(draws)), 0.8)))
    assert seen.mean == pytest.approx(expected.mean(), abs=0.02)
    scores = np.random.default_rng(3).standard_normal(2000) + 1.7 * truth
    chosen = {
        prevalence: decide.threshold(
            fit.measured.at_prevalence(prevalence), truth, scores, random_state=1
        ).threshold.mean
        for prevalence in (0.5, 0.1)
    }
    assert chosen[0.5] == chosen[0.1]


def test_a_target_begins_where_the_share_is_the_wanted_one(fit):
    three = fit.measured.at_prevalence(PREVALENCE)
    aimed = decide.target(three, "alarm", share=0.5)
    assert aimed.precision == aimed.recall
    assert aimed.acceptance.mean == pytest.approx(0.5, abs=0.03)
    means = three.acceptance_draws("alarm").means(aimed.precision, aimed.recall)
    assert np.median(means) == pytest.approx(np.median(aimed.needed_mean.draws), abs=0.005)


def test_a_prevalence_at_which_scenarios_cannot_be_is_refused(answers):
    with pytest.raises(InputError, match=r"more false alarms than cases; expected at most 0\.5"):
        learn.fit_acceptability(answers, measures=THREE, prevalence=0.6, means=(0,), draws=200)


def test_a_saved_fit_comes_back_whole(fit, tmp_path):
    fit.save(tmp_path / "fit.npz")
    back = load_fit(tmp_path / "fit.npz")
    np.testing.assert_array_equal(back.measured.third, fit.measured.third)
    assert back.measured.probability_counting == fit.measured.probability_counting
    assert list(back.measured.table.rows()) == list(fit.measured.table.rows())


def test_the_report_says_what_specificity_weighs(fit):
    page = fit_report(fit)
    section = next(one for one in page.sections if "specificity" in one.title)
    assert section.svg
    assert any("specificity" in finding.text for finding in page.findings)
    assert fit_values(fit)["measures"]["probability_counting"] > 0.9


def test_what_cannot_be_weighed_is_refused(answers):
    with pytest.raises(UnknownNameError, match="accuracy"):
        learn.fit_acceptability(answers, measures=("precision", "accuracy"))
    with pytest.raises(InputError, match="precision and recall"):
        learn.fit_acceptability(answers, measures=("precision", "specificity"))
    with pytest.raises(InputError, match="specificity"):
        learn.fit_acceptability(
            {name: column for name, column in answers.items() if name != "specificity"},
            measures=THREE,
        )
    flat = {**answers, "specificity": np.full(len(answers["precision"]), 0.9)}
    with pytest.raises(InputError, match="same specificity"):
        learn.fit_acceptability(flat, measures=THREE, draws=200, means=(0,), random_state=1)


# -- learning curves and cards -------------------------------------------------------------------


def test_a_learning_curve_says_its_own_specificity(fit):
    """By hand: the mean of three per draw, the share at it, then the probability of enough."""
    people_of = fit.measured.at_prevalence(PREVALENCE)
    draws = people_of.acceptance_draws("alarm")
    curve = {"size": [10.0], "precision": [0.8], "recall": [0.9], "specificity": [0.99]}
    found = decide.go_live(people_of, "alarm", curve, share=0.5)
    third, rest = draws.specificity, 1.0 - draws.specificity
    weights = rest * draws.alpha, rest * (1.0 - draws.alpha), third
    rates, p = (0.8, 0.9, 0.99), draws.p
    geometric = np.exp(sum(w * np.log(r) for w, r in zip(weights, rates, strict=True)))
    safe = np.where(p == 0, 1.0, p)
    power = sum(w * r**safe for w, r in zip(weights, rates, strict=True)) ** (1.0 / safe)
    mean = np.where(p == 0, geometric, power)
    z, q = np.polynomial.hermite_e.hermegauss(99)
    x = draws.intercept + draws.slope * mean
    share = expit(x[:, None] + draws.person_sd[:, None] * z) @ q / q.sum()
    assert found.table["accepting"][0] == pytest.approx(share.mean(), abs=2e-3)
    assert found.provenance.settings["specificity"] == "of the learning curve"
    without = {name: values for name, values in curve.items() if name != "specificity"}
    assumed = decide.go_live(people_of, "alarm", without, share=0.5)
    assert assumed.provenance.settings["specificity"] == "from a prevalence of 0.25"
    assert "does not have it" in go_live_findings(assumed)[-1].text
    assert all("does not have it" not in one.text for one in go_live_findings(found))
    # At this prevalence specificity is .925: people who weigh it accept less.
    assert assumed.table["accepting"][0] < found.table["accepting"][0]


def test_true_negatives_of_a_learning_curve_count(fit):
    people_of = fit.measured.at_prevalence(PREVALENCE)
    counts = {"size": [1.0, 1.0], "true_positives": [90.0] * 2, "false_negatives": [10.0] * 2,
              "false_positives": [22.0] * 2, "true_negatives": [30.0, 9000.0]}  # fmt: skip
    few, many = decide.go_live(people_of, "alarm", counts, random_state=1).table["accepting"]
    assert many > few + 0.1
    two = decide.go_live(fit, "alarm", counts, random_state=1)
    assert two.table["accepting"][0] == pytest.approx(two.table["accepting"][1], abs=0.01)
    assert "specificity" not in two.provenance.settings


def test_a_card_carries_specificity_through_its_file(fit, tmp_path):
    card = registry.card_of_fit(
        fit, "alarm", name="three", description="An alarm.", prevalence=PREVALENCE
    )
    path = registry.write_card(card, folder=tmp_path)
    again = registry.read_card(path)
    assert again.prevalence == pytest.approx(PREVALENCE)
    assert again.specificity.mean == pytest.approx(
        fit.measured.weights("alarm")["specificity"].mean
    )
    whole = fit.measured.at_prevalence(PREVALENCE).acceptance_draws("alarm")
    thinned = again.acceptance_draws("alarm")
    assert thinned.shares(0.8, 0.9).mean() == pytest.approx(whole.shares(0.8, 0.9).mean(), abs=0.02)
    curve = {"size": [1.0, 2.0], "precision": [0.8] * 2, "recall": [0.9] * 2,
             "specificity": [0.5, 0.99]}  # fmt: skip
    low, high = decide.go_live(again, "alarm", curve).table["accepting"]
    assert high > low + 0.2
    with pytest.raises(InputError, match="without --prevalence"):
        prior_of_card(again, application="alarm")
    values = {**again.to_dict(), "prevalence": None}
    with pytest.raises(InputError, match="prevalence"):
        read_record(ModelCard, values, where="card")


def test_a_card_of_two_measures_takes_no_prevalence(answers, fit):
    card = registry.card_of_fit(fit, "alarm", name="two", description="An alarm.")
    assert card.prevalence is None
    assert card.acceptance_draws("alarm").others is None
    plain = replace(fit, measured=None)
    with pytest.raises(InputError, match="fit with --specificity"):
        registry.card_of_fit(plain, "alarm", name="x", description="x", prevalence=0.2)
