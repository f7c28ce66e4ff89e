r"""MSE and RMSE as distributions.

In: mean and spread of the feedback per person-item pair and a system's predictions, or the power
sums any engine computed from them. Out: `ScoreDistribution`. Absent: comparing systems
(see `decide`).

With :math:`\Delta_v = \mu_v - \pi_v` the mean squared error is
:math:`\frac1N \sum_v (\sigma_v Z_v + \Delta_v)^2`, a weighted sum of non-central chi-squares.
"""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from howgood.score.distribution import ScoreDistribution, provenance_of, share_above
from howgood.score.pairs import (
    MissingPolicy,
    Pairs,
    checked_columns,
    checked_pairs,
    require_choice,
    require_not_negative,
)
from howgood.stats.laws import DrawsLaw, Law, NormalLaw, RootLaw
from howgood.stats.power_sums import PowerSums
from howgood.stats.randomness import RandomState, generator_and_seed
from howgood.stats.weighted_chi_square import WeightedChiSquare

Method = Literal["exact", "paper", "monte-carlo"]
SquaredMetric = Literal["rmse", "mse"]

METHODS = ("exact", "paper", "monte-carlo")

_HOW = {
    "exact-series": "12 cumulants inverted by Gil-Pelaez and along the saddlepoint contour",
    "exact-groups": "exact characteristic function along the saddlepoint contour",
    "exact-point": "no spread anywhere: a point",
    "paper": "first-order Gaussian error propagation (Jasberg and Sizov 2018, Eq. 12 and 13)",
    "monte-carlo": "independent draws, one non-central chi-square per distinct sigma",
    "gamma": "gamma distribution with the same mean and variance (too few pairs for 12 cumulants)",
}


def rmse(
    mean: ArrayLike,
    sd: ArrayLike,
    prediction: ArrayLike,
    *,
    method: Method = "exact",
    missing: MissingPolicy = "error",
    draws: int = 10_000,
    random_state: RandomState = None,
) -> ScoreDistribution:
    r"""Return the distribution of the root mean squared error under uncertain feedback.

    .. math:: \text{RMSE} = \sqrt{\tfrac1N \sum_v (X_v - \pi_v)^2},
        \qquad X_v \sim \mathcal N(\mu_v, \sigma_v^2)

    Parameters
    ----------
    mean, sd, prediction : array of shape (n,), or one number for all pairs
        Mean :math:`\mu_v` and standard deviation :math:`\sigma_v` of the feedback, and the
        system's prediction :math:`\pi_v`. A standard deviation of 0 is legal.
    method : {"exact", "paper", "monte-carlo"}
        "exact" inverts the characteristic function; probabilities are within 1e-10, small
        tails keep ten digits or more. "paper" is the Gaussian of the paper's Eq. 12 and 13.
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
    pairs = checked_pairs(mean, sd, prediction, where="rmse", missing=missing)
    return _score("rmse", pairs, method, draws, random_state)


def mse(
    mean: ArrayLike,
    sd: ArrayLike,
    prediction: ArrayLike,
    *,
    method: Method = "exact",
    missing: MissingPolicy = "error",
    draws: int = 10_000,
    random_state: RandomState = None,
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
    pairs = checked_pairs(mean, sd, prediction, where="mse", missing=missing)
    return _score("mse", pairs, method, draws, random_state)


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
    require_not_negative(columns["sd"], column="sd", where="magic_barrier")
    return float(np.sqrt(np.mean(columns["sd"] ** 2)))


def squared_error_from_sums(
    sums: PowerSums, *, metric: SquaredMetric = "rmse", method: Literal["exact", "paper"] = "exact"
) -> ScoreDistribution:
    """Return the distribution of RMSE or MSE from power sums alone.

    Nothing else is needed once an engine has passed over the pairs. Twelve cumulants give the
    distribution to 1e-10 when the pairs are many; tails beyond about 1e-18 are then absolute, not
    relative. When a few pairs dominate, twelve cumulants do not suffice, and the gamma
    distribution with the same mean and variance stands in: `method` is then "gamma".

    Examples
    --------
    >>> from howgood.stats.power_sums import power_sums
    >>> sums = power_sums(np.full(2000, 3.0), np.ones(2000), np.full(2000, 2.0))
    >>> round(squared_error_from_sums(sums, metric="mse").mean, 12)
    2.0
    """
    require_choice(method, ("exact", "paper"), name="method", where=metric)
    square = WeightedChiSquare.from_sums(sums)
    stands_in = method == "exact" and square.series is None and not square.is_point
    law = _law(metric, square, method)
    used = "gamma" if stands_in else method
    return _described(metric, square, law, used, _how(square, used), dropped={}, missing="error")


def _score(
    metric: SquaredMetric, pairs: Pairs, method: Method, draws: int, random_state: RandomState
) -> ScoreDistribution:
    require_choice(method, METHODS, name="method", where=metric)
    square = WeightedChiSquare.from_terms(pairs.mean, pairs.sd, pairs.prediction)
    seed = None
    if method == "monte-carlo":
        generator, seed = generator_and_seed(random_state)
        values = square.sample(draws, generator)
        law: Law = DrawsLaw(draws=np.sort(values if metric == "mse" else np.sqrt(values)))
    else:
        law = _law(metric, square, method)
    return _described(
        metric,
        square,
        law,
        method,
        _how(square, method),
        dropped=pairs.dropped,
        missing=pairs.missing,
        seed=seed,
        **({"draws": draws} if method == "monte-carlo" else {}),
    )


def _law(metric: SquaredMetric, square: WeightedChiSquare, method: str) -> Law:
    if method == "exact":
        return square if metric == "mse" else RootLaw(square)
    if metric == "mse":
        return NormalLaw(mean=square.mean, variance=square.variance)
    root = float(np.sqrt(square.mean))
    # First-order propagation through the root: its derivative at the mean, squared.
    variance = square.variance / (4.0 * square.mean) if square.mean > 0.0 else 0.0
    return NormalLaw(mean=root, variance=variance)


def _how(square: WeightedChiSquare, method: str) -> str:
    if method != "exact":
        return _HOW[method]
    if square.is_point:
        return _HOW["exact-point"]
    return _HOW["exact-series" if square.series is not None else "exact-groups"]


def _described(
    metric: SquaredMetric,
    square: WeightedChiSquare,
    law: Law,
    method: str,
    how: str,
    *,
    dropped: dict[str, int],
    missing: MissingPolicy,
    seed: int | None = None,
    **settings: object,
) -> ScoreDistribution:
    noise = square.sums.variance_sum / square.sums.n
    root = metric == "rmse"
    barrier, expected = (
        (float(np.sqrt(noise)), float(np.sqrt(square.mean))) if root else (noise, square.mean)
    )
    return ScoreDistribution(
        metric=metric,
        law=law,
        n=square.sums.n,
        method=method,
        barrier=barrier,
        headroom=share_above(barrier, expected),
        provenance=provenance_of(
            metric,
            how=how,
            rows=square.sums.n,
            dropped=dropped,
            seed=seed,
            method=method,
            feedback="gaussian",
            missing=missing,
            **settings,
        ),
    )
