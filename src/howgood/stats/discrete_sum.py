"""Distributions of sums of independent terms that are discrete, or 0 with some probability.

In: values and probabilities, one row per term; or each term's distribution function. Out:
`discrete_mean`, which is a `DiscreteLaw` where all outcomes can be listed, else a `DiscreteMean`;
`MixedLaw`, an atom at 0 and a density, by convolution on an even lattice. Absent: score names.

Outcomes are listed by convolution as long as there are few of them (equal sums are merged, so a
lattice stays small). Beyond, twelve cumulants serve when terms are many; the true distribution
then has steps, and the result runs smoothly through them. In between, the exact characteristic
function is followed for forty widths along a vertical contour.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from howgood.stats.arrays import ComplexArray, FloatArray
from howgood.stats.cumulant_functions import Path, SeriesCumulants, even_path
from howgood.stats.inversion import InvertedLaw
from howgood.stats.moments import ORDERS, cumulants_from_moments

_MOST_OUTCOMES = 400_000
_MOST_LISTED_TERMS = 2_000
_BLOCK = 16_384
_REACH = 40.0
LATTICE = 1 << 14


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscreteLaw:
    """A distribution on listed points, in ascending order."""

    points: FloatArray = field(repr=False)
    probabilities: FloatArray = field(repr=False)

    @property
    def mean(self) -> float:
        """Mean."""
        return float(self.points @ self.probabilities)

    @property
    def variance(self) -> float:
        """Variance."""
        return float((self.points - self.mean) ** 2 @ self.probabilities)

    def cdf(self, x: FloatArray) -> FloatArray:
        """Return P(X <= x)."""
        below = np.concatenate([[0.0], np.cumsum(self.probabilities)])
        reached = below[np.searchsorted(self._slack(), x, side="right")]
        return np.asarray(np.minimum(reached, 1.0))

    def sf(self, x: FloatArray) -> FloatArray:
        """Return P(X > x), added up from the far end."""
        above = np.concatenate([np.cumsum(self.probabilities[::-1])[::-1], [0.0]])
        left = above[np.searchsorted(self._slack(), x, side="right")]
        return np.asarray(np.minimum(left, 1.0))

    def pdf(self, x: FloatArray) -> FloatArray:
        """Return infinity at the points and 0 between them: there is no density."""
        return np.where(np.isin(x, self.points), np.inf, 0.0)

    def quantile(self, probability: FloatArray) -> FloatArray:
        """Return the smallest points whose cdf reaches the given probabilities."""
        total = np.cumsum(self.probabilities)
        place = np.searchsorted(total, np.asarray(probability) * (1.0 - 1e-14), side="left")
        return np.asarray(self.points[np.minimum(place, self.points.size - 1)])

    def sample(self, size: int, generator: np.random.Generator) -> FloatArray:
        """Return independent draws."""
        return generator.choice(self.points, size, p=self.probabilities / self.probabilities.sum())

    def root(self) -> "DiscreteLaw":
        """Return the distribution of the square root."""
        return DiscreteLaw(points=np.sqrt(self.points), probabilities=self.probabilities)

    def _slack(self) -> FloatArray:
        # Sums carry rounding: a caller who asks at a point means to include it.
        return np.asarray(self.points * (1.0 - 1e-13))


def discrete_mean(values: FloatArray, probabilities: FloatArray) -> "DiscreteLaw | DiscreteMean":
    """Return the distribution of the mean of independent terms, shapes (n, c) both.

    Examples
    --------
    The mean of two fair coins:

    >>> law = discrete_mean(np.array([[0.0, 1.0], [0.0, 1.0]]), np.full((2, 2), 0.5))
    >>> law.points.tolist(), law.probabilities.tolist()
    ([0.0, 0.5, 1.0], [0.25, 0.5, 0.25])
    """
    listed = _listed(values, probabilities)
    return DiscreteMean(values, probabilities) if listed is None else listed


def _listed(values: FloatArray, probabilities: FloatArray) -> DiscreteLaw | None:
    n = len(values)
    if n > _MOST_LISTED_TERMS:
        return None
    points, weights = np.zeros(1), np.ones(1)
    for row, chances in zip(values, probabilities, strict=True):
        possible = chances > 0.0
        if points.size * int(possible.sum()) > _MOST_OUTCOMES * 3:
            return None
        points = np.add.outer(points, row[possible] / n).ravel()
        weights = np.multiply.outer(weights, chances[possible]).ravel()
        points, weights = _merged(points, weights)
        if points.size > _MOST_OUTCOMES:
            return None
    return DiscreteLaw(points=points, probabilities=weights)


def _merged(points: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Add up the weights of points that differ only by rounding."""
    order = np.argsort(points)
    points, weights = points[order], weights[order]
    tolerance = 1e-12 * max(abs(points[0]), abs(points[-1]))
    starts = np.concatenate([[True], np.diff(points) > tolerance])
    return points[starts], np.add.reduceat(weights, np.flatnonzero(starts))


class DiscreteMean(InvertedLaw):
    """The mean of so many discrete terms that its outcomes cannot be listed."""

    has_lines = False  # the transform of discrete terms need not fall off

    def __init__(self, values: FloatArray, probabilities: FloatArray) -> None:
        self._values = values / len(values)
        self._probabilities = probabilities
        possible = probabilities > 0.0
        lowest = np.where(possible, self._values, np.inf).min(axis=1)
        highest = np.where(possible, self._values, -np.inf).max(axis=1)
        self._ends = float(lowest.sum()), float(highest.sum())
        cumulants = self._cumulants()
        self.mean, self.variance = float(cumulants[0]), float(cumulants[1])
        # The moment generating function of a term has no zero within pi over its range.
        ratio = float(np.max(highest - lowest)) / np.pi / max(self.sd, 1e-300)
        many = self.variance > 0.0 and ratio * 8.7 < 0.5
        self.series = SeriesCumulants.of(cumulants, ratio=ratio) if many else None

    @property
    def lower_end(self) -> float:
        """Where the support begins."""
        return self._ends[0]

    @property
    def upper_end(self) -> float:
        """Where the support ends."""
        return self._ends[1]

    @property
    def exact(self) -> "DiscreteCumulants":
        """The exact cumulant function."""
        return self._exact

    @cached_property
    def _exact(self) -> "DiscreteCumulants":
        return DiscreteCumulants(
            values=self._values / self.sd, probabilities=self._probabilities, scale=self.sd
        )

    def _cumulants(self) -> FloatArray:
        total = np.zeros(ORDERS)
        for start in range(0, len(self._values), _BLOCK):
            values = self._values[start : start + _BLOCK]
            chances = self._probabilities[start : start + _BLOCK]
            means = np.sum(values * chances, axis=1)
            centred = values - means[:, None]
            powers = np.cumprod(np.broadcast_to(centred, (ORDERS, *centred.shape)), axis=0)
            moments = np.sum(powers * chances, axis=2)
            moments[0] = 0.0
            cumulants = cumulants_from_moments(moments).sum(axis=1)
            cumulants[0] = means.sum()
            total += cumulants
        return total


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscreteCumulants:
    r"""Exact K of a sum of discrete terms, :math:`\sum_v \log \sum_c p_{vc} e^{t y_{vc}}`."""

    values: FloatArray = field(repr=False)
    probabilities: FloatArray = field(repr=False)
    scale: float
    shift: float = 0.0
    lower_limit: float = -np.inf
    upper_limit: float = np.inf

    @property
    def paths(self) -> tuple[Path, ...]:
        """Even nodes on a straight line: the integrand oscillates."""
        return (even_path(_REACH),)

    @property
    def size(self) -> int:
        """Number of values of all terms."""
        return int(self.values.size)

    def value(self, s: ComplexArray) -> ComplexArray:
        """Return K at complex points of any shape."""
        exponent = np.multiply.outer(s, self.values)
        peak = np.max(exponent.real, axis=-1, keepdims=True)
        inner = np.sum(np.exp(exponent - peak) * self.probabilities, axis=-1)
        return np.asarray(np.sum(np.log(inner) + peak[..., 0], axis=-1))

    def slopes(self, s: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the first two derivatives of K at real points, and zeros: do not bend."""
        exponent = np.multiply.outer(s, self.values)
        tilted = np.exp(exponent - np.max(exponent, axis=-1, keepdims=True)) * self.probabilities
        tilted /= np.sum(tilted, axis=-1, keepdims=True)
        means = np.sum(tilted * self.values, axis=-1)
        squares = np.sum(tilted * (self.values - means[..., None]) ** 2, axis=-1)
        second = np.maximum(np.sum(squares, axis=-1), 1e-30)
        return np.sum(means, axis=-1), second, np.zeros(s.shape)

    def excess(self, s: FloatArray) -> FloatArray:
        """Return K minus its tangent at zero, at real points."""
        tangent = float(np.sum(self.values * self.probabilities))
        return np.asarray(self.value(s.astype(np.complex128)).real - s * tangent)


@dataclass(frozen=True, slots=True, kw_only=True)
class MixedLaw:
    """An atom at 0, and mass spread evenly between each two of ascending edges from 0 on.

    Examples
    --------
    >>> law = MixedLaw(atom=0.5, edges=np.array([0.0, 1.0]), mass=np.array([0.5]))
    >>> law.cdf(np.array([-1.0, 0.0, 0.5])).tolist(), law.quantile(np.array([0.4, 0.75])).tolist()
    ([0.0, 0.5, 0.75], [0.0, 0.5])
    >>> law.mean
    0.25
    """

    atom: float
    edges: FloatArray = field(repr=False)
    mass: FloatArray = field(repr=False)

    @property
    def mean(self) -> float:
        """Mean."""
        return float(self.mass @ (self.edges[1:] + self.edges[:-1])) / 2.0

    @property
    def variance(self) -> float:
        """Variance."""
        low, high = self.edges[:-1], self.edges[1:]
        square = float(self.mass @ (low * low + low * high + high * high)) / 3.0
        return max(square - self.mean**2, 0.0)

    def root(self) -> "MixedLaw":
        """Return the distribution of the square root."""
        return MixedLaw(atom=self.atom, edges=np.sqrt(self.edges), mass=self.mass)

    def cdf(self, x: FloatArray) -> FloatArray:
        """Return P(X <= x)."""
        below = np.interp(x, self.edges, self._cumulative())
        return np.where(np.isnan(x), np.nan, np.where(np.less(x, 0.0), 0.0, self.atom + below))

    def sf(self, x: FloatArray) -> FloatArray:
        """Return P(X > x)."""
        return np.asarray(1.0 - self.cdf(x))

    def pdf(self, x: FloatArray) -> FloatArray:
        """Return the density; infinite at an atom."""
        place = np.searchsorted(self.edges, x, side="right") - 1
        inside = (place >= 0) & (place < self.mass.size)
        density = self.mass / np.diff(self.edges)
        values = np.where(inside, density[np.clip(place, 0, self.mass.size - 1)], 0.0)
        return np.where((np.equal(x, 0.0)) & (self.atom > 0.0), np.inf, values)

    def quantile(self, probability: FloatArray) -> FloatArray:
        """Return the points below which the given probabilities lie."""
        cumulative, wanted = self._cumulative(), np.asarray(probability) - self.atom
        rising = np.concatenate([[True], np.diff(cumulative) > 0])
        quantiles = np.interp(wanted, cumulative[rising], self.edges[rising])
        return np.where(np.isnan(wanted), np.nan, np.where(wanted <= 0.0, 0.0, quantiles))

    def sample(self, size: int, generator: np.random.Generator) -> FloatArray:
        """Return independent draws."""
        return self.quantile(generator.random(size))

    def _cumulative(self) -> FloatArray:
        return np.concatenate([[0.0], np.cumsum(self.mass)])


def lattice_sum(
    terms: Iterable[Callable[[FloatArray], FloatArray]], *, atom: float, reach: float
) -> MixedLaw:
    """Return the distribution of a sum of non-negative terms, given their distribution functions.

    `atom` is the probability that all of them are 0; beyond `reach` the sum has no mass that
    matters. Every term is rounded to the nearest of `LATTICE` points, so that roundings cancel.
    """
    step = reach / LATTICE
    upper = step * (np.arange(LATTICE, dtype=np.float64) + 0.5)
    total = np.ones(LATTICE + 1, dtype=np.complex128)  # of the transform of 2 LATTICE points
    for distribution in terms:
        mass = np.diff(distribution(upper), prepend=0.0)
        total *= np.fft.rfft(mass, 2 * LATTICE)
    mass = np.maximum(np.fft.irfft(total, 2 * LATTICE)[:LATTICE], 0.0)
    mass[0] = max(mass[0] - atom, 0.0)
    mass *= (1.0 - atom) / mass.sum() if mass.sum() > 0 else 0.0
    return MixedLaw(atom=atom, edges=np.concatenate([[0.0], upper]), mass=mass)
