"""Do weights describe this person at all? Tests of fit for choices by criteria.

In: particles of the posterior and every answer. Out: reasons why no alternative should be named,
none when weights describe the person. Absent: learning.

Two rivals are compared with the model by their Bayes factors over all answers: somebody who clicks
at random, and somebody who takes one side nearly always. Pairs kept back are a test without a
rival: as many disagreements or more must not be rare.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp

from howgood.learn.elicitation.fit import (
    AGAIN,
    DECISIVE,
    DISAGREES,
    IN_WORDS,
    INDIFFERENT,
    LARGER,
    RANDOM,
    RARE,
    SIDE,
    guessing_evidence,
    one_side_evidence,
)
from howgood.stats.arrays import FloatArray
from howgood.stats.paired_choices import at_least_probability
from howgood.stats.weighted_choices import Choices, log_likelihoods, side_probabilities


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Evidence:
    """The posterior, and what was said: learned from, not learned from, kept back.

    `learned` is the log probability of the answers learned from, each before it was; `weights` are
    the posterior means, which say which side of a pair is the better one.
    """

    particles: FloatArray
    learned: float
    choices: Choices
    others: Choices
    held_out: Choices
    weights: FloatArray


def misfit_reasons(evidence: Evidence, is_indifferent: bool) -> list[tuple[str, str]]:
    """Return every reason why no alternative should be named, with what to do about it."""
    reasons = [(INDIFFERENT, LARGER)] if is_indifferent else []
    return [*reasons, *_beaten_by_a_rival(evidence), *_disagreeing(evidence)]


def _beaten_by_a_rival(evidence: Evidence) -> list[tuple[str, str]]:
    said = np.concatenate([evidence.choices.chosen, evidence.others.chosen])
    if not said.size:
        return []
    # Given what was learned, the other answers are judged together, not one by one.
    others = log_likelihoods(evidence.particles, evidence.others).sum(axis=1)
    model = evidence.learned + float(logsumexp(others) - np.log(others.size))
    rivals = {
        float(guessing_evidence(said)[0]) - model: (RANDOM, AGAIN),
        one_side_evidence(said) - model: (SIDE, AGAIN),
    }
    best = max(rivals)
    return [rivals[best]] if best > np.log(DECISIVE) else []


def _disagreeing(evidence: Evidence) -> list[tuple[str, str]]:
    decided = evidence.held_out.chosen < 2
    if not decided.any():
        return []
    gaps = evidence.held_out.differences[decided]
    prefers = np.where(gaps @ evidence.weights > 0, 0, 1)
    first, second, _ = side_probabilities(evidence.particles, gaps)
    agreeing = np.where(prefers == 0, first, second) / (first + second)
    n_wrong = int((prefers != evidence.held_out.chosen[decided]).sum())
    if at_least_probability(1.0 - agreeing, n_wrong) >= RARE:
        return []
    asked = int(decided.sum())
    reason = DISAGREES.format(
        agreed=asked - n_wrong, asked=asked, expected=round(float(agreeing.mean(axis=0).sum()))
    )
    return [(reason, IN_WORDS)]
