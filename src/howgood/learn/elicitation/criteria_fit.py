"""Do weights describe this person at all? Tests of fit for choices by criteria.

In: particles of the posterior and every answer. Out: reasons why no alternative should be named,
none when weights describe the person. Absent: learning.

Four rivals are compared with the model by their Bayes factors over all answers, as for metrics of
two errors (see `fit`): somebody who clicks at random, who takes one side nearly always, who tires
and goes on at random, who changes their mind. Pairs kept back are a test without a rival: as many
disagreements or more must not be rare. Where the model foretells answers hardly better than a coin,
they say too little.
"""

from dataclasses import dataclass

import numpy as np

from howgood.learn.elicitation.fit import (
    AGAIN,
    CHANGED,
    CHANGES,
    DECISIVE,
    DISAGREES,
    ENOUGH_TESTED,
    FEWEST,
    IN_WORDS,
    INDIFFERENT,
    INFORMATIVE,
    LARGER,
    MORE,
    RANDOM,
    RARE,
    SHORTER,
    SIDE,
    TIRES,
    Misfit,
    averaged,
    guessing_evidence,
    one_side_evidence,
)
from howgood.stats.arrays import FloatArray
from howgood.stats.paired_choices import at_least_probability
from howgood.stats.weighted_choices import (
    Choices,
    log_likelihoods,
    running_evidence,
    side_probabilities,
)

_PARTICLES, _MOVES = 600, 3  # of the searches that begin anew, forwards and backwards


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Evidence:
    """The posterior, and what was said: learned from, not learned from, kept back.

    `learned` is the log probability of the answers learned from, each before it was; `weights` are
    the posterior means, which say which side of a pair is the better one. `everything` is all
    answers in the order given, `seed` where chance comes from.
    """

    particles: FloatArray
    learned: float
    choices: Choices
    others: Choices
    held_out: Choices
    weights: FloatArray
    everything: Choices
    seed: tuple[int, ...]


def misfit(evidence: Evidence, is_indifferent: bool) -> Misfit:
    """Return every reason why nothing should be named, and whether the answers inform."""
    against = _rivals(evidence)
    failed = [(INDIFFERENT, LARGER)] if is_indifferent else []
    failed += [*_beaten_by(against, by=DECISIVE), *_disagreeing(evidence)]
    is_informative, more = _is_informative(evidence), tuple[str, ...]()
    if not is_informative:
        more = (MORE, *(advice for _, advice in _beaten_by(against, by=1.0)))
    return Misfit(
        reasons=tuple(reason for reason, _ in failed),
        advice=tuple(dict.fromkeys(advice for _, advice in failed)) or more,
        is_informative=is_informative,
    )


def _is_informative(evidence: Evidence) -> bool:
    """Are the answers foretold better than by a coin, each by those before it?

    Unlike in interviews about two errors, answers learned from count as well: an interview that
    ends as soon as the best is settled leaves weights open, and pairs kept back unpredictable.
    """
    said = np.concatenate([evidence.choices.chosen, evidence.held_out.chosen])
    if said.size < ENOUGH_TESTED:
        return True
    held_out = log_likelihoods(evidence.particles, evidence.held_out).sum(axis=1)
    model = evidence.learned + averaged(held_out)
    return bool(model - guessing_evidence(said)[0] > np.log(INFORMATIVE))


def _beaten_by(against: dict[float, tuple[str, str]], *, by: float) -> list[tuple[str, str]]:
    best = max(against, default=-np.inf)
    return [against[best]] if best > np.log(by) else []


def _rivals(evidence: Evidence) -> dict[float, tuple[str, str]]:
    """Return what is said of each rival and advised, by its log Bayes factor."""
    said = evidence.everything.chosen
    if not said.size:
        return {}
    # Given what was learned, the other answers are judged together, not one by one.
    others = log_likelihoods(evidence.particles, evidence.others).sum(axis=1)
    model = evidence.learned + averaged(others)
    tires, changes = _broken_off(evidence)
    return {
        float(guessing_evidence(said)[0]) - model: (RANDOM, AGAIN),
        one_side_evidence(said) - model: (SIDE, AGAIN),
        tires: (TIRES, SHORTER),
        changes: (CHANGES, CHANGED),
    }


def _broken_off(evidence: Evidence) -> tuple[float, float]:
    """Return log Bayes factors of fatigue and of a change of mind at some answer."""
    everything, generator = evidence.everything, np.random.default_rng(evidence.seed)
    n = everything.chosen.size
    turns = np.arange(FEWEST, n - FEWEST + 1)
    if not turns.size:
        return -np.inf, -np.inf
    begun = running_evidence(everything, generator, particles=_PARTICLES, moves=_MOVES)
    rest = running_evidence(everything.backwards(), generator, particles=_PARTICLES, moves=_MOVES)[
        ::-1
    ]
    # Forwards and backwards are two estimates of the same evidence of all answers.
    model = averaged(np.array([begun[-1], rest[0]]))
    guessing = guessing_evidence(everything.chosen)
    return (
        averaged(begun[turns] + guessing[turns]) - model,
        averaged(begun[turns] + rest[turns]) - model,
    )


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
