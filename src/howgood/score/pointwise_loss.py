"""Any pointwise error, counted only where human uncertainty cannot explain it.

In: a function of a deviation, mean and spread of the feedback, predictions. Out:
`ScoreDistribution`. Absent: squared and absolute errors in closed form (see `error_metrics`).
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from howgood.errors import InputError, SignificantOnlyWarning, announce
from howgood.records.probability import check_probability
from howgood.score.distribution import ScoreDistribution, provenance_of, share_above
from howgood.score.error_metrics import (
    IntervalReading,
    Normalisation,
    OutsideMoments,
    significance_half_width,
)
from howgood.score.pairs import MissingPolicy, checked_pairs, require_choice
from howgood.stats.arrays import FloatArray
from howgood.stats.distributions import NormalLaw

Loss = Callable[[FloatArray], ArrayLike]

# Nodes of the integrals over each tail, and how far they reach, in standard deviations.
_NODES, _REACH = 96, 10.0
_PAIRS_AT_ONCE = 20_000


def significant(
    loss: Loss,
    mean: ArrayLike,
    sd: ArrayLike,
    prediction: ArrayLike,
    *,
    level: float = 0.05,
    interval: IntervalReading = "literal",
    normalise: Normalisation = "density",
    missing: MissingPolicy = "error",
) -> ScoreDistribution:
    r"""Return the distribution of any pointwise error over its significant deviations.

    A deviation :math:`u = X - \pi` of the feedback from the prediction counts where it lies outside
    the interval around the prediction that human uncertainty explains; the score is the mean of
    ``loss(u)`` over those that count.

    Parameters
    ----------
    loss : callable
        Takes an array of deviations (feedback minus prediction), returns an error for each: for
        instance ``numpy.abs``, or a pinball or Huber loss. Not a mean: every pair is one term.
    mean, sd, prediction : array of shape (n,), or one number for all pairs
        As in `rmse`. A standard deviation of 0 stands for the limit.
    level, interval, normalise
        As in `significant_rmse`.

    Returns
    -------
    ScoreDistribution
        A Gaussian with the exact mean and variance of the mean error: read it from about 100 pairs
        on. `barrier` is the score of predictions that equal every mean.

    Warns
    -----
    SignificantOnlyWarning
        With ``normalise="density"``, the paper's reading: the score is that of deviations which all
        lie outside. To see so many of them takes about 1 / `level` times as many ratings, so that
        its distribution is narrower than any experiment of this size can be. To rank systems, the
        paired comparison of plain scores (`decide.rank`) separates them better.

    References
    ----------
    Jasberg and Sizov (2018), "Human Uncertainty and Ranking Error", Section 5 ("any precision
    metric").

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> import numpy as np
    >>> from howgood import score
    >>> found = score.significant(np.abs, [3, 4], 0.5, [3, 3], normalise="none")
    >>> same = score.significant_mae([3, 4], 0.5, [3, 3], normalise="none")
    >>> bool(np.isclose(found.mean, same.mean))
    True
    """
    where = "significant"
    check_probability(level, name="level", where=where, such_as=0.05)
    require_choice(interval, ("literal", "test"), name="interval", where=where)
    require_choice(normalise, ("none", "density", "count"), name="normalise", where=where)
    pairs = checked_pairs(mean, sd, prediction, where=where, missing=missing)
    if normalise == "density":
        announce(
            f"significant: all {pairs.n} deviations are taken from the outer {level:g}; to collect "
            f"them takes about {round(pairs.n / level):,} ratings. Rank systems with decide.rank, "
            'or say normalise="none".',
            SignificantOnlyWarning,
        )
    width = significance_half_width(pairs.deviation, pairs.spread, level=level, interval=interval)
    certain = _certain(pairs.deviation, level, interval)
    moments = _moments(loss, pairs.deviation, pairs.spread, width, certain)
    nothing = np.zeros(pairs.n)
    least = significance_half_width(nothing, pairs.spread, level=level, interval=interval)
    best = _moments(loss, nothing, pairs.spread, least, np.full(pairs.n, level))
    expected, variance = moments.mean_and_variance(normalise)
    floor, _ = best.mean_and_variance(normalise)
    name = getattr(loss, "__name__", type(loss).__name__)
    return ScoreDistribution(
        metric=f"significant {name}",
        law=NormalLaw(mean=expected, variance=variance),
        n=pairs.n,
        method="gaussian",
        barrier=floor,
        headroom=share_above(floor, expected),
        provenance=provenance_of(
            f"significant {name}", how="Gaussian with moments integrated over both tails",
            rows=pairs.n, dropped=pairs.dropped, level=level, interval=interval,
            normalise=normalise, missing=missing, feedback="gaussian",
        ),
    )  # fmt: skip


def _certain(deviation: FloatArray, level: float, interval: IntervalReading) -> FloatArray:
    """Return how likely a pair without spread counts: the limit of ever smaller spreads."""
    return np.where((interval == "literal") | (deviation == 0.0), level, 1.0)


def _moments(
    loss: Loss, deviation: FloatArray, sd: FloatArray, width: FloatArray, certain: FloatArray
) -> OutsideMoments:
    """Return mass outside, and first and second moment of the loss there, per pair."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    places, shares = (nodes + 1) / 2, weights / 2
    parts = []
    for start in range(0, len(deviation), _PAIRS_AT_ONCE):
        part = slice(start, start + _PAIRS_AT_ONCE)
        parts.append(
            _of_part(loss, (deviation[part], sd[part], width[part], certain[part]), places, shares)
        )
    mass, first, second = np.concatenate(parts, axis=1)
    return OutsideMoments(mass=mass, first=first, second=second)


def _of_part(
    loss: Loss,
    pairs: tuple[FloatArray, FloatArray, FloatArray, FloatArray],
    places: FloatArray,
    shares: FloatArray,
) -> FloatArray:
    deviation, sd, width, certain = pairs
    safe = np.where(sd > 0.0, sd, 1.0)
    moments = np.zeros((3, len(deviation)))
    for side in (1.0, -1.0):
        # From where the tail begins to where nothing is left of it, in standard deviations.
        begin = (width - side * deviation) / safe
        begin = np.maximum(begin, -_REACH)
        length = np.maximum(begin, 0.0) + _REACH - begin
        z = begin[:, None] + length[:, None] * places
        density = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi) * length[:, None] * shares
        errors = _errors(loss, deviation[:, None] + side * safe[:, None] * z)
        moments[0] += ndtr(-begin)
        moments[1] += np.sum(density * errors, axis=1)
        moments[2] += np.sum(density * errors**2, axis=1)
    fixed = _errors(loss, deviation)
    limits = np.stack([certain, certain * fixed, certain * fixed**2])
    return np.where(sd > 0.0, moments, limits)


def _errors(loss: Loss, deviation: FloatArray) -> FloatArray:
    errors = np.asarray(loss(deviation), dtype=np.float64)
    if errors.shape != deviation.shape or not np.isfinite(errors).all():
        raise InputError(
            where="significant, loss",
            found=f"a result of shape {errors.shape} for deviations of shape {deviation.shape}"
            if errors.shape != deviation.shape
            else "values that are not finite",
            needed="one finite error for each deviation",
            cure="Pass a function of single deviations such as numpy.abs, not a mean over them.",
        )
    return errors
