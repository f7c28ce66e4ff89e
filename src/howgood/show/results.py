"""Results of stored studies in plain sentences: whom they rest on, what to aim for, how noisy.

In: fits, targets, counts; means and spreads of repeated ratings. Out: findings and reports for a
results page. Absent: fitting and measuring (`learn`).
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from howgood.learn.feedback import unbiased_variance
from howgood.learn.interface import InterfaceEffect
from howgood.records.decision import Target
from howgood.records.estimate import Estimate
from howgood.records.provenance import Provenance
from howgood.records.rater_consistency import RaterConsistency
from howgood.records.report import Finding, Headline, Report, Section
from howgood.records.table import Table
from howgood.show.figures.theme import COLOURS, INK, canvas, to_svg
from howgood.show.numbers import as_given, percent, plain, share_text, with_interval
from howgood.show.people import people_finding
from howgood.stats.arrays import FloatArray
from howgood.stats.shares import jeffreys_ends

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def target_finding(targets: Sequence[Target]) -> Finding:
    """Say what accuracy makes shares of people accept one application.

    Where precision and recall are equal, their weighted mean is just that value, whatever the
    weights and the kind of mean; so the needed mean is given as both being equal.
    """
    reachable = [target for target in targets if _is_reachable(target)]
    said = [_needed(target, is_first=place == 0) for place, target in enumerate(reachable)]
    parts = [f"to be accepted by {', by '.join(said)}"] if said else []
    missed = [target for target in targets if not _is_reachable(target)]
    if missed:
        who = " or ".join(_share_of_people(target.share) for target in missed)
        parts.append(
            f"no accuracy is known to be enough for {who}: perfect accuracy would be accepted by "
            f"{share_text(missed[0].at_best)}"
        )
    text = f"{targets[0].application}: {'; '.join(parts)}."
    if said:
        text += " More of one makes up for less of the other along a line of equal acceptance."
    unsure_of = [target for target in reachable if target.reachable < 0.95]
    if unsure_of:
        last = unsure_of[-1]
        text += (
            f" Even a perfect system might not reach {_share_of_people(last.share)}: "
            f"{percent(last.reachable)} likely that it would."
        )
    return Finding(text=text, tone="unsure" if missed or unsure_of else "neutral")


def interface_finding(points: InterfaceEffect, share: InterfaceEffect) -> Finding:
    """Say what an interface changes at the same accuracy: in points of the scale and in ratings."""
    more = "higher" if points.difference >= 0 else "lower"
    said = (
        f"Interface {points.level} against {points.reference}, at the same accuracy: rated "
        f"{abs(points.difference):.2f} points {more} (likely between {points.lower:+.2f} and "
        f"{points.upper:+.2f}); {100 * share.difference:+.0f} percentage points of ratings accept "
        f"it (likely between {100 * share.lower:+.0f} and {100 * share.upper:+.0f})."
    )
    who = "The same people" if points.is_within else "Different people"
    said += f" {who} saw the two ({points.people} in all)."
    is_open = points.lower <= 0 <= points.upper
    if is_open:
        said += " Not enough answers to say whether the interface matters."
    return Finding(text=said, tone="unsure" if is_open else "neutral")


def worse_finding(question: str, counts: Mapping[str, int]) -> Finding:
    """Say what people answer when asked which error is worse; alpha says how they judge."""
    total = sum(counts.values())
    shares = jeffreys_ends(tuple(counts.values()), total, probability=0.95)
    said = [
        f"{name}: {count} of {total} ({percent(count / total)}, likely between {percent(low)} and "
        f"{percent(high)})"
        for (name, count), low, high in zip(counts.items(), *shares, strict=True)
    ]
    return Finding(
        text=f"Asked directly ({question}): {'; '.join(said)}. Compare with alpha, which says how "
        "they judged: below one half, missed cases weigh more."
    )


def _is_reachable(target: Target) -> bool:
    return target.needed_mean is not None and target.reachable >= 0.5


def _needed(target: Target, *, is_first: bool) -> str:
    if target.needed_mean is None:
        raise ValueError("only a reachable share has a needed accuracy")
    ends = target.needed_mean.interval
    lower, upper = (round(100 * end) for end in (ends.lower, ends.upper))
    accuracy = f"{percent(target.needed_mean.mean)} [{lower}–{upper}]"
    who = _share_of_people(target.share)
    if is_first:
        return f"{who} you need about {accuracy} precision and as much recall"
    return f"{who} about {accuracy} of both"


def _share_of_people(share: float) -> str:
    return "half of people" if share == 0.5 else f"{percent(share)} of people"


def accepting_finding(target: Target, accepting: Estimate) -> Finding:
    """Say what share accepts an accuracy, whatever uncertainty `accepting` holds."""
    return Finding(
        text=f"{share_text(accepting)} of people would accept {target.application} with "
        f"{as_given(target.precision)} precision and {as_given(target.recall)} "
        "recall."
    )


def whole_report(
    report: Report,
    *,
    title: str,
    first: Sequence[Finding],
    left_out: Mapping[str, int],
    policy: str,
) -> Report:
    """Return a fit's report as a study's: its title, the answer first, whom it rests on.

    A report that names the rule of whose answers count itself does not repeat it.
    """
    made = report.provenance
    said = [] if "people" in made.settings else [people_finding(policy, left_out)]
    return replace(
        report,
        title=title,
        findings=(*first, *report.findings, *said),
        provenance=Provenance(
            method=made.method,
            settings={**made.settings, "people": policy},
            seed=made.seed,
            rows_used=made.rows_used,
            rows_dropped={
                **made.rows_dropped,
                **{f"people: {why}": count for why, count in left_out.items()},
            },
            versions=made.versions,
        ),
    )


# How much people's ratings vary when they are asked again, in words, tables and a picture.

_MOST_ROWS = 40
USUAL_RATERS = 12
_LEAST_WIDTH = 0.1  # points of the scale that a picture of no noise shows
_NO_NOISE = (
    "Nobody ever changed a rating, so no noise shows. People who remember what they said, or "
    "always press the same button, change nothing either."
)
CAUTIONS = (
    "The barrier holds for these items, this scale and people like those asked; a few people or "
    "rounds leave it rough.",
    "Ratings given in one sitting may be remembered: a delay between rounds shows more noise.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterNoise:
    """Mean and sd per person and item (as `learn.rating_uncertainty` gives), and the barrier."""

    feedback: Table
    consistency: RaterConsistency
    barrier: Estimate
    seed: int
    rows_used: int
    rows_dropped: int
    points: int = 5
    sessions: Table | None = None


def noise_headline(noise: RaterNoise) -> Headline:
    """Return the answer of repeated ratings: the error that noise alone makes."""
    ends, people = noise.barrier.interval, len(np.unique(noise.feedback["user"]))
    worth, lower, upper = (
        plain(value, digits=2) for value in (noise.barrier.mean, ends.lower, ends.upper)
    )
    widest = max(1, noise.points - 1)
    is_silent = noise.barrier.mean == 0
    lowest, middle, highest = (
        min(1.0, value / widest) for value in (ends.lower, noise.barrier.mean, ends.upper)
    )
    return Headline(
        title="How noisy ratings are",
        hero=worth,
        caption=f"points off, on a scale of {noise.points}, from noise alone",
        text=_NO_NOISE
        if is_silent
        else f"Because people's ratings vary, even a perfect system would be off by {worth} points "
        f"(likely between {lower} and {upper}): no system can be expected to do better.",
        share=(lowest, middle, highest),
        point=(0.0, 0.0),
        people=people,
        wanted=USUAL_RATERS,
        more=(
            "Asked again, people gave the same rating every time for "
            f"{percent(noise.consistency.pair_shares['one'])} of the items.",
        ),
        is_enough=people > 2 and not is_silent,
        ends=("0: always the same", "", f"{widest} points"),
    )


def noise_report(noise: RaterNoise, *, question: str) -> Report:
    """Return what repeated ratings say about people's noise."""
    with noise_figure(noise) as figure:
        svg = to_svg(figure, title="Each person's noise and the magic barrier")
    return Report(
        title="How noisy people's ratings are",
        question=question,
        findings=noise_findings(noise),
        sections=(
            Section(
                title="Noise by person",
                text="The standard deviation of a person's ratings of the same item, averaged over "
                "items (root mean square).",
                svg=svg,
                alt="One dot per person, sorted, and the magic barrier with its 95 % interval.",
            ),
            Section(
                title="Do people say the same again?",
                text="How many answer categories a person uses for the same item; a person counts "
                "by the item on which their ratings vary most.",
                table=_consistency_table(noise.consistency),
            ),
            *_sessions(noise),
            Section(title="Items", table=_by_item(noise.feedback)),
        ),
        headlines=(noise_headline(noise),),
        methods=_METHODS,
        provenance=Provenance(
            method="repeated ratings: mean and sd per person and item; widened Bayesian "
            "bootstrap over people",
            settings={"scale": "as rated"},
            seed=noise.seed,
            rows_used=noise.rows_used,
            rows_dropped={"ratings of items rated only once": noise.rows_dropped}
            if noise.rows_dropped
            else {},
        ),
        cautions=CAUTIONS,
    )


def _sessions(noise: RaterNoise) -> tuple[Section, ...]:
    if noise.sessions is None:
        return ()
    return (
        Section(
            title="Sessions",
            text="What people did in every round; the last column compares with the same "
            "person's rating of the same item in the round before.",
            table=noise.sessions,
        ),
    )


def noise_findings(noise: RaterNoise) -> tuple[Finding, ...]:
    """Say how often people change their mind, and what that costs every system."""
    shares = noise.consistency.pair_shares
    people = len(np.unique(noise.feedback["user"]))
    who = "1 person" if people == 1 else f"{people} people"
    over = "people" if people > 1 else "this person's items: it says nothing about others"
    barrier = (
        Finding(text=_NO_NOISE, tone="unsure")
        if noise.barrier.mean == 0
        else Finding(
            text=f"Human noise alone costs any system a root mean squared error of "
            f"{with_interval(noise.barrier)} points (magic barrier, 95 % interval over {over}): "
            "no system can be expected to do better.",
            tone="neutral" if people > 2 else "unsure",
        )
    )
    return (
        barrier,
        Finding(
            text=f"Asked again, people gave the same rating every time for "
            f"{percent(shares['one'])} of the items they rated, and three or more different "
            f"ratings for {percent(shares['three or more'])} ({who}, "
            f"{len(noise.feedback)} person-item pairs)."
        ),
    )


@contextmanager
def noise_figure(noise: RaterNoise) -> "Iterator[Figure]":
    """Draw each person's noise, sorted, and the magic barrier."""
    names, values = _by_person(noise.feedback)
    order = np.argsort(values)[:: 1 + len(values) // _MOST_ROWS]
    with canvas(width=6.0, height=1.5 + 0.28 * len(order)) as figure:
        axes = figure.subplots()
        ends = noise.barrier.interval
        axes.axvspan(ends.lower, ends.upper, color=COLOURS[1], alpha=0.18, lw=0)
        axes.axvline(noise.barrier.mean, color=COLOURS[1], lw=1.5)
        axes.annotate(
            f"magic barrier {plain(noise.barrier.mean, digits=2)}",
            (noise.barrier.mean, len(order) - 0.2), xytext=(5, 0), textcoords="offset points",
            color=INK, va="center",
        )  # fmt: skip
        rows = np.arange(len(order))
        axes.hlines(rows, 0, values[order], color=COLOURS[0], lw=1.3, alpha=0.5)
        axes.plot(values[order], rows, "o", color=COLOURS[0], ms=6)
        axes.set_yticks(rows, [names[place] for place in order])
        axes.set(
            xlim=(0, max(values.max(), ends.upper, _LEAST_WIDTH) * 1.25),
            ylim=(-0.7, len(order) + 0.4),
        )
        axes.set_xlabel("noise of a person's ratings, in points of the scale")
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        yield figure


def _by_person(feedback: Table) -> tuple[NDArray[np.str_], FloatArray]:
    variances = unbiased_variance(feedback["sd"], feedback["trials"])
    names, person = np.unique(feedback["user"], return_inverse=True)
    sums, counts = np.bincount(person, weights=variances), np.bincount(person)
    return names, np.sqrt(sums / counts)


def _by_item(feedback: Table) -> Table:
    variances = unbiased_variance(feedback["sd"], feedback["trials"])
    names, item = np.unique(feedback["item"], return_inverse=True)
    counts = np.bincount(item)
    means = np.bincount(item, weights=feedback["mean"]) / counts
    return Table(
        {
            "item": names,
            "people": counts,
            "mean rating": [plain(value, digits=2) for value in means],
            "noise": [
                plain(value, digits=2)
                for value in np.sqrt(np.bincount(item, weights=variances) / counts)
            ],
        }
    )


def _consistency_table(consistency: RaterConsistency) -> Table:
    rows = list(consistency.table().rows())
    return Table(
        {
            "of": [row["of"] for row in rows],
            "different ratings": [row["categories"] for row in rows],
            "count": [row["count"] for row in rows],
            "share": [
                f"{percent(row['share'])} [{round(100 * row['lower'])}–{round(100 * row['upper'])}]"
                for row in rows
            ],
        }
    )


_METHODS = (
    "People rated the same items several times in separate rounds, in new orders, without seeing "
    "earlier ratings. Mean and standard deviation were taken per person and item. The barrier "
    "is the root of the mean unbiased variance (ddof 1): the root mean squared error that a system "
    "would have that knew every person's mean opinion (Jasberg and Sizov). Its interval weighs "
    "people anew with all their ratings (Bayesian bootstrap of the logarithm), widened for their "
    "number. Shares of pairs have 95 % intervals over people too, of the log odds, and never "
    "narrower than Jeffreys' interval of as many independent pairs (of one person alone, just "
    "that); shares of users have Jeffreys' intervals."
)
