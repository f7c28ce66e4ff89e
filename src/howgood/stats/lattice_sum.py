"""The distribution of a sum of independent terms that are 0 with some probability.

In: each term's distribution function, as a function of points. Out: `MixedLaw`: an atom at 0 and
a density, from a convolution on an even lattice. Absent: what the terms are.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

from howgood.stats.arrays import FloatArray

LATTICE = 1 << 14


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
        found = np.where(inside, density[np.clip(place, 0, self.mass.size - 1)], 0.0)
        return np.where((np.equal(x, 0.0)) & (self.atom > 0.0), np.inf, found)

    def quantile(self, probability: FloatArray) -> FloatArray:
        """Return the points below which the given probabilities lie."""
        cumulative, wanted = self._cumulative(), np.asarray(probability) - self.atom
        rising = np.concatenate([[True], np.diff(cumulative) > 0])
        found = np.interp(wanted, cumulative[rising], self.edges[rising])
        return np.where(np.isnan(wanted), np.nan, np.where(wanted <= 0.0, 0.0, found))

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
