"""People drawn from what the search assumes, and other cases: the quantile and the shift."""

import numpy as np
import pytest
from tests.statistical.tally import Tally
from tests.statistical.weighing import Person

from howgood import learn

pytestmark = pytest.mark.slow


def test_the_quantile_and_the_shift_are_calibrated(ledger):
    seed = 20403
    rng = np.random.default_rng(seed)
    tally, shifts = Tally(rng, kind="quantile"), Tally(rng, kind="quantile")
    for number in range(100):
        errors = rng.normal(0, 10, 200)
        learner = learn.QuantileElicitor(errors, np.zeros(200), max_queries=12, random_state=number)
        person = Person(2, rng)
        names = [each.name for each in learner.table.criteria]

        def answer(one, other, learner=learner, person=person, names=names):
            sides = [np.array([[side.values[name] for name in names]]) for side in (one, other)]
            gaps = learner.table.features(sides[0]) - learner.table.features(sides[1])
            return person.choose(gaps[0])

        result = learn.ask_oracle(learner, answer)
        tally.take("quantile to predict", rng.permutation(result.quantile.draws), person.weights[0])
        # Of many more cases of the same kind; of people who are given a ratio. Extreme quantiles
        # of 200 cases have no interval.
        if result.metric is not None and 0.05 < person.weights[0] < 0.95:
            true = float(np.quantile(rng.normal(0, 10, 200_000), person.weights[0]))
            shifts.take("how far predictions should move", result.shift.draws, true)
    setting = "200 cases, at most 12 questions, people from the prior"
    tally.report(ledger, setting=setting, seed=seed)
    shifts.report_coverage(ledger, setting=setting, seed=seed)
    ledger.settle()
