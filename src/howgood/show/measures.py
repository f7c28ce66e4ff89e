"""Which measure people follow, and what each weighs, in sentences, tables and pictures.

In: `MeasureComparison`; `AcceptabilityFit` made with three measures. Out: findings, figures,
sections of a report, a `Report`, plain values. Absent: comparing, fitting and deciding; writing
files.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from howgood.learn.acceptability_fit import AcceptabilityFit
from howgood.learn.measured import MeasureWeights
from howgood.records.measures import MeasureComparison
from howgood.records.report import Finding, Report, Section
from howgood.records.table import Table
from howgood.show.figures import theme
from howgood.show.figures.intervals import weights_figure
from howgood.show.figures.theme import COLOURS, FAINT, INK, canvas, picture_section
from howgood.show.numbers import percent, plain, with_interval
from howgood.show.people import fitted_people

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CAUTIONS = (
    "The best of these measures need not be good: it is the one of the list that these answers "
    "follow best.",
    "A measure people were not shown the numbers for (such as true negatives) they can only have "
    "guessed at.",
)
_WORDS = {
    "log_evidence": "log evidence", "held_out_log_score": "score of people left out",
    "difference": "less than best", "difference_se": "standard error",
    "refitted": "people fitted without",
}  # fmt: skip
_SURE = 0.95


def measure_findings(compared: MeasureComparison) -> tuple[Finding, ...]:
    """Say which measure people follow, or that the answers do not tell."""
    best, *others = compared.as_good
    rows = {row["measure"]: row for row in compared.table.rows()}
    if compared.best is not None:
        text = f"People follow the {best} best"
        rest = [name for name in rows if name != best]
        if rest:
            second = rows[rest[0]]
            text += (
                f": it predicts people left out {plain(-second['difference'], digits=1)} nats "
                f"better than the {rest[0]}, the next best (standard error "
                f"{plain(second['difference_se'], digits=1)})"
            )
        said = Finding(text=f"{text}.")
    else:
        said = Finding(
            text=f"Not enough evidence for one measure: {', '.join([best, *others])} predict "
            "people left out equally well within two standard errors.",
            tone="unsure",
        )
    likeliest = max(rows.values(), key=lambda row: float(row["probability"]))
    findings = [
        said,
        Finding(
            text=f"By evidence the {likeliest['measure']} is the likeliest: "
            f"{percent(float(likeliest['probability']))}, all being equally likely beforehand."
        ),
        *_doubts(compared),
    ]
    return (*findings, *fitted_people(compared.n_respondents, compared.provenance))


def _doubts(compared: MeasureComparison) -> list[Finding]:
    table = compared.table
    unsound = table["measure"][~table["reliable"]].tolist()
    findings = []
    if unsound:
        findings.append(
            Finding(
                text=f"The numbers of {', '.join(unsound)} are not reliable: their draws failed "
                "a check. Ask more people.",
                tone="unsure",
            )
        )
    if compared.not_computed:
        reasons = dict.fromkeys(compared.not_computed.values())
        listed = "; ".join(
            f"{', '.join(name for name, why in compared.not_computed.items() if why == reason)} "
            f"({reason})"
            for reason in reasons
        )
        findings.append(Finding(text=f"Not compared: {listed}.", tone="unsure"))
    return findings


def measure_report(compared: MeasureComparison) -> Report:
    """Return the report of a comparison."""
    named = {_WORDS.get(name, name): values for name, values in compared.table.items()}
    named["reliable"] = np.array(
        ["yes" if sound else "no" for sound in compared.table["reliable"].tolist()]
    )
    return Report(
        title="Which measure of accuracy people follow",
        question="Accuracy, F, a weighted mean, ...: which measure predicts what people accept?",
        findings=measure_findings(compared),
        sections=(
            theme.picture_section(
                "How well each measure predicts people left out",
                "Score of each measure less that of the best, with two standard errors.",
                measures_figure(compared),
            ),
            Section(
                title="The numbers",
                text="Scores and evidence are in nats: more is better, and a difference of 3 makes "
                "one measure 20 times as likely as the other.",
                table=Table(named),
            ),
        ),
        methods="Each measure took the place of the weighted mean in a Bayesian mixed-effects "
        "logistic regression of accepting (Kay et al., 2015) with intercept and slope per "
        "application and a normal random intercept per respondent. Respondents were left out one "
        "at a time by Pareto smoothed importance sampling (Vehtari, Gelman and Gabry, 2017), or by "
        "fitting the others anew where one weighs too much (k-hat above 0.7). "
        f"Priors: {compared.provenance.settings.get('priors')}.",
        provenance=compared.provenance,
        cautions=CAUTIONS,
    )


@contextmanager
def measures_figure(compared: MeasureComparison) -> Iterator["Figure"]:
    """Draw each measure's score less the best one's, with two standard errors."""
    table = compared.table
    names = [str(name) for name in table["measure"].tolist()]
    with canvas(width=6.0, height=1.3 + 0.42 * len(names)) as figure:
        axes = figure.subplots()
        height = -np.arange(len(names))
        near = np.isin(names, compared.as_good)
        reach = 2.0 * table["difference_se"]
        axes.axvline(0.0, color=INK, lw=1, ls=(0, (4, 3)), zorder=0)
        axes.hlines(height, table["difference"] - reach, table["difference"] + reach, color=FAINT,
                    lw=2.5)  # fmt: skip
        for chosen, colour in ((near, COLOURS[0]), (~near, COLOURS[6])):
            axes.plot(table["difference"][chosen], height[chosen], "o", color=colour, ms=7)
        axes.set_yticks(list(height), names)
        axes.set_ylim(-len(names) + 0.4, 0.7)
        axes.margins(x=0.08)
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        axes.set_xlabel("score of people left out, less the best (nats; bars: two standard errors)")
        axes.set_title("Which measure people follow")
        yield figure


def save_measures_picture(compared: MeasureComparison, path: Path) -> Path:
    """Write the picture to a file."""
    with measures_figure(compared) as figure:
        return theme.save(figure, path)


def weight_findings(fit: AcceptabilityFit) -> tuple[Finding, ...]:
    """Say whether specificity counts, and what it weighs; nothing where it was not asked."""
    if fit.measured is None:
        return ()
    weights = fit.measured
    return (_counting(weights), *(_weighing(weights, name) for name in weights.applications))


def _counting(weights: MeasureWeights) -> Finding:
    probability = weights.probability_counting
    if probability is None:
        return Finding(
            text="Whether specificity counts cannot be compared where the kind of mean is "
            "continuous.",
            tone="unsure",
        )
    said = f"probability {percent(probability)}, as likely as not beforehand"
    if probability >= _SURE:
        return Finding(text=f"Rightly leaving cases alone (specificity) counts: {said}.")
    if probability <= 1.0 - _SURE:
        return Finding(text=f"Precision and recall are enough, specificity does not count: {said}.")
    return Finding(
        text="Not enough evidence to say whether rightly leaving cases alone (specificity) counts: "
        f"{said}.",
        tone="unsure",
    )


def _weighing(weights: MeasureWeights, name: str) -> Finding:
    known = weights.weights(name)
    parts = [f"{measure} {with_interval(weight)}" for measure, weight in known.items()]
    return Finding(text=f"{name}: of a weight of 1, {', '.join(parts[:-1])} and {parts[-1]}.")


def weight_sections(fit: AcceptabilityFit) -> tuple[Section, ...]:
    """Return the page about three measures; none where they were not asked for."""
    weights = fit.measured
    if weights is None:
        return ()
    used = weights.prevalence
    said = "as the answers say" if used is None else f"at a prevalence of {plain(used, digits=3)}"
    rows = {
        f"{name}: {measure}": weight
        for name in weights.applications
        for measure, weight in weights.weights(name).items()
    }
    return (
        picture_section(
            "What precision, recall and specificity weigh",
            "Weight of each measure by application, with 95 % interval; they add up to 1.",
            weights_figure(rows),
            text=f"Specificity is {said}. The decisions of this report go by precision and recall; "
            "by all three they are made with fit.measured.at_prevalence(...).",
        ),
        Section(title="Weights of the three measures", table=weights.table),
    )


def weight_values(fit: AcceptabilityFit) -> dict[str, Any]:
    """Return everything as plain values; nothing where three measures were not asked for."""
    weights = fit.measured
    if weights is None:
        return {}
    return {
        "weights": weights.table,
        "prevalence": weights.prevalence,
        "probability_counting": weights.probability_counting,
        "log_evidence": weights.log_evidence,
        "log_evidence_of_precision_and_recall": weights.log_evidence_of_two,
    }
