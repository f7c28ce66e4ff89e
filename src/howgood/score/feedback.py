"""Feedback that is not Gaussian: answer categories, repeated ratings, or a beta on a bounded scale.

In: probabilities per category, ratings per trial, or mean and sd. Out: `DiscreteFeedback`, accepted
by `rmse`, `mse`, `mae`, `propagate` and `decide.rank` in place of mean and sd. Absent: estimating
mean and sd (see `learn.rating_uncertainty`).
"""

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from howgood.errors import InputError, LengthMismatchError
from howgood.records.shown import Shown
from howgood.score.pairs import checked_columns, numeric, numeric_table, require_not_negative
from howgood.stats.arrays import FloatArray

_SUM_TOLERANCE = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscreteFeedback(Shown):
    """What each person-item pair may answer, and how probable each answer is.

    `values` and `probabilities` have shape (n, c); rows of probabilities add up to 1. Make one
    with `categorical_feedback`, `empirical_feedback` or `beta_feedback`.

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> feedback = categorical_feedback([[0.5, 0.5], [0.0, 1.0]], values=[3, 4])
    >>> feedback.n, feedback.mean.tolist(), feedback.sd.tolist()
    (2, [3.5, 4.0], [0.5, 0.0])
    """

    values: FloatArray = field(repr=False)
    probabilities: FloatArray = field(repr=False)
    kind: Literal["categorical", "empirical", "beta"]

    @property
    def n(self) -> int:
        """Number of pairs."""
        return len(self.values)

    @property
    def mean(self) -> FloatArray:
        """Expected answer per pair."""
        return np.asarray(np.sum(self.values * self.probabilities, axis=1))

    @property
    def sd(self) -> FloatArray:
        """Standard deviation of the answer per pair."""
        centred = self.values - self.mean[:, None]
        return np.asarray(np.sqrt(np.sum(centred**2 * self.probabilities, axis=1)))

    @property
    def absolute_deviation(self) -> FloatArray:
        """Expected distance of the answer from its median, per pair."""
        order = np.argsort(self.values, axis=1)
        values = np.take_along_axis(self.values, order, axis=1)
        reached = np.cumsum(np.take_along_axis(self.probabilities, order, axis=1), axis=1)
        median = np.take_along_axis(values, np.argmax(reached >= 0.5, axis=1)[:, None], axis=1)
        return np.asarray(np.sum(np.abs(self.values - median) * self.probabilities, axis=1))

    def rows(self, kept: NDArray[np.intp]) -> "DiscreteFeedback":
        """Return the feedback of some of the pairs."""
        return DiscreteFeedback(
            values=self.values[kept], probabilities=self.probabilities[kept], kind=self.kind
        )

    def draw(self, generator: np.random.Generator, size: int) -> FloatArray:
        """Return answers of shape (size, n)."""
        reached = np.cumsum(self.probabilities, axis=1)
        uniform = generator.random((size, self.n)) * reached[:, -1]
        chosen = np.zeros((size, self.n), dtype=np.intp)
        for category in range(self.values.shape[1] - 1):
            chosen += uniform >= reached[:, category]
        return self.values[np.arange(self.n), chosen]


def categorical_feedback(probabilities: ArrayLike, *, values: ArrayLike) -> DiscreteFeedback:
    """Return feedback given as a probability per answer category.

    Parameters
    ----------
    probabilities : array of shape (n, c)
        One row per pair, adding up to 1.
    values : array of shape (c,)
        The answer each category stands for: 1 to 5 for five stars, 0 and 1 for two labels.

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> from howgood import score
    >>> feedback = score.categorical_feedback([[0.2, 0.8], [0.0, 1.0]], values=[4, 5])
    >>> round(score.mse(prediction=[5, 5], feedback=feedback).mean, 12)
    0.1
    """
    where = "categorical_feedback"
    table = numeric_table(probabilities, column="probabilities", where=where)
    answers = numeric(values, column="values", where=where)
    if not np.isfinite(answers).all():
        raise InputError(
            where=f"{where}, values",
            found=f"values {answers.tolist()}",
            needed="finite numbers",
            cure="Give the answer each category stands for.",
        )
    if answers.size != table.shape[1]:
        raise LengthMismatchError(
            where=where,
            lengths={"values": answers.size, "a row of probabilities": table.shape[1]},
        )
    totals = table.sum(axis=1)
    wrong = (np.abs(totals - 1.0) > _SUM_TOLERANCE) | np.any(table < 0.0, axis=1)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise InputError(
            where=f"{where}, row {row + 1}",
            found=f"probabilities {table[row].tolist()} adding up to {totals[row]:g}",
            needed="no probability below 0, and each row adds up to 1",
            cure="Divide counts by their sum first.",
        )
    return DiscreteFeedback(
        values=np.broadcast_to(answers, table.shape),
        probabilities=table / totals[:, None],
        kind="categorical",
    )


def empirical_feedback(ratings: ArrayLike) -> DiscreteFeedback:
    """Return feedback given as the repeated ratings themselves, each equally probable.

    Parameters
    ----------
    ratings : array of shape (n, trials)
        One row per pair; NaN where a trial is missing.

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> feedback = empirical_feedback([[3, 4, 4, 5], [2, 2, 2, float("nan")]])
    >>> feedback.mean.tolist()
    [4.0, 2.0]
    """
    where = "empirical_feedback"
    table = numeric_table(ratings, column="ratings", where=where, gaps=True)
    given = np.isfinite(table)
    trials = given.sum(axis=1)
    if np.any(trials == 0):
        raise InputError(
            where=f"{where}, row {int(np.argmax(trials == 0)) + 1}",
            found="no rating at all",
            needed="at least one rating per pair",
            cure="Leave this pair out.",
        )
    return DiscreteFeedback(
        values=np.where(given, table, 0.0),
        probabilities=given / trials[:, None],
        kind="empirical",
    )


# A beta is represented by so many equally probable values.
_POINTS = 32


def beta_feedback(
    mean: ArrayLike, sd: ArrayLike, *, lowest: float, highest: float
) -> DiscreteFeedback:
    r"""Return feedback that is beta distributed between the ends of its scale.

    Gaussian feedback may lie outside the scale; near its ends, and where people vary much, a beta
    describes it better. Each pair's beta has the given mean and standard deviation and is
    represented by 32 equally probable values (midpoints of its quantiles, moved and stretched to
    that mean and standard deviation).

    Parameters
    ----------
    mean, sd : arrays of shape (n,), or one number for all
        Mean and standard deviation of each pair's feedback. sd 0 is legal.
    lowest, highest : float
        Ends of the scale, such as 1 and 5.

    References
    ----------
    Jasberg and Sizov (2018), "Human Uncertainty and Ranking Error", Section 3.2.

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> feedback = beta_feedback([3.0, 4.8], 0.4, lowest=1, highest=5)
    >>> feedback.mean.round(6).tolist(), feedback.sd.round(6).tolist()
    ([3.0, 4.8], [0.4, 0.4])
    """
    from scipy.special import betaincinv

    where = "beta_feedback"
    columns, n, _ = checked_columns({"mean": mean, "sd": sd}, where=where, missing="error")
    require_not_negative(columns["sd"], where=where)
    middle, spread = (np.broadcast_to(columns[name], (n,)) for name in ("mean", "sd"))
    if not (np.isfinite([lowest, highest]).all() and lowest < highest):
        raise InputError(
            where=f"{where}, lowest and highest",
            found=f"{lowest:g} and {highest:g}",
            needed="two finite ends, the lowest below the highest",
            cure="Give the ends of the scale, such as lowest=1, highest=5.",
        )
    share = (middle - lowest) / (highest - lowest)
    limit = share * (1 - share)
    variance = (spread / (highest - lowest)) ** 2
    wrong = (variance >= limit) & (spread > 0) | (share < 0) | (share > 1)
    if wrong.any():
        row = int(np.argmax(wrong))
        most = (highest - lowest) * float(np.sqrt(max(limit[row], 0.0)))
        raise InputError(
            where=f"{where}, row {row + 1}",
            found=f"mean {middle[row]:g} and sd {spread[row]:g}",
            needed=f"a mean on the scale, and an sd below {most:g}, the largest around that mean",
            cure="Check the ends of the scale, or use Gaussian feedback.",
        )
    is_sure = spread == 0
    size = np.where(is_sure, 1.0, limit / np.where(is_sure, 1.0, variance) - 1)
    safe = np.where(is_sure, 0.5, share)
    at = (np.arange(_POINTS) + 0.5) / _POINTS
    points = betaincinv((safe * size)[:, None], ((1 - safe) * size)[:, None], at)
    away = points - points.mean(axis=1, keepdims=True)
    away *= (np.sqrt(variance) / np.maximum(away.std(axis=1), 1e-300))[:, None]
    values = middle[:, None] + (highest - lowest) * np.where(is_sure[:, None], 0.0, away)
    return DiscreteFeedback(
        values=values, probabilities=np.full(values.shape, 1.0 / _POINTS), kind="beta"
    )
