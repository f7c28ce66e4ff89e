"""A fit of imagined and real systems in words, tables and a picture.

In: `OrdinalFit`. Out: findings, plain values, a `Report`. Absent: fitting; writing files.
"""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from howgood.learn.left_out import LeftOut
from howgood.learn.ordinal_fit import FEW_PEOPLE, OrdinalFit
from howgood.records.report import Finding, Report, Section
from howgood.records.table import Table
from howgood.show.acceptability import MEAN_NAMES, picture_section
from howgood.show.figures import acceptability as figures
from howgood.show.figures import theme
from howgood.show.numbers import percent, plain, with_interval
from howgood.show.people import fitted_people

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CAUTIONS = (
    "Shift and scale compare ratings at the same accuracy; they say how answers differ between "
    "parts, not why.",
    "The results hold for the systems people use and for people like those asked.",
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
            f"{percent(below)} probability that recall weighs more."
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
        f"the median rating of the others by {plain(baseline, digits=2)}.",
        tone="neutral" if better else "unsure",
    )


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
    return Report(
        title="What accuracy people accept, imagined and real",
        question="Do ratings of imagined systems tell how people rate the systems they use?",
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
            *([] if left is None else [_left_out_section(left)]),
        ),
        methods=fit.methods_text(),
        provenance=fit.provenance,
        cautions=_cautions(fit),
    )


def save_ordinal_picture(fit: OrdinalFit, path: Path) -> Path:
    """Write the picture of alpha to a file."""
    with _alphas(fit) as figure:
        return theme.save(figure, path)


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
    if fit.n_respondents >= FEW_PEOPLE:
        return CAUTIONS
    return (
        f"Only {fit.n_respondents} respondents: with fewer than {FEW_PEOPLE}, slope and scale lean "
        "on the priors, and tend to come out too large. In simulated studies of two parts with 22 "
        "people, 95 % intervals of the slope and of the shares held 93 to 96 %; smaller studies "
        "were not checked.",
        *CAUTIONS,
    )
