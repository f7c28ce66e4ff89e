"""Respondents drawn from what the elicitors assume: are the posteriors about them right?

The respondents are written anew here, from the metrics alone: nothing of the search is shared.
"""

import numpy as np
import pytest
from tests.statistical import respondents, weighing
from tests.statistical.judging import (
    COVERAGES,
    covers,
    expected_counts,
    rank_among,
    uniform_ranks,
)

from howgood import ask, learn, score
from howgood.learn.elicitation.families import WIDTHS
from howgood.learn.elicitation.family_registry import DEFAULT_FAMILIES, FAMILIES, make_families
from howgood.records.confusion import ConfusionMatrix
from howgood.records.elicitation import AnsweredQuery
from howgood.records.elicited_metric import CappedMetric, FBetaMetric

pytestmark = pytest.mark.slow


def _systems():
    rng = np.random.default_rng(0)
    scores = rng.beta(0.5, 0.9, 3000)
    matrices = learn.threshold_matrices(rng.random(3000) < scores, scores)
    return list(matrices[:: len(matrices) // 24])


SYSTEMS = _systems()
COUNTS = np.array([list(each.to_dict().values()) for each in SYSTEMS], dtype=float)


class Person:
    """A respondent with a metric, a sensitivity, a width of indifference and lapses."""

    def __init__(self, rng):
        self._rng = rng
        names = list(DEFAULT_FAMILIES)
        self.family = str(rng.choice(names, p=[FAMILIES[name].weight for name in names]))
        # Faint, middling, and sharp ones alike.
        levels = [1 / 3, 1 / 3, 1 / 9, 1 / 9, 1 / 9]
        self.sensitivity = float(rng.choice([0.25, 1.0, 4.0, 16.0, 64.0], p=levels))
        self.weber = False
        if self.family == "linear":
            # Uniform in a0 within the grid's span, a logit of 5.344 either way.
            edge = 1 / (1 + np.exp(-5.3 - 10.6 / 240))
            self.a0 = float(rng.uniform(1 - edge, edge))
            self.metric = score.LinearMetric(a0=self.a0)
            self.weber = bool(rng.random() < 0.5)
            if self.weber:
                levels = [1 / 2, 1 / 6, 1 / 6, 1 / 6]
                self.sensitivity = float(rng.choice([1.0, 4.0, 16.0, 64.0], p=levels))
        elif self.family == "f_beta":
            span, step = np.log(8.0) - np.log(0.2), (np.log(8.0) - np.log(0.2)) / 40
            place = np.log(0.2) - step / 2 + rng.random() * (span + step)
            self.metric = FBetaMetric(beta=float(np.exp(place)))
        elif self.family == "cap":
            self.metric = CappedMetric(cap=int(rng.integers(20)) / 100)
        else:  # on a node of its grid: between nodes there is nothing, or nothing that matters
            family = make_families([self.family], systems=COUNTS)[0]
            self.metric = family.metric(family.nodes[int(rng.integers(len(family.nodes)))])
        self.width, self.lapse = (
            float(rng.choice(WIDTHS)),
            float(rng.choice([0.02, 0.1, 0.25, 0.5])),
        )
        self.to_same = float(rng.choice([0.02, 1 / 3]))

    def __call__(self, first: ConfusionMatrix, second: ConfusionMatrix) -> str:
        if self._rng.random() < self.lapse:
            side = (1 - self.to_same) / 2
            return str(self._rng.choice(["first", "second", "same"], p=[side, side, self.to_same]))
        x = self._strength(first, second)
        # A logistic disturbance, and a band in which nothing is preferred.
        noise = self._rng.logistic()
        if x + noise > self.width:
            return "first"
        return "second" if x + noise < -self.width else "same"

    def _strength(self, first, second) -> float:
        if not self.weber:
            return 100 * self.sensitivity * (self.metric.of(first) - self.metric.of(second))
        found = first.true_positives - second.true_positives
        cleared = first.true_negatives - second.true_negatives
        gain = np.log(abs(found / cleared)) - np.log(self.a0 / (1 - self.a0))
        return self.sensitivity * float(np.sign(found) * gain)


def test_the_elicitor_is_calibrated(ledger):
    seed = 20170
    rng = np.random.default_rng(seed)
    ranks, hits = [], {level: [] for level in (0.5, 0.8, 0.9, 0.95)}
    p_linear, is_linear, is_said, p_first, is_first, p_agree, agrees = ([] for _ in range(7))
    pairs = learn.held_out_queries(SYSTEMS, n=100, random_state=seed)
    for _ in range(250):
        person = Person(rng)
        learner = learn.Elicitor(SYSTEMS, random_state=rng, catch_pairs=0, repeats=0, held_out=0)
        result = learn.ask_oracle(learner, person)
        if result.metric is None:
            continue  # nothing is said that could be wrong
        p_linear.append(result.families["linear"])
        is_linear.append(person.family == "linear")
        is_said.append(result.is_linear)
        pair = pairs[int(rng.integers(len(pairs)))]
        p_first.append(learner.predict(pair.first, pair.second))
        choice = person(pair.first, pair.second)
        is_first.append(choice == "first" or (choice == "same" and rng.random() < 0.5))
        # The agreement expected is that over all pairs that may be asked: one of them at random.
        at = int(rng.integers(len(learner._bank.sharp)))
        sides = [
            learner._bank.matrices[each[at]] for each in (learner._bank.sharp, learner._bank.calm)
        ]
        choice, likelier = person(*sides), learner.predict(*sides) > 0.5
        p_agree.append(result.expected_agreement)
        agrees.append(rng.random() < 0.5 if choice == "same" else (choice == "first") == likelier)
        if person.family == "linear":
            ranks.append(rank_among(result.a0.draws, person.a0, rng))
            for level, found in hits.items():
                ends = np.quantile(result.a0.draws, [0.5 - level / 2, 0.5 + level / 2])
                found.append(ends[0] <= person.a0 <= ends[1])
    setting = "respondents of all families, noisy, indifferent and lapsing as the prior says"
    setting += "; those with few preferences, or whom no metric seems to fit, get no metric"
    ledger.add("calibration", "elicited a0", uniform_ranks(ranks), setting=setting, seed=seed)
    ledger.add("coverage", "elicited a0", covers(hits), setting=setting, seed=seed)
    p_linear, is_linear = np.array(p_linear), np.array(is_linear)
    sure = np.array(is_said)
    for name, said, happened in (
        ("family is linear", p_linear, is_linear),
        ("family is linear, where said with 80 % or more", p_linear[sure], is_linear[sure]),
        ("predicted choice", p_first, is_first),
        ("expected agreement", p_agree, agrees),
    ):
        judgement = expected_counts(happened, said, what="true")
        ledger.add("probability", name, judgement, setting=setting, seed=seed)
    ledger.settle()


# How often an answer is turned round, and how sharply one case in a hundred is felt.
NOISES = {"none": (0.0, None), "flips": (0.1, None), "20 % flips": (0.2, None),
          "logistic": (0.0, 1.0), "logistic, s = .3": (0.0, 0.3)}  # fmt: skip


@pytest.mark.parametrize("noise", NOISES)
def test_intervals_hold_the_weight_of_respondents_nobody_assumed(noise, ledger):
    _intervals_hold(SYSTEMS, noise, "", 88032, ledger)


@pytest.mark.parametrize("noise", NOISES)
def test_intervals_hold_the_weight_of_such_respondents_where_a_tenth_is_positive(noise, ledger):
    seed = 88034
    systems = learn.threshold_matrices(*respondents.systems(0.1, seed), out_of="auto")
    _intervals_hold(systems, noise, ", 10 % positives", seed, ledger)


def _intervals_hold(systems, noise, share, seed, ledger):
    rng = np.random.default_rng([seed, *noise.encode()])
    flips, sensitivity = NOISES[noise]
    hits = []
    for _ in range(120):
        a0 = float(rng.uniform(0.03, 0.6))
        person = ask.simulate_respondent(
            score.LinearMetric(a0=a0), flips=flips, sensitivity=sensitivity, random_state=rng
        )
        learner = learn.Elicitor(systems, random_state=rng, catch_pairs=0, repeats=0, held_out=0)
        result = learn.ask_oracle(learner, person)
        if result.fits:
            hits.append(a0 in result.interval)
    ledger.add(
        "coverage",
        f"elicited a0, noise: {noise}{share}",
        covers({0.9: hits}, allowed=0.02, at_least=True),
        setting="linear respondents, a0 from .03 to .6; two points less, or any more, allowed: "
        "the noise is not the one assumed",
        seed=seed,
    )
    ledger.settle()


@pytest.mark.parametrize("share", [0.01, 0.004])
def test_intervals_hold_the_weight_where_positives_are_rare(share, ledger):
    """Out of 1,000 or 10,000 cases, so that people see the rare class."""
    seed = 20174
    rng = np.random.default_rng([seed, round(10_000 * share)])
    truth = np.arange(5000) < round(5000 * share)
    logit = np.log(share / (1 - share)) + 2 * (rng.normal(size=5000) + 2 * truth) - 2
    matrices = learn.threshold_matrices(truth, 1 / (1 + np.exp(-logit)), out_of="auto")
    hits = []
    for _ in range(100):
        a0 = float(rng.uniform(0.01, 0.3))
        person = ask.simulate_respondent(score.LinearMetric(a0=a0), flips=0.1, random_state=rng)
        learner = learn.Elicitor(matrices, random_state=rng, catch_pairs=0, repeats=0, held_out=0)
        result = learn.ask_oracle(learner, person)
        if result.fits:
            hits.append(a0 in result.interval)
    ledger.add(
        "coverage",
        f"elicited a0, {100 * share:g} % positives",
        covers({0.9: hits}, allowed=0.05, at_least=True),
        setting=f"linear respondents, a0 from .01 to .3, one answer in ten a slip, systems out of "
        f"{matrices.out_of:,}; five points less, or any more, allowed",
        seed=seed,
    )
    ledger.settle()


def test_weights_of_several_classes_are_calibrated(ledger):
    seed, k = 20172, 3
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, k, 400)
    probability = rng.dirichlet(np.ones(k), 400) * 0.5 + 0.5 * np.eye(k)[truth]
    outcomes = learn.weighted_outcomes(truth, probability, n=40, random_state=1)
    ranks, hits = [], {level: [] for level in (0.5, 0.8, 0.9, 0.95)}
    for _ in range(100):
        person = weighing.Person(k, rng)
        weights = person.weights
        learner = learn.MulticlassElicitor(outcomes, max_queries=12, held_out=0, random_state=rng)
        draws = learn.ask_oracle(learner, weighing.among(outcomes, person)).weights["class 0"].draws
        # Particles are copies of each other now and then; shuffled, any 99 of them will do.
        ranks.append(rank_among(rng.permutation(draws), weights[0], rng))
        for level, found in hits.items():
            ends = np.quantile(draws, [0.5 - level / 2, 0.5 + level / 2])
            found.append(ends[0] <= weights[0] <= ends[1])
    setting = "three classes, at most 12 questions, people from the prior"
    name = "weight of a class"
    ledger.add("calibration", name, uniform_ranks(ranks), setting=setting, seed=seed)
    ledger.add("coverage", name, covers(hits), setting=setting, seed=seed)
    ledger.settle()


def test_agreement_intervals_hold_the_share_as_often_as_they_say(ledger):
    """Jeffreys' interval of a share, over shares drawn from Jeffreys' prior: exact."""
    seed = 20173
    rng = np.random.default_rng(seed)
    queries = learn.held_out_queries(SYSTEMS, n=15, random_state=1)
    metric = score.LinearMetric(a0=0.2)
    hits = {level: [] for level in COVERAGES}
    for _ in range(1500):
        share = rng.beta(0.5, 0.5)
        answered = []
        for query in queries:
            right = metric.prefers(query.first, query.second)
            other = {"first": "second", "second": "first", "same": "same"}[right]
            choice = right if rng.random() < share else other
            answered.append(AnsweredQuery(query=query, choice=choice))
        draws = learn.agreement(metric, answered).share.draws
        for level, found in hits.items():
            ends = np.quantile(draws, [0.5 - level / 2, 0.5 + level / 2])
            found.append(ends[0] <= share <= ends[1])
    ledger.add(
        "coverage",
        "agreement with held-out choices",
        covers(hits),
        setting="15 held-out questions, share from Jeffreys' prior",
        seed=seed,
    )
    ledger.settle()
