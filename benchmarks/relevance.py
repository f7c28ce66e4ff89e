"""The Relevance Score against scikit-learn's accuracy_score on the same int8 arrays.

Contexts are encoded once, as when several models are compared. Both metrics run in turn in one
process, so that a busy moment of the machine hits both; CPU time, best of seven.
"""

import time

import numpy as np
from sklearn.metrics import accuracy_score

from benchmarks.rows import Row, cpu_seconds
from howgood import learn, score

N_ROWS = 10_000_000
MOST = 1.5


def run() -> list[Row]:
    columns, actual, predicted, weight = _data()
    table = _table(columns, actual)
    contexts = table.encode(columns)
    return [
        _score_row("Relevance Score, contexts encoded", actual, predicted, contexts, table, None),
        _score_row("Relevance Score, weighted", actual, predicted, contexts, table, weight),
        Row(
            subject="table of outcome probabilities",
            size="N = 1e7 x 6",
            ours=f"{cpu_seconds(lambda: _table(columns, actual), repeats=1):.1f} s",
        ),
        Row(
            subject="encode contexts (once for all models)",
            size="N = 1e7 x 6",
            ours=f"{cpu_seconds(lambda: table.encode(columns), repeats=1):.1f} s",
        ),
    ]


def _data():
    generator = np.random.default_rng(0)
    columns = {f"c{i}": generator.integers(0, 4, N_ROWS).astype(np.int8) for i in range(6)}
    actual = generator.integers(0, 8, N_ROWS).astype(np.int8)
    wrong = generator.integers(0, 8, N_ROWS).astype(np.int8)
    predicted = np.where(generator.random(N_ROWS) < 0.5, actual, wrong)
    return columns, actual, predicted, generator.random(N_ROWS)


def _table(columns, actual):
    return learn.outcome_probabilities({**columns, "y": actual}, outcome="y", context=list(columns))


def _score_row(subject, actual, predicted, contexts, table, weight):
    ours, theirs = _best_in_turn(
        lambda: score.relevance_score(
            actual, predicted, contexts=contexts, table=table, sample_weight=weight
        ),
        lambda: accuracy_score(actual, predicted, sample_weight=weight),
    )
    return Row(
        subject=subject,
        size="N = 1e7 x 6",
        ours=f"{1000 * ours:.0f} ms",
        peer="sklearn accuracy_score",
        peer_value=f"{1000 * theirs:.0f} ms",
        ratio=theirs / ours,
        target=f"<= {MOST} x its time",
        met=ours <= MOST * theirs,
    )


def _best_in_turn(ours, theirs, rounds=7):
    times = [(_cpu(ours), _cpu(theirs)) for _ in range(rounds)]
    return min(mine for mine, _ in times), min(other for _, other in times)


def _cpu(work):
    start = time.process_time()
    work()
    return time.process_time() - start
