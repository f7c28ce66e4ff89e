"""Does the elicited metric choose as the respondent does, on questions kept back?

In: a metric and answered questions. Out: `Agreement`, with baselines. Absent: choosing
the questions (see `elicitor`), and any claim without baselines.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from howgood.errors import InputError
from howgood.learn.elicitation.pair_questions import pair_bank
from howgood.records.confusion import ConfusionMatrix
from howgood.records.elicitation import Agreement, AnsweredQuery, Query
from howgood.records.elicited_metric import ElicitedMetric, LinearMetric
from howgood.records.estimate import Estimate
from howgood.stats.arrays import FloatArray
from howgood.stats.randomness import RandomState, generator_and_seed
from howgood.stats.shares import beta_draws

# What M must be read against: weighing all errors alike, and the most common published result.
BASELINES: dict[str, ElicitedMetric] = {
    "accuracy": LinearMetric(a0=0.5),
    "constant a0 = 0.141": LinearMetric(a0=9 / 64),
}


def agreement(
    metric: ElicitedMetric,
    answered: Sequence[AnsweredQuery],
    *,
    baselines: Mapping[str, ElicitedMetric] | None = None,
) -> Agreement:
    r"""Return M, how often the metric picks the respondent's side, with interval and baselines.

    .. math:: M = 100 \cdot \frac{1}{n} \sum_i [\text{metric's side}_i = \text{answer}_i]

    The interval is the 90 % interval of a share under Jeffreys' prior. Answers "same" are
    counted apart.

    Parameters
    ----------
    metric : ElicitedMetric
        What was elicited from other questions.
    answered : sequence of AnsweredQuery
        Questions the metric was not learned from.
    baselines : mapping, optional
        Other metrics to judge on the same questions, next to accuracy and a constant.

    Notes
    -----
    Stability: stable

    Examples
    --------
    >>> from howgood.learn import held_out_queries, threshold_matrices
    >>> matrices = threshold_matrices([0, 0, 1, 1] * 25, np.linspace(0.01, 0.99, 100))
    >>> person = LinearMetric(a0=0.2)
    >>> answered = [
    ...     AnsweredQuery(query=query, choice=person.prefers(query.first, query.second))
    ...     for query in held_out_queries(matrices, random_state=1)
    ... ]
    >>> agreement(person, answered).percent
    100.0
    """
    decided = [answer for answer in answered if answer.choice != "same"]
    if not decided:
        raise InputError(
            where="agreement",
            found="no answered question with a preference",
            needed="at least one",
            cure="Ask held-out questions first: Elicitor(..., held_out=15).",
        )
    n_agreeing = _agreeing(metric, decided)
    judged = BASELINES | dict(baselines or {})
    return Agreement(
        share=Estimate.from_draws(
            beta_draws(n_agreeing, len(decided)), probability=0.9, kind="quantile"
        ),
        n_agreeing=n_agreeing,
        n_questions=len(decided),
        n_without_preference=len(answered) - len(decided),
        baselines={
            name: 100.0 * _agreeing(other, decided) / len(decided) for name, other in judged.items()
        },
    )


def held_out_queries(
    matrices: Sequence[ConfusionMatrix],
    *,
    n: int = 15,
    balanced: bool = False,
    random_state: RandomState = None,
) -> tuple[Query, ...]:
    """Return random questions with a real trade-off, to be asked once learning is over.

    Parameters
    ----------
    matrices : sequence of ConfusionMatrix
        Displayed matrices.
    n : int
        How many questions; fewer when there are not as many trade-offs.
    balanced : bool
        Spread the questions evenly over the weight at which one is indifferent. Random pairs
        crowd where almost any metric gives the same answer.
    random_state : None, int or Generator
        Where chance comes from.

    Notes
    -----
    Stability: stable

    Examples
    --------
    >>> from howgood.learn import threshold_matrices
    >>> matrices = threshold_matrices([0, 0, 1, 1] * 25, np.linspace(0.01, 0.99, 100))
    >>> len(held_out_queries(matrices, n=5, balanced=True, random_state=1))
    5
    """
    generator, _ = generator_and_seed(random_state)
    bank = pair_bank(matrices, where="held_out_queries")
    pairs = bank.everything
    gaps = np.abs(bank.counts[pairs[:, 0]] - bank.counts[pairs[:, 1]])
    weight = _balancing(np.log(gaps[:, 0] / gaps[:, 3])) if balanced else np.ones(len(pairs))
    chosen = generator.choice(
        len(pairs), size=min(n, len(pairs)), replace=False, p=weight / weight.sum()
    )
    swap = generator.random(len(chosen)) < 0.5
    return tuple(
        Query(
            first=bank.matrices[pairs[index, int(swapped)]],
            second=bank.matrices[pairs[index, 1 - int(swapped)]],
            number=number,
            kind="held-out",
        )
        for number, (index, swapped) in enumerate(zip(chosen, swap, strict=True), start=1)
    )


def _balancing(indifference: FloatArray) -> FloatArray:
    """Weigh each pair by one over how many pairs share its tenth of the range."""
    edges = np.linspace(indifference.min(), indifference.max() + 1e-9, 11)
    bins = np.digitize(indifference, edges)
    return np.asarray(1.0 / np.bincount(bins)[bins])


def _agreeing(metric: ElicitedMetric, decided: Sequence[AnsweredQuery]) -> int:
    return sum(
        metric.prefers(answer.query.first, answer.query.second) == answer.choice
        for answer in decided
    )
