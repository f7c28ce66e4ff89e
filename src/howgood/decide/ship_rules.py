"""The rules of a release: ship, do not ship, or not enough evidence.

In: compared metrics, ratios of cost and latency, and what was asked for. Out: the verdict with its
reason and its probability of being wrong; how many more items would settle it. Absent: comparing
(see `decide.shipping`).
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from scipy.special import stdtrit

from howgood.records.estimate import Estimate
from howgood.records.shipping import MetricComparison, ShipVerdict
from howgood.stats.few_items import MeanLaw, RateLaw
from howgood.stats.moments import reach, rho_for

PLANNED = 500
_MOST_NEEDED = 10_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ShipRules:
    """What was asked for: how sure, by how much, at one look or at any."""

    level: float
    margin: float
    bar: float | None
    tolerated: Mapping[str, float]
    planned: int | None

    @property
    def rho(self) -> float:
        """The tuning of the confidence sequence, tightest after the planned items."""
        return rho_for(self.planned or PLANNED, self.level)


def above_bar(first: MetricComparison, own: MeanLaw | RateLaw, rules: ShipRules) -> float | None:
    """Return the probability that the candidate's own mean exceeds the bar."""
    if rules.bar is None:
        return None
    p_higher = own.above(rules.bar)
    return p_higher if first.greater_is_better else 1.0 - p_higher


def within_tolerance(own: Mapping[str, MeanLaw | RateLaw], rules: ShipRules) -> dict[str, float]:
    """Return the probability that each rate of failure lies below what people tolerate."""
    return {
        metric: 1.0 - law.above(rules.tolerated[metric])
        for metric, law in own.items()
        if metric in rules.tolerated
    }


def _over_the_bar(
    within: Mapping[str, float], rules: ShipRules
) -> tuple[ShipVerdict, str, float] | None:
    """Return the verdict of rates that people do not tolerate, or that are not known well enough.

    The kinds share the level, so that a wrong verdict about any of them stays as rare as stated.
    """
    level = rules.level / max(len(within), 1)
    for kind, p_below in within.items():
        if p_below <= level:
            limit = f"{100 * rules.tolerated[kind]:.2g} %"
            return "do not ship", f"{kind} is more frequent than people tolerate ({limit})", p_below
    open_kinds = [kind for kind, p_below in within.items() if p_below < 1.0 - level]
    if not open_kinds:
        return None
    worst = min(open_kinds, key=lambda kind: within[kind])
    reason = f"whether {worst} stays below {100 * rules.tolerated[worst]:.2g} % is open"
    return "not enough evidence", reason, 1.0 - within[worst]


def verdict_of(
    comparisons: tuple[MetricComparison, ...],
    ratios: Sequence[Estimate | None],
    rules: ShipRules,
    p_above_bar: float | None,
    within: Mapping[str, float],
) -> tuple[ShipVerdict, str, float]:
    """Return the verdict, the rule that decided, and the probability that it is wrong."""
    first, sure = comparisons[0], 1.0 - rules.level
    by = f" by more than {rules.margin:g}" if rules.margin else ""
    over = _over_the_bar(within, rules)
    if over is not None and over[0] == "do not ship":
        return over
    if p_above_bar is not None and p_above_bar <= rules.level:
        return "do not ship", f"the candidate misses the bar of {rules.bar:g}", p_above_bar
    if first.p_worse >= sure:
        return "do not ship", f"the candidate is worse{by}", 1.0 - first.p_worse
    guards = [comparison for comparison in comparisons[1:] if comparison.metric not in within]
    for guard in guards:
        # Several guards share the level, so that many of them do not stop a good candidate.
        if guard.p_worse >= 1.0 - rules.level / len(guards):
            return "do not ship", f"the candidate is worse in {guard.metric}", 1.0 - guard.p_worse
    if over is not None:
        return over
    if p_above_bar is not None and p_above_bar < sure:
        return "not enough evidence", f"whether it reaches {rules.bar:g} is open", 1.0 - p_above_bar
    if first.p_better >= sure:
        return "ship", f"the candidate is better{by}", 1.0 - first.p_better
    saves = [ratio is not None and ratio.interval.upper < 1.0 for ratio in ratios]
    if rules.margin > 0 and any(saves) and first.p_not_worse >= sure:
        how = " and ".join(
            word for word, is_less in zip(("cheaper", "faster"), saves, strict=True) if is_less
        )
        reason = f"the candidate is {how} and not worse{by}"
        return "ship", reason, 1.0 - first.p_not_worse
    return "not enough evidence", _why_open(first), first.p_opposite


def _why_open(first: MetricComparison) -> str:
    if first.difference.sd <= 0 and first.difference.mean == 0:
        return f"both have the same {first.metric} on every item"
    return "which one is better is open"


def needed_items(first: MetricComparison, rules: ShipRules) -> int | None:
    """Return how many more items would give a verdict if the difference stays what it is."""
    lead = abs(first.difference.mean) - rules.margin
    if lead <= 0 or first.difference.sd <= 0:
        return None
    per_item = first.difference.sd * math.sqrt(first.n_items)
    in_cluster = first.n_items / first.n_clusters

    def reached(total: float) -> float:
        """Return how far from zero the mean of so many items must lie to count."""
        if rules.planned is not None:
            return reach(total, per_item, rules.level, rules.rho)
        freedom = max(total / in_cluster - 1.0, 1.0)
        return float(stdtrit(freedom, 1.0 - rules.level)) * per_item / math.sqrt(total)

    more = math.ceil(_fewest(reached, lead)) - first.n_items
    return more if 0 < more < _MOST_NEEDED else (1 if more <= 0 else None)


def _fewest(reached: Callable[[float], float], lead: float) -> float:
    low, high = 1.0, 2.0 * _MOST_NEEDED
    for _ in range(60):
        middle = math.sqrt(low * high)
        low, high = (low, middle) if reached(middle) <= lead else (middle, high)
    return high
