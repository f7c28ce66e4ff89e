"""Decisions about a classifier, each with its uncertainty.

In: what `decide` found. Out: records. Absent: deciding, and sentences about it (see `show`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, ClassVar, Literal

from howgood.records.estimate import Estimate
from howgood.records.evidence import Evidence
from howgood.records.provenance import Provenance
from howgood.records.shown import Shown
from howgood.records.table import Table, Tabular

GateVerdict = Literal["pass", "fail", "investigate"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ThresholdChoice(Tabular):
    """Where to put a classifier's threshold, and how sure we can be.

    `chosen` has the highest expected acceptance (or metric); a case is flagged when its score
    reaches it. `threshold` is the posterior of the best threshold: for every draw of people and
    of the test set, the threshold that is best under both. `variance_shares` splits its variance
    into "people", "test set" and "both together". `curve` holds the expected acceptance (or
    metric) with its interval by threshold. `precision` and `recall` are those at `chosen`.
    `not_better_than` names the rule without scores, "flagging nothing" or "flagging everything",
    that `chosen` does not beat in 95 of 100 draws; None where it beats both.
    `evidence` says whether the answers of people suffice; "enough" for a metric.

    Stability: stable
    """

    frame_of: ClassVar[str] = "curve"

    chosen: float
    threshold: Estimate
    variance_shares: Mapping[str, float]
    objective: str
    expected: float
    acceptance: Estimate | None
    precision: Estimate
    recall: Estimate
    curve: Table = field(repr=False)
    provenance: Provenance = field(repr=False)
    evidence: Evidence = "enough"
    not_better_than: str | None = None

    def plot(self, path: Any = None) -> Any:  # noqa: ANN401 - a path; matplotlib's Figure
        """Return the picture of the choice as a matplotlib figure; write it to `path` if given."""
        return import_module("howgood.show.decisions").threshold_picture(self, path=path)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplicationChoice(Tabular):
    """In which application or interface one classifier is best accepted.

    `best` is None when no application is best with the wanted certainty, or when the answers about
    one of them do not suffice (`evidence` is the weakest of all): not enough evidence.

    Stability: stable
    """

    frame_of: ClassVar[str] = "table"

    acceptance: Mapping[str, Estimate]
    best_probability: Mapping[str, float]
    best: str | None
    certainty: float
    provenance: Provenance = field(repr=False)
    evidence: Evidence = "enough"

    @property
    def table(self) -> Table:
        """One row per application: the accepting share with its interval, and P(best)."""
        shares = list(self.acceptance.values())
        return Table(
            {
                "application": list(self.acceptance),
                "accepting": [share.mean for share in shares],
                "lower": [share.interval.lower for share in shares],
                "upper": [share.interval.upper for share in shares],
                "p_best": [self.best_probability[name] for name in self.acceptance],
            }
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Target(Shown):
    """The accuracy to aim for so that a share of people accepts.

    `needed_mean` is the weighted mean of precision and recall at which `share` of the population
    accepts, among the draws in which some accuracy is enough; None when fewer than one draw in
    twenty is such a draw. `reachable` is the probability that perfect accuracy would be enough,
    `at_best` the share accepting it, `only_flawless` the probability that nothing less is enough.
    `precision_gain` and `recall_gain` are the changes of the accepting share per further point
    (.01) at `precision` and `recall`. Above `diminishing_from`, one more point of both adds less
    than `least_gain` to the accepting share; None when that never happens below 1. `evidence` says
    whether the answers suffice to rely on any of it.

    Stability: stable
    """

    application: str
    share: float
    needed_mean: Estimate | None
    reachable: float
    at_best: Estimate
    precision: float
    recall: float
    acceptance: Estimate
    precision_gain: Estimate
    recall_gain: Estimate
    diminishing_from: float | None
    least_gain: float
    provenance: Provenance = field(repr=False)
    evidence: Evidence = "enough"
    only_flawless: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TradeOff(Tabular):
    """How acceptance falls when accuracy is given up: for privacy, cost or battery.

    `curve` has one row per accuracy: accuracy, accepting, lower, upper. `least_accuracy` is the
    lowest accuracy at which `share` accepts with the wanted certainty, None if there is none or if
    the `evidence` does not suffice; it is never below `lowest_shown`, the lowest accuracy people
    were asked about. The intervals are highest-density ones, as those of every other share.

    Stability: stable
    """

    frame_of: ClassVar[str] = "curve"

    application: str
    share: float
    certainty: float
    least_accuracy: float | None
    curve: Table
    provenance: Provenance = field(repr=False)
    evidence: Evidence = "enough"
    lowest_shown: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GoLive(Tabular):
    """When to switch a system from training to predicting.

    `size` is the first training size from which on every larger one passes too; None means not
    enough evidence at any size, or from the answers at all (`evidence`). `table` has one row per
    size: size, accepting, lower and upper (highest density, as those of every other share),
    p_enough (the probability that at least `share` accepts) and passes.

    Stability: stable
    """

    frame_of: ClassVar[str] = "table"

    application: str
    size: float | None
    share: float
    certainty: float
    table: Table
    provenance: Provenance = field(repr=False)
    evidence: Evidence = "enough"


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate(Shown):
    """Does a classifier pass: would enough people accept it?

    "pass" when the probability that at least `share` accepts reaches `certainty`, "fail" when it
    is at most 1 - `certainty`, else "investigate": the evidence does not say. Without enough
    `evidence` about the application the verdict is always "investigate".

    Where the fit has segments, each must accept: `acceptance` and `p_enough` are then those of
    whichever segment is the least satisfied, draw by draw, `segments` holds every segment's share
    and `least_satisfied` names the one with the lowest; it is None without segments.

    Stability: stable
    """

    application: str
    verdict: GateVerdict
    p_enough: float
    acceptance: Estimate
    share: float
    certainty: float
    provenance: Provenance = field(repr=False)
    evidence: Evidence = "enough"
    segments: Mapping[str, Estimate] = field(default_factory=dict)

    @property
    def least_satisfied(self) -> str | None:
        """The segment of which the smallest share is expected to accept."""
        if not self.segments:
            return None
        return min(self.segments, key=lambda name: self.segments[name].mean)


OneThresholdVerdict = Literal["one threshold", "own thresholds", "not enough evidence"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OneThreshold(Tabular):
    """What segments lose when everybody is served one threshold.

    `common` suits all people together, `own` each segment. `lost` is the share of a segment that
    would accept its own threshold but not the common one, `lost_overall` that of all people. The
    verdict is "own thresholds" when some segment loses at least `worth` with the wanted certainty,
    "one threshold" when none does, with the same certainty, else "not enough evidence".

    Stability: experimental
    """

    frame_of: ClassVar[str] = "table"

    application: str
    common: float
    own: Mapping[str, float]
    people_shares: Mapping[str, float]
    acceptance: Mapping[str, Estimate]
    lost: Mapping[str, Estimate]
    lost_overall: Estimate
    verdict: OneThresholdVerdict
    worth: float
    certainty: float
    provenance: Provenance = field(repr=False)
    evidence: Evidence = "enough"

    @property
    def table(self) -> Table:
        """One row per segment: its threshold, who accepts the common one, and what is lost."""
        names = list(self.lost)
        return Table(
            {
                "segment": names,
                "share of people": [self.people_shares[name] for name in names],
                "common threshold": [self.common] * len(names),
                "own threshold": [self.own[name] for name in names],
                "accepting": [self.acceptance[name].mean for name in names],
                "lost": [self.lost[name].mean for name in names],
                "lower": [self.lost[name].interval.lower for name in names],
                "upper": [self.lost[name].interval.upper for name in names],
            }
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricGate(Shown):
    """Is a classifier better than another by what somebody values?

    `value` is its metric and `gain` how much more that is than the rival's, both with the
    uncertainty of the test set and, of an elicited linear metric, of the respondent. `p_better` is
    the probability that the gain exceeds `margin`: "pass" from `certainty` on, "fail" up to
    1 - `certainty`, else "investigate".

    Stability: experimental
    """

    metric: str
    verdict: GateVerdict
    p_better: float
    value: Estimate
    gain: Estimate
    rival: str
    margin: float
    certainty: float
    provenance: Provenance = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class StudySize(Tabular):
    """How many people a study needs.

    `people` (with `scenarios` each) is the smallest design tried at which every application's
    alpha interval has on average at most `width`; None when no design tried does.

    `widths` has one row per design and application: people, scenarios, application, width (mean
    over simulated studies), lower and upper (nine in ten studies lie between), enough (share of
    studies with at most the wanted width) and covered (share whose interval holds the alpha the
    people were simulated with). `power` has one row per design and pair: difference (the one
    simulated), power (share of studies in which the pair is credibly different), lower and upper
    (a 95 % interval of the power: so few studies were simulated) and studies (how many).

    Stability: experimental
    """

    frame_of: ClassVar[str] = "widths"

    people: int | None
    scenarios: int | None
    width: float
    widths: Table
    power: Table
    provenance: Provenance = field(repr=False)
