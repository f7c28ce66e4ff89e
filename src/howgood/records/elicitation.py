"""One question of an elicitation, and what a finished elicitation says.

In: what the searches of `learn` know. Out: `Query`, `AnsweredQuery`, `BisectionResult`,
`ElicitationResult` and its kin, `Agreement`, `AttentionChecks`. Absent: the searches.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Literal

import numpy as np

from howgood.errors import FileFormatError, InputError, NoEvidenceWarning, announce
from howgood.records.confusion import ConfusionMatrix, Range
from howgood.records.decision_rules import GroupThresholds, WeightedArgmax
from howgood.records.elicited_metric import (
    Choice,
    ElicitedMetric,
    FractionalMetric,
    LinearMetric,
)
from howgood.records.estimate import Estimate, Interval
from howgood.records.outcomes_by_class import DiagonalMetric, FairMetric
from howgood.records.provenance import Provenance
from howgood.records.shown import Shown

QueryKind = Literal["choice", "catch", "repeat", "held-out", "extra"]
# Why a pair is asked; exports, codebooks and counts take the kinds from here.
QUERY_KINDS: Mapping[QueryKind, str] = {
    "choice": "asked to learn the metric",
    "catch": "one side is clearly better: checks attention",
    "repeat": "an earlier pair again with sides swapped: checks consistency",
    "held-out": "kept back to test the metric, not learned from",
    "extra": "asked at the end of answers that said too little so far, not learned from",
}
CHOICES: tuple[Choice, ...] = ("first", "second", "same")
# The baseline of those who said outright how many false alarms one miss is worth.
DIRECT = "direct question"
NO_INFORMATION = "answers that can hardly be distinguished from random clicks"
# With fewer answers that prefer a side, nothing is said about a metric.
FEWEST_PREFERENCES = 3
Evidence = Literal["enough", "little", "none"]


def evidence_of(preferences: int, *, is_informative: bool) -> Evidence:
    """Return whether so many answers that prefer a side say enough: "enough", "little", "none"."""
    if preferences < FEWEST_PREFERENCES:
        return "none"
    return "enough" if is_informative else "little"


def why_nothing(misfit: Sequence[str], preferences: int) -> str:
    """Return why nothing is concluded from somebody's answers."""
    if preferences < FEWEST_PREFERENCES:
        return f"{preferences} answers that prefer a side"
    return "; ".join(misfit) or NO_INFORMATION


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """Two systems to choose from; `first` is shown on the left.

    `kind` is for the log, never for the respondent: "choice" is asked to learn, "catch" has one
    clearly better side, "repeat" is an earlier question with sides swapped, "held-out" is kept
    back to measure agreement, "extra" is asked where that left open whether the answers inform.

    Notes
    -----
    Stability: stable
    """

    first: Any
    second: Any
    number: int = 1
    kind: QueryKind = "choice"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredQuery:
    """A question, its answer, and how long the respondent took.

    Notes
    -----
    Stability: stable
    """

    query: Query
    choice: Choice
    milliseconds: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "number": self.query.number,
            "kind": self.query.kind,
            "first": self.query.first.to_dict(),
            "second": self.query.second.to_dict(),
            "choice": self.choice,
            "milliseconds": self.milliseconds,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class BisectionResult(Shown):
    """Where a bisection ended: a point and the last interval, without a probability.

    `interval` is the last bracket, not a credible interval: a bisection has no model of error.
    `optimal_range` holds every a0 for which the matrix at the end is the best reachable one
    (None when the matrices were given as a function).

    Notes
    -----
    Stability: stable
    """

    metric: LinearMetric
    a0: float
    interval: Range
    queries: int
    optimal_range: Range | None
    provenance: Provenance
    families: Mapping[str, float] = field(default_factory=lambda: {"linear": 1.0})

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "metric": self.metric.to_dict(),
            "a0": self.a0,
            "interval": self.interval._asdict(),
            "queries": self.queries,
            "families": dict(self.families),
            "optimal_range": self.optimal_range and self.optimal_range._asdict(),
            "provenance": self.provenance.to_dict(),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement(Shown):
    """How often a metric picks the side the respondent picked, on questions kept back.

    `share` is M / 100 with its interval; `baselines` holds M of other metrics on the same
    questions, without which M says little. Answers "no preference" are not counted.

    Notes
    -----
    Stability: stable
    """

    share: Estimate
    n_agreeing: int
    n_questions: int
    n_without_preference: int
    baselines: Mapping[str, float]

    @property
    def percent(self) -> float:
        """M of the paper: 100 times agreeing over questions."""
        return 100.0 * self.n_agreeing / self.n_questions

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "percent": self.percent,
            "interval": self.share.interval.to_dict(),
            "n_agreeing": self.n_agreeing,
            "n_questions": self.n_questions,
            "n_without_preference": self.n_without_preference,
            "baselines": dict(self.baselines),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class AttentionChecks:
    """How the respondent did on questions with a clearly better side, and on repeats.

    Notes
    -----
    Stability: stable
    """

    catch_asked: int
    catch_wrong: int
    repeats_asked: int
    repeats_changed: int

    @property
    def looks_careless(self) -> bool:
        """Two or more wrong: 89 % of random clickers, 3 % of those who lapse one time in twenty."""
        return self.catch_wrong >= 2

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "catch_asked": self.catch_asked,
            "catch_wrong": self.catch_wrong,
            "repeats_asked": self.repeats_asked,
            "repeats_changed": self.repeats_changed,
            "looks_careless": self.looks_careless,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ElicitationResult(Shown):
    """What the choices say: metric, weight, system to use, and how far to trust it.

    `a0`, the weight of true negatives, and `ratio` (false alarms one miss is worth) hold if the
    metric is linear (None when that was not considered). `family` is the kind of metric, None
    where the answers do not settle it: linear from a probability of 80 % on, another from 95 %
    on. `metric` is linear unless another family is settled, or linear is improbable (below 10 %).

    `counts` is the system to use, as counts of the given cases (None for a table of systems): the
    one with the highest metric where that is linear, else the one expected to forgo least under
    everything the answers leave possible. `matrix` is the same as displayed, `thresholds` where it
    is reached, and `optimal_range` every a0 for which it is the best of all. `disagreeing` numbers
    the questions whose answer the others make improbable (below 1 in 10).

    `preferences` counts the answers learned from that prefer a side, `fewer_misses` those that
    prefer the side with fewer misses. With fewer than 3 preferences there is not enough `evidence`:
    no metric, no family, no system.

    `is_informative` is false where what was learned predicts the answers to the other questions
    hardly better than a coin: too `little` evidence for a metric or a system, but `a0` and `ratio`
    are there with their wide intervals.

    `misfit` holds the reasons why no metric considered describes this person. With any there is no
    metric, no a0 and no system either, only what is known and, in `advice`, what to ask next;
    `families` then compares descriptions none of which holds.

    `positive` is the label that counts as positive, `systems` what could be shown. `possible` are
    metrics of the same kind as `metric`, equally probable by the answers (of a linear metric, `a0`
    has them): what is decided by this result is as uncertain as they differ.

    Notes
    -----
    Stability: stable
    """

    metric: ElicitedMetric | None
    a0: Estimate | None
    ratio: Estimate | None
    families: Mapping[str, float]
    family: str | None
    matrix: ConfusionMatrix | None
    counts: ConfusionMatrix | None
    thresholds: Range | None
    optimal_range: Range | None
    queries: int
    choices: int
    preferences: int
    stopped: str
    expected_agreement: float | None
    checks: AttentionChecks
    disagreeing: tuple[int, ...]
    agreement: Agreement | None
    provenance: Provenance
    fewer_misses: int = 0
    misfit: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()
    is_informative: bool = True
    positive: Any = 1
    possible: tuple[ElicitedMetric, ...] = field(default=(), repr=False)
    systems: Sequence[ConfusionMatrix] = field(default=(), repr=False, compare=False)

    @property
    def fits(self) -> bool:
        """Whether the metric describes this person, as far as the tests can tell."""
        return not self.misfit

    @property
    def is_linear(self) -> bool:
        """Whether the metric is linear with a probability of at least 80 %."""
        return self.family == "linear"

    @property
    def is_indifferent(self) -> bool:
        """Whether most answers learned from were "no preference": then no family is settled."""
        return 2 * self.preferences < self.choices

    @property
    def evidence(self) -> Evidence:
        """Whether the answers say enough for a metric: "enough", "little" or "none"."""
        return evidence_of(self.preferences, is_informative=self.is_informative)

    @property
    def interval(self) -> Interval | None:
        """The 90 % interval of a0."""
        return self.a0.interval if self.a0 is not None else None

    @property
    def why_no_metric(self) -> str:
        """Why no metric is named, empty where one is."""
        if self.metric is not None:
            return ""
        if self.evidence == "none":
            return f"not enough evidence, {self.preferences} answers that prefer a side"
        if self.misfit:
            return "a metric that does not describe the person: " + "; ".join(self.misfit)
        return NO_INFORMATION

    def scorer(self, **options: Any) -> Any:  # noqa: ANN401 - scikit-learn's own type
        """Return a scikit-learn scorer of the metric; options go to `make_scorer`."""
        if self.metric is None:
            raise InputError(
                where="scorer",
                found=self.why_no_metric,
                needed="a metric that describes the person",
                cure=" ".join(self.advice) or "Ask more questions.",
            )
        named = {} if self.positive == 1 else {"pos_label": self.positive}
        return self.metric.scorer(**(named | options))

    def threshold(self, y_true: Any, scores: Any, **options: Any) -> Any:  # noqa: ANN401 - decide's
        """Return where to put the threshold and how sure that is: `decide.threshold` of this."""
        chosen = _later("decide", "threshold")
        return chosen(self, y_true, scores, **({"pos_label": self.positive} | options))

    def plot(self, path: Any = None) -> Any:  # noqa: ANN401 - a path; matplotlib's Figure
        """Return the picture of the result as a matplotlib figure; write it to `path` if given."""
        return _later("show.elicitation", "elicitation_picture")(self, path=path)

    def save(self, path: Any) -> None:  # noqa: ANN401 - a path
        """Write the result to a JSON file that `learn.load_elicited` reads."""
        _later("learn.elicitation.saved", "save_elicited")(self, path)

    @classmethod
    def load(cls, path: Any) -> "ElicitationResult":  # noqa: ANN401 - a path
        """Return the result that `save` wrote; `learn.load_elicited` reads any interview's."""
        result = _later("learn.elicitation.saved", "load_elicited")(path)
        if not isinstance(result, cls):
            raise FileFormatError(
                where=str(path),
                found=f"a saved {type(result).__name__}",
                needed=f"a saved {cls.__name__}",
                cure="Read it with learn.load_elicited(path).",
            )
        return result

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "evidence": self.evidence,
            "is_informative": self.is_informative,
            "fits": self.fits,
            "misfit": list(self.misfit),
            "advice": list(self.advice),
            "metric": self.metric and self.metric.to_dict(),
            "a0": self.a0 and self.a0.to_dict(),
            "ratio": self.ratio and self.ratio.to_dict(),
            "families": dict(self.families),
            "family": self.family,
            "is_linear": self.is_linear,
            "matrix": self.matrix and self.matrix.to_dict(),
            "counts": self.counts and self.counts.to_dict(),
            "thresholds": self.thresholds and self.thresholds._asdict(),
            "optimal_range": self.optimal_range and self.optimal_range._asdict(),
            "queries": self.queries,
            "choices": self.choices,
            "preferences": self.preferences,
            "fewer_misses": self.fewer_misses,
            "stopped": self.stopped,
            "expected_agreement": self.expected_agreement,
            "checks": self.checks.to_dict(),
            "disagreeing": list(self.disagreeing),
            "agreement": self.agreement and self.agreement.to_dict(),
            "positive": self.positive,
            "provenance": self.provenance.to_dict(),
        }


def _later(module: str, name: str) -> Any:  # noqa: ANN401 - a function of a later stage
    """Return a function of a later stage by name: a noun imports no verbs."""
    return getattr(import_module(f"howgood.{module}"), name)


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightsResult(Shown):
    """Weights of several features, the metric of their means, and the system it puts first.

    With fewer than 3 answers that prefer a side there is not enough `evidence`, and with any
    `misfit` no weights describe this person: no metric and no system then, only what is known and,
    in `advice`, what to ask next. The same where `is_informative` is false: the answers are
    foretold hardly better than by a coin. `agreement` is M on pairs kept back. Of groups,
    `positive` is the label that counts as positive. Weights in `not_learned` are hardly better
    known than before any answer: `scorer()` and `rule()` warn that they assume them.

    Notes
    -----
    Stability: experimental
    """

    weights: Mapping[str, Estimate]
    metric: DiagonalMetric | FairMetric | None
    best: Any
    queries: int
    choices: int
    preferences: int
    stopped: str
    checks: AttentionChecks
    agreement: Agreement | None
    provenance: Provenance
    misfit: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()
    is_informative: bool = True
    positive: Any = 1

    @property
    def evidence(self) -> Evidence:
        """Whether the answers say enough for weights: "enough", "little" or "none"."""
        return evidence_of(self.preferences, is_informative=self.is_informative)

    @property
    def fits(self) -> bool:
        """Whether weights describe this person, as far as the tests can tell."""
        return not self.misfit

    def scorer(self, **options: Any) -> Any:  # noqa: ANN401 - scikit-learn's own type
        """Return a scikit-learn scorer of the metric; of groups, name the column: group="sex"."""
        metric = self._described()
        named = isinstance(metric, FairMetric) and self.positive != 1
        return metric.scorer(**(({"pos_label": self.positive} if named else {}) | options))

    def rule(self) -> WeightedArgmax | GroupThresholds:
        """Return the rule to deploy: weighted probabilities, or a threshold per group."""
        metric = self._described()
        if isinstance(metric, DiagonalMetric):
            return WeightedArgmax(weights=metric.weights, labels=metric.labels)
        if not self.best.thresholds:
            raise InputError(
                where="rule",
                found="systems whose thresholds are not known",
                needed="outcomes with thresholds per group",
                cure="Make the outcomes with learn.group_outcomes.",
            )
        return GroupThresholds(thresholds=self.best.thresholds)

    def _described(self) -> DiagonalMetric | FairMetric:
        if self.metric is None:
            raise InputError(
                where="elicited weights",
                found=why_nothing(self.misfit, self.preferences),
                needed="weights that describe the person",
                cure=" ".join(self.advice) or "Ask more questions.",
            )
        if self.not_learned:
            announce(
                f"not enough answers to say how much {', '.join(self.not_learned)} counts: the "
                "weight is the one assumed before any answer",
                NoEvidenceWarning,
            )
        return self.metric

    @property
    def not_learned(self) -> tuple[str, ...]:
        """The names of weights that the answers say nothing, or nearly nothing, about.

        As of a class so rare that no answer turned on it: the number is what was assumed before.
        """
        return tuple(name for name, one in self.weights.items() if one.evidence == "none")

    @property
    def learned(self) -> dict[str, Estimate]:
        """The weights that were learned, as shares of what these have together.

        Of all weight, one that was not learned included, they would be as vague as that one.
        """
        learned = {name: one for name, one in self.weights.items() if one.evidence != "none"}
        if len(learned) == len(self.weights) or not learned:
            return learned
        together = np.maximum(np.sum([one.draws for one in learned.values()], axis=0), 1e-300)
        return {
            name: Estimate.from_draws(
                one.draws / together,
                probability=one.interval.probability,
                kind=one.interval.kind,
                n_respondents=one.n_respondents,
                evidence=one.evidence,
            )
            for name, one in learned.items()
        }

    @property
    def violation_weight(self) -> Estimate | None:
        """The weight of all gaps between groups (lambda); None when no feature is a gap."""
        gaps = [weight.draws for name, weight in self.weights.items() if name.endswith(" gap")]
        if not gaps:
            return None
        return Estimate.from_draws(sum(gaps[1:], gaps[0]), probability=0.9, kind="quantile")

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "weights": {
                # Of what was assumed there is no mean that anybody said.
                name: weight.to_dict() | ({"mean": None} if name in self.not_learned else {})
                for name, weight in self.weights.items()
            },
            "not_learned": list(self.not_learned),
            "evidence": self.evidence,
            "is_informative": self.is_informative,
            "metric": self.metric and self.metric.to_dict(),
            "violation_weight": self.violation_weight and self.violation_weight.to_dict(),
            "best": self.best and self.best.to_dict(),
            "fits": self.fits,
            "misfit": list(self.misfit),
            "advice": list(self.advice),
            "queries": self.queries,
            "choices": self.choices,
            "preferences": self.preferences,
            "stopped": self.stopped,
            "checks": self.checks.to_dict(),
            "agreement": self.agreement and self.agreement.to_dict(),
            "provenance": self.provenance.to_dict(),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class DiagonalResult(Shown):
    """Where the bisections over classes ended; `intervals` are their last brackets.

    Notes
    -----
    Stability: experimental
    """

    metric: DiagonalMetric
    intervals: tuple[Range, ...]
    queries: int
    provenance: Provenance

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "metric": self.metric.to_dict(),
            "intervals": [interval._asdict() for interval in self.intervals],
            "queries": self.queries,
            "provenance": self.provenance.to_dict(),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class FractionalResult(Shown):
    """A linear-fractional metric, and how far its two derivations disagree (0: not at all).

    Notes
    -----
    Stability: experimental
    """

    metric: FractionalMetric
    best_threshold: float
    worst_threshold: float
    disagreement: float
    queries: int
    provenance: Provenance

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "metric": self.metric.to_dict(),
            "best_threshold": self.best_threshold,
            "worst_threshold": self.worst_threshold,
            "disagreement": self.disagreement,
            "queries": self.queries,
            "provenance": self.provenance.to_dict(),
        }
