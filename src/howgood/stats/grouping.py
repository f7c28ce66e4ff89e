r"""Gather terms :math:`(\sigma_v Z_v + \Delta_v)^2 / N` that share their sigma.

In: locations, standard deviations and origins. Out: `Groups`: terms with equal sigma add up to
one non-central chi-square. Many distinct sigmas are condensed to some hundred without loss
of accuracy. Absent: anything about probabilities.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from howgood.stats.arrays import FloatArray

_MOST_GROUPS = 768
_KEPT = 64
_NODES = 16
_TABLE_BITS = 14


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
