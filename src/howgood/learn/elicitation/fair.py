"""Accuracy against fairness: how much should gaps between groups count?

In: labels, scores, groups, and answers. Out: weights of recall, specificity and of the gaps
between groups in each. Absent: the published procedure for fair metrics, which needs classifiers
people cannot tell apart (see docs).
"""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from howgood.errors import InputError, LengthMismatchError
from howgood.learn.elicitation.matrices import check_probabilities, labels_and_scores
from howgood.learn.elicitation.outcome_weights import OutcomeElicitor
from howgood.records.confusion import ConfusionMatrix, display_total
from howgood.records.criteria import CriteriaTable, Criterion, Direction
from howgood.records.outcomes_by_class import FairMetric, GroupOutcome
from howgood.stats.randomness import RandomState, generator_and_seed

FAIR_NAMES = ("recall", "specificity", "recall gap", "specificity gap")
_SHOWN: tuple[tuple[Direction, str, str], ...] = (
    # On a telephone a label is cut after some twenty letters: each begins with what is its own.
    ("max", "%", "found, of real cases"),
    ("max", "%", "cleared, of the others"),
    ("min", "points", "found: gap between groups"),
    ("min", "points", "cleared: gap between groups"),
)


class FairElicitor(OutcomeElicitor):
    r"""What people value across groups: recall, specificity, and the gaps between groups.

    The metric is :math:`a_1 R + a_2 S - b_1 |\Delta R| - b_2 |\Delta S|` with weights that sum
    to 1, where R and S are everybody's: groups count by their size. The weight of fairness is
    :math:`\lambda = b_1 + b_2`, the result's `violation_weight`.

    Parameters
    ----------
    outcomes : sequence of GroupOutcome
        Systems to compare, for instance from `group_outcomes`.
    min_queries, max_queries : int
        Fewest and most questions asked to learn; it stops when every weight is known to within
        five hundredths (90 % interval).
    catch_pairs, held_out : int
        Questions that check attention (at most 3), and that are kept back to test the weights.
    random_state : None, int or Generator
        Where particles, sides and candidate pairs come from.

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

    task = (
        "A program flags cases of several groups of people. Found is how many of the real cases it "
        "flags, cleared how many of the others it leaves alone; the gap says how many percentage "
        "points the groups differ in that, and less is better. Please choose between two such "
        "programs, again and again."
    )

    def __init__(
        self,
        outcomes: Sequence[GroupOutcome],
        *,
        min_queries: int = 6,
        max_queries: int = 40,
        catch_pairs: int = 3,
        held_out: int = 8,
        random_state: RandomState = None,
    ) -> None:
        super().__init__(
            outcomes,
            group_table(outcomes),
            metric=_fair_metric,
            method="FairElicitor (sequential Monte Carlo)",
            min_queries=min_queries,
            max_queries=max_queries,
            catch_pairs=catch_pairs,
            held_out=held_out,
            random_state=random_state,
        )

    def anew(self, *, random_state: RandomState, **settings: Any) -> Self:  # noqa: ANN401 - its own
        """Return an interview about the same systems, not yet begun."""
        settings.pop("imagined", None)
        return type(self)(self.outcomes, random_state=random_state, **settings)


def group_table(outcomes: Sequence[GroupOutcome]) -> CriteriaTable:
    """Return outcomes as alternatives: recall, specificity and gaps, all in percentage points."""
    features = np.array([outcome.features for outcome in outcomes]).reshape(-1, len(FAIR_NAMES))
    return CriteriaTable(
        names=tuple(_rule(outcome) or f"system {n}" for n, outcome in enumerate(outcomes, start=1)),
        criteria=tuple(
            Criterion(name=name, direction=direction, unit=unit, label=label)
            for name, (direction, unit, label) in zip(FAIR_NAMES, _SHOWN, strict=True)
        ),
        # Gaps are shown as such, and are worse the larger they are; a tenth of a point is shown.
        scores=np.round(np.abs(features), 1),
        sds=np.zeros_like(features),
        common_unit=True,
    )


def _rule(outcome: GroupOutcome) -> str:
    """Return the thresholds an outcome comes from, as text."""
    return ", ".join(f"{name} from {cut:.6g}" for name, cut in (outcome.thresholds or {}).items())


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
        cells, cuts = {}, {}
        for name, level in zip(names, row, strict=True):
            inside = group == name
            cut = float(np.quantile(probability[inside], level))
            cells[str(name)] = _matrix(positive[inside], probability[inside] >= cut, total)
            cuts[str(name)] = cut
        shown.append(GroupOutcome(groups=cells, sizes=sizes, thresholds=cuts))
    # Of those that look the same, the first is kept.
    distinct = {
        str([one_group.to_dict() for one_group in outcome.groups.values()]): outcome
        for outcome in reversed(shown)
    }
    return tuple(distinct.values())[::-1]


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
