"""An elicited metric in plain sentences, as a report, and one question in the terminal.

In: an elicitation's result. Out: findings, `Report`, text. Absent: asking, printing.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from howgood.ask.sentences import whole
from howgood.errors import InputError
from howgood.learn.elicitation.families import family_class, family_label
from howgood.records.calibration import CalibrationReport
from howgood.records.comparison import ComparisonWording
from howgood.records.confusion import ConfusionMatrix
from howgood.records.elicitation import (
    FEWEST_PREFERENCES,
    AnsweredQuery,
    ElicitationResult,
    Query,
)
from howgood.records.elicited_metric import ElicitedMetric
from howgood.records.report import Finding, Report, Section
from howgood.records.table import Table
from howgood.show.comparison_text import class_rates, difference
from howgood.show.figures import theme
from howgood.show.figures.elicitation import elicitation_figure, ratio_figure, system_figure
from howgood.show.numbers import digits_for, percent, plain, times, with_interval
from howgood.show.text import text_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_FEW_CASES = 50


def question_text(query: Query, wording: ComparisonWording, *, most: int) -> str:
    """Return one question as text: two columns of numbers, the difference, nothing hidden."""
    sides = (query.first, query.second)
    rows = {
        f"{wording.positive}, {wording.found}": [each.true_positives for each in sides],
        wording.misses: [each.false_negatives for each in sides],
        wording.alarms: [each.false_positives for each in sides],
        f"{wording.negative}, {wording.correctly_cleared}": [each.true_negatives for each in sides],
        wording.flagged: [each.flagged for each in sides],
    }
    table = Table(
        {
            f"out of {whole(query.first.total)} {wording.cases}": list(rows),
            "A": [whole(values[0]) for values in rows.values()],
            "B": [whole(values[1]) for values in rows.values()],
        }
    )
    return "\n".join(
        [
            f"Question {query.number} of at most {most}. {wording.question}",
            text_table(table),
            difference(query.first, query.second, wording),
        ]
    )


def cost_text(wording: ComparisonWording) -> str:
    """Return what each error means, as text."""
    if not wording.costs:
        return "This study describes no costs."
    return "\n".join(
        f"{each.error}: {each.health} {each.money} {each.time} {each.feelings}"
        for each in wording.costs
    )


def elicitation_findings(
    result: ElicitationResult,
    wording: ComparisonWording,
    *,
    calibration: CalibrationReport | None = None,
    direct_after: float | None = None,
) -> tuple[Finding, ...]:
    """Say what was learned, what to deploy, and how far to trust it."""
    findings = [Finding(text=_metric_text(result, wording), tone=_metric_tone(result))]
    if not result.fits and result.evidence == "enough":
        findings += _misfit_findings(result, wording)
    if result.matrix is not None:
        findings.append(Finding(text=_system_text(result, result.matrix, wording)))
    if direct := _direct_text(result, wording, direct_after):
        findings.append(Finding(text=direct))
    if result.agreement is not None:
        findings.append(Finding(text=_agreement_text(result)))
    findings += _check_findings(result)
    if calibration is not None and calibration.is_suspicious:
        text = (
            f"The scores are not well calibrated: expected calibration error "
            f"{plain(calibration.error)}, while {plain(calibration.error_by_chance)} is rarely "
            "exceeded by chance. The chosen system stands; reading a threshold as a probability "
            "does not. Recalibrate with --recalibrate."
        )
        findings.append(Finding(text=text, tone="bad"))
    return tuple(findings)


def elicitation_report(
    result: ElicitationResult,
    matrices: Sequence[ConfusionMatrix],
    answers: Sequence[AnsweredQuery],
    wording: ComparisonWording,
    *,
    calibration: CalibrationReport | None = None,
    direct_after: float | None = None,
) -> Report:
    """Return the whole story: findings, picture, every answer, methods."""
    sections = [
        *_pictures(result, matrices, wording),
        Section(title="Every answer", table=answer_table(answers)),
    ]
    if calibration is not None:
        sections.append(Section(title="Calibration of the scores", table=calibration.table))
    return Report(
        title="An elicited metric",
        question=wording.question,
        findings=elicitation_findings(
            result, wording, calibration=calibration, direct_after=direct_after
        ),
        sections=tuple(sections),
        methods=_METHODS.format(
            total=whole(matrices[0].total),
            kinds=", ".join(family_label(name) for name in result.provenance.settings["families"]),
        ),
        provenance=result.provenance,
        cautions=(
            "These are the choices of one respondent; another may weigh errors otherwise.",
            "Agreement on held-out questions is easy to reach; read it beside its baselines.",
        ),
    )


def _pictures(
    result: ElicitationResult, matrices: Sequence[ConfusionMatrix], wording: ComparisonWording
) -> list[Section]:
    sections = []
    if result.ratio is not None:
        with ratio_figure(result.ratio) as figure:
            svg = theme.to_svg(figure, title="Posterior of the cost ratio")
        words = (
            f"If the metric is linear, one {wording.miss} weighs as much as "
            f"{_ratio_text(result)} {wording.alarms} (90 % interval)."
        )
        sections.append(Section(title="What one miss is worth", svg=svg, alt=words))
    if result.matrix is None:
        return sections
    with system_figure(result, result.matrix, matrices) as figure:
        svg = theme.to_svg(figure, title="Reachable systems and the chosen one")
    alt = _system_text(result, result.matrix, wording)
    return [*sections, Section(title="The system to use", svg=svg, alt=alt)]


def answer_table(answers: Sequence[AnsweredQuery]) -> Table:
    """Return one row per answered question."""
    return Table(
        {
            "question": [each.query.number for each in answers],
            "kind": [each.query.kind for each in answers],
            "misses A": [int(each.query.first.false_negatives) for each in answers],
            "false alarms A": [int(each.query.first.false_positives) for each in answers],
            "misses B": [int(each.query.second.false_negatives) for each in answers],
            "false alarms B": [int(each.query.second.false_positives) for each in answers],
            "answer": [
                {"first": "A", "second": "B", "same": "no preference"}[each.choice]
                for each in answers
            ],
        }
    )


def elicitation_picture(result: ElicitationResult, *, path: str | Path | None = None) -> "Figure":
    """Return the picture of a result as a figure, written to `path` if there is one."""
    chosen = _drawable(result)
    with elicitation_figure(result, chosen, result.systems or (chosen,)) as figure:
        if path is not None:
            theme.save(figure, path)
        return figure


def save_elicitation_picture(
    result: ElicitationResult, matrices: Sequence[ConfusionMatrix], path: Path
) -> Path:
    """Write the picture to a file."""
    with elicitation_figure(result, _drawable(result), matrices) as figure:
        return theme.save(figure, path)


def _drawable(result: ElicitationResult) -> ConfusionMatrix:
    """Return the system to point at, or say why there is none."""
    if result.matrix is None and result.evidence == "enough":
        raise InputError(
            where="elicitation",
            found=f"a respondent whom no metric describes: {result.misfit[0]}",
            needed="a metric to draw",
            cure=" ".join(result.advice),
        )
    if result.matrix is None:
        raise InputError(
            where="elicitation",
            found=f"{result.preferences} answers that prefer a side",
            needed=f"at least {FEWEST_PREFERENCES} to draw a picture of the result",
            cure="Answer more questions.",
        )
    return result.matrix


def _metric_text(result: ElicitationResult, wording: ComparisonWording) -> str:
    if result.evidence == "none":
        return (
            f"Not enough evidence: a side was preferred in {result.preferences} of "
            f"{result.choices} questions asked to learn from, and at least {FEWEST_PREFERENCES} "
            "are needed. No metric and no threshold follow from these answers."
        )
    if not result.fits:
        reasons = "; ".join(result.misfit)
        return (
            "No metric considered here describes this person, so no weight and no threshold is "
            f"named: {reasons}."
        )
    chances = ", ".join(
        f"{family_label(name)} {percent(share)}" for name, share in result.families.items()
    )
    if result.ratio is not None and result.a0 is not None and result.is_linear:
        return (
            f"One {wording.miss} weighs as much as {_ratio_text(result)} {wording.alarms} "
            f"(90 % interval); a0 = {with_interval(result.a0)}. Kind of metric: {chances}."
        )
    if result.family is not None and result.metric is not None:
        return f"{_family_text(result, result.metric, wording)} Kind of metric: {chances}."
    return f"The choices do not settle the kind of metric: {chances}.{_if_linear(result, wording)}"


def _misfit_findings(result: ElicitationResult, wording: ComparisonWording) -> list[Finding]:
    """Say what is known all the same, and what to ask next."""
    known = (
        f"What is known: of {result.preferences} choices between fewer {wording.misses} and fewer "
        f"{wording.alarms}, {result.fewer_misses} were for fewer {wording.misses}."
    )
    return [
        Finding(text=known),
        Finding(text=f"What to ask next: {' '.join(result.advice)}"),
    ]


def _if_linear(result: ElicitationResult, wording: ComparisonWording) -> str:
    if result.ratio is None:
        return ""
    return (
        f" If it is linear, one {wording.miss} weighs as much as {_ratio_text(result)} "
        f"{wording.alarms}."
    )


def _ratio_text(result: ElicitationResult) -> str:
    if result.ratio is None:
        return "an unknown number of"
    ends = result.ratio.interval
    median = float(np.median(result.ratio.draws))
    return f"{times(median)} [{times(ends.lower)}, {times(ends.upper)}]"


def _family_text(
    result: ElicitationResult, metric: ElicitedMetric, wording: ComparisonWording
) -> str:
    """Say what the choices fit, in the family's own sentence."""
    family = family_class(str(result.family))
    total = 100.0 if result.matrix is None else result.matrix.total
    amounts = {
        name: whole(value) if isinstance(value, int) else plain(value, digits=2)
        for name, value in family.amounts(metric, total).items()
    }
    words = {name: getattr(wording, name) for name in ("miss", "misses", "alarms", "cases")}
    return family.sentence.format(**words, **amounts, total=whole(total))


def _metric_tone(result: ElicitationResult) -> str:
    if result.evidence == "none" or not result.fits:
        return "bad"
    return "unsure" if result.family is None else "good"


def _system_text(
    result: ElicitationResult, matrix: ConfusionMatrix, wording: ComparisonWording
) -> str:
    """Say what to deploy, by the counts of the cases themselves where they are known."""
    of_positive, of_negative = class_rates(result.counts or matrix, wording)
    words = f"{of_positive}; {of_negative[0].lower()}{of_negative[1:]}."
    if result.thresholds is not None and result.counts is None:
        words += (
            f" This was judged by the numbers out of {whole(matrix.total)} that were shown: the "
            "log holds no counts of the cases themselves."
        )
    if result.thresholds is not None and np.isfinite(result.thresholds.upper):
        ends = result.thresholds
        # Both ends must differ as printed, or the sentence names no threshold at all.
        digits = max(3, digits_for(ends.upper - ends.lower))
        one = ends.middle if np.isfinite(ends.lower) else ends.upper
        words = (
            f"Flag scores of at least {plain(one, digits=digits)} (any threshold above "
            f"{plain(ends.lower, digits=digits)} and up to {plain(ends.upper, digits=digits)} "
            f"flags the same cases). {words}"
        )
    if result.optimal_range is not None:
        lower, upper = result.optimal_range
        words += f" No reachable system is better for any a0 from {plain(lower)} to {plain(upper)}."
    if result.counts is not None:
        words += _few_cases_text(result.counts, wording)
    return words


def _few_cases_text(counts: ConfusionMatrix, wording: ComparisonWording) -> str:
    """Say that few cases decide, where few do."""
    rarer = min(
        (counts.positives, wording.with_positive), (counts.negatives, wording.with_negative)
    )
    if rarer[0] >= _FEW_CASES:
        return ""
    return (
        f" Only {whole(rarer[0])} {wording.cases} {rarer[1]} decide this: others may call for "
        "another threshold; howgood threshold says how uncertain it is."
    )


def _direct_text(result: ElicitationResult, wording: ComparisonWording, after: float | None) -> str:
    """Say what the respondent guessed outright, to be read beside what the choices say."""
    before = result.provenance.settings.get("direct_ratio")
    said = [
        f"{ratio:g} {when} the choices"
        for ratio, when in ((before, "before"), (after, "after"))
        if ratio is not None
    ]
    if not said:
        return ""
    return (
        f"Asked outright how many {wording.alarms} one {wording.miss} is worth, the respondent "
        f"said {' and '.join(said)}."
    )


def _agreement_text(result: ElicitationResult) -> str:
    if result.agreement is None:
        return ""
    found = result.agreement
    which = "the metric" if result.fits else "the metric that came closest"
    ends = found.share.interval
    others = ", ".join(f"{name} {value:.0f} %" for name, value in found.baselines.items())
    return (
        f"On {found.n_questions} questions kept back {which} chose as the respondent did in "
        f"{found.percent:.1f} % [{percent(ends.lower)}, {percent(ends.upper)}]. "
        f"For comparison: {others}."
    )


def _check_findings(result: ElicitationResult) -> list[Finding]:
    checks, findings = result.checks, []
    if checks.catch_asked:
        text = (
            f"{checks.catch_wrong} of {checks.catch_asked} questions with a clearly better side "
            "were answered wrongly"
        )
        if checks.repeats_asked:
            text += (
                f"; {checks.repeats_changed} of {checks.repeats_asked} repeated questions got "
                "another answer"
            )
        text += "."
        if checks.looks_careless:
            text += " So many suggest that answers were given without looking."
        findings.append(Finding(text=text, tone="bad" if checks.looks_careless else "neutral"))
    if result.disagreeing:
        numbers = ", ".join(str(number) for number in result.disagreeing)
        answers = "answers to questions" if len(result.disagreeing) > 1 else "answer to question"
        text = f"Worth a second look, at odds with the others: the {answers} {numbers}."
        findings.append(Finding(text=text, tone="unsure"))
    return findings


_METHODS = (
    "Each question was the pair of systems whose answer was expected to tell most about the kind "
    "of metric ({kinds}) and its parameter; before the end, the system to use was compared with "
    "its neighbours. Sensitivity, lapses and the width of indifference were unknown and averaged "
    "over on a grid; tests of fit followed. Numbers shown were whole "
    "numbers out of {total}, and exactly these entered the likelihood; the system to use was "
    "chosen by the counts of the cases themselves. Questions with a clearly better side, repeats "
    "and held-out questions were not learned from."
)
