"""An elicited metric in plain sentences, as a picture, as a report; a question in the terminal.

In: an elicitation's result. Out: findings, figures, `Report`, text. Absent: asking, printing.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from howgood.ask.sentences import whole
from howgood.errors import InputError
from howgood.learn.elicitation.family_registry import family_class, family_label
from howgood.records.calibration import CalibrationReport
from howgood.records.comparison import ComparisonWording
from howgood.records.confusion import ConfusionMatrix
from howgood.records.elicitation import (
    FEWEST_PREFERENCES,
    NO_INFORMATION,
    AnsweredQuery,
    ElicitationResult,
    Query,
)
from howgood.records.elicited_metric import ElicitedMetric
from howgood.records.report import Finding, Report, Section
from howgood.records.table import Table
from howgood.show.comparison_text import class_rates, difference
from howgood.show.figures import theme
from howgood.show.numbers import (
    digits_for,
    percent,
    plain,
    threshold_digits,
    times,
    with_interval,
)
from howgood.show.text import text_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from howgood.records.confusion import ThresholdMatrices
from howgood.records.elicited_metric import LinearMetric
from howgood.records.estimate import Estimate
from howgood.show.figures.theme import COLOURS, FAINT, INK, canvas

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_FEW_CASES = 50


def question_text(query: Query, wording: ComparisonWording, *, most: int) -> str:
    """Return one question as text: two columns of numbers, the difference, nothing hidden."""
    sides = (query.first, query.second)
    rows = {
        f"{wording.positive}, {wording.found}": [side.true_positives for side in sides],
        wording.misses: [side.false_negatives for side in sides],
        wording.alarms: [side.false_positives for side in sides],
        f"{wording.negative}, {wording.correctly_cleared}": [side.true_negatives for side in sides],
        wording.flagged: [side.flagged for side in sides],
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
        f"{cost.error}: {cost.health} {cost.money} {cost.time} {cost.feelings}"
        for cost in wording.costs
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
    if result.metric is None and result.evidence != "none":
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
            "Agreement on questions kept back is easy to reach; read it next to its baselines.",
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
            "question": [answer.query.number for answer in answers],
            "kind": [answer.query.kind for answer in answers],
            "misses A": [int(answer.query.first.false_negatives) for answer in answers],
            "false alarms A": [int(answer.query.first.false_positives) for answer in answers],
            "misses B": [int(answer.query.second.false_negatives) for answer in answers],
            "false alarms B": [int(answer.query.second.false_positives) for answer in answers],
            "answer": [
                {"first": "A", "second": "B", "same": "no preference"}[answer.choice]
                for answer in answers
            ],
        }
    )


def elicitation_picture(result: ElicitationResult, *, path: str | Path | None = None) -> "Figure":
    """Return the picture of a result as a figure, written to `path` if there is one."""
    chosen = _drawable(result)
    with elicitation_figure(result, chosen, result.systems or (chosen,)) as figure:
        return theme.shown(figure, path)


def save_elicitation_picture(
    result: ElicitationResult, matrices: Sequence[ConfusionMatrix], path: Path
) -> Path:
    """Write the picture to a file."""
    with elicitation_figure(result, _drawable(result), matrices) as figure:
        return theme.save(figure, path)


def _drawable(result: ElicitationResult) -> ConfusionMatrix:
    """Return the system to point at, or say why there is none."""
    if result.matrix is None:
        raise InputError(
            where="elicitation",
            found=f"no metric: {result.why_no_metric}",
            needed="a metric to draw",
            cure=" ".join(result.advice) or "Answer more questions.",
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
    if result.evidence == "little":
        return (
            f"Not enough information: {NO_INFORMATION}, so no metric and no threshold is named."
            f"{_if_linear(result, wording)}"
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
        f"{wording.alarms} (90 % interval)."
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
    if result.metric is None:
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
        digits = max(3, digits_for(ends.upper - ends.lower, most=12))
        one = ends.middle if np.isfinite(ends.lower) else ends.upper
        words = (
            f"Flag scores of at least {plain(one, digits=digits)} (any threshold above "
            f"{plain(ends.lower, digits=digits)} and up to {plain(ends.upper, digits=digits)} "
            f"flags the same cases). {words}"
        )
    if result.optimal_range is not None:
        lower, upper = result.optimal_range
        digits = threshold_digits(lower, upper - lower)
        words += (
            f" No reachable system is better for any a0 from {plain(lower, digits=digits)} to "
            f"{plain(upper, digits=digits)}."
        )
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
    """Say what the respondent guessed outright, to be read next to what the choices say."""
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
    agreement = result.agreement
    which = "the metric" if result.metric is not None else "the metric that came closest"
    ends = agreement.share.interval
    others = "; ".join(f"{name}: {value:.0f} %" for name, value in agreement.baselines.items())
    return (
        f"On {agreement.n_questions} questions kept back {which} chose as the respondent did in "
        f"{agreement.percent:.1f} % [{percent(ends.lower)}, {percent(ends.upper)}]. "
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


_MANY, _MOST_DRAWN = 200, 1_000
_TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100, 200)


@contextmanager
def elicitation_figure(
    result: ElicitationResult, chosen: ConfusionMatrix, matrices: Sequence[ConfusionMatrix]
) -> Iterator["Figure"]:
    """Draw the posterior of the cost ratio next to the reachable systems."""
    has_ratio = result.ratio is not None
    with canvas(width=9.5 if has_ratio else 5.0, height=4.3) as figure:
        panels = figure.subplots(1, 2 if has_ratio else 1, squeeze=False)[0]
        if result.ratio is not None:
            _ratio_panel(panels[0], result.ratio)
        _roc_panel(panels[-1], result, chosen, matrices)
        yield figure


@contextmanager
def ratio_figure(ratio: Estimate) -> Iterator["Figure"]:
    """Draw the posterior of the cost ratio alone, legible on a narrow screen."""
    with canvas(width=5.0, height=4.0) as figure:
        axes = figure.subplots()
        _ratio_panel(axes, ratio)
        axes.set_title("")  # the section around it has one
        yield figure


@contextmanager
def system_figure(
    result: ElicitationResult, chosen: ConfusionMatrix, matrices: Sequence[ConfusionMatrix]
) -> Iterator["Figure"]:
    """Draw the reachable systems alone, legible on a narrow screen."""
    with canvas(width=5.0, height=4.0) as figure:
        axes = figure.subplots()
        _roc_panel(axes, result, chosen, matrices)
        axes.set_title("")
        yield figure


def _ratio_panel(axes: Any, ratio: Estimate) -> None:  # noqa: ANN401 - matplotlib's
    logs = np.log(ratio.draws)
    low, high = np.log(ratio.interval.lower), np.log(ratio.interval.upper)
    pad = max(0.6 * (high - low), 0.35)
    edges = np.linspace(low - pad, high + pad, 61)
    heights, _ = np.histogram(logs, bins=edges, density=True)
    # Draws come from cells of a grid: a short moving average shows their density, not the cells.
    smooth = np.convolve(heights, np.ones(7) / 7, mode="same")
    middles = (edges[:-1] + edges[1:]) / 2
    inside = (middles >= low) & (middles <= high)
    axes.plot(middles, smooth, color=COLOURS[0])
    axes.fill_between(middles, smooth, where=inside, color=COLOURS[0], alpha=0.25, lw=0)
    median = float(np.median(ratio.draws))
    axes.axvline(np.log(median), color=INK, lw=1.2)
    axes.set_ylim(0, smooth.max() * 1.32)
    axes.annotate(
        f"{times(median)} false alarms\n90 %: {times(ratio.interval.lower)} to "
        f"{times(ratio.interval.upper)}",
        (np.log(median), smooth.max() * 1.28),
        xytext=(6, 0),
        textcoords="offset points",
        va="top",
    )
    shown = [tick for tick in _TICKS if low - pad <= np.log(tick) <= high + pad]
    ends = [np.exp(low), np.exp(high)]
    ticks = shown[:: 1 + len(shown) // 7] if len(shown) > 1 else ends
    axes.set_xticks([np.log(tick) for tick in ticks], [times(tick) for tick in ticks])
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.set_xlabel("false alarms that weigh as much as one miss")
    axes.set_title("What one miss is worth")


def _roc_panel(
    axes: Any,  # noqa: ANN401 - matplotlib's
    result: ElicitationResult,
    chosen: ConfusionMatrix,
    matrices: Sequence[ConfusionMatrix],
) -> None:
    chosen = result.counts or chosen
    reachable = _reachable(matrices)
    ordered = sorted(reachable, key=lambda matrix: (matrix.false_positives, matrix.true_positives))
    alarms = np.array([1 - matrix.specificity for matrix in ordered])
    recall = np.array([matrix.recall for matrix in ordered])
    axes.plot(
        alarms, recall, color=FAINT, marker="o" if len(ordered) < _MANY else None, ms=3, lw=1.2
    )
    plausible = [matrix for matrix in _plausible(result, ordered) if matrix != chosen]
    if plausible:
        axes.plot(
            [1 - matrix.specificity for matrix in plausible],
            [matrix.recall for matrix in plausible],
            "o", ms=9, mfc="none", mec=COLOURS[0], mew=1.6,
        )  # fmt: skip
    x, y = 1 - chosen.specificity, chosen.recall
    axes.plot([x], [y], "o", ms=9, color=COLOURS[1])
    words = f"chosen: {100 * y:.0f} % found,\n{100 * x:.0f} % flagged without reason"
    if result.thresholds is not None and np.isfinite(result.thresholds.upper):
        lower, upper = result.thresholds
        digits = max(2, digits_for(upper - lower, most=12) - 1)
        words += f"\nthreshold {lower:.{digits}f} to {upper:.{digits}f}"
    axes.annotate(
        words, (x, y), xytext=(0.38, 0.42), textcoords="axes fraction",
        arrowprops={"arrowstyle": "-", "color": FAINT}, va="top",
    )  # fmt: skip
    if plausible:
        axes.annotate(
            "rings: best for other weights\nin the 90 % interval",
            (0.38, 0.14), xycoords="axes fraction", color=INK, fontsize=9, va="top",
        )  # fmt: skip
    axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.04))
    axes.set_xlabel("share of negatives that are flagged")
    axes.set_ylabel("share of positives that are found")
    axes.set_title("The system to use")


def _reachable(matrices: Sequence[ConfusionMatrix]) -> Sequence[ConfusionMatrix]:
    """Return the systems a threshold can reach, by the counts of the cases where they are known."""
    if not isinstance(matrices, ThresholdMatrices) or matrices.counts is None:
        return matrices
    counts = matrices.counts
    kept = np.unique(np.linspace(0, len(counts.missed) - 1, _MOST_DRAWN).round().astype(int))
    return [counts.matrix(index) for index in kept.tolist()]


def _plausible(
    result: ElicitationResult, matrices: Sequence[ConfusionMatrix]
) -> list[ConfusionMatrix]:
    """Systems that are best for some weight inside the interval."""
    if result.interval is None or not result.is_linear:
        return []
    weights = np.linspace(result.interval.lower, result.interval.upper, 40)
    cells = np.array([list(matrix.to_dict().values()) for matrix in matrices], dtype=float).T
    best = {int(np.argmax(LinearMetric(a0=float(a0)).of_counts(*cells))) for a0 in weights}
    return [matrices[index] for index in sorted(best)]
