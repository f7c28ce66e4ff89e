r"""The distribution of :math:`\frac1N \sum (\sigma_v Z_v + \Delta_v)^2`, a mean of squares.

In: the terms, or their power sums alone. Out: `WeightedChiSquare` with cdf, sf, pdf, quantile and
draws. Absent: score names, provenance (see `score`).

Two cumulant functions serve it. The series of twelve cumulants costs one pass over the terms and
then nothing; it is used only where its remainder is negligible, and never when
:math:`17.4 \max(\sigma^2) / N \ge \sqrt{\kappa_2} / 2` (it diverges for few terms). The exact one
sums over `Groups` of terms and holds everywhere: terms with equal sigma add up to one non-central
chi-square, and many distinct sigmas are condensed to some hundred without loss of accuracy.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray
from scipy.special import gamma as gamma_function

from howgood.stats.arrays import FloatArray
from howgood.stats.cumulant_functions import GroupedCumulants, SeriesCumulants
from howgood.stats.inversion import InvertedLaw
from howgood.stats.moments import PowerSums, power_sums

_MOST_GROUPS = 768
_KEPT = 64
_NODES = 16
_TABLE_BITS = 14
_SWITCH = 17.4
_MOST_SAMPLED = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Groups:
    """Weights (sigma squared over N), how many terms share each, and their summed squares over N.

    `constant` is what the terms without spread add up to.
    """

    weights: FloatArray = field(repr=False)
    counts: FloatArray = field(repr=False)
    noncentral: FloatArray = field(repr=False)
    constant: float

    def __len__(self) -> int:
        return int(self.weights.size)


def group_terms(location: FloatArray, scale: FloatArray, origin: FloatArray) -> Groups:
    """Return one group per distinct positive sigma.

    Examples
    --------
    >>> groups = group_terms(np.array([1.0, 2.0, 5.0]), np.array([1.0, 1.0, 0.0]), np.zeros(3))
    >>> groups.counts.tolist(), (groups.noncentral * 3).tolist(), groups.constant * 3
    ([2.0], [5.0], 25.0)
    """
    n = max(location.size, scale.size, origin.size)
    variance, square = np.broadcast_arrays(scale * scale, (location - origin) ** 2)
    spread = variance > 0.0
    constant = float(np.sum(square[~spread])) / n
    if not spread.all():
        variance, square = variance[spread], square[spread]
    levels, label = _levels(np.ascontiguousarray(variance))
    counts = np.bincount(label, minlength=levels.size).astype(np.float64)
    noncentral = np.bincount(label, weights=square, minlength=levels.size) / n
    return Groups(weights=levels / n, counts=counts, noncentral=noncentral, constant=constant)


def _levels(values: FloatArray) -> tuple[FloatArray, NDArray[np.intp]]:
    """Return distinct values and the index of each; without sorting when they are few."""
    bits = values.view(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    label = (bits >> np.uint64(64 - _TABLE_BITS)).astype(np.intp)
    table = np.zeros(1 << _TABLE_BITS)
    table[label] = values
    if np.array_equal(table[label], values):
        used = np.flatnonzero(table)
        position = np.zeros(table.size, dtype=np.intp)
        position[used] = np.arange(used.size)
        return table[used], position[label]
    levels, inverse = np.unique(values, return_inverse=True)
    return levels, inverse


def condense(groups: Groups) -> Groups:
    r"""Return equivalent groups, at most some hundred, for evaluating cumulant functions.

    The cumulant function is a sum over weights of functions that are analytic in the weight.
    On cells that shrink geometrically towards both ends of the range, where the singularities
    can come close, polynomials of degree 15 reproduce them to rounding error; so the terms of a
    cell may be replaced by 16 nodes that carry the same polynomial moments. Counts become
    fractional and may be negative: do not sample from condensed groups.
    """
    if len(groups) <= _MOST_GROUPS:
        return groups
    order = np.argsort(groups.weights)
    rest, kept = order[:-_KEPT], order[-_KEPT:]
    weights = groups.weights[rest]
    top = float(weights[-1])
    # Cell numbers: halvings of the distance to 0 below the middle, to the top above it.
    low = np.floor(np.log2(top / weights))
    high = np.floor(-np.log2(np.maximum(1.0 - weights / top, 2.0**-40)))
    cell = np.where(low >= 1.0, -low, high)
    parts = [(groups.weights[kept], groups.counts[kept], groups.noncentral[kept])]
    for number in np.unique(cell):
        inside = rest[cell == number]
        parts.append(
            _nodes_for(groups.weights[inside], groups.counts[inside], groups.noncentral[inside])
        )
    joined = [np.concatenate(column) for column in zip(*parts, strict=True)]
    return Groups(
        weights=joined[0], counts=joined[1], noncentral=joined[2], constant=groups.constant
    )


def _nodes_for(
    weights: FloatArray, counts: FloatArray, noncentral: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Replace the groups of one cell by Chebyshev nodes with the same polynomial moments."""
    if weights.size <= _NODES:
        return weights, counts, noncentral
    middle, half = 0.5 * (weights[0] + weights[-1]), 0.5 * (weights[-1] - weights[0])
    angles = (np.arange(_NODES) + 0.5) * np.pi / _NODES
    # Chebyshev moments of the cell, then the weights of nodes that have the same moments.
    inside = np.arccos(np.clip((weights - middle) / half, -1.0, 1.0))
    orders = np.arange(_NODES)
    moments = np.empty((2, _NODES))
    for order in orders:
        waves = np.cos(order * inside)
        moments[:, order] = waves @ counts, waves @ noncentral
    normal = np.where(orders == 0, 1.0, 2.0) / _NODES
    to_nodes = np.cos(np.multiply.outer(angles, orders)) * normal
    return middle + half * np.cos(angles), to_nodes @ moments[0], to_nodes @ moments[1]


class WeightedChiSquare(InvertedLaw):
    """Distribution of a mean of squared Gaussians, accurate in relative terms in both tails.

    Keeps a reference to the arrays it is given: do not change them in place. Without `groups`
    (a function that gathers the terms when first needed) only the series can serve.

    Examples
    --------
    >>> law = WeightedChiSquare.from_terms(np.zeros(2), np.ones(2), np.zeros(2))
    >>> law.mean, law.variance  # half a chi-square with two degrees of freedom: exponential
    (1.0, 1.0)
    >>> round(float(law.sf(np.array([2.0]))[0]), 12) == round(float(np.exp(-2.0)), 12)
    True
    """

    def __init__(self, sums: PowerSums, groups: Callable[[], Groups] | None) -> None:
        cumulants = sums.cumulants()
        self.sums = sums
        self.mean = float(cumulants[0])
        self.variance = float(cumulants[1])
        self.series = _series(sums, cumulants)
        self.has_exact = groups is not None
        self._gather = groups

    @classmethod
    def from_terms(
        cls, location: FloatArray, scale: FloatArray, origin: FloatArray
    ) -> "WeightedChiSquare":
        """Build from one location, standard deviation and origin per term."""
        sums = power_sums(location, scale, origin)
        return cls(sums, partial(group_terms, location, scale, origin))

    @classmethod
    def from_sums(cls, sums: PowerSums) -> "WeightedChiSquare":
        """Build from power sums alone.

        Where twelve cumulants do not suffice, the gamma distribution with the same mean and
        variance stands in; `series` is then None.
        """
        return cls(sums, None if series_allowed(sums) else partial(_matched_gamma, sums))

    @cached_property
    def groups(self) -> Groups:
        """Terms gathered by sigma."""
        if self._gather is None:
            raise RuntimeError("groups need the terms, not only their power sums")
        return self._gather()

    @cached_property
    def _exact(self) -> GroupedCumulants:
        few = condense(self.groups)
        return GroupedCumulants.of(few.weights, few.counts, few.noncentral, constant=few.constant)

    @property
    def exact(self) -> GroupedCumulants:
        """The exact cumulant function."""
        return self._exact

    @property
    def lower_end(self) -> float:
        """A lower bound of the support: its end, or 0 while the series serves."""
        return self.exact.shift if self.series is None and not self.is_point else 0.0

    def sample(self, size: int, generator: np.random.Generator) -> FloatArray:
        """Return independent draws, group by group or, where those are very many, by inversion."""
        by_inversion = self.is_point or not self.has_exact or len(self.groups) > _MOST_SAMPLED
        if by_inversion:
            return super().sample(size, generator)
        return self.sample_groups(size, generator)

    def sample_groups(
        self,
        size: int,
        generator: np.random.Generator,
        after_group: Callable[[float], None] | None = None,
    ) -> FloatArray:
        """Return independent draws: one non-central chi-square per group, weighted and added.

        `after_group` is called now and then with the share of the groups done.
        """
        groups = self.groups
        total = np.full(size, groups.constant)
        report_every = max(1, len(groups) // 50)
        columns = zip(groups.weights, groups.counts, groups.noncentral, strict=True)
        for number, (weight, count, square) in enumerate(columns, start=1):
            normal = generator.standard_normal(size)
            # (sqrt(w) Z + sqrt(d))^2 plus w times a chi-square of the other count - 1 terms
            total += (np.sqrt(weight) * normal + np.sqrt(square)) ** 2
            if count > 1.0:
                total += (2.0 * weight) * generator.standard_gamma((count - 1.0) / 2.0, size)
            if after_group is not None and (number % report_every == 0 or number == len(groups)):
                after_group(number / len(groups))
        return total

    def density_at_lower_end(self) -> float:
        """Return the limit of the density at the end of the support: only two terms leave it."""
        if self.series is not None:
            return 0.0
        freedom = float(np.sum(self.groups.counts))
        if freedom != 2.0:
            return np.inf if freedom < 2.0 else 0.0
        return self.leading_coefficient()

    def leading_coefficient(self) -> float:
        r"""Return A where the density starts like :math:`A\,(x - c)^{k/2-1}`, with k free terms."""
        groups = self.groups
        freedom = float(np.sum(groups.counts))
        exponent = np.sum(groups.noncentral / groups.weights + groups.counts * np.log(
            2.0 * groups.weights))  # fmt: skip
        return float(np.exp(-0.5 * exponent) / gamma_function(freedom / 2.0))


def series_allowed(sums: PowerSums) -> bool:
    r"""Whether twelve cumulants suffice: :math:`17.4 \max(\sigma^2)/N < \sqrt{\kappa_2}/2`."""
    cumulants = sums.cumulants()
    usable = bool(np.all(np.isfinite(cumulants)) and np.all(sums.sums > 1e-280))
    return usable and _SWITCH * sums.largest_variance / sums.n < 0.5 * np.sqrt(cumulants[1])


def _series(sums: PowerSums, cumulants: FloatArray) -> SeriesCumulants | None:
    if not series_allowed(sums):
        return None
    # The thirteenth coefficient is at most 2 max(sigma^2)/N times the twelfth, and so on.
    ratio = 2.0 * sums.largest_variance / sums.n / float(np.sqrt(cumulants[1]))
    return SeriesCumulants.of(cumulants, ratio=ratio)


def _matched_gamma(sums: PowerSums) -> Groups:
    """Return the one group whose mean and variance are those of the power sums."""
    mean, variance = sums.cumulants()[:2]
    return Groups(
        weights=np.array([variance / (2.0 * mean)]),
        counts=np.array([2.0 * mean**2 / variance]),
        noncentral=np.zeros(1),
        constant=0.0,
    )
