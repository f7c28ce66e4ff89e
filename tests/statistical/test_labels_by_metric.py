"""Labels judged by what somebody values: the difference of two systems, cases and person drawn."""

import itertools

import numpy as np
import pytest
from scipy.stats import norm
from tests.statistical.tally import Tally

from howgood import decide, learn
from howgood.records.elicitation import AttentionChecks
from howgood.records.estimate import Estimate
from howgood.records.outcomes_by_class import DiagonalMetric, FairMetric
from howgood.records.pinball import PinballMetric
from howgood.records.provenance import Provenance

pytestmark = pytest.mark.slow


def test_the_gain_over_another_system_is_covered(ledger):
    """Populations are not those of the prior: three labels agree more often than not."""
    seed = 20402
    rng = np.random.default_rng(seed)
    tally = Tally(rng, kind="quantile")
    rows = np.array([[(place >> bit) & 1 for bit in range(3)] for place in range(8)])
    agreeing = 1 + 3.0 * ((rows[:, 0] == rows[:, 1]) + (rows[:, 0] == rows[:, 2]))
    for _ in range(600):
        shares = rng.dirichlet(agreeing)
        shape = rng.uniform(2, 20, 2)
        a0 = rng.beta(*shape)
        cases = rows[rng.choice(8, size=200, p=shares)]
        if cases[:, 0].min() == cases[:, 0].max():
            continue
        gate = decide.metric_gate(
            Estimate.from_draws(rng.beta(*shape, size=4000)), cases[:, 0], cases[:, 1],
            than=cases[:, 2], random_state=rng,
        )  # fmt: skip
        worth = np.where(rows[:, 0] == 1, 1 - a0, a0)
        value = [shares @ (worth * (rows[:, 0] == rows[:, k])) for k in (1, 2)]
        tally.take("metric of predicted labels", gate.value.draws, value[0])
        tally.take("gain by a metric", gate.gain.draws, value[0] - value[1])
    tally.report_coverage(ledger, setting="200 cases, a weight known by its posterior", seed=seed)
    ledger.settle()


ASKED = {
    "best": None, "queries": 20, "choices": 20, "preferences": 20, "stopped": "precise enough",
    "agreement": None, "provenance": Provenance(method="drawn"),
    "checks": AttentionChecks(catch_asked=0, catch_wrong=0, repeats_asked=0, repeats_changed=0),
}  # fmt: skip


def _weighed(metric, names, draws):
    weights = {name: Estimate.from_draws(draws[:, k]) for k, name in enumerate(names)}
    return learn.WeightsResult(weights=weights, metric=metric, **ASKED)


def _of_classes(rng):
    """Return a person, labels of two systems on 300 cases, and what both are worth in truth."""
    rows = np.array(list(itertools.product(range(3), repeat=3)))
    right = rows[:, [1, 2]] == rows[:, [0]]
    shares, shape = rng.dirichlet(0.5 + 2.0 * right.sum(axis=1)), rng.uniform(3, 20, 3)
    draws = rng.dirichlet(shape, size=1001)
    cases = rows[rng.choice(len(rows), size=300, p=shares)]
    metric = DiagonalMetric(weights=tuple(draws.mean(axis=0)), labels=(0, 1, 2))
    worth = [shares @ (draws[0][rows[:, 0]] * right[:, k]) for k in (0, 1)]
    return _weighed(metric, "abc", draws[1:]), cases.T, {}, worth


def _of_groups(rng):
    rows = np.array(list(itertools.product((0, 1), repeat=4)))  # group, truth, two systems
    right = rows[:, [2, 3]] == rows[:, [1]]
    shares, shape = rng.dirichlet(1.0 + 2.0 * right.sum(axis=1)), rng.uniform(3, 20, 4)
    draws = rng.dirichlet(shape, size=1001)
    cases = rows[rng.choice(len(rows), size=400, p=shares)]
    worth = []
    for k in (0, 1):
        rates = {
            (group, truth): shares[inside] @ right[inside, k] / shares[inside].sum()
            for group, truth in itertools.product((0, 1, None), (0, 1))
            for inside in [(rows[:, 1] == truth) & ((group is None) | (rows[:, 0] == group))]
        }
        gaps = [abs(rates[0, truth] - rates[1, truth]) for truth in (1, 0)]
        worth.append(draws[0] @ [rates[None, 1], rates[None, 0], -gaps[0], -gaps[1]])
    metric = FairMetric(weights=tuple(draws.mean(axis=0)))
    names = ("recall", "specificity", "recall gap", "specificity gap")
    return _weighed(metric, names, draws[1:]), cases.T[1:], {"groups": cases[:, 0]}, worth


def _of_forecasts(rng):
    draws = rng.beta(*rng.uniform(3, 20, 2), size=1001)
    shift, wide = rng.normal(0, 0.5, 2), rng.uniform(0.5, 2, 2)
    errors = shift + wide * rng.multivariate_normal([0, 0], [[1, 0.6], [0.6, 1]], size=150)
    low, high = (
        wide * norm.pdf(shift / wide) + side * shift * norm.cdf(side * shift / wide)
        for side in (1, -1)
    )
    ratio = Estimate.from_draws(draws[1:] / (1 - draws[1:]))
    person = learn.QuantileResult(
        quantile=Estimate.from_draws(draws[1:]), ratio=ratio, unit="", residuals=errors[:, 0],
        metric=PinballMetric(quantile=float(draws.mean())),
        **{name: value for name, value in ASKED.items() if name != "best"},
    )  # fmt: skip
    worth = draws[0] * low + (1 - draws[0]) * high
    return person, (errors[:, 0] * 0, *(-errors.T)), {}, -worth


KINDS = {"classes": (_of_classes, 20411), "groups": (_of_groups, 20412),
         "forecasts": (_of_forecasts, 20413)}  # fmt: skip


@pytest.mark.parametrize("about", KINDS)
def test_the_gain_by_weights_of_any_kind_is_covered(about, ledger):
    drawn, seed = KINDS[about]
    rng = np.random.default_rng(seed)
    tally = Tally(rng, kind="quantile")
    for _ in range(400):
        person, (truth, one, other), more, worth = drawn(rng)
        gate = decide.metric_gate(person, truth, one, than=other, random_state=rng, **more)
        tally.take(f"gain by weights of {about}", gate.gain.draws, worth[0] - worth[1])
    tally.report_coverage(
        ledger, setting="150 to 400 cases, weights known by their posterior", seed=seed
    )
    ledger.settle()
