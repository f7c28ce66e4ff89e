"""Does the model describe this person at all? Tests of fit, from every answer so far.

In: the families' prior, every answer in the order given, the metric learned. Out: the reasons why
no metric should be named, none when it fits, and whether the answers inform at all. Absent:
learning.

Four rivals are compared with the model by their Bayes factors over all answers: somebody who
clicks at random, who takes one side always, who tires and goes on at random, who changes their
mind. If the model holds, a factor beyond `DECISIVE` comes up at most once in so many interviews
(Markov's inequality): each rival wrongs at most 5 % of the people whom the model describes. Two
more tests need no rival: more disagreements on pairs kept back, or a simple metric further ahead
there, than the person whom the posterior describes, noise and all, would show.

Noise is no misfit: somebody who errs often gets a wide interval. Only where everything else
predicts the answers to the pairs kept back, and to those asked again, hardly better than a coin do
the answers say too little for a metric. Where that is still open, further pairs are asked, each
open before the interview and clear after it, until the answers inform, or clearly do not, or enough
is asked. By the same inequality, which holds whenever one stops (Ville), at most 10 % of random
clickers pass as informative (`INFORMATIVE`). Pairs with a plainly better side do not count for
that: who takes it shows care, and says nothing about what errors are worth.

Weights of criteria have the same rivals (`misfit_of_weights`, from particles of their posterior);
their pairs kept back are a test without a rival: as many disagreements or more must not be rare.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from howgood.learn.elicitation.belief import Belief
from howgood.learn.elicitation.further import DECISIVE, TESTED, says_enough
from howgood.records.elicitation import CHOICES, AnsweredQuery
from howgood.records.elicited_metric import ElicitedMetric
from howgood.stats.arrays import FloatArray
from howgood.stats.changed_weights import ChangeOfWeights
from howgood.stats.paired_choices import at_least_probability
from howgood.stats.weighted_choices import (
    Choices,
    log_likelihoods,
    particle_weights,
    side_probabilities,
)

RARE = 0.02  # as many disagreements or more are less probable than this, if the model holds
_SHARES_SAME = np.array([0.02, 0.1, 1 / 3])  # how often a random clicker takes "no preference"
_ON_ONE_SIDE = 0.95
FEWEST = 6  # fewer answers show neither a change nor fatigue
_STATES = 400  # posterior states that stand for all of them where pairs kept back are judged
_AFTER = 3  # so many answers at least after a change, or while tired
_AT_ONCE = 3


class Foretold:
    """How answers that are not learned from are foretold by the others, kept up one by one.

    The same as `information`, without going through all answers for every question.
    """

    def __init__(self, belief: Belief) -> None:
        self._belief = belief
        self._known = np.concatenate([weights.ravel() for weights in belief.weights()])
        self._told = self._known.copy()
        self.n_tested = 0

    def take(self, answer: AnsweredQuery) -> None:
        """Take in an answer that was not learned from."""
        by_family = self._belief.likelihood(*_sides(answer), answer.choice)
        likelihood = np.concatenate([values.ravel() for values in by_family])
        self._told *= likelihood
        if answer.query.kind in TESTED:
            self.n_tested += 1
        else:
            self._known *= likelihood

    def factor(self, answered: Sequence[AnsweredQuery]) -> float:
        """Return how much better than by a coin they are foretold; all answers are needed."""
        said = _said(answered)
        is_tested = np.array([answer.query.kind in TESTED for answer in answered])
        guessed = guessing_evidence(said)[0] - guessing_evidence(said[~is_tested])[0]
        return float(self._told.sum() / self._known.sum() * np.exp(-guessed))


@dataclass(frozen=True, slots=True, kw_only=True)
class Rivals:
    """How much better than the model each rival tells all answers: Bayes factors."""

    random: float
    one_side: float
    tires: float
    changes: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Misfit:
    """Why the model does not describe a person, and what to ask next; both empty when it does.

    Where `is_informative` is false there may be no reason, but the answers say too little.
    """

    reasons: tuple[str, ...]
    advice: tuple[str, ...]
    is_informative: bool = True

    @property
    def holds(self) -> bool:
        """Whether the description may be named."""
        return not self.reasons and self.is_informative


def misfit(
    belief: Belief,
    answered: Sequence[AnsweredQuery],
    *,
    metric: ElicitedMetric | None,
    baselines: Mapping[str, ElicitedMetric],
    is_indifferent: bool,
) -> Misfit:
    """Return every reason why no metric should be named, and whether the answers inform."""
    reasons: list[tuple[str, str]] = []
    is_informative, more = True, tuple[str, ...]()
    if is_indifferent:
        reasons.append((INDIFFERENT, LARGER))
    if answered:
        states = _AllStates.of(belief, answered)
        against = rivals(states)
        reasons += _beaten_by(against, by=DECISIVE)
        n_tested = int(states.is_tested.sum())
        is_informative = says_enough(information(states), n_tested)
        if not is_informative:
            more = (MORE, *(advice for _, advice in _beaten_by(against, by=1.0)))
    if metric is not None:
        held_out = [
            answer
            for answer in answered
            if answer.query.kind == "held-out" and answer.choice != "same"
        ]
        reasons += _held_out_reasons(belief, held_out, metric, baselines)
    return Misfit(
        reasons=tuple(reason for reason, _ in reasons),
        advice=tuple(dict.fromkeys(advice for _, advice in reasons)) or more,
        is_informative=is_informative,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _AllStates:
    """What was said, whether it tests what was learned, and how probable every state makes it."""

    said: NDArray[np.int64]
    is_tested: NDArray[np.bool_]
    log_prior: FloatArray
    likelihood: NDArray[np.float32]

    @classmethod
    def of(cls, belief: Belief, answered: Sequence[AnsweredQuery]) -> "_AllStates":
        log_prior = belief.log_prior()
        likelihood = np.empty((len(answered), log_prior.size), dtype=np.float32)
        for row, answer in zip(likelihood, answered, strict=True):
            by_family = belief.likelihood(*_sides(answer), answer.choice)
            np.concatenate([values.ravel() for values in by_family], out=row, casting="same_kind")
        return cls(
            said=_said(answered),
            is_tested=np.array([answer.query.kind in TESTED for answer in answered]),
            log_prior=log_prior,
            likelihood=np.maximum(likelihood, np.float32(1e-30), out=likelihood),
        )


def information(states: _AllStates) -> float:
    """Return how much better than a coin the other answers predict those of the test.

    A Bayes factor of the answers to pairs kept back and asked again, given all others.
    """
    tested_last = np.argsort(states.is_tested, kind="stable")
    n_known = int((~states.is_tested).sum())
    begun = _evidence(states.log_prior, states.likelihood[tested_last])
    guessed = guessing_evidence(states.said)[0]
    guessed -= guessing_evidence(states.said[~states.is_tested])[0]
    return float(np.exp(min(begun[-1] - begun[n_known] - guessed, 700.0)))


def rivals(states: _AllStates) -> Rivals:
    """Return how much better or worse than the model each rival tells all answers."""
    said, log_prior, likelihood = states.said, states.log_prior, states.likelihood
    # Evidence of the first k answers, and of all from k on as if they were somebody else's.
    begun = _evidence(log_prior, likelihood)
    rest = _evidence(log_prior, likelihood[::-1])[::-1]
    guessing, n = guessing_evidence(said), len(said)
    turns = np.arange(FEWEST, n - FEWEST + 1)
    logs = (
        guessing[0],
        one_side_evidence(said),
        averaged(begun[turns] + guessing[turns]),
        averaged(begun[turns] + rest[turns]),
    )
    random, one_side, tires, changes = (float(np.exp(min(log - begun[n], 700.0))) for log in logs)
    return Rivals(random=random, one_side=one_side, tires=tires, changes=changes)


def chances_of_first(belief: Belief, held_out: Sequence[AnsweredQuery]) -> FloatArray:
    """Return how probable the first side is where a side is taken: (n_states, n_questions).

    The states, equally probable, stand for the posterior: noise, lapses and uncertainty about the
    parameter are in.
    """
    weights = np.concatenate([weight.ravel() for weight in belief.weights()])
    # Evenly spread quantiles of the states stand for all of them; no chance involved.
    edges = np.cumsum(weights) / weights.sum()
    kept = np.minimum(
        np.searchsorted(edges, (np.arange(_STATES) + 0.5) / _STATES), weights.size - 1
    )
    chances = []
    for answer in held_out:
        pair = _sides(answer)
        first, second = (
            np.concatenate([values.ravel() for values in belief.likelihood(*pair, side)])[kept]
            for side in ("first", "second")
        )
        chances.append(first / (first + second))
    return np.column_stack(chances)


def disagreement_probability(
    chances: FloatArray, held_out: Sequence[AnsweredQuery], metric: ElicitedMetric
) -> tuple[float, float]:
    """Return how probable so many disagreements or more are, and how many agreements are expected.

    Both if the person is as the posterior says (`chances_of_first`).
    """
    agreeing = _agreeing(chances, held_out, metric)
    n_wrong = int((~_agreed(metric, held_out)).sum())
    return at_least_probability(1 - agreeing, n_wrong), float(agreeing.mean(axis=0).sum())


def beaten_probability(
    chances: FloatArray,
    held_out: Sequence[AnsweredQuery],
    metric: ElicitedMetric,
    baseline: ElicitedMetric,
) -> float:
    """Return how probable it is that a baseline is ahead on so many pairs or more.

    Of the pairs where only one of the two agrees with the respondent; if the person is as the
    posterior says (`chances_of_first`).
    """
    ours, theirs = _agreed(metric, held_out), _agreed(baseline, held_out)
    either = ours != theirs
    ahead = int((theirs & either).sum())
    if not ahead:
        return 1.0
    agreeing = _agreeing(chances, held_out, baseline)
    return at_least_probability(agreeing[:, either], ahead)


def _agreeing(
    chances: FloatArray, held_out: Sequence[AnsweredQuery], metric: ElicitedMetric
) -> FloatArray:
    """Return how probable it is that the respondent takes the metric's side; 0 if it has none."""
    prefers = [metric.prefers(answer.query.first, answer.query.second) for answer in held_out]
    columns = {"first": chances, "second": 1 - chances, "same": np.zeros_like(chances)}
    return np.column_stack([columns[side][:, place] for place, side in enumerate(prefers)])


def _beaten_by(rivals: Rivals, *, by: float) -> list[tuple[str, str]]:
    said = {
        rivals.random: (RANDOM, AGAIN),
        rivals.one_side: (SIDE, AGAIN),
        rivals.tires: (TIRES, SHORTER),
        rivals.changes: (CHANGES, CHANGED),
    }
    decisive = [factor for factor in said if factor > by]
    # Who clicks at random also seems to tire, and to change: the best explanation alone is said.
    return [said[max(decisive)]] if decisive else []


def _held_out_reasons(
    belief: Belief,
    held_out: Sequence[AnsweredQuery],
    metric: ElicitedMetric,
    baselines: Mapping[str, ElicitedMetric],
) -> list[tuple[str, str]]:
    if not held_out:
        return []
    chances = chances_of_first(belief, held_out)
    probability, expected = disagreement_probability(chances, held_out, metric)
    n_agreed, reasons = int(_agreed(metric, held_out).sum()), []
    if probability < RARE:
        reason = DISAGREES.format(agreed=n_agreed, asked=len(held_out), expected=round(expected))
        reasons.append((reason, IN_WORDS))
    for name, other in baselines.items():
        if beaten_probability(chances, held_out, metric, other) < RARE:
            theirs = int(_agreed(other, held_out).sum())
            reason = _BASELINE.format(name=name, theirs=theirs, ours=n_agreed, asked=len(held_out))
            reasons.append((reason, IN_WORDS))
    return reasons


def _agreed(metric: ElicitedMetric, held_out: Sequence[AnsweredQuery]) -> NDArray[np.bool_]:
    return np.array(
        [
            metric.prefers(answer.query.first, answer.query.second) == answer.choice
            for answer in held_out
        ]
    )


def _said(answered: Sequence[AnsweredQuery]) -> NDArray[np.int64]:
    return np.array([CHOICES.index(answer.choice) for answer in answered])


def _sides(answered: AnsweredQuery) -> tuple[FloatArray, FloatArray]:
    query = answered.query
    first, second = (
        np.array(list(side.to_dict().values()), dtype=float) for side in (query.first, query.second)
    )
    return first, second


def _evidence(log_prior: FloatArray, likelihood: NDArray[np.float32]) -> FloatArray:
    """Return the log probability of the first 0, 1, ... n answers."""
    total, log_evidence = np.exp(log_prior - log_prior.max()), [float(logsumexp(log_prior))]
    for row in likelihood:
        # Weights are brought back to one after every answer: nothing runs out of digits.
        mass = total.sum()
        total = total / mass * row
        log_evidence.append(log_evidence[-1] + float(np.log(total.sum())))
    return np.array(log_evidence)


def guessing_evidence(said: NDArray[np.int64]) -> FloatArray:
    """Return the log probability of the answers from each one on, clicked at random."""
    chance = np.where(said[:, None] == 2, _SHARES_SAME, (1 - _SHARES_SAME) / 2)
    logs = np.log(chance)[::-1].cumsum(axis=0)[::-1]
    after_the_last = np.zeros(_SHARES_SAME.size)
    evidence = logsumexp(np.vstack([logs, after_the_last]), axis=1)
    return np.asarray(evidence - np.log(_SHARES_SAME.size))


def one_side_evidence(said: NDArray[np.int64]) -> float:
    """Return the log probability of the answers of somebody who takes one of them nearly always."""
    other = (1 - _ON_ONE_SIDE) / 2
    counts = np.bincount(said, minlength=3)
    logs = counts * np.log(_ON_ONE_SIDE) + (said.size - counts) * np.log(other)
    return float(logsumexp(logs) - np.log(3))


def averaged(logs: FloatArray) -> float:
    """Return the logarithm of the mean of what is given as logarithms; of nothing, of zero."""
    return float(logsumexp(logs) - np.log(logs.size)) if logs.size else -np.inf


INDIFFERENT = 'most answers were "no preference"'
RANDOM = "clicking at random would explain the answers better"
SIDE = "taking the same answer nearly every time would explain the answers better"
TIRES = "attention that gives way to random clicks would explain the answers better"
CHANGES = "a change of mind during the interview would explain the answers better"
DISAGREES = (
    "on pairs kept back it chose as the respondent did in {agreed} of {asked}, where about "
    "{expected} were to be expected"
)
_BASELINE = (
    "on pairs kept back, {name} chose as the respondent did in {theirs} of {asked}, this metric in "
    "{ours}"
)
AGAIN = "Explain once more what the numbers mean, and ask again."
SHORTER = "Ask again after a break, with fewer questions at a time."
CHANGED = "Ask what changed, then begin a new interview."
LARGER = "Ask about systems that differ more, or ask whether either error matters at all."
IN_WORDS = (
    "Ask the respondent to say in their own words how they decide; show the reachable systems and "
    "let them point at the best."
)
MORE = "Ask more questions, about systems that differ more."


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Evidence:
    """The posterior, and what was said: learned from, not learned from, kept back.

    `learned` is the log probability of the answers learned from, each before it was; `everything`
    is all answers in the order given, `tires` and `changes` are log Bayes factors (`BrokenOff`).
    """

    particles: FloatArray
    learned: float
    others: Choices
    held_out: Choices
    everything: Choices
    is_informative: bool
    tires: float
    changes: float


def misfit_of_weights(evidence: Evidence, is_indifferent: bool) -> Misfit:
    """Return every reason why nothing should be named, and whether the answers inform."""
    against = _rivals(evidence)
    failed = [(INDIFFERENT, LARGER)] if is_indifferent else []
    failed += [*_beaten_by_weights(against, by=1.0), *_disagreeing(evidence)]
    more = tuple[str, ...]()
    if not evidence.is_informative:
        more = (MORE, *(advice for _, advice in _beaten_by_weights(against, by=1 / DECISIVE)))
    return Misfit(
        reasons=tuple(reason for reason, _ in failed),
        advice=tuple(dict.fromkeys(advice for _, advice in failed)) or more,
        is_informative=evidence.is_informative,
    )


def information_of_weights(
    particles: FloatArray, *, choices: Choices, catches: Choices, tested: Choices
) -> float:
    """Return how much better than a coin the other answers predict those of the test.

    A Bayes factor, as in interviews about two errors. The particles have learned from `choices`;
    `catches`, pairs with a plainly better side, tell how attentive somebody is.
    """
    attentive = log_likelihoods(particles, catches).sum(axis=1)
    informed = attentive + log_likelihoods(particles, tested).sum(axis=1)
    others = np.concatenate([choices.chosen, catches.chosen])
    coin = guessing_evidence(np.concatenate([others, tested.chosen]))[0]
    coin -= guessing_evidence(others)[0]
    return float(np.exp(min(averaged(informed) - averaged(attentive) - coin, 700.0)))


def _beaten_by_weights(
    against: dict[float, tuple[str, str]], *, by: float
) -> list[tuple[str, str]]:
    best = max(against, default=-np.inf)
    return [against[best]] if best > np.log(by) else []


def _rivals(evidence: Evidence) -> dict[float, tuple[str, str]]:
    """Return what is said of each rival and advised, by its log Bayes factor over its bound."""
    said = evidence.everything.chosen
    if not said.size:
        return {}
    # Given what was learned, the other answers are judged together, not one by one.
    others = log_likelihoods(evidence.particles, evidence.others).sum(axis=1)
    model = evidence.learned + averaged(others)
    bound = np.log(DECISIVE)
    return {
        float(guessing_evidence(said)[0]) - model - bound: (RANDOM, AGAIN),
        one_side_evidence(said) - model - bound: (SIDE, AGAIN),
        evidence.tires - bound: (TIRES, SHORTER),
        evidence.changes - bound: (CHANGES, CHANGED),
    }


class BrokenOff:
    """Does somebody tire or change their mind at some answer? Kept up answer by answer.

    Every answer counts. When it happens is among the questions planned, so that further ones leave
    the inequality as it is.
    """

    def __init__(self, k: int, n_planned: int, seed: tuple[int, ...]) -> None:
        self.n_planned = n_planned
        self._turns = np.arange(FEWEST, n_planned - _AFTER + 1)
        if self._turns.size:
            self._change = ChangeOfWeights(k, self._turns, np.random.default_rng(seed))

    def take_some(self, everything: Choices) -> None:
        """Take in a few answers ahead of time, so that nobody waits for all of them at once."""
        if self._turns.size:
            self._change.take(everything, most=_AT_ONCE)

    def factors(self, everything: Choices) -> tuple[float, float]:
        """Return log Bayes factors of fatigue and of a change of mind, given all answers."""
        if not self._turns.size:
            return -np.inf, -np.inf
        self._change.take(everything)
        begun, guessing = np.array(self._change.unchanged), guessing_evidence(everything.chosen)
        turns = np.minimum(self._turns, everything.chosen.size)
        return averaged(begun[turns] + guessing[turns]) - begun[-1], self._change.changed - begun[
            -1
        ]


def _disagreeing(evidence: Evidence) -> list[tuple[str, str]]:
    decided = evidence.held_out.chosen < 2
    if not decided.any():
        return []
    gaps = evidence.held_out.differences[decided]
    weights = particle_weights(evidence.particles).mean(axis=0)
    prefers = np.where(gaps @ weights > 0, 0, 1)
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
