"""What one experiment hands back, and the theoretical test data several of them share.

In: a generator. Out: `Part`, and arrays of deviations and variances. Absent: any claim.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from howgood.records.reproduction import Check

# Section 4.2: a 5-star scale, five ratings. The smallest variance above zero is one rating of
# five that differs by one star, 4/25; the largest is two against three at both ends, 3.84.
LEAST_VARIANCE, MOST_VARIANCE = 0.16, 3.84
MOST_DEVIATION = 4.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Checks and pictures (name -> SVG) of one experiment."""

    checks: list[Check]
    figures: dict[str, str] = field(default_factory=dict)


def uniform_pairs(
    n_pairs: int, generator: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return deviations and standard deviations drawn evenly from their whole ranges."""
    deviation = generator.uniform(0.0, MOST_DEVIATION, n_pairs)
    variance = generator.uniform(LEAST_VARIANCE, MOST_VARIANCE, n_pairs)
    return deviation, np.sqrt(variance)


def spread_out_sds(n_pairs: int) -> NDArray[np.float64]:
    """Return standard deviations whose variances fill their range evenly, without chance."""
    shares = (np.arange(n_pairs) + 0.5) / n_pairs
    return np.sqrt(LEAST_VARIANCE + shares * (MOST_VARIANCE - LEAST_VARIANCE))
