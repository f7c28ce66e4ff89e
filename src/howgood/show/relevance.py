"""Relevance Scores in words: a table for the terminal, a report for the page.

In: reports per model and their sweep. Out: `Table`, sentences, `Report`. Absent: scoring.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from howgood.learn.relevance_weights import RelevanceWeights
from howgood.records.agreement_by_feature import ContextAgreement
from howgood.records.report import Finding, Report, Section
from howgood.records.table import Table
from howgood.score.relevance import alpha_share
from howgood.score.relevance_reporting import RelevanceReport
from howgood.score.relevance_sweeping import RelevanceSweep
from howgood.show.figures import relevance as pictures
from howgood.show.figures.theme import to_svg
from howgood.show.numbers import percent, plain, with_interval
from howgood.stats.arrays import FloatArray

# A feature that changes agreement by less than this hardly matters.
_SMALL_GAP = 0.05
_FEW_ROWS, _MANY_SINGLE, _MANY_EXCLUDED = 3.0, 0.3, 0.05
# In fewer rows than this, equal models often differ in one direction.
_LEAST_DIFFERING = 10


def scores_table(reports: Mapping[str, RelevanceReport]) -> Table:
    """Return one row per model: score with interval, accuracy, bounds."""
    return Table(
        {
            "model": list(reports),
            "Relevance Score": [with_interval(report.estimate) for report in reports.values()],
            "accuracy": [percent(report.accuracy, digits=1) for report in reports.values()],
            "acceptable at least once": [
                percent(report.acceptable, digits=1) for report in reports.values()
            ],
            "range over all weights": [
                f"{plain(report.bounds[0], digits=1)} to {plain(report.bounds[1], digits=1)}"
                for report in reports.values()
            ],
            "mean distance in probability: likeliest to predicted, predicted to actual, "
            "likeliest to actual": [
                ", ".join(plain(distance, digits=2) for distance in report.mean_distances)
                for report in reports.values()
            ],
        }
    )


def agreement_findings(agreement: ContextAgreement) -> tuple[str, ...]:
    """Say which feature people's choices depend on, and which may be dropped."""
    first = agreement.features[0]
    if agreement.responsible is None:
        said = "Not enough evidence to say that the outcome depends on any one feature."
    else:
        said = (
            f"The outcome depends most on {first.feature}: of two rows alike in everything else, "
            f"{percent(first.same)} agree if they share it, {percent(first.differing)} if not. "
            f"Without {first.feature} in the context, this difference looks like chance."
        )
    free = [
        feature.feature
        for feature in agreement.features
        if feature.interval is not None and feature.interval.upper < _SMALL_GAP
    ]
    more = f"{', '.join(free)} may be dropped: sharing it hardly matters." if free else ""
    return (said, more) if more else (said,)


def agreement_table(agreement: ContextAgreement) -> Table:
    """Return one row per feature as people read it."""
    features = agreement.features
    return Table(
        {
            "feature": [feature.feature for feature in features],
            "agree, shared": [_percent_or_blank(feature.same) for feature in features],
            "agree, not shared": [_percent_or_blank(feature.differing) for feature in features],
            "difference, 95 %": [
                "no such pairs"
                if np.isnan(feature.gap)
                else _percent_or_blank(feature.gap)
                if feature.interval is None
                else f"{percent(feature.gap)} [{100 * feature.interval.lower:.0f} to "
                f"{100 * feature.interval.upper:.0f}]"
                for feature in features
            ],
            "pairs not shared": [f"{feature.pairs_differing:,}" for feature in features],
            "rows per context without it": [
                plain(feature.rows_per_context, digits=1) for feature in features
            ],
        }
    )


def _percent_or_blank(share: float) -> str:
    return "" if np.isnan(share) else percent(share)


def baselines_table(reports: Mapping[str, RelevanceReport]) -> Table:
    """Return what predictors without skill score on the same rows."""
    report = next(iter(reports.values()))
    return Table(
        {
            "baseline": [
                "most frequent outcome of the context",
                "shuffled outcomes on the same contexts",
                "random predictions",
            ],
            "Relevance Score": [
                plain(value, digits=1)
                for value in (report.most_probable, report.dice, report.chance)
            ],
        }
    )


def cases_table(reports: Mapping[str, RelevanceReport]) -> Table:
    """Return the share of rows in each case of the paper's Table 2, one column per model."""
    first = next(iter(reports.values())).case_table
    shares = {
        name: [percent(share, digits=1) for share in report.case_table["share"]]
        for name, report in reports.items()
    }
    return Table({"case": first["case"], **shares})


def context_sentence(reports: Mapping[str, RelevanceReport]) -> str:
    """Say how much the table knows about each context, which is what the score rests on."""
    report = next(iter(reports.values()))
    excluded = ", ".join(f"{name} {one_report.n_excluded}" for name, one_report in reports.items())
    return (
        f"{_count(report.n_rows, 'test row')}; the probabilities rest on "
        f"{_count(report.n_contexts, 'context')} with "
        f"{plain(report.rows_per_context, digits=1)} rows each on average, "
        f"{percent(report.singleton_share)} of them seen once (reference: {report.reference}); "
        f"wrong predictions in contexts never seen, not graded: {excluded}."
    )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def crossings_table(sweep: RelevanceSweep) -> Table:
    """Return where each pair of models changes places, in words where it never does."""
    crossings = sweep.crossings
    levels = [
        "never" if np.isnan(share) else plain(share, digits=2)
        for share in sweep.crossings["level at alpha share"]
    ]
    return Table(
        {
            "first": crossings["first"],
            "second": crossings["second"],
            "level at alpha share": levels,
            "leads at infinite beta (resamples)": _leads(crossings, "beta"),
            "leads at infinite alpha (resamples)": _leads(crossings, "alpha"),
        }
    )


def _leads(crossings: Table, end: str) -> list[str]:
    rows = zip(crossings[f"leads at infinite {end}"], crossings[f"p lead ({end})"], strict=True)
    return [f"{leader} ({percent(probability)})" for leader, probability in rows]


def guidance(sweep: RelevanceSweep) -> tuple[str, ...]:
    """Say whether alpha and beta matter for the order of the models, and how to choose."""
    rows = list(sweep.crossings.rows())
    if not rows:
        return ("One model: alpha and beta move its score along its line and decide nothing.",)
    crossing = [row for row in rows if not np.isnan(row["level at alpha share"])]
    if not crossing:
        return ("The order of the models is the same for every alpha and beta: choose any.",)
    sentences = [_crossing_sentence(row) for row in crossing]
    advice = (
        "Raise alpha where a person's passing change of mind need not be caught, beta where "
        "being near to what was chosen this time matters. If you cannot tell, ask people to "
        "grade mismatches and pass them as judgements."
    )
    return (*sentences, advice)


def _crossing_sentence(row: Mapping[str, float | str]) -> str:
    share = float(row["level at alpha share"])
    ratio = plain(share / (1.0 - share), digits=2)
    return (
        f"{row['first']} and {row['second']} change places: {row['leads at infinite alpha']} "
        f"leads when alpha is more than {ratio} times beta "
        f"({_sure(row['p lead (alpha)'])} at infinite alpha), {row['leads at infinite beta']} when "
        f"it is less ({_sure(row['p lead (beta)'])} at infinite beta)."
    )


def _sure(probability: float | str) -> str:
    return f"in {percent(float(probability))} of resamples"


def differences(reports: Mapping[str, RelevanceReport]) -> tuple[str, ...]:
    """Say how far each model is behind the best, with a paired interval."""
    best = max(reports, key=lambda name: reports[name].value)
    sentences = []
    for name, report in reports.items():
        if name == best:
            continue
        if reports[best].value == report.value:
            sentences.append(f"{best} and {name} score the same.")
            continue
        differing = int(np.sum(_differ(reports[best].scores, report.scores)))
        gap_draws = reports[best].estimate.draws - report.estimate.draws
        lower, upper = np.quantile(gap_draws, [0.025, 0.975])
        verdict = "clearly ahead" if lower > 0 else "not clearly ahead"
        if differing < _LEAST_DIFFERING:
            verdict = f"they differ in {_count(differing, 'row')} only, too few to tell"
        sentences.append(
            f"{best} is {plain(reports[best].value - report.value, digits=1)} points ahead of "
            f"{name} (paired 95 % interval {plain(lower, digits=1)} to {plain(upper, digits=1)}): "
            f"{verdict}."
        )
    return tuple(sentences)


def _differ(first: FloatArray, second: FloatArray) -> NDArray[np.bool_]:
    return np.asarray((first != second) & ~(np.isnan(first) & np.isnan(second)))


def cautions(reports: Mapping[str, RelevanceReport]) -> tuple[str, ...]:
    """Say what the score cannot carry."""
    report = next(iter(reports.values()))
    sentences = [
        "A Relevance Score is not the share of satisfied people: it rests on how often outcomes "
        "were chosen, and rises with the number of rows per context even when outcomes are random.",
        _about_interval(report),
    ]
    if report.reference == "all":
        sentences.append(
            "The probabilities include the rows that are scored (the paper's way), so in a "
            "context seen once every other prediction scores 0. Compare with reference cross-fit."
        )
    if report.rows_per_context < _FEW_ROWS or report.singleton_share > _MANY_SINGLE:
        sentences.append(
            f"Contexts are thin ({plain(report.rows_per_context, digits=1)} rows each, "
            f"{percent(report.singleton_share)} seen once): drop a context column or collect more "
            "rows before comparing models."
        )
    if (
        max(correlation.n_excluded / correlation.n_rows for correlation in reports.values())
        > _MANY_EXCLUDED
    ):
        sentences.append(
            "Wrong predictions in contexts never seen were left out while right ones counted, "
            "which flatters every model: set unseen to marginal."
        )
    return tuple(sentences)


def _about_interval(report: RelevanceReport) -> str:
    if "table counted anew" in report.provenance.settings["interval"]:
        return "The interval tells what as many other people would show: probabilities vary too."
    return (
        "The interval tells how far other test rows would move the score; the probabilities are "
        "taken as they are."
    )


def findings(
    reports: Mapping[str, RelevanceReport], learned: RelevanceWeights | None
) -> tuple[str, ...]:
    """Return the answer in plain sentences, the most important first."""
    best = max(reports, key=lambda name: reports[name].value)
    report = reports[best]
    first = (
        f"{best} scores {with_interval(report.estimate)} of 100 for relevance; it is right in "
        f"{percent(report.accuracy)} of rows. Random predictions score "
        f"{plain(report.chance, digits=1)}, the most frequent outcome of each context "
        f"{plain(report.most_probable, digits=1)}; with shuffled outcomes any model would "
        f"score {plain(report.dice, digits=1)}."
    )
    taught = (
        (
            f"People's grades put alpha at {with_interval(learned.alpha_share)} of alpha + beta "
            f"({learned.n_judgements} judgements); a mismatch at no distance costs them "
            f"{with_interval(learned.base_error)} of the scale, where the formula says 0.",
        )
        if learned
        else ()
    )
    return (first, *differences(reports), *taught)


def _cases_section(reports: Mapping[str, RelevanceReport]) -> Section:
    with pictures.cases_figure(reports) as figure:
        cases_svg = to_svg(figure, title="Share of rows in each case")
    return Section(
        title="How near the predictions were",
        svg=cases_svg,
        alt="Cases of the paper's Table 2, ties as cases of their own.",
        table=cases_table(reports),
    )


def _agreement_section(agreement: ContextAgreement | None) -> list[Section]:
    if agreement is None:
        return []
    return [
        Section(
            title="What the outcome depends on",
            text=" ".join(agreement_findings(agreement)),
            table=agreement_table(agreement),
        )
    ]


def report_of(
    reports: Mapping[str, RelevanceReport],
    sweep: RelevanceSweep,
    *,
    learned: RelevanceWeights | None = None,
    agreement: ContextAgreement | None = None,
) -> Report:
    """Return a report that can be published as it is."""
    first = next(iter(reports.values()))
    share = alpha_share(first.alpha, first.beta)
    with pictures.scores_figure(reports) as figure:
        scores_svg = to_svg(figure, title="Relevance Score and accuracy of each model")
    with pictures.sweep_figure(sweep, chosen=share) as figure:
        sweep_svg = to_svg(figure, title="Relevance Score over alpha / (alpha + beta)")
    return Report(
        title="Relevance of predictions",
        question="Where people choose differently in the same situation, how good are the "
        "predictions?",
        findings=tuple(Finding(text=text) for text in findings(reports, learned)),
        sections=(
            Section(
                title="Relevance and accuracy",
                text=context_sentence(reports),
                svg=scores_svg,
                alt="Dots: Relevance Score and interval; diamonds: accuracy; bars: baselines.",
                table=scores_table(reports),
            ),
            *_agreement_section(agreement),
            Section(title="Baselines", table=baselines_table(reports)),
            Section(
                title="Alpha and beta",
                text="\n\n".join(guidance(sweep)),
                svg=sweep_svg,
                alt="The score is a straight line between infinite beta and infinite alpha.",
                table=crossings_table(sweep) if len(reports) > 1 else None,
            ),
            _cases_section(reports),
        ),
        methods=_methods(first),
        provenance=first.provenance,
        cautions=cautions(reports),
    )


_REFERENCES = {
    "all": "The shares were counted over all rows, the scored ones included.",
    "train": "The shares were counted over other rows than those scored.",
    "cross-fit": "The shares were counted without the scored row, or without its fold.",
}
_UNSEEN = {
    "exclude": "Wrong predictions in contexts without rows were left out.",
    "error": "Every wrong prediction was made in a context with rows.",
    "marginal": "In contexts without rows the shares over all contexts were used.",
}


def _weight(value: float) -> str:
    return plain(value, digits=0 if float(value).is_integer() else 3)


def _methods(report: RelevanceReport) -> str:
    settings = report.provenance.settings
    return (
        "Each wrong prediction scores 100 (1 - [alpha (P_H - P_P) + beta |P_P - P_A|] / (alpha + "
        "beta)), where P_H, P_P and P_A are the shares of the likeliest, the predicted and the "
        "actual outcome among the choices people made in the same observed context; a right one "
        f"scores 100 (Gopalakrishna et al. 2013). Alpha is {_weight(report.alpha)}, beta "
        f"{_weight(report.beta)}. {_REFERENCES[report.reference]} "
        f"{_UNSEEN[settings['unseen']]} Intervals (95 %, equal tails) come from "
        f"{settings['resamples']} resamples ({settings['interval']}), the same for every model."
    )
