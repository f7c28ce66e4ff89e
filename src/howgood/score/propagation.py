"""Any metric under uncertain feedback, by drawing the feedback.

In: a metric(y_true, y_pred), the feedback, and predictions of one system or several. Out: scores
per draw: `PropagatedScore` and, for several systems on the same draws, `PairedScores`. Absent:
closed forms for error metrics (see `error_metrics`).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from howgood.errors import InputError, UnknownNameError
from howgood.records.estimate import Estimate, Interval
from howgood.records.progress import Progress, silent
from howgood.records.provenance import Provenance
from howgood.records.shown import Shown
from howgood.score.distribution import ScoreDistribution, provenance_of
from howgood.score.feedback import DiscreteFeedback
from howgood.score.pairs import (
    MissingPolicy,
    checked_columns,
    require_count,
    require_not_negative,
)
from howgood.stats.arrays import FloatArray
from howgood.stats.distributions import DrawsLaw, NormalLaw
from howgood.stats.moments import propagate_first_order
from howgood.stats.randomness import RandomState, generator_and_seed

Metric = Callable[..., Any]
Draw = Callable[[np.random.Generator, int], NDArray[Any]]

_ANSWERS_AT_ONCE = 2_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class PropagatedScore(Shown):
    """The distribution of any metric over draws of the feedback.

    `draws` holds one score per draw, in the order drawn, so scores of two systems from the same
    call or the same seed stay paired. `mcse` is the Monte-Carlo standard error of the mean.

    Notes
    -----
    Stability: stable

    Examples
    --------
    >>> import numpy as np
    >>> from howgood import score
    >>> def bias(y_true, y_pred):
    ...     return float(np.mean(y_pred - y_true))
    >>> result = score.propagate(bias, mean=[3, 4], sd=0.0, prediction=[4, 4], random_state=1)
    >>> result.mean, result.sd
    (0.5, 0.0)
    """

    draws: FloatArray = field(repr=False)
    n: int
    method: str
    provenance: Provenance = field(repr=False)

    @property
    def mean(self) -> float:
        """Expected score."""
        return float(self.draws.mean())

    @property
    def variance(self) -> float:
        """Variance of the score."""
        return self._law.variance

    @property
    def sd(self) -> float:
        """Standard deviation of the score."""
        return float(np.sqrt(self.variance))

    @property
    def mcse(self) -> float:
        """Monte-Carlo standard error of the mean."""
        return self.sd / float(np.sqrt(self.draws.size))

    def cdf(self, x: ArrayLike) -> FloatArray:
        """Return the share of draws with a score of at most `x`."""
        return self._law.cdf(np.asarray(x, dtype=np.float64))

    def sf(self, x: ArrayLike) -> FloatArray:
        """Return the share of draws with a score above `x`."""
        return self._law.sf(np.asarray(x, dtype=np.float64))

    def quantile(self, q: ArrayLike) -> FloatArray:
        """Return the score below which a share `q` of draws falls."""
        return self._law.quantile(np.asarray(q, dtype=np.float64))

    def interval(self, probability: float = 0.95) -> Interval:
        """Return the central interval that holds this share of draws."""
        return Estimate.from_draws(self.draws, probability=probability, kind="quantile").interval

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as plain values, ready for JSON (without the draws)."""
        return {
            "n": self.n,
            "method": self.method,
            "mean": self.mean,
            "sd": self.sd,
            "mcse": self.mcse,
            "interval": self.interval().to_dict(),
            "provenance": self.provenance.to_dict(),
        }

    @property
    def _law(self) -> DrawsLaw:
        return DrawsLaw(draws=np.sort(self.draws))


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedScores(Shown):
    """Scores of several systems on the same draws of the feedback.

    Notes
    -----
    Stability: experimental
    """

    scores: dict[str, PropagatedScore]

    def __getitem__(self, system: str) -> PropagatedScore:
        if system not in self.scores:
            raise UnknownNameError(where="PairedScores", name=system, names=self.scores)
        return self.scores[system]

    def difference(self, first: str, second: str, *, probability: float = 0.95) -> Estimate:
        """Return the score of `first` minus that of `second`, draw by draw."""
        gap_draws = self[first].draws - self[second].draws
        return Estimate.from_draws(gap_draws, probability=probability, kind="quantile")

    def probability_above(self, first: str, second: str) -> float:
        """Return how often `first` scores above `second`, ties counting one half."""
        return self.difference(first, second).probability_above(0.0)


def propagate(
    metric: Metric,
    *,
    prediction: ArrayLike,
    mean: ArrayLike | None = None,
    sd: ArrayLike | None = None,
    feedback: DiscreteFeedback | None = None,
    draws: int = 1000,
    random_state: RandomState = None,
    missing: MissingPolicy = "error",
    progress: Progress = silent,
) -> PropagatedScore:
    r"""Return the distribution of any metric(y_true, y_pred) under uncertain feedback.

    Parameters
    ----------
    metric : callable
        Called as metric(y_true, y_pred) once per draw; returns a number. scikit-learn's metrics
        and `PowerMean` fit.
    prediction : array of shape (n,), or one number
        What the system predicts.
    mean, sd : array of shape (n,), or one number
        Gaussian feedback; or give `feedback`: uncertain labels are
        ``categorical_feedback(probabilities, values=[0, 1])``.
    draws : int
        Number of draws.
    random_state : int or Generator, optional
        The same seed draws the same feedback, so scores of two calls are then paired.

    Notes
    -----
    Stability: stable

    Examples
    --------
    Accuracy when the first label is uncertain and the second is not:

    >>> import numpy as np
    >>> from howgood import score
    >>> labels = score.categorical_feedback([[0.3, 0.7], [0.0, 1.0]], values=[0, 1])
    >>> def accuracy(y_true, y_pred):
    ...     return float(np.mean(y_true == y_pred))
    >>> result = score.propagate(
    ...     accuracy, feedback=labels, prediction=[1, 1], draws=4000, random_state=7)
    >>> abs(result.mean - 0.85) < 4 * result.mcse
    True
    """
    if isinstance(prediction, Mapping):
        raise InputError(
            where="propagate",
            found="several systems in `prediction`",
            needed="one system's predictions",
            cure="Use propagate_systems(metric, predictions=...) to score them on the same draws.",
        )
    paired = propagate_systems(
        metric,
        predictions={"prediction": prediction},
        mean=mean,
        sd=sd,
        feedback=feedback,
        draws=draws,
        random_state=random_state,
        missing=missing,
        progress=progress,
    )
    return paired["prediction"]


def propagate_systems(
    metric: Metric,
    *,
    predictions: Mapping[str, ArrayLike],
    mean: ArrayLike | None = None,
    sd: ArrayLike | None = None,
    feedback: DiscreteFeedback | None = None,
    draws: int = 1000,
    random_state: RandomState = None,
    missing: MissingPolicy = "error",
    progress: Progress = silent,
) -> PairedScores:
    """Return the distribution of any metric for several systems, on the same draws.

    Every draw of the feedback scores every system, so differences between systems are
    paired. Parameters as in `propagate`, with one entry per system in `predictions`.

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> import numpy as np
    >>> from howgood import score
    >>> def worst(y_true, y_pred):
    ...     return float(np.max(np.abs(y_true - y_pred)))
    >>> paired = score.propagate_systems(
    ...     worst, mean=[3, 4, 2], sd=0.5, random_state=1,
    ...     predictions={"a": [3, 4, 2], "b": [3, 4, 3]})
    >>> 0.0 < paired.probability_above("b", "a") < 1.0
    True
    """
    where = "propagate"
    require_count(draws, where=where)
    draw, systems, n, dropped = _prepared(mean, sd, feedback, predictions, missing)
    generator, seed = generator_and_seed(random_state)
    score_draws = {name: np.empty(draws) for name in systems}
    batch = max(1, min(draws, _ANSWERS_AT_ONCE // n))
    for start in range(0, draws, batch):
        answers = draw(generator, min(batch, draws - start))
        for offset, y_true in enumerate(answers):
            for name, y_pred in systems.items():
                score_draws[name][start + offset] = metric(y_true, y_pred)
        progress((start + len(answers)) / draws, "scoring draws")
    provenance = provenance_of(
        getattr(metric, "__name__", type(metric).__name__),
        how="draws of the feedback, scored one by one",
        rows=n,
        dropped=dropped,
        seed=seed,
        draws=draws,
        missing=missing,
        feedback="gaussian" if feedback is None else feedback.kind,
    )
    return PairedScores(
        scores={name: _result(scores, n, provenance) for name, scores in score_draws.items()}
    )


def first_order(
    metric: Metric,
    *,
    mean: ArrayLike,
    prediction: ArrayLike,
    sd: ArrayLike | None = None,
    covariance: ArrayLike | None = None,
    gradient: Callable[[FloatArray, FloatArray], ArrayLike] | None = None,
) -> ScoreDistribution:
    r"""Return the distribution of a smooth metric by Gaussian error propagation.

    .. math:: E\,g(X) \approx g(\mu), \qquad V\,g(X) \approx \nabla g(\mu)^T C\, \nabla g(\mu)

    with C the covariance of the feedback: what the paper's Eq. 1 and 2 say of independent answers,
    completed by the covariances of answers that vary together (a person in a good mood).

    Parameters
    ----------
    metric : callable
        metric(y_true, y_pred) -> float, smooth in y_true near the means.
    mean, prediction : arrays of shape (n,)
        Means of the feedback, and what the system predicts.
    sd : array of shape (n,) or one number, optional
        Standard deviations of answers that do not vary together.
    covariance : array of shape (n, n), optional
        Instead of `sd`: covariances of all answers.
    gradient : callable, optional
        gradient(y_true, y_pred) -> array of shape (n,): the metric's derivatives by y_true. Without
        it they are central differences, which cost 2 n evaluations of the metric.

    Returns
    -------
    ScoreDistribution
        A Gaussian. Where the metric bends within the noise (a mean squared error close to its
        minimum), mean and variance are off: `propagate` draws, `rmse` and `mae` are exact.

    References
    ----------
    Jasberg and Sizov (2018), "Human Uncertainty and Ranking Error", Eq. 1, 2.

    Notes
    -----
    Stability: experimental

    Examples
    --------
    Two answers of one person that always move together double the variance of their mean:

    >>> import numpy as np
    >>> from howgood import score
    >>> def bias(y_true, y_pred):
    ...     return float(np.mean(y_true - y_pred))
    >>> apart = score.first_order(bias, mean=[3, 4], sd=1.0, prediction=[3, 3])
    >>> both = score.first_order(
    ...     bias, mean=[3, 4], covariance=[[1, 1], [1, 1]], prediction=[3, 3])
    >>> round(apart.mean, 6), round(apart.variance, 6), round(both.variance, 6)
    (0.5, 0.5, 1.0)
    """
    where = "first_order"
    if (sd is None) == (covariance is None):
        raise InputError(
            where=where,
            found="both sd and covariance" if sd is not None else "neither sd nor covariance",
            needed="one of them",
            cure="Give sd for answers that do not vary together, covariance for others.",
        )
    given: dict[str, ArrayLike] = {"mean": mean, "prediction": prediction}
    columns, n, dropped = checked_columns(
        given if sd is None else {**given, "sd": sd}, where=where, missing="error"
    )
    location, predicted = (np.array(np.broadcast_to(columns[name], (n,))) for name in given)
    matrix = None if covariance is None else _covariance(covariance, n)
    spread = np.broadcast_to(columns["sd"], (n,)) if matrix is None else np.sqrt(np.diag(matrix))
    require_not_negative(spread, where=where)
    known = None if gradient is None else (lambda x: np.asarray(gradient(x, predicted)))
    expected, variance = propagate_first_order(
        lambda x: float(metric(x, predicted)), location, spread, gradient=known, covariance=matrix
    )
    name = getattr(metric, "__name__", type(metric).__name__)
    return ScoreDistribution(
        metric=name,
        law=NormalLaw(mean=expected, variance=variance),
        n=n,
        method="first-order",
        barrier=float("nan"),
        headroom=float("nan"),
        provenance=provenance_of(
            name,
            how="Gaussian error propagation, first order",
            rows=n,
            dropped=dropped,
            covariances=matrix is not None,
        ),
    )


def _covariance(given: ArrayLike, n: int) -> FloatArray:
    matrix = np.asarray(given, dtype=np.float64)
    is_square = matrix.shape == (n, n)
    if not is_square or not np.isfinite(matrix).all() or not np.allclose(matrix, matrix.T):
        raise InputError(
            where="first_order, covariance",
            found=f"a {'matrix' if is_square else 'shape'} "
            f"{'that is not symmetric or not finite' if is_square else matrix.shape}",
            needed=f"a symmetric matrix of shape ({n}, {n})",
            cure="Give the covariance of every two answers, in the order of the means.",
        )
    lowest = float(np.linalg.eigvalsh(matrix)[0])
    if lowest < -1e-9 * max(float(np.trace(matrix)), 1e-300):
        raise InputError(
            where="first_order, covariance",
            found=f"a smallest eigenvalue of {lowest:g}",
            needed="a covariance matrix, which has none below 0",
            cure="Check that variances are on the diagonal, and no correlation is above 1.",
        )
    return matrix


def _result(score_draws: FloatArray, n: int, provenance: Provenance) -> PropagatedScore:
    bad = int(np.sum(~np.isfinite(score_draws)))
    if bad:
        raise InputError(
            where="propagate",
            found=f"the metric returned no finite number in {bad} of {score_draws.size} draws",
            needed="a number for every draw",
            cure="Let the metric say what an empty class or a division by zero counts as.",
        )
    return PropagatedScore(draws=score_draws, n=n, method="monte-carlo", provenance=provenance)


def _prepared(
    mean: ArrayLike | None,
    sd: ArrayLike | None,
    feedback: DiscreteFeedback | None,
    predictions: Mapping[str, ArrayLike],
    missing: MissingPolicy,
) -> tuple[Draw, dict[str, NDArray[Any]], int, dict[str, int]]:
    """Return how to draw feedback, predictions per system, rows used and rows dropped."""
    where = "propagate"
    given_as = [mean is not None, sd is not None, feedback is not None]
    if given_as not in ([True, True, False], [False, False, True]) or not predictions:
        raise InputError(
            where=where,
            found="mean, sd, feedback and predictions do not fit together",
            needed="mean and sd, or feedback; and at least one system",
            cure="For example: propagate(metric, mean=..., sd=..., prediction=...).",
        )
    given: dict[str, ArrayLike] = {f"prediction {name!r}": p for name, p in predictions.items()}
    if feedback is None and mean is not None and sd is not None:
        given |= {"mean": mean, "sd": sd}
    else:
        given["feedback"] = np.arange(0 if feedback is None else feedback.n, dtype=np.float64)
    columns, n, dropped = checked_columns(given, where=where, missing=missing)
    systems = {
        name: _labels(np.broadcast_to(columns[f"prediction {name!r}"], (n,)), feedback)
        for name in predictions
    }
    if feedback is not None:
        kept = feedback.rows(columns["feedback"].astype(np.intp))
        return (lambda rng, size: _labels(kept.draw(rng, size), feedback)), systems, n, dropped
    require_not_negative(columns["sd"], where=where)

    def draw(generator: np.random.Generator, size: int) -> NDArray[Any]:
        noise = generator.standard_normal((size, n))
        return np.asarray(columns["mean"] + columns["sd"] * noise)

    return draw, systems, n, dropped


def _labels(values: FloatArray, feedback: DiscreteFeedback | None) -> NDArray[Any]:
    """Return whole numbers as integers where the feedback is made of labels."""
    if feedback is None or not np.all(feedback.values == np.round(feedback.values)):
        return values
    whole = bool(np.all(values == np.round(values)))
    return values.astype(np.int64) if whole else values
