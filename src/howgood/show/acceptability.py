"""A fit of acceptability in words, tables and pictures.

In: `AcceptabilityFit`. Out: findings, tables, a `Report`, and `Headline`s: what a reader came for,
application by application, without words of statistics. Absent: fitting; writing files.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from howgood import decide
from howgood.learn.acceptability_fit import PARAMETERS, AcceptabilityFit
from howgood.learn.evidence import (
    falling_applications,
    flawless_probability,
    silent_applications,
)
from howgood.records.acceptance import AcceptanceDraws
from howgood.records.estimate import Estimate
from howgood.records.evidence import FEW_PEOPLE
from howgood.records.report import Finding, Headline, Report, Section
from howgood.records.table import Table
from howgood.show.figures import acceptability as figures
from howgood.show.figures import theme
from howgood.show.figures.people import people_figure
from howgood.show.figures.theme import picture_section as picture_section
from howgood.show.measures import weight_findings, weight_sections, weight_values
from howgood.show.numbers import as_given, percent, percent_of_draws, share_text, with_interval
from howgood.show.other_people import (
    other_people_finding,
    other_people_sections,
    other_people_values,
    shown_alpha,
    shown_difference,
)
from howgood.show.people import fitted_people
from howgood.show.segments import segment_findings, segment_sections, segment_values

MEAN_NAMES = {-1: "harmonic (F-measure)", 0: "geometric (G-measure)", 1: "arithmetic"}
REFERENCE = 0.85  # "is 85 % enough?"
_USUAL_PEOPLE = 20
_SURE = 0.95
_DRAWS = 4000  # as many as a fit has unless asked for more: the numbers are those of fit.predict

CAUTIONS = (
    "These are answers about imagined systems. People who use a real system rated the same "
    "accuracy higher (Kay et al. 2015, Study 2): read the shares as orientation, the weights of "
    "precision and recall as the firmer result.",
    "The results hold for the application as it was described and for people like those asked.",
    "Outside the accuracies that were shown, the curve is an extrapolation.",
)


def fit_findings(fit: AcceptabilityFit) -> tuple[Finding, ...]:
    """Return what the fit says, most useful first."""
    silent = silent_applications(fit.cells)
    falling = falling_applications(fit.cells)
    telling = [name for name in fit.applications if name not in silent and name not in falling]
    return (
        *_few_people(fit),
        *_doubtful(silent, falling),
        *(_accepting(fit, name) for name in telling),
        *_perfection(fit, telling),
        *(_weighing(fit, name) for name in telling),
        *_differing(fit),
        *([other_people_finding(fit)] if telling else []),
        *segment_findings(fit),
        *weight_findings(fit),
        *_kind_of_mean(fit),
        *fitted_people(fit.n_respondents, fit.provenance),
    )


def fit_report(fit: AcceptabilityFit) -> Report:
    """Return the report of a fit, with its pictures and checks (takes a few seconds)."""
    return Report(
        title="What accuracy people accept",
        question="Is the classifier good enough for the people who would use it, and which errors "
        "weigh more?",
        findings=fit_findings(fit),
        sections=(
            *_pictures(fit),
            *segment_sections(fit),
            *weight_sections(fit),
            *other_people_sections(fit),
            *_tables(fit),
        ),
        methods=fit.methods_text(),
        provenance=fit.provenance,
        cautions=_cautions(fit),
        headlines=fit_headlines(fit),
    )


def fit_values(fit: AcceptabilityFit) -> dict[str, Any]:
    """Return a fit's results as plain values, ready for JSON."""
    return {
        "findings": [finding.text for finding in fit_findings(fit)],
        "evidence": fit.evidence,
        "priors": fit.priors.to_dict(),
        "mean_probabilities": {
            f"{p:g}": mean_probability for p, mean_probability in fit.mean_probabilities.items()
        },
        "applications": {
            name: {
                "respondents": fit.respondents[name],
                "evidence": fit.evidence_for(name),
                **{parameter: fit.estimate(parameter, name).to_dict() for parameter in PARAMETERS},
                "probability alpha above 0.5": fit.probability_alpha_above(application=name),
                "odds ratio per 0.01": fit.odds_ratio(name).to_dict(),
                "metric": fit.metric(name).to_dict(),
            }
            for name in fit.applications
        },
        "person_sd": fit.person_sd.to_dict(),
        "other people": other_people_values(fit),
        "people who differ": segment_values(fit),
        "measures": weight_values(fit),
        "flawless": None if fit.flawless is None else fit.flawless.to_dict(),
        "flawless comparison": fit.flawless_comparison(),
        "differences of alpha": fit.differences("alpha"),
        "predictions": prediction_table(fit),
        "correlations": fit.correlations,
        "prior sensitivity": fit.prior_sensitivity(),
        "predictive check": fit.predictive_check(),
        "diagnostics": fit.diagnostics.to_dict(),
        "methods": fit.methods_text(),
        "provenance": fit.provenance.to_dict(),
    }


def save_picture(fit: AcceptabilityFit, path: Path) -> Path:
    """Write the picture of every application's alpha, or of everybody's own by segment."""
    if fit.segmented is not None:
        with people_figure(fit.people) as figure:
            return theme.save(figure, path)
    alphas = {name: shown_alpha(fit, name) for name in fit.applications}
    with figures.alpha_figure({"": alphas}) as figure:
        return theme.save(figure, path)


def observed_shares(fit: AcceptabilityFit) -> Table:
    """Return the accepting share of every scenario as it was answered."""
    cells = fit.cells
    totals = cells.groups.alike @ cells.groups.counts
    accepted, refused = totals[: cells.n_cells], totals[cells.n_cells :]
    asked = accepted + refused
    return Table(
        {
            "application": [cells.applications[index] for index in cells.application],
            "precision": cells.precision,
            "recall": cells.recall,
            "n": asked.astype(int),
            "accepted": accepted / np.maximum(asked, 1),
        }
    )


def curves(fit: AcceptabilityFit, *, p: float | None = None) -> dict[str, AcceptanceDraws]:
    """Return the draws of every application by name."""
    return {name: fit.acceptance_draws(name, p=p) for name in fit.applications}


def answered_curves(fit: AcceptabilityFit, *, p: float | None = None) -> dict[str, Table]:
    """Return what is expected of the people asked about every application."""
    return {name: fit.respondent_curve(name, p=p) for name in fit.applications}


def mean_table(fit: AcceptabilityFit) -> Table:
    """Return the probability of each kind of mean and its Bayes factor against the likeliest."""
    orders = list(fit.mean_probabilities)
    return Table(
        {
            "kind of mean": [MEAN_NAMES.get(int(p), f"p = {p:g}") for p in orders],
            "p": np.array(orders, dtype=float),
            "probability": list(fit.mean_probabilities.values()),
            "evidence for the best one against it": [
                fit.bayes_factor(fit.best_order, p) for p in orders
            ],
        }
    )


def prediction_table(fit: AcceptabilityFit) -> Table:
    """Return the share accepting at a few accuracies, for the population and the average person."""
    rows = []
    for name in fit.applications:
        draws = fit.acceptance_draws(name).thinned(_DRAWS)
        for precision, recall in ((0.75, 0.75), (0.85, 0.85), (0.95, 0.85), (0.85, 0.95), (1, 1)):
            share = Estimate.from_draws(draws.shares(precision, recall))
            average = Estimate.from_draws(draws.shares(precision, recall, who="average"))
            rows.append((name, precision, recall, share_text(share), share_text(average)))
    names = ("application", "precision", "recall", "people accepting", "average person")
    return Table({name: [row[index] for row in rows] for index, name in enumerate(names)})


def _in_percent(table: Table) -> Table:
    """Return the accuracies of a table as people read them."""
    names = ("precision", "recall")
    return Table(
        {
            name: [percent(value) for value in values.tolist()] if name in names else values
            for name, values in table.items()
        }
    )


def _few_people(fit: AcceptabilityFit) -> list[Finding]:
    few = [name for name, count in fit.respondents.items() if count < FEW_PEOPLE]
    if not few:
        return []
    listed = ", ".join(f"{name} ({fit.respondents[name]})" for name in few)
    return [
        Finding(
            text=f"Not enough evidence. Few people answered: {listed}. With fewer than "
            f"{FEW_PEOPLE} the numbers rest mostly on the priors '{fit.priors.name}', and no "
            "decision is made by them. Ask more people before you rely on them.",
            tone="unsure",
        )
    ]


def _doubtful(silent: Mapping[str, str], falling: Mapping[str, str]) -> list[Finding]:
    """Say where the numbers come from the priors, or where columns may be mixed up."""
    findings = [
        Finding(
            text=f"{name}: the answers say nothing about {reason}; its numbers come from the "
            "priors, and no decision is made by them.",
            tone="bad",
        )
        for name, reason in silent.items()
    ]
    return findings + [
        Finding(text=f"{name}: {reason}.", tone="bad") for name, reason in falling.items()
    ]


def _accepting(fit: AcceptabilityFit, name: str) -> Finding:
    draws = fit.acceptance_draws(name).thinned(_DRAWS)
    share = Estimate.from_draws(draws.shares(REFERENCE, REFERENCE))
    best = Estimate.from_draws(draws.shares(1.0, 1.0))
    text = (
        f"{name}: {share_text(share)} of people would accept 85 % precision with 85 % recall; "
        f"perfect accuracy, {share_text(best)} ({_respondents(fit, name)})."
    )
    is_sure = share.interval.width < 0.3 and fit.evidence_for(name) == "enough"
    return Finding(text=text, tone="neutral" if is_sure else "unsure")


def _respondents(fit: AcceptabilityFit, name: str) -> str:
    count = fit.respondents[name]
    return "1 respondent" if count == 1 else f"{count} respondents"


def _perfection(fit: AcceptabilityFit, telling: Sequence[str]) -> list[Finding]:
    """Say what no error at all brings beyond the curve over accuracy."""
    if fit.flawless is None or not telling:
        return []
    if flawless_probability(fit.flawless.draws, fit.priors.flawless) < _SURE:
        text = (
            "These answers do not show that perfect accuracy wins more people than the curve "
            "predicts."
        )
        return [Finding(text=text)]
    said = []
    for name in telling:
        draws = fit.acceptance_draws(name).thinned(_DRAWS)
        with_term = Estimate.from_draws(draws.shares(1.0, 1.0))
        without = replace(draws, flawless=0.0)
        smooth = Estimate.from_draws(without.shares(1.0, 1.0))
        said.append(f"{name} {share_text(with_term)} instead of {share_text(smooth)}")
    text = (
        "More people accept perfect accuracy than the curve alone predicts: "
        + "; ".join(said)
        + "."
    )
    return [Finding(text=text)]


def _weighing(fit: AcceptabilityFit, name: str) -> Finding:
    alpha = shown_alpha(fit, name)
    above = alpha.probability_above(0.5)
    verdict, tone = {
        "misses": ("recall weighs more than precision", "neutral"),
        "false alarms": ("precision weighs more than recall", "neutral"),
    }.get(
        heavier_errors(fit, name),
        ("not enough answers to say whether misses or false alarms weigh more", "unsure"),
    )
    text = (
        f"{name}: {verdict}; weight of precision alpha {with_interval(alpha)}, "
        f"{percent_of_draws(above)} probability above 0.5."
    )
    return Finding(text=text, tone=tone)


def heavier_errors(fit: AcceptabilityFit, name: str) -> str:
    """Return "misses", "false alarms", or "" where too few answered or the answers cannot tell."""
    above = shown_alpha(fit, name).probability_above(0.5)
    if fit.evidence_for(name) != "enough" or 0.025 < above < 0.975:
        return ""
    return "misses" if above <= 0.025 else "false alarms"


def _differing(fit: AcceptabilityFit) -> list[Finding]:
    findings = []
    known = [name for name in fit.applications if fit.evidence_for(name) == "enough"]
    if len(known) < 2 <= len(fit.applications):
        text = "Not enough answers to say whether applications differ in alpha."
        return [Finding(text=text, tone="unsure")]
    for first, second in combinations(known, 2):
        difference = shown_difference(fit, first, second)
        if 0.0 not in difference.interval:
            more = "less" if difference.mean < 0 else "more"
            findings.append(
                Finding(
                    text=f"Precision weighs {more} in {first} than in {second}: difference of "
                    f"alpha {with_interval(difference)}."
                )
            )
    if len(known) > 1 and not findings:
        findings.append(
            Finding(text="No two applications differ credibly in alpha.", tone="unsure")
        )
    return findings


def _kind_of_mean(fit: AcceptabilityFit) -> list[Finding]:
    if not fit.mean_probabilities:
        text = f"The order p of the mean is {with_interval(fit.order)} (−1 harmonic, 0 geometric, "
        return [Finding(text=text + "1 arithmetic).")]
    if len(fit.mean_probabilities) < 2:
        return []
    best = fit.best_order
    probability = fit.mean_probabilities[best]
    name = MEAN_NAMES.get(int(best), f"p = {best:g}")
    sure = probability >= 0.95
    return [
        Finding(
            text=f"Of the means considered, the {name} predicts acceptance best: probability "
            f"{percent(probability)} under the priors '{fit.priors.name}'"
            + ("." if sure else ", which is not decisive."),
            tone="neutral" if sure else "unsure",
        )
    ]


def _pictures(fit: AcceptabilityFit) -> list[Section]:
    alphas = {name: shown_alpha(fit, name) for name in fit.applications}
    sections = [
        picture_section(
            "Which errors weigh more",
            "Weight of precision (alpha) by application among people like those asked, with 95 % "
            "interval; left of 0.5 recall weighs more.",
            figures.alpha_figure({"": alphas}),
        ),
        picture_section(
            "How acceptance rises with accuracy",
            "Share accepting against the weighted mean of precision and recall: each dot is a "
            "scenario, the line is the population with its 95 % band, the dashes those asked.",
            figures.acceptance_figure(curves(fit), observed_shares(fit), answered_curves(fit)),
            text="The line is the whole population, which decisions are about; the dashes are what "
            "the same fit expects of the very people who answered about that application. Dots "
            "that follow the dashes but not the line come from a group that is by chance stricter "
            "or more lenient than most; dots that leave the dashes would show a misfit.",
        ),
    ]
    if len(fit.applications) > 1:
        differences = {
            f"{first} − {second}": shown_difference(fit, first, second)
            for first, second in combinations(fit.applications, 2)
        }
        sections.append(
            picture_section(
                "Differences between applications",
                "Pairwise differences of alpha with 95 % intervals.",
                figures.differences_figure(differences),
                is_detail=True,
                about="Whether people mind other errors in one application than in another.",
            )
        )
    return sections


_WORDS = {"person_sd": "sd between people", "slope_sd": "prior sd of the slope",
          "p_value": "p value", "log_evidence": "log evidence",
          "flawless": "no error at all", True: "yes", False: "no"}  # fmt: skip


def _readable(table: Table) -> Table:
    """Return a table of the fit in words: no names of variables, no booleans."""
    return Table(
        {
            _WORDS.get(name, name): values
            if values.dtype.kind == "f"
            else [_WORDS.get(value, value) for value in values.tolist()]
            for name, values in table.items()
        }
    )


def _tables(fit: AcceptabilityFit) -> list[Section]:
    sections = [
        Section(
            title="Shares accepting",
            text="What share of people accepts a few accuracies, with 95 % intervals. The average "
            "person is one in the middle between strict and lenient.",
            table=_in_percent(prediction_table(fit)),
        ),
        Section(
            title="Parameters",
            is_detail=True,
            about="Every number the model learned, with its interval and how well it was computed.",
            table=_readable(fit.summary()),
        ),
        Section(
            title="What one point of accuracy brings",
            is_detail=True,
            about="How much each point of accuracy brings, as an odds ratio.",
            text="By how much the odds that a person accepts multiply with every point (0.01) of "
            "the weighted mean of precision and recall, with 95 % intervals.",
            table=_odds_ratios(fit),
        ),
    ]
    if fit.mean_probabilities:
        kinds = Section(
            title="Kind of mean",
            is_detail=True,
            about="How precision and recall go together into one accuracy: which mean fits best.",
            table=mean_table(fit),
        )
        sections.append(kinds)
    return [*sections, *_checks(fit)]


def _odds_ratios(fit: AcceptabilityFit) -> Table:
    found = [fit.odds_ratio(name) for name in fit.applications]
    return Table(
        {
            "application": np.array(fit.applications, dtype=object),
            "odds ratio per point": np.array([one.mean for one in found]),
            "lower": np.array([one.interval.lower for one in found]),
            "upper": np.array([one.interval.upper for one in found]),
        }
    )


def _checks(fit: AcceptabilityFit) -> list[Section]:
    """Return what speaks for and against the model."""
    sections = [
        Section(
            title="Does the prior decide the kind of mean?",
            about="The same answers with other assumptions made beforehand.",
            is_detail=True,
            text="The same answers under other priors of the slope. Where the rows disagree, "
            "the answers alone do not settle the kind of mean.",
            table=_readable(fit.prior_sensitivity()),
        ),
        *_corner_sections(fit),
        Section(
            title="Does the model describe the answers?",
            about="Answers that the model would give, next to those people gave.",
            is_detail=True,
            text="Each statistic of the answers next to the same statistic of answers the fitted "
            "model would give. A p value near 0 or 1 shows a side of the answers the model misses.",
            table=_readable(fit.predictive_check()),
        ),
    ]
    if fit.correlations is not None:
        sections.append(
            Section(
                title="Do the items hang together?",
                about="Whether people who rate one item high rate the others high too.",
                is_detail=True,
                text="Spearman rank correlations of the items with 95 % intervals: standard errors "
                "leave out people, and the fewer people, the more of them an interval spans "
                "(Student's t).",
                table=fit.correlations,
            )
        )
    return sections


def _corner_sections(fit: AcceptabilityFit) -> list[Section]:
    """Return the model of the paper next to the one with a term for no error at all."""
    comparison = fit.flawless_comparison()
    if not len(comparison):
        return []
    used = "has" if fit.has_flawless_term else "does not have"
    return [
        Section(
            title="Is no error at all special?",
            about="Whether perfection is accepted more than the curve predicts.",
            is_detail=True,
            text="The published model draws one smooth curve over accuracy; the other adds a term "
            "for scenarios without any error. The share accepting such scenarios, as answered and "
            "as each model would answer; a p value near 0 or 1 shows that a model misses them. The "
            "probability takes both models as equally likely beforehand. This fit "
            f"{used} the term.",
            table=_readable(comparison),
        )
    ]


def _cautions(fit: AcceptabilityFit) -> tuple[str, ...]:
    few = [name for name, count in fit.respondents.items() if count < _USUAL_PEOPLE]
    if not few:
        return CAUTIONS
    return (
        f"Few respondents ({', '.join(few)}): 20 to 25 per application are usual.",
        *CAUTIONS,
    )


USUAL_PEOPLE = 25  # per application, as in the published studies
_REFERENCE = 0.85
_AIM = 0.8
_NO_ERROR = 0.995  # 100 % when rounded


def fit_headlines(
    fit: AcceptabilityFit, *, precision: float = _REFERENCE, recall: float = _REFERENCE
) -> tuple[Headline, ...]:
    """Return one headline per application whose answers say something about it."""
    quiet = {*silent_applications(fit.cells), *falling_applications(fit.cells)}
    return tuple(
        _headline(fit, name, precision, recall) for name in fit.applications if name not in quiet
    )


def _headline(fit: AcceptabilityFit, name: str, precision: float, recall: float) -> Headline:
    draws = fit.acceptance_draws(name).thinned(_DRAWS)
    share = draws.estimate(draws.shares(precision, recall))
    return Headline(
        title=name,
        text=accepting_text(share, precision, recall),
        share=(share.interval.lower, share.mean, share.interval.upper),
        point=(precision, recall),
        people=fit.respondents[name],
        wanted=USUAL_PEOPLE,
        more=(_weighing_words(fit, name), _aim(fit, name)),
        is_enough=fit.evidence_for(name) == "enough",
        acceptance=draws,
    )


def accepting_text(share: Estimate, precision: float, recall: float) -> str:
    """Say what share accepts an accuracy, with its interval in words.

    Examples
    --------
    >>> import numpy as np
    >>> share = Estimate.from_draws(np.linspace(0.5, 0.9, 101), kind="quantile")
    >>> accepting_text(share, 0.85, 0.9)[35:]
    '70 % of people would accept it (likely between 51 and 89 %).'
    """
    ends = share.interval
    return (
        f"At {as_given(precision)} precision and {as_given(recall)} recall, "
        f"{percent(share.mean)} of people would accept it (likely between {100 * ends.lower:.0f} "
        f"and {100 * ends.upper:.0f} %)."
    )


def _weighing_words(fit: AcceptabilityFit, name: str) -> str:
    return {
        "misses": "Misses weigh more than false alarms.",
        "false alarms": "False alarms weigh more than misses.",
    }.get(
        heavier_errors(fit, name),
        "Not enough answers to say whether misses or false alarms weigh more.",
    )


def _aim(fit: AcceptabilityFit, name: str) -> str:
    target = decide.target(fit, name, share=_AIM)
    if target.needed_mean is None or target.reachable < 0.5:
        return f"Even a perfect system would probably not reach {percent(_AIM)} of people."
    ends = target.needed_mean.interval
    text = (
        f"For {percent(_AIM)} of people to accept it, nothing less than no error at all would do."
        if ends.lower >= _NO_ERROR
        else f"For {percent(_AIM)} of people to accept it, aim for about "
        f"{percent(target.needed_mean.mean)} precision and recall (likely between "
        f"{100 * ends.lower:.0f} and {100 * min(ends.upper, 1):.0f} %)."
    )
    if target.reachable < 0.95:
        text += (
            f" Even a perfect system might not reach that many: {percent(target.reachable)} "
            "likely that it would."
        )
    return text
