"""The magic barrier of people who rated the same items again, and how well it is known.

In: means and spreads per person and item (`rating_uncertainty`). Out: an `Estimate`. Absent: the
barrier of given spreads, without doubt about them (`score.magic_barrier`).
"""

import math
from dataclasses import replace

import numpy as np

from howgood.learn.feedback import unbiased_variance
from howgood.records.estimate import Estimate
from howgood.records.table import Table
from howgood.stats.bootstrap import ratio_draws, summed_by_group, widened

_DRAWS = 4000


def barrier_of(feedback: Table, *, most: float, seed: int) -> Estimate:
    """Return the magic barrier with a 95 % interval over people.

    The Bayesian bootstrap over people, of the logarithm, widened for their number and cut at
    `most`, the greatest noise the scale has room for. One person alone stands for nobody else:
    then the interval is over that person's items.
    """
    generator = np.random.default_rng(seed)
    variances = unbiased_variance(feedback["sd"], feedback["trials"])
    people, unit = np.unique(feedback["user"], return_inverse=True)
    if len(people) == 1:
        unit = np.arange(len(variances))
    sums = summed_by_group(np.column_stack([variances, np.ones_like(variances)]), unit)
    centre = float(variances.mean())
    squares = np.full(_DRAWS, centre)
    if centre > 0:  # else nobody ever wavered
        logs = np.log(ratio_draws(sums[:, :1], sums[:, 1:], draws=_DRAWS, generator=generator))
        logs = widened(
            logs[:, 0], math.log(centre), n_units=len(sums), n_fitted=1, generator=generator
        )
        squares = np.exp(np.minimum(logs, 2.0 * math.log(most)))
    found = Estimate.from_draws(np.sqrt(squares), kind="quantile", n_respondents=len(people))
    return replace(found, mean=math.sqrt(centre))
