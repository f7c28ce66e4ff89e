"""MSE and RMSE as distributions, from the sums of one pass over the pairs.

In: `SquaredErrorSums` from any engine. Out: `ScoreDistribution`. Absent: the sums themselves (see
`sums`), rankings (see `decide`).
"""

from typing import Literal

import numpy as np

from howgood.errors import InputError
from howgood.records.sums import SquaredErrorSums
from howgood.score.distribution import ScoreDistribution
from howgood.score.error_score import PAPER, describe, how_inverted, propagated, rooted
from howgood.score.pairs import require_choice
from howgood.stats.distributions import Law, WidenedLaw
from howgood.stats.moments import ORDERS, PowerSums
from howgood.stats.weighted_chi_square import WeightedChiSquare

_GAMMA = "gamma distribution with the same mean and variance (too few pairs for 12 cumulants)"


def from_sums(
    sums: SquaredErrorSums,
    system: str,
    *,
    metric: Literal["rmse", "mse"] = "rmse",
    method: Literal["exact", "paper"] = "exact",
) -> ScoreDistribution:
    """Return the distribution of one system's RMSE or MSE from sums alone.

    Nothing else is needed once an engine has passed over the pairs. Twelve cumulants give the
    distribution to 1e-10 when the pairs are many; tails beyond about 1e-18 are then absolute, not
    relative. When the pairs are few, or few dominate, twelve cumulants do not suffice, and the
    gamma distribution with the same mean and variance stands in: `method` is then "gamma"; hand
    the pairs to `rmse` for the exact distribution.

    Parameters
    ----------
    sums : SquaredErrorSums
        From `squared_error_sums` or `rating_sums`. With known `trials`, the expected score uses
        the variances as they are (ddof 0, which makes it unbiased), the spread of the score and
        the barrier their corrected forms. The score of n ratings is itself as uncertain as their
        mean: a re-rating lies around it `sqrt(1 + d)` times as far as around known means, with
        d = `sums.doubt` (about 1 / n; 1 after single ratings), and the distribution is that wide,
        as `decide.rank_sums(...).score_sds` are.
    system : str
        A name in `sums.systems`.
    metric : {"rmse", "mse"}
    method : {"exact", "paper"}
        As in `rmse`.

    Notes
    -----
    Stability: stable

    Examples
    --------
    >>> from howgood import score
    >>> table = {"mu": [3.0] * 2000, "sigma": [1.0] * 2000, "svd": [2.0] * 2000}
    >>> sums = score.squared_error_sums(
    ...     table, mean="mu", sd="sigma", predictions=["svd"], trials=float("inf")
    ... )
    >>> distribution = score.from_sums(sums, "svd")
    >>> distribution.method, round(distribution.mean, 4), round(distribution.barrier, 4)
    ('exact', 1.4141, 1.0)
    """
    require_choice(metric, ("rmse", "mse"), name="metric", where="from_sums")
    require_choice(method, ("exact", "paper"), name="method", where="from_sums")
    square = WeightedChiSquare.from_sums(_power_sums(sums, system))
    root = metric == "rmse"
    law: Law
    used: str = method
    if method == "paper":
        law, how = propagated(square, root=root), PAPER
    else:
        law, how = rooted(square) if root else square, how_inverted(square)
        if square.series is None and not square.is_point:
            used, how = "gamma", _GAMMA
    if sums.doubt > 0.0:
        law = WidenedLaw(inner=law, factor=float(np.sqrt(1.0 + sums.doubt)))
        how += "; widened about its mean, since few ratings leave the score itself in doubt"
    return describe(
        metric,
        law,
        expected=square.mean,
        floor=sums.barrier**2,
        n=sums.n,
        method=used,
        how=how,
        dropped=dict(sums.provenance.rows_dropped),
        feedback="gaussian",
        system=system,
        doubt=sums.doubt,
    )


def _power_sums(sums: SquaredErrorSums, system: str) -> PowerSums:
    powers = sums.power_sums(system)
    if powers.size < ORDERS:
        raise InputError(
            where="from_sums",
            found=f"sums of {powers.size} powers",
            needed=f"{ORDERS}, for a distribution",
            cure="Leave `powers` of `squared_error_sums` at its default.",
        )
    if sums.trials is not None:
        second = float(sums.trials.second_power[sums.index(system)])
        powers[1] = max(second, sums.trials.single_square)
    return PowerSums(
        n=sums.n,
        largest_variance=sums.max_variance,
        variance_sum=float(sums.variance_powers[0]),
        sums=powers[:ORDERS],
    )
