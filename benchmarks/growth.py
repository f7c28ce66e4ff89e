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


def _grades(n):
    shape = (n // 50, 5, 10)
    item, system, rater = (part.ravel() for part in np.indices(shape))
    rng = np.random.default_rng(4)
    board = {"item": item, "system": system.astype(str), "rater": rater,
             "grade": rng.normal(0, 1, item.size)}  # fmt: skip
    return lambda: decide.rank_grades(
        board, item="item", system="system", rater="rater", grade="grade"
    )


def _votes(n):
    rng = np.random.default_rng(5)
    left = rng.integers(0, 20, n)
    right = (left + rng.integers(1, 20, n)) % 20
    names = np.array([f"s{k:02d}" for k in range(20)])
    votes = {"left": names[left], "right": names[right],
             "winner": np.where(rng.random(n) < 0.5, "left", "right")}  # fmt: skip
    return lambda: decide.rank_votes(votes, left="left", right="right", winner="winner")


def _lists(n):
    rng = np.random.default_rng(6)
    user, item = (part.ravel() for part in np.indices((n // 20, 20)))
    mean = rng.normal(3, 1, user.size)
    ratings = {"user": user, "item": item, "rating": np.clip(np.round(mean), 1, 5)}
    systems = {f"s{k}": mean + rng.normal(0, 0.4 + 0.2 * k, user.size) for k in range(2)}
    return lambda: decide.rank_lists(systems, ratings, metric="ndcg@10", sd=0.6)


def _judge(n):
    rng = np.random.default_rng(7)
    judge = (rng.random(n) < 0.7).astype(float)
    labels = n // 4
    right = rng.random(labels) < 0.85
    given = {"item": np.arange(labels), "rater": np.arange(labels) % 8,
             "label": np.where(right, judge[:labels], 1 - judge[:labels]),
             "judge": judge[:labels]}  # fmt: skip
    scores = {"item": np.arange(n), "judge": judge}
    return lambda: score.judge(given, scores=scores, random_state=1)


def _ship(n):
    rng = np.random.default_rng(8)
    base, candidate = (
        {"item": np.arange(n), "document": np.arange(n) // 15,
         "correct": (rng.random(n) < chance).astype(float)}
        for chance in (0.6, 0.62)
    )  # fmt: skip
    return lambda: decide.ship(base, candidate, metric="correct", cluster="document")


_SUBJECTS = (
    ("RMSE distribution", "pairs", 250_000, _distribution),
    ("ranking of 10 systems", "pairs", 100_000, _ranking),
    ("Relevance Score", "rows", 250_000, _relevance),
    ("fit of acceptability", "people", 500, _fit),
    ("rating uncertainty", "ratings", 100_000, _noise),
    ("board of grades", "grades", 100_000, _grades),
    ("board of votes", "votes", 100_000, _votes),
    ("ranked lists, ndcg@10", "ratings", 2_500, _lists),
    ("judge", "items", 10_000, _judge),
    ("ship", "items", 25_000, _ship),
)
