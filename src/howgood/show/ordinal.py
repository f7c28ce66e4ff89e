"""Fits of ratings in words, tables and a picture: imagined and real systems, every level's curve.

In: `OrdinalFit` or `MultinomialFit`. Out: findings, plain values, a `Report`. Absent: fitting;
writing files.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from howgood.learn.left_out import LeftOut
from howgood.learn.multinomial import MultinomialFit
from howgood.learn.ordinal_fit import FEW_PEOPLE, OrdinalFit
from howgood.records.report import Finding, Report, Section
from howgood.records.table import Table
from howgood.show.acceptability import MEAN_NAMES, picture_section
from howgood.show.figures import acceptability as figures
from howgood.show.figures import theme
from howgood.show.numbers import percent, percent_of_draws, plain, with_interval
from howgood.show.people import fitted_people

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_QUESTIONS = (
    "What accuracy people accept, imagined and real",
    "Do ratings of imagined systems tell how people rate the systems they use?",
)
_QUESTIONS_OF_ONE_PART = (
    "How ratings rise with accuracy",
    "What accuracy do people rate how high, and which errors weigh more?",
)
CAUTIONS = (
    "Shift and scale compare ratings at the same accuracy; they say how answers differ between "
    "parts, not why.",
    "The results hold for the systems people use and for people like those asked.",
)
_SHOWN_AT = 0.85
_MOST_SHOWN = 120  # ratings per panel; of more, evenly spaced ones stand for all
_LEGIBLE = 0.035  # thinner bands have no room for their number
MULTINOMIAL_CAUTIONS = (
    "Every rating has a curve of its own: more is assumed of people by the ordinal model, less "
    "detail is learned by the binary one. Decisions go by those two.",
    "The results hold for people like those asked.",
)


def ordinal_findings(fit: OrdinalFit) -> tuple[Finding, ...]:
    """Return what the fit says, most useful first."""
    reference = fit.parts[0]
    findings = [finding for name in fit.applications for finding in _of_application(fit, name)]
    for part, shift in fit.shift.items():
        higher = "higher" if shift.mean > 0 else "lower"
        settled = 0.0 not in shift.interval
        findings.append(
            Finding(
                text=f"{part}: rated {higher} than {reference} at the same accuracy "
                f"({with_interval(shift)} on the logit scale); scale "
                f"{with_interval(fit.scale_ratio[part])} and variance "
                f"{with_interval(fit.variance_ratio[part])} of {reference}.",
                tone="neutral" if settled else "unsure",
            )
        )
    return (*findings, *fitted_people(fit.n_respondents, fit.provenance))


def _of_application(fit: OrdinalFit, name: str) -> list[Finding]:
    first = f"{name}: " if len(fit.applications) > 1 else ""
    slope, alpha = (fit.estimate(parameter, name) for parameter in ("slope", "alpha"))
    below = 1.0 - alpha.probability_above(0.5)
    rise, weight = ("r", "w") if first else ("R", "W")
    return [
        Finding(
            text=f"{first}{rise}atings rise with the weighted mean of precision and recall: slope "
            f"{with_interval(slope)}."
        ),
        Finding(
            text=f"{first}{weight}eight of precision alpha {with_interval(alpha)}; "
            f"{percent_of_draws(below)} probability that recall weighs more."
        ),
    ]


def left_out_finding(left: LeftOut) -> Finding:
    """Say how well ratings of real systems follow from imagined ones."""
    how = "one rating of everybody" if _is_one(left) else "all of them"
    error, baseline = left.mean_absolute_error, left.baseline
    better = error < baseline
    return Finding(
        text=f"People's ratings of systems they use, predicted from their imagined ratings and "
        f"everybody else's answers ({how}), are off by {plain(error, digits=2)} points on average; "
        f"the median rating of the others by {plain(baseline, digits=2)}.{_one_each(left)}",
        tone="neutral" if better else "unsure",
    )


def _one_each(left: LeftOut) -> str:
    """Say the same of one system per person, as in the paper, where people rated several."""
    if len(left.predictions) == len(set(left.predictions["participant"].tolist())):
        return ""
    error, baseline = (plain(value, digits=2) for value in left.one_per_person)
    return f" Of one random system per person, as in the published study: {error} and {baseline}."


def _is_one(left: LeftOut) -> bool:
    return left.provenance.settings.get("ratings predicted") == "one"


def _left_out_section(left: LeftOut) -> Section:
    """Return how far predictions are off, by application and part; people are not named."""
    rows = left.predictions
    places = list(dict.fromkeys(zip(rows["application"], rows["part"], strict=True)))
    off, usual = (
        np.abs(rows[name] - rows["rating"]).astype(float) for name in ("predicted", "baseline")
    )
    here = [(rows["application"] == name) & (rows["part"] == part) for name, part in places]
    return Section(
        title="Do imagined ratings tell how people rate what they use?",
        text="Ratings of systems in use were left out, person by person, and predicted: the median "
        "of what the model expects of this person. In points of the scale, how far that is off, "
        "next to the median rating of all others. "
        f"{left.n_refitted} of {left.n_respondents} people needed a fit of their own.",
        table=Table(
            {
                "application": [name for name, _ in places],
                "part": [part for _, part in places],
                "ratings": [int(rated.sum()) for rated in here],
                "off by": [float(off[rated].mean()) for rated in here],
                "median of others off by": [float(usual[rated].mean()) for rated in here],
            }
        ),
    )


def _individuals_section(left: LeftOut) -> Section:
    """Return what was predicted for everybody next to what they said; people are not named."""
    n, n_inside = len(left.predictions), left.n_in_range
    return picture_section(
        "What would one person say?",
        "Each row is one rating of a system in use: the bar spans what was predicted for this "
        "person with 80 % probability, the dot is the rating given, filled where it lies inside.",
        individuals_figure(left),
        text=f"Predicted from the person's imagined ratings and everybody else's answers. "
        f"{n_inside} of {n} ratings ({percent(n_inside / n)}) lie in the range predicted for their "
        "person; ratings are whole numbers, so 80 % or more should.",
    )


def ordinal_values(fit: OrdinalFit, left: LeftOut | None = None) -> dict[str, Any]:
    """Return a fit's results as plain values, ready for JSON."""
    return {
        "findings": [finding.text for finding in ordinal_findings(fit)],
        "evidence": fit.evidence,
        "mean_probabilities": {
            f"{p:g}": mean_probability for p, mean_probability in fit.mean_probabilities.items()
        },
        "parameters": fit.summary(),
        "thresholds": fit.thresholds(),
        "metrics": {name: fit.metric(name).to_dict() for name in fit.applications},
        "correlations": fit.correlations,
        "left_out": None if left is None else left.to_dict(),
        "diagnostics": fit.diagnostics.to_dict(),
        "methods": fit.methods_text(),
        "provenance": fit.provenance.to_dict(),
    }


def ordinal_report(fit: OrdinalFit, left: LeftOut | None = None) -> Report:
    """Return the report of an ordinal fit, and of leaving people out where that was done."""
    more = () if left is None else (left_out_finding(left),)
    title, question = _QUESTIONS if len(fit.parts) > 1 else _QUESTIONS_OF_ONE_PART
    return Report(
        title=title,
        question=question,
        findings=(*more, *ordinal_findings(fit)),
        sections=(
            picture_section(
                "Which errors weigh more",
                "Posterior of the weight of precision (alpha) with its 95 % interval.",
                _alphas(fit),
            ),
            Section(title="Parameters", table=fit.summary()),
            Section(title="Where one rating passes into the next", table=fit.thresholds()),
            *_kinds_of_mean(fit),
            *_correlations(fit),
            *([] if left is None else [_left_out_section(left), _individuals_section(left)]),
        ),
        methods=fit.methods_text(),
        provenance=fit.provenance,
        cautions=_cautions(fit),
    )


def save_ordinal_picture(fit: OrdinalFit, path: Path) -> Path:
    """Write the picture of alpha to a file."""
    with _alphas(fit) as figure:
        return theme.save(figure, path)


@contextmanager
def individuals_figure(left: LeftOut) -> Iterator["Figure"]:
    """Draw everybody's predicted range and the rating they gave, one panel per part."""
    rows = left.predictions
    parts = list(dict.fromkeys(rows["part"].tolist()))
    columns = min(len(parts), 2)
    lines = -(-len(parts) // columns)
    with theme.canvas(width=3.6 * columns, height=0.5 + 2.8 * lines) as figure:
        grid = figure.subplots(lines, columns, sharex=True, squeeze=False)
        for panel, part in zip(grid.flat, parts, strict=False):
            here = np.flatnonzero(rows["part"] == part)
            order = here[np.lexsort((rows["rating"][here], rows["predicted"][here]))]
            if len(order) > _MOST_SHOWN:
                order = order[np.linspace(0, len(order) - 1, _MOST_SHOWN).round().astype(int)]
            _ranges(panel, *(rows[name][order] for name in ("lower", "upper", "rating")))
            panel.set_title(f"{part} ({len(here)} ratings)", fontsize=10)
        for panel in grid.flat[len(parts) :]:
            panel.set_visible(False)
        for panel in grid.flat[max(len(parts) - columns, 0) : len(parts)]:
            panel.set_xlabel("rating")
            panel.tick_params(labelbottom=True)
        yield figure


def _ranges(panel: Any, lower: Any, upper: Any, given: Any) -> None:  # noqa: ANN401 - matplotlib axes
    height = np.arange(len(given))
    inside = (lower <= given) & (given <= upper)
    panel.hlines(height, lower - 0.25, upper + 0.25, color=theme.FAINT, lw=2.4, alpha=0.55)
    panel.plot(given[inside], height[inside], "o", color=theme.COLOURS[0], ms=3.6)
    panel.plot(
        given[~inside], height[~inside], "o", color=theme.COLOURS[0], ms=3.6, mfc=theme.PAPER
    )
    panel.set(ylim=(-1, len(given)))
    panel.set_yticks([])
    panel.spines["left"].set_visible(False)
    panel.xaxis.get_major_locator().set_params(integer=True)


def _alphas(fit: OrdinalFit) -> AbstractContextManager["Figure"]:
    return figures.alpha_figure(
        {"": {name: fit.estimate("alpha", name) for name in fit.applications}}
    )


def _correlations(fit: OrdinalFit) -> list[Section]:
    if fit.correlations is None:
        return []
    return [
        Section(
            title="Do the items hang together?",
            is_detail=True,
            text="Spearman rank correlations of the items in each part, with 95 % intervals: "
            "imagined systems are often judged as a whole, systems in use item by item.",
            table=fit.correlations,
        )
    ]


def _kinds_of_mean(fit: OrdinalFit) -> list[Section]:
    if len(fit.mean_probabilities) < 2:
        return []
    orders = list(fit.mean_probabilities)
    names = [MEAN_NAMES.get(int(p), f"p = {p:g}") for p in orders]
    table = Table({"kind of mean": names, "probability": list(fit.mean_probabilities.values())})
    return [
        Section(
            title="Kind of mean",
            text=f"Under the priors '{fit.priors.name}'; a tighter prior of the slope favours "
            "means that need a smaller slope.",
            table=table,
        )
    ]


def _cautions(fit: OrdinalFit) -> tuple[str, ...]:
    always = CAUTIONS if len(fit.parts) > 1 else MULTINOMIAL_CAUTIONS[1:]
    if fit.n_respondents >= FEW_PEOPLE:
        return always
    return (
        f"Only {fit.n_respondents} respondents: with fewer than {FEW_PEOPLE}, slope and scale lean "
        "on the priors, and tend to come out too large. In simulated studies of two parts with 22 "
        "people, 95 % intervals of the slope and of the shares held 93 to 96 %; smaller studies "
        "were not checked.",
        *always,
    )


def multinomial_findings(fit: MultinomialFit) -> tuple[Finding, ...]:
    """Return what the fit says, most useful first."""
    few = fit.evidence != "enough"
    findings = []
    for name in fit.applications:
        share = fit.predict(_SHOWN_AT, _SHOWN_AT, name)
        findings.append(
            Finding(
                text=f"{name}: at {percent(_SHOWN_AT)} precision and recall, "
                f"{percent(share.mean)} [{percent(share.interval.lower)} to "
                f"{percent(share.interval.upper)}] would rate {fit.cut} or higher; weight of "
                f"precision alpha {with_interval(fit.alpha(name))}.",
                tone="unsure" if few else "neutral",
            )
        )
    backwards = _falling(fit)
    if backwards:
        findings.append(
            Finding(
                text=f"Ratings {', '.join(backwards)} do not follow the order of the scale: as "
                "accuracy grows they lose to a lower rating with 95 % probability or more.",
                tone="unsure",
            )
        )
    return (*findings, *fitted_people(fit.n_respondents, fit.provenance))


def _falling(fit: MultinomialFit) -> list[str]:
    """Ratings whose slope is below that of the rating before them, surely."""
    slopes = np.column_stack([np.zeros(len(fit.averaged_draws)), fit.draws("slope")])
    falls = (np.diff(slopes, axis=1) < 0).mean(axis=0)
    return [str(level) for level, share in zip(fit.levels[1:], falls, strict=True) if share >= 0.95]


def multinomial_values(fit: MultinomialFit) -> dict[str, Any]:
    """Return a fit's results as plain values, ready for JSON."""
    findings = [finding.text for finding in multinomial_findings(fit)]
    return {"findings": findings, "evidence": fit.evidence, **fit.to_dict()}


def multinomial_report(fit: MultinomialFit) -> Report:
    """Return the report of a multinomial fit."""
    kinds = Table(
        {
            "order p of the mean": [f"{p:g}" for p in fit.mean_probabilities],
            "probability": list(fit.mean_probabilities.values()),
            "log evidence": list(fit.log_evidence.values()),
        }
    )
    return Report(
        title="How often each rating is given",
        question="Which ratings do people give at which accuracy?",
        findings=multinomial_findings(fit),
        sections=(
            theme.picture_section(
                "Ratings by accuracy",
                "Which share of the population would give which rating, where precision and recall "
                "are the same. The line is the share that accepts, with its 95 % interval.",
                ratings_figure(fit),
            ),
            Section(title="Parameters", table=fit.summary()),
            Section(title="Kind of mean", table=kinds),
        ),
        methods=fit.methods_text(),
        provenance=fit.provenance,
        cautions=MULTINOMIAL_CAUTIONS,
    )


def save_multinomial_picture(fit: MultinomialFit, path: Path) -> Path:
    """Write the picture of ratings by accuracy to a file."""
    with ratings_figure(fit) as figure:
        return theme.save(figure, path)


@contextmanager
def ratings_figure(fit: MultinomialFit) -> Iterator["Figure"]:
    """Draw which share gives which rating against accuracy, one panel per application.

    Bands are ratings, the highest at the bottom; the line is the share that accepts.
    """
    n = len(fit.applications)
    columns = min(n, 2)
    rows = -(-n // columns)
    with theme.canvas(width=3.6 * columns, height=3.1 * rows) as figure:
        panels = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
        for panel, name in zip(panels.flat, fit.applications, strict=False):
            _rating_bands(panel, fit, name)
        for panel in panels.flat[n:]:
            panel.set_visible(False)
        for panel in panels[:, 0]:
            panel.set_ylabel("share of people")
        for panel in panels[-1]:
            panel.set_xlabel("precision and recall")
        yield figure


def _rating_bands(panel: Any, fit: MultinomialFit, name: str) -> None:  # noqa: ANN401 - matplotlib axes
    grid = np.linspace(0.5, 1.0, 11)
    shares = [fit.level_shares(value, value, name) for value in grid]
    shades, below = theme.shades(), np.zeros(len(grid))
    for number, level in enumerate(reversed(fit.levels)):
        above = below + np.array([share[level].mean for share in shares])
        strength = 0.85 * (1.0 - number / len(fit.levels))
        panel.fill_between(grid, below, above, color=shades(strength), lw=0)
        widest = int(np.argmax((above - below)[1:-1])) + 1  # where the number fits best
        if above[widest] - below[widest] > _LEGIBLE:
            panel.annotate(
                str(level), (grid[widest], (above + below)[widest] / 2), va="center", ha="center",
                fontsize=8.5, color=theme.INK,
            )  # fmt: skip
        below = above
    accepting = [fit.predict(value, value, name) for value in grid]
    ends = [one.interval for one in accepting]
    for side in ([end.lower for end in ends], [end.upper for end in ends]):
        panel.plot(grid, side, color=theme.INK, lw=0.9, ls=(0, (3, 2)))
    panel.plot(grid, [one.mean for one in accepting], color=theme.INK, lw=2.2)
    panel.annotate(
        f"{fit.cut} or higher, with 95 % interval; bands: ratings", (0.0, 1.01),
        xycoords="axes fraction", fontsize=8, color=theme.INK,
    )  # fmt: skip
    panel.set_title(name, fontsize=10.5, pad=16)
    panel.set(xlim=(0.5, 1.0), ylim=(0, 1))
