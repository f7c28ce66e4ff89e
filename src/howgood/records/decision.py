"""Decisions about a classifier, each with its uncertainty.

In: what `decide` found. Out: records. Absent: deciding, and sentences about it (see `show`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

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
                "accepting": [each.mean for each in shares],
                "lower": [each.interval.lower for each in shares],
                "upper": [each.interval.upper for each in shares],
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
    were asked about.

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
    size: size, accepting, lower, upper, p_enough (the probability that at least `share` accepts)
    and passes.

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
