"""What was learned about imagined and real systems together.

In: draws of the posterior, made by `learn.fit_ordinal`. Out: `OrdinalFit`. Absent: sampling.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from howgood.errors import InputError, UnknownNameError
from howgood.learn import fit_file, ordinal_likelihood
from howgood.learn.fit_file import arviz_object, ordinal_methods
from howgood.learn.ordinal_model import OrdinalModel, RatingCells, draw_columns
from howgood.records.acceptance import AcceptanceDraws
from howgood.records.diagnostics import Diagnostics
from howgood.records.estimate import Estimate
from howgood.records.evidence import Evidence
from howgood.records.power_mean import PowerMean
from howgood.records.priors import Priors
from howgood.records.probability import check_probability
from howgood.records.provenance import Provenance
from howgood.records.table import Table, Tabular
from howgood.stats.arrays import FloatArray
from howgood.stats.power_mean import power_mean
from howgood.stats.random_intercepts import normal_nodes

KIND = "ordinal fit"
# Below, slope and scale lean on the priors. At one fixed truth with two parts and 22 people, 95 %
# intervals still held 93 to 96 % ("ordinal: ..., fixed truth" in docs/explanation/calibration.md).
FEW_PEOPLE = 40
SINGLE = ("person_sd", "p")  # parameters that are one number each
BY_APPLICATION = ("slope", "alpha", "level")
BY_PART = ("shift", "log_scale")
_BLOCK = 100  # draws whose probabilities are held at once


@dataclass(frozen=True, slots=True, kw_only=True)
class OrdinalFit(Tabular):
    """A posterior of the ordinal model.

    `p=None` in any method averages over the kinds of mean; `application` may be left out where the
    fit knows only one. `shift` and `log_scale` hold one estimate per part other than the
    reference: how much higher people rate there at the same accuracy (on the logit scale), and the
    log of how spread out their ratings are. "level" is how much higher an application is rated than
    the first one, beyond what slope and alpha say.

    Stability: experimental

    Examples
    --------
    >>> from howgood import ask, learn
    >>> answers = ask.simulate_ordinal_answers(people=60, random_state=1)
    >>> fit = learn.fit_ordinal(answers, means=(0,), draws=1000, random_state=1)
    >>> sorted(fit.shift)
    ['last 30 days', 'last year']
    >>> fit.shift["last year"].mean > fit.shift["last 30 days"].mean
    True
    """

    frame_of: ClassVar[str] = "summary"

    applications: tuple[str, ...]
    parts: tuple[str, ...]
    levels: tuple[int, ...]
    n_respondents: int
    mean_probabilities: Mapping[float, float]
    log_evidence: Mapping[float, float]
    averaged_draws: FloatArray = field(repr=False)
    conditional_draws: Mapping[float, FloatArray] = field(repr=False)
    cells: RatingCells = field(repr=False)
    priors: Priors
    diagnostics: Diagnostics
    provenance: Provenance = field(repr=False)
    correlations: Table | None = field(default=None, repr=False)

    @property
    def evidence(self) -> Evidence:
        """Whether the ratings suffice to decide: "enough", or "few people" (below 40)."""
        return "few people" if self.n_respondents < FEW_PEOPLE else "enough"

    def draws(
        self, parameter: str, application: str | None = None, *, p: float | None = None
    ) -> FloatArray:
        """Return draws of "slope", "alpha" or "level" of an application, "person_sd" or "p"."""
        if parameter in SINGLE:
            return self._named(parameter, p)[:, 0]
        if parameter not in BY_APPLICATION:
            raise UnknownNameError(
                where="parameter", name=parameter, names=(*BY_APPLICATION, *SINGLE)
            )
        place, values = self._index(application), self._named(parameter, p)
        if parameter != "level":
            return values[:, place]
        return values[:, place - 1] if place else np.zeros(len(values))

    def part_draws(self, parameter: str, part: str, *, p: float | None = None) -> FloatArray:
        """Return draws of "shift" or "log_scale" of one part; the reference's are zero."""
        if parameter not in BY_PART:
            raise UnknownNameError(where="parameter", name=parameter, names=BY_PART)
        if part not in self.parts:
            raise UnknownNameError(where="part", name=part, names=self.parts)
        others = self._named(parameter, p)
        if part == self.parts[0]:
            return np.zeros(len(others))
        return others[:, self.parts.index(part) - 1]

    def estimate(
        self, parameter: str, application: str | None = None, *, p: float | None = None
    ) -> Estimate:
        """Return the estimate of "slope", "alpha", "level", "person_sd" or "p"."""
        return self._estimate(self.draws(parameter, application, p=p))

    def difference(
        self, parameter: str, first: str, second: str, *, p: float | None = None
    ) -> Estimate:
        """Return the estimate of `first` minus `second` application, from paired draws."""
        return self._estimate(
            self.draws(parameter, first, p=p) - self.draws(parameter, second, p=p)
        )

    @property
    def slope(self) -> Estimate:
        """How the latent rating grows with the weighted mean, where there is one application."""
        return self.estimate("slope")

    @property
    def alpha(self) -> Estimate:
        """The weight of precision, where there is one application."""
        return self.estimate("alpha")

    @property
    def person_sd(self) -> Estimate:
        """Standard deviation of people's leniency."""
        return self.estimate("person_sd")

    @property
    def shift(self) -> dict[str, Estimate]:
        """Location of each other part against the reference."""
        return {part: self._estimate(self.part_draws("shift", part)) for part in self.parts[1:]}

    @property
    def log_scale(self) -> dict[str, Estimate]:
        """Log of the scale of each other part against the reference."""
        return {part: self._estimate(self.part_draws("log_scale", part)) for part in self.parts[1:]}

    @property
    def scale_ratio(self) -> dict[str, Estimate]:
        """Standard deviation of answers in each other part over that in the reference, exp(ζ)."""
        return {
            part: self._estimate(np.exp(self.part_draws("log_scale", part)))
            for part in self.parts[1:]
        }

    @property
    def variance_ratio(self) -> dict[str, Estimate]:
        """Variance of answers in each other part over that in the reference, exp(2 ζ)."""
        return {
            part: self._estimate(np.exp(2.0 * self.part_draws("log_scale", part)))
            for part in self.parts[1:]
        }

    def thresholds(self, *, p: float | None = None) -> Table:
        """Return where one rating passes into the next, on the latent scale."""
        rows = self._named("threshold", p)
        estimates = [self._estimate(rows[:, index]) for index in range(rows.shape[1])]
        return Table(
            {
                "up_to": np.array(self.levels[:-1]),
                "mean": np.array([estimate.mean for estimate in estimates]),
                "lower": np.array([estimate.interval.lower for estimate in estimates]),
                "upper": np.array([estimate.interval.upper for estimate in estimates]),
            }
        )

    def rating_draws(
        self,
        *,
        precision: float,
        recall: float,
        part: str,
        application: str | None = None,
        participant: str | None = None,
    ) -> FloatArray:
        """Return draws of the share of people giving each level, shape (draws, levels).

        Of one `participant`: how probable each level is, given all their ratings.
        """
        nodes, _ = normal_nodes()
        scale = np.exp(self.part_draws("log_scale", part))[:, None, None]
        alpha = self.draws("alpha", application)
        center = ordinal_likelihood.centre(
            self.draws("slope", application),
            power_mean(precision, recall, p=self.draws("p"), alpha=alpha),
            self.draws("level", application),
            self.part_draws("shift", part),
        )
        away, gap = ordinal_likelihood.standardised(
            self._named("threshold", None)[:, :, None], center[:, None, None], scale
        )
        x = away - self.draws("person_sd")[:, None, None] / scale * nodes
        shares = np.exp(ordinal_likelihood.log_levels(np, x, gap))
        return np.asarray((shares * self._leniency(participant)[:, None, :]).sum(axis=2))

    def predict(
        self,
        *,
        precision: float,
        recall: float,
        part: str,
        application: str | None = None,
        participant: str | None = None,
        at_least: int = 5,
    ) -> Estimate:
        """Return the share of people whose rating reaches `at_least`.

        Of one `participant`: the probability that theirs does, given all their ratings.

        Where nobody rated lower, the model has no threshold to tell a share by.
        """
        if 1 < at_least <= self.levels[0]:
            raise InputError(
                where="at_least",
                found=f"{at_least}, where nobody rated below {self.levels[0]}",
                needed=f"a rating above {self.levels[0]}: how many would rate lower is not known",
                cure="Ask more people, or about a wider range of accuracies.",
            )
        for name, value in (("precision", precision), ("recall", recall)):
            check_probability(value, name=name, where="predict", ends=True)
        shares = self.rating_draws(
            precision=precision,
            recall=recall,
            part=part,
            application=application,
            participant=participant,
        )
        return self._estimate(shares[:, np.array(self.levels) >= at_least].sum(axis=1))

    def acceptance_of(
        self, part: str, application: str | None = None, *, at_least: int | None = None
    ) -> AcceptanceDraws:
        r"""Return one part as draws that every decision takes: who rates `at_least` so high.

        :math:`P(Y \ge l) = E_U[\operatorname{expit}((b M + \gamma + \beta + U - \theta)/e^\zeta)]`
        is a binary model with everything divided by the part's scale. `at_least` is the first
        rating above the middle of the scale when left out (5 of 7).
        """
        points = int(self.provenance.settings.get("scale", 7))
        least = points - points // 2 + 1 if at_least is None else at_least
        below = int(np.sum(np.array(self.levels) < least))
        if not 0 < below < len(self.levels):
            raise InputError(
                where="acceptance_of, at_least",
                found=f"{least}, where ratings go from {self.levels[0]} to {self.levels[-1]}",
                needed="a rating that some gave, and others stayed below",
                cure="Name another rating, or ask about a wider range of accuracies.",
            )
        place, scale = self._index(application), np.exp(self.part_draws("log_scale", part))
        name = self.applications[place]
        threshold = self._named("threshold", None)[:, below - 1]
        lift = self.draws("level", name) + self.part_draws("shift", part)
        return AcceptanceDraws(
            application=name,
            p=self.draws("p"),
            alpha=self.draws("alpha", name),
            intercept=(lift - threshold) / scale,
            slope=self.draws("slope", name) / scale,
            person_sd=self.draws("person_sd") / scale,
            n_respondents=self.n_respondents,
            evidence=self.evidence,
            lowest_shown=self._lowest_shown(place, self.parts.index(part)),
        )

    def in_part(self, part: str, *, at_least: int | None = None) -> "RatedPart":
        """Return one part with all applications, as every decision takes it."""
        known = {
            name: self.acceptance_of(part, name, at_least=at_least) for name in self.applications
        }
        return RatedPart(part=part, known=known)

    def _lowest_shown(self, application: int, part: int) -> float:
        """Return the lowest accuracy people rated in a part; in any part where none was."""
        shown = (self.cells.precision + self.cells.recall) / 2
        here = self.cells.application == application
        both = here & (self.cells.part == part)
        return float(shown[both if both.any() else here].min())

    def metric(self, application: str | None = None, *, p: float | None = None) -> PowerMean:
        """Return the metric to optimise, at the posterior mean of alpha given p."""
        if not self.mean_probabilities:
            alpha = self.estimate("alpha", application).mean
            return PowerMean(p=float(self.draws("p").mean()), alpha=alpha)
        best = max(self.mean_probabilities, key=lambda order: self.mean_probabilities[order])
        order = best if p is None else p
        return PowerMean(p=order, alpha=self.estimate("alpha", application, p=order).mean)

    def __str__(self) -> str:
        return str(self.summary())

    def summary(self) -> Table:
        """Return mean, sd and 95 % HDI of every parameter; scale and variance apart."""
        estimates = {}
        for place, application in enumerate(self.applications):
            named = f", {application}" if len(self.applications) > 1 else ""
            for name in BY_APPLICATION[: 3 if place else 2]:
                estimates[f"{name}{named}"] = self.estimate(name, application)
        estimates["person_sd"] = self.person_sd
        for name in ("shift", "log_scale", "scale_ratio", "variance_ratio"):
            estimates |= {f"{name}, {part}": entry for part, entry in getattr(self, name).items()}
        return Table(
            {
                "parameter": np.array(list(estimates), dtype=object),
                "mean": np.array([estimate.mean for estimate in estimates.values()]),
                "sd": np.array([estimate.sd for estimate in estimates.values()]),
                "lower": np.array([estimate.interval.lower for estimate in estimates.values()]),
                "upper": np.array([estimate.interval.upper for estimate in estimates.values()]),
            }
        )

    def methods_text(self) -> str:
        """Return a paragraph for the methods section, with references."""
        return ordinal_methods(
            n_people=self.n_respondents,
            applications=self.applications,
            parts=self.parts,
            levels=self.levels,
            priors=self.priors,
            diagnostics=self.diagnostics,
            provenance=self.provenance,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return what was learned as readable values, and the whole fit packed under "record"."""
        return {
            "applications": self.applications,
            "parts": self.parts,
            "levels": self.levels,
            "n_respondents": self.n_respondents,
            "evidence": self.evidence,
            "mean_probabilities": {
                f"{p:g}": mean_probability
                for p, mean_probability in self.mean_probabilities.items()
            },
            "parameters": self.summary(),
            "diagnostics": self.diagnostics.to_dict(),
            "provenance": self.provenance.to_dict(),
        }

    @classmethod
    def load(cls, path: str | Path) -> "OrdinalFit":
        """Return the fit that `save` wrote: `learn.load_ordinal_fit`."""
        fit: OrdinalFit = import_module("howgood.learn.ordinal").load_ordinal_fit(path)
        return fit

    def save(self, path: str | Path) -> None:
        """Write the fit to one file (.npz); read it back with `load` or `load_ordinal_fit`."""
        cells = self.cells
        values = {
            **fit_file.shared_values(self),
            "applications": list(self.applications),
            "parts": list(self.parts),
            "levels": list(self.levels),
            "people": list(cells.people),
            "correlations": None if self.correlations is None else list(self.correlations.rows()),
        }
        arrays = {
            **fit_file.shared_arrays(self),
            "cell_application": cells.application,
            "cell_part": cells.part,
            "cell_precision": cells.precision,
            "cell_recall": cells.recall,
            "counts": cells.counts,
        }
        fit_file.write_fit(path, kind=KIND, values=values, arrays=arrays)

    def to_arviz(self) -> Any:  # noqa: ANN401 - ArviZ is not a dependency
        """Return the averaged draws as an ArviZ object (needs the package arviz).

        Its log likelihood is that of each person's ratings together, people's leniency integrated
        over: `arviz.loo` leaves out one person at a time.
        """
        names = ("threshold", *BY_APPLICATION, *BY_PART)
        posterior = {name: self.draws(name)[None, :] for name in SINGLE}
        posterior |= {name: self._named(name, None)[None, :, :] for name in names}
        model = self._model()
        people = model.log_likelihoods(model.from_natural(self.averaged_draws))
        return arviz_object(
            posterior,
            dims={
                "threshold": ["up_to"],
                "slope": ["application"],
                "alpha": ["application"],
                "level": ["other_application"],
                "shift": ["part"],
                "log_scale": ["part"],
            },
            coords={
                "up_to": [str(level) for level in self.levels[:-1]],
                "application": self.applications,
                "other_application": self.applications[1:],
                "part": self.parts[1:],
                "person": self.cells.people,
            },
            log_likelihood={"ratings": people[None, :, :]},
        )

    def _model(self) -> OrdinalModel:
        """Return the model whose points any draw of this fit can be turned into."""
        return OrdinalModel(self.cells, self.cells.groups, self.priors, None)

    def _leniency(self, participant: str | None) -> FloatArray:
        """Return weights of people's leniency, shape (draws or 1, nodes); of one person, or all.

        A person's own are given all ratings of that person.
        """
        _, weights = normal_nodes()
        if participant is None:
            return weights[None, :]
        if participant not in self.cells.people:
            raise UnknownNameError(where="participant", name=participant, names=self.cells.people)
        counts = self.cells.counts[self.cells.people.index(participant)].astype(np.float32)
        model = self._model()
        points = model.from_natural(self.averaged_draws)
        joint = np.concatenate(
            [
                np.tensordot(counts, model.log_terms(points[start : start + _BLOCK]), axes=1)
                for start in range(0, len(points), _BLOCK)
            ]
        ).astype(np.float64) + np.log(weights)
        own = np.exp(joint - joint.max(axis=1, keepdims=True))
        return np.asarray(own / own.sum(axis=1, keepdims=True))

    def _index(self, application: str | None) -> int:
        if application is None and len(self.applications) > 1:
            raise InputError(
                where="ordinal fit",
                found="no application named",
                needed=f"one of {', '.join(map(repr, self.applications))}",
                cure=f"Pass application={self.applications[0]!r}.",
            )
        if application is not None and application not in self.applications:
            raise UnknownNameError(where="application", name=application, names=self.applications)
        return 0 if application is None else self.applications.index(application)

    def _named(self, parameter: str, p: float | None) -> FloatArray:
        columns = draw_columns(len(self.levels) - 1, len(self.parts) - 1, len(self.applications))
        return self._rows(p)[:, columns[parameter]]

    def _estimate(self, draws: FloatArray) -> Estimate:
        return Estimate.from_draws(draws, n_respondents=self.n_respondents, evidence=self.evidence)

    def _rows(self, p: float | None) -> FloatArray:
        if p is None:
            return self.averaged_draws
        if p not in self.conditional_draws:
            raise UnknownNameError(where="mean p", name=p, names=self.conditional_draws)
        return self.conditional_draws[p]


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedPart:
    """One part of an ordinal fit, which every decision takes like a fit of that part alone."""

    part: str
    known: Mapping[str, AcceptanceDraws] = field(repr=False)

    @property
    def applications(self) -> tuple[str, ...]:
        """Names of the applications."""
        return tuple(self.known)

    def acceptance_draws(self, application: str) -> AcceptanceDraws:
        """Return the paired draws of one application in this part."""
        if application not in self.known:
            raise UnknownNameError(where="application", name=application, names=self.applications)
        return self.known[application]
