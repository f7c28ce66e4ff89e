"""Weights of several features from choices, by sequential Monte Carlo.

In: systems with features, and answers. Out: questions and `WeightsResult`. Absent: what the
features are (see `multiclass` and `fair`).
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howgood.errors import InputError
from howgood.learn.elicitation.bisection import check_choice
from howgood.records.elicitation import FEWEST_PREFERENCES, Query, WeightsResult
from howgood.records.elicited_metric import Choice
from howgood.records.estimate import Estimate
from howgood.records.outcomes_by_class import DiagonalMetric, FairMetric
from howgood.records.provenance import Provenance
from howgood.stats.arrays import FloatArray
from howgood.stats.paired_choices import (
    first_probabilities,
    log_posterior,
    mutual_information,
    prior_particles,
    reweighted,
    simplex_weights,
)
from howgood.stats.randomness import RandomState, generator_and_seed

_CHOSEN = {"first": 1.0, "second": 0.0, "same": 0.5}
_PARTICLES, _MOVES, _CANDIDATES = 500, 3, 250


class SimplexElicitor:
    """Asks the pair, among 250 candidates, whose answer tells most about the weights."""

    _open: tuple[int, int] | None
    _particles: FloatArray

    def __init__(
        self,
        outcomes: Sequence[Any],
        *,
        names: Sequence[str],
        metric: Callable[[tuple[float, ...]], DiagonalMetric | FairMetric],
        method: str,
        max_queries: int,
        random_state: RandomState,
    ) -> None:
        generator, seed = generator_and_seed(random_state)
        self.seed = int(generator.integers(2**32)) if seed is None else seed
        self.outcomes = tuple(outcomes)
        self._names, self._method, self._most = tuple(names), method, max_queries
        self._metric = metric
        self._features = np.array([each.features for each in self.outcomes], dtype=np.float64)
        self._pairs = trade_off_pairs(self._features, where=method)
        self._answers: list[Choice] = []
        self._restart()

    @property
    def answers(self) -> tuple[Choice, ...]:
        """Every answer so far, in order."""
        return tuple(self._answers)

    def query(self) -> Query | None:
        """Return the question at hand, or None when every question is answered."""
        if self._open is None and len(self._answers) < self._most:
            self._open = self._most_telling()
        if self._open is None:
            return None
        one, other = self._open
        return Query(
            first=self.outcomes[one], second=self.outcomes[other], number=len(self._answers) + 1
        )

    def answer(self, choice: Choice) -> None:
        """Take the answer to the question at hand."""
        check_choice(choice, is_open=self.query() is not None)
        if self._open is None:
            return
        one, other = self._open
        difference = self._features[one] - self._features[other]
        self._asked.append(self._pair_number(one, other))
        self._answers.append(choice)
        self._differences.append(difference)
        self._chosen.append(_CHOSEN[choice])
        target = partial(
            log_posterior,
            differences=np.array(self._differences),
            chosen=np.array(self._chosen),
        )
        self._particles = reweighted(
            self._particles,
            difference,
            _CHOSEN[choice],
            target,
            self._chance(1),
            moves=_MOVES,
        )
        self._open = None

    def undo(self) -> None:
        """Take back the last answer, if there is one."""
        kept = self._answers[:-1]
        self._answers = []
        self._restart()
        for choice in kept:
            self.answer(choice)

    def result(self) -> WeightsResult:
        """Return what the answers so far say."""
        draws = simplex_weights(self._particles)
        n_preferences = sum(choice != "same" for choice in self._answers)
        metric = self._metric(tuple(draws.mean(axis=0).tolist()))
        is_enough = n_preferences >= FEWEST_PREFERENCES
        return WeightsResult(
            weights={
                name: Estimate.from_draws(
                    draws[:, index], probability=0.9, kind="quantile", n_respondents=1
                )
                for index, name in enumerate(self._names)
            },
            metric=metric if is_enough else None,
            best=max(self.outcomes, key=metric.of) if is_enough else None,
            queries=len(self._answers),
            preferences=n_preferences,
            provenance=Provenance(
                method=self._method,
                settings={
                    "particles": _PARTICLES,
                    "moves": _MOVES,
                    "candidates": _CANDIDATES,
                    "max_queries": self._most,
                },
                seed=self.seed,
            ),
        )

    def _restart(self) -> None:
        self._particles = prior_particles(
            _PARTICLES, self._features.shape[1], np.random.default_rng([self.seed, 0])
        )
        self._asked: list[int] = []
        self._differences: list[FloatArray] = []
        self._chosen: list[float] = []
        self._open = None

    def _most_telling(self) -> tuple[int, int] | None:
        pairs = self._candidates()
        if not len(pairs):
            return None
        differences = self._features[pairs[:, 0]] - self._features[pairs[:, 1]]
        chance = first_probabilities(self._particles, differences)
        even = np.full(_PARTICLES, 1.0 / _PARTICLES)
        one, other = pairs[int(np.argmax(mutual_information(even, chance, 1 - chance)))].tolist()
        return one, other

    def _candidates(self) -> NDArray[np.int64]:
        """Random pairs with a trade-off, sides shuffled, never one that was asked already."""
        generator = self._chance(2)
        left = np.setdiff1d(np.arange(len(self._pairs)), self._asked)
        drawn = generator.permutation(left)[:_CANDIDATES]
        return generator.permuted(self._pairs[drawn], axis=1)

    def _pair_number(self, one: int, other: int) -> int:
        low, high = min(one, other), max(one, other)
        return int(np.flatnonzero((self._pairs == (low, high)).all(axis=1))[0])

    def _chance(self, stream: int) -> np.random.Generator:
        return np.random.default_rng([self.seed, stream, len(self._answers)])


def trade_off_pairs(features: FloatArray, *, where: str) -> NDArray[np.int64]:
    """Return all pairs of rows of which each is better on something, shape (n_pairs, 2)."""
    one, other = np.triu_indices(len(features), k=1)
    gaps = features[one] - features[other]
    is_trade_off = (gaps.max(axis=1) > 1e-9) & (gaps.min(axis=1) < -1e-9)
    if not is_trade_off.any():
        raise InputError(
            where=where,
            found=f"{len(features)} systems without a trade-off between them",
            needed="systems of which none is best on everything",
            cure="Add systems, for instance other thresholds.",
        )
    pairs: NDArray[np.int64] = np.column_stack([one, other])[is_trade_off]
    return pairs
