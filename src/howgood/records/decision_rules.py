"""From elicited weights to labels: rules that a program can apply.

In: weights of classes, or a threshold per group. Out: labels. Absent: learning and scoring.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from howgood.errors import InputError, LengthMismatchError, UnknownNameError
from howgood.records.saved import Saved


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightedArgmax(Saved):
    r"""Answer the class with the largest weight times probability: :math:`\arg\max_i a_i\eta_i`.

    With probabilities that are right this is the best rule by a `DiagonalMetric` of these weights.

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> rule = WeightedArgmax(weights=(0.7, 0.3), labels=("ill", "well"))
    >>> rule.predict([[0.4, 0.6], [0.2, 0.8]]).tolist()
    ['ill', 'well']
    """

    is_plain: ClassVar[bool] = True

    weights: tuple[float, ...]
    labels: tuple[object, ...]

    def predict(self, probabilities: ArrayLike) -> NDArray[Any]:
        """Return a label per row of class probabilities, columns in the order of `labels`."""
        chances = np.asarray(probabilities, dtype=np.float64)
        if chances.ndim != 2 or chances.shape[1] != len(self.labels):
            raise InputError(
                where="WeightedArgmax",
                found=f"probabilities of shape {chances.shape}",
                needed=f"a row per case and {len(self.labels)} columns, one per class",
                cure="Pass what predict_proba returns.",
            )
        return np.asarray(np.array(self.labels)[np.argmax(chances * self.weights, axis=1)])

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {"rule": "weighted argmax", "weights": list(self.weights),
                "labels": list(self.labels)}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupThresholds(Saved):
    """Flag a case when its score reaches the threshold of its group.

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> rule = GroupThresholds(thresholds={"a": 0.3, "b": 0.6})
    >>> rule.predict([0.5, 0.5], ["a", "b"]).tolist()
    [1, 0]
    """

    is_plain: ClassVar[bool] = True

    thresholds: Mapping[str, float]

    def predict(self, scores: ArrayLike, groups: ArrayLike) -> NDArray[np.int_]:
        """Return 1 where a score reaches its group's threshold, else 0."""
        values, group = np.asarray(scores, dtype=np.float64).ravel(), np.asarray(groups).ravel()
        if values.size != group.size:
            raise LengthMismatchError(
                where="GroupThresholds", lengths={"scores": values.size, "groups": group.size}
            )
        names = [str(name) for name in group.tolist()]
        for name in names:
            if name not in self.thresholds:
                raise UnknownNameError(where="groups", name=name, names=self.thresholds)
        cuts = np.array([self.thresholds[name] for name in names], dtype=np.float64)
        return np.asarray((values >= cuts).astype(np.int_))

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {"rule": "thresholds per group", "thresholds": dict(self.thresholds)}
