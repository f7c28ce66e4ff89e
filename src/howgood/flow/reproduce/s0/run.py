"""Run the reproduction of Kay, Patel and Kientz (2015).

In: the public answers of Study 1, if at hand. Out: `Reproduction`. Absent: the checks themselves.
"""

import warnings
from pathlib import Path

import numpy as np

from howgood import score
from howgood.errors import DroppedRowsWarning
from howgood.flow.reproduce.s0.answers import read_study_one
from howgood.flow.reproduce.s0.simulated_people import simulated_results
from howgood.flow.reproduce.s0.study_one import (
    study_one_checks,
    study_one_figures,
    study_one_without_data,
)
from howgood.flow.reproduce.s0.study_two import study_two_checks
from howgood.flow.reproduce.s0.verdicts import Claim, true
from howgood.records.progress import Progress, silent
from howgood.records.reproduction import Check, Reproduction

CITATION = (
    'Kay, Patel, Kientz (2015), "How Good is 85%? A Survey Tool to Connect Classifier Evaluation '
    'to Acceptability of Accuracy", CHI'
)
ERRATA = (
    "The priors read Normal(0, 1000); the model was run in JAGS with that as a variance, so the "
    "standard deviation is 31.6.",
    "The public answers hold 53 people (28 and 25 per branch); the paper reports 50 (26 and 24). "
    "Two rows have no acceptability answer.",
    '"About 60 % the variance" (Study 2): exp(zeta) is .65 and .71, exp(2 zeta) .42 and .50.',
    "The kind of mean depends on the prior of the slope: with a standard deviation of 5 the "
    "harmonic mean wins over the geometric one.",
    "Branch alphas (Fig. 3) are conditional on p = 0; P(p) is of both branches together. Alone, "
    "the application branch prefers the harmonic mean.",
)


def reproduce(
    *,
    data: Path | None = None,
    random_state: int = 2018,
    progress: Progress = silent,
) -> Reproduction:
    """Check every number of the paper; Study 1 needs the public answers in `data`."""
    checks = [_f_beta_check()]
    figures: dict[str, str] = {}
    if data is None:
        checks += study_one_without_data()
    else:
        with warnings.catch_warnings():
            # The two rows without an answer are among the errata.
            warnings.simplefilter("ignore", DroppedRowsWarning)
            study = read_study_one(data, random_state=random_state, progress=progress)
        progress(0.65, "pictures")
        figures = study_one_figures(study)
        checks += study_one_checks(study)
    checks += study_two_checks()
    more_checks, more_figures = simulated_results(random_state=random_state, progress=progress)
    checks, figures = checks + more_checks, figures | more_figures
    progress(1.0, "done")
    return Reproduction(
        paper="s0",
        citation=CITATION,
        checks=tuple(checks),
        figures=figures,
        errata=ERRATA,
        seed=random_state,
    )


def _f_beta_check() -> Check:
    rates = np.linspace(0.05, 1.0, 20)
    precision, recall = np.meshgrid(rates, rates)
    worst = 0.0
    for beta in (0.5, 1.0, 2.0):
        ours = score.power_mean(precision, recall, p=-1, alpha=1 / (1 + beta**2))
        f_beta = (1 + beta**2) * precision * recall / (beta**2 * precision + recall)
        worst = max(worst, float(np.abs(ours - f_beta).max()))
    return true(
        Claim(item="S0-24", place="Model", text="p = −1 is F-beta with alpha = 1/(1 + beta²)"),
        paper="equal",
        ours=f"largest difference {worst:.0e}",
        holds=worst < 1e-12,
        rule="below 1e-12 on a grid, beta ½, 1 and 2",
    )
