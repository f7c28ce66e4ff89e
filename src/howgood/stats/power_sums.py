"""Power sums: all that the distribution of a mean of squares needs from large arrays.

In: locations, standard deviations and origins, one per term. Out: `PowerSums`, computed block
by block so that every intermediate stays in the processor's cache. Absent: data frames (the same
sums come from any engine, see `score`).
"""

from dataclasses import dataclass, field

import numpy as np

from howgood.stats.arrays import FloatArray

ORDERS = 12
_BLOCK = 8192


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerSums:
    r"""Sums over terms :math:`(\sigma_v Z_v + \Delta_v)^2` that give all cumulants of their mean.

    .. math:: P_s = \sum_v \sigma_v^{2s} + s\, \sigma_v^{2s-2} \Delta_v^2, \qquad s = 1 \dots 12

    `sums` holds :math:`P_1 \dots P_{12}`; `variance_sum` is the sum of the
    :math:`\sigma_v^2` alone and `largest_variance` their maximum.
    """

    n: int
    largest_variance: float
    variance_sum: float
    sums: FloatArray = field(repr=False)

    def cumulants(self) -> FloatArray:
        r"""Return :math:`\kappa_s = 2^{s-1} (s-1)!\, P_s / N^s`, the cumulants of the mean.

        Examples
        --------
        One standard normal squared is chi-square with one degree of freedom: mean 1, variance 2,
        third cumulant 8.

        >>> power_sums(np.zeros(1), np.ones(1), np.zeros(1)).cumulants()[:3].tolist()
        [1.0, 2.0, 8.0]
        """
        return cumulants_of_mean(self.sums, self.n)


def cumulants_of_mean(sums: FloatArray, n: int) -> FloatArray:
    r"""Return :math:`\kappa_s = 2^{s-1} (s-1)!\, P_s / N^s` from the first power sums."""
    orders = np.arange(1, sums.size + 1)
    factorials = np.cumprod(np.maximum(orders - 1, 1)).astype(np.float64)
    # Dividing stepwise keeps N**12 from overflowing when the sums are small.
    return np.asarray(2.0 ** (orders - 1) * factorials * (sums / float(n) ** orders))


def power_sums(location: FloatArray, scale: FloatArray, origin: FloatArray) -> PowerSums:
    r"""Return the power sums of the terms :math:`(\sigma_v Z_v + \Delta_v)^2`.

    :math:`\Delta_v` is `location` minus `origin`, :math:`\sigma_v` is `scale`. A zero-dimensional
    or length-one array stands for the same value in every term.
    """
    n = max(location.size, scale.size, origin.size)
    largest = float(np.max(scale)) ** 2
    unit = largest if largest > 0.0 else 1.0
    moments = np.zeros((7, 4))
    rows = np.empty((7, min(_BLOCK, n)))
    columns = np.empty((4, min(_BLOCK, n)))
    for start in range(0, n, _BLOCK):
        part = slice(start, min(start + _BLOCK, n))
        size = part.stop - part.start
        moments += _block_moments(
            _part(location, part),
            _part(scale, part),
            _part(origin, part),
            unit,
            rows[:, :size],
            columns[:, :size],
        )
    # Row i holds variance**i; the columns are 1, variance**6, square, square * variance**6.
    pure = np.concatenate([moments[:6, 0], moments[:, 1]])[1:]
    mixed = np.concatenate([moments[:6, 2], moments[:6, 3]])
    orders = np.arange(1, ORDERS + 1)
    with np.errstate(over="ignore", under="ignore"):
        sums = unit ** orders.astype(np.float64) * (pure + orders * mixed)
    return PowerSums(
        n=n, largest_variance=largest, variance_sum=float(pure[0] * unit), sums=np.asarray(sums)
    )


def _part(values: FloatArray, part: slice) -> FloatArray:
    return values[part] if values.size > 1 else values


def _block_moments(
    location: FloatArray,
    scale: FloatArray,
    origin: FloatArray,
    unit: float,
    rows: FloatArray,
    columns: FloatArray,
) -> FloatArray:
    """Return sums of variance**i times 1, variance**6, square and square * variance**6.

    Variances and squares are measured in `unit`, so that no power overflows. Seven rows against
    four columns give all twelve orders in one matrix product.
    """
    rows[0] = 1.0
    np.multiply(scale, scale, out=rows[1])
    rows[1] *= 1.0 / unit
    for power in range(2, 7):
        np.multiply(rows[power // 2], rows[power - power // 2], out=rows[power])
    columns[0] = 1.0
    columns[1] = rows[6]
    np.subtract(location, origin, out=columns[2])
    np.multiply(columns[2], columns[2], out=columns[2])
    columns[2] *= 1.0 / unit
    np.multiply(columns[2], rows[6], out=columns[3])
    return np.asarray(rows @ columns.T)
