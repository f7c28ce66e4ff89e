"""What the result pages say of everybody: the group's mean weight and the noise of ratings.

Few people stand for many: intervals must be as wide as their number asks for, whoever they are.
"""

from collections import Counter

import numpy as np
import pytest
from tests.statistical.judging import COVERAGES, covers
from tests.statistical.tally import Tally
from tests.statistical.test_relevance import _graded as graded_mismatches

from howgood import learn
from howgood.learn.elicitation.group import group_agreement, group_mean
from howgood.learn.feedback import barrier_of
from howgood.records.elicitation import Agreement
from howgood.records.estimate import Estimate
from howgood.records.provenance import Provenance
from howgood.records.rater_consistency import RaterConsistency
from howgood.records.table import Table

pytestmark = pytest.mark.slow


def _person(weight, doubt, rng):
    """Return what is known of one person: a weight seen with error, no prior."""
    return Estimate.from_draws(rng.normal(weight + rng.normal(0, doubt), doubt, 200))


@pytest.mark.parametrize("doubt", [0.02, 0.1])
@pytest.mark.parametrize("people", [3, 6, 15])
def test_the_group_mean_holds_the_mean_of_everybody(people, doubt, ledger):
    seed = 20210
    rng = np.random.default_rng([seed, people, round(100 * doubt)])
    tally = Tally(rng, kind="quantile")
    for _ in range(1500):
        weights = rng.beta(4, 12, people)
        known = [_person(weight, doubt, rng) for weight in weights]
        found = group_mean(known, draws=1000, random_state=rng)
        tally.take("group's mean weight", found.draws, 0.25)
    setting = (
        f"{people} people from a beta law, each known within {doubt:g}; three points allowed: "
    )
    tally.report_coverage(ledger, setting=setting + "the law is skew", seed=seed, allowed=0.03)
    ledger.settle()


def _agreed(agreeing, asked):
    """Return what is known of one person's held-out choices: counts are all that matters here."""
    return Agreement(
        share=Estimate.from_draws([agreeing / asked]), n_agreeing=int(agreeing), n_questions=asked,
        n_without_preference=0, baselines={},
    )  # fmt: skip


@pytest.mark.parametrize("asked", [5, 15])
@pytest.mark.parametrize("people", [6, 15, 40])
def test_the_groups_agreement_holds_the_mean_of_everybody(people, asked, ledger):
    seed = 20212
    rng = np.random.default_rng([seed, people, asked])
    tally = Tally(rng, kind="quantile")
    for _ in range(1500):
        agreeing = rng.binomial(asked, rng.beta(9, 1, people))
        found = group_agreement(
            [_agreed(each, asked) for each in agreeing], draws=1000, random_state=rng
        )
        tally.take("group's agreement on held-out choices", found.draws, 0.9)
    setting = (
        f"{people} people, shares from a beta law around .9, {asked} questions each; four points "
        "allowed: the law is skew; intervals may hold more: shares go in steps"
    )
    tally.report_coverage(ledger, setting=setting, seed=seed, allowed=0.04, at_least=True)
    ledger.settle()


def _wavering(people, shares, rng, *, items=12):
    """Return how often people, some steadier than others, give an item one, two or more ratings."""
    own = rng.dirichlet(4 * np.array(shares), people)
    counts = np.array([rng.multinomial(items, each) for each in own])
    return RaterConsistency(
        pairs=tuple(counts.sum(axis=0)), users=(people, 0, 0), provenance=Provenance(method=""),
        pairs_by_user=Counter(tuple(each) for each in counts.tolist()),
    )  # fmt: skip


@pytest.mark.parametrize("people", [5, 12, 40])
def test_shares_of_pairs_are_held_when_people_differ(people, ledger):
    seed, shares = 20213, (0.5, 0.35, 0.15)
    rng = np.random.default_rng([seed, people])
    hits = {kind: {level: [] for level in COVERAGES} for kind in ("alike", "three ways or more")}
    for _ in range(1000):
        found = _wavering(people, shares, rng)
        for level in COVERAGES:
            table = found.table(probability=level)
            for (_, held), at in zip(hits.items(), (0, 2), strict=True):
                row = 3 + at  # users come first, then pairs
                held[level].append(table["lower"][row] <= shares[at] <= table["upper"][row])
    for kind, held in hits.items():
        ledger.add("coverage", f"share of pairs rated {kind}, people differ",
                   covers(held, allowed=0.04),
                   setting=f"{people} people, 12 items, shares from a Dirichlet law (intraclass "
                   "correlation .2); four points allowed: the law is skew", seed=seed)  # fmt: skip
    ledger.settle()


def _rated_again(people, rng, *, items=12, rounds=3):
    """Return what `learn.rating_uncertainty` tells of people who are noisy to different degrees."""
    sd = np.repeat(np.sqrt(rng.gamma(3.0, 0.2, people)), items)
    ratings = sd[:, None] * rng.standard_normal((people * items, rounds))
    users = np.repeat([f"u{each}" for each in range(people)], items)
    return Table({"user": users, "sd": ratings.std(axis=1), "trials": np.full(len(users), rounds)})


@pytest.mark.parametrize("people", [3, 6, 15])
def test_the_barrier_holds_the_noise_of_everybody(people, ledger):
    seed = 20211
    rng = np.random.default_rng([seed, people])
    tally = Tally(rng, kind="quantile")
    for _ in range(1500):
        found = barrier_of(_rated_again(people, rng), most=100.0, seed=int(rng.integers(2**31)))
        tally.take("magic barrier of people asked again", found.draws, np.sqrt(0.6))
    setting = f"{people} people, 12 items, 3 rounds, variances from a gamma law; four points "
    tally.report_coverage(
        ledger, setting=setting + "allowed: the law is skew", seed=seed, allowed=0.04
    )
    ledger.settle()


@pytest.fixture(scope="module")
def outcomes():
    """Five outcomes in twelve contexts, sixty rows each."""
    rng = np.random.default_rng(20214)
    chances = rng.dirichlet(np.full(5, 0.8), size=12)
    context = np.repeat(np.arange(12), 60)
    outcome = (chances[context].cumsum(axis=1) < rng.random((720, 1))).sum(axis=1)
    rows = {"c": context, "y": np.minimum(outcome, 4)}
    return learn.outcome_probabilities(rows, outcome="y", context=["c"])


@pytest.mark.parametrize("share", [0.6, 0.95])
@pytest.mark.parametrize("people", [2, 4, 10])
@pytest.mark.filterwarnings("ignore::howgood.errors.FewRespondentsWarning")
def test_weights_of_few_people_hold_the_share_people_used(people, share, outcomes, ledger):
    seed = 20214
    rng = np.random.default_rng([seed, people, round(100 * share)])
    tally = Tally(rng, kind="quantile")
    for _ in range(1000):
        fit = learn.fit_relevance_weights(
            graded_mismatches(outcomes, rng, share=share, people=people, each=8), table=outcomes,
            predicted="shown", grade="grade", respondent="who", draws=1000, random_state=rng,
        )  # fmt: skip
        tally.take("weights of the Relevance Score, few people", fit.alpha_share.draws, share)
        tally.take("error at zero distance, few people", fit.base_error.draws, 0.15)
    setting = (
        f"{people} people grade 8 mismatches each, alpha's share {share:g}; four points allowed: "
        "so few people; intervals may hold more: two slopes leave two of four people"
    )
    tally.report_coverage(ledger, setting=setting, seed=seed, allowed=0.04, at_least=True)
    ledger.settle()
