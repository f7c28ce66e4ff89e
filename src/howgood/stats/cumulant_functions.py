r"""Cumulant generating functions in standard units, for inversion along a contour.

In: groups of weighted non-central chi-squares, or the first twelve cumulants. Out: objects that
give :math:`K(s) = \log E\, e^{s (X - \text{shift}) / \text{scale}}` and its derivatives.
Tail probabilities and densities by integration along a contour follow below.
"""

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from howgood.stats.arrays import ComplexArray, FloatArray

_STEP = 0.12
_STRETCHED_STEP = 0.05
_STRETCHED_RANGE = 5.4
_GAUSSIAN_RANGE = 8.7


class CumulantFunction(Protocol):
    """What contour integration needs to know about a distribution.

    `shift` and `scale` define the standard units. `value` and `slopes` hold for real parts
    between `lower_limit` and `upper_limit`. `paths` says where along the contour the integrand
    must be known; later ones are for points where the first is not accurate.
    """

    @property
    def shift(self) -> float:
        """Origin of the standard units."""

    @property
    def scale(self) -> float:
        """Standard deviation."""

    @property
    def lower_limit(self) -> float:
        """Left end of the real parts where K may be evaluated."""

    @property
    def upper_limit(self) -> float:
        """Right end of the real parts where K may be evaluated."""

    @property
    def paths(self) -> "tuple[Path, ...]":
        """Ways to integrate, the first one to be tried first."""

    @property
    def size(self) -> int:
        """How many terms one evaluation adds up."""

    def value(self, s: ComplexArray) -> ComplexArray:
        """Return K at complex points."""

    def slopes(self, s: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the first three derivatives of K at real points."""

    def excess(self, s: FloatArray) -> FloatArray:
        """Return K minus its tangent at zero, at real points, without cancellation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupedCumulants:
    r"""Exact K of a sum of weighted non-central chi-squares plus a constant.

    Group j has weight :math:`w_j`, degrees of freedom :math:`k_j` and non-central part
    :math:`d_j = w_j \lambda_j` (which stays finite as :math:`w_j \to 0`):

    .. math:: K(t) = \sum_j -\tfrac{k_j}{2} \log(1 - 2 w_j t) + \frac{d_j t}{1 - 2 w_j t}

    The constant is the `shift`, so `K` starts at the lower end of the support.
    """

    weights: FloatArray = field(repr=False)
    counts: FloatArray = field(repr=False)
    noncentral: FloatArray = field(repr=False)
    shift: float
    scale: float
    lower_limit: float = -np.inf

    @classmethod
    def of(
        cls, weights: FloatArray, counts: FloatArray, noncentral: FloatArray, *, constant: float
    ) -> "GroupedCumulants":
        """Scale groups with positive weights to standard units."""
        # Dividing by the largest weight first keeps squares from under- and overflowing.
        unit = float(weights.max())
        w, d = weights / unit, noncentral / unit
        scale = float(np.sqrt(np.sum(2.0 * counts * w**2 + 4.0 * w * d)))
        return cls(
            weights=w / scale,
            counts=counts,
            noncentral=d / scale,
            shift=constant,
            scale=scale * unit,
        )

    @property
    def size(self) -> int:
        """Number of groups."""
        return int(self.weights.size)

    @property
    def paths(self) -> "tuple[Path, ...]":
        """Nodes that thin out: a single term falls off slowly, but without oscillating."""
        return (
            stretched_path(slope=0.8),
            stretched_path(slope=0.3),
            stretched_path(slope=0.0),
            stretched_path(slope=0.8, step=0.0125),
            stretched_path(slope=0.3, step=0.0125),
            even_path(250.0),
        )

    @property
    def upper_limit(self) -> float:
        """Where the moment generating function stops to exist."""
        return 0.5 / float(self.weights.max())

    def value(self, s: ComplexArray) -> ComplexArray:
        """Return K at complex points of any shape."""
        z = np.multiply.outer(s, -2.0 * self.weights)
        real, imaginary = z.real, z.imag
        # NumPy's complex log1p forms 1 + z first and loses the digits of a small z.
        log_modulus = 0.5 * np.log1p(real * (2.0 + real) + imaginary**2)
        angle = np.arctan2(imaginary, 1.0 + real)
        logs = (log_modulus @ self.counts) + 1j * (angle @ self.counts)
        return np.asarray(-0.5 * logs + s * ((1.0 / (1.0 + z)) @ self.noncentral))

    def slopes(self, s: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the first three derivatives of K at real points."""
        a, k, e = self.weights, self.counts, self.noncentral
        inverse = 1.0 / (1.0 - 2.0 * np.multiply.outer(s, a))
        first = inverse @ (a * k) + inverse**2 @ e
        second = inverse**2 @ (2.0 * a**2 * k) + inverse**3 @ (4.0 * a * e)
        third = inverse**3 @ (8.0 * a**3 * k) + inverse**4 @ (24.0 * a**2 * e)
        return first, second, third

    def excess(self, s: FloatArray) -> FloatArray:
        """Return K minus its tangent at zero, at real points."""
        z = np.multiply.outer(s, -2.0 * self.weights)
        central = -0.5 * (log1p_minus(z) @ self.counts)
        noncentral = -s * ((z / (1.0 + z)) @ self.noncentral)
        return np.asarray(central + noncentral)


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesCumulants:
    r"""K from its first cumulants: :math:`K(s) = \sum_{j \ge 2} c_j s^j`, centred at the mean.

    `coefficients` starts with :math:`c_2 = 1/2`. `reach` is the largest :math:`|s|` at which
    the left-out terms are negligible.
    """

    coefficients: FloatArray = field(repr=False)
    shift: float
    scale: float
    reach: float

    @classmethod
    def of(
        cls, cumulants: FloatArray, *, ratio: float, tolerance: float = 1e-12
    ) -> "SeriesCumulants":
        r"""Build the series from cumulants :math:`\kappa_1 \dots \kappa_m`.

        `ratio` bounds :math:`|c_{j+1} / c_j|` beyond the last cumulant, in units of the standard
        deviation; with it the remainder at s is at most
        :math:`c_m s^m \, r s / (1 - r s)`.
        """
        scale = float(np.sqrt(cumulants[1]))
        orders = np.arange(2, cumulants.size + 1)
        factorials = np.cumprod(orders.astype(np.float64))
        coefficients = cumulants[1:] / scale ** orders.astype(np.float64) / factorials
        last = abs(float(coefficients[-1]))
        reach = 0.5 / ratio
        if last > 0.0:
            power = float(orders[-1] + 1)
            reach = min(reach, (0.5 * tolerance / (last * ratio)) ** (1.0 / power))
        return cls(
            coefficients=coefficients, shift=float(cumulants[0]), scale=scale, reach=float(reach)
        )

    @property
    def size(self) -> int:
        """Number of coefficients."""
        return int(self.coefficients.size)

    @property
    def paths(self) -> "tuple[Path, ...]":
        """Even nodes, as far as a Gaussian matters."""
        return (even_path(_GAUSSIAN_RANGE, slope=0.8),)

    @property
    def upper_limit(self) -> float:
        """How far the series may be trusted to the right."""
        return self.reach

    @property
    def lower_limit(self) -> float:
        """How far the series may be trusted to the left."""
        return -self.reach

    def value(self, s: ComplexArray) -> ComplexArray:
        """Return K at complex points of any shape."""
        return np.asarray(np.polynomial.polynomial.polyval(s, self._polynomial()))

    def slopes(self, s: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the first three derivatives of K at real points."""
        polynomial = np.polynomial.polynomial
        first, second, third = (
            polynomial.polyval(s, polynomial.polyder(self._polynomial(), order))
            for order in (1, 2, 3)
        )
        return np.asarray(first), np.asarray(second), np.asarray(third)

    def excess(self, s: FloatArray) -> FloatArray:
        """Return K at real points: it has no tangent at zero to take away."""
        return np.asarray(np.polynomial.polynomial.polyval(s, self._polynomial()))

    def resolved(self) -> tuple[float, float]:
        """Return the standard scores between which tails keep their relative accuracy."""
        ends = np.array([-self.reach, self.reach])
        lower, upper = self.slopes(ends)[0] - 1.0 / ends
        return float(lower), float(upper)

    def _polynomial(self) -> FloatArray:
        return np.concatenate([np.zeros(2), self.coefficients])


@dataclass(frozen=True, slots=True, kw_only=True)
class Path:
    """Nodes along a contour, in units of the integrand's width, and their weights.

    `slope` is how far the contour may lean over, 0 for a straight vertical line.
    """

    nodes: FloatArray = field(repr=False)
    weights: FloatArray = field(repr=False)
    slope: float


def even_path(reach: float, *, slope: float = 0.0) -> Path:
    """Return evenly spaced nodes from 0 to `reach`, with trapezoidal weights."""
    nodes = np.arange(0.0, reach, _STEP)
    weights = np.full(nodes.shape, _STEP)
    weights[0] *= 0.5
    return Path(nodes=nodes, weights=weights, slope=slope)


def stretched_path(*, slope: float, step: float = _STRETCHED_STEP) -> Path:
    """Return nodes evenly spaced near 0 and geometrically beyond, with trapezoidal weights."""
    place = np.arange(0.0, _STRETCHED_RANGE, step)
    weights = np.cosh(place) * step
    weights[0] *= 0.5
    return Path(nodes=np.sinh(place), weights=weights, slope=slope)


def log1p_minus(x: FloatArray) -> FloatArray:
    """Return log(1 + x) - x, accurate for small x too."""
    series = np.zeros_like(x)
    small = np.abs(x) < 0.02
    y = np.where(small, x, 0.0)
    for order in range(10, 1, -1):
        series = series * y + (-1.0) ** (order + 1) / order
    return np.where(small, series * y**2, np.log1p(np.where(small, 0.0, x)) - x)


# Tail probabilities and densities from a cumulant function, by integration in the plane.
#
# **A point's own path.** With :math:`x` in standard units,
#
# .. math:: P(X > x) = \frac{1}{2 \pi i} \int \frac{e^{K(s) - s x}}{s} \, ds
#
# over any path that passes to the right of 0 and to the left of the singularities of `K`. The path
# is :math:`s_0 + i y + \beta y^2 / \sqrt{1 + (\beta y / m)^2}`. It starts at the saddlepoint
# :math:`s_0` of :math:`K(s) - s x - \log |s|`, so that it keeps away from the pole at 0, and bends
# with :math:`\beta = K''' / (6 K'')`, the curvature of the steepest descent of `K` alone, around
# the singularities on the right. Far out it runs straight, with slope m < 1: terms that are nearly
# Gaussian would explode on a parabola. On it the integrand falls off exponentially even for a
# single term, and the trapezoidal rule converges geometrically. Lower tails start at :math:`s_0 <
# 0`. Where half of the nodes would give another result, the next of the function's paths is tried:
# a few large terms among many small ones need a straighter one.
#
# **Vertical lines that points share.** On the line :math:`\tau + i y` the cumulant function is
# summed over the terms once and kept; each further point costs one wave per node:
#
# .. math:: P(X > x) = \frac1\pi \sum_k h \operatorname{Re}
#     \frac{e^{K(\tau + i y_k) - (\tau + i y_k) x}}{\tau + i y_k}, \qquad y_k = (k + \tfrac12) h
#
# for :math:`\tau > 0`, minus the lower tail for :math:`\tau < 0`, and one half less than the upper
# tail for :math:`\tau = 0` (Gil-Pelaez). The error relative to the tail stays small while the
# saddlepoint of x is near :math:`\tau`: the middle line serves the body, two lines on each side
# serve tails down to about 1e-20. To the right the tilted distributions widen, so the lines are
# spaced evenly in x; to the left they narrow, so the lines are spaced evenly in the tilt.

# The full sum's error is about the square of the half sum's.
_ACCEPTED = 1e-7
_BISECTIONS = 16
_BODY_NODES = 31
_BODY_EDGE = 8.7
_CENTRES = (0.0, 5.5, 8.5)
_EDGES = (4.0, 7.0, 10.0)
_NEGLIGIBLE = 36.0  # minus the log of what may be left out, relative to what is wanted
_MOST_NODES = 400
_REACHES = np.geomspace(4.0, 400.0, 28)
_SHARES = np.concatenate([np.geomspace(5e-3, 0.5, 14), 1.0 - np.geomspace(0.4, 2e-3, 10)])
_FAR_TILT = 60.0
_CHUNK = 100_000


def tail_and_density(
    function: CumulantFunction, x: FloatArray, *, upper: bool
) -> tuple[FloatArray, FloatArray]:
    """Return P(X > x) (or P(X <= x) for `upper=False`) and the density, at a flat array x.

    Examples
    --------
    The tail of an exponential distribution with mean 2 (chi-square, two degrees of freedom):

    >>> from howgood.stats.cumulant_functions import GroupedCumulants
    >>> chi2 = GroupedCumulants.of(np.ones(1), np.full(1, 2.0), np.zeros(1), constant=0.0)
    >>> tail, density = tail_and_density(chi2, np.array([100.0]), upper=True)
    >>> bool(abs(tail[0] / np.exp(-50.0) - 1.0) < 1e-13)
    True
    """
    standard = (x - function.shift) / function.scale
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        start = _start(function, standard, upper=upper)
        tail, density, doubt = _integrate(function, standard, start, function.paths[0])
        for path in function.paths[1:]:
            again = ~(doubt <= _ACCEPTED * np.abs(tail))
            if not again.any():
                break
            retry = _integrate(function, standard[again], start[again], path)
            better = ~(retry[2] >= doubt[again])
            place = np.flatnonzero(again)[better]
            tail[place], density[place], doubt[place] = (part[better] for part in retry)
    signed = tail if upper else -tail
    return np.clip(signed, 0.0, 1.0), np.maximum(density, 0.0)


def _integrate(
    function: CumulantFunction, x: FloatArray, start: FloatArray, plan: Path
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the integral for the tail, the density, and how much half the nodes would differ."""
    _, second, third = function.slopes(start)
    bend = (third / (6.0 * second))[:, None] if plan.slope > 0.0 else np.zeros((x.size, 1))
    width = 1.0 / np.sqrt(second)
    y = width[:, None] * plan.nodes
    straighten = np.sqrt(1.0 + (bend * y / max(plan.slope, 1e-9)) ** 2)
    path = (start[:, None] + 1j * y + bend * y**2 / straighten).astype(np.complex128)
    turn = bend * y * (1.0 + straighten**2) / straighten**3
    exponent = function.value(path) - path * x[:, None]
    peak = exponent[:, 0].real
    integrand = np.exp(exponent - peak[:, None]) * (1.0 - 1j * turn) * plan.weights
    factor = np.exp(peak) / np.pi * width
    tails = (integrand / path).real
    tail = np.sum(tails, axis=1)
    doubt = np.abs(2.0 * np.sum(tails[:, ::2], axis=1) - tail)
    doubt = np.where(np.isfinite(doubt), factor * doubt, np.inf)
    density = factor * np.sum(integrand.real, axis=1) / function.scale
    return factor * tail, density, doubt


def _start(function: CumulantFunction, x: FloatArray, *, upper: bool) -> FloatArray:
    """Return roughly where K'(s) = x + 1/s, on the side of zero asked for.

    Any start gives the same integral, so two digits are enough.
    """
    sign = 1.0 if upper else -1.0
    limit = function.upper_limit if upper else -function.lower_limit
    low = np.full(x.shape, min(-8.0, -np.log(limit) - 8.0) if np.isfinite(limit) else -8.0)
    high = np.full(x.shape, 32.0 if np.isfinite(limit) else 300.0)
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        s = sign * _magnitude(middle, limit)
        beyond = sign * (function.slopes(s)[0] - x - 1.0 / s) > 0.0
        high, low = np.where(beyond, middle, high), np.where(beyond, low, middle)
    return sign * _magnitude(0.5 * (low + high), limit)


def _magnitude(y: FloatArray, limit: float) -> FloatArray:
    """Map the real line onto (0, limit), evenly in the logarithm of the distance to both ends."""
    if np.isfinite(limit):
        return np.asarray(limit / (1.0 + np.exp(-y)))
    return np.asarray(np.exp(y))


def body_and_density(series: SeriesCumulants, x: FloatArray) -> tuple[FloatArray, FloatArray]:
    r"""Return P(X <= x) and the density near the mean, by Gil-Pelaez with half-step nodes.

    .. math:: F(x) = \tfrac12 - \tfrac1\pi \sum_{k \ge 0}
        \frac{\operatorname{Im} \varphi(t_k) e^{-i t_k x}}{k + 1/2}, \qquad t_k = (k + \tfrac12) h

    All points share the 31 nodes. The error is absolute: use it where neither tail is small.
    """
    standard = (x - series.shift) / series.scale
    step = _BODY_EDGE / _BODY_NODES
    nodes = (np.arange(_BODY_NODES) + 0.5) * step
    characteristic = np.exp(series.value(1j * nodes.astype(np.complex128)))
    waves = np.exp(-1j * np.multiply.outer(standard, nodes)) * characteristic
    probability = 0.5 - waves.imag @ (step / nodes) / np.pi
    density = np.sum(waves.real, axis=1) * step / (np.pi * series.scale)
    return np.clip(probability, 0.0, 1.0), np.maximum(density, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """The transform on one vertical line, at half-step nodes."""

    tilt: float
    peak: float
    step: float
    path: ComplexArray = field(repr=False)
    transform: ComplexArray = field(repr=False)

    def tail_and_density(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the tail on the line's side (the upper one for the middle line) and density."""
        waves = np.exp(-1j * np.multiply.outer(x, self.path.imag)) * self.transform
        factor = np.exp(self.peak - self.tilt * x) * (self.step / np.pi)
        tail = factor * (waves @ (1.0 / self.path)).real
        if self.tilt == 0.0:
            tail = 0.5 + tail
        elif self.tilt < 0.0:
            tail = -tail
        return tail, factor * np.sum(waves.real, axis=1)


class SharedLines:
    """Five lines, each set up when a point first needs it.

    Examples
    --------
    The chi-square distribution with 60 degrees of freedom:

    >>> from scipy.stats import chi2
    >>> from howgood.stats.cumulant_functions import GroupedCumulants
    >>> sixty = GroupedCumulants.of(np.ones(1), np.full(1, 60.0), np.zeros(1), constant=0.0)
    >>> x = np.array([40.0, 60.0, 130.0])
    >>> served, lower, upper, density = SharedLines(sixty).evaluate(x)
    >>> served.tolist()
    [True, True, True]
    >>> bool(np.max(np.abs(upper[2] / chi2.sf(130.0, 60) - 1.0)) < 1e-11)
    True
    """

    def __init__(self, function: CumulantFunction) -> None:
        self.function = function
        self._lines: dict[int, Line | None] = {}
        left = -np.array(_EDGES)
        mean = float(function.slopes(np.zeros(1))[0][0])
        lower = function.slopes(left)[0]
        upper = mean + np.array(_EDGES)
        # Ascending edges of the bands -2 .. 2.
        self._mean = mean
        self._edges = np.concatenate([lower[::-1], upper])

    def evaluate(
        self, x: FloatArray
    ) -> tuple[NDArray[np.bool_], FloatArray, FloatArray, FloatArray]:
        """Return which points are served, and their cdf, sf and density."""
        standard = (x - self.function.shift) / self.function.scale
        band = np.searchsorted(self._edges, standard) - len(_EDGES)
        served = np.zeros(x.shape, dtype=bool)
        lower, upper, density = np.zeros_like(x), np.zeros_like(x), np.zeros_like(x)
        for number in range(1 - len(_EDGES), len(_EDGES)):
            chosen = band == number
            line = self._line(number) if chosen.any() else None
            if line is None:
                continue
            tail, slope = line.tail_and_density(standard[chosen])
            small, large = (upper, lower) if number >= 0 else (lower, upper)
            small[chosen] = np.clip(tail, 0.0, 1.0)
            large[chosen] = 1.0 - small[chosen]
            density[chosen] = np.maximum(slope, 0.0) / self.function.scale
            served |= chosen
        return served, lower, upper, density

    def _line(self, number: int) -> Line | None:
        if number not in self._lines:
            with np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore"):
                self._lines[number] = self._set_up(number)
        return self._lines[number]

    def _set_up(self, number: int) -> Line | None:
        """Return the line of a band, or None where it would need too many nodes."""
        tilt = self._tilt(number)
        place = number + len(_EDGES)
        band = (float(self._edges[place - 1]), float(self._edges[place]))
        peak = self._real(np.array([tilt]))[0]
        period = self._period(tilt, float(peak), band)
        reach = self._reach(tilt, float(peak))
        step = 2.0 * np.pi / period
        if not reach / step <= _MOST_NODES:
            return None
        half_steps = step * (np.arange(np.ceil(reach / step)) + 0.5)
        path = (tilt + 1j * half_steps).astype(np.complex128)
        transform = np.exp(self._value(path) - peak)
        return Line(tilt=tilt, peak=float(peak), step=step, path=path, transform=transform)

    def _tilt(self, number: int) -> float:
        """Return the tilt of a band's line, near the saddlepoint of the band's middle."""
        centre = _CENTRES[abs(number)]
        if number <= 0:
            return -centre
        tilts = _offsets(self.function.upper_limit)
        return float(np.interp(self._mean + centre, self.function.slopes(tilts)[0], tilts))

    def _period(self, tilt: float, peak: float, band: tuple[float, float]) -> float:
        """Return how far apart in x the repetitions that the nodes bring in must lie."""
        ends = [tilt + _offsets(self.function.upper_limit - tilt), tilt - _offsets(np.inf)]
        far = [self._far(tilt, peak, tilts) for tilts in ends]
        period = max(far[0] - band[0], band[1] - max(far[1], 0.0))
        if tilt != 0.0:
            # On the other side the repetitions are of a probability near one, times exp(-|tilt| P).
            edge = band[1] if tilt > 0.0 else band[0]
            period = max(period, (_NEGLIGIBLE + tilt * edge - peak) / abs(tilt))
        return float(period)

    def _far(self, tilt: float, peak: float, tilts: FloatArray) -> float:
        """Return where the tilted distribution's tail is negligible, by Chernoff's bound."""
        x = self.function.slopes(tilts)[0]
        rate = (tilts - tilt) * x - (self._real(tilts) - peak)
        enough = np.flatnonzero(rate >= _NEGLIGIBLE)
        if enough.size:
            return float(x[enough[0]])
        return -np.inf if tilts[-1] < tilt else np.inf

    def _reach(self, tilt: float, peak: float) -> float:
        """Return from where on the transform is negligible."""
        width = 1.0 / np.sqrt(self.function.slopes(np.array([tilt]))[1][0])
        sizes = self._value(tilt + 1j * width * _REACHES).real - peak
        loud = np.flatnonzero(~(sizes < -_NEGLIGIBLE))
        last = -1 if loud.size == 0 else int(loud[-1])
        return float(width * _REACHES[last + 1]) if last + 1 < _REACHES.size else np.inf

    def _real(self, tilts: FloatArray) -> FloatArray:
        return self.function.excess(tilts) + tilts * self._mean

    def _value(self, s: ComplexArray) -> ComplexArray:
        """Return K in steps that bound the memory."""
        rows = max(1, _CHUNK // self.function.size)
        parts = [self.function.value(s[at : at + rows]) for at in range(0, s.size, rows)]
        return np.concatenate(parts)


def _offsets(limit: float) -> FloatArray:
    """Return ascending positive tilts below the limit, dense near both ends."""
    if np.isfinite(limit):
        return np.asarray(limit * _SHARES)
    return np.geomspace(0.5, _FAR_TILT, 20)
