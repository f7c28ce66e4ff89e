"""Distributions of one number with one interface, and Gaussians outside an interval.

In: a distribution of squares, a Gaussian's moments, or draws. Out: objects with `mean`,
`variance`, `cdf`, `sf`, `pdf`, `quantile` and `sample`; half-widths, masses and partial moments of
truncated Gaussians. Absent: units and names.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np
from scipy.special import ndtr, ndtri

from howgood.stats.arrays import FloatArray
from howgood.stats.inversion import InvertedLaw

_MOST_STEPS = 60


class Law(Protocol):
    """A distribution of one number."""

    @property
    def mean(self) -> float:
        """Mean."""

    @property
    def variance(self) -> float:
        """Variance."""

    def cdf(self, x: FloatArray) -> FloatArray:
        """Return P(X <= x)."""

    def sf(self, x: FloatArray) -> FloatArray:
        """Return P(X > x)."""

    def pdf(self, x: FloatArray) -> FloatArray:
        """Return the density."""

    def quantile(self, probability: FloatArray) -> FloatArray:
        """Return the points below which the given probabilities lie."""

    def sample(self, size: int, generator: np.random.Generator) -> FloatArray:
        """Return independent draws."""


class RootLaw:
    """The square root of a mean of squares."""

    def __init__(self, square: InvertedLaw) -> None:
        self.square = square

    @cached_property
    def _moments(self) -> tuple[float, float]:
        return self.square.root_moments()

    @property
    def mean(self) -> float:
        """Mean of the root, not the root of the mean."""
        return self._moments[0]

    @property
    def variance(self) -> float:
        """Variance of the root."""
        return self._moments[1]

    def cdf(self, x: FloatArray) -> FloatArray:
        """Return P(X <= x)."""
        return np.where(x < 0.0, 0.0, self.square.cdf(self._squared(x)))

    def sf(self, x: FloatArray) -> FloatArray:
        """Return P(X > x)."""
        return np.where(x < 0.0, 1.0, self.square.sf(self._squared(x)))

    def pdf(self, x: FloatArray) -> FloatArray:
        """Return the density."""
        with np.errstate(invalid="ignore"):
            density = 2.0 * np.abs(x) * self.square.pdf(self._squared(x))
        # One free term has an infinite density of its square at 0, but not of its root.
        at_zero = np.isnan(density) & (x == 0.0)
        if at_zero.any():
            limit = np.inf if self.square.is_point else 2.0 * self.square.leading_coefficient()
            density = np.where(at_zero, limit, density)
        return np.where(x < 0.0, 0.0, density)

    def quantile(self, probability: FloatArray) -> FloatArray:
        """Return the points below which the given probabilities lie."""
        return np.asarray(np.sqrt(self.square.quantile(probability)))

    def sample(self, size: int, generator: np.random.Generator) -> FloatArray:
        """Return independent draws."""
        return np.asarray(np.sqrt(self.square.sample(size, generator)))

    def _squared(self, x: FloatArray) -> FloatArray:
        # A point mass at m must keep its step at sqrt(m), whatever rounding does to its square.
        if self.square.is_point:
            return np.where(x == np.sqrt(self.square.mean), self.square.mean, x * x)
        return np.asarray(x * x)


@dataclass(frozen=True, slots=True, kw_only=True)
class WidenedLaw:
    """A law of a number that is not negative, stretched about its mean by `factor`.

    What would fall below zero is zero.
    """

    inner: Law
    factor: float

    @property
    def mean(self) -> float:
        """Mean of the law that was stretched."""
        return float(self.inner.mean)

    @property
    def variance(self) -> float:
        """Variance, before anything is held at zero."""
        return float(self.factor**2 * self.inner.variance)

    def cdf(self, x: FloatArray) -> FloatArray:
        """Return P(X <= x)."""
        return np.where(x < 0.0, 0.0, self.inner.cdf(self._before(x)))

    def sf(self, x: FloatArray) -> FloatArray:
        """Return P(X > x)."""
        return np.where(x < 0.0, 1.0, self.inner.sf(self._before(x)))

    def pdf(self, x: FloatArray) -> FloatArray:
        """Return the density above zero."""
        return np.where(x < 0.0, 0.0, self.inner.pdf(self._before(x)) / self.factor)

    def quantile(self, probability: FloatArray) -> FloatArray:
        """Return the points below which the given probabilities lie."""
        return self._after(self.inner.quantile(probability))

    def sample(self, size: int, generator: np.random.Generator) -> FloatArray:
        """Return independent draws."""
        return self._after(self.inner.sample(size, generator))

    def _before(self, x: FloatArray) -> FloatArray:
        return np.asarray(self.mean + (x - self.mean) / self.factor)

    def _after(self, x: FloatArray) -> FloatArray:
        return np.asarray(np.maximum(self.mean + self.factor * (x - self.mean), 0.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class NormalLaw:
    """A Gaussian; without variance, a point mass."""

    mean: float
    variance: float

    def cdf(self, x: FloatArray) -> FloatArray:
        """Return P(X <= x)."""
        return np.asarray(ndtr(self._score(x)))

    def sf(self, x: FloatArray) -> FloatArray:
        """Return P(X > x)."""
        return np.asarray(ndtr(-self._score(x)))

    def pdf(self, x: FloatArray) -> FloatArray:
        """Return the density."""
        if self.variance == 0.0:
            return np.where(x == self.mean, np.inf, 0.0)
        z = self._score(x)
        return np.asarray(np.exp(-0.5 * z * z) / np.sqrt(2.0 * np.pi * self.variance))

    def quantile(self, probability: FloatArray) -> FloatArray:
        """Return the points below which the given probabilities lie."""
        if self.variance == 0.0:
            return np.where(np.isnan(probability), np.nan, self.mean)
        return np.asarray(self.mean + np.sqrt(self.variance) * ndtri(probability))

    def sample(self, size: int, generator: np.random.Generator) -> FloatArray:
        """Return independent draws."""
        return np.asarray(self.mean + np.sqrt(self.variance) * generator.standard_normal(size))

    def _score(self, x: FloatArray) -> FloatArray:
        if self.variance == 0.0:
            return np.where(x >= self.mean, np.inf, -np.inf)
        return np.asarray((x - self.mean) / np.sqrt(self.variance))


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawsLaw:
    """The distribution of equally weighted draws, kept in ascending order."""

    draws: FloatArray = field(repr=False)

    @property
    def mean(self) -> float:
        """Mean of the draws."""
        return float(np.mean(self.draws))

    @property
    def variance(self) -> float:
        """Variance of the draws (divisor n - 1)."""
        return float(np.var(self.draws, ddof=1)) if self.draws.size > 1 else 0.0

    def cdf(self, x: FloatArray) -> FloatArray:
        """Return the share of draws at or below x."""
        return np.searchsorted(self.draws, x, side="right") / self.draws.size

    def sf(self, x: FloatArray) -> FloatArray:
        """Return the share of draws above x."""
        return 1.0 - self.cdf(x)

    def pdf(self, x: FloatArray) -> FloatArray:
        """Return a Gaussian kernel estimate of the density (Silverman's bandwidth)."""
        spread = np.sqrt(self.variance)
        if spread == 0.0:
            return np.where(x == self.draws[0], np.inf, 0.0)
        quartiles = np.quantile(self.draws, [0.25, 0.75])
        robust = min(spread, (quartiles[1] - quartiles[0]) / 1.349 or spread)
        width = 0.9 * robust * self.draws.size**-0.2
        flat = np.asarray(x, dtype=np.float64).ravel()
        density = [np.mean(np.exp(-0.5 * ((point - self.draws) / width) ** 2)) for point in flat]
        return np.asarray(np.reshape(density, np.shape(x)) / (width * np.sqrt(2.0 * np.pi)))

    def quantile(self, probability: FloatArray) -> FloatArray:
        """Return quantiles of the draws."""
        return np.asarray(np.quantile(self.draws, probability))

    def sample(self, size: int, generator: np.random.Generator) -> FloatArray:
        """Return draws picked with replacement."""
        return generator.choice(self.draws, size)


def symmetric_half_width(ratio: FloatArray, *, outside: float) -> FloatArray:
    r"""Return b such that a unit Gaussian at `ratio` leaves [-b, b] with probability `outside`.

    Solves :math:`\Phi(r - b) + \Phi(-r - b) = \alpha` for :math:`r \ge 0` by Newton's method. The
    root lies between :math:`r + z_{1-\alpha}` and :math:`r + z_{1-\alpha/2}`, because the right
    tail carries between half and all of the mass; steps that leave this bracket are replaced by
    bisection.

    Examples
    --------
    >>> round(float(symmetric_half_width(np.array([0.0]), outside=0.05)[0]), 6)
    1.959964
    """
    low = ratio + np.maximum(-ndtri(outside), -ratio)
    high = ratio - ndtri(outside / 2.0)
    b = high.copy()
    for _ in range(_MOST_STEPS):
        gap = ndtr(ratio - b) + ndtr(-ratio - b) - outside
        low, high = np.where(gap > 0.0, b, low), np.where(gap > 0.0, high, b)
        slope = _density(b - ratio) + _density(b + ratio)
        newton = b + gap / slope
        inside = (newton >= low) & (newton <= high)
        proposal = np.where(inside, newton, 0.5 * (low + high))
        done = np.abs(proposal - b) <= 4e-16 * proposal
        b = proposal
        if np.all(done):
            break
    return np.asarray(b)


def outside_moments(ratio: FloatArray, half_width: FloatArray, *, orders: int) -> FloatArray:
    r"""Return :math:`E[|u|^k; |u| > b]` for k = 0 to `orders`, u a unit Gaussian at `ratio` >= 0.

    Shape (orders + 1, n). Row 0 is the mass outside.

    Examples
    --------
    Nothing inside: the second moment of a standard Gaussian.

    >>> float(outside_moments(np.zeros(1), np.zeros(1), orders=2)[2, 0])
    1.0
    """
    right = _upper_moments(half_width - ratio, ratio, orders)
    left = _upper_moments(half_width + ratio, -ratio, orders)
    return right + left


def _upper_moments(cut: FloatArray, shift: FloatArray, orders: int) -> FloatArray:
    """Return E[(W + shift)^k; W > cut] for a standard Gaussian W, by integrating by parts."""
    density = _density(cut)
    moments = np.empty((orders + 1, *cut.shape))
    moments[0] = ndtr(-cut)
    moments[1] = density + shift * moments[0]
    for order in range(2, orders + 1):
        edge = (cut + shift) ** (order - 1) * density
        moments[order] = edge + (order - 1) * moments[order - 2] + shift * moments[order - 1]
    return moments


def _density(z: FloatArray) -> FloatArray:
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(np.exp(-0.5 * z * z) / np.sqrt(2.0 * np.pi))
