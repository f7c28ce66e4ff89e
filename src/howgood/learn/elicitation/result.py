"""From a posterior to what a person can use: metric, system, range, checks, agreement.

In: a `Belief`, the bank, the answered questions. Out: `ElicitationResult`. Absent: asking.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import expit

from howgood.learn.elicitation.belief import Belief, ChoiceTable
from howgood.learn.elicitation.bisection import optimal_range
from howgood.learn.elicitation.fit import Misfit, misfit
from howgood.learn.elicitation.held_out import BASELINES, agreement
from howgood.learn.elicitation.pair_questions import PairBank, Step
from howgood.records.confusion import ConfusionMatrix, Range, ThresholdCounts, ThresholdMatrices
from howgood.records.elicitation import (
    DIRECT,
    FEWEST_PREFERENCES,
    Agreement,
    AnsweredQuery,
    AttentionChecks,
    ElicitationResult,
)
from howgood.records.elicited_metric import ElicitedMetric, LinearMetric
from howgood.records.estimate import Estimate
from howgood.records.provenance import Provenance
from howgood.stats.arrays import FloatArray

_SMALL_REGRET = 0.01
_MOST_JUDGED = 2_000  # systems; more are thinned evenly
_POSSIBLE = 100  # metrics that stand for all that the answers leave possible
_IMPROBABLE = 0.1  # an answer less probable than this, given the others, is worth a second look


def best_family(belief: Belief) -> str:
    """Return the most probable family."""
    chances = belief.family_probabilities()
    return max(chances, key=lambda name: chances[name])


def settled_family(belief: Belief) -> str | None:
    """Return the family that is probable enough to be called the respondent's, if any."""
    name = best_family(belief)
    needed = belief.family(name).settled_from
    return name if belief.family_probabilities()[name] >= needed else None


def precise_enough(belief: Belief, regrets: FloatArray) -> bool:
    """Is the family settled, its parameter known, and the system to use as good as the best?

    `regrets` is what each system is expected to forgo, as a share of the gain.
    """
    name = settled_family(belief)
    if name is None or regrets.min() > _SMALL_REGRET:
        return False
    return belief.family(name).is_precise(belief.node_weights(name))


def summarise(
    belief: Belief,
    *,
    linear: Belief | None,
    bank: PairBank,
    tables: list[ChoiceTable],
    answered: Sequence[AnsweredQuery],
    steps: Sequence[Step],
    likelihoods: Mapping[int, list[FloatArray]],
    stopped: str,
    thresholds: ThresholdMatrices | None,
    seed: int,
    settings: Mapping[str, Any],
) -> ElicitationResult:
    """Return everything the answers say; `linear` is the refined posterior of that family."""
    learned = [answer for answer in answered if answer.query.kind == "choice"]
    described = _described(belief, linear, answered, settings["direct_ratio"])
    system = _best_system(belief, described, bank, thresholds) if described.is_said else _System()
    # Too little evidence for a metric is no reason to hide how wide the interval is.
    z_draws = described.z_draws if not described.fit.reasons else None
    return ElicitationResult(
        metric=described.metric if described.is_said else None,
        a0=None if z_draws is None else _estimate(expit(z_draws)),
        ratio=None if z_draws is None else replace(_estimate(np.exp(-z_draws)), centre="median"),
        families=belief.family_probabilities() if described.is_enough else {},
        family=described.family if described.is_said else None,
        matrix=system.matrix,
        counts=system.counts,
        thresholds=system.thresholds,
        optimal_range=system.optimal_range,
        queries=len(answered),
        choices=len(learned),
        preferences=sum(answer.choice != "same" for answer in learned),
        fewer_misses=sum(_prefers_fewer_misses(answer) for answer in learned),
        stopped=stopped,
        expected_agreement=belief.expected_agreement(tables) if described.is_enough else None,
        checks=_checks(answered, steps),
        disagreeing=tuple(
            number
            for number, likelihood in likelihoods.items()
            if described.is_enough and belief.left_out(likelihood) < _IMPROBABLE
        ),
        agreement=described.agreement,
        misfit=described.fit.reasons,
        advice=described.fit.advice,
        is_informative=described.fit.is_informative,
        possible=_possible(belief, described.name) if described.is_said else (),
        provenance=_provenance(thresholds, seed, settings),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Described:
    """How the answers are best described, whether or not that description holds."""

    metric: ElicitedMetric | None
    name: str | None  # the family that the metric is of, settled or not
    family: str | None
    z_draws: FloatArray | None
    fit: Misfit
    agreement: Agreement | None

    @property
    def is_enough(self) -> bool:
        return self.metric is not None

    @property
    def is_said(self) -> bool:
        return self.is_enough and self.fit.holds


def _described(
    belief: Belief,
    linear: Belief | None,
    answered: Sequence[AnsweredQuery],
    direct_ratio: float | None,
) -> _Described:
    learned = [answer.choice for answer in answered if answer.query.kind == "choice"]
    n_preferences = sum(choice != "same" for choice in learned)
    is_enough = n_preferences >= FEWEST_PREFERENCES
    z_draws = None if linear is None or not is_enough else _linear_draws(linear)
    family = settled_family(belief) if is_enough else None
    name = _name(belief, family) if is_enough else None
    metric = _metric(belief, z_draws, name) if name is not None else None
    stated = {DIRECT: LinearMetric(a0=1 / (1 + direct_ratio))} if direct_ratio else {}
    fit = misfit(
        belief,
        answered,
        metric=metric,
        baselines=BASELINES | stated,
        # Where most answers are "no preference", a family wins by how it describes indifference.
        is_indifferent=2 * n_preferences < len(learned),
    )
    return _Described(
        metric=metric,
        name=name,
        family=family,
        z_draws=z_draws,
        fit=fit,
        agreement=_held_out_agreement(metric, answered, stated),
    )


def _prefers_fewer_misses(answered: AnsweredQuery) -> bool:
    query, misses = answered.query, {}
    misses["first"], misses["second"] = query.first.false_negatives, query.second.false_negatives
    fewer = min(misses, key=lambda side: misses[side])
    return answered.choice == fewer


def _provenance(
    thresholds: ThresholdMatrices | None, seed: int, settings: Mapping[str, Any]
) -> Provenance:
    dropped = thresholds.rows_dropped if thresholds is not None else 0
    return Provenance(
        method="Bayesian family mixture with expected-information questions",
        settings=dict(settings),
        seed=seed,
        rows_used=thresholds.rows_used if thresholds is not None else None,
        rows_dropped={"missing": dropped} if dropped else {},
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _System:
    """The system to use, as far as there is evidence for one."""

    matrix: ConfusionMatrix | None = None
    counts: ConfusionMatrix | None = None
    thresholds: Range | None = None
    optimal_range: Range | None = None


def _best_system(
    belief: Belief, described: _Described, bank: PairBank, thresholds: ThresholdMatrices | None
) -> _System:
    """Return the system to use, by the counts of the cases themselves where they are known."""
    if thresholds is None or thresholds.counts is None:
        shown = np.array(
            [list(one_matrix.to_dict().values()) for one_matrix in bank.distinct], dtype=float
        )
        matrix = bank.distinct[_best_of(belief, described, shown)]
        return _System(
            matrix=matrix,
            thresholds=thresholds.thresholds_of(matrix) if thresholds is not None else None,
            optimal_range=optimal_range(matrix, bank.distinct),
        )
    counts = thresholds.counts
    best = _best_of(belief, described, _cells(counts))
    return _System(
        matrix=thresholds.at(counts.ranges[best].upper),
        counts=counts.matrix(best),
        thresholds=counts.ranges[best],
        optimal_range=counts.optimal_range(best),
    )


def _best_of(belief: Belief, described: _Described, systems: FloatArray) -> int:
    """Return the row of the best system.

    Where a linear metric is the likeliest, it is the best by the metric that is reported. Any other
    family is served by the system that is expected to forgo least under all that the answers leave
    possible: the most probable limits alone would put it on their very edge.
    """
    if described.metric is not None and (described.family or best_family(belief)) == "linear":
        return int(np.argmax(described.metric.of_counts(*systems.T)))
    step = 1 + len(systems) // _MOST_JUDGED
    regrets = belief.regrets([family.regrets(systems[::step]) for family in belief.families])
    return step * int(np.argmin(regrets))


def _cells(counts: ThresholdCounts) -> FloatArray:
    missed, cleared = np.array(counts.missed, float), np.array(counts.cleared, float)
    return np.column_stack([counts.positives - missed, missed, counts.negatives - cleared, cleared])


def _name(belief: Belief, settled: str | None) -> str:
    """Return the family by which the answers are described."""
    is_possible = belief.family_probabilities().get("linear", 0.0) >= _IMPROBABLE
    if settled is None and is_possible:
        return "linear"  # the simplest reading, as long as nothing speaks against it
    return best_family(belief) if settled is None else settled


def _metric(belief: Belief, z_draws: FloatArray | None, name: str) -> ElicitedMetric:
    if z_draws is not None and name == "linear":
        # The metric is linear in a0: the posterior-mean metric is the metric at the mean.
        return LinearMetric(a0=float(np.mean(expit(z_draws))))
    return belief.family(name).typical(belief.node_weights(name))


def _possible(belief: Belief, name: str | None) -> tuple[ElicitedMetric, ...]:
    """Return metrics of a family that stand for what the answers leave open, equally probable.

    Of a linear metric none: the draws of its weight say it more finely.
    """
    if name is None or name == "linear":
        return ()
    family, edges = belief.family(name), np.cumsum(belief.node_weights(name))
    places = np.searchsorted(edges, edges[-1] * (np.arange(_POSSIBLE) + 0.5) / _POSSIBLE)
    nodes = np.array(family.nodes[places], dtype=float)
    if len(family.places) > 1:
        # A node stands for its cell: those that are there several times are spread over it.
        _, first, count = np.unique(places, return_index=True, return_counts=True)
        nth = np.arange(_POSSIBLE) - np.repeat(first, count)
        inside = (nth + 0.5) / np.repeat(count, count) - 0.5
        weight = nodes if nodes.ndim == 1 else nodes[:, 0]
        weight += 3 * family.places[-1] * inside
    return tuple(family.metric(node) for node in nodes)


def _linear_draws(belief: Belief) -> FloatArray:
    """Return draws of logit a0, given that the metric is linear."""
    return belief.family("linear").draws(belief.node_weights("linear"))


def _estimate(draws: FloatArray) -> Estimate:
    return Estimate.from_draws(draws, probability=0.9, kind="quantile", n_respondents=1)


def _checks(answered: Sequence[AnsweredQuery], steps: Sequence[Step]) -> AttentionChecks:
    first_answers = {
        step.pair: (step.first, answer.choice)
        for answer, step in zip(answered, steps, strict=True)
        if step.kind == "choice"
    }
    together = list(zip(answered, steps, strict=True))
    catches = [
        (answer_and_step, step) for answer_and_step, step in together if step.kind == "catch"
    ]
    repeats = [
        (answer_and_step, step) for answer_and_step, step in together if step.kind == "repeat"
    ]
    mirrored = {"first": "second", "second": "first", "same": "same"}
    return AttentionChecks(
        catch_asked=len(catches),
        catch_wrong=sum(answer.choice != step.expected for answer, step in catches),
        repeats_asked=len(repeats),
        repeats_changed=sum(
            answer.choice != mirrored[first_answers[step.pair][1]] for answer, step in repeats
        ),
    )


def _held_out_agreement(
    metric: ElicitedMetric | None,
    answered: Sequence[AnsweredQuery],
    baselines: Mapping[str, ElicitedMetric],
) -> Agreement | None:
    held_out = [answer for answer in answered if answer.query.kind == "held-out"]
    if metric is None or not any(answer.choice != "same" for answer in held_out):
        return None
    return agreement(metric, held_out, baselines=baselines)
