"""From cumulant functions to probabilities: which function and which path serve which point.

In: a series of cumulants, an exact cumulant function, or both. Out: `InvertedLaw` with cdf, sf,
density and quantiles. Absent: the cumulant functions themselves (see `cumulant_functions`,
`folded_sum`, `discrete_sum`).
"""

from abc import ABC, abstractmethod
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from howgood.stats.arrays import FloatArray
from howgood.stats.contour import body_and_density, tail_and_density
from howgood.stats.cumulant_functions import CumulantFunction, SeriesCumulants
from howgood.stats.quantiles import draws_by_inversion, solve_quantiles
from howgood.stats.root_moments import root_moments
from howgood.stats.shared_lines import SharedLines

_BODY = 3.0
_SIDE = 0.25  # for a single term the upper contour is less accurate left of here
_CHUNK = 2_000_000
# The log of less than the smallest number, with room for the density's unit.
_NOTHING = -800.0
_FAR = 8.0  # standard deviations within which nobody need ask how far the tails reach
_NO_DIGIT = -40.0
_SHARES = 1.0 - np.geomspace(0.9, 1e-6, 60)
_TILTS = np.geomspace(1.0, 1e5, 80)


class InvertedLaw(ABC):
    """Distribution of a positive quantity whose cumulant function is known.

    The series, where there is one, serves the body (Gil-Pelaez, shared nodes) and the tails as
    far as it can be trusted; the exact function serves the rest. Without an exact function the
    series serves everywhere, and tails beyond its reach are accurate in absolute terms only.
    Where the exact function serves, points near the mean share the nodes of a few lines, and
    those farther out (or all, when the terms are very few) have a contour each.
    Subclasses say what the functions are and where the support ends.
    """

    mean: float
    variance: float
    series: SeriesCumulants | None
    has_exact: bool = True
    has_lines: bool = True

    @cached_property
    def lines(self) -> SharedLines:
        """Nodes that points near the mean share."""
        return SharedLines(self.exact)

    @property
    @abstractmethod
    def exact(self) -> CumulantFunction:
        """The exact cumulant function."""

    @property
    @abstractmethod
    def lower_end(self) -> float:
        """A lower bound of the support."""

    @property
    def upper_end(self) -> float:
        """An upper bound of the support."""
        return np.inf

    @property
    def sd(self) -> float:
        """Standard deviation."""
        return float(np.sqrt(self.variance))

    @property
    def is_point(self) -> bool:
        """Whether all mass sits in one point."""
        return self.variance <= 0.0

    @cached_property
    def reach(self) -> tuple[float, float]:
        r"""Between which points both tails are large enough for a number to hold.

        Chernoff's bound: :math:`P(X > x) \le e^{K(s) - s x}`, whatever s > 0. Outside the
        probabilities are exactly 0 and 1, and nothing is left to integrate.
        """
        return self._beyond(_NOTHING)

    @cached_property
    def _certain(self) -> tuple[float, float]:
        """Beyond which points the larger probability is 1 to all its digits."""
        return (-np.inf, np.inf) if self.is_point else self._beyond(_NO_DIGIT)

    def _beyond(self, exponent: float) -> tuple[float, float]:
        function = self.exact if self.has_exact else self.function
        return _farthest(function, -1.0, exponent), _farthest(function, 1.0, exponent)

    @property
    def function(self) -> CumulantFunction:
        """The cheapest cumulant function that is accurate around the mean."""
        return self.series if self.series is not None else self.exact

    def cdf(self, x: FloatArray) -> FloatArray:
        """Return P(X <= x), accurate however small it is."""
        points = np.asarray(x, dtype=np.float64)
        far = self._standard(points) > _FAR
        return self._where(points, ~(points >= self._certain[1]) if far.any() else ~far, 0)

    def sf(self, x: FloatArray) -> FloatArray:
        """Return P(X > x), accurate however small it is."""
        points = np.asarray(x, dtype=np.float64)
        far = self._standard(points) < -_FAR
        return self._where(points, ~(points <= self._certain[0]) if far.any() else ~far, 1)

    def _standard(self, x: FloatArray) -> FloatArray:
        return np.asarray((x - self.mean) / (self.sd or 1.0))

    def _where(self, x: FloatArray, unsure: NDArray[np.bool_], side: int) -> FloatArray:
        """Return one side's probability; 1 where it differs from that by less than a digit."""
        found = np.ones_like(x)
        if unsure.any():
            found[unsure] = self.evaluate(x[unsure])[side]
        return found

    def pdf(self, x: FloatArray) -> FloatArray:
        """Return the density (infinite at the point of a point mass)."""
        return self.evaluate(x)[2]

    def quantile(self, probability: FloatArray) -> FloatArray:
        """Return the points below which the given probabilities lie."""
        if self.is_point:
            return np.where(np.isnan(probability), np.nan, self.mean)
        found = solve_quantiles(
            self.evaluate, probability, mean=self.mean, sd=self.sd, lower_end=self.lower_end
        )
        return np.minimum(found, self.upper_end)

    def sample(self, size: int, generator: np.random.Generator) -> FloatArray:
        """Return independent draws, by inverting the distribution function."""
        if self.is_point:
            return np.full(size, self.mean)
        return draws_by_inversion(self.quantile, size, generator)

    def root_moments(self) -> tuple[float, float]:
        """Return mean and variance of the square root."""
        if self.is_point:
            return float(np.sqrt(self.mean)), 0.0
        return root_moments(self.function, mean=self.mean, variance=self.variance)

    def evaluate(self, x: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return cdf, sf and density at points of any shape."""
        points = np.asarray(x, dtype=np.float64)
        flat = points.ravel()
        lower, upper, density = self._at_ends(flat)
        inside = (flat > self.lower_end) & (flat < self.upper_end) & (not self.is_point)
        if inside.any() and (np.abs(self._standard(flat[inside])) > _FAR).any():
            nearest, farthest = self.reach
            beyond = flat >= farthest
            lower[inside], upper[inside] = beyond[inside].astype(np.float64), ~beyond[inside]
            inside &= (flat > nearest) & ~beyond
        if inside.any():
            lower[inside], upper[inside], density[inside] = self.inside(flat[inside])
        shape = points.shape
        return lower.reshape(shape), upper.reshape(shape), density.reshape(shape)

    def _at_ends(self, x: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return cdf, sf and density as if all mass lay at the lower end of the support."""
        end = self.mean if self.is_point else self.lower_end
        above = x >= end if self.is_point else x > end
        lower = np.where(np.isnan(x), np.nan, above.astype(np.float64))
        at_end = np.inf if self.is_point else self.density_at_lower_end()
        return lower, 1.0 - lower, np.where(x == end, at_end, 0.0)

    def density_at_lower_end(self) -> float:
        """Return the limit of the density at the lower end of the support."""
        return 0.0

    def leading_coefficient(self) -> float:
        r"""Return A where the density starts like :math:`A / \sqrt x` at zero."""
        return np.inf

    def inside(self, x: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return cdf, sf and density at a flat array inside the support."""
        z = (x - self.mean) / self.sd
        lower, upper, density = np.empty_like(x), np.empty_like(x), np.empty_like(x)
        body = np.zeros(x.shape, dtype=bool)
        resolved = np.zeros(x.shape, dtype=bool)
        if self.series is not None:
            body = np.abs(z) <= _BODY
            lower[body], density[body] = body_and_density(self.series, x[body])
            upper[body] = 1.0 - lower[body]
            ends = self.series.resolved()
            resolved = (z > ends[0]) & (z < ends[1]) | (not self.has_exact)
        own = ~body & ~resolved
        if self.has_lines and own.any():
            served, *found = self.lines.evaluate(x[own])
            place = np.flatnonzero(own)[served]
            lower[place], upper[place], density[place] = (part[served] for part in found)
            own[place] = False
        for is_upper, side in ((False, z <= _SIDE), (True, z > _SIDE)):
            small, large = (upper, lower) if is_upper else (lower, upper)
            for by_series, rest in ((False, own), (True, ~body & resolved)):
                chosen = side & rest
                if chosen.any():
                    function = self.function if by_series else self.exact
                    small[chosen], density[chosen] = _tail(function, x[chosen], is_upper)
                    large[chosen] = 1.0 - small[chosen]
        return lower, upper, density


def _farthest(function: CumulantFunction, side: float, exponent: float) -> float:
    """Return beyond which point the log of the tail on one side is below `exponent`, or infinity.

    The first of ascending tilts whose bound says so is enough.
    """
    limit = function.upper_limit if side > 0.0 else -function.lower_limit
    tilts = side * (limit * _SHARES if np.isfinite(limit) else _TILTS)
    with np.errstate(over="ignore", invalid="ignore"):
        place = np.concatenate([function.slopes(each)[0] for each in tilts[:, None]])
        start = float(function.slopes(np.zeros(1))[0][0])
        bound = np.concatenate([function.excess(each) for each in tilts[:, None]])
    enough = np.flatnonzero(bound + tilts * (start - place) < exponent)
    if not enough.size:
        return side * np.inf
    return function.shift + function.scale * float(place[enough[0]])


def _tail(function: CumulantFunction, x: FloatArray, upper: bool) -> tuple[FloatArray, FloatArray]:
    """Work through the points in chunks that bound the memory."""
    rows = max(1, _CHUNK // (function.paths[0].nodes.size * function.size))
    pieces = [
        tail_and_density(function, x[start : start + rows], upper=upper)
        for start in range(0, x.size, rows)
    ]
    tails, densities = zip(*pieces, strict=True)
    return np.concatenate(tails), np.concatenate(densities)
