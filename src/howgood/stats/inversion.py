r"""From cumulant functions to distributions: probabilities, quantiles, moments of the root.

In: a series of cumulants, an exact cumulant function, or both. Out: `InvertedLaw` with cdf, sf,
density, quantiles and the mean and variance of the square root. Absent: the cumulant functions
themselves (see `cumulant_functions`, `folded_normal`, `discrete_sum`).

Quantiles are found by safeguarded Newton steps on the logarithm of the tails. For the root,

.. math:: E \sqrt X = \frac{1}{2 \sqrt\pi} \int_0^\infty \frac{1 - M(-t)}{t^{3/2}} \, dt

is compared with the same integral of the gamma distribution G with equal mean and variance, whose
root has a closed form. The difference of the two integrands vanishes quickly at both ends, and
the trapezoidal rule in log t is exact to rounding error.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincinv, gammaln, ndtr, ndtri

from howgood.stats.arrays import FloatArray
from howgood.stats.cumulant_functions import (
    CumulantFunction,
    SeriesCumulants,
    SharedLines,
    body_and_density,
    log1p_minus,
    tail_and_density,
)

Evaluation = Callable[[FloatArray], tuple[FloatArray, FloatArray, FloatArray]]

_MOST_STEPS = 60
_SMALL_STEP = 1e-9
_TABLE_SCORES = np.linspace(-8.2, 8.2, 821)
_STEP = 0.2
_LOWEST, _HIGHEST = -18.0, 80.0
_CENTRED_BELOW = 50.0
_BODY = 3.0
_SIDE = 0.25  # for a single term the upper contour is less accurate left of here
_CHUNK = 2_000_000
# The log of less than the smallest number, with room for the density's unit.
_NOTHING = -800.0
_FAR = 8.0  # standard deviations within which nobody need ask how far the tails reach
_NO_DIGIT = -40.0
_SHARES = 1.0 - np.geomspace(0.9, 1e-6, 60)
_TILTS = np.geomspace(1.0, 1e5, 80)


def solve_quantiles(
    evaluate: Evaluation, probability: FloatArray, *, mean: float, sd: float, lower_end: float
) -> FloatArray:
    """Return x with P(X <= x) equal to each probability.

    The unknown is the logarithm of x above the lower end of the support, and the smaller of
    the two tails is matched in relative terms, so far tails keep their digits.
    """
    wanted = np.asarray(probability, dtype=np.float64)
    flat = wanted.ravel()
    result = np.where(flat <= 0.0, lower_end, np.where(flat >= 1.0, np.inf, np.nan))
    inside = (flat > 0.0) & (flat < 1.0)
    if inside.any():
        q = flat[inside]
        start = _gamma_start(q, mean - lower_end, sd)
        result[inside] = lower_end + np.exp(_solve(evaluate, q, start, lower_end))
    return result.reshape(wanted.shape)


def _gamma_start(q: FloatArray, mean: float, sd: float) -> FloatArray:
    """Return log quantiles of the gamma distribution with this mean and standard deviation."""
    # No mean of squares or of distances is more skewed than one square, and from a start that is
    # far too low there is a long way up.
    shape = max((mean / sd) ** 2, 0.5)
    guess = gammaincinv(shape, q) * (mean / shape)
    return np.asarray(np.log(np.clip(guess, mean * 1e-250, None)))


def _solve(evaluate: Evaluation, q: FloatArray, start: FloatArray, lower_end: float) -> FloatArray:
    log_x = start.copy()
    low, high = np.full(q.shape, -np.inf), np.full(q.shape, np.inf)
    active = np.ones(q.shape, dtype=bool)
    for _ in range(_MOST_STEPS):
        rise = np.exp(log_x[active])
        lower, upper, density = evaluate(lower_end + rise)
        goal = q[active]
        too_low = lower < goal
        here = log_x[active]
        low[active] = np.where(too_low, np.maximum(low[active], here), low[active])
        high[active] = np.where(too_low, high[active], np.minimum(high[active], here))
        step = _newton_step(lower, upper, density * rise, goal)
        # Newton's error is about the square of its step, so after a small one all is done.
        done = np.abs(step) < _SMALL_STEP
        kept = _keep_inside(here + step, here, too_low, low[active], high[active])
        proposal = np.where(done, here + step, kept)
        log_x[active] = proposal
        still = np.abs(proposal - here) > 2e-15 * np.maximum(1.0, np.abs(here))
        active[active] = still & ~done
        if not active.any():
            break
    return log_x


def _newton_step(
    lower: FloatArray, upper: FloatArray, slope: FloatArray, goal: FloatArray
) -> FloatArray:
    """Return the step that would match the smaller tail's logarithm if that were linear."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        left = lower * (np.log(goal) - np.log(lower)) / slope
        right = upper * (np.log(upper) - np.log1p(-goal)) / slope
    return np.asarray(np.where(goal < 0.5, left, right))


def _keep_inside(
    proposal: FloatArray, here: FloatArray, too_low: NDArray[np.bool_], low: FloatArray,
    high: FloatArray,
) -> FloatArray:  # fmt: skip
    """Replace steps that leave the bracket by bisection, or by a bold step while it is open."""
    middle = 0.5 * (low + high)  # one of them is finite: the point just tried
    bold = np.where(too_low, here + 2.0, here - 2.0)
    spare = np.where(np.isfinite(middle), middle, bold)
    outside = ~((proposal >= low) & (proposal <= high)) | (np.abs(proposal - here) > 50.0)
    return np.where(outside, spare, proposal)


def draws_by_inversion(
    quantile: Callable[[FloatArray], FloatArray], size: int, generator: np.random.Generator
) -> FloatArray:
    """Return independent draws: the quantile function, tabulated on normal scores, at random."""
    from scipy.interpolate import PchipInterpolator  # a third of a second, so only when asked

    table = quantile(ndtr(_TABLE_SCORES))
    uniform = np.clip(generator.random(size), 1e-16, None)
    scores = np.clip(ndtri(uniform), _TABLE_SCORES[0], _TABLE_SCORES[-1])
    return np.asarray(PchipInterpolator(_TABLE_SCORES, table)(scores))


def root_moments(
    function: CumulantFunction, *, mean: float, variance: float
) -> tuple[float, float]:
    r"""Return mean and variance of :math:`\sqrt X`.

    The variance is formed from the gap :math:`b = \sqrt{E X} - E \sqrt X` as
    :math:`2 b \sqrt{E X} - b^2`, which keeps its digits when b is tiny.

    Examples
    --------
    The root of a chi-square with one degree of freedom has mean :math:`\sqrt{2/\pi}`:

    >>> from howgood.stats.cumulant_functions import GroupedCumulants
    >>> chi2 = GroupedCumulants.of(np.ones(1), np.ones(1), np.zeros(1), constant=0.0)
    >>> bool(abs(root_moments(chi2, mean=1.0, variance=2.0)[0] - np.sqrt(2 / np.pi)) < 1e-14)
    True
    """
    shape = mean**2 / variance
    y = np.arange(_LOWEST, _HIGHEST, _STEP)
    scaled = np.exp(y)  # t in units of one over the mean
    t = scaled / mean
    gamma_excess = -shape * log1p_minus(scaled / shape)
    difference = np.zeros_like(y)
    near = scaled < _CENTRED_BELOW
    s = -t * function.scale
    own_excess = function.excess(s[near])
    difference[near] = -np.exp(gamma_excess[near] - scaled[near]) * np.expm1(
        own_excess - gamma_excess[near]
    )
    # Far out the linear parts would cancel; use the uncentred exponents there.
    far = ~near
    own = _log_transform(function, t[far], s[far])
    difference[far] = np.exp(-shape * np.log1p(scaled[far] / shape)) - np.exp(own)
    correction = _STEP * float(np.sum(difference * np.exp(-0.5 * y))) / (2.0 * np.sqrt(np.pi))
    gap = -float(np.expm1(_log_gamma_root(shape))) - correction
    root = float(np.sqrt(mean))
    return root * (1.0 - gap), mean * gap * (2.0 - gap)


def _log_transform(function: CumulantFunction, t: FloatArray, s: FloatArray) -> FloatArray:
    """Return log E exp(-t X); minus infinity where the function is not trusted that far."""
    result = np.full(t.shape, -np.inf)
    trusted = s > function.lower_limit
    value = function.value(s[trusted].astype(np.complex128)).real
    result[trusted] = value - t[trusted] * function.shift
    return result


def _log_gamma_root(shape: float) -> float:
    r"""Return the log of :math:`\Gamma(a + 1/2) / (\Gamma(a) \sqrt a)`."""
    if shape < 40.0:
        return float(gammaln(shape + 0.5) - gammaln(shape) - 0.5 * np.log(shape))
    # Asymptotic series; the next term is below 1e-17 of the first from 40 on.
    inverse = 1.0 / shape
    terms = (-1 / 8, 1 / 192, -1 / 640, 17 / 14336, -31 / 18432)
    powers = inverse ** np.arange(1, 10, 2)
    return float(np.dot(terms, powers))


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
        values = np.ones_like(x)
        if unsure.any():
            values[unsure] = self.evaluate(x[unsure])[side]
        return values

    def pdf(self, x: FloatArray) -> FloatArray:
        """Return the density (infinite at the point of a point mass)."""
        return self.evaluate(x)[2]

    def quantile(self, probability: FloatArray) -> FloatArray:
        """Return the points below which the given probabilities lie."""
        if self.is_point:
            return np.where(np.isnan(probability), np.nan, self.mean)
        quantiles = solve_quantiles(
            self.evaluate, probability, mean=self.mean, sd=self.sd, lower_end=self.lower_end
        )
        return np.minimum(quantiles, self.upper_end)

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
            served, *parts = self.lines.evaluate(x[own])
            place = np.flatnonzero(own)[served]
            lower[place], upper[place], density[place] = (part[served] for part in parts)
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
        place = np.concatenate([function.slopes(tilt)[0] for tilt in tilts[:, None]])
        start = float(function.slopes(np.zeros(1))[0][0])
        bound = np.concatenate([function.excess(tilt) for tilt in tilts[:, None]])
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
