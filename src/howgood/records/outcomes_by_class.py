"""What classifiers do beyond two classes, or across groups, as people compare it.

In: counts. Out: `ClassOutcome`, `GroupOutcome`, and the metrics over them. Absent: learning.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from howgood.errors import InputError, LengthMismatchError, MissingExtraError, UnknownNameError
from howgood.records.confusion import ConfusionMatrix
from howgood.records.label_metric import as_in, check_labels
from howgood.records.saved import Saved

CELLS = ("true_positives", "false_negatives", "false_positives", "true_negatives")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassOutcome(Saved):
    """How many of each class a classifier gets right, out of how many.

    `rule` holds the weights of the classifier's rule (the class with the largest weight times
    probability), where they are known.

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> ClassOutcome(correct=(30, 20), totals=(40, 60)).features
    (30.0, 20.0)
    """

    is_plain: ClassVar[bool] = True

    correct: tuple[float, ...]
    totals: tuple[float, ...]
    rule: tuple[float, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        if len(self.correct) != len(self.totals) or any(
            not 0 <= hit <= total for hit, total in zip(self.correct, self.totals, strict=False)
        ):
            raise InputError(
                where="ClassOutcome",
                found=f"correct {self.correct} of {self.totals}",
                needed="one count per class, none above its total",
                cure="Count cases, or use shares of all cases.",
            )

    @property
    def features(self) -> tuple[float, ...]:
        """Correct cases per class, out of 100 cases in all."""
        return tuple(100.0 * hit / sum(self.totals) for hit in self.correct)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "correct": list(self.correct),
            "totals": list(self.totals),
            "rule": [float(part) for part in self.rule],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupOutcome:
    """One confusion matrix per group of people.

    `sizes` holds the real positives and negatives behind each matrix, where matrices show every
    group out of the same number of cases; without it the matrices' own counts are the sizes.
    Recall and specificity of everybody weigh the groups by these sizes. `thresholds` is where each
    group's cases are flagged from, where that is known.

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> cells = ("true_positives", "false_negatives", "false_positives", "true_negatives")
    >>> many, few = (
    ...     ConfusionMatrix(**dict(zip(cells, row))) for row in [(20, 30, 10, 40), (45, 5, 10, 40)]
    ... )
    >>> sizes = {"many": (900, 900), "few": (100, 100)}
    >>> GroupOutcome(groups={"many": many, "few": few}, sizes=sizes).recall  # .9 * .4 + .1 * .9
    0.45
    """

    groups: Mapping[str, ConfusionMatrix]
    sizes: Mapping[str, tuple[float, float]] | None = None
    thresholds: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        if self.sizes is not None and set(self.sizes) != set(self.groups):
            raise InputError(
                where="GroupOutcome",
                found=f"sizes of {sorted(self.sizes)} for groups {sorted(self.groups)}",
                needed="the positives and negatives of every group",
                cure="Name the same groups in both.",
            )
        lacking = [
            name for name, group in self.groups.items() if not (group.positives and group.negatives)
        ]
        if lacking:
            raise InputError(
                where=f"GroupOutcome, group {lacking[0]!r}",
                found="cases of one class only",
                needed="both classes in every group: else its recall or specificity is not known",
                cure="Show the groups out of more cases, or leave the group out.",
            )
        if len(self.groups) < 2:
            raise InputError(
                where="GroupOutcome",
                found=f"{len(self.groups)} group(s)",
                needed="at least two groups to compare",
                cure="Use Elicitor when there is only one.",
            )

    @property
    def recall(self) -> float:
        """Share of all real positives that are found."""
        sizes = {name: self._size(name)[0] for name in self.groups}
        hits = sum(sizes[name] * group.recall for name, group in self.groups.items())
        return float(hits / sum(sizes.values()))

    @property
    def specificity(self) -> float:
        """Share of all real negatives that are cleared."""
        sizes = {name: self._size(name)[1] for name in self.groups}
        cleared = sum(sizes[name] * group.specificity for name, group in self.groups.items())
        return float(cleared / sum(sizes.values()))

    def _size(self, name: str) -> tuple[float, float]:
        if self.sizes is not None:
            return self.sizes[name]
        return self.groups[name].positives, self.groups[name].negatives

    @property
    def features(self) -> tuple[float, ...]:
        """Recall, specificity, and minus the gaps between groups in each, in percent."""
        pairs = list(combinations(self.groups.values(), 2))
        recall_gap = sum(abs(one.recall - two.recall) for one, two in pairs)
        clear_gap = sum(abs(one.specificity - two.specificity) for one, two in pairs)
        return tuple(
            100.0 * value for value in (self.recall, self.specificity, -recall_gap, -clear_gap)
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            name: matrix.to_dict()
            | {"real_positives": self._size(name)[0], "real_negatives": self._size(name)[1]}
            | ({"threshold": self.thresholds[name]} if self.thresholds else {})
            for name, matrix in self.groups.items()
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class DiagonalMetric(Saved):
    r"""A weighted sum of the shares of each class that are right, greater is better.

    .. math:: \psi = \sum_i a_i \Pr(Y = i, h = i)

    `labels` names the classes in the order of `weights`.

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> DiagonalMetric(weights=(0.5, 0.3, 0.2), labels=("a", "b", "c"))(list("abca"), list("abbc"))
    0.2
    """

    is_plain: ClassVar[bool] = True

    weights: tuple[float, ...]
    labels: tuple[object, ...]

    def __call__(
        self, y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None
    ) -> float:
        """Score predicted labels against true ones."""
        truth, predicted = np.asarray(y_true).ravel(), np.asarray(y_pred).ravel()
        weight = (
            np.ones(truth.size) if sample_weight is None else np.asarray(sample_weight, dtype=float)
        )
        if not truth.size == predicted.size == weight.size:
            raise LengthMismatchError(
                where="DiagonalMetric", lengths={"y_true": truth.size, "y_pred": predicted.size}
            )
        real, given = self.places(truth, where="y_true"), self.places(predicted, where="y_pred")
        hits = np.bincount(real[real == given], weight[real == given], len(self.labels))
        return float(np.dot(self.weights, hits) / weight.sum())

    def places(self, values: NDArray[Any], *, where: str) -> NDArray[np.int_]:
        """Return the place of each value among the labels: 2, 2.0 and "2" are the same class."""
        places = {_spelled(label): place for place, label in enumerate(self.labels)}
        spelled = [_spelled(value) for value in values.tolist()]
        for name in dict.fromkeys(spelled):
            if name not in places:
                raise UnknownNameError(where=where, name=name, names=places)
        return np.array([places[name] for name in spelled], dtype=np.int_)

    def scorer(self, **options: Any) -> Any:  # noqa: ANN401 - scikit-learn's own type
        """Return a scikit-learn scorer; options go to `sklearn.metrics.make_scorer`."""
        try:
            from sklearn.metrics import make_scorer
        except ImportError as error:
            raise MissingExtraError(task="a scikit-learn scorer", extra="sklearn") from error
        return make_scorer(self, **options)

    def of(self, outcome: ClassOutcome) -> float:
        """Score one outcome."""
        return float(np.dot(self.weights, outcome.features)) / 100.0

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {"family": "diagonal", "weights": list(self.weights), "labels": list(self.labels)}


def _spelled(label: object) -> str:
    """Return a class as text; a whole number may come as a decimal one, next to empty cells."""
    is_whole = isinstance(label, float) and label.is_integer()
    return str(int(label)) if is_whole and isinstance(label, float) else str(label)


@dataclass(frozen=True, slots=True, kw_only=True)
class FairMetric(Saved):
    r"""Recall and specificity against the gaps between groups, greater is better.

    .. math:: a_1 R + a_2 S - b_1 \sum_{u<v} |R_u - R_v| - b_2 \sum_{u<v} |S_u - S_v|

    with weights (a1, a2, b1, b2) that sum to 1.

    Notes
    -----
    Stability: experimental
    """

    is_plain: ClassVar[bool] = True

    weights: tuple[float, float, float, float]

    @property
    def violation_weight(self) -> float:
        """How much of all weight lies on the gaps between groups (lambda)."""
        return self.weights[2] + self.weights[3]

    def __call__(
        self, y_true: ArrayLike, y_pred: ArrayLike, *, groups: ArrayLike, pos_label: object = 1
    ) -> float:
        """Score predicted labels of cases whose groups are known."""
        truth, predicted, group = (
            np.asarray(column).ravel() for column in (y_true, y_pred, groups)
        )
        if not truth.size == predicted.size == group.size:
            raise LengthMismatchError(
                where="FairMetric",
                lengths={"y_true": truth.size, "y_pred": predicted.size, "groups": group.size},
            )
        pos_label = as_in(truth, pos_label)
        check_labels("FairMetric", truth, predicted, pos_label)
        real, flagged = truth == pos_label, predicted == pos_label
        cells = (real & flagged, real & ~flagged, ~real & flagged, ~real & ~flagged)
        return self.of(
            GroupOutcome(
                groups={
                    str(name): ConfusionMatrix(
                        **{
                            key: int((cell & (group == name)).sum())
                            for key, cell in zip(CELLS, cells, strict=True)
                        }
                    )
                    for name in np.unique(group)
                }
            )
        )

    def scorer(self, *, group: Any, pos_label: object = 1) -> Callable[..., float]:  # noqa: ANN401 - a name, or a number
        """Return a scikit-learn scorer; `group` names the column of X that holds the group.

        For an array, the number of the column.
        """

        def scored(estimator: Any, X: Any, y: ArrayLike) -> float:  # noqa: ANN401, N803 - its names
            groups = X[group] if hasattr(X, "columns") else np.asarray(X)[:, group]
            return self(y, estimator.predict(X), groups=np.asarray(groups), pos_label=pos_label)

        return scored

    def of(self, outcome: GroupOutcome) -> float:
        """Score one outcome."""
        return float(np.dot(self.weights, outcome.features)) / 100.0

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {"family": "fair", "weights": list(self.weights)}
