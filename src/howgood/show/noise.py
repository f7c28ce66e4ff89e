"""How much people's ratings vary when they are asked again, in words, tables and a picture.

In: means and spreads of repeated ratings. Out: a `Report`. Absent: measuring (`learn`).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from howgood.learn.feedback import unbiased_variance
from howgood.records.estimate import Estimate
from howgood.records.provenance import Provenance
from howgood.records.rater_consistency import RaterConsistency
from howgood.records.report import Finding, Report, Section
from howgood.records.table import Table
from howgood.show.figures.theme import COLOURS, canvas, to_svg
from howgood.show.numbers import percent, plain, with_interval
from howgood.stats.arrays import FloatArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MOST_ROWS = 40
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
                "by the item on which they waver most.",
                table=_consistency_table(noise.consistency),
            ),
            Section(title="Items", table=_by_item(noise.feedback)),
        ),
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


def noise_findings(noise: RaterNoise) -> tuple[Finding, ...]:
    """Say how often people change their mind, and what that costs every system."""
    shares = noise.consistency.pair_shares
    people = len(np.unique(noise.feedback["user"]))
    over = "people" if people > 1 else "this person's items: it says nothing about others"
    return (
        Finding(
            text=f"Human noise alone costs any system a root mean squared error of "
            f"{with_interval(noise.barrier)} points (magic barrier, 95 % interval over {over}): "
            "no system can be expected to do better.",
            tone="neutral" if people > 2 else "unsure",
        ),
        Finding(
            text=f"Asked again, people gave the same rating every time for "
            f"{percent(shares['one'])} of the items they rated, and three or more different "
            f"ratings for {percent(shares['three or more'])} ({people} people, "
            f"{len(noise.feedback)} person-item pairs)."
        ),
    )


@contextmanager
def noise_figure(noise: RaterNoise) -> "Iterator[Figure]":
    """Draw each person's noise, sorted, beside the magic barrier."""
    names, values = _by_person(noise.feedback)
    order = np.argsort(values)[:: 1 + len(values) // _MOST_ROWS]
    with canvas(width=7.0, height=1.5 + 0.28 * len(order)) as figure:
        axes = figure.subplots()
        ends = noise.barrier.interval
        axes.axvspan(ends.lower, ends.upper, color=COLOURS[1], alpha=0.18, lw=0)
        axes.axvline(noise.barrier.mean, color=COLOURS[1], lw=1.5)
        axes.annotate(
            f"magic barrier {plain(noise.barrier.mean, digits=2)}",
            (noise.barrier.mean, len(order) - 0.2), xytext=(5, 0), textcoords="offset points",
            color=COLOURS[1], va="center",
        )  # fmt: skip
        rows = np.arange(len(order))
        axes.hlines(rows, 0, values[order], color=COLOURS[0], lw=1.3, alpha=0.5)
        axes.plot(values[order], rows, "o", color=COLOURS[0], ms=6)
        axes.set_yticks(rows, [names[place] for place in order])
        axes.set(xlim=(0, max(values.max(), ends.upper) * 1.25), ylim=(-0.7, len(order) + 0.4))
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
