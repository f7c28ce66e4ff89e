r"""RMSE, MSE and MAE as distributions; significant ones count only what noise cannot explain.

In: mean and spread of the feedback per person-item pair and a system's predictions. Out:
`ScoreDistribution`. Absent: the same from sums alone (see `score_from_sums`), comparing systems
(see `decide`).

With :math:`\Delta_v = \mu_v - \pi_v` the mean squared error is
:math:`\frac1N \sum_v (\sigma_v Z_v + \Delta_v)^2`, a weighted sum of non-central chi-squares.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypedDict, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri

from howgood.records.probability import check_probability
from howgood.records.progress import Progress, silent
from howgood.score.distribution import ScoreDistribution, provenance_of, share_above
from howgood.score.error_score import (
    ErrorOptions,
    Method,
    error_score,
)
from howgood.score.error_terms import checked_terms
from howgood.score.feedback import DiscreteFeedback
from howgood.score.pairs import (
    MissingPolicy,
    Pairs,
    checked_columns,
    checked_pairs,
    require_choice,
    require_not_negative,
)
from howgood.stats.arrays import FloatArray
from howgood.stats.discrete_sum import LATTICE, MixedLaw, lattice_sum
from howgood.stats.distributions import Law, NormalLaw, outside_moments, symmetric_half_width
from howgood.stats.randomness import RandomState

IntervalReading = Literal["literal", "test"]
Normalisation = Literal["none", "density", "count"]

_GAUSSIAN = "Gaussian error propagation from truncated-normal moments (Eq. 18 to 20)"
_EXACT = "distributions of the pairs, convolved on a lattice"
_MOST_CONVOLVED = 500
_LARGEST_MOVE = 0.05  # by rounding, in sds of what it moves
_TAIL = 9.0  # standard deviations beyond which nothing matters


class _Choices(TypedDict, total=False):
    """What may be chosen whichever way `rmse`, `mse` and `mae` are called."""

    method: Method
    missing: MissingPolicy
    draws: int
    random_state: RandomState
    progress: Progress


@overload
def rmse(
    mean: ArrayLike, sd: ArrayLike, prediction: ArrayLike, **choices: Unpack[_Choices]
) -> ScoreDistribution: ...


@overload
def rmse(
    *, feedback: DiscreteFeedback, prediction: ArrayLike, **choices: Unpack[_Choices]
) -> ScoreDistribution: ...


def rmse(
    mean: ArrayLike | None = None,
    sd: ArrayLike | None = None,
    prediction: ArrayLike | None = None,
    *,
    feedback: DiscreteFeedback | None = None,
    method: Method = "exact",
    missing: MissingPolicy = "error",
    draws: int = 10_000,
    random_state: RandomState = None,
    progress: Progress = silent,
) -> ScoreDistribution:
    r"""Return the distribution of the root mean squared error under uncertain feedback.

    .. math:: \text{RMSE} = \sqrt{\tfrac1N \sum_v (X_v - \pi_v)^2},
        \qquad X_v \sim \mathcal N(\mu_v, \sigma_v^2)

    Parameters
    ----------
    mean, sd, prediction : array of shape (n,), or one number for all pairs
        Mean :math:`\mu_v` and standard deviation :math:`\sigma_v` of the feedback, and the
        system's prediction :math:`\pi_v`. A standard deviation of 0 is legal.
    feedback : DiscreteFeedback
        The other way to call it, `rmse(feedback=..., prediction=...)`: answer categories or
        repeated ratings (`categorical_feedback`, `empirical_feedback`) instead of `mean` and `sd`.
    method : {"exact", "paper", "monte-carlo"}
        "exact" inverts the characteristic function; probabilities are within 1e-10, small
        tails within 1e-8 of themselves. "paper" is the Gaussian of the paper's Eq. 12 and 13.
        "monte-carlo" takes `draws` exact draws.
    missing : {"error", "drop"}
        What to do about NaN; "drop" leaves those pairs out and counts them in the provenance.

    References
    ----------
    Jasberg and Sizov (2018), "Human Uncertainty and Ranking Error", Section 4.1.

    Notes
    -----
    Stability: stable

    Examples
    --------
    >>> from howgood import score
    >>> certain = score.rmse([3, 4], 0.0, [3, 2])
    >>> certain.mean == 2**0.5, certain.sd
    (True, 0.0)
    >>> uncertain = score.rmse([3, 4], 0.8, [3, 2])
    >>> round(uncertain.mean, 3), round(uncertain.barrier, 3), round(uncertain.headroom, 3)
    (1.534, 0.8, 0.508)
    """
    options = ErrorOptions(
        method=method, missing=missing, draws=draws, random_state=random_state, progress=progress
    )
    return error_score(checked_terms("rmse", mean, sd, prediction, feedback, missing), options)


@overload
def mse(
    mean: ArrayLike, sd: ArrayLike, prediction: ArrayLike, **choices: Unpack[_Choices]
) -> ScoreDistribution: ...


@overload
def mse(
    *, feedback: DiscreteFeedback, prediction: ArrayLike, **choices: Unpack[_Choices]
) -> ScoreDistribution: ...


def mse(
    mean: ArrayLike | None = None,
    sd: ArrayLike | None = None,
    prediction: ArrayLike | None = None,
    *,
    feedback: DiscreteFeedback | None = None,
    method: Method = "exact",
    missing: MissingPolicy = "error",
    draws: int = 10_000,
    random_state: RandomState = None,
    progress: Progress = silent,
) -> ScoreDistribution:
    r"""Return the distribution of the mean squared error under uncertain feedback.

    .. math:: \text{MSE} = \tfrac1N \sum_v (X_v - \pi_v)^2,
        \quad E = \tfrac1N \sum_v \sigma_v^2 + \Delta_v^2,
        \quad V = \tfrac{2}{N^2} \sum_v \sigma_v^4 + 2 \sigma_v^2 \Delta_v^2

    Parameters and methods as in `rmse`.

    Notes
    -----
    Stability: stable

    Examples
    --------
    >>> from howgood import score
    >>> distribution = score.mse([3, 4], 1.0, [3, 2])
    >>> distribution.mean, distribution.variance
    (3.0, 5.0)
    """
    options = ErrorOptions(
        method=method, missing=missing, draws=draws, random_state=random_state, progress=progress
    )
    return error_score(checked_terms("mse", mean, sd, prediction, feedback, missing), options)


def magic_barrier(sd: ArrayLike) -> float:
    r"""Return the RMSE no system can be expected to beat: :math:`\sqrt{\tfrac1N \sum \sigma_v^2}`.

    Notes
    -----
    Stability: stable

    Examples
    --------
    >>> magic_barrier([0.0, 1.0, 1.0, 0.0]) == 0.5**0.5
    True
    """
    columns, _, _ = checked_columns({"sd": sd}, where="magic_barrier", missing="error")
    require_not_negative(columns["sd"], where="magic_barrier")
    return float(np.sqrt(np.mean(columns["sd"] ** 2)))


@overload
def mae(
    mean: ArrayLike, sd: ArrayLike, prediction: ArrayLike, **choices: Unpack[_Choices]
) -> ScoreDistribution: ...


@overload
def mae(
    *, feedback: DiscreteFeedback, prediction: ArrayLike, **choices: Unpack[_Choices]
) -> ScoreDistribution: ...


def mae(
    mean: ArrayLike | None = None,
    sd: ArrayLike | None = None,
    prediction: ArrayLike | None = None,
    *,
    feedback: DiscreteFeedback | None = None,
    method: Method = "exact",
    missing: MissingPolicy = "error",
    draws: int = 10_000,
    random_state: RandomState = None,
    progress: Progress = silent,
) -> ScoreDistribution:
    r"""Return the distribution of the mean absolute error under uncertain feedback.

    .. math:: \text{MAE} = \tfrac1N \sum_v |X_v - \pi_v|

    is a mean of folded Gaussians. Mean and variance are closed forms. "exact" inverts the
    characteristic function: twelve cumulants when pairs are many, all terms when they are few
    (within 1e-10, as a convolution in 30 digits confirms for two pairs). "paper" is the Gaussian
    with the same mean and variance. The barrier is the expected error of predicting every median,
    :math:`\sqrt{2/\pi}` times the mean sd. Parameters as in `rmse`.

    Notes
    -----
    Stability: stable

    Examples
    --------
    >>> from howgood import score
    >>> distribution = score.mae([3, 4, 2], [0.5, 0.0, 1.0], [3, 2, 2])
    >>> round(distribution.mean, 4), round(distribution.sd, 4), round(distribution.barrier, 4)
    (1.0656, 0.2247, 0.3989)
    """
    options = ErrorOptions(
        method=method, missing=missing, draws=draws, random_state=random_state, progress=progress
    )
    return error_score(checked_terms("mae", mean, sd, prediction, feedback, missing), options)


def significant_rmse(
    mean: ArrayLike,
    sd: ArrayLike,
    prediction: ArrayLike,
    *,
    level: float = 0.05,
    interval: IntervalReading = "literal",
    normalise: Normalisation = "density",
    missing: MissingPolicy = "error",
) -> ScoreDistribution:
    r"""Return the distribution of the significant RMSE (sRMSE).

    Parameters
    ----------
    mean, sd, prediction : array of shape (n,), or one number for all pairs
        As in `rmse`. A standard deviation of 0 stands for the limit.
    level : float
        Significance level :math:`\alpha`.
    interval : {"literal", "test"}
        "literal" is Eq. 19: the interval around the prediction that holds the mass
        :math:`1 - \alpha` of the feedback. "test" is :math:`a = z_{1-\alpha/2}\,\sigma`, what a
        test of "the feedback equals the prediction" would use.
    normalise : {"none", "density", "count"}
        "none" counts deviations inside as 0 and divides by N. "density" takes all N deviations
        from the renormalised density outside. "count" divides by the number of deviations
        outside.

    Notes
    -----
    The defaults are the only reading that reproduces the paper's Fig. 7. They assume N
    deviations that all come from the outer 5 %, which would take about 20 N ratings to collect.
    The paired comparison of plain scores on the same feedback separates two systems better:
    prefer `decide.rank`. The distribution is the Gaussian of first-order error propagation from
    exact truncated-normal moments; `provenance` says so. That is far off for few pairs: with
    "none" and up to 500 pairs the distribution (an atom at 0, where nothing counts, and a density)
    is therefore convolved from those of the pairs, and `method` is "exact". Where pairs differ so
    much that one lattice cannot serve them all (one far off, others nearly right) it stays the
    Gaussian, and `method` is "gaussian". With "density" and "count" read it from about 100 pairs
    on.

    Stability: experimental

    References
    ----------
    Jasberg and Sizov (2018), "Human Uncertainty and Ranking Error", Section 5, Eq. 18 to 20.

    Examples
    --------
    >>> from howgood import score
    >>> plain = score.rmse([3, 4], 0.5, [3, 3])
    >>> significant = score.significant_rmse([3, 4], 0.5, [3, 3])
    >>> significant.mean > plain.mean
    True
    """
    return _significant(
        "significant_rmse", mean, sd, prediction, level, interval, normalise, missing
    )


def significant_mae(
    mean: ArrayLike,
    sd: ArrayLike,
    prediction: ArrayLike,
    *,
    level: float = 0.05,
    interval: IntervalReading = "literal",
    normalise: Normalisation = "density",
    missing: MissingPolicy = "error",
) -> ScoreDistribution:
    """Return the distribution of the significant MAE: as `significant_rmse`, with absolute values.

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> from howgood import score
    >>> round(score.significant_mae([3, 4], 0.0, [3, 3]).mean, 12)
    0.5
    """
    return _significant(
        "significant_mae", mean, sd, prediction, level, interval, normalise, missing
    )


def significance_width(
    mean: ArrayLike,
    sd: ArrayLike,
    prediction: ArrayLike,
    *,
    level: float = 0.05,
    interval: IntervalReading = "literal",
) -> FloatArray:
    """Return how far from its prediction feedback must lie to count, one width per pair.

    The step before any significant metric: leave out the deviations within it, and give the rest
    to a metric of your own. Parameters as in `significant_rmse`.

    Notes
    -----
    Stability: experimental

    Examples
    --------
    Which ratings of three differ from their prediction by more than human uncertainty explains?

    >>> import numpy as np
    >>> from howgood import score
    >>> rating, prediction = np.array([4.0, 5.0, 1.0]), np.array([3.5, 3.0, 3.0])
    >>> width = score.significance_width(rating, 0.8, prediction, interval="test")
    >>> counted = np.abs(rating - prediction) > width
    >>> counted.tolist(), float(np.median(np.abs(rating - prediction)[counted]))
    ([False, True, True], 2.0)
    """
    where = "significance_width"
    check_probability(level, name="level", where=where, such_as=0.05)
    require_choice(interval, ("literal", "test"), name="interval", where=where)
    pairs = checked_pairs(mean, sd, prediction, where=where, missing="error")
    width = significance_half_width(pairs.deviation, pairs.spread, level=level, interval=interval)
    return np.array(np.broadcast_to(width, (pairs.n,)))


@dataclass(frozen=True, slots=True, kw_only=True)
class OutsideMoments:
    """Mass outside the interval, and mean and mean square of the counted error there, per pair."""

    mass: FloatArray = field(repr=False)
    first: FloatArray = field(repr=False)
    second: FloatArray = field(repr=False)

    def mean_and_variance(self, normalise: Normalisation) -> tuple[float, float]:
        """Return mean and variance of the average counted error."""
        n = self.mass.size
        if normalise == "none":
            spread = np.maximum(self.second - self.first**2, 0.0)
            return float(self.first.mean()), float(spread.sum()) / n**2
        if normalise == "density":
            first = self.first / self.mass
            spread = np.maximum(self.second / self.mass - first**2, 0.0)
            return float(first.mean()), float(spread.sum()) / n**2
        # A ratio of two sums: linearise it around their expectations.
        counted = float(self.mass.sum())
        ratio = float(self.first.sum()) / counted
        square = self.second - 2.0 * ratio * self.first + ratio**2 * self.mass
        spread = np.maximum(square - (self.first - ratio * self.mass) ** 2, 0.0)
        return ratio, float(spread.sum()) / counted**2


def significance_half_width(
    deviation: FloatArray, sd: FloatArray, *, level: float, interval: IntervalReading
) -> FloatArray:
    """Return how far from the prediction a deviation must lie to count, one per pair.

    Examples
    --------
    >>> significance_half_width(np.array([2.0]), np.array([0.0]), level=0.05, interval="literal")
    array([2.])
    """
    if interval == "test":
        return np.asarray(-ndtri(level / 2.0) * sd)
    ratio = np.abs(deviation) / np.where(sd > 0.0, sd, 1.0)
    width = symmetric_half_width(ratio, outside=level)
    return np.where(sd > 0.0, width * sd, np.abs(deviation))


def _moments(
    pairs: Pairs, power: int, *, level: float, interval: IntervalReading
) -> OutsideMoments:
    """Return the moments of |u|**power outside the interval."""
    deviation, sd = np.abs(pairs.deviation), pairs.spread
    safe = np.where(sd > 0.0, sd, 1.0)
    width = significance_half_width(deviation, sd, level=level, interval=interval)
    moments = outside_moments(deviation / safe, width / safe, orders=2 * power)
    # The limit of no spread: the feedback is the mean itself, outside with probability `level`
    # under the literal reading, and always (but for a perfect prediction) under the test's.
    certain = np.where((interval == "literal") | (deviation == 0.0), level, 1.0)
    spread = sd > 0.0
    return OutsideMoments(
        mass=np.where(spread, moments[0], certain),
        first=np.where(spread, moments[power] * safe**power, certain * deviation**power),
        second=np.where(
            spread, moments[2 * power] * safe ** (2 * power), certain * deviation ** (2 * power)
        ),
    )


def _significant(
    metric: str,
    mean: ArrayLike,
    sd: ArrayLike,
    prediction: ArrayLike,
    level: float,
    interval: IntervalReading,
    normalise: Normalisation,
    missing: MissingPolicy,
) -> ScoreDistribution:
    check_probability(level, name="level", where=metric, such_as=0.05)
    require_choice(interval, ("literal", "test"), name="interval", where=metric)
    require_choice(normalise, ("none", "density", "count"), name="normalise", where=metric)
    pairs = checked_pairs(mean, sd, prediction, where=metric, missing=missing)
    root = metric == "significant_rmse"
    power = 2 if root else 1
    outside = _moments(pairs, power, level=level, interval=interval)
    expected, variance = outside.mean_and_variance(normalise)
    perfect = Pairs(
        mean=pairs.prediction, sd=pairs.sd, prediction=pairs.prediction, n=pairs.n,
        missing=missing, dropped={},
    )  # fmt: skip
    floor, _ = _moments(perfect, power, level=level, interval=interval).mean_and_variance(normalise)
    convolved = None
    if normalise == "none" and pairs.n <= _MOST_CONVOLVED and variance > 0.0:
        convolved = _convolved(pairs, power, outside, level, interval)
    is_exact = convolved is not None
    law: Law = _gaussian(expected, variance, root=root) if convolved is None else convolved
    if root:
        expected, floor = float(np.sqrt(expected)), float(np.sqrt(floor))
    return ScoreDistribution(
        metric=metric,
        law=law,
        n=pairs.n,
        method="exact" if is_exact else "gaussian",
        barrier=floor,
        headroom=share_above(floor, expected),
        provenance=provenance_of(
            metric, how=_EXACT if is_exact else _GAUSSIAN, rows=pairs.n, dropped=pairs.dropped,
            level=level, interval=interval, normalise=normalise, missing=missing,
            feedback="gaussian",
        ),
    )  # fmt: skip


def _gaussian(expected: float, variance: float, *, root: bool) -> NormalLaw:
    """Return the Gaussian of first-order error propagation, through the root if asked."""
    if root:
        variance = variance / (4.0 * expected) if expected > 0.0 else 0.0
        expected = float(np.sqrt(expected))
    return NormalLaw(mean=expected, variance=variance)


def _convolved(
    pairs: Pairs, power: int, outside: OutsideMoments, level: float, interval: IntervalReading
) -> MixedLaw | None:
    """Return the distribution of the mean of counted errors, deviations inside counting as 0.

    None where one pair lies so far off that the lattice is too coarse for another.
    """
    deviation, sd = np.abs(pairs.deviation), pairs.spread
    width = significance_half_width(deviation, sd, level=level, interval=interval)
    # What is certain and right counts as 0, whether it counts or not.
    mass = np.where((sd == 0.0) & (deviation == 0.0), 0.0, outside.mass)
    farthest = (deviation + _TAIL * sd) ** power
    # Sums of many reach less far than all of them at once.
    sum_sd = float(np.sqrt(np.sum(mass * farthest**2)))
    reach = 1.01 * min(
        float(farthest.sum()),
        float(outside.first.sum()) + _TAIL * sum_sd + float(farthest.max()),
    )
    if _too_coarse(outside, mass, reach / LATTICE):
        return None
    terms = (
        _counted(row, power=power)
        for row in np.stack(np.broadcast_arrays(deviation, sd, width, mass), axis=1).tolist()
    )
    law = lattice_sum(terms, atom=float(np.prod(1.0 - mass)), reach=reach)
    # The mean is known exactly; the lattice's is off by the millionth part of it.
    law = MixedLaw(
        atom=law.atom, edges=law.edges * (float(outside.first.mean()) / law.mean), mass=law.mass
    )
    return law.root() if power == 2 else law


def _too_coarse(outside: OutsideMoments, mass: FloatArray, step: float) -> bool:
    """Say whether rounding to multiples of `step` would move the sum of the smaller terms.

    Terms that spread less than a step, when they count, are each rounded the same way, by up to
    half a step. The larger half of the terms is left out of the comparison: mostly few of them
    count, so that the others decide.
    """
    counted = np.where(mass > 0.0, mass, 1.0)
    inside = np.maximum(outside.second / counted - (outside.first / counted) ** 2, 0.0)
    moved = 0.5 * step * float(mass[np.sqrt(inside) < step].sum())
    spread = np.sort(np.maximum(outside.second - outside.first**2, 0.0)[mass > 0.0])
    smaller = spread[: (spread.size + 1) // 2]
    return moved > _LARGEST_MOVE * float(np.sqrt(smaller.sum()))


def _counted(pair: list[float], *, power: int) -> Callable[[FloatArray], FloatArray]:
    """Return the distribution function of one pair's |u|**power, which is 0 inside its width."""
    deviation, sd, width, mass = pair

    def distribution(y: FloatArray) -> FloatArray:
        if sd == 0.0:
            return np.where(y >= deviation**power, 1.0, 1.0 - mass)
        reached = np.maximum(y ** (1.0 / power), width)
        return np.asarray(ndtr((reached - deviation) / sd) - ndtr((-reached - deviation) / sd))

    return distribution
