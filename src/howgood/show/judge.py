"""Judges and raters in words: what people would say, how far a judge is off, how far people agree.

In: `JudgeReport`, `JudgeDrift`, `JudgePlan`, `RaterAgreement`. Out: sentences and a `Report`.
Absent: drawing, and judgements such as "substantial": what is enough depends on the decision.
"""

from howgood.records.ceiling import NoiseCeiling
from howgood.records.estimate import Estimate
from howgood.records.judged import JudgeDrift, JudgePlan, JudgeReport
from howgood.records.rater_agreement import RaterAgreement
from howgood.records.report import Finding, Report, Section
from howgood.records.table import Table
from howgood.show.numbers import percent, plain, with_interval
from howgood.show.ranking import columns_findings

# Below so many raters, how far raters differ is hardly known.
_FEW = 5
_MOST_SYSTEMS = 3

CAUTIONS = (
    "It holds for outputs and people like these: another task, or other people, needs labels anew.",
    "The corrected value is right on average whatever the judge does; a better judge only narrows "
    "the interval.",
    "A judge that agrees with people may still be swayed by length, position or style: name these "
    "columns.",
)


def findings(report: JudgeReport) -> tuple[Finding, ...]:
    """Return the plain-language findings, most important first."""
    lines = [_corrected(report, name) for name in report.systems[:_MOST_SYSTEMS]]
    more = len(report.systems) - _MOST_SYSTEMS
    if more > 0:
        lines.append(Finding(text=f"{more} more systems are in the table."))
    return (*lines, _colleague(report), *_raters(report), *_bias(report), *_segments(report))


def amount(estimate: Estimate, *, is_share: bool) -> str:
    """Return a value with its interval: per cent for a pass rate."""
    if not is_share:
        return with_interval(estimate)
    lower, upper = estimate.interval.lower, estimate.interval.upper
    return f"{percent(estimate.mean)} (likely between {100 * lower:.0f} and {percent(upper)})"


def _corrected(report: JudgeReport, name: str) -> Finding:
    is_share = report.kind == "pass rate"
    whose = "" if report.systems == ("all",) else f"{name}: "
    what = "would pass with people" if is_share else "is what people would give on average"
    text = f"{whose}{amount(report.corrected[name], is_share=is_share)} {what}."
    if report.off is None:
        return Finding(text=f"{text} The judge scores on another scale.")
    alone, off = report.judge_alone[name], report.off[name]
    said = percent(alone.mean) if is_share else plain(alone.mean, digits=2)
    text += f" The judge alone says {said}"
    if is_share and _says_nothing(report.corrected[name]):
        text = (
            f"{whose}Not enough evidence: with these labels, any share of outputs might pass with "
            f"people. The judge alone says {said}; more people should label more outputs."
        )
        return Finding(text=text, tone="unsure")
    if 0.0 in off.interval:
        return Finding(text=f"{text}, which these labels do not contradict.")
    gap = f"{abs(100 * off.mean):.0f} points" if is_share else plain(abs(off.mean), digits=2)
    way = "too high" if off.mean > 0 else "too low"
    ends = sorted((abs(off.interval.lower), abs(off.interval.upper)))
    between = (
        f"{100 * ends[0]:.0f} to {100 * ends[1]:.0f}"
        if is_share
        else f"{plain(ends[0], digits=2)} to {plain(ends[1], digits=2)}"
    )
    return Finding(text=f"{text}: {gap} {way} (likely {between}).", tone="bad")


def _says_nothing(share: Estimate) -> bool:
    """Whether the interval of a share holds every share, as far as it is shown."""
    return share.interval.lower < 0.005 and share.interval.upper > 0.995


def _colleague(report: JudgeReport) -> Finding:
    agreed = report.agreement
    mine = _two(agreed.judge_people.mean)
    what = "agrees with a person" if agreed.measure == "exact agreement" else "correlates"
    if agreed.people_people is None or agreed.colleague is None:
        text = (
            f"The judge {what} at {mine}. Nobody labelled the same output as somebody else, so how "
            "well people agree is not known: give some outputs to two people."
        )
        return Finding(text=text, tone="unsure")
    people = _two(agreed.people_people.mean)
    own = (
        ""
        if agreed.people_themselves is None
        else "; one person agrees with their own second label at "
        f"{_two(agreed.people_themselves.mean)}"
    )
    gap = agreed.colleague.interval
    # Where all agree, arithmetic leaves a difference in the last digit.
    differ = mine != people
    if gap.upper < 0 and differ:
        return Finding(
            text=f"The judge is worse than a colleague: {mine} against {people} between "
            f"people{own}.",
            tone="bad",
        )
    if gap.lower > 0 and differ:
        return Finding(
            text=f"The judge agrees with a person better than people with each other: {mine} "
            f"against {people}{own}. It may have learned their average.",
            tone="good",
        )
    sure = "The judge is about as good as a colleague"
    if gap.width > 0.2:
        sure = "Too few labels to tell the judge from a colleague"
    return Finding(text=f"{sure}: {mine} against {people} between people{own}.", tone="neutral")


def _two(value: float) -> str:
    return f"{value:.2f}".removeprefix("0")


def _raters(report: JudgeReport) -> list[Finding]:
    if report.n_raters is None or report.n_raters == 1:
        who = "Who labelled is not known" if report.n_raters is None else "One person labelled all"
        text = f"{who}: this says nothing about what other people would say."
    elif report.n_raters < _FEW:
        text = (
            f"Only {report.n_raters} people labelled: how far others would differ is hardly known. "
            "More people narrow the interval more than more labels."
        )
    else:
        return []
    return [Finding(text=text, tone="unsure")]


def _bias(report: JudgeReport) -> list[Finding]:
    findings = []
    for row in () if report.bias is None else report.bias.rows():
        if not (row["lower"] > 0 or row["upper"] < 0):
            continue
        size = row["judge less people"]
        way = "more" if size > 0 else "less"
        where = (
            f"for every standard deviation of {row['column']}"
            if row["what"] == "per sd"
            else f"where {row['column']} is {row['what']}"
        )
        text = (
            f"The judge gives {abs(size):.2f} {way} than people {where} "
            f"(likely {row['lower']:.2f} to {row['upper']:.2f})."
        )
        findings.append(Finding(text=text, tone="bad"))
    return findings


def _segments(report: JudgeReport) -> list[Finding]:
    if report.segments is None:
        return []
    off = [row for row in report.segments.rows() if row["off, lower"] > 0 or row["off, upper"] < 0]
    thin = sum(row["corrected"] != row["corrected"] for row in report.segments.rows())
    findings = []
    if off:
        worst = max(off, key=lambda row: abs(row["judge is off by"]))
        whose = "" if report.systems == ("all",) else f"{worst['system']}, "
        text = (
            f"The judge is furthest off in {whose}{worst['segment']}: "
            f"{worst['judge is off by']:+.2f} (likely {worst['off, lower']:+.2f} to "
            f"{worst['off, upper']:+.2f})."
        )
        findings.append(Finding(text=text, tone="bad"))
    if thin:
        text = f"{thin} segments have too few labels to say anything."
        findings.append(Finding(text=text, tone="unsure"))
    return findings


def agreement_table(report: JudgeReport) -> Table:
    """Return who agrees with whom, with intervals; rows nobody can fill are left out."""
    agreed = report.agreement
    rows = {
        "judge with a person": agreed.judge_people,
        "two people": agreed.people_people,
        "a person with themselves": agreed.people_themselves,
        "judge less two people": agreed.colleague,
    }
    known = {name: row for name, row in rows.items() if row is not None}
    return Table(
        {
            "who": list(known),
            agreed.measure: [estimate.mean for estimate in known.values()],
            "lower": [estimate.interval.lower for estimate in known.values()],
            "upper": [estimate.interval.upper for estimate in known.values()],
        }
    )


def plan_finding(plan: JudgePlan, report: JudgeReport) -> Finding:
    """Say how many people should label how much."""
    if not plan.reachable:
        return Finding(
            text=f"An interval of width {plan.width:g} is out of reach with up to 400 people.",
            tone="unsure",
        )
    overlap = (
        " That is more labels than outputs: some outputs need several people."
        if plan.labels is not None and plan.labels > report.n_items
        else ""
    )
    rough = " Rough: few people have labelled so far." if (report.n_raters or 0) < _FEW else ""
    return Finding(
        text=f"For an interval of width {plan.width:g}: {plan.raters} people with "
        f"{plan.labels_per_rater} labels each, every label of another output ({plan.labels:,} "
        f"labels per system).{overlap}{rough}"
    )


def drift_findings(drift: JudgeDrift) -> tuple[Finding, ...]:
    """Say whether the judge changed."""
    findings = []
    for row in drift.table.rows():
        whose = "" if row["system"] == "all" else f"{row['system']}: "
        moved = row["lower"] > 0 or row["upper"] < 0
        text = (
            f"{whose}{'The judge changed' if moved else 'No change of the judge was found'}: "
            f"{row['change']:+.3f} (likely {row['lower']:+.3f} to {row['upper']:+.3f}) on "
            f"{row['items']} outputs; {percent(row['changed'])} were scored differently."
        )
        findings.append(Finding(text=text, tone="bad" if moved else "neutral"))
    return tuple(findings)


def report_of(report: JudgeReport, *, svg: str, plan: JudgePlan | None = None) -> Report:
    """Return the whole report."""
    sections = [
        Section(
            title="What people would say",
            text="Corrected: labels of people, helped by the judge's scores of everything. Off: "
            "how far the judge alone is from that. Intervals hold over outputs and people like "
            "these.",
            svg=svg,
            alt="Filled dots: corrected value with its interval. Hollow diamonds: the judge alone.",
            table=report.table,
        ),
        Section(
            title="Does the judge agree with people?",
            text=f"Measured by {report.agreement.measure} on the same output.",
            table=agreement_table(report),
        ),
    ]
    if report.segments is not None:
        sections.append(Section(title="By segment", table=report.segments))
    if report.bias is not None:
        text = "What the judge gives more than people, per standard deviation or where it applies."
        sections.append(Section(title="What sways the judge", text=text, table=report.bias))
    if plan is not None:
        sections.append(
            Section(
                title="How many labels",
                text=plan_finding(plan, report).text,
                table=plan.alternatives,
            )
        )
    return Report(
        title="A judge, corrected by people",
        question="What would people say of these outputs, and can the judge stand in for them?",
        findings=findings(report),
        sections=tuple(sections),
        methods=methods(report),
        provenance=report.provenance,
        cautions=CAUTIONS,
    )


def methods(report: JudgeReport) -> str:
    """Return a paragraph ready to paste into a paper."""
    probability = next(iter(report.corrected.values())).interval.probability
    people = (
        f"by {report.n_raters} raters"
        if report.n_raters is not None
        else "by raters who were not recorded"
    )
    weights = ", ".join(plain(weight, digits=2) for weight in report.weights.values())
    return (
        f"A judge scored {report.n_items} items; {report.n_labelled} outputs were labelled "
        f"{people} ({report.n_labels} labels). The {report.kind} was estimated by "
        "prediction-powered inference with the judge's weight tuned to least variance on other "
        f"items ({weights}). Items and raters were both taken as samples (variance clustered by "
        f"both); {percent(probability)} intervals are Student's t with Satterthwaite's degrees of "
        "freedom. Computed with howgood."
    )


# Below so many raters, how far others would agree is hardly known.
_FEW_RATED = 5


def agreement_findings(agreement: RaterAgreement) -> tuple[Finding, ...]:
    """Return the plain-language findings, most important first."""
    return (
        _between(agreement),
        *_within(agreement),
        *_shares(agreement),
        ceiling_finding(agreement.ceiling),
        *_few(agreement),
        *_of_systems(agreement),
        *columns_findings(agreement.provenance),
    )


def _of_systems(agreement: RaterAgreement) -> list[Finding]:
    column = agreement.provenance.settings.get("system")
    if column is None:
        return []
    return [Finding(text=f"Each system's output counts as an item of its own (column {column!r}).")]


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
    if agreement.n_raters >= _FEW_RATED:
        return []
    text = f"Only {agreement.n_raters} raters: how far others would agree is hardly known."
    return [Finding(text=text, tone="unsure")]


def _with_interval(estimate: Estimate) -> str:
    ends = estimate.interval
    lower, upper = (plain(end, digits=2) for end in (ends.lower, ends.upper))
    return f"{plain(estimate.mean, digits=2)} (95 %: {lower} to {upper})"
