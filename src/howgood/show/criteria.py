"""Choices by criteria in plain sentences, as a picture, as a report, and a question as text.

In: a `CriteriaResult`. Out: findings, `Report`, figures, text. Absent: asking, printing.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from howgood.records.criteria import CriteriaResult, CriteriaTable
from howgood.records.elicitation import FEWEST_PREFERENCES, NO_INFORMATION, AnsweredQuery, Query
from howgood.records.report import Finding, Report, Section
from howgood.records.table import Table
from howgood.show.criteria_card import (
    differing,
    is_better,
    same_for_both,
    shown,
    trade_off,
)
from howgood.show.figures import theme
from howgood.show.figures.theme import COLOURS, FAINT, canvas
from howgood.show.numbers import percent
from howgood.show.text import text_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_QUESTION = "Which alternative is best, by what this person values?"
_LIKELY, _MOST_NAMED, _MOST_DRAWN = 0.95, 3, 20
_OPEN_SCORES = 0.1  # P(best) is lower by this, or more, because of the scores' own uncertainty


def question_text(query: Query, table: CriteriaTable, *, most: int) -> str:
    """Return one question as text: what differs, marked where a side is better."""
    rows = differing(query.first, query.second, table)
    sides = ((query.first, query.second), (query.second, query.first))
    columns = [
        [
            f"{shown(row, one.values[row.name])}{' *' if is_better(row, one, other) else ''}"
            for row in rows
        ]
        for one, other in sides
    ]
    lines = Table({"": [row.title for row in rows], "A": columns[0], "B": columns[1]})
    return "\n".join(
        text
        for text in (
            f"Question {query.number} of at most {most}. Which would you choose? (* better)",
            text_table(lines),
            trade_off(query.first, query.second, table),
            same_for_both(query.first, query.second, table),
        )
        if text
    )


def criteria_findings(result: CriteriaResult) -> tuple[Finding, ...]:
    """Say what is best, by which weights, and how far to trust it."""
    if result.evidence == "none":
        text = (
            f"Not enough evidence: a side was preferred in {result.preferences} of "
            f"{result.choices} questions asked to learn from, and at least {FEWEST_PREFERENCES} "
            "are needed. No weights and no alternative follow from these answers."
        )
        return (Finding(text=text, tone="bad"),)
    findings = [_best_finding(result)]
    if result.best is None:
        findings.append(Finding(text=f"What to ask next: {' '.join(result.advice)}"))
    else:
        findings += [Finding(text=_weights_text(result)), *_score_findings(result)]
    findings += _trust_findings(result)
    return tuple(findings)


def _best_finding(result: CriteriaResult) -> Finding:
    if result.best is None:
        reasons = "; ".join(result.misfit)
        text = (
            f"No weights describe this person, so no alternative is named: {reasons}."
            if reasons
            else f"Not enough information: {NO_INFORMATION}, so no alternative is named."
        )
        return Finding(text=text, tone="bad")
    order = sorted(result.best_probability, key=lambda name: -result.best_probability[name])
    others = [name for name in order if name != result.best][: _MOST_NAMED - 1]
    rest = ", ".join(f"{name} {percent(result.best_probability[name])}" for name in others)
    forgone = percent(result.regret[result.best].mean, digits=1)
    chance = result.best_probability[result.best]
    says = "is the best" if chance >= _LIKELY else "leads, but it is not settled"
    text = (
        f"{result.best} {says} by what this person values: P(best) = {percent(chance)} "
        f"(next: {rest}). Choosing it loses {forgone} of the way from worst to best on average."
    )
    return Finding(text=text, tone="good" if chance >= _LIKELY else "unsure")


def _weights_text(result: CriteriaResult) -> str:
    order = sorted(result.weights, key=lambda name: -result.weights[name].mean)
    titles = {criterion.name: criterion.title for criterion in result.alternatives.criteria}
    said = ", ".join(
        f"{titles[name]} {percent(result.weights[name].mean)} (likely "
        f"{_ends(result.weights[name].interval.lower, result.weights[name].interval.upper)})"
        for name in order
    )
    return f"What weighs how much, from the worst to the best of this table: {said}."


def _ends(lower: float, upper: float) -> str:
    return f"{round(100 * lower)} to {round(100 * upper)} %"


def _score_findings(result: CriteriaResult) -> list[Finding]:
    """Say where measurements, not answers, leave the choice open."""
    if result.best is None or not result.alternatives.is_measured:
        return []
    chance = result.best_probability[result.best]
    if result.p_settled - chance < _OPEN_SCORES:
        return []
    text = (
        f"If the scores were exact, {result.best} would be the best with a probability of "
        f"{percent(result.p_settled)} instead of {percent(chance)}: measuring the alternatives "
        "again helps more than asking on."
    )
    return [Finding(text=text, tone="unsure")]


def _trust_findings(result: CriteriaResult) -> list[Finding]:
    findings = []
    if result.agreement is not None:
        kept = result.agreement
        ends = kept.share.interval
        others = ", ".join(f"{name} {value:.0f} %" for name, value in kept.baselines.items())
        text = (
            f"On {kept.n_questions} questions kept back, these weights chose as the respondent did "
            f"in {kept.percent:.0f} % (likely {_ends(ends.lower, ends.upper)}). For comparison: "
            f"{others}."
        )
        findings.append(Finding(text=text))
    checks = result.checks
    if checks.catch_asked:
        text = (
            f"{checks.catch_wrong} of {checks.catch_asked} questions with a clearly better side "
            "were answered against it."
        )
        findings.append(Finding(text=text, tone="bad" if checks.looks_careless else "neutral"))
    return findings


def criteria_report(result: CriteriaResult, answers: Sequence[AnsweredQuery]) -> Report:
    """Return the whole story: findings, picture, alternatives, every answer, methods."""
    return Report(
        title="Which one, by what matters",
        question=_QUESTION,
        findings=criteria_findings(result),
        sections=(
            *_picture_section(result),
            Section(title="Alternatives", table=readable_table(result)),
            Section(title="Every answer", table=answer_table(answers, result.alternatives)),
        ),
        methods=_METHODS,
        provenance=result.provenance,
        cautions=_CAUTIONS,
    )


def _picture_section(result: CriteriaResult) -> tuple[Section, ...]:
    """Return the picture; none where no alternative is named."""
    if result.best is None:
        return ()
    with criteria_figure(result) as figure:
        svg = theme.to_svg(figure, title="Weights of criteria and the probability of being best")
    alt = " ".join(finding.text for finding in criteria_findings(result)[:2])
    return (Section(title="Weights, and which is best", svg=svg, alt=alt),)


def readable_table(result: CriteriaResult) -> Table:
    """Return one row per alternative as people read it, the best first.

    Where no alternative is named, what the weights would say of them is left out.
    """
    own = result.table()
    names = list(own["alternative"])
    order = list(range(len(names)))
    learned = {
        "P(best)": [percent(float(value)) for value in own["p_best"]],
        "lost": [percent(float(value), digits=1) for value in own["regret"]],
    }
    if result.best is None:
        order, learned = [names.index(name) for name in result.alternatives.names], {}
    return Table(
        {
            "alternative": [names[place] for place in order],
            **learned,
            **{
                criterion.title: [
                    shown(criterion, float(own[criterion.name][place])) for place in order
                ]
                for criterion in result.alternatives.criteria
            },
        }
    )


def answer_table(answers: Sequence[AnsweredQuery], table: CriteriaTable) -> Table:
    """Return one row per answered question."""
    said = {"first": "A", "second": "B", "same": "no preference"}
    return Table(
        {
            "question": [answer.query.number for answer in answers],
            "kind": [answer.query.kind for answer in answers],
            "trade-off": [
                trade_off(answer.query.first, answer.query.second, table) for answer in answers
            ],
            "answer": [said[answer.choice] for answer in answers],
        }
    )


def criteria_picture(result: CriteriaResult, *, path: str | Path | None = None) -> "Figure":
    """Return the picture of a result as a figure, written to `path` if there is one."""
    with criteria_figure(result) as figure:
        return theme.shown(figure, path)


@contextmanager
def criteria_figure(result: CriteriaResult) -> Iterator["Figure"]:
    """Draw the weights with their intervals, and how probably each alternative is the best."""
    chances = {name: result.best_probability[name] for name in result.table()["alternative"]}
    tall = 1.2 + 0.36 * max(len(result.weights), min(len(chances), _MOST_DRAWN))
    with canvas(width=9.0, height=tall) as figure:
        left, right = figure.subplots(1, 2)
        titles = {criterion.name: criterion.title for criterion in result.alternatives.criteria}
        order = sorted(result.weights, key=lambda name: result.weights[name].mean)
        draw_weights(
            left, [(titles[name], result.weights[name].mean, result.weights[name].interval.lower,
                    result.weights[name].interval.upper) for name in order],
        )  # fmt: skip
        draw_chances(right, chances, "P(best)")
        yield figure


def draw_weights(axes: Any, rows: Sequence[tuple[str, float, float, float]]) -> None:  # noqa: ANN401 - matplotlib axes
    """Draw weights with intervals, labelled at their rows."""
    places = np.arange(len(rows))
    axes.hlines(places, [row[2] for row in rows], [row[3] for row in rows], color=COLOURS[0], lw=3)
    axes.plot([row[1] for row in rows], places, "o", color=COLOURS[0], ms=7)
    axes.set_yticks(places, [row[0] for row in rows])
    axes.set_ylim(-0.6, len(rows) - 0.4)
    axes.set_xlim(0, 1)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0 %", "25 %", "50 %", "75 %", "100 %"])
    axes.set_xlabel("weight, with 90 % interval")
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.grid(axis="x", color=FAINT, alpha=0.25, lw=0.8)
    axes.set_axisbelow(True)


def draw_chances(axes: Any, chances: dict[str, float], label: str) -> None:  # noqa: ANN401 - matplotlib axes
    """Draw shares as bars, the best on top, each with its number."""
    names = list(chances)[:_MOST_DRAWN][::-1]
    places, shares = np.arange(len(names)), np.array([chances[name] for name in names])
    axes.barh(places, shares, color=COLOURS[0], height=0.55)
    for place, share in zip(places.tolist(), shares.tolist(), strict=True):
        axes.annotate(
            percent(share), (share, place), xytext=(4, 0), textcoords="offset points", va="center"
        )
    axes.set_yticks(places, names)
    axes.set_ylim(-0.6, len(names) - 0.4)
    axes.set_xlim(0, 1.15)
    axes.set_xticks([0, 0.5, 1], ["0 %", "50 %", "100 %"])
    axes.set_xlabel(label)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)


_METHODS = (
    "An alternative's value is the weighted sum of its criteria, each as the share of the way from "
    "the worst to the best score of the table. Weights are evenly likely at first; sensitivity, "
    "lapses and the width of indifference are unknown and averaged over. Questions were chosen by "
    "what their answer tells about which alternative is best, until the weights left one of them "
    "with 95 % or no expected regret to speak of. P(best) and regret include the standard "
    "deviations of the scores where the table has them. 90 % intervals are quantiles of the "
    "posterior. Questions that check attention or are kept back are never learned from."
)
_CAUTIONS = (
    "Weights hold for the ranges of this table: with other alternatives, other weights.",
    "A person with a hard limit (never above this price) is not described by weights: put such "
    "alternatives aside first.",
)
