"""Does the model describe this person at all? Tests of fit, from every answer so far.

In: the families' prior, every answer in the order given, the metric learned. Out: the reasons why
no metric should be named, none when it fits. Absent: learning.

Four rivals are compared with the model by their Bayes factors over all answers: somebody who
clicks at random, who takes one side always, who tires and goes on at random, who changes their
mind. If the model holds, a factor beyond `DECISIVE` comes up at most once in so many interviews
(Markov's inequality). Three more tests need no rival: disagreements on pairs kept back, agreement
there that a coin might reach, and a simple metric that does better there.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from howgood.learn.elicitation.belief import Belief
from howgood.records.elicitation import AnsweredQuery
from howgood.records.elicited_metric import ElicitedMetric
from howgood.stats.arrays import FloatArray
from howgood.stats.paired_choices import at_least_probability

DECISIVE = 6.0
RARE = 0.02  # as many disagreements or more are less probable than this, if the model holds
_BEATEN = 0.05  # a simple metric is ahead by more than chance would put it as often as this
_BY_A_COIN = 0.1  # a fair coin agrees as often more often than this: nothing is known to be learned
_ENOUGH_HELD_OUT = 8  # in fewer questions a coin cannot be told from a metric
_SHARES_SAME = np.array([0.02, 0.1, 1 / 3])  # how often a random clicker takes "no preference"
_ON_ONE_SIDE = 0.95
_FEWEST = 6  # in fewer answers neither a change nor fatigue can be told
_STATES = 400  # posterior states that stand for all of them where pairs kept back are judged


@dataclass(frozen=True, slots=True, kw_only=True)
class Rivals:
    """How much better than the model each rival tells all answers: Bayes factors."""

    random: float
    one_side: float
    tires: float
    changes: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Misfit:
    """Why the model does not describe a person, and what to ask next; both empty when it does."""

    reasons: tuple[str, ...]
    advice: tuple[str, ...]


def misfit(
    belief: Belief,
    answered: Sequence[AnsweredQuery],
    *,
    metric: ElicitedMetric | None,
    baselines: Mapping[str, ElicitedMetric],
    is_indifferent: bool,
) -> Misfit:
    """Return every reason why no metric should be named."""
    found: list[tuple[str, str]] = []
    if is_indifferent:
        found.append((INDIFFERENT, LARGER))
    if answered:
        found += _beaten_by(rivals(belief, answered))
    if metric is not None:
        held_out = [
            answer
            for answer in answered
            if answer.query.kind == "held-out" and answer.choice != "same"
        ]
        found += _held_out_reasons(belief, held_out, metric, baselines)
    return Misfit(
        reasons=tuple(reason for reason, _ in found),
        advice=tuple(dict.fromkeys(advice for _, advice in found)),
    )


def rivals(belief: Belief, answered: Sequence[AnsweredQuery]) -> Rivals:
    """Return how much better or worse than the model each rival tells all answers."""
    said = np.array([("first", "second", "same").index(answer.choice) for answer in answered])
    log_prior, log_likelihood = _all_states(belief, answered)
    # Evidence of the first k answers, and of all from k on as if they were somebody else's.
    begun = _evidence(log_prior, log_likelihood)
    rest = _evidence(log_prior, log_likelihood[::-1])[::-1]
    guessing, n = guessing_evidence(said), len(said)
    turns = np.arange(_FEWEST, n - _FEWEST + 1)
    logs = (
        guessing[0],
        one_side_evidence(said),
        _averaged(begun[turns] + guessing[turns]),
        _averaged(begun[turns] + rest[turns]),
    )
    random, one_side, tires, changes = (float(np.exp(min(log - begun[n], 700.0))) for log in logs)
    return Rivals(random=random, one_side=one_side, tires=tires, changes=changes)


def disagreement_probability(
    belief: Belief, held_out: Sequence[AnsweredQuery], metric: ElicitedMetric
) -> tuple[float, float]:
    """Return how probable so many disagreements or more are, and how many agreements are expected.

    Both if the person is as the posterior says: noise, lapses and doubt about the parameter are in.
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
        prefers = metric.prefers(answer.query.first, answer.query.second)
        agreeing = {"first": first, "second": second}.get(prefers, (first + second) / 2)
        chances.append(agreeing / (first + second))
    n_wrong = sum(
        metric.prefers(answer.query.first, answer.query.second) != answer.choice
        for answer in held_out
    )
    expected = float(np.sum([chance.mean() for chance in chances]))
    return at_least_probability(1 - np.column_stack(chances), n_wrong), expected


def _beaten_by(found: Rivals) -> list[tuple[str, str]]:
    said = {
        found.random: (RANDOM, AGAIN),
        found.one_side: (SIDE, AGAIN),
        found.tires: (_TIRES, _SHORTER),
        found.changes: (_CHANGES, _CHANGED),
    }
    decisive = [factor for factor in said if factor > DECISIVE]
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
    chance, expected = disagreement_probability(belief, held_out, metric)
    agreed = _agreed(metric, held_out)
    found = []
    if chance < RARE:
        reason = DISAGREES.format(
            agreed=int(agreed.sum()), asked=len(held_out), expected=round(expected)
        )
        found.append((reason, IN_WORDS))
    if len(held_out) >= _ENOUGH_HELD_OUT and (
        _sign_test(int(agreed.sum()), int((~agreed).sum())) > _BY_A_COIN
    ):
        reason = _COIN.format(agreed=int(agreed.sum()), asked=len(held_out))
        found.append((reason, IN_WORDS))
    for name, other in baselines.items():
        theirs = _agreed(other, held_out)
        ahead, behind = int((theirs & ~agreed).sum()), int((agreed & ~theirs).sum())
        if _sign_test(ahead, behind) < _BEATEN:
            reason = _BASELINE.format(
                name=name, theirs=int(theirs.sum()), ours=int(agreed.sum()), asked=len(held_out)
            )
            found.append((reason, IN_WORDS))
    return found


def _agreed(metric: ElicitedMetric, held_out: Sequence[AnsweredQuery]) -> NDArray[np.bool_]:
    return np.array(
        [
            metric.prefers(answer.query.first, answer.query.second) == answer.choice
            for answer in held_out
        ]
    )


def _sign_test(ahead: int, behind: int) -> float:
    """Return how often a fair coin gives so many heads or more."""
    from scipy.stats import binom

    return float(binom.sf(ahead - 1, ahead + behind, 0.5)) if ahead else 1.0


def _sides(answered: AnsweredQuery) -> tuple[FloatArray, FloatArray]:
    query = answered.query
    first, second = (
        np.array(list(side.to_dict().values()), dtype=float) for side in (query.first, query.second)
    )
    return first, second


def _all_states(
    belief: Belief, answered: Sequence[AnsweredQuery]
) -> tuple[FloatArray, NDArray[np.float32]]:
    """Return the prior of every state, and how probable each makes each answer (logs)."""
    rows = [
        np.concatenate([v.ravel() for v in belief.likelihood(*_sides(answer), answer.choice)])
        for answer in answered
    ]
    return belief.log_prior(), np.log(np.maximum(np.stack(rows), 1e-30)).astype(np.float32)


def _evidence(log_prior: FloatArray, log_likelihood: NDArray[np.float32]) -> FloatArray:
    """Return the log probability of the first 0, 1, ... n answers."""
    total, found = np.exp(log_prior - log_prior.max()), [float(logsumexp(log_prior))]
    for row in np.exp(log_likelihood):
        # Weights are brought back to one after every answer: nothing runs out of digits.
        mass = total.sum()
        total = total / mass * row
        found.append(found[-1] + float(np.log(total.sum())))
    return np.array(found)


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


def _averaged(logs: FloatArray) -> float:
    return float(logsumexp(logs) - np.log(logs.size)) if logs.size else -np.inf


INDIFFERENT = 'most answers were "no preference"'
RANDOM = "clicking at random would explain the answers better"
SIDE = "taking the same answer nearly every time would explain the answers better"
_TIRES = "attention that gives way to random clicks would explain the answers better"
_CHANGES = "a change of mind during the interview would explain the answers better"
DISAGREES = (
    "on pairs kept back it chose as the respondent did in {agreed} of {asked}, where about "
    "{expected} were to be expected"
)
_COIN = "on pairs kept back it chose as the respondent did in {agreed} of {asked}, as a coin might"
_BASELINE = (
    "on pairs kept back, {name} chose as the respondent did in {theirs} of {asked}, this metric in "
    "{ours}"
)
AGAIN = "Explain once more what the numbers mean, and ask again."
_SHORTER = "Ask again after a break, with fewer questions at a time."
_CHANGED = "Ask what changed, then begin a new interview."
LARGER = "Ask about systems that differ more, or ask whether either error matters at all."
IN_WORDS = (
    "Ask the respondent to say in their own words how they decide; show the reachable systems and "
    "let them point at the best."
)
