"""Accuracy against fairness: how much should gaps between groups count?

In: labels, scores, groups, and answers. Out: weights of recall, specificity and of the gaps
between groups in each. Absent: the published procedure for fair metrics, which needs classifiers
people cannot tell apart (see docs).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from howgood.errors import InputError, LengthMismatchError
from howgood.learn.elicitation.matrices import check_probabilities, labels_and_scores
from howgood.learn.elicitation.simplex import SimplexElicitor
from howgood.records.confusion import ConfusionMatrix, display_total
from howgood.records.outcomes_by_class import FairMetric, GroupOutcome
from howgood.stats.randomness import RandomState, generator_and_seed

FAIR_NAMES = ("recall", "specificity", "recall gap", "specificity gap")


class FairElicitor(SimplexElicitor):
    r"""What people value across groups: recall, specificity, and the gaps between groups.

    The metric is :math:`a_1 R + a_2 S - b_1 |\Delta R| - b_2 |\Delta S|` with weights that sum
    to 1, where R and S are everybody's: groups count by their size. The weight of fairness is
    :math:`\lambda = b_1 + b_2`, the result's `violation_weight`.

    Parameters
    ----------
    outcomes : sequence of GroupOutcome
        Systems to compare, for instance from `group_outcomes`.
    max_queries : int
        How many questions to ask.
    random_state : None, int or Generator
        Where particles and candidate pairs come from.

    Notes
    -----
    Stability: experimental

    References
    ----------
    Hiranandani, Narasimhan, Koyejo (2020), "Fair Performance Metric Elicitation", NeurIPS,
    for the metric; the search is sequential Monte Carlo.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> scores, groups = rng.random(2000), rng.choice(["a", "b"], 2000)
    >>> truth = rng.random(2000) < scores ** np.where(groups == "a", 1, 2)
    >>> learner = FairElicitor(group_outcomes(truth, scores, groups, random_state=0))
    >>> learner.answer("first")
    >>> list(learner.result().weights)
    ['recall', 'specificity', 'recall gap', 'specificity gap']
    """

    def __init__(
        self,
        outcomes: Sequence[GroupOutcome],
        *,
        max_queries: int = 40,
        random_state: RandomState = None,
    ) -> None:
        super().__init__(
            outcomes,
            names=FAIR_NAMES,
            metric=_fair_metric,
            method="FairElicitor (sequential Monte Carlo)",
            max_queries=max_queries,
            random_state=random_state,
        )


def _fair_metric(weights: tuple[float, ...]) -> FairMetric:
    recall, specificity, recall_gap, specificity_gap = weights
    return FairMetric(weights=(recall, specificity, recall_gap, specificity_gap))


def group_outcomes(
    y_true: ArrayLike,
    scores: ArrayLike,
    groups: ArrayLike,
    *,
    n: int = 150,
    pos_label: object = 1,
    random_state: RandomState = None,
) -> tuple[GroupOutcome, ...]:
    """Return what thresholds that may differ between groups lead to, as displayed.

    Every group is shown out of the same number of cases: the first of 100, 1,000 and 10,000 that
    shows at least 10 cases of the rarer class in every group. The groups' real sizes go along, and
    recall and specificity of everybody weigh groups by them.

    Parameters
    ----------
    y_true, scores, groups : arrays of shape (n,)
        Labels, probabilities of the positive class, and the group of each case.
    n : int
        How many combinations of thresholds to draw; those that look the same are merged.
    pos_label : object
        The label that counts as positive.
    random_state : None, int or Generator
        Where thresholds come from.

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> outcomes = group_outcomes(
    ...     [0, 1, 0, 1] * 5, np.linspace(0, 1, 20), ["a", "a", "b", "b"] * 5, random_state=0
    ... )
    >>> sorted(outcomes[0].groups)
    ['a', 'b']
    """
    group = np.asarray(groups).ravel()
    positive, probability, _ = labels_and_scores(
        y_true, scores, pos_label=pos_label, missing="error", where="group_outcomes"
    )
    check_probabilities(probability, where="group_outcomes")
    if group.size != positive.size:
        raise LengthMismatchError(
            where="group_outcomes", lengths={"y_true": positive.size, "groups": group.size}
        )
    names = np.unique(group)
    sizes = {str(name): _size(positive[group == name], str(name)) for name in names}
    total = max(display_total(real / (real + not_real)) for real, not_real in sizes.values())
    generator, _ = generator_and_seed(random_state)
    quantiles = generator.random((n, names.size))
    shown = []
    for row in quantiles:
        cells = {}
        for name, level in zip(names, row, strict=True):
            inside = group == name
            cut = float(np.quantile(probability[inside], level))
            cells[str(name)] = _matrix(positive[inside], probability[inside] >= cut, total)
        shown.append(GroupOutcome(groups=cells, sizes=sizes))
    distinct = {str(each.to_dict()): each for each in shown}
    return tuple(distinct.values())


def _size(members: "np.ndarray[tuple[int], np.dtype[np.bool_]]", name: str) -> tuple[int, int]:
    """Return the positives and negatives of a group."""
    if members.all() or not members.any():
        raise InputError(
            where=f"group_outcomes, group {name!r}",
            found="cases of one class only",
            needed="both classes in every group",
            cure="Leave the group out, or collect more cases.",
        )
    return int(members.sum()), int((~members).sum())


def _matrix(
    positive: "np.ndarray[tuple[int], np.dtype[np.bool_]]", flagged: ArrayLike, total: int
) -> ConfusionMatrix:
    chosen = np.asarray(flagged, dtype=bool)
    return ConfusionMatrix(
        true_positives=int((positive & chosen).sum()),
        false_negatives=int((positive & ~chosen).sum()),
        false_positives=int((~positive & chosen).sum()),
        true_negatives=int((~positive & ~chosen).sum()),
    ).displayed(out_of=total)
