"""What the Relevance Score would be without any skill: the yardsticks beside it.

In: coded test rows. Out: the expected score of a chance predictor, of always predicting the
likeliest outcome, and of dice-thrown outcomes on the same contexts. Absent: the model's score.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from howgood.learn.mismatch import TIE, Mismatch, mismatch
from howgood.records.levels import numbered
from howgood.records.outcomes import OutcomeTable
from howgood.score.relevance import CodedRows, counted_rows, row_scores
from howgood.stats.arrays import FloatArray

_MOST_DRAWS, _LEAST_DRAWS, _CELL_BUDGET = 8192, 16, 300_000


def chance_score(coded: CodedRows, share: float) -> float:
    """Return the expected score of a predictor that picks among all outcomes at random."""
    return _expected(coded, share, lambda rows: np.ones(rows.predicted.shape))


def most_probable_score(coded: CodedRows, share: float) -> float:
    """Return the score of always predicting the likeliest outcome; ties are drawn by lot."""
    return _expected(coded, share, _is_likeliest)


def _is_likeliest(rows: Mismatch) -> FloatArray:
    return (rows.predicted >= rows.highest - TIE).astype(np.float64)


def _expected(
    coded: CodedRows, share: float, chosen_from: Callable[[Mismatch], FloatArray]
) -> float:
    """Average over predictions drawn evenly from those `chosen_from` marks with a 1."""
    n_labels, n_outcomes = len(coded.labels.values), len(coded.table.outcomes)
    actual = coded.labels.actual.astype(np.int64)
    pairs, place = numbered(coded.codes * n_labels + actual)
    mass = np.bincount(place, weights=coded.weight, minlength=len(pairs))[:, np.newaxis]
    codes, actual = pairs[:, np.newaxis] // n_labels, pairs[:, np.newaxis] % n_labels
    predicted = np.arange(n_outcomes)[np.newaxis]
    known = mismatch(coded.table, codes, actual, predicted, n_labels=n_labels, marginal=True)
    rows = mismatch(
        coded.table,
        codes,
        actual,
        predicted,
        n_labels=n_labels,
        marginal=coded.unseen == "marginal",
    )
    chosen = chosen_from(known)
    chosen = mass * chosen / chosen.sum(axis=1, keepdims=True) * counted_rows(rows)
    total = float(chosen.sum())
    return float(np.sum(chosen * row_scores(rows, share))) / total if total > 0 else float("nan")


def dice_score(coded: CodedRows, share: float, *, generator: np.random.Generator) -> float:
    """Return the expected score when outcomes are thrown with dice on the same contexts.

    This is the paper's control (section 4.4) without refitting a model: when outcomes are dice,
    no predictor does better than another, and the score depends on rows per context alone.
    """
    reference = _rows_behind(coded)
    sizes, place = numbered(_coarse(reference))
    mass = np.bincount(place, weights=coded.weight, minlength=len(sizes))
    budget = _CELL_BUDGET // len(sizes)
    found = [_dice_at(int(size), coded.table, share, budget, generator) for size in sizes]
    counted = np.array([part for _, part in found])
    scores = np.array([score for score, _ in found])
    return float(mass @ (scores * counted) / (mass @ counted))


def _rows_behind(coded: CodedRows) -> NDArray[np.int64]:
    """Return how many rows of the table speak for each test row's context."""
    table = coded.table
    if table.folds is not None:
        totals = np.rint(table.weights.sum(axis=1)).astype(np.int64)
        totals[table.n_contexts :: table.n_contexts + 1] = 0
    else:
        totals = np.append(table.rows, 0) - int(table.leaves_one_out)
    totals = np.maximum(totals, 0)
    if coded.unseen == "marginal":
        totals[totals == 0] = table.n_rows
    rows: NDArray[np.int64] = totals[coded.codes]
    return rows


def _coarse(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Keep two digits of large sizes: 2412 and 2398 rows per context score alike."""
    digits = np.floor(np.log10(np.maximum(rows, 1))).astype(np.int64)
    unit = 10 ** np.maximum(digits - 1, 0)
    coarse: NDArray[np.int64] = (rows + unit // 2) // unit * unit
    return coarse


def _dice_at(
    n_rows: int, table: OutcomeTable, share: float, budget: int, generator: np.random.Generator
) -> tuple[float, float]:
    """Return the mean score with `n_rows` dice in the context, and the share of rows counted."""
    n_outcomes = len(table.outcomes)
    if n_rows == 0:
        return 100.0, 1.0 / n_outcomes
    n_draws = int(np.clip(budget // n_outcomes**2, _LEAST_DRAWS, _MOST_DRAWS))
    counts = generator.multinomial(n_rows, np.full(n_outcomes, 1 / n_outcomes), size=n_draws)
    smoothed = counts + table.smoothing
    shares = smoothed / smoothed.sum(axis=1, keepdims=True)
    actual, predicted = shares[:, :, np.newaxis], shares[:, np.newaxis, :]
    rows = Mismatch(
        highest=shares.max(axis=1)[:, np.newaxis, np.newaxis],
        predicted=predicted,
        actual=actual,
        right=np.eye(n_outcomes, dtype=bool)[np.newaxis],
        seen=np.array(True),
        absent=np.array(False),
    )
    by_actual = row_scores(rows, share).mean(axis=2)
    # A row of the table itself is as likely to show an outcome as that outcome is frequent.
    chances = counts / n_rows if table.reference == "all" else np.full(counts.shape, 1 / n_outcomes)
    return float(np.mean(np.sum(by_actual * chances, axis=1))), 1.0
