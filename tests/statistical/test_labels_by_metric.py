"""Labels judged by what somebody values: the difference of two systems, cases and person drawn."""

import numpy as np
import pytest
from tests.statistical.tally import Tally

from howgood import decide
from howgood.records.estimate import Estimate

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
