r"""Absolute values of Gaussians: moments, cumulants, and the distribution of their mean.

In: locations relative to the fold, and standard deviations. Out: arrays; `FoldedMean`, the
distribution of :math:`\frac1N \sum |X_v|`. Absent: score names.

Many terms: twelve cumulants. Few terms: the exact characteristic function, along a contour through
the saddlepoint. The moment generating function is entire, so there is nothing to bend around; but
up a vertical line it falls off only like a power of the number of terms, so the contour leans to
the right, where the factor :math:`e^{-s x}` falls off exponentially. One term: closed form.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import erfcx, log_ndtr, ndtr, wofz

from howgood.stats.arrays import ComplexArray, FloatArray
from howgood.stats.cumulant_functions import Path, SeriesCumulants, even_path, stretched_path
from howgood.stats.inversion import InvertedLaw
from howgood.stats.moments import ORDERS, cumulants_from_moments

_BLOCK = 16_384
# Zeros of the moment generating function of |X| lie at least this many 1/sd from the origin.
_NEAREST_ZERO = 2.5
_WIDEST = 1_500.0
_UNFOLDED = 40.0


def folded_normal_mean(location: ArrayLike, sd: ArrayLike) -> FloatArray:
    r"""Return :math:`E|X|` for :math:`X \sim \mathcal N(\Delta, \sigma^2)`; sd 0 is legal.

    .. math:: E|X| = |\Delta| + 2 \sigma \left[\varphi(\delta) - \delta\,\Phi(-\delta)\right],
        \qquad \delta = |\Delta| / \sigma

    Examples
    --------
    >>> bool(np.isclose(folded_normal_mean(0.0, 1.0), np.sqrt(2 / np.pi), rtol=1e-15))
    True
    >>> folded_normal_mean([-3.0, 2.0], [0.0, 0.0]).tolist()
    [3.0, 2.0]
    """
    distance, spread = np.abs(np.asarray(location, dtype=np.float64)), _floats(sd)
    return np.asarray(distance + _fold_excess(distance, spread))


def folded_normal_variance(location: ArrayLike, sd: ArrayLike) -> FloatArray:
    r"""Return :math:`V|X|` for :math:`X \sim \mathcal N(\Delta, \sigma^2)`, without cancellation.

    Examples
    --------
    >>> bool(np.isclose(folded_normal_variance(0.0, 1.0), 1 - 2 / np.pi, rtol=1e-14))
    True
    """
    distance, spread = np.abs(np.asarray(location, dtype=np.float64)), _floats(sd)
    excess = _fold_excess(distance, spread)
    return np.asarray(np.maximum(spread**2 - 2.0 * excess * distance - excess**2, 0.0))


def folded_normal_cumulants(location: FloatArray, sd: FloatArray, *, orders: int) -> FloatArray:
    """Return cumulants 1 to `orders` of |X|, shape (orders, n), for positive sd.

    Moments are taken about the distance of the location from the fold, in units of sd, where
    they are of order one: nothing cancels.
    """
    distance = np.abs(location)
    ratio = _ratio(distance, sd)
    density = _density(ratio)
    near = [ndtr(ratio), density]
    far = [ndtr(-ratio), density - 2.0 * ratio * ndtr(-ratio)]
    moments = np.empty((orders, distance.size))
    moments[0] = near[1] + far[1]
    power = np.ones_like(ratio)
    for order in range(2, orders + 1):
        power = power * -ratio
        edge = power * density
        near = [near[1], edge + (order - 1) * near[0]]
        far = [far[1], edge + (order - 1) * far[0] - 2.0 * ratio * far[1]]
        moments[order - 1] = near[1] + far[1]
    cumulants = cumulants_from_moments(moments)
    cumulants *= sd ** np.arange(1, orders + 1)[:, None]
    cumulants[0] += distance
    return cumulants


def _fold_excess(distance: FloatArray, sd: FloatArray) -> FloatArray:
    """Return how much the mean of |X| exceeds the distance of its location from the fold."""
    ratio = _ratio(distance, np.where(sd > 0.0, sd, 1.0))
    return np.asarray(2.0 * sd * np.maximum(_density(ratio) - ratio * ndtr(-ratio), 0.0))


def _ratio(distance: FloatArray, sd: FloatArray) -> FloatArray:
    """Return distance / sd, but not above 40: from there on no mass is folded."""
    with np.errstate(over="ignore"):  # sds too small to divide by
        return np.asarray(np.minimum(distance / sd, 40.0))


def _density(z: FloatArray) -> FloatArray:
    return np.asarray(np.exp(-0.5 * z * z) / np.sqrt(2.0 * np.pi))


def _floats(values: ArrayLike) -> FloatArray:
    return np.asarray(values, dtype=np.float64)


class FoldedMean(InvertedLaw):
    """Distribution of the mean of |X_v| for independent Gaussians X_v.

    Examples
    --------
    >>> law = FoldedMean(np.zeros(1), np.ones(1))
    >>> bool(np.isclose(law.cdf(np.array([1.0]))[0], 0.6826894921370859, rtol=1e-15))
    True
    """

    def __init__(self, location: FloatArray, sd: FloatArray) -> None:
        n = location.size
        spread = sd > 0.0
        self.n = n
        distance = np.abs(location)
        # So far from the fold nothing is folded: the rest of the way is a constant, which would
        # cost the Gaussians their digits.
        near = np.minimum(distance, _UNFOLDED * sd)
        self.constant = float(np.sum(distance - near)) / n
        self._location, self._sd = near[spread] / n, sd[spread] / n
        self.mean = self.constant + float(np.sum(folded_normal_mean(self._location, self._sd)))
        self.variance = float(np.sum(folded_normal_variance(self._location, self._sd)))
        self.series = self._series() if self.variance > 0.0 else None

    @property
    def lower_end(self) -> float:
        """Where the support begins: what the terms without spread add up to.

        Terms far from the fold begin where no number would hold their mass.
        """
        return self.constant

    @property
    def exact(self) -> "FoldedCumulants":
        """The exact cumulant function."""
        return self._exact

    @cached_property
    def _exact(self) -> "FoldedCumulants":
        return FoldedCumulants.of(
            np.abs(self._location), self._sd, constant=self.constant, variance=self.variance
        )

    def _series(self) -> SeriesCumulants | None:
        sd = float(np.sqrt(self.variance))
        ratio = float(self._sd.max()) / _NEAREST_ZERO / sd
        if ratio * 8.7 >= 0.5:
            return None
        total = np.zeros(ORDERS)
        for start in range(0, self._sd.size, _BLOCK):
            part = slice(start, start + _BLOCK)
            cumulants = folded_normal_cumulants(self._location[part], self._sd[part], orders=ORDERS)
            total += cumulants.sum(axis=1)
        total[0], total[1] = self.mean, self.variance
        return SeriesCumulants.of(total, ratio=ratio)

    def inside(self, x: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return cdf, sf and density at a flat array inside the support."""
        if self._sd.size > 1:
            return super().inside(x)
        return _one_folded(x - self.constant, float(self._location[0]), float(self._sd[0]))

    def density_at_lower_end(self) -> float:
        """Return the limit of the density at the end of the support: only one term leaves it."""
        if self._sd.size > 1:
            return 0.0
        return float(self.inside(np.array([self.constant]))[2][0])


def _one_folded(
    x: FloatArray, location: float, sd: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    left, right = (-x - abs(location)) / sd, (x - abs(location)) / sd
    density = (np.exp(-0.5 * left**2) + np.exp(-0.5 * right**2)) / (sd * np.sqrt(2.0 * np.pi))
    return ndtr(right) - ndtr(left), ndtr(-right) + ndtr(left), density


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldedCumulants:
    r"""Exact K of a sum of folded Gaussians plus a constant (the `shift`).

    .. math:: K(t) = \sum_v \log\left[ e^{\sigma_v^2 t^2/2 + D_v t} \Phi(\delta_v + \sigma_v t)
        + e^{\sigma_v^2 t^2/2 - D_v t} \Phi(\sigma_v t - \delta_v) \right]
    """

    distance: FloatArray = field(repr=False)
    sd: FloatArray = field(repr=False)
    shift: float
    scale: float
    reach: float
    lower_limit: float = -np.inf
    upper_limit: float = np.inf

    @classmethod
    def of(
        cls, distance: FloatArray, sd: FloatArray, *, constant: float, variance: float
    ) -> "FoldedCumulants":
        """Scale positive standard deviations to standard units."""
        scale = float(np.sqrt(variance))
        # Each term lets the integrand fall off at least like 1/y: follow it to about 1e-13.
        reach = float(np.clip(10.0 ** (13.0 / (sd.size + 1)), 15.4, _WIDEST))
        return cls(
            distance=distance / scale,
            sd=sd / scale,
            shift=constant,
            scale=scale,
            reach=reach,
        )

    @property
    def paths(self) -> tuple[Path, ...]:
        """Leaning over, where the integrand falls off exponentially; last, a straight line."""
        return (
            stretched_path(slope=0.3),
            stretched_path(slope=0.8),
            stretched_path(slope=0.8, step=0.0125),
            even_path(self.reach),
        )

    @property
    def size(self) -> int:
        """Number of terms, counted for their cost."""
        return 4 * int(self.sd.size)

    def value(self, s: ComplexArray) -> ComplexArray:
        """Return K at complex points of any shape."""
        near, far = (_log_mills(z.astype(np.complex128)) for z in self._positions(s))
        larger = np.where(near.real >= far.real, near, far)
        smaller = np.where(near.real >= far.real, far, near)
        # The branch of this logarithm does not matter: K is only ever exponentiated.
        log_terms = larger + np.log(1.0 + np.exp(smaller - larger)) - 0.5 * self._ratio() ** 2
        return np.asarray(np.sum(log_terms, axis=-1))

    def slopes(self, s: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the first two derivatives of K at real points, and a third that bends the path.

        Any bend to the right gives the same integral, as K has no singularities; this one is that
        of a distribution of skewness one.
        """
        near, far = self._positions(s)
        odds = _log_mills_real(far) - _log_mills_real(near)
        share = 1.0 / (1.0 + np.exp(np.clip(odds, -700.0, 700.0)))
        near_mean, near_square = _positive_part_moments(near)
        far_mean, far_square = _positive_part_moments(far)
        first = share * near_mean + (1.0 - share) * far_mean
        variance = (
            share * (near_square - near_mean**2)
            + (1.0 - share) * (far_square - far_mean**2)
            + share * (1.0 - share) * (near_mean - far_mean) ** 2
        )
        second = variance @ self.sd**2
        return first @ self.sd, second, second**1.5

    def excess(self, s: FloatArray) -> FloatArray:
        """Return K minus its tangent at zero, at real points."""
        tangent = float(np.sum(folded_normal_mean(self.distance, self.sd)))
        near, far = (_log_mills_real(z) for z in self._positions(s))
        log_terms = np.logaddexp(near, far) - 0.5 * self._ratio() ** 2
        return np.asarray(np.sum(log_terms, axis=-1) - s * tangent)

    def _ratio(self) -> FloatArray:
        return np.asarray(self.distance / self.sd)

    def _positions(self, s: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return where the tilted Gaussian and its mirror image sit, in units of sd."""
        shifted = np.multiply.outer(s, self.sd)
        return shifted + self._ratio(), shifted - self._ratio()


def _log_mills(z: ComplexArray) -> ComplexArray:
    r"""Return the log of :math:`e^{z^2/2} \Phi(z)`, in the form that does not overflow."""
    right = z.real > 0.0
    faddeeva = 0.5 * wofz(1j * np.where(right, z, -z) / np.sqrt(2.0))
    square = 0.5 * z * z
    grows = right & (square.real > 0.0)
    with np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore"):
        growing = square + np.log(1.0 - np.exp(np.where(grows, -square, 0.0)) * faddeeva)
        falling = np.log(np.exp(np.where(right & ~grows, square, 0.0)) - faddeeva)
        left = np.log(np.where(right, 1.0, faddeeva))
    return np.asarray(np.where(right, np.where(grows, growing, falling), left))


def _log_mills_real(z: FloatArray) -> FloatArray:
    small = np.log(0.5 * erfcx(-np.minimum(z, 5.0) / np.sqrt(2.0)))
    return np.asarray(np.where(z < 5.0, small, 0.5 * z**2 + log_ndtr(z)))


def _positive_part_moments(z: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return mean and mean square of a unit Gaussian at z, given that it is positive."""
    far = z < -30.0
    a = np.where(far, -z, 30.0)
    hazard = np.sqrt(2.0 / np.pi) / erfcx(-np.maximum(z, -30.0) / np.sqrt(2.0))
    mean = np.where(far, 1.0 / a - 2.0 / a**3 + 10.0 / a**5, z + hazard)
    square = np.where(far, 2.0 / a**2 - 10.0 / a**4 + 74.0 / a**6, 1.0 + z * mean)
    return mean, square
