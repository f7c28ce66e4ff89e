"""Lists from ratings given once or twice: does a re-rating flip the order as often as said?"""

import numpy as np
import pytest
from tests.statistical.judging import expected_counts, unbiased

from howgood import decide

pytestmark = pytest.mark.slow

_USERS, _ITEMS, _SD = 60, 8, 0.7


def _flip(rng, metric, trials, spread=(0.3, 3)):
    """Return the error said of the order in `trials` ratings, and whether one more flips it.

    Predictions miss people's means by an sd between the ends of `spread`.
    """
    user, item = (codes.ravel() for codes in np.indices((_USERS, _ITEMS)))
    mean = rng.normal(3, 1, user.size)
    systems = {name: mean + rng.normal(0, rng.uniform(*spread), user.size) for name in "ab"}

    def rated():
        return np.clip(np.round(mean + rng.normal(0, _SD, user.size)), 1, 5)

    table = {"user": np.tile(user, trials), "item": np.tile(item, trials),
             "rating": np.concatenate([rated() for _ in range(trials)])}  # fmt: skip
    predictions = {name: np.tile(values, trials) for name, values in systems.items()}
    noise = {"sd": _SD} if trials == 1 else {}
    found = decide.rank_lists(predictions, table, metric=metric, relevant=4, **noise)
    again = {"user": user, "item": item, "rating": rated()}
    after = decide.rank_lists(systems, again, metric=metric, relevant=4, sd=0)
    first, second = found.order
    gap = after.scores[after.index(first)] - after.scores[after.index(second)]
    return found.error(first, second), gap < 0 if gap else bool(rng.random() < 0.5)


def test_flips_of_lists(ledger):
    for seed, metric, trials, studies in (
        (31901, "dcg@5", 1, 400),
        (31902, "ndcg@5", 1, 150),
        (31903, "ndcg@5", 2, 150),
        (31904, "map", 1, 120),
        (31905, "precision@3", 1, 120),
    ):
        rng = np.random.default_rng(seed)
        said, flipped = np.array([_flip(rng, metric, trials) for _ in range(studies)]).T
        ledger.add(
            "probability",
            "a re-rating flips the order of lists",
            expected_counts(flipped.astype(bool), said, what="order of two lists flipped"),
            setting=f"{metric}, {_USERS} users, {_ITEMS} items, "
            f"{'one rating' if trials == 1 else 'two ratings'} each, two systems",
            seed=seed,
        )
    ledger.settle()


def _flips_of_several(rng, metric, trials, *, systems):
    """Return the mean error said of a pair's order, and the share that one more rating flips.

    How far systems differ is drawn anew: predictions miss people's means by an sd of 1, or by sds
    up to twice as large and down to none.
    """
    reach = rng.uniform(0, 1)
    user, item = (codes.ravel() for codes in np.indices((_USERS, _ITEMS)))
    mean = rng.normal(3, 1, user.size)
    predicted = {
        f"s{place}": mean + rng.normal(0, rng.uniform(1 - reach, 1 + reach), user.size)
        for place in range(systems)
    }

    def rated():
        return np.clip(np.round(mean + rng.normal(0, _SD, user.size)), 1, 5)

    table = {"user": np.tile(user, trials), "item": np.tile(item, trials),
             "rating": np.concatenate([rated() for _ in range(trials)])}  # fmt: skip
    noise = {"sd": _SD} if trials == 1 else {}
    found = decide.rank_lists(
        {name: np.tile(values, trials) for name, values in predicted.items()},
        table, metric=metric, relevant=4, **noise,
    )  # fmt: skip
    again = {"user": user, "item": item, "rating": rated()}
    after = decide.rank_lists(predicted, again, metric=metric, relevant=4, sd=0).scores
    is_ahead = found.scores[:, None] > found.scores
    flipped = (after[:, None] < after) + 0.5 * (after[:, None] == after)
    return found.errors[is_ahead].mean(), flipped[is_ahead].mean()


def test_flips_of_several_systems(ledger):
    """Several systems show how far they differ; that is drawn anew for every study."""
    for seed, metric, trials, systems, studies in (
        (31911, "dcg@5", 1, 4, 250),
        (31912, "dcg@5", 1, 8, 100),
        (31913, "ndcg@5", 2, 4, 50),
    ):
        rng = np.random.default_rng(seed)
        found = [_flips_of_several(rng, metric, trials, systems=systems) for _ in range(studies)]
        said, flipped = np.array(found).T
        gap = flipped - said + said.mean()
        name = "share of pairs flipped"
        ledger.add(
            "probability",
            "a re-rating flips the order of lists, several systems",
            unbiased({name: gap}, {name: said.mean()}),
            setting=f"{metric}, {_USERS} users, {_ITEMS} items, "
            f"{'one rating' if trials == 1 else 'two ratings'} each, {systems} systems whose "
            "spread varies",
            seed=seed,
        )
    ledger.settle()


def test_flips_of_two_nearly_equal_lists_are_understated():
    """What docs/howto/rank-lists.md states: two systems say nothing about their spread.

    Every difference of two systems counts as equally likely beforehand, so that a small one, which
    is mostly noise where systems are alike, is taken as it is.
    """
    rng = np.random.default_rng(21906)
    flips = [_flip(rng, "dcg@5", 1, (0.95, 1.05)) for _ in range(400)]
    said, flipped = np.array(flips).mean(axis=0)
    assert said < flipped < 0.5
