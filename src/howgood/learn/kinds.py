"""The kinds of mean a fit chooses among, and the priors it starts from.

In: what the caller named. Out: orders with prior probabilities, `Priors`, and the provenance of a
fit. Absent: models.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, TypeVar

import numpy as np

from howgood.errors import InputError, UnknownNameError
from howgood.records.answers import Answers
from howgood.records.priors import PRESETS, Priors
from howgood.records.provenance import Provenance

Means = Sequence[float] | Literal["continuous"]
T = TypeVar("T")

# The key of the one model in which p is a parameter.
CONTINUOUS = float("nan")


def named_priors(priors: str | Priors) -> Priors:
    """Return the preset of that name, or the record itself."""
    if isinstance(priors, Priors):
        return priors
    if priors not in PRESETS:
        raise UnknownNameError(where="priors", name=priors, names=PRESETS)
    return PRESETS[priors]


def general_priors(priors: str | Priors) -> Priors:
    """Return priors of a model that cannot use what is known about single applications."""
    known = named_priors(priors)
    if known.applications:
        raise InputError(
            where=f"priors {known.name!r}",
            found=f"what is known about {', '.join(map(repr, known.applications))}",
            needed="priors without it: the ordinal model does not use model cards",
            cure=f"Choose a preset: {', '.join(PRESETS)}.",
        )
    return known


def kinds_of_mean(means: Means, priors: Priors) -> dict[float, float]:
    """Return the prior probability of each kind of mean; one entry where p is continuous.

    Examples
    --------
    >>> kinds_of_mean((-1, 0), Priors(name="tilted", means={-1: 1, 0: 3}))
    {-1.0: 0.25, 0.0: 0.75}
    """
    if isinstance(means, str):
        if means != "continuous":
            raise UnknownNameError(where="means", name=means, names=["continuous"])
        return {CONTINUOUS: 1.0}
    orders = [float(p) for p in means]
    if not orders or len(set(orders)) < len(orders) or not np.all(np.isfinite(orders)):
        raise InputError(
            where="means",
            found=repr(means),
            needed="distinct finite orders, such as (-1, 0, 1)",
            cure='Use means="continuous" to learn the order itself.',
        )
    weight = {p: priors.means.get(p, 0.0 if priors.means else 1.0) for p in orders}
    total = sum(weight.values())
    if total <= 0:
        raise InputError(
            where=f"priors {priors.name!r}",
            found="no prior probability for any of the means asked for",
            needed=f"a share for at least one of {orders}",
            cure="Leave `means` of the priors empty, or name other means.",
        )
    return {p: share / total for p, share in weight.items() if share > 0}


def fitted_provenance(
    answers: Answers,
    model: str,
    engine: str,
    seed: int | None,
    means: Means,
    priors: Priors,
    settings: Mapping[str, object],
) -> Provenance:
    """Return where a fit of answers comes from."""
    orders = means if isinstance(means, str) else [float(p) for p in means]
    return Provenance(
        method=f"{model} mixed model, {engine}",
        settings={
            **answers.provenance.settings,
            **settings,
            "priors": priors.name,
            "means": orders,
        },
        seed=seed,
        rows_used=len(answers),
        rows_dropped=answers.provenance.rows_dropped,
    )


def order_of(kind: float) -> float | None:
    """Return the fixed order of a kind of mean; None where it is continuous."""
    return None if np.isnan(kind) else kind


def tidy(by_order: Mapping[float, T]) -> dict[float, T]:
    """Return whole orders as ints, as people write them; continuous p has no entry."""
    return {int(p) if p == int(p) else p: value for p, value in by_order.items() if not np.isnan(p)}
