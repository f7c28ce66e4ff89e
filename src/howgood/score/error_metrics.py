r"""RMSE, MSE and MAE as distributions.

In: mean and spread of the feedback per person-item pair and a system's predictions. Out:
`ScoreDistribution`. Absent: the same from sums alone (see `from_sums`), comparing systems
(see `decide`).

With :math:`\Delta_v = \mu_v - \pi_v` the mean squared error is
:math:`\frac1N \sum_v (\sigma_v Z_v + \Delta_v)^2`, a weighted sum of non-central chi-squares.
"""

import numpy as np
from numpy.typing import ArrayLike

from howgood.records.progress import Progress, silent
from howgood.score.distribution import ScoreDistribution
from howgood.score.error_score import (
    ErrorOptions,
    Method,
    error_score,
)
from howgood.score.error_terms import checked_terms
from howgood.score.feedback import DiscreteFeedback
from howgood.score.pairs import (
    MissingPolicy,
    checked_columns,
    require_not_negative,
)
from howgood.stats.randomness import RandomState


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
    feedback : DiscreteFeedback, optional
        Answer categories or repeated ratings in place of `mean` and `sd`: see
        `categorical_feedback` and `empirical_feedback`.
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
    terms = checked_terms("rmse", mean, sd, prediction, feedback, missing)
    options = ErrorOptions(
        method=method, missing=missing, draws=draws, random_state=random_state, progress=progress
    )
    return error_score(terms, options)


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
    terms = checked_terms("mse", mean, sd, prediction, feedback, missing)
    options = ErrorOptions(
        method=method, missing=missing, draws=draws, random_state=random_state, progress=progress
    )
    return error_score(terms, options)


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
    terms = checked_terms("mae", mean, sd, prediction, feedback, missing)
    options = ErrorOptions(
        method=method, missing=missing, draws=draws, random_state=random_state, progress=progress
    )
    return error_score(terms, options)
