"""Does a board hold on other items and other raters? Two halves of the same data answer.

In: rows of grades or votes, and a function that ranks them. Out: `Halves`: how often two halves
that share no items (or no raters) agree. Absent: files, and the ranking itself.
"""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from howgood.errors import HowgoodError, HowgoodWarning, InputError
from howgood.records.ranking import Ranking
from howgood.records.table import Table
from howgood.stats.arrays import BoolArray, FloatArray
from howgood.stats.randomness import RandomState, generator_and_seed

LEVEL = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Half:
    """Differences (K, K), half-widths of their 95 % intervals, and which pairs are settled."""

    systems: tuple[str, ...]
    differences: FloatArray
    reach: FloatArray
    is_settled: BoolArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Halves:
    """How often two halves agree about a pair of systems; counts of pairs over all splits.

    `within`: differences no further apart than both 95 % intervals allow together. `settled`: the
    first half calls the order wrong with less than 5 %; `turned`: of these, the other half has the
    opposite order; `contradicted`: and calls it settled. `failed` counts splits with a half too
    small to be ranked.

    Stability: experimental
    """

    splits: int
    pairs: int = 0
    within: int = 0
    settled: int = 0
    turned: int = 0
    contradicted: int = 0
    failed: int = 0

    def plus(self, one: Half, other: Half) -> "Halves":
        """Return the counts with those of one more split."""
        common = [name for name in one.systems if name in other.systems]
        pairs = list(combinations(common, 2))
        if not pairs:
            return replace(self, failed=self.failed + 1)
        here, there = (
            tuple(np.array([[half.systems.index(name) for name in pair] for pair in pairs]).T)
            for half in (one, other)
        )
        gap = np.abs(one.differences[here] - other.differences[there])
        is_turned = one.differences[here] * other.differences[there] < 0
        settled = one.is_settled[here]
        return replace(
            self,
            pairs=self.pairs + len(pairs),
            within=self.within + int(np.sum(gap <= np.hypot(one.reach[here], other.reach[there]))),
            settled=self.settled + int(settled.sum()),
            turned=self.turned + int(np.sum(settled & is_turned)),
            contradicted=self.contradicted
            + int(np.sum(settled & is_turned & other.is_settled[there])),
        )


def half_of(ranking: Ranking) -> Half:
    """Return what a ranking says of each pair of systems."""
    return Half(
        systems=ranking.systems,
        differences=ranking.differences,
        reach=float(ndtri(1 - LEVEL / 2)) * np.sqrt(ranking.difference_variances),
        is_settled=np.minimum(ranking.errors, ranking.errors.T) < LEVEL,
    )


def compare_halves(
    rows: Table,
    rank: Callable[[Table], Ranking],
    *,
    divided: Mapping[str, str],
    splits: int = 8,
    random_state: RandomState = 0,
) -> dict[str, Halves]:
    """Split rows in two by each of the columns, and by all of them at once, and rank each half.

    Parameters
    ----------
    rows : Table
        One row per grade or vote.
    rank : callable
        Makes a ranking of a table.
    divided : mapping of name -> column
        What halves must not share: {"items": "prompt", "raters": "worker"}.
    splits : int
        How many times.
    random_state : None, int or Generator
        For the splits.

    Returns
    -------
    dict of name -> Halves
        By name, and "items and raters" where there are two.

    Examples
    --------
    >>> from howgood.decide import rank_grades
    >>> rows = Table({"item": np.repeat(np.arange(12), 2), "system": ["a", "b"] * 12,
    ...               "grade": [4, 3, 5, 3, 4, 2] * 4})
    >>> found = compare_halves(rows, lambda half: rank_grades(half, rater=None),
    ...                        divided={"items": "item"}, splits=4)["items"]
    >>> found.pairs, found.settled, found.turned
    (4, 4, 0)
    """
    if splits < 1:
        raise InputError(
            where="halves",
            found=f"{splits} splits",
            needed="at least 1",
            cure="8 show enough.",
        )
    rng, _ = generator_and_seed(random_state)
    wanted: dict[str, tuple[str, ...]] = {name: (column,) for name, column in divided.items()}
    if len(divided) > 1:
        wanted[" and ".join(divided)] = tuple(divided.values())
    return {name: _compared(rows, rank, columns, splits, rng) for name, columns in wanted.items()}


def _compared(
    rows: Table,
    rank: Callable[[Table], Ranking],
    columns: tuple[str, ...],
    splits: int,
    rng: np.random.Generator,
) -> Halves:
    found = Halves(splits=splits)
    for _ in range(splits):
        masks = [np.ones(len(rows), bool), np.ones(len(rows), bool)]
        for column in columns:
            is_first = _first_half(rows[column], rng)
            masks = [masks[0] & is_first, masks[1] & ~is_first]
        try:
            with warnings.catch_warnings():
                # What a half leaves out was said of the whole, or lies in being a half.
                warnings.simplefilter("ignore", HowgoodWarning)
                one, other = (half_of(rank(_rows(rows, mask))) for mask in masks)
        except HowgoodError:
            found = replace(found, failed=found.failed + 1)
        else:
            found = found.plus(one, other)
    return found


def _rows(rows: Table, mask: BoolArray) -> Table:
    return Table({name: rows[name][mask] for name in rows.columns})


def _first_half(values: NDArray[Any], rng: np.random.Generator) -> BoolArray:
    """Return which rows belong to a random half of the distinct values."""
    names, places = np.unique(values.astype(str), return_inverse=True)
    is_first = np.zeros(len(names), bool)
    is_first[rng.permutation(len(names))[: len(names) // 2]] = True
    chosen: BoolArray = is_first[places]
    return chosen
