"""Values of several people, each known with an error: one crowd or two?

In: a value and its standard error per person. Out: draws of the crowd's centre and spread and of
every person given the others; the probability of two crowds, and who belongs to which. Absent: what
the values are.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp
from scipy.stats import norm

from howgood.stats.arrays import FloatArray

_CENTRE_SD, _SPREAD_SD = 2.5, 1.0
_CENTRES, _SPREADS = np.linspace(-6.0, 6.0, 121), np.linspace(0.02, 3.0, 40)
# Within one of two crowds people differ less: else two crowds are one wide one.
_TWO_CENTRES, _TWO_SPREADS = np.linspace(-6.0, 6.0, 41), np.linspace(0.05, 1.2, 8)
_TWO_SPREAD_SD = 0.5
_SHARES = np.linspace(0.1, 0.9, 9)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Crowd:
    """Draws of the centre (n,), the spread (n,) and the people (n, n_people); two crowds or one?

    `p_two` is the probability of two crowds, where both are as probable beforehand, `second` the
    probability of each person to belong to the one with the greater values.
    """

    centre: FloatArray
    spread: FloatArray
    people: FloatArray
    p_two: float
    second: FloatArray


def crowd_of(
    values: FloatArray, errors: FloatArray, generator: np.random.Generator, *, draws: int = 2000
) -> Crowd:
    """Return what values with errors say about a crowd of people.

    Examples
    --------
    >>> apart = np.array([-3.0, -2.9, -3.1, -3.0, 1.0, 1.1, 0.9, 1.0])
    >>> found = crowd_of(apart, np.full(8, 0.2), np.random.default_rng(0))
    >>> found.p_two > 0.9, found.second.round().tolist()
    (True, [0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0])
    """
    one = _log_joint_of_one(values, errors)
    evidence = float(logsumexp(one))
    chances = np.exp(one - evidence).ravel()
    places = generator.choice(chances.size, size=draws, p=chances / chances.sum())
    centre, spread = (
        axis[place]
        for axis, place in zip(
            (_CENTRES, _SPREADS), np.unravel_index(places, one.shape), strict=True
        )
    )
    # Within a cell of the grid any value is as good as its middle.
    centre = centre + (generator.random(draws) - 0.5) * (_CENTRES[1] - _CENTRES[0])
    precision = 1 / errors**2 + 1 / spread[:, None] ** 2
    means = (values / errors**2 + (centre / spread**2)[:, None]) / precision
    people = generator.normal(means, 1 / np.sqrt(precision))
    two, second = _two_crowds(values, errors)
    p_two = float(1 / (1 + np.exp(np.clip(evidence - two, -700, 700))))
    return Crowd(centre=centre, spread=spread, people=people, p_two=p_two, second=second)


def _log_joint_of_one(values: FloatArray, errors: FloatArray) -> FloatArray:
    """Return log prior plus log likelihood over the grid of centre and spread."""
    wide = np.sqrt(errors**2 + _SPREADS[:, None] ** 2)  # (spread, person)
    likelihood = norm.logpdf(values, _CENTRES[:, None, None], wide).sum(axis=2)
    prior = _log_weights(norm.logpdf(_CENTRES, 0, _CENTRE_SD))[:, None]
    return np.asarray(likelihood + prior + _log_weights(norm.logpdf(_SPREADS, 0, _SPREAD_SD)))


def _two_crowds(values: FloatArray, errors: FloatArray) -> tuple[float, FloatArray]:
    """Return the log evidence of two crowds, and each person's probability of the second."""
    first, second = np.triu_indices(_TWO_CENTRES.size, k=1)
    centre_prior = norm.logpdf(_TWO_CENTRES, 0, _CENTRE_SD)
    prior = _log_weights(centre_prior[first] + centre_prior[second])
    spread_prior = _log_weights(norm.logpdf(_TWO_SPREADS, 0, _TWO_SPREAD_SD))
    evidences, memberships = [], []
    for spread, weight in zip(_TWO_SPREADS, spread_prior.tolist(), strict=True):
        wide = np.sqrt(errors**2 + spread**2)
        density = norm.pdf(values, _TWO_CENTRES[:, None], wide)  # (centre, person)
        for share in _SHARES.tolist():
            low, high = (1 - share) * density[first], share * density[second]
            both = np.maximum(low + high, 1e-300)
            joint = np.log(both).sum(axis=1) + prior + weight - np.log(_SHARES.size)
            evidences.append(logsumexp(joint))
            chances = np.exp(joint - evidences[-1])
            memberships.append(chances @ (high / both))
    total = float(logsumexp(evidences))
    return total, np.asarray(np.exp(np.array(evidences) - total) @ np.array(memberships))


def _log_weights(logs: FloatArray) -> FloatArray:
    return np.asarray(logs - logsumexp(logs))
