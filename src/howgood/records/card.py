"""A model card: what is known about acceptance in one application, small enough to share.

In: summaries and thinned draws of a fit, or numbers from a publication. Out: `ModelCard`, which
decisions take in place of a fit when it has draws. Absent: files (see `flow.registry`).
"""

from collections.abc import Mapping
from typing import Any, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from howgood.errors import InputError, UnknownNameError
from howgood.records.acceptance import AcceptanceDraws
from howgood.records.estimate import Estimate
from howgood.records.evidence import FEW_PEOPLE, Evidence
from howgood.records.record import CoherentRecord, Problem, Record, read_record
from howgood.stats.arrays import FloatArray

DRAWN = ("p", "alpha", "intercept", "slope", "person_sd")
FLAWLESS = "flawless"  # only where a fit has a term for systems without any error
SPECIFICITY = "specificity"  # only where people weigh it, next to precision and recall
MOST_DRAWS = 400
FORMAT = 1


class CardEstimate(Record):
    """A mean with whatever spread its source reports; None where it does not."""

    mean: float
    sd: float | None = None
    lower: float | None = None
    upper: float | None = None
    probability: float | None = None

    @classmethod
    def of_draws(cls, draws: FloatArray) -> "CardEstimate":
        """Return mean, sd and 95 % highest-density interval of draws."""
        estimate = Estimate.from_draws(draws)
        ends = estimate.interval
        return cls(
            mean=estimate.mean,
            sd=estimate.sd,
            lower=ends.lower,
            upper=ends.upper,
            probability=ends.probability,
        )


class ReachedSystem(Record):
    """What a system reaches in an application, entered by hand with the source of its numbers."""

    name: str = Field(min_length=1)
    precision: float = Field(gt=0, le=1)
    recall: float = Field(gt=0, le=1)
    source: str = Field(min_length=1)


class ModelCard(CoherentRecord):
    """What is known about acceptance in one application.

    `source` says whether the numbers are "published" (copied from a paper) or come from a "fit".
    `given_order` is the order p the estimates are conditional on; None when averaged over orders.
    `order_probabilities` maps an order such as "-1" to its posterior probability. `draws` holds
    paired, thinned posterior draws; it is empty for publications that report none, and such a card
    can inform but not predict. `evidence` says whether the answers suffice to decide; a card that
    does not say so (written by an earlier version) counts as enough only with 10 people or more and
    a slope that is known to be positive. Where people also weigh specificity, `specificity` is its
    weight, alpha precision's share of the rest, and `prevalence` how rare the thing is, which says
    what specificity follows from precision and recall. `systems` is what systems reach, each with
    its source.

    Stability: experimental
    """

    name: str
    application: str
    description: str
    source: Literal["published", "fit"]
    citation: str
    licence: str
    model: Literal["binary", "ordinal"]
    levels: tuple[float, ...] = ()
    n_respondents: int | None = None
    n_answers: int | None = None
    given_order: float | None = None
    order_probabilities: Mapping[str, float] = Field(default_factory=dict)
    alpha: CardEstimate | None = None
    intercept: CardEstimate | None = None
    slope: CardEstimate | None = None
    person_sd: CardEstimate | None = None
    specificity: CardEstimate | None = None
    prevalence: float | None = Field(default=None, gt=0, lt=1)
    draws: Mapping[str, tuple[float, ...]] = Field(default_factory=dict)
    notes: tuple[str, ...] = ()
    provenance: Mapping[str, str] = Field(default_factory=dict)
    format: int = FORMAT
    evidence: Evidence | None = None
    lowest_shown: float | None = None
    systems: tuple[ReachedSystem, ...] = ()

    @model_validator(mode="after")
    def _judge_earlier_cards(self) -> Self:
        if self.evidence is None:
            self.__dict__["evidence"] = self._judged()  # frozen for everybody else
        return self

    def problems(self) -> list[Problem]:
        """Return what does not fit together."""
        problems = []
        if not self.name or not all(sign.isalnum() or sign in "-_" for sign in self.name):
            problems.append(
                Problem(
                    path=("name",),
                    found=repr(self.name),
                    needed="letters, digits, - and _ only: it becomes a file name",
                    cure="Use for instance 'sleep-sensor'.",
                )
            )
        if self.format > FORMAT:
            problems.append(
                Problem(
                    path=("format",),
                    found=f"format {self.format}",
                    needed=f"format {FORMAT} or earlier",
                    cure="Update howgood.",
                )
            )
        lengths = {len(values) for values in self.draws.values()}
        needed = set(self.draws) - {FLAWLESS, SPECIFICITY}
        if self.draws and (needed != set(DRAWN) or len(lengths) != 1):
            counts = ", ".join(f"{len(values)} of {key}" for key, values in self.draws.items())
            problems.append(
                Problem(
                    path=("draws",),
                    found=counts,
                    needed=f"equally many of {', '.join(DRAWN)}",
                    cure="Write the card with `howgood registry add`.",
                )
            )
        return [*problems, *self._problems_of_specificity()]

    def _problems_of_specificity(self) -> list[Problem]:
        if SPECIFICITY not in self.draws or self.prevalence is not None:
            return []
        return [
            Problem(
                path=("prevalence",),
                found="nothing, and draws of specificity's weight",
                needed="the share of real cases among all cases where the system is used",
                cure="Write the card with `howgood registry add --prevalence`.",
            )
        ]

    @property
    def applications(self) -> tuple[str, ...]:
        """The one application this card is about."""
        return (self.application,)

    def acceptance_draws(self, application: str) -> AcceptanceDraws:
        """Return the paired draws; a published card without draws says why it cannot."""
        if application != self.application:
            raise UnknownNameError(where="application", name=application, names=self.applications)
        if not self.draws:
            raise InputError(
                where=f"model card {self.name!r}",
                found=f"only the summary {self.citation} reports",
                needed="posterior draws, to predict acceptance",
                cure="Choose a card that predicts (howgood registry list says which), or fit "
                "answers of your own.",
            )
        return AcceptanceDraws(
            application=self.application,
            n_respondents=self.n_respondents,
            evidence=self.evidence or "none",
            lowest_shown=min(self.levels, default=None)
            if self.lowest_shown is None
            else self.lowest_shown,
            others=None if self.prevalence is None else 1.0 / self.prevalence - 1.0,
            **{name: np.array(values) for name, values in self.draws.items()},
        )

    def _judged(self) -> Evidence:
        """Judge a card that does not say on how much evidence it rests."""
        if self.n_respondents is None or self.n_respondents < FEW_PEOPLE:
            return "few people"
        known = self.slope is not None and self.slope.lower is not None and self.slope.lower > 0
        return "enough" if known else "none"

    def to_dict(self) -> dict[str, Any]:
        """Return every field as plain values, unknown ones as None."""
        return self.model_dump()


def card_of_draws(
    draws: AcceptanceDraws,
    *,
    name: str,
    description: str,
    citation: str,
    licence: str,
    levels: tuple[float, ...] = (),
    n_answers: int | None = None,
    order_probabilities: Mapping[float, float] | None = None,
    provenance: Mapping[str, str] | None = None,
) -> ModelCard:
    """Return the card of one application of a fit: summaries of all draws, at most 400 kept."""
    kept = draws.thinned(MOST_DRAWS)
    weighs_third = draws.others is not None
    drawn = (
        *DRAWN,
        *[FLAWLESS] * bool(np.any(kept.flawless)),
        *[SPECIFICITY] * weighs_third,
    )
    values = {
        "name": name,
        "application": draws.application,
        "description": description,
        "source": "fit",
        "citation": citation,
        "licence": licence,
        "model": "binary",
        "levels": levels,
        "n_respondents": draws.n_respondents,
        "evidence": draws.evidence,
        "lowest_shown": draws.lowest_shown,
        "n_answers": n_answers,
        "order_probabilities": {
            f"{p:g}": probability for p, probability in (order_probabilities or {}).items()
        },
        # Six digits: far below the spread of any posterior, and a third of the bytes.
        "draws": {draw: tuple(float(f"{v:.6g}") for v in getattr(kept, draw)) for draw in drawn},
        "provenance": dict(provenance or {}),
        "alpha": CardEstimate.of_draws(draws.alpha),
        "intercept": CardEstimate.of_draws(draws.intercept),
        "slope": CardEstimate.of_draws(draws.slope),
        "person_sd": CardEstimate.of_draws(draws.person_sd),
    }
    if draws.others is not None:
        values["specificity"] = CardEstimate.of_draws(np.asarray(draws.specificity))
        values["prevalence"] = 1.0 / (1.0 + draws.others)
    return read_record(ModelCard, values, where="model card")
