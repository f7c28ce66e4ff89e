"""What many people choose by criteria, in words, tables and pictures.

In: each person's result and the group's. Out: findings and sections. Absent: eliciting.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from howgood.records.criteria import CriteriaResult, GroupChoice
from howgood.records.estimate import Estimate
from howgood.records.report import Finding, Section
from howgood.records.table import Table
from howgood.show.criteria import draw_chances, draw_weights
from howgood.show.figures.theme import canvas, to_svg
from howgood.show.numbers import percent

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_FEW, _SURE, _FORGONE = 5, 0.9, 0.1
_MOST_ROWS = 60


def group_findings(group: GroupChoice, people: Mapping[str, CriteriaResult]) -> tuple[Finding, ...]:
    """Say what suits the group, what weighs most, and who would be left behind."""
    share, n = group.shares[group.best], group.people
    is_sure = group.p_best >= _SURE and n >= _FEW
    who = "person" if n == 1 else "people"
    findings = [
        Finding(
            text=f"{group.best} suits these {n} {who} best on average: it forgoes least "
            f"(probability {percent(group.p_best)}), and is the best alternative for "
            f"{percent(share.mean)} of people ({_likely(share)}).",
            tone="good" if is_sure else "unsure",
        ),
        Finding(text=f"What weighs how much on average: {_weights(group, people)}."),
        *_left_behind(group, people),
    ]
    if n < _FEW:
        text = f"Only {n} {who} answered: how much people differ is hardly known yet."
        findings.append(Finding(text=text, tone="unsure"))
    return tuple(findings)


def _left_behind(group: GroupChoice, people: Mapping[str, CriteriaResult]) -> list[Finding]:
    """Say how many people would forgo much by the group's choice."""
    forgoing = sum(person.regret[group.best].mean > _FORGONE for person in people.values())
    if not forgoing:
        return []
    text = (
        f"For {forgoing} of {group.people} people it forgoes more than {percent(_FORGONE)} of the "
        "way from worst to best: look at what they value before one alternative is chosen for all."
    )
    return [Finding(text=text, tone="unsure")]


def _weights(group: GroupChoice, people: Mapping[str, CriteriaResult]) -> str:
    titles = _titles(people)
    order = sorted(group.weights, key=lambda name: -group.weights[name].mean)
    return ", ".join(
        f"{titles[name]} {percent(group.weights[name].mean)} ({_likely(group.weights[name])})"
        for name in order
    )


def _likely(estimate: Estimate) -> str:
    lower, upper = estimate.interval.lower, estimate.interval.upper
    return f"likely {round(100 * lower)} to {round(100 * upper)} %"


def _titles(people: Mapping[str, CriteriaResult]) -> dict[str, str]:
    first = next(iter(people.values()))
    return {each.name: each.title for each in first.alternatives.criteria}


def group_sections(group: GroupChoice, people: Mapping[str, CriteriaResult]) -> tuple[Section, ...]:
    """Return the picture, the table of alternatives, and the table of people."""
    with group_figure(group, _titles(people)) as figure:
        svg = to_svg(figure, title="Mean weights and who would choose what")
    order = sorted(group.regret, key=lambda name: group.regret[name].mean)
    return (
        Section(
            title="What matters, and who would choose what",
            svg=svg,
            alt=" ".join(finding.text for finding in group_findings(group, people)[:2]),
        ),
        Section(
            title="Alternatives",
            text="Forgone: of the way from worst to best on everything, on average over people, "
            "and for the person who forgoes most.",
            table=Table(
                {
                    "alternative": order,
                    "best for": [percent(group.shares[name].mean) for name in order],
                    "forgone": [percent(group.regret[name].mean, digits=1) for name in order],
                    "forgone at most": [
                        percent(max(each.regret[name].mean for each in people.values()), digits=1)
                        for name in order
                    ],
                }
            ),
        ),
        Section(title="Every person", table=people_table(people)),
    )


def people_table(people: Mapping[str, CriteriaResult]) -> Table:
    """Return one row per person: what is best for them, and their weights."""
    titles = _titles(people)
    shown = dict(list(people.items())[:_MOST_ROWS])
    return Table(
        {
            "person": list(shown),
            "best": [str(each.best) for each in shown.values()],
            "P(best)": [
                percent(each.best_probability[each.best]) if each.best else ""
                for each in shown.values()
            ],
            **{
                title: [percent(each.weights[name].mean) for each in shown.values()]
                for name, title in titles.items()
            },
            "pairs": [each.queries for each in shown.values()],
        }
    )


@contextmanager
def group_figure(group: GroupChoice, titles: Mapping[str, str]) -> Iterator["Figure"]:
    """Draw mean weights with their intervals, and the share of people each one is best for."""
    order = sorted(group.weights, key=lambda name: group.weights[name].mean)
    shares = {
        name: group.shares[name].mean
        for name in sorted(group.shares, key=lambda name: -group.shares[name].mean)
    }
    tall = 1.2 + 0.36 * float(np.clip(max(len(order), len(shares)), 2, 20))
    with canvas(width=9.0, height=tall) as figure:
        left, right = figure.subplots(1, 2)
        draw_weights(
            left,
            [
                (titles[name], each.mean, each.interval.lower, each.interval.upper)
                for name in order
                for each in (group.weights[name],)
            ],
        )
        left.set_xlabel("mean weight, with 90 % interval")
        draw_chances(right, shares, "share of people for whom it is the best")
        yield figure


GROUP_METHODS = (
    "Each person's choices were replayed through the search that asked them: a weighted sum of "
    "criteria, each as the share of the way from worst to best of the table, with unknown "
    "sensitivity, lapses and width of indifference. The group is people like those asked: every "
    "draw takes a draw of each person's weights (and of the scores, where these have standard "
    "deviations) and weighs people by the Bayesian bootstrap. The alternative with the least mean "
    "regret is named. 90 % intervals are quantiles."
)
