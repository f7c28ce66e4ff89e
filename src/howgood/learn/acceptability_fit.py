r"""What was learned about the acceptability of accuracy.

In: draws of the posterior, made by `learn.fit_acceptability`. Out: `AcceptabilityFit`, which
answers questions about applications with estimates. Absent: sampling, pictures, decisions.
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from howgood.errors import InputError, UnknownNameError, place_of
from howgood.learn import evidence, fit_file
from howgood.learn.binary_model import Cells, draw_columns
from howgood.learn.evidence import evidence_by_application, lowest_shown
from howgood.learn.fit_file import arviz_object, binary_methods
from howgood.learn.kinds import CONTINUOUS
from howgood.learn.measured import MeasureWeights, saved_weights
from howgood.learn.other_people import MOST_PEOPLE, OtherPeople, other_people
from howgood.learn.segmented import SegmentedPeople, saved_people
from howgood.learn.those_asked import respondent_shares
from howgood.records.acceptance import (
    AcceptanceDraws,
    Who,
    acceptance_surface,
    equal_acceptance,
)
from howgood.records.diagnostics import Diagnostics
from howgood.records.estimate import Estimate
from howgood.records.evidence import Evidence, weakest
from howgood.records.power_mean import PowerMean
from howgood.records.priors import Priors
from howgood.records.probability import check_probability
from howgood.records.provenance import Provenance
from howgood.records.table import Table, Tabular
from howgood.stats.arrays import FloatArray
from howgood.stats.randomness import RandomState, generator_and_seed

KIND = "acceptability fit"
PARAMETERS = ("intercept", "slope", "alpha")


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptabilityFit(Tabular):
    """A posterior of the binary acceptability model.

    `p=None` in any method averages over the kinds of mean by their posterior probability; a
    number gives results conditional on that kind, labelled so. Draws of all quantities of one
    fit are paired: subtract first, then summarise.

    Stability: stable

    Examples
    --------
    >>> from howgood import ask, learn
    >>> answers = ask.simulate_answers(
    ...     {"alarm": {"alpha": 0.3, "intercept": -13.0, "slope": 16.0}}, people=30, random_state=1
    ... )
    >>> fit = learn.fit_acceptability(answers, random_state=1)
    >>> fit.estimate("alpha", "alarm").interval.upper < 0.5  # recall weighs more
    True
    >>> 0 < fit.predict(precision=0.9, recall=0.8, application="alarm").mean < 1
    True
    """

    frame_of: ClassVar[str] = "summary"

    applications: tuple[str, ...]
    n_respondents: int
    respondents: Mapping[str, int]
    mean_probabilities: Mapping[float, float]
    log_evidence: Mapping[float, float]
    averaged_draws: FloatArray = field(repr=False)
    conditional_draws: Mapping[float, FloatArray] = field(repr=False)
    cells: Cells = field(repr=False)
    cut: int
    priors: Priors
    diagnostics: Diagnostics
    provenance: Provenance = field(repr=False)
    correlations: Table | None = field(default=None, repr=False)
    segmented: SegmentedPeople | None = field(default=None, repr=False)
    measured: MeasureWeights | None = field(default=None, repr=False)
    evidence_by_application: Mapping[str, Evidence] = field(init=False, repr=False)
    _kept: dict[int, OtherPeople | None] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        evidence = evidence_by_application(self.cells, self.respondents)
        object.__setattr__(self, "evidence_by_application", evidence)

    # -- people who differ -------------------------------------------------------------------

    @property
    def segments(self) -> tuple[str, ...]:
        """Names of the segments; empty unless the fit was made with `by`."""
        return self.segmented.names if self.segmented else ()

    def in_segment(self, segment: str) -> "AcceptabilityFit":
        """Return the fit of one segment, for every question a fit answers."""
        fit: AcceptabilityFit = self._divided("segment").fit_of(segment)
        return fit

    @property
    def people(self) -> Table:
        """Everybody's own alpha by application: participant, segment, mean, 95 % interval."""
        return self._divided("people").people

    def other_people(self, *, random_state: int = 0) -> OtherPeople | None:
        """Return the weights of precision with intervals that hold for people not asked.

        The model of a fit gives everybody one weight: the interval of `estimate("alpha", ...)` is
        about that weight, and too narrow for other people where people have weights of their own.
        Here they may have, given the kind of mean that is likeliest with one weight. As much
        work as the fit itself, done once. None where it cannot be done: with more than 2000 people
        (fit by="participant"), where draws fail a gate, and for the fit of one segment, which
        leans on the others (`segmented.alpha` has its middle person).
        """
        if "segment" in self.provenance.settings:
            return None
        if random_state not in self._kept:
            self._kept[random_state] = other_people(
                self.cells,
                self.priors,
                prior=self._likely_means(),
                draws=self.averaged_draws,
                log_evidence=self.log_evidence,
                respondents=self.respondents,
                evidence=self.evidence_by_application,
                provenance=self.provenance,
                most_people=MOST_PEOPLE if self.segmented is None else float("inf"),
                random_state=random_state,
            )
        return self._kept[random_state]

    def _divided(self, wanted: str) -> SegmentedPeople:
        if self.segmented is None:
            raise InputError(
                where=wanted,
                found="a fit of all people together",
                needed="a fit made with by=..., a column of the answers",
                cure='Fit again with by="your column", or by="participant" for people alone.',
            )
        return self.segmented

    # -- draws -------------------------------------------------------------------------------

    def draws(
        self,
        parameter: str,
        application: str,
        *,
        segment: str | None = None,
        p: float | None = None,
    ) -> FloatArray:
        """Return the posterior draws of "intercept", "slope" or "alpha" of one application."""
        if segment is not None:
            return self.in_segment(segment).draws(parameter, application, p=p)
        if parameter not in PARAMETERS:
            raise UnknownNameError(where="parameter", name=parameter, names=PARAMETERS)
        return self._named(parameter, p)[:, self._index(application)]

    def person_sd_draws(self, *, p: float | None = None) -> FloatArray:
        """Return the posterior draws of the standard deviation of people."""
        return self._named("person_sd", p)[:, 0]

    def order_draws(self, *, p: float | None = None) -> FloatArray:
        """Return the order p of the mean in every draw."""
        return self._named("p", p)[:, 0]

    def acceptance_draws(self, application: str, *, p: float | None = None) -> AcceptanceDraws:
        """Return the paired draws that say what share of people accepts."""
        return AcceptanceDraws(
            application=application,
            p=self.order_draws(p=p),
            alpha=self.draws("alpha", application, p=p),
            intercept=self.draws("intercept", application, p=p),
            slope=self.draws("slope", application, p=p),
            person_sd=self.person_sd_draws(p=p),
            flawless=self._named("flawless", p)[:, 0],
            n_respondents=self.respondents[application],
            evidence=self.evidence_for(application),
            lowest_shown=lowest_shown(self.cells, application),
        )

    # -- evidence ----------------------------------------------------------------------------

    @property
    def evidence(self) -> Evidence:
        """Whether the answers suffice: "enough", "few people" or "none", of the weakest one."""
        return weakest(self.evidence_by_application.values())

    def evidence_for(self, application: str) -> Evidence:
        """Return whether the answers suffice to decide about one application."""
        self._index(application)
        return self.evidence_by_application[application]

    # -- estimates ---------------------------------------------------------------------------

    def estimate(
        self,
        parameter: str,
        application: str,
        *,
        segment: str | None = None,
        p: float | None = None,
        probability: float = 0.95,
    ) -> Estimate:
        """Return the estimate of "intercept", "slope" or "alpha" of one application."""
        fit = self if segment is None else self.in_segment(segment)
        return fit._estimate(
            fit.draws(parameter, application, p=p), application, probability=probability
        )

    def difference(
        self,
        parameter: str,
        first: str,
        second: str,
        *,
        p: float | None = None,
        probability: float = 0.95,
    ) -> Estimate:
        """Return the estimate of `first` minus `second`, from paired draws."""
        return Estimate.from_draws(
            self.draws(parameter, first, p=p) - self.draws(parameter, second, p=p),
            probability=probability,
            n_respondents=min(self.respondents[first], self.respondents[second]),
            evidence=weakest(self.evidence_for(side) for side in (first, second)),
        )

    def differences(self, parameter: str = "alpha", *, p: float | None = None) -> Table:
        """Return all pairwise differences; credible means that the 95 % HDI leaves out zero."""
        pairs = list(itertools.combinations(self.applications, 2))
        estimates = [self.difference(parameter, first, second, p=p) for first, second in pairs]
        return Table(
            {
                "first": np.array([first for first, _ in pairs], dtype=object),
                "second": np.array([second for _, second in pairs], dtype=object),
                "mean": np.array([estimate.mean for estimate in estimates]),
                "lower": np.array([estimate.interval.lower for estimate in estimates]),
                "upper": np.array([estimate.interval.upper for estimate in estimates]),
                "credible": np.array(
                    [0.0 not in estimate.interval for estimate in estimates], dtype=bool
                ),
            }
        )

    @property
    def person_sd(self) -> Estimate:
        """Standard deviation of people's leniency, averaged over kinds of mean."""
        return Estimate.from_draws(self.person_sd_draws(), n_respondents=self.n_respondents)

    @property
    def order(self) -> Estimate:
        """The order p of the mean: -1 harmonic, 0 geometric, 1 arithmetic."""
        return Estimate.from_draws(self.order_draws(), n_respondents=self.n_respondents)

    @property
    def has_flawless_term(self) -> bool:
        """Whether a system without any error has a term of its own in this fit."""
        return bool(self._named("flawless", None).any())

    @property
    def flawless(self) -> Estimate | None:
        """How many logits more a system without any error is accepted; None without the term."""
        if not self.has_flawless_term:
            return None
        draws = self._named("flawless", None)[:, 0]
        return Estimate.from_draws(draws, n_respondents=self.n_respondents, evidence=self.evidence)

    def flawless_comparison(self, *, random_state: RandomState = 0) -> Table:
        """Return the model without and with a term for no error at all, side by side.

        Per model the log evidence, its probability (both equally likely beforehand), and the
        share accepting scenarios without any error: observed, and in answers the model would
        give, with 95 % interval and p value. Without such scenarios the table is empty.
        """
        rng, _ = generator_and_seed(random_state)
        return evidence.flawless_comparison(self.cells, self.priors, self.prior_of_means(), rng=rng)

    def odds_ratio(
        self, application: str, *, per: float = 0.01, p: float | None = None
    ) -> Estimate:
        """Return by how much the odds to accept multiply per `per` of the weighted mean."""
        ratios = np.exp(per * self.draws("slope", application, p=p))
        return self._estimate(ratios, application)

    def probability_alpha_above(
        self, value: float = 0.5, *, application: str, p: float | None = None
    ) -> float:
        """Return the probability that precision weighs more than `value`."""
        return self.estimate("alpha", application, p=p).probability_above(value)

    def predict(
        self,
        *,
        precision: float,
        recall: float,
        application: str,
        segment: str | None = None,
        who: Who = "population",
        p: float | None = None,
    ) -> Estimate:
        """Return the share accepting a system of this precision and recall.

        `who="population"` averages over people's leniency: the share of people. "average" is the
        probability of a person of average leniency, a steeper curve.
        """
        if who not in ("population", "average"):
            raise UnknownNameError(where="who", name=who, names=("population", "average"))
        for name, value in (("precision", precision), ("recall", recall)):
            check_probability(value, name=name, where="predict", ends=True)
        fit = self if segment is None else self.in_segment(segment)
        shares = fit.acceptance_draws(application, p=p).shares(precision, recall, who=who)
        return fit._estimate(shares, application)

    # -- means and metric --------------------------------------------------------------------

    @property
    def best_order(self) -> float:
        """The most probable kind of mean; the posterior mean of p where p is continuous."""
        if not self.mean_probabilities:
            return float(self.order_draws().mean())
        return max(self.mean_probabilities, key=lambda p: self.mean_probabilities[p])

    def bayes_factor(self, first: float, second: float) -> float:
        """Return how much more the answers speak for one kind of mean than for another."""
        for p in (first, second):
            if p not in self.log_evidence:
                raise UnknownNameError(where="mean p", name=p, names=self.log_evidence)
        return float(np.exp(self.log_evidence[first] - self.log_evidence[second]))

    def metric(self, application: str, *, p: float | None = None) -> PowerMean:
        """Return the metric to optimise, at the posterior mean of alpha.

        p is the one given, else the most probable; alpha is conditional on it.
        """
        order = self.best_order if p is None else p
        given = order if self.mean_probabilities else None
        alpha = float(self.draws("alpha", application, p=given).mean())
        return PowerMean(p=order, alpha=alpha)

    def __str__(self) -> str:
        return f"{self.summary()}\npriors: {self.priors.name}; evidence: {self.evidence}"

    def summary(self, *, p: float | None = None) -> Table:
        """Return mean, sd and 95 % HDI of every parameter, p among them where it is continuous.

        "alpha" takes one weight for everybody; "alpha, other people" is the middle person's where
        people may differ (`other_people`), and is left out where that is not known.
        """
        names = [
            (one_parameter, application)
            for application in self.applications
            for one_parameter in PARAMETERS
        ]
        estimates = [self.estimate(parameter, application, p=p) for parameter, application in names]
        if p is None and (others := self.other_people()) is not None:
            names += [("alpha, other people", application) for application in self.applications]
            estimates += [others.alpha(application) for application in self.applications]
        estimates.append(Estimate.from_draws(self.person_sd_draws(p=p)))
        names.append(("person_sd", "all"))
        if self.has_flawless_term:
            estimates.append(Estimate.from_draws(self._named("flawless", p)[:, 0]))
            names.append(("flawless", "all"))
        if not self.mean_probabilities:
            estimates.append(self.order)
            names.append(("p", "all"))
        return Table(
            {
                "application": np.array([application for _, application in names], dtype=object),
                "parameter": np.array([parameter for parameter, _ in names], dtype=object),
                "mean": np.array([estimate.mean for estimate in estimates]),
                "sd": np.array([estimate.sd for estimate in estimates]),
                "lower": np.array([estimate.interval.lower for estimate in estimates]),
                "upper": np.array([estimate.interval.upper for estimate in estimates]),
            }
        )

    def respondent_curve(
        self, application: str, *, points: int = 61, p: float | None = None
    ) -> Table:
        """Return the share expected among the people asked, by weighted mean from 0.4 to 1.

        Observed shares scatter around this curve. It differs from the population's (`predict`)
        where those asked happen to be stricter or more lenient than most; from 300 draws.
        """
        means = np.linspace(0.4, 1.0, points)
        rows = self._rows(p)
        used = rows[np.linspace(0, len(rows) - 1, min(300, len(rows))).astype(int)]
        shares = respondent_shares(self.cells, used, self._index(application), means)
        lower, upper = np.quantile(shares.drawn(), [0.025, 0.975], axis=0)
        share = shares.expected.mean(axis=0)
        return Table({"mean": means, "share": share, "lower": lower, "upper": upper})

    # -- the whole plane -----------------------------------------------------------------------

    def surface(
        self, application: str, *, points: int = 41, who: Who = "population", p: float | None = None
    ) -> Table:
        """Return the share accepting over the precision-recall plane, row by row.

        Columns precision, recall, share and the ends of the 95 % interval; from 300 draws.
        """
        draws = self.acceptance_draws(application, p=p)
        return acceptance_surface(draws, points=points, who=who)

    def iso_acceptability(
        self,
        application: str,
        *,
        shares: Sequence[float] = (0.25, 0.5, 0.75),
        who: Who = "population",
        p: float | None = None,
        points: int = 41,
    ) -> Table:
        """Return lines of equal acceptance: the recall needed at each precision, per share.

        A precision at which no recall reaches the share has no row.
        """
        plane = self.surface(application, points=points, who=who, p=p)
        return equal_acceptance(plane, points=points, shares=shares)

    # -- can it be believed? -------------------------------------------------------------------

    def predictive_check(self, *, random_state: RandomState = 0) -> Table:
        """Return how the answers compare with answers the model would give."""
        rng, _ = generator_and_seed(random_state)
        return evidence.predictive_check(self.cells, self.averaged_draws, rng=rng)

    def prior_sensitivity(self, *, random_state: RandomState = 0) -> Table:
        """Return P(p), or p where it is continuous, under tighter and wider priors of the slope."""
        rng, _ = generator_and_seed(random_state)
        if not self.mean_probabilities:
            return evidence.order_sensitivity(
                self.cells, self.priors, flawless=self.has_flawless_term, rng=rng
            )
        return evidence.prior_sensitivity(
            self.cells, self.priors, self.prior_of_means(), flawless=self.has_flawless_term, rng=rng
        )

    def prior_of_means(self) -> dict[float, float]:
        """Return prior probabilities of the kinds of mean; NaN stands for a continuous one."""
        if not self.mean_probabilities:
            return {CONTINUOUS: 1.0}
        weights = {p: self.priors.means.get(p, 1.0) for p in self.conditional_draws}
        total = sum(weights.values())
        return {float(p): weight / total for p, weight in weights.items()}

    def _likely_means(self) -> dict[float, float]:
        """Return the likeliest kind of mean alone; NaN stands for a continuous one."""
        return {float(self.best_order) if self.mean_probabilities else CONTINUOUS: 1.0}

    def methods_text(self) -> str:
        """Return a paragraph for the methods section, with references."""
        others = self.other_people()
        return binary_methods(
            n_people=self.n_respondents,
            applications=self.applications,
            cut=self.cut,
            priors=self.priors,
            flawless=self.has_flawless_term,
            diagnostics=self.diagnostics,
            provenance=self.provenance,
            shown_alpha="" if others is None else f"{others.methods_text()} ",
        )

    # -- keeping -----------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return what was learned as readable values, and the whole fit packed under "record"."""
        names = self.applications
        return {
            "applications": {name: self.respondents[name] for name in names},
            "evidence": {name: self.evidence_for(name) for name in names},
            "mean_probabilities": {f"{p:g}": share for p, share in self.mean_probabilities.items()},
            "metrics": {name: self.metric(name).to_dict() for name in names},
            "parameters": self.summary(),
            "person_sd": self.person_sd.to_dict(),
            "diagnostics": self.diagnostics.to_dict(),
            "provenance": self.provenance.to_dict(),
        }

    @classmethod
    def load(cls, path: str | Path) -> "AcceptabilityFit":
        """Return the fit that `save` wrote: `learn.load_fit`."""
        fit: AcceptabilityFit = import_module("howgood.learn.acceptability").load_fit(path)
        return fit

    def save(self, path: str | Path) -> None:
        """Write the fit to one file (.npz); read it back with `load` or `learn.load_fit`."""
        values = {
            **fit_file.shared_values(self),
            "applications": list(self.applications),
            "respondents": dict(self.respondents),
            "cut": self.cut,
            "correlations": None if self.correlations is None else list(self.correlations.rows()),
        }
        arrays = {**fit_file.shared_arrays(self), **self.cells.to_arrays()}
        if self.segmented is not None:
            more_values, more_arrays = saved_people(self.segmented)
            values, arrays = {**values, "people": more_values}, {**arrays, **more_arrays}
        if self.measured is not None:
            weights, weight_arrays = saved_weights(self.measured)
            values, arrays = {**values, "measures": weights}, {**arrays, **weight_arrays}
        fit_file.write_fit(path, kind=KIND, values=values, arrays=arrays)

    def to_arviz(self) -> Any:  # noqa: ANN401 - ArviZ is not a dependency
        """Return the averaged draws as an ArviZ object, with each person's log likelihood."""
        people = evidence.person_log_likelihoods(self.cells, self.priors, self.averaged_draws)
        single = ("person_sd", "p", "flawless")
        posterior = {name: self._named(name, None)[None, :, :] for name in PARAMETERS}
        posterior |= {name: self._named(name, None)[None, :, 0] for name in single}
        return arviz_object(
            posterior,
            dims={name: ["application"] for name in PARAMETERS},
            coords={"application": list(self.applications)},
            log_likelihood={"answers": people[None, :, :]},
        )

    # -- inside ------------------------------------------------------------------------------

    def _estimate(
        self, draws: FloatArray, application: str, *, probability: float = 0.95
    ) -> Estimate:
        return Estimate.from_draws(
            draws,
            probability=probability,
            n_respondents=self.respondents[application],
            evidence=self.evidence_for(application),
        )

    def _index(self, application: str) -> int:
        return place_of(application, self.applications, where="application")

    def _named(self, parameter: str, p: float | None) -> FloatArray:
        return self._rows(p)[:, draw_columns(len(self.applications))[parameter]]

    def _rows(self, p: float | None) -> FloatArray:
        if p is None:
            return self.averaged_draws
        if p not in self.conditional_draws:
            raise UnknownNameError(where="mean p", name=p, names=self.conditional_draws)
        return self.conditional_draws[p]
