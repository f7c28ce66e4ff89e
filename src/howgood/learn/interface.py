"""What an interface changes at the same accuracy: ratings compared within or between people.

In: ratings, each with its person, scenario and interface. Out: a difference per interface, against
the first one, with an interval. Absent: the acceptability model, which knows accuracy alone and
takes the interfaces together.

Least squares on scenarios and interfaces, and on people where somebody saw several interfaces.
People are the sample, not ratings: the variance lets the ratings of a person depend on each other
in any way, corrected for few people, with its own degrees of freedom (CR2 with Satterthwaite: Bell
and McCaffrey, 2002; Pustejovsky and Tipton, 2018). With one scenario that is the paired t-test, or
Welch's standard error. Scenarios are the study's own and not a sample of others.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from howgood.stats.arrays import FloatArray, IntArray

_LEAST_PEOPLE = 2
_SAME = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class InterfaceEffect:
    """How much higher an interface is rated than the one it is compared with, and how sure that is.

    `is_within` says that the same people saw both.
    """

    level: str
    reference: str
    difference: float
    lower: float
    upper: float
    people: int
    is_within: bool


def interface_effects(
    person: Sequence[object] | NDArray[Any],
    scenario: Sequence[object] | NDArray[Any],
    level: Sequence[str] | NDArray[Any],
    rating: FloatArray,
    *,
    levels: Sequence[str],
    confidence: float = 0.95,
) -> tuple[InterfaceEffect, ...]:
    """Return the effect of every interface but the first, unless too few people saw it.

    Examples
    --------
    >>> effects = interface_effects(
    ...     ["a", "a", "b", "b"], ["s", "s", "s", "s"], ["old", "new", "old", "new"],
    ...     np.array([2.0, 4.0, 1.0, 4.0]), levels=("old", "new"))
    >>> effects[0].difference, effects[0].people
    (2.5, 2)
    """
    people = np.unique(np.asarray(person, dtype=object).astype(str), return_inverse=True)[1]
    cells = np.unique(np.asarray(scenario, dtype=object).astype(str), return_inverse=True)[1]
    places = np.array([list(levels).index(name) for name in level])
    n_cells = int(cells.max()) + 1
    design = np.hstack([np.eye(n_cells)[cells], np.eye(len(levels))[places][:, 1:]])
    target = np.asarray(rating, dtype=np.float64)[:, None]
    is_within = _saw_several(people, places)
    if is_within:
        design, target = _within(people, design), _within(people, target)
    made = []
    for place in range(1, len(levels)):
        n_people = _people_of(people, places, place, is_within=is_within)
        if not n_people:
            continue
        effect, variance, freedom = _estimate(people, design, target[:, 0], n_cells + place - 1)
        half = float(stdtrit(freedom, (1 + confidence) / 2)) * variance**0.5
        made.append(
            InterfaceEffect(
                level=levels[place],
                reference=levels[0],
                difference=effect,
                lower=effect - half,
                upper=effect + half,
                people=n_people,
                is_within=is_within,
            )
        )
    return tuple(made)


def _people_of(people: IntArray, places: IntArray, place: int, *, is_within: bool) -> int:
    """Return how many people a comparison rests on; 0 where they are too few for one."""
    first, other = (set(people[places == which].tolist()) for which in (0, place))
    if is_within:
        return len(first & other) if len(first & other) >= _LEAST_PEOPLE else 0
    return len(first | other) if min(len(first), len(other)) >= _LEAST_PEOPLE else 0


def _estimate(
    people: IntArray, design: FloatArray, target: FloatArray, which: int
) -> tuple[float, float, float]:
    """Return a coefficient, its variance over people and the degrees of freedom of that."""
    inverse: FloatArray = np.asarray(np.linalg.pinv(design.T @ design), dtype=np.float64)
    coefficients = inverse @ (design.T @ target)
    left = target - design @ coefficients
    order = np.argsort(people, kind="stable")
    ends = np.cumsum(np.bincount(people))[:-1]
    moved, sizes, shared = [], [], []
    for rows in np.split(order, ends):
        own = design[rows]
        weight = _corrected(own, inverse) @ (own @ inverse[:, which])
        moved.append(float(weight @ left[rows]))
        sizes.append(float(weight @ weight))
        shared.append(own.T @ weight)
    together = np.diag(sizes) - np.array(shared) @ inverse @ np.array(shared).T
    freedom = float(np.trace(together)) ** 2 / float(np.sum(together**2))
    return float(coefficients[which]), float(np.sum(np.square(moved))), freedom


def _corrected(own: FloatArray, inverse: FloatArray) -> FloatArray:
    """Return what undoes the pull of a person's own ratings on the fit: (I - H) to the -1/2."""
    values, vectors = np.linalg.eigh(np.eye(len(own)) - own @ inverse @ own.T)
    kept = values > _SAME
    scaled = vectors[:, kept] / np.sqrt(values[kept])
    return np.asarray(scaled @ vectors[:, kept].T, dtype=np.float64)


def _saw_several(people: IntArray, places: IntArray) -> bool:
    pairs = np.unique(np.stack([people, places]), axis=1)
    return bool(pairs.shape[1] > len(np.unique(people)))


def _within(people: IntArray, values: FloatArray) -> FloatArray:
    """Return values less their person's mean."""
    sums = np.zeros((people.max() + 1, values.shape[1]))
    np.add.at(sums, people, values)
    return np.asarray(values - (sums / np.bincount(people)[:, None])[people], dtype=np.float64)
