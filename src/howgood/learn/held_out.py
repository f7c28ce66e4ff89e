r"""How well a fit predicts a person it has not seen: leave one person out, by reweighting.

In: the log likelihood of every person's answers under every draw. Out: `HeldOut`. Absent: refits.

A person k is taken out of the posterior by the weights :math:`1 / p(y_k \mid \theta)`, Pareto
smoothed; the score is :math:`\log p(y_k \mid y_{-k})`. People's own leniency is integrated over, so
the answers of a person are left out together.
"""

from dataclasses import dataclass

import numpy as np

from howgood.stats.arrays import FloatArray
from howgood.stats.importance import weighted

LARGEST_KHAT = 0.7


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Log score of every group of people who answered alike, and how sound leaving one out is."""

    log_scores: FloatArray
    khat: FloatArray

    def score(self, alike: FloatArray) -> float:
        """Return the score of all people; `alike` says how many each group has."""
        return float(alike @ self.log_scores)

    def difference(self, other: "HeldOut", alike: FloatArray) -> tuple[float, float]:
        """Return this score less the other, and its standard error over people."""
        apart, n_people = self.log_scores - other.log_scores, float(alike.sum())
        total = float(alike @ apart)
        if n_people < 2:
            return total, 0.0
        variance = float(alike @ (apart - total / n_people) ** 2) / (n_people - 1)
        return total, float(np.sqrt(n_people * variance))


def held_out(log_likelihoods: FloatArray) -> HeldOut:
    """Leave every group out of draws, given log likelihoods of shape (draws, groups)."""
    scores, khats = [], []
    no_draws = np.zeros((len(log_likelihoods), 0))
    for column in log_likelihoods.T:
        sample = weighted(no_draws, -column)
        top = column.max()
        scores.append(top + np.log(sample.weights @ np.exp(column - top)))
        khats.append(sample.khat)
    return HeldOut(np.array(scores), np.array(khats))
