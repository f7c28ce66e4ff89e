"""Grand challenges and the nearest card, in sentences, a table, a picture and a site.

In: `Challenge`s, `Transfer`, cards. Out: findings, reports. Absent: computing; writing files.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from howgood.decide.challenges import POINTS, REFERENCE, SHARE, Challenge, Near, Transfer
from howgood.records.card import ModelCard
from howgood.records.estimate import Estimate
from howgood.records.provenance import Provenance
from howgood.records.report import Finding, Headline, Report, Section
from howgood.records.table import Table
from howgood.show.acceptability import USUAL_PEOPLE, accepting_text
from howgood.show.cards import card_warning
from howgood.show.figures.theme import COLOURS, FAINT, INK, canvas, picture_section
from howgood.show.numbers import percent, share_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_NOT_ENTERED = "nobody entered what systems reach"
_CAUTIONS = (
    "What systems reach was typed in from the sources named; test sets differ, and so do "
    "conditions.",
    "The order counts people to be won, not how much an application matters to them.",
)


def challenge_findings(ranked: Sequence[Challenge], apart: Transfer) -> tuple[Finding, ...]:
    """Say where research would matter most, what is not known, and what other cards are worth."""
    entered = [one for one in ranked if one.gain is not None]
    findings = []
    if entered and entered[0].gain is not None and entered[0].accepting is not None:
        first = entered[0]
        findings.append(
            Finding(
                text=f"A better system would matter most for {first.application}: "
                f"{share_text(entered[0].accepting)} would accept the best one entered "
                f"({first.best.name if first.best else ''}), and {percent(POINTS)} more precision "
                f"and recall would win {_points(entered[0].gain)} more of all people."
            )
        )
    missing = [one.application for one in ranked if one.gain is None]
    if missing:
        findings.append(
            Finding(
                text=f"For {', '.join(missing)} {_NOT_ENTERED}: enter it with its source.",
                tone="unsure",
            )
        )
    return (*findings, transfer_finding(apart))


def _points(gain: Estimate) -> str:
    ends = gain.interval
    return f"{100 * gain.mean:.0f} % [{100 * ends.lower:.0f} to {100 * ends.upper:.0f}]"


def transfer_finding(apart: Transfer) -> Finding:
    """Say what a card of another application is worth, and on how many applications that rests."""
    if apart.mean is None or apart.largest is None or apart.held is None:
        return Finding(
            text="How far a card of another application misleads is not known: there are cards of "
            f"{apart.n_applications} application{'s' * (apart.n_applications != 1)}.",
            tone="unsure",
        )
    return Finding(
        text="A card of another application misleads: left out in turn, the "
        f"{apart.n_applications} applications were missed by {100 * apart.mean:.0f} points of the "
        "share of people on "
        f"average, {100 * apart.largest:.0f} at most, and the 95 % interval of the other card held "
        f"the share in {percent(apart.held)} of cases (at {percent(REFERENCE)} precision and "
        f"recall). {apart.n_applications} applications are few.",
        tone="unsure",
    )


def nearest_findings(near: Sequence[Near], apart: Transfer) -> tuple[Finding, ...]:
    """Say which card is nearest, and plainly where none is near."""
    if not near:
        return (Finding(text="There is no card that predicts.", tone="unsure"),)
    first = near[0]
    how = f"{first.application} (card {first.card}, nearness {first.nearness:.2f} of 1)"
    if first.is_near:
        said = Finding(text=f"The nearest card is {how}: much the same is described.")
    elif first.is_far:
        said = Finding(
            text=f"No card is near. The nearest, {how}, shares hardly a word with what you "
            "describe: do not decide by it, ask people of your own.",
            tone="bad",
        )
    else:
        said = Finding(
            text=f"The nearest card is {how}, and it is not near: take its numbers as a guess, and "
            "ask people of your own.",
            tone="unsure",
        )
    return (said, transfer_finding(apart))


def challenge_table(ranked: Sequence[Challenge]) -> Table:
    """Return one row per application, the most urgent first."""
    return Table(
        {
            "application": [one.application for one in ranked],
            "people": [str(one.n_respondents or "not known") for one in ranked],
            "best system": [one.best.name if one.best else _NOT_ENTERED for one in ranked],
            "precision, recall": [
                f"{percent(one.best.precision)}, {percent(one.best.recall)}" if one.best else ""
                for one in ranked
            ],
            "would accept it": [
                share_text(one.accepting) if one.accepting else "" for one in ranked
            ],
            f"probability of {percent(SHARE)} or more": [
                "" if one.probability_enough is None else percent(one.probability_enough)
                for one in ranked
            ],
            "5 points more would win": [_points(one.gain) if one.gain else "" for one in ranked],
            "source": [one.best.source if one.best else "" for one in ranked],
        }
    )


def challenge_report(ranked: Sequence[Challenge], apart: Transfer) -> Report:
    """Return the page that lists applications, what people accept and what systems reach."""
    drawn = [one for one in ranked if one.accepting is not None]
    pictures = (
        [
            picture_section(
                "What systems reach, and what people want",
                "Share of people who would accept the best system entered, by application, with "
                "95 % interval, and the share wanted.",
                _figure(drawn),
            )
        ]
        if drawn
        else []
    )
    return Report(
        title="Where research would matter most",
        question="In which application would a better system be accepted by most more people?",
        findings=challenge_findings(ranked, apart),
        sections=(*pictures, Section(title="All applications", table=challenge_table(ranked))),
        methods="Shares come from model cards: posterior draws of a mixed-effects logistic "
        "regression of accepting on a weighted power mean of precision and recall (Kay et al., "
        "2015). Applications are ordered by the people five points more of precision and recall "
        "would win, times the probability that the best system is not yet enough.",
        provenance=Provenance(method="model cards", settings={"share": SHARE, "points": POINTS}),
        cautions=_CAUTIONS,
    )


@contextmanager
def _figure(ranked: Sequence[Challenge]) -> Iterator["Figure"]:
    with canvas(width=6.0, height=1.7 + 0.55 * len(ranked)) as figure:
        axes = figure.subplots()
        axes.axvline(SHARE, color=INK, lw=1.2, ls=(0, (4, 3)))
        for place, one in enumerate(ranked):
            if one.accepting is None or one.gain is None:
                continue
            ends, now = one.accepting.interval, one.accepting.mean
            axes.plot([ends.lower, ends.upper], [-place, -place], color=FAINT, lw=3)
            axes.annotate(
                "", (now + one.gain.mean, -place), (now, -place),
                arrowprops={"arrowstyle": "->", "color": COLOURS[2], "lw": 2},
            )  # fmt: skip
            axes.plot([now], [-place], "o", color=COLOURS[0], markersize=8)
        axes.set_yticks(
            [-place for place in range(len(ranked))], [one.application for one in ranked]
        )
        axes.set_ylim(-len(ranked) + 0.4, 0.8)
        axes.set_xlim(0, 1)
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        axes.set_xlabel(f"share accepting the best system (arrow: with {percent(POINTS)} more)")
        axes.set_title(f"What systems reach; dashed: {percent(SHARE)} of people")
        yield figure


def card_report(card: ModelCard) -> Report:
    """Return one card as a page of its own."""
    warning = card_warning(card)
    findings = [Finding(text=warning, tone="bad")] if warning else []
    headlines: tuple[Headline, ...] = ()
    if card.draws:
        draws = card.acceptance_draws(card.application)
        share = draws.estimate(draws.shares(REFERENCE, REFERENCE))
        text = accepting_text(share, REFERENCE, REFERENCE)
        findings.append(Finding(text=f"{card.application}: {text}"))
        headlines = (
            Headline(
                title=card.application, text=text,
                share=(share.interval.lower, share.mean, share.interval.upper),
                point=(REFERENCE, REFERENCE), people=card.n_respondents or 0, wanted=USUAL_PEOPLE,
                acceptance=draws,
            ),
        )  # fmt: skip
    else:
        findings.append(Finding(text=f"{card.application}: published numbers, which inform but "
                                "cannot predict.", tone="unsure"))  # fmt: skip
    return Report(
        title=card.application,
        question=card.description,
        findings=tuple(findings),
        sections=tuple(_card_sections(card)),
        methods=f"{card.citation}. Licence: {card.licence}.",
        provenance=Provenance(method=f"model card {card.name}", settings=dict(card.provenance)),
        headlines=headlines,
    )


def _card_sections(card: ModelCard) -> list[Section]:
    estimates = {
        name: getattr(card, name)
        for name in ("alpha", "intercept", "slope", "person_sd")
        if getattr(card, name) is not None
    }
    sections = []
    if estimates:
        columns: dict[str, list[Any]] = {"parameter": list(estimates)}
        for field in ("mean", "lower", "upper"):
            values = [getattr(estimate, field) for estimate in estimates.values()]
            columns[field] = [np.nan if value is None else value for value in values]
        sections.append(Section(title="Estimates", table=Table(columns)))
    if card.systems:
        sections.append(
            Section(
                title="What systems reach",
                table=Table(
                    {
                        field: [getattr(system, field) for system in card.systems]
                        for field in ("name", "precision", "recall", "source")
                    }
                ),
            )
        )
    return sections
