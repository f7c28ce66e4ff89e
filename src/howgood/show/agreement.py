"""Agreement of raters in words.

In: `RaterAgreement`. Out: sentences. Absent: judgements such as "substantial": what is enough
depends on the decision.
"""

from howgood.records.ceiling import NoiseCeiling
from howgood.records.estimate import Estimate
from howgood.records.rater_agreement import RaterAgreement
from howgood.records.report import Finding
from howgood.show.numbers import percent, plain

# Below so many raters, how far others would agree is hardly known.
_FEW = 5


def findings(agreement: RaterAgreement) -> tuple[Finding, ...]:
    """Return the plain-language findings, most important first."""
    return (
        _between(agreement),
        *_within(agreement),
        *_shares(agreement),
        ceiling_finding(agreement.ceiling),
        *_few(agreement),
    )


def _between(agreement: RaterAgreement) -> Finding:
    text = (
        f"Krippendorff's alpha ({agreement.level}) is {_with_interval(agreement.alpha)}: 1 is "
        "perfect agreement, 0 is chance."
    )
    return Finding(text=text, tone="unsure" if agreement.alpha.interval.lower <= 0 else "good")


def _within(agreement: RaterAgreement) -> list[Finding]:
    own = agreement.self_agreement
    if own is None:
        return [Finding(text="Nobody graded an item twice: self-agreement is not known.")]
    text = f"Asked twice, a rater agrees with themselves with an alpha of {_with_interval(own)}."
    return [Finding(text=text)]


def _shares(agreement: RaterAgreement) -> list[Finding]:
    shares = agreement.variance_shares
    if not shares:
        return []
    text = (
        f"Of the variance of grades {percent(shares['items'])} comes from items, "
        f"{percent(shares['raters'])} from lenient and strict raters, and "
        f"{percent(shares['rest'])} from the rest."
    )
    return [Finding(text=text)]


def ceiling_finding(ceiling: NoiseCeiling) -> Finding:
    """Say how good any system can be."""
    ends = [plain(value, digits=2) for value in (ceiling.lower, ceiling.upper)]
    between = ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"
    what = {
        "accuracy": "Against one rater's grade, no system can expect to be right more often than",
        "correlation": "With one rater's grades, no system can expect to correlate by more than",
    }.get(ceiling.metric, f"The best {ceiling.metric} any system can expect is")
    return Finding(text=f"{what} {between} (answers made from the other labels, or from all).")


def _few(agreement: RaterAgreement) -> list[Finding]:
    if agreement.n_raters >= _FEW:
        return []
    text = f"Only {agreement.n_raters} raters: how far others would agree is hardly known."
    return [Finding(text=text, tone="unsure")]


def _with_interval(estimate: Estimate) -> str:
    ends = estimate.interval
    lower, upper = (plain(end, digits=2) for end in (ends.lower, ends.upper))
    return f"{plain(estimate.mean, digits=2)} (95 %: {lower} to {upper})"
