r"""MAE as a distribution.

In: mean and spread of the feedback per person-item pair and a system's predictions. Out:
`ScoreDistribution`. Absent: comparing systems (see `decide`).
"""

from numpy.typing import ArrayLike

from howgood.records.progress import Progress, silent
from howgood.score.distribution import ScoreDistribution
from howgood.score.error_score import ErrorOptions, Method, error_score
from howgood.score.error_terms import checked_terms
from howgood.score.feedback import DiscreteFeedback
from howgood.score.pairs import MissingPolicy
from howgood.stats.randomness import RandomState


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
