"""Many stakeholders in words, tables and pictures: a page that a committee can look at together.

In: `Stakeholders`, and each person's agreement. Out: findings and sections. Absent: learning.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from howgood.records.comparison import ComparisonWording
from howgood.records.confusion import ConfusionMatrix
from howgood.records.elicitation import Agreement
from howgood.records.report import Finding, Section
from howgood.records.stakeholders import Stakeholders
from howgood.records.table import Table
from howgood.show.figures.theme import COLOURS, FAINT, INK, PAPER, canvas, shades, to_svg
from howgood.show.numbers import percent, plain, probability

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MOST_DRAWN = 30
_FEWEST = 3  # people of a group for an interval over people like them
_WORTH_TWO = 0.02  # of the gain: less is not worth a second threshold


def stakeholder_findings(
    stakeholders: Stakeholders, wording: ComparisonWording
) -> tuple[Finding, ...]:
    """Say whether people are one cluster or two, and what one threshold costs."""
    everybody = _row(stakeholders, "everybody", "best for everybody")
    common = stakeholders.systems["best for everybody"]
    text = {
        "one": "One threshold will do: people form one cluster",
        "two": "Two thresholds: people form two clusters",
        "not enough evidence": "One threshold or two? The answers do not settle it",
    }[stakeholders.crowds]
    worth = (
        "A threshold for each cluster would save "
        f"{percent(stakeholders.gain_of_two)} of the gain on average"
        if stakeholders.gain_of_two >= _WORTH_TWO
        else "A second threshold would hardly save anything"
    )
    return (
        Finding(
            text=f"{text} (probability of two {probability(stakeholders.p_two)}). {worth}.",
            tone="unsure" if stakeholders.crowds == "not enough evidence" else "neutral",
        ),
        Finding(
            text=f"Under the threshold that is best for everybody people lose "
            f"{percent(everybody[0])} [{_share(everybody[1])}–{_share(everybody[2])}] of what "
            f"their own best one gains: {counts_text(common, wording)}."
        ),
        *_left_behind(stakeholders),
    )


def _left_behind(stakeholders: Stakeholders) -> list[Finding]:
    """Name a group that pays for what is best for all."""
    rows = [
        (str(row["group"]), float(row["regret"]), int(row["people"]))
        for row in stakeholders.regret.rows()
        if row["threshold"] == "best for everybody" and row["group"] != "everybody"
    ]
    if not rows:
        return []
    group, regret, people = max(rows, key=lambda entry: entry[1])
    own = _row(stakeholders, group, f"best for {group}")[0]
    if regret - own < _WORTH_TWO:
        return []
    return [
        Finding(
            text=f"It suits {_called(group)} least ({_counted(people)}): they lose "
            f"{percent(regret)} under it, and {percent(own)} under the threshold that is best for "
            "them.",
            tone="unsure",
        )
    ]


def _counted(people: int) -> str:
    return "1 person" if people == 1 else f"{people} people"


def counts_text(matrix: ConfusionMatrix, wording: ComparisonWording) -> str:
    """Return a system's errors in the words of the study."""
    return (
        f"{matrix.false_negatives:g} {wording.misses} and {matrix.false_positives:g} "
        f"{wording.alarms} in {matrix.total:,g} {wording.cases}"
    )


def stakeholder_sections(
    stakeholders: Stakeholders,
    agreements: Mapping[str, Agreement | None],
    wording: ComparisonWording,
    *,
    splits: Mapping[str, Mapping[str, str]] | None = None,
) -> tuple[Section, ...]:
    """Return what a committee needs on one page: the cluster, who pays, and who disagrees.

    `splits` has each person's answer by question about people, the groups' own first.
    """
    with crowd_figure(stakeholders) as figure:
        crowd = to_svg(figure, title="Everybody's exchange rate, given the others'")
    with disagreement_figure(stakeholders) as figure:
        apart = to_svg(figure, title="What people lose under each other's threshold")
    sections = [
        Section(
            title="One threshold or two?",
            text="Each person's exchange rate, drawn towards the others' the less it is known. "
            "Filled and hollow points are the two clusters, as far as there are two.",
            svg=crowd,
            alt="Everybody's exchange rate with its interval, and the person in the middle.",
        ),
        *_threshold_sections(stakeholders, wording),
        Section(
            title="Map of disagreement",
            text="Row: who loses. Column: whose best threshold is used. "
            "The stronger, the more is lost.",
            svg=apart,
            alt="A square per pair of people: what one loses under the other's best threshold.",
        ),
    ]
    if len(set(stakeholders.groups.values()) - {""}) > 1:
        sections.append(
            Section(
                title="By group",
                text="Who they are, next to what they value and how well their own metric predicts "
                "them (M), as in Tables 1 and 3 of Ali et al. (2022).",
                table=_split_table(stakeholders, agreements, splits or {}),
            )
        )
    return tuple(sections)


def _threshold_sections(
    stakeholders: Stakeholders, wording: ComparisonWording
) -> tuple[Section, ...]:
    """Return what every group loses under every threshold, and what errors each makes."""
    return (
        Section(
            title="Who pays for which threshold",
            text="What a group is expected to lose under each threshold, as a share of what each "
            "person's own best threshold gains over an average one, with 90 % intervals over "
            "people like these (from three people on).",
            table=regret_table(stakeholders),
        ),
        Section(
            title="What each threshold means",
            text=f"Errors in {next(iter(stakeholders.systems.values())).total:,g} {wording.cases}.",
            table=systems_table(stakeholders, wording),
        ),
    )


def regret_table(stakeholders: Stakeholders) -> Table:
    """Return a row per group and a column per threshold."""
    groups = list(dict.fromkeys(str(row["group"]) for row in stakeholders.regret.rows()))
    people = {str(row["group"]): int(row["people"]) for row in stakeholders.regret.rows()}
    cells = {
        _called(name): [_cell(_row(stakeholders, group, name), people[group]) for group in groups]
        for name in stakeholders.systems
    }
    return Table(
        {
            "group": [_called(group) for group in groups],
            "people": [people[group] for group in groups],
            **cells,
        }
    )


def systems_table(stakeholders: Stakeholders, wording: ComparisonWording) -> Table:
    """Return a row per threshold: the errors it makes."""
    systems = stakeholders.systems
    return Table(
        {
            "threshold": [_called(name) for name in systems],
            wording.misses: [f"{system.false_negatives:g}" for system in systems.values()],
            wording.alarms: [f"{system.false_positives:g}" for system in systems.values()],
        }
    )


def _called(name: str) -> str:
    """Return what a group or a threshold is called on pages.

    Examples
    --------
    >>> _called("best for crowd 1"), _called("everybody")
    ('best for cluster 1', 'everybody')
    """
    return re.sub(r"\bcrowd (?=[12]$)", "cluster ", name)


def _split_table(
    stakeholders: Stakeholders,
    agreements: Mapping[str, Agreement | None],
    splits: Mapping[str, Mapping[str, str]],
) -> Table:
    """Return the rows of every split, below each other, with the question that makes it."""
    if not splits:
        return group_table(stakeholders, agreements)
    parts = {
        question: group_table(stakeholders, agreements, groups=said)
        for question, said in splits.items()
    }
    names = next(iter(parts.values())).columns
    questions = [
        question if row == 0 else "" for question, part in parts.items() for row in range(len(part))
    ]
    cells = {name: [cell for part in parts.values() for cell in part[name]] for name in names}
    return Table({"question": questions} | cells)


def group_table(
    stakeholders: Stakeholders,
    agreements: Mapping[str, Agreement | None],
    *,
    groups: Mapping[str, str] | None = None,
) -> Table:
    """Return a row per group: people, exchange rate, spread, agreement and its baseline."""
    said = dict(sorted(stakeholders.groups.items(), key=lambda one: one[1]))
    inside: dict[str, list[str]] = {}
    for name, group in (said if groups is None else groups).items():
        if group and name in stakeholders.a0:  # who fits no metric is left out
            inside.setdefault(group, []).append(name)
    return _rows_of_groups(stakeholders, agreements, inside)


def _rows_of_groups(
    stakeholders: Stakeholders,
    agreements: Mapping[str, Agreement | None],
    inside: Mapping[str, list[str]],
) -> Table:
    groups = list(inside)
    rates = {
        group: [(1 - stakeholders.a0[name].mean) / stakeholders.a0[name].mean for name in names]
        for group, names in inside.items()
    }
    known = {
        group: [entry for entry in map(agreements.get, names) if entry is not None]
        for group, names in inside.items()
    }
    return Table(
        {
            "group": groups,
            "people": [len(inside[group]) for group in groups],
            "one miss is worth, middle": [
                f"{plain(float(np.median(rates[group])), digits=1)} false alarms"
                for group in groups
            ],
            "from, to": [
                f"{plain(min(rates[group]), digits=1)} to {plain(max(rates[group]), digits=1)}"
                for group in groups
            ],
            "M, mean": [_mean_m(known[group]) for group in groups],
            "M of accuracy": [_mean_baseline(known[group], "accuracy") for group in groups],
        }
    )


@contextmanager
def crowd_figure(stakeholders: Stakeholders) -> "Iterator[Figure]":
    """Draw everybody's exchange rate on a logarithmic axis, sorted, with the crowd's middle."""
    names = sorted(stakeholders.a0, key=lambda name: stakeholders.a0[name].mean)
    names = names[:: 1 + len(names) // _MOST_DRAWN]
    with canvas(width=6.0, height=1.6 + 0.28 * len(names)) as figure:
        axes = figure.subplots()
        ends = [
            _rate(value)
            for value in (stakeholders.typical.interval.lower, stakeholders.typical.interval.upper)
        ]
        axes.axvspan(min(ends), max(ends), color=COLOURS[1], alpha=0.18, lw=0)
        axes.axvline(_rate(stakeholders.typical.mean), color=COLOURS[1], lw=1.5)
        for row, name in enumerate(names):
            own = stakeholders.a0[name]
            low, high = sorted(_rate(value) for value in (own.interval.lower, own.interval.upper))
            colour = COLOURS[0] if stakeholders.crowd_of[name] == 1 else COLOURS[2]
            axes.hlines(row, low, high, color=colour, lw=2)
            hollow = stakeholders.crowds != "one" and stakeholders.crowd_of[name] == 2
            axes.plot(_rate(own.mean), row, "o", color=colour, ms=6,
                      mfc=PAPER if hollow else colour)  # fmt: skip
        axes.set_xscale("log")
        ticks = [0.5, 1, 2, 5, 10, 20, 50]
        axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        axes.minorticks_off()
        axes.set_yticks(range(len(names)), names)
        axes.axvline(1.0, color=FAINT, lw=1, ls=":")
        axes.set_xlabel("false alarms that one miss is worth; band: the person in the middle")
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        yield figure


@contextmanager
def disagreement_figure(stakeholders: Stakeholders) -> "Iterator[Figure]":
    """Draw what everybody forgoes under everybody's best threshold."""
    order = sorted(
        range(len(stakeholders.a0)), key=lambda place: list(stakeholders.a0.values())[place].mean
    )
    order = order[:: 1 + len(order) // _MOST_DRAWN]
    names = [list(stakeholders.a0)[place] for place in order]
    shown = stakeholders.disagreement[np.ix_(order, order)]
    size = 1.8 + 0.26 * len(order)
    with canvas(width=min(7.0, size + 1.6), height=size) as figure:
        axes = figure.subplots()
        drawn = axes.imshow(shown, cmap=shades(), vmin=0.0, vmax=max(0.1, float(shown.max())))
        axes.set_yticks(range(len(names)), names)
        axes.set_xticks(range(len(names)), names, rotation=90)
        axes.tick_params(length=0)
        axes.set_ylabel("who loses")
        axes.set_xlabel("whose best threshold is used")
        bar = figure.colorbar(drawn, ax=axes, shrink=0.7, label="share of the gain lost")
        bar.outline.set_edgecolor(FAINT)
        bar.ax.tick_params(colors=INK)
        yield figure


def _row(stakeholders: Stakeholders, group: str, threshold: str) -> tuple[float, float, float]:
    for row in stakeholders.regret.rows():
        if row["group"] == group and row["threshold"] == threshold:
            return float(row["regret"]), float(row["lower"]), float(row["upper"])
    return float("nan"), float("nan"), float("nan")


def _cell(values: tuple[float, float, float], people: int) -> str:
    """Return a mean with its interval; so few people say nothing about others like them."""
    if people < _FEWEST:
        return percent(values[0])
    return f"{percent(values[0])} [{_share(values[1])}–{_share(values[2])}]"


def _share(value: float) -> str:
    return f"{100 * value:.0f}"


def _rate(a0: float) -> float:
    return (1 - a0) / max(a0, 1e-6)


def _mean_m(known: Sequence[Agreement]) -> str:
    return f"{np.mean([person.percent for person in known]):.0f} %" if known else ""


def _mean_baseline(known: Sequence[Agreement], name: str) -> str:
    having = [person.baselines[name] for person in known if name in person.baselines]
    return f"{np.mean(having):.0f} %" if having else ""
