"""A fit as a model card, and a card as the prior of the next study.

In: a fit of acceptability, or a card. Out: a card, or priors. Absent: files (`flow.registry`) and
the warning that stands with a card that rests on little (`show.cards`).
"""

import dataclasses

import numpy as np
from numpy.typing import ArrayLike

from howgood.errors import InputError
from howgood.learn.acceptability_fit import AcceptabilityFit
from howgood.learn.measured import KnownPrevalence
from howgood.records.acceptance import draws_for
from howgood.records.card import ModelCard, card_of_draws
from howgood.records.priors import (
    HOWGOOD,
    HOWGOOD_CURVE,
    USUAL_MEAN,
    JointNormal,
    LogNormal,
    Priors,
)
from howgood.stats.arrays import FloatArray

# Where a publication says nothing about level and slope: mean and spread of the usual priors.
_USUAL = HOWGOOD_CURVE
_HALF_NORMAL_MEAN = (2 / np.pi) ** 0.5
_CENTRE = 1e-3
_MOST_ORDERS = 12  # kinds of mean; more different values are a continuous order


def card_of_fit(
    fit: AcceptabilityFit,
    application: str | None,
    *,
    name: str,
    description: str,
    citation: str = "unpublished",
    licence: str = "not stated",
    prevalence: float | None = None,
) -> ModelCard:
    """Return the card of one application of a fit.

    With `prevalence` it is that of people who also weigh specificity (`fit.measured`).
    """
    model = fit if prevalence is None else _weighing_three(fit, prevalence)
    draws = draws_for(model, application, where="model card")
    rows = np.flatnonzero(fit.cells.application == fit.applications.index(draws.application))
    levels = {round(float(value), 4) for value in fit.cells.precision[rows]}
    return card_of_draws(
        draws,
        name=name,
        description=description,
        citation=citation,
        licence=licence,
        levels=tuple(sorted(levels)),
        n_answers=fit.provenance.rows_used if len(fit.applications) == 1 else None,
        order_probabilities=fit.mean_probabilities if prevalence is None else _shares_of(draws.p),
        provenance={
            "method": fit.provenance.method,
            "priors": fit.priors.name,
            "cut": str(fit.cut),
            "seed": str(fit.provenance.seed),
            **{
                f"version of {one_name}": text for one_name, text in fit.provenance.versions.items()
            },
            "people": str(fit.provenance.settings.get("people", "not recorded")),
        },
    )


def _weighing_three(fit: AcceptabilityFit, prevalence: float) -> KnownPrevalence:
    if fit.measured is None:
        raise InputError(
            where="model card, prevalence",
            found="a fit of precision and recall alone",
            needed="a fit that also weighs specificity: only there does it matter how rare the "
            "thing is",
            cure="Leave --prevalence out, or fit with --specificity.",
        )
    return fit.measured.at_prevalence(prevalence)


def _shares_of(orders: FloatArray) -> dict[float, float]:
    """How often each order of the mean was drawn; none where it is continuous."""
    values, counts = np.unique(orders, return_counts=True)
    if len(values) > _MOST_ORDERS:
        return {}
    return {float(p): float(n) / len(orders) for p, n in zip(values, counts, strict=True)}


def prior_of_card(card: ModelCard, *, application: str, widen: float = 2.0) -> Priors:
    """Return what a card says about a similar application, as a prior for its study.

    `widen` multiplies every standard deviation: a similar application is not the same one. With
    draws, intercept, slope and logit alpha are a joint normal and the spread of people log-normal.
    A published card without draws informs alpha alone, and only if an interval was published.
    """
    if not widen > 0:
        raise InputError(
            where="widen", found=str(widen), needed="a number above 0", cure="Use for instance 2."
        )
    name = f"card {card.name}, widened {widen:g} times"
    if not card.draws:
        known = {application: _published_prior(card, widen)}
        return dataclasses.replace(HOWGOOD, name=name, applications=known)
    draws = card.acceptance_draws(card.application)
    if draws.others is not None:
        raise InputError(
            where=f"model card {card.name!r}",
            found="weights of precision, recall and specificity",
            needed="a card of precision and recall: priors of fits speak of these two",
            cure="Write a second card of the same fit without --prevalence.",
        )
    logit_alpha = _logit(draws.alpha)
    rows = np.column_stack([draws.intercept, draws.slope, logit_alpha])
    covariance = np.cov(rows, rowvar=False) * widen**2
    log_sd = np.log(np.maximum(draws.person_sd, _CENTRE))
    return dataclasses.replace(
        HOWGOOD,
        name=name,
        person_sd=LogNormal(float(log_sd.mean()), float(max(log_sd.std() * widen, 0.05))),
        applications={
            application: JointNormal(
                mean=_triple(rows.mean(axis=0)),
                covariance=tuple(_triple(row) for row in covariance),
            )
        },
    )


def _published_prior(card: ModelCard, widen: float) -> JointNormal:
    alpha = card.alpha
    if alpha is None or alpha.lower is None or alpha.upper is None:
        raise InputError(
            where=f"model card {card.name!r}",
            found=f"no interval of alpha in {card.citation}",
            needed="draws, or at least an interval: a mean alone says nothing about its certainty",
            cure="Use a card with draws (`howgood registry add`), or a preset prior.",
        )
    mean, lower, upper = (float(_logit(value)) for value in (alpha.mean, alpha.lower, alpha.upper))
    sd = widen * (upper - lower) / (2 * 1.96)
    level, slope = _USUAL.level_mean, _USUAL.slope_scale * _HALF_NORMAL_MEAN
    spread = _USUAL.slope_scale**2 * (1 - _HALF_NORMAL_MEAN**2)
    apart = _USUAL.level_sd**2 + USUAL_MEAN**2 * spread
    return JointNormal(
        mean=(level - USUAL_MEAN * slope, slope, mean),
        covariance=(
            (apart, -USUAL_MEAN * spread, 0.0),
            (-USUAL_MEAN * spread, spread, 0.0),
            (0.0, 0.0, sd**2),
        ),
    )


def _logit(alpha: ArrayLike) -> FloatArray:
    inside = np.clip(alpha, _CENTRE, 1 - _CENTRE)
    return np.asarray(np.log(inside) - np.log1p(-inside))


def _triple(values: FloatArray) -> tuple[float, float, float]:
    first, second, third = (float(value) for value in values)
    return first, second, third
