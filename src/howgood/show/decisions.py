"""Decisions in plain sentences, whether the answers suffice for them, and the badge of a gate.

In: decision records, `Evidence`. Out: findings and plain values. Absent: deciding, printing,
judging answers (see `learn.evidence`).
"""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from howgood.names import in_markdown, one_line
from howgood.records.acceptance import AcceptanceDraws
from howgood.records.decision import (
    ApplicationChoice,
    Gate,
    GoLive,
    MetricGate,
    StudySize,
    Target,
    ThresholdChoice,
    TradeOff,
)
from howgood.records.evidence import FEW_PEOPLE, Evidence
from howgood.records.report import Finding, Headline, Report
from howgood.records.table import Table
from howgood.show.acceptability import USUAL_PEOPLE, picture_section
from howgood.show.figures import decisions as figures
from howgood.show.figures import theme
from howgood.show.numbers import (
    percent,
    plain,
    probability,
    share_of_draws,
    share_text,
    threshold_digits,
    with_interval,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MANY_OTHERS = 100  # times the rarer class: too few thresholds near the chosen one to smooth over
_FEW_CASES = 50  # of the rarer class; see "Few cases" in docs/howto/choose-a-threshold.md
_FEWEST_CASES = 20  # with fewer, no simulation says how often intervals hold
_NO_ERROR = 0.995  # 100 % when rounded
_POINT = 0.01
_WORTH_SAYING = 0.05
_TONES = {"pass": "good", "fail": "bad", "investigate": "unsure"}
_BADGE_COLOURS = {"pass": "brightgreen", "fail": "red", "investigate": "yellow"}


def evidence_findings(
    evidence: Evidence, application: str, n_respondents: int | None = None
) -> tuple[Finding, ...]:
    """Say that the answers do not suffice to decide; nothing where they do.

    Examples
    --------
    >>> evidence_findings("few people", "alarm", 3)[0].text
    'Not enough evidence: 3 people answered about alarm, and decisions need 10 or more.'
    """
    if evidence == "enough":
        return ()
    if evidence == "few people":
        asked = "too few people" if n_respondents is None else _people(n_respondents)
        why = f"{asked} answered about {application}, and decisions need {FEW_PEOPLE} or more"
    else:
        why = (
            f"the answers about {application} cannot tell how acceptance depends on accuracy, and "
            "its numbers come from the priors"
        )
    return (Finding(text=f"Not enough evidence: {why}.", tone="unsure"),)


def _people(count: int) -> str:
    return "1 person" if count == 1 else f"{count} people"


def gate_findings(gate: Gate | MetricGate) -> tuple[Finding, ...]:
    """Say whether a classifier passes, and why."""
    if isinstance(gate, MetricGate):
        return metric_gate_findings(gate)
    meaning = {
        "pass": "enough people would accept it",
        "fail": "too few people would accept it",
        "investigate": "the evidence does not say; ask more people or test on more cases"
        if gate.evidence == "enough"
        else "the answers do not suffice for a verdict; ask more people",
    }[gate.verdict]
    least = gate.least_satisfied
    whom = f" of the least satisfied segment ({least})" if least else ""
    text = (
        f"{gate.verdict}: {meaning}. {gate.application}: {share_text(gate.acceptance)}{whom} would "
        f"accept it; probability {share_of_draws(gate.p_enough)} that at least "
        f"{percent(gate.share)} do (pass needs {plain(gate.certainty, digits=2)}, fail "
        f"{plain(1 - gate.certainty, digits=2)} or less)."
    )
    short = evidence_findings(gate.evidence, gate.application, gate.acceptance.n_respondents)
    listed = "; ".join(f"{name} {share_text(share)}" for name, share in gate.segments.items())
    by_segment = (Finding(text=f"By segment: {listed}."),) if listed else ()
    return (Finding(text=text, tone=_TONES[gate.verdict]), *by_segment, *short)


def metric_gate_findings(gate: MetricGate) -> tuple[Finding, ...]:
    """Say whether a classifier passes by what somebody values, and against what."""
    meaning = {
        "pass": f"it is better than {gate.rival}",
        "fail": f"it is not better than {gate.rival}",
        "investigate": "the evidence does not say; test on more cases, or ask more questions",
    }[gate.verdict]
    by = f" by more than {plain(gate.margin, digits=3)}" if gate.margin else ""
    least, most = (plain(value, digits=2) for value in (gate.certainty, 1 - gate.certainty))
    text = (
        f"{gate.verdict}: by this person's metric {meaning}. The metric is "
        f"{with_interval(gate.value)}; the difference to {gate.rival} is "
        f"{with_interval(gate.gain)}, with probability {share_of_draws(gate.p_better)} that it is "
        f"better{by} (pass needs {least}, fail {most} or less)."
    )
    return (Finding(text=text, tone=_TONES[gate.verdict]),)


def gate_badge(gate: Gate | MetricGate) -> dict[str, object]:
    """Return the badge as shields.io reads it from an endpoint."""
    if isinstance(gate, MetricGate):
        said = f"{gate.verdict}: {with_interval(gate.gain)} against {gate.rival}"
        return _badge("elicited metric", said, gate.verdict)
    short = "" if gate.evidence == "enough" else ", not enough evidence"
    return _badge(
        "acceptance", f"{gate.verdict}: {share_text(gate.acceptance)}{short}", gate.verdict
    )


def _badge(label: str, message: str, verdict: str) -> dict[str, object]:
    colour = _BADGE_COLOURS[verdict]
    return {"schemaVersion": 1, "label": label, "message": message, "color": colour}


def gate_markdown(gate: Gate | MetricGate) -> str:
    """Return the verdict as Markdown: a heading, a sentence, a table."""
    if isinstance(gate, MetricGate):
        facts = {
            "metric": with_interval(gate.value),
            f"difference to {gate.rival}": with_interval(gate.gain),
            "probability that it is better": share_of_draws(gate.p_better),
        }
        return _markdown("elicited metric", gate.verdict, metric_gate_findings(gate), facts)
    ends = gate.acceptance.interval
    facts = {
        "would accept it": percent(gate.acceptance.mean),
        f"likely between ({percent(ends.probability)})": (
            f"{percent(ends.lower)} and {percent(ends.upper)}"
        ),
        "needed": f"{percent(gate.share)} of people, with {percent(gate.certainty)} certainty",
        "probability that enough would": share_of_draws(gate.p_enough),
        "people asked": str(gate.acceptance.n_respondents or "unknown"),
    }
    return _markdown(gate.application, gate.verdict, gate_findings(gate), facts)


def _markdown(
    title: str, verdict: str, findings: tuple[Finding, ...], facts: Mapping[str, str]
) -> str:
    lines = [f"## {in_markdown(one_line(title))}: {verdict}", ""]
    lines += [in_markdown(finding.text) for finding in findings]
    lines += ["", "| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in facts.items())]
    return "\n".join(lines) + "\n"


def target_findings(target: Target) -> tuple[Finding, ...]:
    """Say what accuracy to aim for and what a point of it brings."""
    now = (
        f"{target.application}: {share_text(target.acceptance)} of people would accept "
        f"{percent(target.precision)} precision with {percent(target.recall)} recall."
    )
    n_respondents = target.acceptance.n_respondents
    return (
        *evidence_findings(target.evidence, target.application, n_respondents),
        Finding(text=now),
        _needed(target),
        gain_finding(target),
        Finding(text=_diminishing(target)),
    )


def gain_finding(target: Target) -> Finding:
    """Say what one more point of precision or of recall brings, with its interval."""
    precision, recall = (
        f"{_points(gain.mean)} [{_points(gain.interval.lower)} to {_points(gain.interval.upper)}]"
        for gain in (target.precision_gain, target.recall_gain)
    )
    return Finding(
        text=f"One more point of precision brings {precision}, one more of recall {recall} "
        "percentage points of people."
    )


def trade_off_findings(trade: TradeOff) -> tuple[Finding, ...]:
    """Say how low accuracy may be before too few people accept."""
    wanted = (
        f"at least {percent(trade.share)} accept {trade.application} with probability "
        f"{plain(trade.certainty, digits=2)}"
    )
    best = _accepting(trade.curve, len(trade.curve) - 1)
    short = evidence_findings(trade.evidence, trade.application)
    if short:
        unsure = f"How much accuracy can be given up cannot be said: perfect accuracy wins {best}."
        return (*short, Finding(text=unsure, tone="unsure"))
    if trade.least_accuracy is None:
        text = f"At no accuracy do {wanted}: perfect accuracy wins {best}."
        return (Finding(text=text, tone="bad"),)
    at = int(np.argmin(np.abs(np.asarray(trade.curve["accuracy"]) - trade.least_accuracy)))
    text = (
        f"From {percent(trade.least_accuracy)} precision and recall on, {wanted}: there "
        f"{_accepting(trade.curve, at)} would, at perfect accuracy {best}. What lies above it can "
        "be given up for privacy, cost or battery."
    )
    if trade.lowest_shown is not None and trade.least_accuracy <= trade.lowest_shown + _POINT:
        text += " Nobody was asked about less."
    return (Finding(text=text, tone="good"),)


def _on_few_cases(n_rarer: int) -> str:
    if n_rarer < _FEWEST_CASES:
        cases = "1 case" if n_rarer == 1 else f"{n_rarer} cases"
        return (
            f" With {cases} of the rarer class take it as a guess: intervals were checked with "
            f"{_FEWEST_CASES} cases or more. Label more of them."
        )
    return (
        f" With {n_rarer} cases of the rarer class this is rough, and rather too high than too "
        "low: such intervals held 92 to 95 % in simulations, in the hardest ones about 80 %."
    )


def _accuracy_text(choice: ThresholdChoice, n_rarer: int) -> str:
    """Say precision and recall at the threshold, and where they look better than they are."""
    said = (
        f"There, precision is {with_interval(choice.precision)} and recall "
        f"{with_interval(choice.recall)}."
    )
    if n_rarer >= _FEW_CASES or (choice.provenance.rows_used or 0) < _MANY_OTHERS * n_rarer:
        return said
    return said + (
        " With so few cases of one class among so many these flatter, recall most: measure them on "
        "other cases."
    )


def threshold_findings(choice: ThresholdChoice) -> tuple[Finding, ...]:
    """Say which threshold to use, how sure that is, and where the uncertainty comes from."""
    ends = choice.threshold.interval
    digits = threshold_digits(choice.chosen, ends.upper - ends.lower)
    first = (
        f"Use {plain(choice.chosen, digits=digits)}: flag a case when its score reaches it. The "
        f"best threshold lies in {plain(ends.lower, digits=digits)} to "
        f"{plain(ends.upper, digits=digits)} (95 % interval)."
    )
    if choice.chosen not in ends:
        first += (
            " The one to use lies outside on purpose: it is the best on average over cases like "
            "these, so it keeps away from limits that a few other cases would break."
        )
    n_rarer = choice.provenance.settings.get("cases of the rarer class", _FEW_CASES)
    if n_rarer < _FEW_CASES:
        first += _on_few_cases(n_rarer)
    asked = None if choice.acceptance is None else choice.acceptance.n_respondents
    findings = [
        *evidence_findings(choice.evidence, "this application", asked),
        Finding(text=first, tone="unsure" if n_rarer < _FEW_CASES else "neutral"),
    ]
    if choice.acceptance is not None:
        findings.append(Finding(text=f"{share_text(choice.acceptance)} of people would accept it."))
    findings.append(Finding(text=_accuracy_text(choice, n_rarer)))
    if choice.not_better_than is not None:
        findings.append(
            Finding(
                text=f"By what counts here it is not clearly better than {choice.not_better_than}: "
                "these scores, or so few cases, do not show more.",
                tone="unsure",
            )
        )
    findings.append(
        Finding(text=f"Uncertainty about the threshold comes from: {_sources(choice)}.")
    )
    return tuple(findings)


def _sources(choice: ThresholdChoice) -> str:
    """Say where the uncertainty about a threshold comes from."""
    if choice.acceptance is None and not choice.variance_shares.get("people"):
        return "the test set alone: no people were asked"
    return ", ".join(
        f"{name} {percent(variance_share)}"
        for name, variance_share in choice.variance_shares.items()
    )


def threshold_headline(
    choice: ThresholdChoice, draws: AcceptanceDraws | None, *, people: int, title: str
) -> Headline:
    """Return the answer for a classifier: its threshold, and how many would accept it there."""
    ends = choice.threshold.interval
    digits = threshold_digits(choice.chosen, ends.upper - ends.lower)
    at = f"Flag a case when its score reaches {plain(choice.chosen, digits=digits)}"
    accuracy = (
        f"There, precision is {percent(choice.precision.mean)} and recall "
        f"{percent(choice.recall.mean)}."
    )
    sure = (
        f"The best threshold is likely between {plain(ends.lower, digits=digits)} and "
        f"{plain(ends.upper, digits=digits)}."
    )
    if choice.acceptance is None:
        return Headline(
            title=title,
            hero=plain(choice.chosen, digits=digits),
            caption="is the threshold that these weights ask for",
            text=f"{at}. {sure}",
            share=(0.0, 0.0, 0.0),
            point=(choice.precision.mean, choice.recall.mean),
            people=people,
            wanted=max(people, 1),
            more=(accuracy,),
            ends=(),
        )
    share = choice.acceptance.interval
    return Headline(
        title=title,
        text=f"{at}: {percent(choice.acceptance.mean)} of people would accept it (likely between "
        f"{100 * share.lower:.0f} and {100 * share.upper:.0f} %).",
        share=(share.lower, choice.acceptance.mean, share.upper),
        point=(choice.precision.mean, choice.recall.mean),
        people=people,
        wanted=USUAL_PEOPLE,
        more=(accuracy, sure),
        is_enough=choice.evidence == "enough",
        acceptance=draws,
    )


def threshold_report(choice: ThresholdChoice, draws: AcceptanceDraws | None) -> Report:
    """Return the report of a threshold; `draws` (whom we asked) add the map of acceptance."""
    sections = [
        picture_section(
            "Which threshold",
            "Expected value by threshold with its 95 % band, and the posterior of the best "
            "threshold.",
            figures.threshold_figure(choice),
        )
    ]
    if draws is not None:
        sections.append(
            picture_section(
                "The classifier on the map of acceptance",
                "Lines of equal acceptance over precision and recall, the classifier's "
                "precision-recall curve on them, and the chosen threshold.",
                _threshold_map(choice, draws),
            )
        )
    return Report(
        title="Which threshold people accept",
        question="From which score on should the classifier speak up?",
        findings=threshold_findings(choice),
        sections=tuple(sections),
        methods="For every draw of people crossed with every draw of the test set (Bayesian "
        "bootstrap, the same case weights at every threshold) the best threshold was found. The "
        "chosen threshold has the highest expected value; a two-way analysis of variance splits "
        "the variance of the best threshold into people, test set, and both together.",
        provenance=choice.provenance,
        cautions=("The threshold holds for scores of this classifier on cases like those tested.",),
    )


def threshold_picture(choice: ThresholdChoice, *, path: str | Path | None = None) -> "Figure":
    """Return the picture of a choice as a figure, written to `path` if there is one."""
    with figures.threshold_figure(choice) as figure:
        return theme.shown(figure, path)


def save_threshold_picture(choice: ThresholdChoice, path: Path) -> Path:
    """Write the threshold's picture to a file."""
    with figures.threshold_figure(choice) as figure:
        return theme.save(figure, path)


def save_threshold_map(choice: ThresholdChoice, draws: AcceptanceDraws, path: Path) -> Path:
    """Write the map of acceptance with the classifier's curve and the chosen threshold."""
    with _threshold_map(choice, draws) as figure:
        return theme.save(figure, path)


def save_target_map(target: Target, draws: AcceptanceDraws, path: Path) -> Path:
    """Write the map of acceptance with where the classifier is now."""
    with figures.map_figure(draws, chosen=(target.precision, target.recall)) as figure:
        return theme.save(figure, path)


def save_trade_off(trade: TradeOff, path: Path) -> Path:
    """Write acceptance over accuracy, with the wanted share and the least accuracy."""
    with figures.trade_off_figure(trade) as figure:
        return theme.save(figure, path)


def _threshold_map(
    choice: ThresholdChoice, draws: AcceptanceDraws
) -> AbstractContextManager["Figure"]:
    return figures.map_figure(
        draws,
        curve=choice.curve,
        chosen=(choice.precision.mean, choice.recall.mean),
        acceptance=choice.acceptance,
    )


def go_live_table(decision: GoLive) -> Table:
    """Return the learning curve with what would be accepted; whole sizes are written as such."""
    sizes = np.asarray(decision.table["size"], dtype=np.float64)
    enough = f"P(at least {percent(decision.share)} accept)"
    return Table(
        {
            "size": sizes.astype(np.int64) if (sizes == np.round(sizes)).all() else sizes,
            "people accepting": [_accepting(decision.table, row) for row in range(len(sizes))],
            enough: [share_of_draws(each) for each in decision.table["p_enough"].tolist()],
            "passes": ["yes" if each else "no" for each in decision.table["passes"].tolist()],
        }
    )


def go_live_findings(decision: GoLive) -> tuple[Finding, ...]:
    """Say when to go live, or that it is too early to say."""
    enough = f"at least {percent(decision.share)} accept {decision.application}"
    wanted = plain(decision.certainty, digits=2)
    short = evidence_findings(decision.evidence, decision.application)
    if short:
        return short
    sizes = np.asarray(decision.table["size"], dtype=np.float64)
    at = -1 if decision.size is None else int(np.argmax(sizes == decision.size))
    found = share_of_draws(float(decision.table["p_enough"][at]))
    if decision.size is None:
        text = (
            f"Not enough evidence that {enough}: at size {sizes[at]:g}, the largest tried, this "
            f"has probability {found} (wanted {wanted}). Keep training, or ask more people."
        )
        return (Finding(text=text, tone="unsure"), *_assumed_specificity(decision))
    text = (
        f"Go live from size {decision.size:g} on: there {enough} with probability {found} (wanted "
        f"{wanted})."
    )
    return (Finding(text=text, tone="good"), *_assumed_specificity(decision))


def _assumed_specificity(decision: GoLive) -> tuple[Finding, ...]:
    """Say where people weigh specificity and the learning curve does not say what it is."""
    source = str(decision.provenance.settings.get("specificity", ""))
    if not source.startswith("from"):
        return ()
    text = (
        f"People weigh specificity too, and the learning curve does not have it: it was worked out "
        f"{source} and from precision and recall. Add a column specificity or true_negatives."
    )
    return (Finding(text=text, tone="unsure"),)


def application_findings(choice: ApplicationChoice) -> tuple[Finding, ...]:
    """Say in which application a classifier is best accepted."""
    lines = [
        Finding(
            text=f"{name}: {share_text(estimate)} would accept; best with probability "
            f"{share_of_draws(choice.best_probability[name])}."
        )
        for name, estimate in sorted(choice.acceptance.items(), key=lambda item: -item[1].mean)
    ]
    verdict = (
        Finding(text=f"Best accepted in {choice.best}.", tone="good")
        if choice.best is not None
        else Finding(
            text="Not enough evidence to say which application suits it best.", tone="unsure"
        )
    )
    short = [
        finding
        for name, estimate in choice.acceptance.items()
        for finding in evidence_findings(
            estimate.evidence or "enough", name, estimate.n_respondents
        )
    ]
    return (verdict, *short, *lines)


def study_size_findings(size: StudySize) -> tuple[Finding, ...]:
    """Say how many people a study needs, or that more than were tried are needed."""
    wanted = f"an alpha interval of width {plain(size.width, digits=2)} or less"
    if size.people is None:
        text = f"None of the designs tried gives {wanted} on average: try more people."
        return (Finding(text=text, tone="unsure"), *_alike(size), *_power(size))
    text = f"{size.people} people with {size.scenarios} scenarios each give {wanted} on average."
    return (Finding(text=text, tone="good"), *_alike(size), *_power(size))


def _alike(size: StudySize) -> tuple[Finding, ...]:
    """Say that everybody was imagined with the same weight, where so."""
    if size.provenance.settings.get("sd of the logit of alpha between people"):
        return ()
    text = (
        "This takes one alpha for everybody. Where people weigh errors differently, as they did in "
        "the public answers, intervals are wider: --alpha-sd 1.1 plans for that."
    )
    return (Finding(text=text),)


def _power(size: StudySize) -> tuple[Finding, ...]:
    """Say the power of the design named, else of the last one tried, with its simulation error."""
    rows = list(size.power.rows())
    if not rows:
        return ()
    named = size.people, size.scenarios
    design = named if size.people is not None else (rows[-1]["people"], rows[-1]["scenarios"])
    said = [
        f"{row['first']} and {row['second']} {percent(row['power'])} ({row['studies']} simulated "
        f"studies: {round(100 * row['lower'])} to {round(100 * row['upper'])} %)"
        for row in rows
        if (row["people"], row["scenarios"]) == design
    ]
    text = (
        f"Power of {design[0]} people with {design[1]} scenarios to tell alphas apart: "
        f"{', '.join(said)}. More simulated studies make it more precise: ten times as many "
        "(--studies) narrow the range to about a third."
    )
    return (Finding(text=text),)


def _accepting(curve: Table, row: int) -> str:
    mean, lower, upper = (curve[name][row] for name in ("accepting", "lower", "upper"))
    return f"{percent(mean)} [{round(100 * lower)}–{round(100 * upper)}]"


def _needed(target: Target) -> Finding:
    share = percent(target.share)
    if target.needed_mean is None:
        text = (
            f"No accuracy is known to reach {share}: perfect accuracy would be accepted by "
            f"{share_text(target.at_best)}."
        )
        return Finding(text=text, tone="bad")
    only_flawless = target.needed_mean.interval.lower >= _NO_ERROR
    aim = (
        "nothing less than no error at all would do"
        if only_flawless
        else "aim for a weighted mean of precision and recall of "
        f"{with_interval(target.needed_mean)}"
    )
    text = (
        f"For {share} to accept, {aim}; perfect accuracy wins that many with probability "
        f"{share_of_draws(target.reachable)}."
    )
    if target.only_flawless >= _WORTH_SAYING and not only_flawless:
        text += (
            f" With probability {probability(target.only_flawless)} nothing less than no error at "
            "all is enough."
        )
    return Finding(text=text, tone="neutral" if target.reachable >= 0.95 else "unsure")


def _diminishing(target: Target) -> str:
    least = f"{_points(target.least_gain)} percentage points of people"
    if target.diminishing_from is None:
        return (
            f"No diminishing returns in sight: every further point of both brings at least {least}."
        )
    return (
        f"Returns diminish from a mean of {plain(target.diminishing_from, digits=2)} on: one more "
        f"point of both then brings less than {least}."
    )


def _points(share: float) -> str:
    return plain(100 * share, digits=1)
