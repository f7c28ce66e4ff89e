"""Elicitors beyond one weight: groups of people, and metrics that are ratios."""

import numpy as np
import pytest
from tests.statistical.judging import Judgement
from tests.statistical.tally import Tally
from tests.statistical.weighing import Person, among

from howgood import learn
from howgood.records.confusion import ConfusionMatrix
from howgood.records.elicited_metric import FractionalMetric

pytestmark = pytest.mark.slow


def _group_outcomes():
    rng = np.random.default_rng(3)
    scores, groups = rng.beta(0.8, 0.8, 1500), rng.choice(["a", "b"], 1500)
    truth = rng.random(1500) < scores ** np.where(groups == "a", 0.7, 1.6)
    return learn.group_outcomes(truth, scores, groups, n=60, random_state=1)


def test_weights_of_fairness_are_calibrated(ledger):
    """The respondent is written anew, from the description of the model."""
    seed = 20174
    rng = np.random.default_rng(seed)
    outcomes, tally = _group_outcomes(), Tally(rng, kind="quantile")
    for _ in range(100):
        person = Person(4, rng)
        weights = person.weights
        learner = learn.FairElicitor(outcomes, max_queries=12, held_out=0, random_state=rng)
        result = learn.ask_oracle(learner, among(outcomes, person))
        # Particles are copies of each other now and then; shuffled, any 99 of them will do.
        shuffled = rng.permutation(len(result.violation_weight.draws))
        for name, estimate, truth in (
            ("weight of recall", result.weights["recall"], weights[0]),
            ("weight of the gap in recall", result.weights["recall gap"], weights[2]),
            ("weight of all gaps", result.violation_weight, weights[2] + weights[3]),
        ):
            tally.take(name, estimate.draws[shuffled], truth)
    setting = "two groups, at most 12 questions, people from the prior"
    tally.report(ledger, setting=setting, seed=seed, prefix="fair: ")
    ledger.settle()


def _curve(a, b):
    """Return the matrix at each threshold of calibrated scores with a Beta(a, b) distribution."""
    from scipy.stats import beta

    share = a / (a + b)

    def at(threshold):
        missed = share * float(beta.cdf(threshold, a + 1, b))
        cleared = (1 - share) * float(beta.cdf(threshold, a, b + 1))
        return ConfusionMatrix(
            true_positives=share - missed,
            false_negatives=missed,
            false_positives=1 - share - cleared,
            true_negatives=cleared,
        )

    return at


def test_the_bisections_end_where_brute_force_does(ledger):
    """No model of error, so no probability: brackets must hold the best and worst every time."""
    seed, tolerance, n = 20175, 0.01, 40
    rng = np.random.default_rng(seed)
    grid = np.linspace(0, 1, 4001)[1:-1]
    far, agreeing = [], []
    for _ in range(n):
        curve = _curve(*rng.uniform(0.7, 2.5, 2))
        metric = _ratio(rng)
        result = learn.ask_oracle(
            learn.FractionalElicitor(curve, tolerance=tolerance), metric.prefers
        )
        flagged = [curve(each) for each in grid[::4]]
        values = np.array([metric.of(each) for each in flagged])
        far.append(abs(result.best_threshold - grid[::4][np.argmax(values)]))
        pairs = rng.integers(0, len(flagged), (200, 2))
        sure = np.abs(values[pairs[:, 0]] - values[pairs[:, 1]]) > 0.02
        same = [
            result.metric.prefers(flagged[i], flagged[j]) == metric.prefers(flagged[i], flagged[j])
            for i, j in pairs[sure]
        ]
        agreeing.append(np.mean(same) if same else 1.0)
    step = 4 / 4000
    held = float(np.max(far)) <= tolerance + step
    ledger.add(
        "brute force",
        "best threshold of a ratio of linear metrics",
        Judgement(
            n=n,
            found=f"at most {np.max(far):.4f} from the best of 1,000 thresholds; where two systems "
            f"differ by 2 points or more, {np.mean(agreeing):.1%} of choices predicted",
            p_value=1.0 if held and np.mean(agreeing) >= 0.97 else 0.0,
            notices=f"one threshold more than {tolerance + step:.3f} off",
        ),
        setting="random ratios and calibrated scores, answers without error, tolerance .01",
        seed=seed,
    )
    ledger.settle()


def _ratio(rng):
    """Return a metric between accuracy and F1 on random weights, rising in both counts."""
    p11 = float(rng.uniform(0.2, 1.0))
    q11 = float(rng.uniform(0.0, 0.5) * p11)
    q00 = float(rng.uniform(0.0, 0.5) * (1 - p11))
    return FractionalMetric(p11=p11, p00=1 - p11, q11=q11, q00=q00, q0=0.6)
