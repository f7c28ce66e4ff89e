"""What other people weigh: the weight of precision where everybody may have a weight of their own.

In: the cells, priors and draws of a fit that gives everybody one weight. Out: `OtherPeople`, whose
intervals hold for people who were not asked. Absent: the density (`learn.segment_model`), and
everybody's own weight (`learn.segments`).

One weight for everybody is known the better the more answers everybody gives, even of very few
people. Where people have weights of their own, how far the middle one lies in other people depends
on how many people there are, and answers alone make up for nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import ClassVar, Literal

import numpy as np
from scipy.special import expit

from howgood.errors import UngatedPosteriorError, UnknownNameError
from howgood.learn.binary_model import Cells, draw_columns
from howgood.learn.engines.importance import careful_pilot, natural_draws
from howgood.learn.engines.select import choose_and_sample
from howgood.learn.kinds import order_of, tidy
from howgood.learn.segment_model import ALPHA_SPREAD, SegmentModel, nodes_for
from howgood.records.diagnostics import Diagnostics
from howgood.records.estimate import Estimate
from howgood.records.evidence import Evidence
from howgood.records.priors import Priors
from howgood.records.provenance import Provenance
from howgood.records.table import Table, Tabular
from howgood.stats.arrays import FloatArray
from howgood.stats.randomness import RandomState, generator_and_seed

Weights = Literal["own weights", "one weight", "not enough evidence"]

# Of more people it takes longer than the fit, and intervals are a hundredth wide.
MOST_PEOPLE = 2000
_DRAWS = 1000
_SURE = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherPeople(Tabular):
    """The weight of precision among people like those asked, given kinds of mean.

    `mean_probabilities` are those of the kinds averaged over, empty where the order is continuous.
    `probability` is that people's weights differ, as likely as not beforehand, and not a number
    where the order is continuous. `spread_draws` are
    those of the standard deviation of the logit of alpha between people, `alpha_draws` (draws,
    applications) those of the middle person's alpha. Where people clearly weigh alike, they are
    those of the fit with one weight for everybody.

    Stability: experimental
    """

    frame_of: ClassVar[str] = "table"

    applications: tuple[str, ...]
    mean_probabilities: Mapping[float, float]
    probability: float
    spread_draws: FloatArray = field(repr=False)
    alpha_draws: FloatArray = field(repr=False)
    respondents: Mapping[str, int]
    evidence: Mapping[str, Evidence]
    diagnostics: Diagnostics
    provenance: Provenance = field(repr=False)

    @property
    def verdict(self) -> Weights:
        """Whether people have weights of their own, or one, or the answers cannot tell."""
        if self.probability >= _SURE:
            return "own weights"
        return "one weight" if self.probability <= 1.0 - _SURE else "not enough evidence"

    @property
    def spread(self) -> Estimate:
        """Standard deviation of the logit of alpha between people, if they differ."""
        return Estimate.from_draws(self.spread_draws, n_respondents=max(self.respondents.values()))

    def draws(self, application: str) -> FloatArray:
        """Return draws of the middle person's alpha."""
        if application not in self.applications:
            raise UnknownNameError(where="application", name=application, names=self.applications)
        return np.asarray(self.alpha_draws[:, self.applications.index(application)])

    def alpha(self, application: str) -> Estimate:
        """Return the weight of precision, with an interval that holds for other people."""
        return Estimate.from_draws(
            self.draws(application),
            n_respondents=self.respondents[application],
            evidence=self.evidence[application],
        )

    def difference(self, first: str, second: str) -> Estimate:
        """Return alpha(first) - alpha(second): paired, for the draws share one posterior."""
        return Estimate.from_draws(
            self.draws(first) - self.draws(second),
            n_respondents=min(self.respondents[first], self.respondents[second]),
        )

    def methods_text(self) -> str:
        """Return how the weights that are shown were estimated, for a methods section."""
        how_likely = (
            ""
            if np.isnan(self.probability)
            else f" Weights that differ had a probability of {_bounded(self.probability)} (as "
            "likely as not beforehand)."
        )
        shown = (
            "intervals of alpha are those of one weight for everybody"
            if self.verdict == "one weight"
            else "intervals of alpha in texts and pictures are about the respondent whose own is "
            "the middle one"
        )
        return (
            f"The model was fitted again with a normal effect per respondent on the logit of alpha "
            f"(sd ~ {ALPHA_SPREAD}).{how_likely} So {shown}."
        )

    @property
    def table(self) -> Table:
        """Alpha of every application: mean, sd and 95 % interval."""
        found = [self.alpha(name) for name in self.applications]
        return Table(
            {
                "application": np.array(self.applications, dtype=object),
                "mean": np.array([one.mean for one in found]),
                "sd": np.array([one.sd for one in found]),
                "lower": np.array([one.interval.lower for one in found]),
                "upper": np.array([one.interval.upper for one in found]),
            }
        )


def _bounded(chance: float) -> str:
    """Write a probability, never as certain."""
    if chance > 0.99:
        return "above 0.99"
    return "below 0.01" if chance < 0.01 else f"{chance:.2f}"


def other_people(
    cells: Cells,
    priors: Priors,
    *,
    prior: Mapping[float, float],
    draws: FloatArray,
    log_evidence: Mapping[float, float],
    respondents: Mapping[str, int],
    evidence: Mapping[str, Evidence],
    provenance: Provenance,
    most_people: float = MOST_PEOPLE,
    random_state: RandomState = 0,
) -> OtherPeople | None:
    """Fit the same answers with weights of people's own; None where that cannot be done.

    `prior` has the kinds of mean to average over with their prior probabilities; the key is NaN
    where the order is continuous. `draws` are those of the fit with one weight for everybody, in
    natural units, and `log_evidence` is its evidence by kind. Fits of thousands of people are left
    alone, and so are those whose answers say nothing or whose draws would not pass the gates.
    """
    if len(cells.groups.alike) > most_people or set(evidence.values()) == {"none"}:
        return None
    rng, seed = generator_and_seed(random_state)
    columns = draw_columns(len(cells.applications))
    models = _models(cells, priors, tuple(prior), draws)
    try:
        mixture, diagnostics = choose_and_sample(
            models, prior, engine="importance", draws=_DRAWS, rng=rng,
            find=partial(careful_pilot, enough=_DRAWS),
        )  # fmt: skip
    except UngatedPosteriorError:
        return None
    natural, _ = natural_draws(mixture, models, _DRAWS, rng)
    gap = _total(mixture.log_evidence, prior) - _total(log_evidence, prior)
    found = OtherPeople(
        applications=cells.applications,
        mean_probabilities=tidy(mixture.probabilities),
        probability=float(expit(np.clip(gap, -700.0, 700.0))),
        spread_draws=natural[:, -1],
        alpha_draws=natural[:, columns["alpha"]],
        respondents=respondents,
        evidence=evidence,
        diagnostics=diagnostics,
        provenance=replace(
            provenance,
            method=f"{provenance.method}; weights of people's own, importance",
            settings={**provenance.settings, "draws": _DRAWS},
            seed=seed,
        ),
    )
    if found.verdict == "one weight":
        return replace(found, alpha_draws=draws[:, columns["alpha"]])
    return found


def _models(
    cells: Cells, priors: Priors, orders: tuple[float, ...], draws: FloatArray
) -> dict[float, SegmentModel]:
    """Return the model of each kind of mean, on as many nodes as people's leniency asks for."""
    columns = draw_columns(len(cells.applications))
    model = SegmentModel(
        (cells,),
        priors,
        0.0,
        flawless=bool(draws[:, columns["flawless"]].any()),
        has_own_alphas=True,
        n_nodes=nodes_for(draws[:, columns["person_sd"]]),
    )
    return {order: replace(model, order=order_of(order)) for order in orders}


def _total(log_evidence: Mapping[float, float], prior: Mapping[float, float]) -> float:
    """Log evidence averaged over the kinds of mean; not a number where p is continuous."""
    terms = [log_evidence.get(order, np.nan) + np.log(share) for order, share in prior.items()]
    return float("nan") if np.isnan(tuple(prior)).any() else float(np.logaddexp.reduce(terms))
