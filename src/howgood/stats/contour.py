r"""Tail probabilities and densities by integration along a saddlepoint contour.

In: a `CumulantFunction` and points. Out: lower or upper tail probabilities with small RELATIVE
error, and densities. Absent: choosing between exact and truncated cumulant functions
(see `weighted_chi_square`).

With :math:`x` in standard units,

.. math:: P(X > x) = \frac{1}{2 \pi i} \int \frac{e^{K(s) - s x}}{s} \, ds

over any path that passes to the right of 0 and to the left of the singularities of `K`. The path
is :math:`s_0 + i y + \beta y^2 / \sqrt{1 + (\beta y / m)^2}`. It starts at the saddlepoint
:math:`s_0` of :math:`K(s) - s x - \log |s|`, so that it keeps away from the pole at 0, and bends
with :math:`\beta = K''' / (6 K'')`, the curvature of the steepest descent of `K` alone, around the
singularities on the right. Far out it runs straight, with slope m < 1: terms that are nearly
Gaussian would explode on a parabola. On it the integrand falls off exponentially even for a
single term, and the trapezoidal rule converges geometrically. Lower tails start at
:math:`s_0 < 0`. Where half of the nodes would give another result, the next of the function's
paths is tried: a few large terms among many small ones need a straighter one.
"""

import numpy as np

from howgood.stats.arrays import FloatArray
from howgood.stats.cumulant_functions import CumulantFunction, Path, SeriesCumulants

# The full sum's error is about the square of the half sum's.
_ACCEPTED = 1e-7
_BISECTIONS = 16
_BODY_NODES = 31
_BODY_EDGE = 8.7


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
