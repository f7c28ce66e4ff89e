"""How time grows with size: the exponent of a power law fitted to four sizes each.

1 is linear. Sizes start where fixed costs no longer dominate; CPU time, best of seven rounds
through all sizes, so that a slow moment of the machine does not fall on one of them.
"""

import warnings

import numpy as np

from benchmarks.rows import Row, cpu_seconds
from howgood import ask, decide, learn, score

FACTORS = (1, 2, 4, 8)
ROUNDS = 7
MOST = 1.15


def run() -> list[Row]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [_row(*each) for each in _SUBJECTS]


def _row(subject, unit, start, prepare):
    sizes = [start * factor for factor in FACTORS]
    works = [prepare(size) for size in sizes]
    rounds = [[cpu_seconds(work, repeats=1) for work in works] for _ in range(ROUNDS)]
    seconds = np.min(rounds, axis=0)
    exponent = float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])
    return Row(
        subject=f"growth: {subject}",
        size=f"{sizes[0]:,} to {sizes[-1]:,} {unit}",
        ours=f"{unit}^{exponent:.2f}",
        target=f"<= {MOST}",
        met=exponent <= MOST,
    )


def _feedback(n):
    rng = np.random.default_rng(1)
    mean = rng.uniform(1, 5, n)
    return mean, np.sqrt(rng.uniform(0.16, 3.84, n)), mean + rng.normal(0, 0.9, n)


def _distribution(n):
    mean, sd, prediction = _feedback(n)
    return lambda: score.rmse(mean, sd, prediction).quantile(np.linspace(0.01, 0.99, 99))


def _ranking(n):
    mean, sd, _ = _feedback(n)
    rng = np.random.default_rng(2)
    systems = {f"s{k}": mean + rng.normal(0, 0.9 + k / 100, n) for k in range(10)}
    return lambda: decide.rank(systems, mean=mean, sd=sd).table()


def _relevance(n):
    rng = np.random.default_rng(3)
    columns = {f"c{i}": rng.integers(0, 4, n) for i in range(4)}
    actual, predicted = rng.integers(0, 8, n), rng.integers(0, 8, n)
    table = learn.outcome_probabilities({**columns, "y": actual}, outcome="y",
                                        context=list(columns))  # fmt: skip
    return lambda: score.relevance_score(actual, predicted, contexts=columns, table=table)


def _fit(people):
    answers = ask.simulate_answers(
        {"alarm": {"alpha": 0.35, "intercept": -14.0, "slope": 18.0}},
        people=people, per_person=8, random_state=1,
    )  # fmt: skip
    return lambda: learn.fit_acceptability(answers, random_state=1)


def _noise(n):
    ratings = ask.simulate_ratings(users=n // 50, items=10, trials=5, random_state=1)
    return lambda: learn.rating_uncertainty(ratings)


_SUBJECTS = (
    ("RMSE distribution", "pairs", 250_000, _distribution),
    ("ranking of 10 systems", "pairs", 100_000, _ranking),
    ("Relevance Score", "rows", 250_000, _relevance),
    ("fit of acceptability", "people", 500, _fit),
    ("rating uncertainty", "ratings", 100_000, _noise),
)
