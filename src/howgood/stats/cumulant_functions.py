r"""Cumulant generating functions in standard units, for inversion along a contour.

In: groups of weighted non-central chi-squares, or the first twelve cumulants. Out: objects that
give :math:`K(s) = \log E\, e^{s (X - \text{shift}) / \text{scale}}` and its derivatives.
Absent: inversion (see `contour`).
"""

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

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
