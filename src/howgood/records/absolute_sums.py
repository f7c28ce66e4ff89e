"""What one pass over the data leaves of absolute errors: sums that add up over parts of the rows.

In: the sums made by `score.absolute_error_sums`. Out: expected mean absolute errors, and how far
they and their differences vary. Absent: reading data, rankings (see `decide.rank_sums`).
"""

import math
from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from howgood.errors import InputError, place_of
from howgood.records.provenance import Provenance
from howgood.records.shown import Shown
from howgood.stats.arrays import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AbsoluteErrorSums(Shown):
    r"""Sums over person-item pairs that fix mean absolute errors and their paired differences.

    Feedback :math:`X_v` is Gaussian with known mean and standard deviation; :math:`\pi_{kv}` are
    the predictions of system k.

    Attributes
    ----------
    systems : tuple of str
        Names, in the order of the arrays.
    n : int
        Pairs summed.
    means, variances : arrays of shape (K,)
        Sums of :math:`E|X_v - \pi_{kv}|` and of the variances.
    difference_variances : array of shape (K, K)
        Sums of the variances of :math:`|X_v - \pi_{iv}| - |X_v - \pi_{jv}|`.
    sds : float
        Sum of the standard deviations.
    provenance : Provenance

    Notes
    -----
    Sums of two parts of the data add: `first + second`.

    Stability: experimental
    """

    systems: tuple[str, ...]
    n: int
    means: FloatArray
    variances: FloatArray
    difference_variances: FloatArray
    sds: float
    provenance: Provenance

    @property
    def barrier(self) -> float:
        """The mean absolute error of people's own mean opinions: no system can expect less."""
        return math.sqrt(2.0 / math.pi) * self.sds / self.n

    def mae(self, system: str) -> tuple[float, float]:
        """Return the expected MAE of a system and its standard deviation over re-ratings.

        Examples
        --------
        >>> from howgood import score
        >>> table = {"mu": [3.0, 4.0], "sigma": [0.0, 0.0], "svd": [3.5, 4.0]}
        >>> score.absolute_error_sums(table, mean="mu", sd="sigma", predictions=["svd"]).mae("svd")
        (0.25, 0.0)
        """
        place = place_of(system, self.systems, where="system")
        return float(self.means[place] / self.n), float(np.sqrt(self.variances[place]) / self.n)

    def __add__(self, other: "AbsoluteErrorSums") -> "AbsoluteErrorSums":
        """Join the sums of two parts of the data."""
        if self.systems != other.systems:
            raise InputError(
                where="sums of absolute errors",
                found=f"systems {', '.join(self.systems)} and {', '.join(other.systems)}",
                needed="sums of the same systems, in the same order",
                cure="Name the columns of predictions alike in both parts.",
            )
        dropped = Counter(self.provenance.rows_dropped) + Counter(other.provenance.rows_dropped)
        used = (self.provenance.rows_used or 0) + (other.provenance.rows_used or 0)
        return AbsoluteErrorSums(
            systems=self.systems,
            n=self.n + other.n,
            means=self.means + other.means,
            variances=self.variances + other.variances,
            difference_variances=self.difference_variances + other.difference_variances,
            sds=self.sds + other.sds,
            provenance=replace(self.provenance, rows_used=used, rows_dropped=dict(dropped)),
        )
