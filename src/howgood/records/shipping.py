"""May we ship? The verdict of comparing two evaluations.

In: what `decide.ship` worked out. Out: frozen results with their plain values. Absent: working
anything out.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any, ClassVar, Literal

from howgood.records.estimate import Estimate
from howgood.records.provenance import Provenance
from howgood.records.saved import field_values
from howgood.records.shown import Shown
from howgood.records.table import Table, Tabular

ShipVerdict = Literal["ship", "do not ship", "not enough evidence"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricComparison(Shown):
    """One metric of two systems on the same items.

    `difference` is candidate less base. `p_better` is the probability that the candidate is better
    by more than the margin, `p_worse` worse by more, `p_not_worse` not worse by more than the
    margin, `p_opposite` that the system which looks better is not. With many
    looks the first three are 1 less always-valid p-values.

    Stability: experimental
    """

    metric: str
    base: Estimate
    candidate: Estimate
    difference: Estimate
    margin: float
    greater_is_better: bool
    p_better: float
    p_worse: float
    p_not_worse: float
    p_opposite: float
    n_items: int
    n_clusters: int

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return field_values(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShipDecision(Tabular):
    """Ship, do not ship, or not enough evidence, with what it rests on.

    `error` is the probability that what the verdict says is wrong; without a verdict, that the
    system which looks better is not. `needed` says how many more items would settle it if the
    difference stays (None: settled, or no number would). `comparisons` holds every metric, the
    deciding one first; `cost` and `latency` are ratios of candidate to base, where known.
    `tolerated` are the highest rates of failure people tolerate, `p_tolerated` the probabilities
    that the candidate's lie below. `reason` says which rule decided.

    Stability: experimental
    """

    frame_of: ClassVar[str] = "table"

    verdict: ShipVerdict
    reason: str
    error: float
    needed: int | None
    comparisons: tuple[MetricComparison, ...]
    cost: Estimate | None
    latency: Estimate | None
    bar: float | None
    p_above_bar: float | None
    level: float
    systems: tuple[str, str]
    provenance: Provenance = field(repr=False)
    tolerated: Mapping[str, float] = field(default_factory=dict)
    p_tolerated: Mapping[str, float] = field(default_factory=dict)

    @property
    def sentence(self) -> str:
        """The verdict in one or two plain sentences."""
        return _sentence(self)

    @property
    def difference(self) -> Estimate:
        """Candidate less base, on the deciding metric."""
        return self.comparisons[0].difference

    @property
    def metric(self) -> str:
        """The deciding metric."""
        return self.comparisons[0].metric

    @property
    def others(self) -> Mapping[str, MetricComparison]:
        """The other metrics, by name."""
        return {comparison.metric: comparison for comparison in self.comparisons[1:]}

    def candidate_rate(self, metric: str) -> Estimate:
        """Return the candidate's own mean of a metric."""
        return next(
            comparison.candidate for comparison in self.comparisons if comparison.metric == metric
        )

    @property
    def table(self) -> Table:
        """One row per metric: base, candidate, difference with its interval, probabilities."""
        rows = self.comparisons
        return Table(
            {
                "metric": [row.metric for row in rows],
                "base": [row.base.mean for row in rows],
                "candidate": [row.candidate.mean for row in rows],
                "difference": [row.difference.mean for row in rows],
                "lower": [row.difference.interval.lower for row in rows],
                "upper": [row.difference.interval.upper for row in rows],
                "P(better)": [row.p_better for row in rows],
                "P(worse)": [row.p_worse for row in rows],
                "items": [row.n_items for row in rows],
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        plain = field_values(self)
        plain["comparisons"] = [comparison.to_dict() for comparison in self.comparisons]
        return {
            **plain,
            "sentence": self.sentence,
            "metric": self.metric,
            "difference": self.difference.to_dict(),
        }

    def _repr_html_(self) -> str:
        """Show the sentence, the interval as a bar, and the table, in a notebook."""
        return shown_html(self)


_OPENINGS = {
    "ship": "Ship",
    "do not ship": "Do not ship",
    "not enough evidence": "Not enough evidence",
}


def _sentence(decision: ShipDecision) -> str:
    first = decision.comparisons[0]
    ends = first.difference.interval
    is_share = _is_share(first)
    unit = " points" if is_share else ""
    numbers = [first.difference.mean, ends.lower, ends.upper]
    gap, lower, upper = _written([100 * number if is_share else number for number in numbers])
    said = (
        f"{_OPENINGS[decision.verdict]}: {decision.reason}. {first.metric} {gap}{unit} "
        f"[{lower}, {upper}] ({100 * ends.probability:.0f} % interval) over {first.n_items} items; "
        f"{_wrong(decision)}"
    )
    if decision.needed is not None:
        said += f"; {_more(decision.needed)} like these would settle it if that stays so"
    return f"{said}.{_tie_breakers(decision)}"


def _more(n: int) -> str:
    return "1 more item" if n == 1 else f"{n:,} more items"


def _is_share(first: MetricComparison) -> bool:
    """Whether both means lie between 0 and 1, as pass rates and accuracies do."""
    return 0 <= first.base.mean <= 1 and 0 <= first.candidate.mean <= 1


def _written(numbers: list[float]) -> list[str]:
    """Return numbers with a sign, and as many digits as their spread deserves."""
    spread = max(abs(numbers[2] - numbers[1]), 1e-12) / 4.0
    digits = min(max(0, 1 - math.floor(math.log10(spread))), 4)
    return [f"{number:+.{digits}f}" for number in numbers]


def _wrong(decision: ShipDecision) -> str:
    what = {
        "ship": "wrong with probability",
        "do not ship": "wrong with probability",
        "not enough evidence": "that the order is the opposite has probability",
    }[decision.verdict]
    amount = "below .001" if decision.error < 0.001 else f"{decision.error:.3f}".lstrip("0")
    return f"{what} {amount}"


def _tie_breakers(decision: ShipDecision) -> str:
    said = []
    words = {"cost": ("cheaper", "more expensive"), "latency": ("faster", "slower")}
    for name, ratio in (("cost", decision.cost), ("latency", decision.latency)):
        if ratio is None or 1.0 in ratio.interval:
            continue
        less, more = words[name]
        change = abs(1.0 - ratio.mean)
        said.append(f"{change:.0%} {less if ratio.mean < 1 else more}".replace("%", " %"))
    if not said:
        return ""
    is_tie = decision.verdict == "not enough evidence"
    saves = all("cheaper" in text or "faster" in text for text in said)
    opening = "They tie, and the" if is_tie and saves else "The"
    return f" {opening} candidate is {' and '.join(said)}."


# Colours of the verdict, readable on light and dark.
_COLOURS = {"ship": "#00805c", "do not ship": "#c24d00", "not enough evidence": "#7a68b3"}


def shown_html(decision: ShipDecision) -> str:
    """Return a small piece of HTML: verdict, sentence, and the interval around no difference."""
    ends = decision.difference.interval
    reach = 1.1 * max(abs(ends.lower), abs(ends.upper), decision.comparisons[0].margin, 1e-12)
    colour = _COLOURS[decision.verdict]

    def place(value: float) -> float:
        return 150.0 + 140.0 * value / reach

    bar = (
        '<svg role="img" width="300" height="28" viewBox="0 0 300 28" aria-label="difference with '
        'its interval around zero"><line x1="150" y1="2" x2="150" y2="26" stroke="currentColor" '
        'stroke-dasharray="3 2"/>'
        f'<line x1="{place(ends.lower):.1f}" y1="14" x2="{place(ends.upper):.1f}" y2="14" '
        f'stroke="{colour}" stroke-width="4"/>'
        f'<circle cx="{place(decision.difference.mean):.1f}" cy="14" r="5" fill="{colour}"/></svg>'
    )
    said = escape(decision.sentence)
    return f'<div style="border-left:4px solid {colour};padding-left:12px"><p>{said}</p>{bar}</div>'
