"""Which feature choices depend on: pairs counted by hand, one by one, and in simulated homes."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howgood.errors import InputError
from howgood.learn import context_agreement


def test_agreement_of_pairs_by_hand():
    """Rows: (a, x, 1), (a, x, 1), (a, x, 2), (b, x, 2), (a, y, 1)."""
    rows = {"user": [*"aaaba"], "room": [*"xxxxy"], "light": [1, 1, 2, 2, 1]}
    found = context_agreement(rows, outcome="light", context=["user", "room"])
    # Alike in both: three pairs of a in x, one of which agrees.
    assert found.agreement == pytest.approx(1 / 3)
    by_name = {feature.feature: feature for feature in found.features}
    # Alike but for the user: b with each of a's three in x, one agrees.
    assert by_name["user"].differing == pytest.approx(1 / 3)
    assert by_name["user"].pairs_differing == 3
    # Alike but for the room: a's row in y with three in x, two agree.
    assert by_name["room"].differing == pytest.approx(2 / 3)
    assert by_name["room"].gap == pytest.approx(-1 / 3)
    assert by_name["user"].rows_per_context == pytest.approx(5 / 2)
    assert by_name["room"].singleton_share == pytest.approx(1 / 2)
    assert found.responsible is None


def _brute(rows, names, outcome, feature):
    """Count ordered pairs one by one."""
    n, counts = len(rows[outcome]), {True: [0, 0], False: [0, 0]}
    for i, j in combinations(range(n), 2):
        if all(rows[name][i] == rows[name][j] for name in names if name != feature):
            is_shared = rows[feature][i] == rows[feature][j]
            counts[is_shared][0] += 1
            counts[is_shared][1] += rows[outcome][i] == rows[outcome][j]
    return counts


@given(st.integers(3, 14), st.integers(0, 10_000))
@settings(max_examples=40, deadline=None)
def test_pairs_and_the_jackknife_are_those_counted_one_by_one(n, seed):
    rng = np.random.default_rng(seed)
    names = ["a", "b", "c"]
    rows = {name: rng.integers(2, size=n) for name in [*names, "y"]}
    rows["who"] = rng.integers(4, size=n)
    found = context_agreement(rows, outcome="y", context=names, groups="who")
    for feature in found.features:
        counts = _brute(rows, names, "y", feature.feature)
        assert feature.pairs_same == counts[True][0]
        assert feature.pairs_differing == counts[False][0]
        if all(counts[side][0] for side in counts):
            expected = counts[True][1] / counts[True][0] - counts[False][1] / counts[False][0]
            assert feature.gap == pytest.approx(expected)
            assert _jackknife(rows, names, feature) in (None, pytest.approx(_sd(feature)))


def _sd(feature):
    return None if feature.interval is None else feature.interval.upper - feature.interval.lower


def _jackknife(rows, names, feature):
    """The interval's width from leaving out each person; None where it is cut or cannot be."""
    from scipy.stats import t

    people = np.unique(rows["who"])
    without = []
    for who in people:
        kept = {name: values[rows["who"] != who] for name, values in rows.items()}
        counts = _brute(kept, names, "y", feature.feature)
        if not all(counts[side][0] for side in counts):
            return None
        without.append(counts[True][1] / counts[True][0] - counts[False][1] / counts[False][0])
    n = len(people)
    if n < 3 or feature.interval is None:
        return None
    if feature.interval.lower <= -1 or feature.interval.upper >= 1:
        return None
    spread = np.sqrt((n - 1) / n * np.sum((without - np.mean(without)) ** 2))
    return 2 * t.ppf(0.975, n - 1) * spread


def test_the_user_is_found_where_choices_are_habits():
    rng = np.random.default_rng(4)
    n = 600
    user, hour, room = rng.integers(12, size=n), rng.integers(3, size=n), rng.integers(2, size=n)
    habit = rng.integers(4, size=12)
    light = np.where(rng.random(n) < 0.8, habit[user], rng.integers(4, size=n))
    rows = {"user": user, "hour": hour, "room": room, "light": light}
    for groups in (None, "user"):
        found = context_agreement(
            rows, outcome="light", context=["hour", "user", "room"], groups=groups
        )
        assert found.responsible == "user"
        small = {feature.feature: feature.gap for feature in found.features[1:]}
        assert all(abs(gap) < 0.1 for gap in small.values())


def test_names_and_order_of_rows_change_nothing():
    rng = np.random.default_rng(5)
    rows = {name: rng.integers(3, size=80) for name in ("a", "b", "y")}
    mixed = rng.permutation(80)
    other = {
        name: np.array([f"v{code}" for code in values[mixed]]) for name, values in rows.items()
    }
    one, two = (
        context_agreement(table, outcome="y", context=["a", "b"]) for table in (rows, other)
    )
    for first, second in zip(one.features, two.features, strict=True):
        assert first.gap == pytest.approx(second.gap)
        assert first.interval.upper == pytest.approx(second.interval.upper)


@pytest.mark.parametrize(
    ("rows", "context"),
    [
        ({"a": [1, 2], "b": [1, 2], "y": [1, 1]}, ["a"]),
        ({"a": [1, 2], "b": [1, 2], "y": [1, 1]}, ["a", "y"]),
        ({"a": [1], "b": [1], "y": [1]}, ["a", "b"]),
        ({"a": [1, None], "b": [1, 2], "y": [1, 1]}, ["a", "b"]),
        ({"a": [1, 2], "b": [1, 2]}, ["a", "b"]),
    ],
)
def test_bad_input_is_refused_kindly(rows, context):
    with pytest.raises(InputError):
        context_agreement(rows, outcome="y", context=context)


def test_contexts_seen_once_say_that_there_is_nothing_to_compare():
    found = context_agreement(
        {"a": [1, 2, 3], "b": [1, 2, 3], "y": [1, 1, 2]}, outcome="y", context=["a", "b"]
    )
    assert found.responsible is None
    assert np.isnan(found.agreement)
    assert found.features[0].interval is None
