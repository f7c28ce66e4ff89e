"""People who choose by a known metric, with known noise: to test, benchmark and demonstrate.

In: a metric and how its owner slips. Out: a function from two matrices to a choice. Absent:
learning the metric back (see `learn`).
"""

from collections.abc import Callable

import numpy as np

from howgood.errors import InputError
from howgood.records.confusion import ConfusionMatrix
from howgood.records.elicited_metric import Choice, ElicitedMetric
from howgood.stats.randomness import RandomState, generator_and_seed

Respondent = Callable[[ConfusionMatrix, ConfusionMatrix], Choice]

_MIRRORED: dict[Choice, Choice] = {"first": "second", "second": "first", "same": "same"}


def simulate_respondent(
    metric: ElicitedMetric,
    *,
    flips: float = 0.0,
    sensitivity: float | None = None,
    random_state: RandomState = None,
) -> Respondent:
    r"""Return a respondent who chooses by `metric`, with slips.

    Parameters
    ----------
    metric : ElicitedMetric
        What the respondent values.
    flips : float
        Share of answers given the wrong way round.
    sensitivity : float, optional
        With a number s, the first side is chosen with probability
        :math:`\sigma(100\,s\,(\varphi_1-\varphi_2))`; without, the better side always is.
    random_state : None, int or Generator
        Where slips come from.

    Notes
    -----
    Stability: stable

    Examples
    --------
    >>> from howgood import learn, score
    >>> cells = ("true_positives", "false_negatives", "false_positives", "true_negatives")
    >>> calm, sharp = (
    ...     ConfusionMatrix(**dict(zip(cells, row))) for row in [(30, 5, 2, 63), (34, 1, 12, 53)]
    ... )
    >>> simulate_respondent(score.LinearMetric(a0=0.1))(calm, sharp)
    'second'
    """
    if not 0 <= flips <= 1:
        raise InputError(
            where="simulate_respondent",
            found=f"flips = {flips}",
            needed="a share between 0 and 1",
            cure="Use 0.1 for one slip in ten.",
        )
    generator, _ = generator_and_seed(random_state)

    def choose(first: ConfusionMatrix, second: ConfusionMatrix) -> Choice:
        choice = metric.prefers(first, second)
        if sensitivity is not None:
            strength = 100 * sensitivity * (metric.of(first) - metric.of(second))
            chance = 1 / (1 + np.exp(-np.clip(strength, -60, 60)))
            choice = "first" if generator.random() < chance else "second"
        return _MIRRORED[choice] if generator.random() < flips else choice

    return choose
