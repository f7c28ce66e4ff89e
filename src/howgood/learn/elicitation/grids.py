"""Grids of parameters and of noise: where nodes lie, for the systems a respondent may be shown.

In: systems as rows TP, FN, FP, TN. Out: nodes and priors; how far a rare class moves them.
Absent: what a node stands for (see `families`).
"""

import numpy as np

from howgood.stats.arrays import FloatArray

# Below this share of all cases a class is rare: what an error of that kind weighs, and the gaps
# that people see, are laid out in proportion to the class instead of to all cases.
RARE = 0.1
# Sensitivity to a difference of one case in 100, from faint to razor-sharp. All families get the
# same values: with a sharper set, a family would win by its noise instead of its metric (ADR 40).
ABSOLUTE = np.array([0.25, 1.0, 4.0, 16.0, 64.0])
# Sensitivity to the ratio of gains against the ratio of costs (Weber's law).
WEBER = np.array([1.0, 4.0, 16.0, 64.0])
# From here on two cases in 100 decide nearly every time, and people of different sensitivity answer
# alike: together they are as probable as one of the fainter levels. Even values would make most
# people razor-sharp beforehand, and intervals of faint ones too narrow.
_SHARP = 4.0


def rarity(systems: FloatArray) -> float:
    """Return how far a class below a tenth of all cases moves weights: 0 where none is so rare.

    Examples
    --------
    >>> [round(rarity(np.array([[share, 0, 0, 1 - share]])), 2) for share in (0.3, 0.01, 0.99)]
    [0.0, -2.3, 2.3]
    """
    positives = float(systems[0, :2].sum() / systems[0].sum())
    rarer = min(max(min(positives, 1 - positives), 1e-9), RARE)
    return float(np.log(rarer / RARE) if positives < 0.5 else np.log(RARE / rarer))


def even_prior(size: int) -> FloatArray:
    """Return the same probability for each of so many nodes."""
    return np.full(size, 1.0 / size)


def wider_grid(reach: float, size: int, lean: float) -> FloatArray:
    """Return an even grid from -reach to reach, as dense where it goes on because of a rarity."""
    extra = int(np.ceil(abs(lean) * (size - 1) / (2 * reach) - 1e-9))
    grid = np.linspace(-reach, reach, size)
    beyond = reach + (grid[1] - grid[0]) * np.arange(1, extra + 1)
    return np.concatenate([-beyond[::-1], grid] if lean < 0 else [grid, beyond])


def places_in_cell(nodes: FloatArray) -> tuple[float, ...]:
    """Return three places in the cell of every node of an even grid, its middle among them."""
    step = float(nodes[1] - nodes[0])
    return (-step / 3, 0.0, step / 3)


def possible_limits(errors: FloatArray, *, most: float, at_most: int = 36) -> FloatArray:
    """Return the numbers of errors that may be a limit: those shown, up to a share of the most."""
    shown = np.unique(errors)
    shown = shown[shown <= most * shown.max()]
    places = np.linspace(0, shown.size - 1, min(at_most, shown.size)).round().astype(int)
    return np.asarray(shown[places])


def between_knots(values: FloatArray, knots: FloatArray) -> FloatArray:
    """Return how much each knot counts for each value, on straight lines between knots."""
    place = np.interp(values, knots, np.arange(knots.size))
    return np.asarray(np.maximum(1 - np.abs(place[:, None] - np.arange(knots.size)), 0.0))


def sensitivity_prior(sensitivities: FloatArray) -> FloatArray:
    """Return the prior of sensitivities: even over those that can be distinguished.

    Examples
    --------
    >>> sensitivity_prior(ABSOLUTE).round(3).tolist()
    [0.333, 0.333, 0.111, 0.111, 0.111]
    """
    is_sharp = sensitivities >= _SHARP
    weights = np.where(is_sharp, 1.0 / is_sharp.sum(), 1.0)
    return np.asarray(weights / weights.sum())
