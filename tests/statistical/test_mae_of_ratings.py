"""Mean absolute errors on ratings given once or a few times: do orders flip as often as said?

Predictions are made before the ratings. How far two systems are apart, in standard deviations of
one rating's difference, is drawn evenly: said and happened can agree only on average over what may
be true, and where all systems are alike every order is a coin's.
"""

import numpy as np
import pytest
from scipy.optimize import brentq
from tests.statistical.judging import expected_counts

from howgood.decide import rank
from howgood.stats.absolute_differences import absolute_difference_moments

pytestmark = pytest.mark.slow

_FURTHEST = 6.0


def _people(rng, n, kind):
    """Return opinions, sds, and what two systems make of them, the second scaled by a number."""
    opinion, sd = rng.uniform(1, 5, n), rng.gamma(2.0, 0.4, n)
    errors = rng.normal(0, 0.7, (2, n))
    if kind == "one in twenty is loud":
        loud = np.arange(n) % 20 == 0
        sd, errors = np.where(loud, 5 * sd, sd / 2), errors * np.where(loud, 4, 1)
    if kind == "the second is right of most":
        # Far off of three in ten, the first somewhat off of all: scores and noise differ in kind.
        opinion, sd = np.full(n, 3.0), np.full(n, 0.5)
        errors = np.stack([np.ones(n), np.where(np.arange(n) % 10 < 7, 0.0, 2.0)])
    return opinion, sd, opinion + errors[0], lambda scale: opinion + scale * errors[1]


def _gap(opinion, sd, first, second):
    """Return by how many sds of one rating's difference the first system is really ahead."""
    expected, variance = absolute_difference_moments(opinion, sd, first, second)
    return -expected.sum() / np.sqrt(variance.sum())


def _case(rng, n, kind):
    while True:
        opinion, sd, first, second = _people(rng, n, kind)
        ahead = rng.uniform(0, _FURTHEST)
        ends = [_gap(opinion, sd, first, second(scale)) - ahead for scale in (0.05, 30.0)]
        if ends[0] < 0 < ends[1]:
            break
    scale = brentq(
        lambda each: _gap(opinion, sd, first, second(each)) - ahead, 0.05, 30.0, xtol=1e-3
    )
    return opinion, sd, {"a": first, "b": second(scale)}


@pytest.mark.parametrize(
    ("n", "trials", "kind"),
    [
        (15, 1, "normal errors"),
        (100, 1, "normal errors"),
        (100, 1, "the second is right of most"),
        (60, 1, "one in twenty is loud"),
        (15, 2, "normal errors"),
        (15, 3, "normal errors"),
        (15, 5, "normal errors"),
        (60, 3, "one in twenty is loud"),
    ],
)
def test_a_re_rating_flips_an_order_by_mae_no_more_often_than_said(n, trials, kind, ledger):
    """The variance behind it is right on average for two ratings, else on average not too small."""
    seed = 20293
    rng = np.random.default_rng([seed, n, trials, len(kind)])
    said, true, flipped, wrong = [], [], [], []
    for _ in range(1500):
        opinion, sd, predictions = _case(rng, n, kind)
        ratings, again = opinion + sd * rng.standard_normal((trials, n)), rng.standard_normal(n)
        found = rank(
            predictions,
            mean=ratings.mean(axis=0),
            sd=sd if trials == 1 else ratings.std(axis=0),
            trials=trials,
            metric="mae",
        )
        better, worse = (predictions[name] for name in found.order)
        said.append(found.error(*found.order))
        true.append(found.true_error(*found.order))
        again = opinion + sd * again
        flipped.append(np.sum(np.abs(again - better) - np.abs(again - worse)) >= 0)
        wrong.append(_gap(opinion, sd, better, worse) <= 0)
    _add(ledger, said, true, flipped, wrong, seed, _setting(n, trials, kind))
    ledger.settle()


def _setting(n, trials, kind):
    ratings = "rated once, sd known" if trials == 1 else f"of {trials} ratings"
    return f"two systems on {n} pairs {ratings}; {kind}; predictions made before the ratings"


def _add(ledger, said, true, flipped, wrong, seed, setting):
    said, flipped = np.array(said), np.array(flipped)
    claim = "a re-rating flips the order by MAE, ratings seen"
    for words, chosen in (("", said >= 0), (" (said below 10 %)", said < 0.1)):
        judged = expected_counts(flipped[chosen], said[chosen], what="order flipped", at_most=True)
        ledger.add("probability", claim + words, judged, setting=setting, seed=seed)
    judged = expected_counts(wrong, true, what="order opposite", at_most=True)
    claim = "the true order by MAE is the opposite, ratings seen"
    ledger.add("probability", claim, judged, setting=setting, seed=seed)
