"""What a metric of two classes can do once it can score confusion counts.

In: true and predicted labels, weights. Out: a number, or a scikit-learn scorer. Absent: the metrics
themselves (`power_mean`, `elicited_metric`).
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from howgood.errors import InputError, LengthMismatchError, MissingExtraError
from howgood.records.levels import as_array, missing_values
from howgood.records.saved import Saved
from howgood.stats.arrays import FloatArray


class LabelMetric(Saved, ABC):
    """A function of labels as scikit-learn wants it, and of confusion counts; greater is better."""

    __slots__ = ()
    is_plain: ClassVar[bool] = True

    @abstractmethod
    def of_counts(self, tp: ArrayLike, fn: ArrayLike, fp: ArrayLike, tn: ArrayLike) -> FloatArray:
        """Score arrays of confusion counts (or proportions); arrays broadcast."""

    @property
    def __name__(self) -> str:
        # scikit-learn names a scorer after its function when it prints one.
        return repr(self)

    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        pos_label: object = 1,
    ) -> float:
        """Score predicted labels against true ones."""
        where = type(self).__qualname__
        truth = complete_labels(y_true, name="y_true", where=where)
        predicted = complete_labels(y_pred, name="y_pred", where=where)
        weight = (
            np.ones(truth.size) if sample_weight is None else np.asarray(sample_weight, dtype=float)
        )
        sizes = {"y_true": truth.size, "y_pred": predicted.size, "sample_weight": weight.size}
        if len(set(sizes.values())) > 1 or truth.size == 0:
            raise LengthMismatchError(where=where, lengths=sizes)
        check_labels(where, truth, predicted, pos_label)
        real, flagged = truth == pos_label, predicted == pos_label
        cells = (real & flagged, real & ~flagged, ~real & flagged, ~real & ~flagged)
        return float(self.of_counts(*(float(weight[cell].sum()) for cell in cells)))

    def scorer(self, **options: Any) -> Any:  # noqa: ANN401 - scikit-learn's own type
        """Return a scikit-learn scorer; options go to `sklearn.metrics.make_scorer`.

        Labels other than 0 and 1 need the positive one named: ``scorer(pos_label="fraud")``.
        """
        try:
            from sklearn.metrics import make_scorer
        except ImportError as error:
            raise MissingExtraError(task="a scikit-learn scorer", extra="sklearn") from error
        return make_scorer(
            self if "pos_label" in options else _WithoutDefaultLabel(self), **options
        )


@dataclass(frozen=True, slots=True)
class _WithoutDefaultLabel:
    """A metric that does not tell scikit-learn its default label: it would refuse text unkindly."""

    metric: LabelMetric

    @property
    def __name__(self) -> str:
        return repr(self.metric)

    def __call__(
        self, y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None
    ) -> float:
        return self.metric(y_true, y_pred, sample_weight=sample_weight)


def complete_labels(labels: ArrayLike, *, name: str, where: str) -> NDArray[Any]:
    """Return labels as a flat array; a missing one is refused: it would count as negative.

    Examples
    --------
    >>> complete_labels([[1], [0]], name="y_true", where="gate")
    array([1, 0])
    """
    array = as_array(labels).ravel()
    missing = missing_values(array)
    if missing.any():
        raise InputError(
            where=f"{where}, {name}",
            found=f"{int(missing.sum())} of {array.size} labels missing (first: row "
            f"{int(np.argmax(missing)) + 1})",
            needed="a label for every case: a missing one would count as negative",
            cure="Leave these cases out.",
        )
    return array


def as_in(truth: NDArray[Any], label: object) -> object:
    """Return a label as it stands among the true ones: a file spells numbers as text."""
    if isinstance(label, str) and truth.dtype.kind in "biuf":
        try:
            return float(label)
        except ValueError:
            return label
    return label


def check_labels(
    where: str, truth: NDArray[Any], predicted: NDArray[Any], pos_label: object
) -> None:
    """Refuse text next to numbers, and text whose positive label nobody named."""
    if _holds_text(truth) != _holds_text(predicted):
        raise InputError(
            where=where,
            found=f"labels such as {truth[0]!s} in y_true and {predicted[0]!s} in y_pred",
            needed="labels of one kind, numbers or text, in both",
            cure="Encode both alike.",
        )
    if _holds_text(truth) and not isinstance(pos_label, str):
        raise _unnamed_positive(where, truth, pos_label)


def _unnamed_positive(where: str, truth: NDArray[Any], pos_label: object) -> InputError:
    names = sorted({str(value) for value in truth.tolist()[:1000]})[:4]
    return InputError(
        where=where,
        found=f"labels such as {', '.join(map(repr, names))}, and {pos_label!r} as positive",
        needed="the name of the positive label",
        cure=f"Say pos_label={names[-1]!r}, also to a scorer: .scorer(pos_label={names[-1]!r}).",
    )


def _holds_text(labels: NDArray[Any]) -> bool:
    return labels.dtype.kind in "USO" and any(isinstance(label, str) for label in labels.tolist())
