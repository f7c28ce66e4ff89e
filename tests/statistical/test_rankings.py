"""People rate again, thousands of times: do errors, ranks and needed data come out as said?"""

from dataclasses import replace

import numpy as np
import pytest
from tests.statistical.judging import (
    COVERAGES,
    at_most_then_at_least,
    covers,
    expected_counts,
    frequencies,
)

from howgood.decide import rank
from howgood.score import from_sums, squared_error_sums

pytestmark = pytest.mark.slow


def _case(rng, n, systems, *, gap):
    """Random feedback, and systems whose scores lie about `gap` re-rating sd apart."""
    mean, sd = rng.uniform(1, 5, n), rng.gamma(2.0, 0.4, n)
    shared = rng.normal(0, 0.8, n)
    away = [shared + rng.normal(0, 0.6, n) for _ in range(systems)]
    scores = np.array([np.mean(each**2) for each in away])
    spread = 2 * np.sqrt(np.mean(sd**2 * (away[0] - away[1]) ** 2) / n)
    wanted = scores[0] + gap * spread * rng.uniform(-1, 1, systems)
    factors = np.sqrt(np.maximum(wanted, 0.05 * scores[0]) / scores)
    predictions = {
        f"s{k}": mean - each * factor
        for k, (each, factor) in enumerate(zip(away, factors, strict=True))
    }
    return predictions, mean, sd


def _scores(predictions, feedback, *, power=2):
    """Return scores (re-ratings, systems) of feedback (re-ratings, pairs)."""
    return np.column_stack(
        [np.mean(np.abs(feedback - each) ** power, axis=1) for each in predictions.values()]
    )


@pytest.mark.parametrize(("metric", "power"), [("rmse", 2), ("mae", 1)])
def test_paired_errors_agree_with_brute_force(metric, power, ledger):
    seed, repeats = 20183, 10_000
    rng = np.random.default_rng([seed, power])
    sizes = (1, 2, 5, 30, 100) if power == 2 else (50, 70, 100, 200)
    said, worse = [], []
    for n in np.tile(sizes, 60 // len(sizes)):
        error = 0.0
        while not 0.001 < error < 0.999:  # what never happens cannot be counted
            predictions, mean, sd = _case(rng, n, 2, gap=1.5)
            error = rank(predictions, mean=mean, sd=sd, metric=metric).error("s0", "s1")
        said.append(error)
        count = 0
        for _ in range(5):
            feedback = mean + sd * rng.standard_normal((repeats // 5, n))
            scores = _scores(predictions, feedback, power=power)
            count += int(np.sum(scores[:, 0] >= scores[:, 1]))
        worse.append(count)
    ledger.add(
        "brute force",
        f"paired error of {metric.upper()}",
        frequencies(worse, repeats, said, what="worse or equal"),
        setting=f"two systems on {min(sizes)} to {max(sizes)} pairs, {repeats:,} re-ratings each",
        seed=seed,
    )
    ledger.settle()


@pytest.mark.parametrize("n", [2, 5, 10])
def test_errors_of_the_mae_agree_with_brute_force_on_few_pairs(n, ledger):
    """Far from normal: here the product counts re-ratings of its own."""
    seed, repeats, cases = 20190, 10_000, 40
    rng = np.random.default_rng([seed, n])
    said, worse = [], []
    while len(said) < cases:
        predictions, mean, sd = _case(rng, n, 2, gap=1.5)
        error = rank(predictions, mean=mean, sd=sd, metric="mae").error("s0", "s1")
        if not 0.001 < error < 0.999:  # what never happens cannot be counted
            continue
        scores = _scores(predictions, mean + sd * rng.standard_normal((repeats, n)), power=1)
        said.append(error)
        worse.append(int(np.sum(scores[:, 0] >= scores[:, 1])))
    ledger.add(
        "brute force",
        "paired error of MAE, few pairs",
        frequencies(worse, repeats, said, what="worse or equal"),
        setting=f"two systems on {n} pairs, {repeats:,} re-ratings each",
        seed=seed,
    )
    ledger.settle()


def test_best_probabilities_agree_with_brute_force(ledger):
    seed, repeats = 20184, 10_000
    rng = np.random.default_rng(seed)
    said, best = [], []
    for systems in np.tile([2, 3, 4, 5, 6, 8], 8):
        predictions, mean, sd = _case(rng, 25, systems, gap=1.0)
        chances = rank(predictions, mean=mean, sd=sd).ranks[:, 0]
        leader = int(np.argmax(chances))
        said.append(chances[leader])
        scores = _scores(predictions, mean + sd * rng.standard_normal((repeats, 25)))
        best.append(np.sum(np.argmin(scores, axis=1) == leader))
    ledger.add(
        "brute force",
        "probability of being best",
        frequencies(best, repeats, said, what="leader best"),
        setting=f"2 to 8 systems on 25 pairs, {repeats:,} re-ratings each",
        seed=seed,
    )
    ledger.settle()


def test_rank_intervals_hold_the_rank_at_least_as_often_as_they_say(ledger):
    seed = 20185
    rng = np.random.default_rng(seed)
    hits = {level: [] for level in COVERAGES}
    for _ in range(100):
        predictions, mean, sd = _case(rng, 20, 6, gap=1.0)
        scores = _scores(predictions, mean + sd * rng.standard_normal((100, 20)))
        ranks = scores.argsort(axis=1).argsort(axis=1) + 1
        # Ranks of one re-rating depend on each other: one system of each is looked at.
        which = rng.integers(0, 6, 100)
        ranking = rank(predictions, mean=mean, sd=sd)
        for level, found in hits.items():
            intervals = replace(ranking, level=1 - level).rank_intervals
            low, high = np.array([intervals[f"s{k}"] for k in range(6)]).T
            seen = ranks[np.arange(100), which]
            found.append((seen >= low[which]) & (seen <= high[which]))
    ledger.add(
        "coverage",
        "rank interval",
        covers({each: np.concatenate(found) for each, found in hits.items()}, at_least=True),
        setting="6 systems on 20 pairs, 100 re-ratings of 100 cases; ranks are whole numbers, "
        "so intervals may hold more",
        seed=seed,
    )
    ledger.settle()


def test_a_re_rating_flips_the_order_as_often_as_said(ledger):
    seed = 20186
    rng = np.random.default_rng(seed)
    said, flipped = [], []
    for _ in range(2000):
        predictions, mean, sd = _case(rng, 30, 2, gap=1.0)
        ranking = rank(predictions, mean=mean, sd=sd)
        better, worse = (ranking.index(each) for each in ranking.order)
        scores = _scores(predictions, mean + sd * rng.standard_normal((10, 30)))
        said += [ranking.error(*ranking.order)] * 10
        flipped += (scores[:, better] >= scores[:, worse]).tolist()
    ledger.add(
        "probability",
        "a re-rating flips the order",
        expected_counts(flipped, said, what="order flipped"),
        setting="2,000 cases of two systems on 30 pairs, 10 re-ratings each",
        seed=seed,
    )
    ledger.settle()


@pytest.mark.parametrize("trials", [2, 3, 5])
def test_a_re_rating_flips_an_order_of_few_ratings_as_often_as_said(trials, ledger):
    """Flat prior over the mean opinions; how much people waver differs, and is estimated too."""
    seed, n = 20191, 40
    rng = np.random.default_rng([seed, trials])
    said, true, flipped, wrong = [], [], [], []
    for _ in range(8000):
        truth, sd = rng.uniform(-30, 30, n), rng.gamma(2.0, 0.4, n)
        ratings = truth + sd * rng.standard_normal((trials, n))
        base = ratings.mean(axis=0)
        far = 0.5 * np.sqrt(1 + rng.uniform(0, 2))  # from a tie to a clear order
        predictions = {"a": base + rng.normal(0, 0.5, n), "b": base + rng.normal(0, far, n)}
        ranking = rank(predictions, mean=base, sd=ratings.std(axis=0), trials=trials)
        better, worse = (predictions[name] for name in ranking.order)
        again = truth + sd * rng.standard_normal(n)
        said.append(ranking.error(*ranking.order))
        true.append(ranking.true_error(*ranking.order))
        flipped.append(np.sum((again - better) ** 2 - (again - worse) ** 2) >= 0)
        wrong.append(np.sum((truth - better) ** 2 - (truth - worse) ** 2) >= 0)
    said, flipped = np.array(said), np.array(flipped)
    setting = f"two systems on {n} pairs of {trials} ratings, flat prior over mean opinions"
    for words, chosen in (("", said >= 0), (" (said below 10 %)", said < 0.1)):
        ledger.add(
            "probability",
            f"a re-rating flips the order, few ratings{words}",
            expected_counts(flipped[chosen], said[chosen], what="order flipped"),
            setting=setting,
            seed=seed,
        )
    ledger.add(
        "probability",
        "the true order is the opposite, few ratings",
        expected_counts(wrong, true, what="order opposite"),
        setting=setting,
        seed=seed,
    )
    ledger.settle()


@pytest.mark.parametrize(("trials", "allowed"), [(1, 0.0), (2, 0.07), (3, 0.03), (5, 0.02)])
@pytest.mark.parametrize("n", [30, 100])
def test_intervals_of_scores_from_few_ratings_hold_a_re_rating(trials, allowed, n, ledger):
    """How far two ratings fall short is said where intervals are shown, beside a ranking."""
    seed = 20192
    rng = np.random.default_rng([seed, trials, n])
    held = []
    for _ in range(1500):
        predictions, mean, sd = _case(rng, n, 2, gap=1.0)
        ratings = mean + sd * rng.standard_normal((trials, n))
        spread = sd if trials == 1 else ratings.std(axis=0)
        columns = {"mean": ratings.mean(axis=0), "sd": spread, **predictions}
        sums = squared_error_sums(
            columns, mean="mean", sd="sd", predictions=list(predictions), trials=trials
        )
        interval = from_sums(sums, "s0").interval(0.95)
        again = np.sqrt(_scores(predictions, (mean + sd * rng.standard_normal(n))[None])[0, 0])
        held.append(interval.lower <= again <= interval.upper)
    ledger.add(
        "coverage",
        "RMSE of a re-rating, few ratings",
        covers({0.95: held}, allowed=allowed),
        setting=f"{n} pairs of {trials} ratings; gaps of {allowed} allowed, and stated where the "
        "intervals are drawn",
        seed=seed,
    )
    ledger.settle()


def test_the_true_order_is_opposite_as_often_as_said(ledger):
    """Flat prior over the mean opinions, five ratings each."""
    seed, n, trials = 20187, 40, 5
    rng = np.random.default_rng(seed)
    said, wrong = [], []
    for _ in range(10_000):
        truth = rng.uniform(-30, 30, n)
        ratings = rng.normal(truth[:, None], 1.0, (n, trials))
        base = ratings.mean(axis=1)
        # Predictions near what was seen, so that the order is often in doubt.
        predictions = {name: base + rng.normal(0, 0.5, n) for name in "ab"}
        ranking = rank(predictions, mean=base, sd=ratings.std(axis=1), trials=trials)
        better, worse = ranking.order
        scores = {name: np.mean((truth - each) ** 2) for name, each in predictions.items()}
        said.append(ranking.true_error(better, worse))
        wrong.append(scores[better] >= scores[worse])
    said, wrong = np.array(said), np.array(wrong)
    for words, chosen in (("all", said >= 0), ("in doubt (said above 25 %)", said > 0.25)):
        ledger.add(
            "probability",
            f"the true order is the opposite, {words}",
            expected_counts(wrong[chosen], said[chosen], what="order opposite"),
            setting="two systems on 40 pairs of 5 ratings, flat prior over mean opinions",
            seed=seed,
        )
    ledger.settle()


N_LIKE, N_CASES, REPEATS = 8, 20, 5_000


def _undecided(rng, *, trials=None):
    """Return a case of eight pairs whose order is not sure enough, and what it needs."""
    while True:
        predictions, mean, sd = _case(rng, N_LIKE, 2, gap=1.5)
        given = sd if trials is None else sd * np.sqrt((trials - 1) / trials)
        ranking = rank(predictions, mean=mean, sd=given, trials=trials)
        better, worse = ranking.order
        needed = ranking.needed(better, worse, error=0.05)
        part = needed.rerating if trials is None else needed.true_order
        if part.status == "needed" and part.pairs < 500:
            return predictions[better], predictions[worse], mean, sd, part


def _flips(better, worse, mean, sd, rng, *, times=1):
    """Count how often these pairs, each `times` times, say that the better is not better."""
    better, worse, mean, sd = (np.tile(each, times) for each in (better, worse, mean, sd))
    feedback = mean + sd * rng.standard_normal((REPEATS, mean.size))
    gap = (feedback - better) ** 2 - (feedback - worse) ** 2
    return int(np.sum(gap.sum(axis=1) >= 0))


@pytest.mark.parametrize("trials", [None, 5])
def test_as_many_pairs_as_needed_are_enough_and_fewer_are_not(trials, ledger):
    seed = 20188
    rng = np.random.default_rng([seed, trials or 0])
    enough, fewer = [], []
    for _ in range(N_CASES):
        *case, sd, part = _undecided(rng, trials=trials)
        # A re-rating scatters by sd; the mean of five ratings, and so the truth, by sd / root 5.
        scatter = sd if trials is None else sd / np.sqrt(trials)
        times = -(-part.pairs // N_LIKE)
        enough.append(_flips(*case, scatter, rng, times=times))
        if times > 1:
            fewer.append(_flips(*case, scatter, rng, times=times - 1))
    name = "re-rating" if trials is None else "true order"
    ledger.add(
        "planning",
        f"needed pairs, {name}",
        at_most_then_at_least(enough, fewer, REPEATS, 0.05),
        setting=f"{N_CASES} undecided orders on {N_LIKE} pairs, error 5 % wanted; pairs like "
        f"these in the number needed, rounded up to a multiple of {N_LIKE}, and {N_LIKE} fewer",
        seed=seed,
    )
    ledger.settle()


def test_as_many_repeats_as_needed_are_enough_and_one_less_is_not(ledger):
    seed = 20189
    rng = np.random.default_rng(seed)
    enough, fewer = [], []
    for _ in range(N_CASES):
        *case, sd, part = _undecided(rng)
        enough.append(_flips(*case, sd / np.sqrt(part.repeats), rng))
        fewer.append(_flips(*case, sd / np.sqrt(part.repeats - 1), rng))
    ledger.add(
        "planning",
        "needed repeats per pair",
        at_most_then_at_least(enough, fewer, REPEATS, 0.05),
        setting=f"{N_CASES} undecided orders on {N_LIKE} pairs, error 5 % wanted; the repeats "
        "said to be needed, and one less",
        seed=seed,
    )
    ledger.settle()
