"""The kinds of metric a respondent may have in mind, as strengths of preference.

In: confusion counts of pairs. Out: for each parameter value of each family and each way of being
noisy, how strongly the first side is preferred. Absent: answers (see `belief`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from howgood.errors import UnknownNameError
from howgood.records.confusion import ConfusionMatrix
from howgood.records.elicited_metric import (
    CappedMetric,
    ElicitedMetric,
    FBetaMetric,
    LinearMetric,
)
from howgood.stats.confusion_scores import capped_score, f_beta_score

FloatArray = NDArray[np.float64]

WEIGHTS = {"linear": 0.6, "f_beta": 0.25, "cap": 0.15}
LAPSES = np.array([0.02, 0.1, 0.25])
WIDTHS = np.array([0.0, 0.5, 1.5])
# Sensitivity to a difference of one case in 100, from faint to razor-sharp. All families get the
# same values: with a sharper set, a family would win by its noise instead of its metric (ADR 40).
_ABSOLUTE = np.array([0.25, 1.0, 4.0, 16.0, 64.0])
# Sensitivity to the ratio of gains against the ratio of costs (Weber's law).
_WEBER = np.array([1.0, 4.0, 16.0, 64.0])
_GONE = 1e-4  # nodes with less weight than this are not worth a finer look
_MOST = 60.0  # stronger preferences are certain anyway; keeps exponentials finite


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Family:
    """Parameter nodes of one family with their prior, and its noise sensitivities' prior."""

    name: str
    nodes: FloatArray  # logit a0, log beta, or the cap in steps
    prior: FloatArray  # over nodes, sums to 1
    noise_prior: FloatArray  # over sensitivities, sums to 1
    # A node stands for its cell: choices are averaged over these places in it. Without that, a
    # respondent between two nodes looks inconsistent, and the family with the luckier grid wins.
    places: tuple[float, ...]
    cap_step: float = 0.01  # one step of the cap, as a share of all cases

    def strengths(self, first: FloatArray, second: FloatArray) -> list[FloatArray]:
        """Return preference for the first side, (n_pairs, n_nodes, n_sensitivities) per place.

        `first` and `second` have shape (n_pairs, 4) with columns TP, FN, FP, TN.
        """
        return [self._strengths_at(self.nodes + place, first, second) for place in self.places]

    def _strengths_at(self, nodes: FloatArray, first: FloatArray, second: FloatArray) -> FloatArray:
        if self.name == "linear":
            return _linear_strengths(nodes, first, second)
        gaps = self._utilities(nodes, first) - self._utilities(nodes, second)
        strengths = 100.0 * gaps[:, :, None] * _ABSOLUTE
        return np.asarray(np.clip(strengths, -_MOST, _MOST))

    def _utilities(self, nodes: FloatArray, counts: FloatArray) -> FloatArray:
        tp, fn, fp, _ = counts.T[:, :, None]
        if self.name == "f_beta":
            return f_beta_score(tp, fn, fp, beta=np.exp(nodes))
        return capped_score(fn, fp, counts.sum(axis=1)[:, None], cap=nodes * self.cap_step)

    def refined(self, weights: FloatArray) -> "Family":
        """Return the same family with as many nodes as before, all of them where weight is.

        A respondent who never errs soon fits one node alone, and the cell of that node is then
        wider than what the answers say.
        """
        step, n_nodes = float(self.nodes[1] - self.nodes[0]), self.nodes.size
        alive = np.flatnonzero(weights > _GONE)
        first, last = max(int(alive[0]) - 1, 0), min(int(alive[-1]) + 1, n_nodes - 1)
        cell = (last - first + 1) * step / n_nodes
        nodes = self.nodes[first] - step / 2 + cell * (np.arange(n_nodes) + 0.5)
        prior = np.exp(np.interp(nodes, self.nodes, np.log(self.prior)))
        return replace(self, nodes=nodes, prior=prior / prior.sum(), places=_places(nodes))

    def metric(self, node: float) -> ElicitedMetric:
        """Return the metric a node stands for."""
        if self.name == "linear":
            return LinearMetric(a0=float(1 / (1 + np.exp(-node))))
        if self.name == "f_beta":
            return FBetaMetric(beta=float(np.exp(node)))
        return CappedMetric(cap=float(node) * self.cap_step)


def make_families(
    names: Sequence[str], *, direct_ratio: float | None, cap_step: float = 0.01
) -> tuple[Family, ...]:
    """Return the named families; a direct answer "one miss is r false alarms" moves the prior."""
    for name in names:
        if name not in WEIGHTS:
            raise UnknownNameError(where="families", name=name, names=WEIGHTS)
    makers = {"linear": lambda: _linear(direct_ratio), "f_beta": _f_beta, "cap": _cap}
    made = (makers[name]() for name in dict.fromkeys(names))
    return tuple(replace(each, cap_step=cap_step) for each in made)


def cap_step_for(matrix: ConfusionMatrix) -> float:
    """Return the step in which a cap on misses is counted, as a share of all cases.

    One case in a hundred; where fewer than one in ten are positive, one case of those shown: there
    a cap of one in a hundred might allow every miss.
    """
    is_rare = matrix.positives < 0.1 * matrix.total
    return 1.0 / matrix.total if is_rare else 0.01


def _linear(direct_ratio: float | None) -> Family:
    nodes = np.linspace(-5.3, 5.3, 121)
    a0 = 1 / (1 + np.exp(-nodes))
    if direct_ratio is None:
        prior = a0 * (1 - a0)  # uniform in a0
    else:
        prior = np.exp(-0.5 * ((nodes + np.log(direct_ratio)) / 1.2) ** 2)
    noise = np.concatenate([0.5 * _even(_ABSOLUTE.size), 0.5 * _even(_WEBER.size)])
    return Family(
        name="linear",
        nodes=nodes,
        prior=prior / prior.sum(),
        noise_prior=noise,
        places=_places(nodes),
    )


def _f_beta() -> Family:
    nodes = np.linspace(np.log(0.2), np.log(8.0), 41)
    return Family(
        name="f_beta",
        nodes=nodes,
        prior=_even(41),
        noise_prior=_even(_ABSOLUTE.size),
        places=_places(nodes),
    )


def _cap() -> Family:
    nodes = np.arange(20.0)
    return Family(
        name="cap",
        nodes=nodes,
        prior=_even(20),
        noise_prior=_even(_ABSOLUTE.size),
        places=(0.0,),
    )


def _even(size: int) -> FloatArray:
    return np.full(size, 1.0 / size)


def _places(nodes: FloatArray) -> tuple[float, ...]:
    step = float(nodes[1] - nodes[0])
    return (-step / 3, 0.0, step / 3)


def _linear_strengths(z: FloatArray, first: FloatArray, second: FloatArray) -> FloatArray:
    found = (first[:, 0] - second[:, 0])[:, None]
    cleared = (first[:, 3] - second[:, 3])[:, None]
    scale = 100.0 / first.sum(axis=1)[:, None]
    a0 = 1 / (1 + np.exp(-z))
    absolute = scale * ((1 - a0) * found + a0 * cleared)
    # Weber's law needs a trade-off; where one side is simply better, preference is certain.
    trade = found * cleared < 0
    ratio = np.log(np.abs(np.where(trade, found / np.where(cleared == 0, 1, cleared), 1.0)))
    weber = np.where(
        trade, np.sign(found) * (ratio - z), np.sign(found + cleared) * _MOST / _WEBER[0]
    )
    both = np.concatenate([absolute[:, :, None] * _ABSOLUTE, weber[:, :, None] * _WEBER], axis=2)
    return np.asarray(np.clip(both, -_MOST, _MOST))
