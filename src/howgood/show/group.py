"""What a group's choices say, in words, tables and pictures.

In: each person's elicited weight, agreement, and the group's. Out: findings and sections. Absent:
eliciting.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from howgood.learn.elicitation.families import family_label
from howgood.records.comparison import ComparisonWording
from howgood.records.elicitation import DIRECT, Agreement, QueryKind
from howgood.records.estimate import Estimate, Interval
from howgood.records.report import Finding, Section
from howgood.records.table import Table
from howgood.show.figures.theme import COLOURS, FAINT, canvas, to_svg
from howgood.show.numbers import percent, plain, with_interval

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.figure import Figure

_MOST_ROWS = 40
# Nobody weighs by the billion: beyond these a ratio says "hardly any doubt", not how much.
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


def group_findings(
    people: Sequence[PersonWeight], group: GroupWeight, wording: ComparisonWording
) -> tuple[Finding, ...]:
    """Say what the group values, how much people differ, and how well that predicts choices."""
    ends = group.a0.interval
    worth, least, most = (_ratio(each) for each in (group.a0.mean, ends.upper, ends.lower))
    found = [
        Finding(
            text=f"On average over {len(people)} people, one {wording.miss} weighs as much as "
            f"{worth} {wording.alarms} ({_doubt(people)} {least} to {most}); weight of a correct "
            f"negative a0 = {with_interval(group.a0)}.",
            tone="neutral" if len(people) > 2 else "unsure",
        ),
        _differing(people, group),
    ]
    if group.agreement is not None:
        found.append(_agreeing(people, group, group.agreement))
    return (*found, *_kinds_of_metric(people))


def _kinds_of_metric(people: Sequence[PersonWeight]) -> list[Finding]:
    """Say for how many people a0 is not the whole story."""
    other = sum(each.family not in ("linear", None) for each in people)
    unsettled = sum(each.family is None for each in people)
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
            alt="Each person's a0 with its interval or bracket, sorted, and the group's mean with "
            "its interval.",
        ),
        Section(
            title="Every person",
            text=" ".join(
                [_judged(people), *([_BRACKETS] if any(each.is_bracket for each in people) else [])]
            ),
            table=people_table(people),
        ),
    )


def people_table(people: Sequence[PersonWeight]) -> Table:
    """Return one row per person."""
    return Table(
        {
            "person": [each.name for each in people],
            "a0": [plain(each.a0, digits=3) for each in people],
            "last bracket" if any(each.is_bracket for each in people) else "90 % interval": [
                f"{plain(each.lower, digits=3)} to {plain(each.upper, digits=3)}" for each in people
            ],
            "one miss is worth": [f"{_ratio(each.a0)} false alarms" for each in people],
            "kind of metric": [family_label(each.family) for each in people],
            "pairs judged": [each.pairs for each in people],
            "M": ["" if each.agreement is None else _m(each.agreement) for each in people],
        }
    )


@contextmanager
def weights_figure(people: Sequence[PersonWeight], mean: Estimate) -> "Iterator[Figure]":
    """Draw everybody's a0 with interval, sorted, and the group's mean as a band."""
    shown = sorted(people, key=lambda each: each.a0)[:: 1 + len(people) // _MOST_ROWS]
    with canvas(width=7.0, height=1.5 + 0.3 * len(shown)) as figure:
        axes = figure.subplots()
        rows = np.arange(len(shown))
        _band(axes, mean.interval, mean.mean, len(shown))
        axes.hlines(
            rows, [each.lower for each in shown], [each.upper for each in shown],
            color=COLOURS[0], lw=2,
        )  # fmt: skip
        axes.plot([each.a0 for each in shown], rows, "o", color=COLOURS[0], ms=6)
        axes.set_yticks(rows, [each.name for each in shown])
        axes.set_ylim(-0.7, len(shown) + 0.4)
        axes.set_xlim(0, max(0.55, *(each.upper for each in shown)) * 1.03)
        axes.axvline(0.5, color=FAINT, lw=1, ls=":")
        axes.set_xlabel("a0: weight of a correct negative (0.5: both errors weigh the same)")
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        yield figure


def _band(axes: Any, interval: Interval, mean: float, rows: int) -> None:  # noqa: ANN401 - matplotlib axes
    axes.axvspan(interval.lower, interval.upper, color=COLOURS[1], alpha=0.18, lw=0)
    axes.axvline(mean, color=COLOURS[1], lw=1.5)
    axes.annotate(
        f"group {plain(mean, digits=2)}", (mean, rows - 0.1), xytext=(5, 0),
        textcoords="offset points", va="center", color=COLOURS[1],
    )  # fmt: skip


def _differing(people: Sequence[PersonWeight], group: GroupWeight) -> Finding:
    if len(people) < 2:
        return Finding(
            text="One person was asked: how much people differ is not known, and the interval "
            "is about that person alone.",
            tone="unsure",
        )
    lowest, highest = (pick(each.ratio for each in people) for pick in (min, max))
    left_in = np.std([each.a0 for each in people], ddof=1)
    text = (
        f"People differ: from {_count(lowest)} to {_count(highest)} false alarms per miss "
        f"(standard deviation of a0 between people {plain(group.spread, digits=2)} with the doubt "
        f"about each person taken off, {plain(float(left_in), digits=2)} with it left in)."
    )
    return Finding(text=text)


def _agreeing(people: Sequence[PersonWeight], group: GroupWeight, agreement: Estimate) -> Finding:
    known = [each.agreement for each in people if each.agreement is not None]
    # Not everybody has every baseline: who skips the direct question has none from it.
    names = list(dict.fromkeys(name for each in known for name in each.baselines))
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
    having = [each for each in known if name in each.baselines]
    share = percent(float(np.mean([each.baselines[name] for each in having])) / 100)
    if len(having) == len(known):
        return f"{name}: {share}"
    own = percent(float(np.mean([each.percent for each in having])) / 100)
    return (
        f"{name}: {share} for the {len(having)} of {len(known)} people who answered it, whose own "
        f"metric reaches {own}"
    )


def _judged(people: Sequence[PersonWeight]) -> str:
    """Say what the judgements were for; those taken back are not among them."""
    counts = Counter[QueryKind]()
    for each in people:
        counts.update(each.kinds)
    parts = [f"{counts[kind]} {words}" for kind, words in _FOR.items() if counts[kind]]
    undone = sum(each.undone for each in people)
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
