"""Ratings that were given once, with an sd known from elsewhere or borrowed: flips as said?"""

import warnings

import numpy as np
import pytest
from tests.statistical.judging import expected_counts

from howgood.decide import rank, rank_ratings
from howgood.errors import BorrowedSpreadWarning

pytestmark = pytest.mark.slow


def _systems(rng, seen):
    """Two systems near what was seen: from a tie to a clear order."""
    n = len(seen)
    far = 0.5 * np.sqrt(1 + rng.uniform(0, 12 / np.sqrt(n)))
    return {"a": seen + rng.normal(0, 0.5, n), "b": seen + rng.normal(0, far, n)}


def _worse(predictions, order, feedback, power):
    better, worse = (np.abs(feedback - predictions[name]) ** power for name in order)
    return bool(np.sum(better - worse) >= 0)


def _add(ledger, said, happened, *, claim, setting, seed, what="order flipped"):
    said, happened = np.array(said), np.array(happened)
    for words, chosen in (("", said >= 0), (" (said below 10 %)", said < 0.1)):
        ledger.add(
            "probability",
            claim + words,
            expected_counts(happened[chosen], said[chosen], what=what),
            setting=setting,
            seed=seed,
        )


@pytest.mark.parametrize("n", [40, 1600])
def test_a_re_rating_flips_an_order_of_single_ratings_as_often_as_said(n, ledger):
    """Flat prior over the mean opinions; the sd of each pair is known. Squared errors: the
    difference is linear in the ratings, so that it does not matter what predictions rest on."""
    seed, power = 20194, 2
    rng = np.random.default_rng([seed, n, power])
    said, true, flipped, wrong = [], [], [], []
    for _ in range(6000):
        opinion, sd = rng.uniform(-30, 30, n), rng.gamma(2.0, 0.4, n)
        first, again = opinion + sd * rng.standard_normal((2, n))
        predictions = _systems(rng, first)
        ranking = rank(predictions, mean=first, sd=sd, trials=1)
        said.append(ranking.error(*ranking.order))
        true.append(ranking.true_error(*ranking.order))
        flipped.append(_worse(predictions, ranking.order, again, power))
        wrong.append(_worse(predictions, ranking.order, opinion, power))
    setting = f"two systems on {n} pairs rated once, sd known, flat prior over mean opinions"
    claim = "a re-rating flips the order by RMSE, ratings given once"
    _add(ledger, said, flipped, claim=claim, setting=setting, seed=seed)
    ledger.add(
        "probability",
        "the true order is the opposite, ratings given once",
        expected_counts(wrong, true, what="order opposite"),
        setting=setting,
        seed=seed,
    )
    ledger.settle()


@pytest.mark.parametrize(("lenders", "borrowers"), [(100, 400), (660, 4224)])
def test_a_re_rating_flips_an_order_with_a_borrowed_sd_as_often_as_said(lenders, borrowers, ledger):
    """A third of the people never waver, the others differ; some pairs were rated twice."""
    seed, n = 20195, lenders + borrowers
    rng = np.random.default_rng([seed, lenders])
    said, flipped = [], []
    for _ in range(3000 if n < 1000 else 1500):
        opinion = rng.uniform(-30, 30, n)
        sd = np.where(rng.random(n) < 1 / 3, 0.0, rng.gamma(2.0, 0.4, n))
        first, second, again = opinion + sd * rng.standard_normal((3, n))
        seen = np.where(np.arange(n) < lenders, (first + second) / 2, first)
        predictions = _systems(rng, seen)
        pair = np.concatenate([np.arange(n), np.arange(lenders)])
        table = {"user": pair, "item": pair, "rating": np.concatenate([first, second[:lenders]])}
        table |= {name: values[pair] for name, values in predictions.items()}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", BorrowedSpreadWarning)
            ranking = rank_ratings(table, predictions=list(predictions), once="borrow")
        said.append(ranking.error(*ranking.order))
        flipped.append(_worse(predictions, ranking.order, again, 2))
    _add(
        ledger,
        said,
        flipped,
        claim="a re-rating flips the order, sd borrowed",
        setting=f"two systems; {borrowers} pairs rated once borrow the sd of {lenders} rated "
        "twice; a third of the people never waver",
        seed=seed,
    )
    ledger.settle()
