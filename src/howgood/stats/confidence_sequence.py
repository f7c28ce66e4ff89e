"""Bounds that hold at every look: an asymptotic confidence sequence for a mean.

In: a mean, its standard deviation, how many values, and rho. Out: how far a one-sided bound lies
below the mean, or the level at which a value just stays outside. Absent: what is measured.

The boundary is the one-sided normal mixture of Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas
(2021, "Time-uniform central limit theory and asymptotic confidence sequences"):

    sigma sqrt(2 (t rho² + 1) / (t² rho²) log(1 + sqrt(t rho² + 1) / (2 alpha))).

With probability 1 - alpha (for many values) no look at any time finds the bound above the truth.
"""

import math


def rho_for(planned: float, level: float) -> float:
    """Return the rho that makes the boundary tightest after `planned` values.

    Examples
    --------
    >>> round(rho_for(500, 0.05), 4)
    0.1125
    """
    log = -2.0 * math.log(2.0 * level)
    return math.sqrt((log + math.log(log + 1.0)) / planned)


def reach(n: float, sd: float, level: float, rho: float) -> float:
    """Return how far below the mean of n values the bound lies."""
    spread = n * rho**2 + 1.0
    return sd * math.sqrt(
        2.0 * spread / (n * rho) ** 2 * math.log1p(math.sqrt(spread) / (2.0 * level))
    )


def level_of(distance: float, n: float, sd: float, rho: float) -> float:
    """Return the smallest level at which a value `distance` below the mean stays outside.

    Examples
    --------
    >>> away = reach(100, 2.0, 0.05, 0.1)
    >>> round(level_of(away, 100, 2.0, 0.1), 6)
    0.05
    """
    if distance <= 0 or sd <= 0:
        return 0.0 if distance > 0 else 1.0
    spread = n * rho**2 + 1.0
    exponent = (distance / sd) ** 2 * (n * rho) ** 2 / (2.0 * spread)
    if exponent > 700:
        return 0.0
    return min(1.0, math.sqrt(spread) / (2.0 * math.expm1(exponent)))
