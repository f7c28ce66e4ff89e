"""What the answers so far say about families, parameters and noise: an exact grid posterior.

In: strengths of preference and answers. Out: probabilities, predictions, the most informative
next pair. Absent: which questions are asked in which order (see `elicitor`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logsumexp

from howgood.learn.elicitation.families import LAPSES, LAPSES_TO_SAME, WIDTHS, Family
from howgood.records.elicited_metric import Choice
from howgood.stats.arrays import FloatArray
from howgood.stats.paired_choices import mutual_information

_NEGLIGIBLE = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ChoiceTable:
    """Logistic choice curves of every pair of a bank, made once: shape (node, pair, noise)."""

    first: NDArray[np.float32]
    second: NDArray[np.float32]

    def of(self, nodes: NDArray[np.bool_]) -> "ChoiceTable":
        """Return the curves of some nodes, without a copy where that is all of them."""
        if nodes.all():
            return self
        return ChoiceTable(first=self.first[nodes], second=self.second[nodes])


class Belief:
    """Posterior weights over (node, sensitivity, width, lapse) of each family."""

    def __init__(self, families: tuple[Family, ...]) -> None:
        self.families = families
        total = sum(family.weight for family in families)
        self._prior = [
            np.log(family.weight / total)
            + np.log(family.prior)[:, None, None, None]
            + np.log(family.noise_prior)[None, :, None, None]
            - np.log(WIDTHS.size * LAPSES.size)
            + np.zeros((1, 1, WIDTHS.size, LAPSES.size))
            for family in families
        ]
        self._log_weights = [prior.copy() for prior in self._prior]

    def likelihood(self, first: FloatArray, second: FloatArray, choice: Choice) -> list[FloatArray]:
        """Return the probability of one answer everywhere; sides are rows TP, FN, FP, TN."""
        return [
            _answer_probability(family.strengths(first[None], second[None]), choice)
            for family in self.families
        ]

    def update(self, likelihood: list[FloatArray]) -> None:
        """Take one answer in."""
        for weights, values in zip(self._log_weights, likelihood, strict=True):
            weights += np.log(np.maximum(values, 1e-300))
        peak = logsumexp([logsumexp(weights) for weights in self._log_weights])
        for weights in self._log_weights:
            weights -= peak

    def log_prior(self) -> FloatArray:
        """Return the prior of every state of every family, in one row."""
        return np.concatenate([prior.ravel() for prior in self._prior])

    def weights(self) -> list[FloatArray]:
        """Return normalised weights, one array per family."""
        return [np.exp(weights) for weights in self._log_weights]

    def family_probabilities(self) -> dict[str, float]:
        """Return the probability of each family."""
        return {
            family.name: float(weights.sum())
            for family, weights in zip(self.families, self.weights(), strict=True)
        }

    def family(self, name: str) -> Family:
        """Return the family of this name."""
        return next(family for family in self.families if family.name == name)

    def node_weights(self, name: str) -> FloatArray:
        """Return the posterior over one family's nodes, given that family."""
        index = [family.name for family in self.families].index(name)
        log_nodes = logsumexp(self._log_weights[index], axis=(1, 2, 3))
        return np.asarray(np.exp(log_nodes - logsumexp(log_nodes)))

    def left_out(self, likelihood: list[FloatArray]) -> float:
        """Return how probable an answer already taken in is, given all the others.

        Averages 1 / likelihood over the posterior: exact on a grid.
        """
        inverse = sum(
            float((weights / np.maximum(values, 1e-300)).sum())
            for weights, values in zip(self.weights(), likelihood, strict=True)
        )
        return 1.0 / inverse

    def predict(self, first: FloatArray, second: FloatArray) -> FloatArray:
        """Return the probability that the first side is chosen, per pair; ties count half."""
        chosen = np.zeros(len(first))
        for family, weights in zip(self.families, self.weights(), strict=True):
            if weights.sum() > 1e-12:
                curves = choice_table(family.strengths(first, second))
                one, two = _expected_choices(curves, weights)
                mass = weights.sum(axis=(1, 2, 3))
                chosen += mass @ (0.5 + 0.5 * (one - two))
        return chosen

    def expected_agreement(self, tables: list[ChoiceTable]) -> float:
        """Return how often the likelier side is chosen, averaged over the bank."""
        chosen = np.zeros(tables[0].first.shape[1])
        for table, weights in zip(tables, self.weights(), strict=True):
            one, two = _expected_choices(table, weights)
            chosen += weights.sum(axis=(1, 2, 3)) @ (0.5 + 0.5 * (one - two))
        return float(np.maximum(chosen, 1 - chosen).mean())

    def regrets(self, by_family: list[FloatArray]) -> FloatArray:
        """Return what each system is expected to forgo, as a share of the gain.

        `by_family` holds `Family.regrets` of the same systems.
        """
        expected = sum(
            regrets @ weights.sum(axis=(1, 2, 3))
            for regrets, weights in zip(by_family, self.weights(), strict=True)
        )
        return np.asarray(expected)

    def information(self, tables: list[ChoiceTable]) -> FloatArray:
        """Return the expected information of every pair of the bank about family and node."""
        first, second, mass = [], [], []
        for table, weights in zip(tables, self.weights(), strict=True):
            models = weights.sum(axis=(1, 2, 3))
            # Models without weight cannot inform: most of the work is saved late on.
            alive = models > _NEGLIGIBLE
            if alive.any():
                one, two = _expected_choices(table.of(alive), weights[alive])
                first.append(one)
                second.append(two)
                mass.append(models[alive])
        one, two = np.concatenate(first), np.concatenate(second)
        models = np.concatenate(mass)
        gain = mutual_information(models, one, two, np.maximum(1 - one - two, 0.0))
        return np.asarray(gain)


def refined(
    belief: Belief, name: str, answered: Sequence[tuple[FloatArray, FloatArray, Choice]]
) -> Belief:
    """Return the posterior of one family alone, on nodes as close as its answers tell apart."""
    fine = Belief((belief.family(name).refined(belief.node_weights(name)),))
    for first, second, choice in answered:
        fine.update(fine.likelihood(first, second, choice))
    return fine


def _answer_probability(strengths: list[FloatArray], choice: Choice) -> FloatArray:
    """Return the probability of an answer to one pair, shape (node, sensitivity, width, lapse).

    Averaged over the places of each cell before lapses come in: a lapse is the same everywhere.
    """
    curves = {
        sign: np.mean([expit(sign * x[0][:, :, None] - WIDTHS) for x in strengths], axis=0)
        for sign in ((1, -1) if choice == "same" else (1,) if choice == "first" else (-1,))
    }
    attentive = sum(curves.values())[..., None]
    if choice == "same":
        attentive = 1 - attentive
    slipped = LAPSES * (LAPSES_TO_SAME if choice == "same" else (1 - LAPSES_TO_SAME) / 2)
    return np.asarray(np.maximum(slipped + (1 - LAPSES) * attentive, 0.0))


def choice_table(strengths: list[FloatArray]) -> ChoiceTable:
    """Return the logistic curves of all pairs, nodes and noises, in single precision."""
    widths = WIDTHS.astype(np.float32)
    n_pairs, n_nodes, _ = strengths[0].shape
    first = second = np.zeros(1, dtype=np.float32)
    for strength in strengths:
        x = np.moveaxis(strength, 0, 1).astype(np.float32)[..., None]  # (node, pair, s, 1)
        first = first + expit(x - widths) / np.float32(len(strengths))
        second = second + expit(-x - widths) / np.float32(len(strengths))
    shape = (n_nodes, n_pairs, -1)
    return ChoiceTable(first=first.reshape(shape), second=second.reshape(shape))


def _expected_choices(table: ChoiceTable, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Average the two choice probabilities over noise, per (node, pair)."""
    mass = np.maximum(weights.sum(axis=(1, 2, 3), keepdims=True), 1e-300)
    given_node = weights / mass
    slipped = (given_node * LAPSES * (1 - LAPSES_TO_SAME) / 2).sum(axis=(1, 2, 3))[:, None]
    attentive = (given_node * (1 - LAPSES)).sum(axis=3).reshape(len(weights), -1, 1)
    attentive = attentive.astype(np.float32)
    first = (table.first @ attentive)[:, :, 0] + slipped
    second = (table.second @ attentive)[:, :, 0] + slipped
    return first.astype(np.float64), second.astype(np.float64)
