r"""Probabilities of many points from one set of nodes: vertical lines that points share.

In: a `CumulantFunction`. Out: `SharedLines`, tails and densities of every point near enough to one
of its lines. Absent: points farther out, and distributions of too few terms (see `contour`).

On the line :math:`\tau + i y` the cumulant function is summed over the terms once and kept;
each further point costs one wave per node:

.. math:: P(X > x) = \frac1\pi \sum_k h \operatorname{Re}
    \frac{e^{K(\tau + i y_k) - (\tau + i y_k) x}}{\tau + i y_k}, \qquad y_k = (k + \tfrac12) h

for :math:`\tau > 0`, minus the lower tail for :math:`\tau < 0`, and one half less than the upper
tail for :math:`\tau = 0` (Gil-Pelaez). The error relative to the tail stays small while the
saddlepoint of x is near :math:`\tau`: the middle line serves the body, two lines on each
side serve tails down to about 1e-20. To the right the tilted distributions widen, so the lines are
spaced evenly in x; to the left they narrow, so the lines are spaced evenly in the tilt.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from howgood.stats.arrays import ComplexArray, FloatArray
from howgood.stats.cumulant_functions import CumulantFunction

_CENTRES = (0.0, 5.5, 8.5)
_EDGES = (4.0, 7.0, 10.0)
_NEGLIGIBLE = 36.0  # minus the log of what may be left out, relative to what is wanted
_MOST_NODES = 400
_REACHES = np.geomspace(4.0, 400.0, 28)
_SHARES = np.concatenate([np.geomspace(5e-3, 0.5, 14), 1.0 - np.geomspace(0.4, 2e-3, 10)])
_FAR_TILT = 60.0
_CHUNK = 100_000


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
