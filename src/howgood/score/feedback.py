"""Feedback that is not Gaussian: answer categories with probabilities, or the repeated ratings.

In: probabilities per category, or ratings per trial. Out: `DiscreteFeedback`, accepted by `rmse`,
`mse`, `mae` and `propagate` in place of mean and sd. Absent: estimating mean and sd
(see `learn.rating_uncertainty`).
"""

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from howgood.errors import InputError, LengthMismatchError
from howgood.records.shown import Shown
from howgood.score.pairs import numeric, numeric_table
from howgood.stats.arrays import FloatArray

_SUM_TOLERANCE = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscreteFeedback(Shown):
    """What each person-item pair may answer, and how probable each answer is.

    `values` and `probabilities` have shape (n, c); rows of probabilities add up to 1. Make one
    with `categorical_feedback` or `empirical_feedback`.

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
    kind: Literal["categorical", "empirical"]

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
