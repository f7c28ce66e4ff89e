"""The kinds of metric a respondent may have in mind: one class each.

In: the systems a respondent may be shown. Out: per family a grid of parameters with its prior, and
how strongly each parameter prefers one system to another. Absent: answers (see `belief`).

To add a family, write one class and one line in `family_registry`. Everything else asks the
registry: the elicitor, reports and results pages, saved files, simulated respondents.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from howgood.learn.elicitation.grids import (
    ABSOLUTE,
    RARE,
    WEBER,
    between_knots,
    even_prior,
    places_in_cell,
    possible_limits,
    rarity,
    sensitivity_prior,
    wider_grid,
)
from howgood.records.elicited_metric import (
    AlarmCapMetric,
    CappedMetric,
    ElicitedMetric,
    FBetaMetric,
    LimitsMetric,
    LinearMetric,
    MonotoneMetric,
    PowerCostMetric,
)
from howgood.stats.arrays import FloatArray
from howgood.stats.confusion_scores import (
    capped_score,
    f_beta_score,
    limits_score,
    power_cost_score,
)


def _expit(values: ArrayLike) -> FloatArray:
    """Return SciPy's logistic curve, loaded here: a server needs only the families' names."""
    from scipy.special import expit

    return np.asarray(expit(values))


# How often an answer is a slip, and how often a slip is "no preference": hardly ever with people
# who always take a side. Without the second, somebody who errs often but takes a side every time
# could not be described at all, however linear.
_SLIPS, _SLIPS_TO_SAME = (0.02, 0.1, 0.25, 0.5), (0.02, 1 / 3)
LAPSES = np.repeat(_SLIPS, len(_SLIPS_TO_SAME))
LAPSES_TO_SAME = np.tile(_SLIPS_TO_SAME, len(_SLIPS))
WIDTHS = np.array([0.0, 0.5, 1.5])
_GONE = 1e-4  # nodes with less weight than this are not worth a finer look
_MOST = 60.0  # stronger preferences are certain anyway; keeps exponentials finite
# What the families' grids are laid out for where nothing is known of the systems: 100 cases, half
# of them positive, from everybody flagged to nobody.
HUNDRED = np.array([[50.0 - k, k, 50.0 - k, k] for k in range(0, 51, 5)], dtype=float)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Family(ABC):
    """One kind of metric: parameter nodes with their prior, and its noise sensitivities' prior.

    A subclass says its `name`, its `label` in tables, its prior `weight` among the families,
    its `metric_class`, and the `sentence` that says what the choices fit. The sentence may use the
    words of a study ({miss}, {misses}, {alarm}, {alarms}, {cases}), {total} for the number of cases
    shown, and what `amounts` returns.
    """

    name: ClassVar[str]
    label: ClassVar[str]
    weight: ClassVar[float]
    metric_class: ClassVar[type[ElicitedMetric]]
    sentence: ClassVar[str]
    # From this probability on, the family is called the respondent's own. An interview that stops
    # as soon as a bound is reached passes it by luck now and then: the simplest reading, linear,
    # needs less than the others.
    settled_from: ClassVar[float] = 0.95

    nodes: FloatArray  # one row or number per node
    prior: FloatArray  # over nodes, sums to 1
    noise_prior: FloatArray  # over sensitivities, sums to 1
    # A node stands for its cell: choices are averaged over these places in it. Without that, a
    # respondent between two nodes looks inconsistent, and the family with the luckier grid wins.
    places: tuple[float, ...] = (0.0,)
    # How far a rare class moves what the two errors weigh, as a logarithm (see `rarity`).
    lean: float = 0.0

    @classmethod
    @abstractmethod
    def over(cls, systems: FloatArray, *, direct_ratio: float | None) -> Self:
        """Return the family with a grid for these systems (rows TP, FN, FP, TN).

        `direct_ratio` is the respondent's own guess of how many false alarms one miss is worth.
        """

    @classmethod
    def is_distinct(cls, systems: FloatArray) -> bool:
        """Do these systems show anything that this family alone would say?"""
        del systems
        return True

    @abstractmethod
    def utilities(self, nodes: FloatArray, counts: FloatArray) -> FloatArray:
        """Return the metric of each system (row of counts) under each node: (n_rows, n_nodes)."""

    @abstractmethod
    def metric(self, node: Any) -> ElicitedMetric:  # noqa: ANN401 - a number or a row of them
        """Return the metric a node stands for."""

    def is_precise(self, weights: FloatArray) -> bool:
        """Is the parameter known well enough to act on, by these weights of the nodes?

        Where a family says nothing else, the regret of the recommended system decides alone (see
        `belief`).
        """
        return True

    @classmethod
    def amounts(cls, metric: Any, total: float) -> Mapping[str, float]:  # noqa: ANN401 - its own
        """Return the numbers of `sentence`; `total` is how many cases a respondent imagines."""
        return {name: value for name, value in metric.to_dict().items() if name != "family"}

    def strengths(self, first: FloatArray, second: FloatArray) -> list[FloatArray]:
        """Return preference for the first side, (n_pairs, n_nodes, n_sensitivities) per place.

        `first` and `second` have shape (n_pairs, 4) with columns TP, FN, FP, TN.
        """
        return [self._strengths_at(self.nodes + place, first, second) for place in self.places]

    def _strengths_at(self, nodes: FloatArray, first: FloatArray, second: FloatArray) -> FloatArray:
        gaps = self.utilities(nodes, first) - self.utilities(nodes, second)
        strengths = 100.0 * self.scale * gaps[:, :, None] * ABSOLUTE
        return np.asarray(np.clip(strengths, -_MOST, _MOST))

    @property
    def scale(self) -> float:
        """How much smaller gaps are that count, because a class is rare; 1 where none is."""
        return float(np.exp(abs(self.lean)))

    def regrets(self, systems: FloatArray) -> FloatArray:
        """Return what each system forgoes under each node: (n_systems, n_nodes).

        As a share of the gain, that of the best system over the average one.
        """
        values = self.utilities(self.nodes, systems)
        best = values.max(axis=0)
        gain = best - values.mean(axis=0)
        return np.asarray((best - values) / np.where(gain > 0, gain, 1.0))

    def draws(self, weights: FloatArray) -> FloatArray:
        """Return evenly spread quantiles of the parameter under these weights of the nodes."""
        from howgood.stats.shares import grid_draws  # brings SciPy

        return grid_draws(self.nodes, weights)

    def typical(self, weights: FloatArray) -> ElicitedMetric:
        """Return the one metric that stands for these weights of the nodes."""
        return self.metric(float(weights @ self.nodes))

    def refined(self, weights: FloatArray) -> Self:
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
        return replace(self, nodes=nodes, prior=prior / prior.sum(), places=places_in_cell(nodes))


class Linear(Family):
    """A fixed exchange rate between misses and false alarms; nodes are logit a0."""

    name = "linear"
    label = "linear"
    weight = 0.45
    metric_class = LinearMetric
    sentence = "The choices fit a fixed exchange rate: a0 = {a0}."
    settled_from = 0.8

    @classmethod
    def over(cls, systems: FloatArray, *, direct_ratio: float | None) -> Self:
        """Return 121 nodes of logit a0: even in a0, half of it around the respondent's own guess.

        Guesses are often far off: the even half keeps a wrong one from outweighing the choices.
        Where a class is rare there are more nodes, as far as anybody would let its errors weigh,
        and half of the prior is even in a0 as it would be if that class were a tenth: who answers
        for one positive in a thousand may well take 500 false alarms for one miss.
        """
        lean = rarity(systems)
        nodes = wider_grid(5.3, 121, lean)
        # Uniform in a0; the second half is the same as the first where no class is rare.
        prior = _expit(nodes) * _expit(-nodes) + _expit(nodes - lean) * _expit(lean - nodes)
        if direct_ratio is not None:
            # A guess beyond what these systems can show is taken for the end of the grid.
            guessed = np.clip(-np.log(direct_ratio), nodes[0], nodes[-1])
            guess = np.exp(-0.5 * ((nodes - guessed) / 1.2) ** 2)
            prior = prior / prior.sum() + guess / guess.sum()
        return cls(
            nodes=nodes,
            prior=prior / prior.sum(),
            noise_prior=np.concatenate(
                [0.5 * sensitivity_prior(ABSOLUTE), 0.5 * sensitivity_prior(WEBER)]
            ),
            places=places_in_cell(nodes),
            lean=lean,
        )

    def utilities(self, nodes: FloatArray, counts: FloatArray) -> FloatArray:
        """Return a0 TN + (1 - a0) TP, as shares of all cases."""
        a0 = _expit(nodes)
        hits, cleared = counts[:, [0]], counts[:, [3]]
        return np.asarray((a0 * cleared + (1 - a0) * hits) / counts.sum(axis=1, keepdims=True))

    def metric(self, node: float) -> LinearMetric:
        """Return the metric with this logit a0."""
        return LinearMetric(a0=float(_expit(node)))

    def is_precise(self, weights: FloatArray) -> bool:
        """Is the ratio of costs known to a factor of two, or a0 to within 0.10?

        Where a class is rare, to within as much less: every a0 may be below 0.10.
        """
        low, high = np.quantile(self.draws(weights), [0.05, 0.95])
        width = _expit(high) - _expit(low)
        return bool(high - low <= np.log(2.0) or width <= 0.10 / self.scale)

    def _strengths_at(self, nodes: FloatArray, first: FloatArray, second: FloatArray) -> FloatArray:
        """Take both kinds of noise in: some weigh differences, others ratios (Weber's law)."""
        more_hits = (first[:, 0] - second[:, 0])[:, None]
        cleared = (first[:, 3] - second[:, 3])[:, None]
        # Weber's law needs a trade-off; where one side is simply better, preference is certain.
        trade = more_hits * cleared < 0
        ratio = np.log(np.abs(np.where(trade, more_hits / np.where(cleared == 0, 1, cleared), 1.0)))
        weber = np.where(
            trade,
            np.sign(more_hits) * (ratio - nodes),
            np.sign(more_hits + cleared) * _MOST / WEBER[0],
        )
        gaps = self.utilities(nodes, first) - self.utilities(nodes, second)
        gaps *= 100.0 * self.scale
        both = np.concatenate([gaps[:, :, None] * ABSOLUTE, weber[:, :, None] * WEBER], axis=2)
        return np.asarray(np.clip(both, -_MOST, _MOST))


class FBeta(Family):
    """Precision against recall; nodes are log beta."""

    name = "f_beta"
    label = "F-beta"
    weight = 0.15
    metric_class = FBetaMetric
    sentence = "The choices fit no fixed exchange rate but an F-measure with beta = {beta}."

    @classmethod
    def over(cls, systems: FloatArray, *, direct_ratio: float | None) -> Self:
        """Return 41 values of beta from .2 to 8."""
        nodes = np.linspace(np.log(0.2), np.log(8.0), 41)
        return cls(
            nodes=nodes,
            prior=even_prior(nodes.size),
            noise_prior=sensitivity_prior(ABSOLUTE),
            places=places_in_cell(nodes),
        )

    def utilities(self, nodes: FloatArray, counts: FloatArray) -> FloatArray:
        """Return F-beta."""
        hits, missed, alarms, _ = counts.T[:, :, None]
        return f_beta_score(hits, missed, alarms, beta=np.exp(nodes))

    def metric(self, node: float) -> FBetaMetric:
        """Return the F-measure with this log beta."""
        return FBetaMetric(beta=float(np.exp(node)))

    def is_precise(self, weights: FloatArray) -> bool:
        """Is beta known to a factor of two?"""
        low, high = np.quantile(self.draws(weights), [0.05, 0.95])
        return bool(high - low <= np.log(2.0))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MissCap(Family):
    """At most so many misses, then as few false alarms as possible; nodes are caps in steps."""

    name = "cap"
    label = "a cap on misses"
    weight = 0.1
    metric_class = CappedMetric
    sentence = (
        "The choices fit a cap: at most {cap} {misses} in {total} {cases}, then as few {alarms} as "
        "possible."
    )

    step: float = 0.01  # one step of the cap, as a share of all cases

    @classmethod
    def over(cls, systems: FloatArray, *, direct_ratio: float | None) -> Self:
        """Return twenty caps, in steps of one case in a hundred.

        Where fewer than one in ten are positive, in steps of one case of those shown: there a cap
        of one in a hundred might allow every miss.
        """
        total = systems[0].sum()
        is_rare = systems[0, :2].sum() < RARE * total
        return cls(
            nodes=np.arange(20.0),
            prior=even_prior(20),
            noise_prior=sensitivity_prior(ABSOLUTE),
            step=float(1.0 / total) if is_rare else 0.01,
            lean=rarity(systems),
        )

    def utilities(self, nodes: FloatArray, counts: FloatArray) -> FloatArray:
        """Return 1 - FP within the cap and -FN beyond it, as shares of all cases."""
        _, missed, alarms, _ = counts.T[:, :, None]
        return capped_score(missed, alarms, counts.sum(axis=1)[:, None], cap=nodes * self.step)

    def metric(self, node: float) -> CappedMetric:
        """Return the metric with this cap."""
        return CappedMetric(cap=float(node) * self.step)

    @classmethod
    def amounts(cls, metric: CappedMetric, total: float) -> Mapping[str, float]:
        """Return the cap in cases of those shown."""
        return {"cap": round(total * metric.cap)}

    def typical(self, weights: FloatArray) -> ElicitedMetric:
        """Return the most probable cap: between two caps there is none."""
        return self.metric(float(self.nodes[int(np.argmax(weights))]))

    def is_precise(self, weights: FloatArray) -> bool:
        """Is the cap known to within two steps?"""
        low, high = np.quantile(self.draws(weights), [0.05, 0.95])
        return bool(high - low <= 2.0)


class AlarmCap(Family):
    """At most so many false alarms, then as few misses as possible; nodes are shares."""

    name = "alarm_cap"
    label = "a budget of false alarms"
    weight = 0.08
    metric_class = AlarmCapMetric
    sentence = (
        "The choices fit a budget: at most {alarms_allowed} {alarms} in {total} {cases}, then as "
        "few {misses} as possible."
    )

    @classmethod
    def over(cls, systems: FloatArray, *, direct_ratio: float | None) -> Self:
        """Return the budgets the systems can tell apart, up to half of the negatives."""
        nodes = possible_limits(systems[:, 2], most=0.5, at_most=48) / systems[0].sum()
        return cls(
            nodes=nodes,
            prior=even_prior(nodes.size),
            noise_prior=sensitivity_prior(ABSOLUTE),
            lean=rarity(systems),
        )

    def utilities(self, nodes: FloatArray, counts: FloatArray) -> FloatArray:
        """Return 1 - FN within the budget and -FP beyond it, as shares of all cases."""
        _, missed, alarms, _ = counts.T[:, :, None]
        return capped_score(alarms, missed, counts.sum(axis=1)[:, None], cap=nodes)

    def metric(self, node: float) -> AlarmCapMetric:
        """Return the metric with this budget."""
        return AlarmCapMetric(alarms=float(node))

    @classmethod
    def amounts(cls, metric: AlarmCapMetric, total: float) -> Mapping[str, float]:
        """Return the budget in cases of those shown."""
        return {"alarms_allowed": round(total * metric.alarms)}

    def typical(self, weights: FloatArray) -> ElicitedMetric:
        """Return the most probable budget: between two budgets there is none."""
        return self.metric(float(self.nodes[int(np.argmax(weights))]))


class Satisfice(Family):
    """Good enough within two limits; nodes are rows of both limits as shares of all cases."""

    name = "satisfice"
    label = "two limits"
    weight = 0.06
    metric_class = LimitsMetric
    sentence = (
        "The choices fit two limits: good enough is at most {misses_allowed} {misses} and "
        "{alarms_allowed} {alarms} in {total} {cases}."
    )

    @classmethod
    def is_distinct(cls, systems: FloatArray) -> bool:
        """Two limits need two of either kind; with one positive shown, the caps say the same."""
        limits = (
            possible_limits(systems[:, 1], most=0.6),
            possible_limits(systems[:, 2], most=0.5),
        )
        return all(of_a_kind.size > 1 for of_a_kind in limits)

    @classmethod
    def over(cls, systems: FloatArray, *, direct_ratio: float | None) -> Self:
        """Return pairs of limits that the systems can tell apart.

        Out of 100 cases that is every limit shown: with some left out, somebody in between seemed
        settled on a neighbour, and was given a system that exceeds what they allow.
        """
        misses = possible_limits(systems[:, 1], most=0.6, at_most=24) / systems[0].sum()
        alarms = possible_limits(systems[:, 2], most=0.5, at_most=36) / systems[0].sum()
        nodes = np.array([(one, other) for one in misses for other in alarms])
        return cls(
            nodes=nodes,
            prior=even_prior(len(nodes)),
            noise_prior=sensitivity_prior(ABSOLUTE),
            lean=rarity(systems),
        )

    def utilities(self, nodes: FloatArray, counts: FloatArray) -> FloatArray:
        """Return minus what exceeds the limits."""
        _, missed, alarms, _ = counts.T[:, :, None]
        total = counts.sum(axis=1)[:, None]
        return limits_score(missed, alarms, total, misses=nodes[:, 0], alarm_limit=nodes[:, 1])

    def metric(self, node: FloatArray) -> LimitsMetric:
        """Return the metric with these limits."""
        return LimitsMetric(misses=float(node[0]), alarms=float(node[1]))

    @classmethod
    def amounts(cls, metric: LimitsMetric, total: float) -> Mapping[str, float]:
        """Return both limits in cases of those shown."""
        return {
            "misses_allowed": round(total * metric.misses),
            "alarms_allowed": round(total * metric.alarms),
        }

    def typical(self, weights: FloatArray) -> ElicitedMetric:
        """Return the most probable limits."""
        return self.metric(self.nodes[int(np.argmax(weights))])


class Concave(Family):
    """Each further error of a kind weighs less; nodes are rows of logit a0 and the power."""

    name = "concave"
    label = "costs that level off"
    weight = 0.06
    metric_class = PowerCostMetric
    sentence = (
        "The choices fit costs that level off (each further error of a kind weighs less): weight "
        "a0 = {a0} of {alarms}, power {power}."
    )
    powers: ClassVar[tuple[float, ...]] = (1 / 3, 1 / 2, 2 / 3)

    @classmethod
    def over(cls, systems: FloatArray, *, direct_ratio: float | None) -> Self:
        """Return weights on an even grid of logit a0, for each power.

        A rare class moves them by its power: so much less, or more, are shares of it.
        """
        lean = rarity(systems)
        widest = wider_grid(4.0, 33, lean * max(cls.powers))
        centred = widest - widest.mean()
        nodes = np.array(
            [(weight + lean * p / 2, p) for p in cls.powers for weight in centred.tolist()]
        )
        step = (widest[1] - widest[0]) / 3
        return cls(
            nodes=nodes,
            prior=even_prior(len(nodes)),
            noise_prior=sensitivity_prior(ABSOLUTE),
            places=(-step, 0.0, step),
            lean=lean,
        )

    def utilities(self, nodes: FloatArray, counts: FloatArray) -> FloatArray:
        """Return minus the power mean of the errors."""
        _, missed, alarms, _ = counts.T[:, :, None]
        total = counts.sum(axis=1)[:, None]
        return power_cost_score(missed, alarms, total, a0=_expit(nodes[:, 0]), power=nodes[:, 1])

    def _strengths_at(self, nodes: FloatArray, first: FloatArray, second: FloatArray) -> FloatArray:
        # Places in a cell move the weight, never the power.
        moved = np.column_stack([nodes[:, 0], self.nodes[:, 1]])
        return Family._strengths_at(self, moved, first, second)

    def metric(self, node: FloatArray) -> PowerCostMetric:
        """Return the metric with this weight and power."""
        return PowerCostMetric(a0=float(_expit(node[0])), power=float(node[1]))

    def typical(self, weights: FloatArray) -> ElicitedMetric:
        """Return the mean weight at the most probable power."""
        by_power = weights.reshape(len(self.powers), -1)
        best = int(np.argmax(by_power.sum(axis=1)))
        at = self.nodes.reshape(len(self.powers), -1, 2)[best]
        mean = float(by_power[best] @ at[:, 0] / by_power[best].sum())
        return self.metric(np.array([mean, self.powers[best]]))


class Quadratic(Concave):
    """Each further error of a kind weighs more; nodes are rows of logit a0 and the power."""

    name = "quadratic"
    label = "costs that grow"
    weight = 0.05
    sentence = (
        "The choices fit costs that grow faster than errors (each further one of a kind weighs "
        "more): weight a0 = {a0} of {alarms}, power {power}."
    )
    powers = (2.0,)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Monotone(Family):
    """Any rising costs, added: the last resort. Nodes number random pairs of rising curves.

    A curve rises by random shares (Dirichlet, 1/2 each) over five steps of the errors shown, more
    finely where errors are few; the two are weighed at random.
    """

    name = "monotone"
    label = "no simple rule"
    weight = 0.05
    metric_class = MonotoneMetric
    sentence = (
        "The choices fit no simple rule, only that fewer {misses} and fewer {alarms} are better; "
        "the system below is the best by what they say together."
    )
    knots: ClassVar[FloatArray] = np.array([0.0, 0.06, 0.15, 0.3, 0.55, 1.0])

    misses: FloatArray  # the shares of all cases at which the curves bend
    alarms: FloatArray
    miss_costs: FloatArray  # (n_nodes, n_knots)
    alarm_costs: FloatArray

    @classmethod
    def over(cls, systems: FloatArray, *, direct_ratio: float | None) -> Self:
        """Return 160 random pairs of curves, the same ones for everybody."""
        rng, size, steps = np.random.default_rng(0), 160, cls.knots.size - 1
        rising = rng.dirichlet(np.full(steps, 0.5), size=(2, size)).cumsum(axis=2)
        curves = np.concatenate([np.zeros((2, size, 1)), rising], axis=2)
        weight = _expit(rng.uniform(-2.5, 2.5, size))[:, None]
        total = systems[0].sum()
        return cls(
            nodes=np.arange(float(size)),
            prior=even_prior(size),
            noise_prior=sensitivity_prior(ABSOLUTE),
            misses=cls.knots * systems[:, 1].max() / total,
            alarms=cls.knots * systems[:, 2].max() / total,
            miss_costs=(1 - weight) * curves[0],
            alarm_costs=weight * curves[1],
        )

    def utilities(self, nodes: FloatArray, counts: FloatArray) -> FloatArray:
        """Return minus both costs."""
        shares = counts / counts.sum(axis=1, keepdims=True)
        chosen = nodes.astype(int)
        missed = between_knots(shares[:, 1], self.misses) @ self.miss_costs[chosen].T
        return np.asarray(
            -missed - between_knots(shares[:, 2], self.alarms) @ self.alarm_costs[chosen].T
        )

    def metric(self, node: float) -> MonotoneMetric:
        """Return the metric with this pair of curves."""
        return self._of_curves(self.miss_costs[int(node)], self.alarm_costs[int(node)])

    def typical(self, weights: FloatArray) -> ElicitedMetric:
        """Return the mean curves: of added curves, the mean metric is that of the mean curves."""
        return self._of_curves(weights @ self.miss_costs, weights @ self.alarm_costs)

    def _of_curves(self, misses: FloatArray, alarms: FloatArray) -> MonotoneMetric:
        return MonotoneMetric(
            misses=tuple(self.misses.tolist()),
            miss_costs=tuple(misses.tolist()),
            alarms=tuple(self.alarms.tolist()),
            alarm_costs=tuple(alarms.tolist()),
        )

    @classmethod
    def amounts(cls, metric: MonotoneMetric, total: float) -> Mapping[str, float]:
        """Return nothing: curves are no numbers to print."""
        return {}
