"""What was learned about imagined and real systems together.

In: draws of the posterior, made by `learn.fit_ordinal`. Out: `OrdinalFit`. Absent: sampling.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from scipy.special import expit

from howgood.errors import InputError, UnknownNameError
from howgood.learn import fit_file
from howgood.learn.fit_file import arviz_object, ordinal_methods
from howgood.learn.ordinal_model import RatingCells, draw_columns
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
SINGLE = ("slope", "alpha", "person_sd", "p")  # parameters that are one number each


@dataclass(frozen=True, slots=True, kw_only=True)
class OrdinalFit(Tabular):
    """A posterior of the ordinal model.

    `p=None` in any method averages over the kinds of mean. `shift` and `log_scale` hold one
    estimate per part beside the reference: how much higher people rate there at the same accuracy
    (on the logit scale), and the log of how spread out their ratings are.

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

    @property
    def evidence(self) -> Evidence:
        """Whether the ratings suffice to decide: "enough", or "few people" (below 40)."""
        return "few people" if self.n_respondents < FEW_PEOPLE else "enough"

    def draws(self, parameter: str, *, p: float | None = None) -> FloatArray:
        """Return draws of "slope", "alpha", "person_sd" or "p"."""
        if parameter not in SINGLE:
            raise UnknownNameError(where="parameter", name=parameter, names=SINGLE)
        return self._named(parameter, p)[:, 0]

    def part_draws(self, parameter: str, part: str, *, p: float | None = None) -> FloatArray:
        """Return draws of "shift" or "log_scale" of one part; the reference's are zero."""
        names = ("shift", "log_scale")
        if parameter not in names:
            raise UnknownNameError(where="parameter", name=parameter, names=names)
        if part not in self.parts:
            raise UnknownNameError(where="part", name=part, names=self.parts)
        others = self._named(parameter, p)
        if part == self.parts[0]:
            return np.zeros(len(others))
        return others[:, self.parts.index(part) - 1]

    def estimate(self, parameter: str, *, p: float | None = None) -> Estimate:
        """Return the estimate of "slope", "alpha", "person_sd" or "p"."""
        return self._estimate(self.draws(parameter, p=p))

    @property
    def slope(self) -> Estimate:
        """How the latent rating grows with the weighted mean."""
        return self.estimate("slope")

    @property
    def alpha(self) -> Estimate:
        """The weight of precision."""
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
        found = [self._estimate(rows[:, index]) for index in range(rows.shape[1])]
        return Table(
            {
                "up_to": np.array(self.levels[:-1]),
                "mean": np.array([estimate.mean for estimate in found]),
                "lower": np.array([estimate.interval.lower for estimate in found]),
                "upper": np.array([estimate.interval.upper for estimate in found]),
            }
        )

    def rating_draws(self, *, precision: float, recall: float, part: str) -> FloatArray:
        """Return draws of the share of people giving each level, shape (draws, levels)."""
        mean = power_mean(precision, recall, p=self.draws("p"), alpha=self.draws("alpha"))
        center = self.draws("slope") * mean + self.part_draws("shift", part)
        nodes, weights = normal_nodes()
        scale = np.exp(self.part_draws("log_scale", part))
        at = self._named("threshold", None) - center[:, None]
        x = at[:, :, None] - (self.draws("person_sd")[:, None] * nodes)[:, None, :]
        below = expit(x / scale[:, None, None]) @ weights
        return np.diff(below, axis=1, prepend=0.0, append=1.0)

    def predict(self, *, precision: float, recall: float, part: str, at_least: int = 5) -> Estimate:
        """Return the share of people whose rating reaches `at_least`.

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
        shares = self.rating_draws(precision=precision, recall=recall, part=part)
        return self._estimate(shares[:, np.array(self.levels) >= at_least].sum(axis=1))

    def acceptance_of(self, part: str, *, at_least: int | None = None) -> AcceptanceDraws:
        r"""Return one part as draws that every decision takes: who rates `at_least` so high.

        :math:`P(Y \ge l) = E_U[\operatorname{expit}((b M + \beta + U - \theta)/e^\zeta)]` is a
        binary model with everything divided by the part's scale. `at_least` is the first rating
        above the middle of the scale when left out (5 of 7).
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
        scale = np.exp(self.part_draws("log_scale", part))
        threshold = self._named("threshold", None)[:, below - 1]
        shown = (self.cells.precision + self.cells.recall) / 2
        here = self.cells.part == self.parts.index(part)
        return AcceptanceDraws(
            application=str(self.provenance.settings.get("application", part)),
            p=self.draws("p"),
            alpha=self.draws("alpha"),
            intercept=(self.part_draws("shift", part) - threshold) / scale,
            slope=self.draws("slope") / scale,
            person_sd=self.draws("person_sd") / scale,
            n_respondents=self.n_respondents,
            evidence=self.evidence,
            lowest_shown=float(shown[here].min()),
        )

    def metric(self, *, p: float | None = None) -> PowerMean:
        """Return the metric to optimise, at the posterior mean of alpha given p."""
        if not self.mean_probabilities:
            return PowerMean(p=float(self.draws("p").mean()), alpha=self.alpha.mean)
        best = max(self.mean_probabilities, key=lambda order: self.mean_probabilities[order])
        order = best if p is None else p
        return PowerMean(p=order, alpha=self.estimate("alpha", p=order).mean)

    def __str__(self) -> str:
        return str(self.summary())

    def summary(self) -> Table:
        """Return mean, sd and 95 % HDI of every parameter; scale and variance apart."""
        found = {name: self.estimate(name) for name in ("slope", "alpha", "person_sd")}
        for name in ("shift", "log_scale", "scale_ratio", "variance_ratio"):
            found |= {f"{name}, {part}": entry for part, entry in getattr(self, name).items()}
        return Table(
            {
                "parameter": np.array(list(found), dtype=object),
                "mean": np.array([estimate.mean for estimate in found.values()]),
                "sd": np.array([estimate.sd for estimate in found.values()]),
                "lower": np.array([estimate.interval.lower for estimate in found.values()]),
                "upper": np.array([estimate.interval.upper for estimate in found.values()]),
            }
        )

    def methods_text(self) -> str:
        """Return a paragraph for the methods section, with references."""
        return ordinal_methods(
            n_people=self.n_respondents,
            parts=self.parts,
            levels=self.levels,
            priors=self.priors,
            diagnostics=self.diagnostics,
            provenance=self.provenance,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return what was learned as readable values, and the whole fit packed under "record"."""
        return {
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
        found: OrdinalFit = import_module("howgood.learn.ordinal").load_ordinal_fit(path)
        return found

    def save(self, path: str | Path) -> None:
        """Write the fit to one file (.npz); read it back with `load` or `load_ordinal_fit`."""
        cells = self.cells
        values = {
            **fit_file.shared_values(self),
            "parts": list(self.parts),
            "levels": list(self.levels),
            "people": list(cells.people),
        }
        arrays = {
            **fit_file.shared_arrays(self),
            "cell_part": cells.part,
            "cell_precision": cells.precision,
            "cell_recall": cells.recall,
            "counts": cells.counts,
        }
        fit_file.write_fit(path, kind=KIND, values=values, arrays=arrays)

    def to_arviz(self) -> Any:  # noqa: ANN401 - ArviZ is not a dependency
        """Return the averaged draws as an ArviZ object (needs the package arviz)."""
        posterior = {name: self.draws(name)[None, :] for name in SINGLE}
        for name in ("threshold", "shift", "log_scale"):
            posterior[name] = self._named(name, None)[None, :, :]
        return arviz_object(
            posterior,
            dims={"threshold": ["up_to"], "shift": ["part"], "log_scale": ["part"]},
            coords={"up_to": [str(level) for level in self.levels[:-1]], "part": self.parts[1:]},
        )

    def _named(self, parameter: str, p: float | None) -> FloatArray:
        columns = draw_columns(len(self.levels) - 1, len(self.parts) - 1)
        return self._rows(p)[:, columns[parameter]]

    def _estimate(self, draws: FloatArray) -> Estimate:
        return Estimate.from_draws(draws, n_respondents=self.n_respondents, evidence=self.evidence)

    def _rows(self, p: float | None) -> FloatArray:
        if p is None:
            return self.averaged_draws
        if p not in self.conditional_draws:
            raise UnknownNameError(where="mean p", name=p, names=self.conditional_draws)
        return self.conditional_draws[p]
