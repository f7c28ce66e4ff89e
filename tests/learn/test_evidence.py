"""No verdict without evidence: what is enough, what few people can say, and how it travels."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit

from howgood import ask, decide, learn
from howgood.errors import InputError, NoEvidenceWarning
from howgood.flow import registry
from howgood.learn.binary_model import cells_from
from howgood.learn.cards import prior_of_card
from howgood.learn.evidence import (
    evidence_by_application,
    falling_applications,
    lowest_shown,
)
from howgood.records.card import CardEstimate, ModelCard
from howgood.records.priors import HOWGOOD, KAY2015, Priors
from howgood.show.acceptability import fit_findings, fit_headlines

# True positives, misses, false alarms and correct rejections: precision 15/21, recall 15/20.
LABELS = np.repeat([1, 1, 0, 0], [15, 5, 6, 74]), np.repeat([1, 0, 1, 0], [15, 5, 6, 74])
TRUTH = {"alarm": {"alpha": 0.3, "intercept": -13.0, "slope": 16.0, "p": 0}}


def _all_accept(people, *, per_person=8):
    rng = np.random.default_rng(people)
    rows = [
        (f"p{person}", "alarm", each.precision, each.recall, True)
        for person in range(people)
        for each in (ask.scenarios()[place] for place in rng.permutation(16)[:per_person])
    ]
    names = ("participant", "application", "precision", "recall", "accepted")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("people", [3, 5, 10, 20, 50])
def test_all_of_n_people_say_about_as_much_as_under_a_uniform_prior_of_the_share(people):
    """P(share >= 0.8) given n of n under a uniform prior is 1 - 0.8^(n + 1)."""
    fit = learn.fit_acceptability(_all_accept(people), random_state=1)
    uniform = 1 - 0.8 ** (people + 1)
    for precision, recall in ((15 / 21, 15 / 20), (0.75, 0.75), (0.85, 0.85)):
        share = fit.predict(precision=precision, recall=recall, application="alarm")
        assert np.mean(share.draws >= 0.8) == pytest.approx(uniform, abs=0.1)
        assert share.interval.lower < 0.999


def test_three_people_who_accept_everything_do_not_pass(tmp_path):
    with pytest.warns(NoEvidenceWarning), pytest.warns(UserWarning, match="few"):
        fit = learn.fit_acceptability(_all_accept(3), random_state=1)
    assert fit.evidence == "none"
    gate = decide.gate(fit, "alarm", *LABELS, random_state=1)
    assert (gate.verdict, gate.evidence) == ("investigate", "none")
    assert "no evidence" in str(fit.predict(precision=0.8, recall=0.8, application="alarm"))
    fit.save(tmp_path / "fit.npz")
    again = learn.load_fit(tmp_path / "fit.npz")
    assert again.evidence == "none"
    assert decide.gate(again, "alarm", *LABELS, random_state=1).verdict == "investigate"
    card = registry.card_of_fit(again, "alarm", name="three", description="three people")
    path = registry.write_card(card, folder=tmp_path)
    read = registry.find_card(str(path))
    assert read.evidence == "none"
    assert decide.gate(read, "alarm", *LABELS, random_state=1).verdict == "investigate"


@pytest.fixture(scope="module")
def few():
    answers = ask.simulate_answers(TRUTH, people=6, per_person=8, random_state=3)
    with pytest.warns(UserWarning, match="few respondents"):
        return learn.fit_acceptability(answers, means=(0,), draws=1000, random_state=3)


def test_few_people_decide_nothing_and_every_number_says_so(few):
    assert few.evidence == few.evidence_for("alarm") == "few people"
    perfect = [1] * 90 + [0] * 90
    gate = decide.gate(few, "alarm", perfect, perfect, share=0.05, random_state=1)
    assert (gate.verdict, gate.evidence) == ("investigate", "few people")
    assert gate.p_enough > 0.95  # by the numbers alone it would pass
    assert decide.target(few, "alarm").evidence == "few people"
    trade = decide.trade_off(few, "alarm", share=0.05)
    assert (trade.least_accuracy, trade.evidence) == (None, "few people")
    curve = {"size": [10], "precision": [1.0], "recall": [1.0]}
    lived = decide.go_live(few, "alarm", curve, share=0.05)
    assert (lived.size, lived.evidence) == (None, "few people")
    choice = decide.best_application(few, perfect, perfect, random_state=1)
    assert (choice.best, choice.evidence) == (None, "few people")
    scores = np.linspace(0, 1, 180)
    chosen = decide.threshold(few, perfect[::-1], scores, random_state=1)
    assert chosen.evidence == "few people"
    share = decide.acceptance(few, perfect, perfect, random_state=1)
    assert share.evidence == "few people"
    assert share.to_dict()["evidence"] == "few people"
    assert str(share).endswith("few people (6)")
    assert str(few).endswith("priors: howgood; evidence: few people")


def test_the_weakest_application_speaks_for_a_fit():
    two = {**TRUTH, "tracker": TRUTH["alarm"]}
    answers = ask.simulate_answers(two, people=12, per_person=8, random_state=1)
    keep = (answers["application"] == "alarm") | np.isin(answers["participant"], ["p1", "p2"])
    answers = {name: values[keep] for name, values in answers.items()}
    with pytest.warns(UserWarning, match="few respondents"):
        fit = learn.fit_acceptability(answers, means=(0,), draws=500, random_state=1)
    assert fit.evidence_by_application == {"alarm": "enough", "tracker": "few people"}
    assert fit.evidence == "few people"
    assert fit.difference("alpha", "alarm", "tracker").evidence == "few people"


def _cells(rows):
    names = ("participant", "application", "precision", "recall", "accepted")
    columns = dict(zip(names, map(np.array, zip(*rows, strict=True)), strict=True))
    return cells_from(columns, columns["accepted"].astype(bool))


def _people(n, accepts):
    levels = [(0.5, 0.7), (0.7, 0.5), (0.9, 0.8), (1.0, 0.9)]
    return [
        (f"p{k}", "x", precision, recall, accepts(precision + recall > 1.5, k))
        for k in range(n)
        for precision, recall in levels
    ]


def test_acceptance_that_falls_as_accuracy_rises_is_no_evidence():
    rising = _cells(_people(12, lambda good, k: good))
    assert falling_applications(rising) == {}
    assert evidence_by_application(rising, {"x": 12}) == {"x": "enough"}
    assert evidence_by_application(rising, {"x": 9}) == {"x": "few people"}
    falling = _cells(_people(12, lambda good, k: not good))
    assert "check that precision" in falling_applications(falling)["x"]
    assert evidence_by_application(falling, {"x": 12}) == {"x": "none"}
    same = _cells([(f"p{k}", "x", p, 0.7, True) for k in range(20) for p in (0.1, 0.3, 0.6, 0.7)])
    assert falling_applications(same) == {}
    # One person of twelve who answers the other way round contradicts nothing.
    mixed = _cells(_people(12, lambda good, k: good if k else not good))
    assert falling_applications(mixed) == {}


def test_the_lowest_accuracy_shown_ends_what_can_be_given_up(make_people):
    assert lowest_shown(_cells(_people(2, lambda good, k: good)), "x") == pytest.approx(0.6)
    easy = make_people({"a": {"alpha": 0.5, "intercept": 5.0, "slope": 1.0}}, n_draws=50)
    draws = easy.acceptance_draws("a")
    assert decide.trade_off(draws, "a", share=0.8).least_accuracy == 0.0
    shown = replace(draws, lowest_shown=0.5)
    assert decide.trade_off(shown, "a", share=0.8).least_accuracy == pytest.approx(0.5)


@pytest.fixture
def make_people():
    from tests.decide.conftest import KnownPeople

    return KnownPeople


@pytest.mark.parametrize(
    ("people", "lower", "evidence"),
    [(None, 5.0, "few people"), (9, 5.0, "few people"), (20, -2.0, "none"), (20, 5.0, "enough")],
)
def test_cards_of_earlier_versions_are_judged_by_people_and_slope(people, lower, evidence):
    slope = CardEstimate(mean=10.0, lower=lower, upper=15.0)
    card = ModelCard(
        name="x", application="a", description="", source="fit", citation="", licence="",
        model="binary", n_respondents=people, slope=slope,
    )  # fmt: skip
    assert card.evidence == evidence


def test_shipped_cards_that_predict_rest_on_enough_evidence():
    able = [card for card in registry.cards().values() if card.draws]
    assert able
    assert {card.evidence for card in able} == {"enough"}


# -- the default priors ----------------------------------------------------------------------------


def test_the_default_priors_leave_the_share_open():
    """Drawn by hand: neither 0 nor 1 is near-certain at any accuracy from 0.65 to 0.85."""
    rng = np.random.default_rng(1)
    level, slope = rng.normal(0, 1.6, 4000), np.abs(rng.normal(0, 15, 4000))
    sd = np.abs(rng.normal(0, 2.5, 4000))
    people = rng.normal(size=400)
    for mean in (0.65, 0.75, 0.85):
        place = level + slope * (mean - 0.75)
        share = expit(place[:, None] + sd[:, None] * people).mean(axis=1)
        assert np.mean(share < 0.05) < 0.15
        assert np.mean(share > 0.95) < 0.15
        assert 0.3 < share.mean() < 0.7
    curve = HOWGOOD.curve
    assert (curve.level_mean, curve.level_sd, curve.slope_scale) == (0.0, 1.6, 15.0)
    assert KAY2015.curve is None


def test_priors_are_said_and_kept(few):
    assert "at a mean of 0.75, rising by HalfNormal(15)" in few.methods_text()
    assert Priors.from_dict(HOWGOOD.to_dict()) == HOWGOOD
    assert Priors.from_dict(KAY2015.to_dict()) == KAY2015
    old = HOWGOOD.to_dict()
    del old["curve"]  # priors of a fit saved by an earlier version
    assert Priors.from_dict(old).curve is None


def test_what_is_known_about_an_absent_application_is_refused():
    card = registry.find_card("kay2015-answers-alarm-text")
    prior = prior_of_card(card, application="elsewhere")
    answers = ask.simulate_answers(TRUTH, people=12, random_state=1)
    with pytest.raises(InputError, match=r"'elsewhere', which is not in the answers.*'alarm'"):
        learn.fit_acceptability(answers, priors=prior)
    with pytest.raises(InputError, match="does not use model cards"):
        learn.fit_ordinal(ask.simulate_ordinal_answers(people=45, random_state=1), priors=prior)


@pytest.mark.filterwarnings("ignore")
def test_few_people_get_no_verdict_on_which_errors_weigh_more():
    """Three of each: all of them weigh as clearly as can be."""
    truth = {
        "alarm": {"alpha": 0.02, "intercept": -25.0, "slope": 32.0},
        "police": {"alpha": 0.98, "intercept": -25.0, "slope": 32.0},
    }
    few = learn.fit_acceptability(ask.simulate_answers(truth, people=3, random_state=1), draws=1000)
    assert few.probability_alpha_above(application="alarm") < 0.025
    said = " ".join(finding.text for finding in fit_findings(few))
    assert "weighs more" not in said
    assert "Precision weighs" not in said
    assert "Not enough answers to say whether applications differ in alpha." in said
    words = " ".join(sentence for headline in fit_headlines(few) for sentence in headline.more)
    assert "Not enough answers to say whether misses or false alarms weigh more." in words
