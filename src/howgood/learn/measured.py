"""What precision, recall and specificity weigh: the result, and how it is kept.

In: draws of `learn.measure_weights`. Out: `MeasureWeights`, which an `AcceptabilityFit` carries
when it was fitted with three measures. Absent: sampling, decisions.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from howgood.errors import InputError, place_of
from howgood.learn.binary_model import draw_columns
from howgood.learn.evidence import lowest_shown
from howgood.records.acceptance import AcceptanceDraws
from howgood.records.diagnostics import Diagnostics
from howgood.records.estimate import Estimate
from howgood.records.evidence import Evidence
from howgood.records.probability import check_probability
from howgood.records.table import Table, Tabular
from howgood.stats.arrays import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureWeights(Tabular):
    """Weights of precision, recall and specificity per application, which add up to one.

    `draws` are those of the binary model (alpha is precision's share of what specificity leaves),
    `third` specificity's weight per application, paired with them. `log_evidence_of_two` is that
    of precision and recall alone, `lowest_shown` the lowest accuracy people were asked about.

    Stability: experimental
    """

    frame_of: ClassVar[str] = "table"

    applications: tuple[str, ...]
    draws: FloatArray = field(repr=False)
    third: FloatArray = field(repr=False)
    prevalence: float | None
    log_evidence: float
    log_evidence_of_two: float
    n_respondents: Mapping[str, int]
    evidence: Mapping[str, Evidence]
    lowest_shown: Mapping[str, float]
    diagnostics: Diagnostics

    def weight_draws(self, application: str) -> dict[str, FloatArray]:
        """Return paired draws of each measure's weight; they add up to one draw by draw."""
        third = self.third[:, self._index(application)]
        alpha = self._named("alpha")[:, self._index(application)]
        return {
            "precision": alpha * (1.0 - third),
            "recall": (1.0 - alpha) * (1.0 - third),
            "specificity": third,
        }

    def weights(self, application: str) -> dict[str, Estimate]:
        """Return the estimate of each measure's weight."""
        return {
            name: Estimate.from_draws(
                values,
                n_respondents=self.n_respondents[application],
                evidence=self.evidence[application],
            )
            for name, values in self.weight_draws(application).items()
        }

    @property
    def probability_counting(self) -> float | None:
        """Probability that specificity counts, as likely as not beforehand."""
        gap = self.log_evidence - self.log_evidence_of_two
        if not np.isfinite(gap):
            return None
        return float(expit(gap))

    @property
    def table(self) -> Table:
        """One row per application and measure: mean and 95 % interval of its weight."""
        rows = [
            {
                "application": application,
                "measure": name,
                "mean": weight.mean,
                "lower": weight.interval.lower,
                "upper": weight.interval.upper,
            }
            for application in self.applications
            for name, weight in self.weights(application).items()
        ]
        return Table({name: np.array([row[name] for row in rows]) for name in rows[0]})

    def at_prevalence(self, prevalence: float | None = None) -> "KnownPrevalence":
        """Return people who also weigh specificity, for every decision.

        Decisions speak of precision and recall; how rare the thing is says what specificity
        follows from them. Left out, it is the one the fit was made with.
        """
        used = self.prevalence if prevalence is None else prevalence
        if used is None:
            raise InputError(
                where="at_prevalence",
                found="no prevalence, here or in the fit",
                needed="the share of real cases among all cases where the system is used",
                cure="Pass prevalence=.",
            )
        check_probability(used, name="prevalence", where="at_prevalence")
        return KnownPrevalence(self, used)

    def _named(self, parameter: str) -> FloatArray:
        return self.draws[:, draw_columns(len(self.applications))[parameter]]

    def _index(self, application: str) -> int:
        return place_of(application, self.applications, where="application")


@dataclass(frozen=True, slots=True)
class KnownPrevalence:
    """People who weigh three measures, where it is known how rare the thing is.

    Stability: experimental
    """

    weights: MeasureWeights
    prevalence: float

    @property
    def applications(self) -> tuple[str, ...]:
        """Names of the applications."""
        return self.weights.applications

    def acceptance_draws(self, application: str) -> AcceptanceDraws:
        """Return the paired draws of one application."""
        known = self.weights
        at = known._index(application)
        return AcceptanceDraws(
            application=application,
            p=known._named("p")[:, 0],
            alpha=known._named("alpha")[:, at],
            intercept=known._named("intercept")[:, at],
            slope=known._named("slope")[:, at],
            person_sd=known._named("person_sd")[:, 0],
            flawless=known._named("flawless")[:, 0],
            specificity=known.third[:, at],
            others=1.0 / self.prevalence - 1.0,
            n_respondents=known.n_respondents[application],
            evidence=known.evidence[application],
            lowest_shown=known.lowest_shown[application],
        )


def saved_weights(weights: MeasureWeights) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return everything as plain values and arrays, for the file of the fit."""
    values = {
        "prevalence": weights.prevalence,
        "log_evidence": weights.log_evidence,
        "log_evidence_of_two": weights.log_evidence_of_two,
        "diagnostics": weights.diagnostics.to_dict(),
    }
    return values, {"measures_draws": weights.draws, "measures_third": weights.third}


def loaded_weights(
    values: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any]],
    whole: Any,  # noqa: ANN401 - AcceptabilityFit, whose module imports this one
) -> MeasureWeights:
    """Undo `saved_weights`; what it shares with the whole fit comes from there."""
    names = whole.applications
    given = values["prevalence"]
    return MeasureWeights(
        applications=names,
        draws=arrays["measures_draws"],
        third=arrays["measures_third"],
        prevalence=None if given is None else float(given),
        log_evidence=float(values["log_evidence"]),
        log_evidence_of_two=float(values["log_evidence_of_two"]),
        n_respondents=dict(whole.respondents),
        evidence={name: whole.evidence_for(name) for name in names},
        lowest_shown={name: lowest_shown(whole.cells, name) for name in names},
        diagnostics=Diagnostics(**values["diagnostics"]),
    )
