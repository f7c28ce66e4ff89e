"""A fit of imagined and real systems in words, tables and a picture.

In: `OrdinalFit`. Out: findings, plain values, a `Report`. Absent: fitting; writing files.
"""

from pathlib import Path
from typing import Any

from howgood.learn.ordinal_fit import FEW_PEOPLE, OrdinalFit
from howgood.records.report import Finding, Report, Section
from howgood.records.table import Table
from howgood.show.acceptability import MEAN_NAMES, picture_section
from howgood.show.figures import acceptability as figures
from howgood.show.figures import theme
from howgood.show.numbers import percent, with_interval
from howgood.show.people import fitted_people

CAUTIONS = (
    "Shift and scale compare ratings at the same accuracy; they say how answers differ between "
    "parts, not why.",
    "The results hold for the systems people use and for people like those asked.",
)


def ordinal_findings(fit: OrdinalFit) -> tuple[Finding, ...]:
    """Return what the fit says, most useful first."""
    below = 1.0 - fit.alpha.probability_above(0.5)
    reference = fit.parts[0]
    found = [
        Finding(
            text=f"Ratings rise with the weighted mean of precision and recall: slope "
            f"{with_interval(fit.slope)}."
        ),
        Finding(
            text=f"Weight of precision alpha {with_interval(fit.alpha)}; {percent(below)} "
            "probability that recall weighs more."
        ),
    ]
    for part, shift in fit.shift.items():
        higher = "higher" if shift.mean > 0 else "lower"
        settled = 0.0 not in shift.interval
        found.append(
            Finding(
                text=f"{part}: rated {higher} than {reference} at the same accuracy "
                f"({with_interval(shift)} on the logit scale); scale "
                f"{with_interval(fit.scale_ratio[part])} and variance "
                f"{with_interval(fit.variance_ratio[part])} of {reference}.",
                tone="neutral" if settled else "unsure",
            )
        )
    return (*found, *fitted_people(fit.n_respondents, fit.provenance))


def ordinal_values(fit: OrdinalFit) -> dict[str, Any]:
    """Return a fit's results as plain values, ready for JSON."""
    return {
        "findings": [finding.text for finding in ordinal_findings(fit)],
        "evidence": fit.evidence,
        "mean_probabilities": {
            f"{p:g}": mean_probability for p, mean_probability in fit.mean_probabilities.items()
        },
        "parameters": fit.summary(),
        "thresholds": fit.thresholds(),
        "metric": fit.metric().to_dict(),
        "diagnostics": fit.diagnostics.to_dict(),
        "methods": fit.methods_text(),
        "provenance": fit.provenance.to_dict(),
    }


def ordinal_report(fit: OrdinalFit) -> Report:
    """Return the report of an ordinal fit."""
    return Report(
        title="What accuracy people accept, imagined and real",
        question="Do ratings of imagined systems tell how people rate the systems they use?",
        findings=ordinal_findings(fit),
        sections=(
            picture_section(
                "Which errors weigh more",
                "Posterior of the weight of precision (alpha) with its 95 % interval.",
                figures.alpha_figure({"": {"all parts": fit.alpha}}),
            ),
            Section(title="Parameters", table=fit.summary()),
            Section(title="Where one rating passes into the next", table=fit.thresholds()),
            *_kinds_of_mean(fit),
        ),
        methods=fit.methods_text(),
        provenance=fit.provenance,
        cautions=_cautions(fit),
    )


def save_ordinal_picture(fit: OrdinalFit, path: Path) -> Path:
    """Write the picture of alpha to a file."""
    with figures.alpha_figure({"": {"all parts": fit.alpha}}) as figure:
        return theme.save(figure, path)


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
