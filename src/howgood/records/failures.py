"""Kinds of failure: what somebody is shown, what is assumed, and what rates people tolerate.

In: plain values. Out: `FailureScenario`, `FailurePriors`, `FailureBar`. Absent: drawing scenarios
(`ask.failures`), fitting (`learn.failures`), deciding (`decide.failure_rates`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from howgood.errors import InputError
from howgood.records.decision import GateVerdict
from howgood.records.estimate import Estimate
from howgood.records.evidence import Evidence
from howgood.records.priors import HalfNormal, Normal
from howgood.records.provenance import Provenance
from howgood.records.saved import Saved
from howgood.records.shown import Shown

_LEVEL, _WEIGHT = Normal(0.0, 1.6), HalfNormal(25.0)
_PERSON_SD, _FLAWLESS = HalfNormal(2.5), HalfNormal(5.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureScenario(Saved):
    """So many answers of `out_of` fail, by kind; the others are right.

    Stability: experimental

    Examples
    --------
    >>> FailureScenario(counts={"invented": 2, "refused": 1}, out_of=20).right
    17
    """

    counts: Mapping[str, int]
    out_of: int

    def __post_init__(self) -> None:
        if min(self.counts.values(), default=0) < 0 or self.right < 0:
            raise InputError(
                where="failure scenario",
                found=f"{dict(self.counts)} of {self.out_of}",
                needed="counts of at least 0 that do not exceed the answers",
                cure="Lower the counts.",
            )

    @property
    def right(self) -> int:
        """How many answers are right."""
        return self.out_of - sum(self.counts.values())

    @property
    def is_flawless(self) -> bool:
        """Whether nothing fails."""
        return not any(self.counts.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class FailurePriors(Saved):
    """What is assumed about failures before anybody has answered.

    `level` is people's mean logit to accept when 15 % of the answers fail, equally many of every
    kind (`USUAL_FAILING`); `weight` the logits lost per unit of a kind's rate (25: one failure in
    twenty costs 1.25 logits at one standard deviation); `person_sd` how people differ; `flawless`
    what is gained when nothing fails.

    Stability: experimental
    """

    level: Normal = _LEVEL
    weight: HalfNormal = _WEIGHT
    person_sd: HalfNormal = _PERSON_SD
    flawless: HalfNormal = _FLAWLESS

    def describe(self) -> str:
        """Return every assumption in words."""
        return (
            f"level ~ {self.level} where 15 % fail; weight of a kind per unit of its rate ~ "
            f"{self.weight}; sd of people ~ {self.person_sd}; no failure at all ~ {self.flawless}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureBar(Shown):
    """What rates of failure people tolerate.

    `alone` holds for each kind the rate at which `share` of people accept when nothing else fails.
    `together` are rates that may occur at the same time: at these at least `share` accepts with
    probability `certainty`; None when no rates are known to be low enough. Each kind takes an equal
    part of what people tolerate. `reachable` is the probability that `share` is reached when almost
    nothing fails.

    Stability: experimental
    """

    application: str
    share: float
    certainty: float
    alone: Mapping[str, Estimate]
    together: Mapping[str, float] | None
    reachable: float
    provenance: Provenance = field(repr=False)
    evidence: Evidence = "enough"

    @property
    def failing(self) -> float | None:
        """The share of answers that may fail in all, where rates are known."""
        return None if self.together is None else sum(self.together.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureGate(Shown):
    """Whether enough people would accept a system that fails so often, and how sure that is.

    `rates` are those of the evaluation, of `cases` answers; `p_enough` is the probability that at
    least `share` of people accept.

    Stability: experimental
    """

    application: str
    verdict: GateVerdict
    p_enough: float
    acceptance: Estimate
    rates: Mapping[str, float]
    cases: int
    share: float
    certainty: float
    provenance: Provenance = field(repr=False)
    evidence: Evidence = "enough"
