"""What a group's choices say, between matrices or by criteria, in words, tables and pictures.

In: each person's elicited weight, agreement or choice, and the group's. Out: findings and sections.
Absent: eliciting.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from howgood.learn.elicitation.family_registry import family_label
from howgood.records.comparison import ComparisonWording
from howgood.records.elicitation import DIRECT, Agreement, QueryKind
from howgood.records.estimate import Estimate, Interval
from howgood.records.report import Finding, Headline, Section
from howgood.records.table import Table
from howgood.show.figures.theme import COLOURS, FAINT, INK, canvas, to_svg
from howgood.show.numbers import percent, plain, with_interval

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.figure import Figure
from collections.abc import Iterator
from typing import TYPE_CHECKING

from howgood.records.criteria import CriteriaResult, GroupChoice
from howgood.show.criteria import draw_chances, draw_weights

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MOST_ROWS = 40
# Nobody weighs by the billion: beyond these a ratio says "almost certain", not how much.
_MOST, _LEAST = 1000, 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonWeight:
    """What one person's choices say: a0, where it lies, and how well it predicts them.

    `family` is the kind of metric, None where the choices do not settle it; `kinds` counts the
    pairs judged by why they were asked, `undone` those taken back. `is_bracket`: lower and upper
    are the last bracket of a bisection, which has no model of error and so no probability.
    """

    name: str
    a0: float
    lower: float
    upper: float
    family: str | None
    kinds: Mapping[QueryKind, int]
    agreement: Agreement | None
    undone: int = 0
    is_bracket: bool = False

    @property
    def pairs(self) -> int:
        """How many pairs were judged, for whatever reason they were asked."""
        return sum(self.kinds.values())

    @property
    def ratio(self) -> float:
        """How many false alarms one miss is worth: (1 - a0) / a0."""
        return (1.0 - self.a0) / max(self.a0, 1e-9)


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupWeight:
    """The group's mean weight, the spread between people, and the mean agreement.

    `is_direct_asked`: people were asked for the ratio itself, whether or not they answered.
    """

    a0: Estimate
    spread: float
    agreement: Estimate | None
    is_direct_asked: bool = False


def _whom(n: int) -> str:
    return "For one person" if n == 1 else f"On average over {n} people"


def group_findings(
    people: Sequence[PersonWeight], group: GroupWeight, wording: ComparisonWording
) -> tuple[Finding, ...]:
    """Say what the group values, how much people differ, and how well that predicts choices."""
    ends = group.a0.interval
    worth, least, most = (_ratio(value) for value in (group.a0.mean, ends.upper, ends.lower))
    findings = [
        Finding(
            text=f"{_whom(len(people))}, one {wording.miss} weighs as much as "
            f"{worth} {wording.alarms} ({_doubt(people)} {least} to {most}); weight of a correct "
            f"negative a0 = {with_interval(group.a0)}.",
            tone="neutral" if len(people) > 2 else "unsure",
        ),
        _differing(people, group),
    ]
    if group.agreement is not None:
        findings.append(_agreeing(people, group, group.agreement))
    return (*findings, *_kinds_of_metric(people))


USUAL_PEOPLE = 12  # of a comparison: about as many show how much people differ


def group_headline(
    people: Sequence[PersonWeight], group: GroupWeight, wording: ComparisonWording
) -> Headline:
    """Return the group's answer: how many false alarms one miss is worth, and to whom."""
    ends = group.a0.interval
    worth, least, most = (_ratio(weight) for weight in (group.a0.mean, ends.upper, ends.lower))
    lowest, highest = (pick(person.ratio for person in people) for pick in (min, max))
    more = []
    if len(people) > 1:
        more.append(
            f"People differ: to one person it is {_count(lowest)}, to another {_count(highest)}."
        )
    if group.agreement is not None:
        share = percent(group.agreement.mean)
        more.append(
            f"In pairs kept back, people's own weights chose as they did in {share} of cases."
        )
    return Headline(
        title=f"What one {wording.miss} is worth",
        hero=worth,
        caption=f"{wording.alarms} weigh as much as one {wording.miss}",
        text=f"{_whom(len(people))}, one {wording.miss} weighs as much as {worth} "
        f"{wording.alarms} (likely between {least} and {most}).",
        share=(1 - ends.upper, 1 - group.a0.mean, 1 - ends.lower),
        point=(0.0, 0.0),
        people=len(people),
        wanted=USUAL_PEOPLE,
        more=tuple(more),
        is_enough=len(people) > 2,
        ends=("false alarms", "weigh the same", "misses"),
    )


def _kinds_of_metric(people: Sequence[PersonWeight]) -> list[Finding]:
    """Say for how many people a0 is not the whole story."""
    other = sum(person.family not in ("linear", None) for person in people)
    unsettled = sum(person.family is None for person in people)
    said = []
    if other:
        said.append(
            f"For {other} of {len(people)} people a fixed exchange rate is not the rule: their a0 "
            "is the closest one, read it with care."
        )
    if unsettled:
        said.append(
            f"For {unsettled} of {len(people)} people the choices do not settle the kind of "
            "metric; their a0 holds if it is linear."
        )
    return [Finding(text=text, tone="unsure") for text in said]


def group_sections(people: Sequence[PersonWeight], group: GroupWeight) -> tuple[Section, ...]:
    """Return the picture of everybody's weight and the table behind it."""
    with weights_figure(people, group.a0) as figure:
        svg = to_svg(figure, title="Each person's weight and the group's mean")
    return (
        Section(
            title="What each person values",
            text="Left: a miss weighs much more than a false alarm. Right of 0.5: a false alarm "
            "weighs more.",
            svg=svg,
            alt="How much false alarms weigh to each person (a0) with its interval or bracket, "
            "sorted, and the group's mean with its interval.",
        ),
        Section(
            title="Every person",
            text=" ".join(
                [
                    _judged(people),
                    *([_BRACKETS] if any(person.is_bracket for person in people) else []),
                ]
            ),
            table=people_table(people),
        ),
    )


def people_table(people: Sequence[PersonWeight]) -> Table:
    """Return one row per person."""
    return Table(
        {
            "person": [person.name for person in people],
            "a0": [plain(person.a0, digits=3) for person in people],
            "last bracket" if any(person.is_bracket for person in people) else "90 % interval": [
                f"{plain(person.lower, digits=3)} to {plain(person.upper, digits=3)}"
                for person in people
            ],
            "one miss is worth": [f"{_ratio(person.a0)} false alarms" for person in people],
            "kind of metric": [family_label(person.family) for person in people],
            "pairs judged": [person.pairs for person in people],
            "M": ["" if person.agreement is None else _m(person.agreement) for person in people],
        }
    )


@contextmanager
def weights_figure(people: Sequence[PersonWeight], mean: Estimate) -> "Iterator[Figure]":
    """Draw everybody's a0 with interval, sorted, and the group's mean as a band."""
    shown = sorted(people, key=lambda person: person.a0)[:: 1 + len(people) // _MOST_ROWS]
    with canvas(width=6.0, height=1.5 + 0.3 * len(shown)) as figure:
        axes = figure.subplots()
        rows = np.arange(len(shown))
        _band(axes, mean.interval, mean.mean, len(shown))
        axes.hlines(
            rows, [person.lower for person in shown], [person.upper for person in shown],
            color=COLOURS[0], lw=2,
        )  # fmt: skip
        axes.plot([person.a0 for person in shown], rows, "o", color=COLOURS[0], ms=6)
        axes.set_yticks(rows, [person.name for person in shown])
        axes.set_ylim(-0.7, len(shown) + 0.4)
        axes.set_xlim(0, max(0.55, *(person.upper for person in shown)) * 1.03)
        axes.axvline(0.5, color=FAINT, lw=1, ls=":")
        axes.set_xlabel("weight of false alarms (a0); 0.5: both errors weigh the same")
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        yield figure


def _band(axes: Any, interval: Interval, mean: float, rows: int) -> None:  # noqa: ANN401 - matplotlib axes
    axes.axvspan(interval.lower, interval.upper, color=COLOURS[1], alpha=0.18, lw=0)
    axes.axvline(mean, color=COLOURS[1], lw=1.5)
    axes.annotate(
        f"group {plain(mean, digits=2)}", (mean, rows - 0.1), xytext=(5, 0),
        textcoords="offset points", va="center", color=INK,
    )  # fmt: skip


def _differing(people: Sequence[PersonWeight], group: GroupWeight) -> Finding:
    if len(people) < 2:
        return Finding(
            text="One person was asked: how much people differ is not known, and the interval "
            "is about that person alone.",
            tone="unsure",
        )
    lowest, highest = (pick(person.ratio for person in people) for pick in (min, max))
    left_in = np.std([person.a0 for person in people], ddof=1)
    text = (
        f"People differ: from {_count(lowest)} to {_count(highest)} false alarms per miss "
        f"(standard deviation of a0 between people {plain(group.spread, digits=2)} with the "
        f"uncertainty about each person taken off, {plain(float(left_in), digits=2)} with it left "
        "in)."
    )
    return Finding(text=text)


def _agreeing(people: Sequence[PersonWeight], group: GroupWeight, agreement: Estimate) -> Finding:
    known = [person.agreement for person in people if person.agreement is not None]
    # Not everybody has every baseline: who skips the direct question has none from it.
    names = list(dict.fromkeys(name for person in known for name in person.baselines))
    compared = [_baseline(name, known) for name in names]
    if group.is_direct_asked and DIRECT not in names:
        compared.append(f"{DIRECT}: nobody answered it")
    ends = agreement.interval
    who = "people"
    if len(known) < len(people):
        who = f"the {len(known)} of {len(people)} people who preferred a side in them"
    return Finding(
        text=f"Agreement M: on pairs kept back, each person's own metric chose as they did in "
        f"{percent(agreement.mean)} [{round(100 * ends.lower)}–{round(100 * ends.upper)}] of "
        f"cases, averaged over {who}. For comparison: {'; '.join(compared)}."
    )


def _baseline(name: str, known: Sequence[Agreement]) -> str:
    """Say how well a baseline does, and of whom where not everybody has it."""
    having = [person for person in known if name in person.baselines]
    share = percent(float(np.mean([person.baselines[name] for person in having])) / 100)
    if len(having) == len(known):
        return f"{name}: {share}"
    own = percent(float(np.mean([person.percent for person in having])) / 100)
    return (
        f"{name}: {share} for the {len(having)} of {len(known)} people who answered it, whose own "
        f"metric reaches {own}"
    )


def _judged(people: Sequence[PersonWeight]) -> str:
    """Say what the judgements were for; those taken back are not among them."""
    counts = Counter[QueryKind]()
    for person in people:
        counts.update(person.kinds)
    counts["held-out"] += counts.pop("extra", 0)  # neither was learned from
    parts = [f"{counts[kind]} {words}" for kind, words in _FOR.items() if counts[kind]]
    undone = sum(person.undone for person in people)
    text = f"{sum(counts.values())} judgements: {', '.join(parts)}."
    return f"{text} Taken back, and not counted: {undone}." if undone else text


def _m(agreement: Agreement) -> str:
    return f"{agreement.percent:.0f} % of {agreement.n_questions}"


def _doubt(people: Sequence[PersonWeight]) -> str:
    """Name what the group's interval is: one bracket alone has no probability."""
    is_bracket = len(people) == 1 and people[0].is_bracket
    return "inner nine tenths of the last bracket," if is_bracket else "90 % interval"


def _ratio(a0: float) -> str:
    return _count((1.0 - a0) / max(a0, 1e-9))


def _count(value: float) -> str:
    if value > _MOST:
        return f"more than {_MOST:,}"
    if value < _LEAST:
        return f"less than {_LEAST:g}"
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}"


_FOR: dict[QueryKind, str] = {
    "choice": "to learn from",
    "catch": "attention checks",
    "repeat": "repeats",
    "held-out": "kept back to test",
}
_BRACKETS = (
    "A bisection takes every answer as right: its last bracket is where the search stopped, and no "
    "probability comes with it."
)


_FEW, _SURE, _FORGONE = 5, 0.9, 0.1
_MOST_PEOPLE = 60


def criteria_group_headline(group: GroupChoice, people: Mapping[str, CriteriaResult]) -> Headline:
    """Return the group's answer: for how many people which alternative is the best."""
    share, n = group.shares[group.best], group.people
    order = sorted(group.weights, key=lambda name: -group.weights[name].mean)
    losing = sum(person.regret[group.best].mean > _FORGONE for person in people.values())
    more = [_heaviest(group, _titles(people)[order[0]], order[0])]
    if losing:
        more.append(
            f"{losing} of {n} people would lose more than {percent(_FORGONE)} of the way from "
            "worst to best by it."
        )
    whom = _whom(n)
    sure = "suits best" if group.p_best >= _SURE else "leads, but it is not settled"
    return Headline(
        title=group.best,
        caption="of people have it as their best alternative",
        text=f"{whom}, {group.best} {sure} "
        f"(probability {percent(group.p_best)}); it is the best for {percent(share.mean)} of "
        f"people ({_likely(share)}).",
        share=(share.interval.lower, share.mean, share.interval.upper),
        point=(0.0, 0.0),
        people=n,
        wanted=USUAL_PEOPLE,
        more=tuple(more),
        is_enough=n >= _FEW,
    )


def _heaviest(group: GroupChoice, title: str, name: str) -> str:
    """Say which criterion weighs most on average, where that is settled."""
    draws = group.weights[name].draws
    chance = float(np.mean(draws >= np.max([each.draws for each in group.weights.values()], 0)))
    share = percent(group.weights[name].mean)
    if chance >= _SURE:
        return f"{title} weighs most: {share} of what decides."
    return f"What weighs most is not settled: {title} does with a probability of {percent(chance)}."


def criteria_group_findings(
    group: GroupChoice, people: Mapping[str, CriteriaResult]
) -> tuple[Finding, ...]:
    """Say what suits the group, what weighs most, and who would be left behind."""
    share, n = group.shares[group.best], group.people
    is_sure = group.p_best >= _SURE and n >= _FEW
    who = "person" if n == 1 else "people"
    whom = "this person best" if n == 1 else f"these {n} people best on average"
    findings = [
        Finding(
            text=f"{group.best} suits {whom} (probability "
            f"{percent(group.p_best)}), and is the best alternative for "
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
        f"{forgoing} of {group.people} people would lose more than {percent(_FORGONE)} of the way "
        "from worst to best by it: look at what they value before one alternative is chosen for "
        "all."
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
    return {criterion.name: criterion.title for criterion in first.alternatives.criteria}


def criteria_group_sections(
    group: GroupChoice, people: Mapping[str, CriteriaResult]
) -> tuple[Section, ...]:
    """Return the picture, the table of alternatives, and the table of people."""
    with group_figure(group, _titles(people)) as figure:
        svg = to_svg(figure, title="Mean weights and who would choose what")
    order = sorted(group.regret, key=lambda name: group.regret[name].mean)
    return (
        Section(
            title="What matters, and who would choose what",
            svg=svg,
            alt=" ".join(finding.text for finding in criteria_group_findings(group, people)[:2]),
        ),
        Section(
            title="Alternatives",
            text="Lost: compared with each person's own best alternative, of the way from worst to "
            "best on everything; on average over people, and for the person who loses most.",
            table=Table(
                {
                    "alternative": order,
                    "best for": [percent(group.shares[name].mean) for name in order],
                    "lost, mean": [percent(group.regret[name].mean, digits=1) for name in order],
                    "lost at most": [
                        percent(
                            max(person.regret[name].mean for person in people.values()), digits=1
                        )
                        for name in order
                    ],
                }
            ),
        ),
        Section(title="Every person", table=criteria_people_table(people)),
    )


def criteria_people_table(people: Mapping[str, CriteriaResult]) -> Table:
    """Return one row per person: what is best for them, and their weights."""
    titles = _titles(people)
    shown = dict(list(people.items())[:_MOST_PEOPLE])
    return Table(
        {
            "person": list(shown),
            "best": [str(entry.best) for entry in shown.values()],
            "P(best)": [
                percent(entry.best_probability[entry.best]) if entry.best else ""
                for entry in shown.values()
            ],
            **{
                title: [percent(entry.weights[name].mean) for entry in shown.values()]
                for name, title in titles.items()
            },
            "pairs": [entry.queries for entry in shown.values()],
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
                (titles[name], estimate.mean, estimate.interval.lower, estimate.interval.upper)
                for name in order
                for estimate in (group.weights[name],)
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
