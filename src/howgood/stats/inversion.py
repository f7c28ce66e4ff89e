"""From cumulant functions to probabilities: which function and which path serve which point.

In: a series of cumulants, an exact cumulant function, or both. Out: cdf, sf and density. Absent:
the cumulant functions themselves (see `cumulant_functions`, `folded_sum`).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from howgood.stats.contour import STEP, body_and_density, tail_and_density
from howgood.stats.cumulant_functions import CumulantFunction, SeriesCumulants

FloatArray = NDArray[np.float64]

_BODY = 3.0
_SIDE = 0.25  # for a single term the upper contour is less accurate left of here
_CHUNK = 2_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Inversion:
    """Probabilities of a quantity whose cumulant function is known.

    The series, where there is one, serves the body (Gil-Pelaez, shared nodes) and the tails as
    far as it can be trusted; the exact function serves the rest. Without an exact function the
    series serves everywhere, and tails beyond its reach are accurate in absolute terms only.
    """

    mean: float
    sd: float
    series: SeriesCumulants | None
    exact: Callable[[], CumulantFunction] | None

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
            resolved = (z > ends[0]) & (z < ends[1]) | (self.exact is None)
        for is_upper, side in ((False, z <= _SIDE), (True, z > _SIDE)):
            small, large = (upper, lower) if is_upper else (lower, upper)
            for by_series in (False, True):
                chosen = side & ~body & (resolved == by_series)
                if chosen.any():
                    function = self._function(by_series)
                    small[chosen], density[chosen] = _tail(function, x[chosen], is_upper)
                    large[chosen] = 1.0 - small[chosen]
        return lower, upper, density

    def _function(self, by_series: bool) -> CumulantFunction:
        if by_series and self.series is not None:
            return self.series
        if self.exact is None:
            raise RuntimeError("neither a series nor an exact cumulant function")
        return self.exact()


def _tail(function: CumulantFunction, x: FloatArray, upper: bool) -> tuple[FloatArray, FloatArray]:
    """Work through the points in chunks that bound the memory."""
    rows = max(1, int(_CHUNK / (function.node_range / STEP * function.size)))
    pieces = [
        tail_and_density(function, x[start : start + rows], upper=upper)
        for start in range(0, x.size, rows)
    ]
    tails, densities = zip(*pieces, strict=True)
    return np.concatenate(tails), np.concatenate(densities)
