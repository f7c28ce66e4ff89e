"""How good any system can be: by hand, between its two ends, and against known noise."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howgood.errors import InputError
from howgood.score import noise_ceiling

_VOTES = {"item": [1, 1, 1, 2, 2, 2], "label": ["a", "a", "b", "b", "b", "b"]}


def test_accuracy_by_hand():
    found = noise_ceiling("accuracy", _VOTES)
    assert found.plug_in.mean == pytest.approx((2 / 3 + 1) / 2)
    # Left out: each a sees one a and one b (even chances), b sees two a; item 2 is certain.
    assert found.left_out.mean == pytest.approx(((0.5 + 0.5 + 0) / 3 + 1) / 2)
    assert (found.lower, found.upper) == (found.left_out.mean, found.plug_in.mean)
    assert noise_ceiling("win rate", _VOTES).plug_in.mean == found.plug_in.mean


def test_rmse_is_the_magic_barrier():
    assert noise_ceiling("rmse", sd=[0.3, 0.4]).lower == pytest.approx(np.sqrt(0.125))
    found = noise_ceiling("rmse", {"item": [1, 1, 2, 2], "label": [1, 3, 4, 4]})
    assert found.plug_in.mean == pytest.approx(np.sqrt(0.5))  # squares 1 1 0 0
    assert found.left_out.mean == pytest.approx(np.sqrt(2))  # squares 4 4 0 0
    assert not found.greater_is_better


def test_the_best_f_is_that_of_every_set_of_items():
    """Brute force over all sets of items called positive."""
    rng = np.random.default_rng(1)
    item = np.repeat(np.arange(6), 4)
    label = (rng.random(24) < np.repeat(rng.random(6), 4)).astype(int)
    share = np.bincount(item, weights=label) / 4
    best = {"f": 0.0, "g": 0.0}
    for bits in range(1, 64):
        called = np.array([bits >> place & 1 for place in range(6)])
        precision, recall = called @ share / called.sum(), called @ share / share.sum()
        if precision + recall:
            best["f"] = max(best["f"], 2 * precision * recall / (precision + recall))
        best["g"] = max(best["g"], np.sqrt(precision * recall))
    for name, value in best.items():
        assert noise_ceiling(name, {"item": item, "label": label}).plug_in.mean == pytest.approx(
            value
        )


def test_relevance_is_the_best_expected_score():
    """Shares .4 .4 .2: either of the first two scores 100, 100 and 93.33 (alpha 2, beta 1)."""
    table = {"item": [1] * 5, "label": list("aabbc")}
    found = noise_ceiling("relevance", table)
    assert found.plug_in.mean == pytest.approx(0.8 * 100 + 0.2 * (100 * (1 - 0.2 / 3)))


@pytest.mark.parametrize("metric", ["accuracy", "correlation", "rmse"])
def test_both_ends_hold_the_truth_and_meet(metric):
    rng = np.random.default_rng(2)
    chance, mean = rng.beta(2, 2, 1000), rng.normal(0, 1, 1000)
    truth = {"accuracy": np.maximum(chance, 1 - chance).mean(), "rmse": 0.7,
             "correlation": 1 / np.sqrt(1.49)}[metric]  # fmt: skip
    gaps = []
    for n_labels in (3, 30):
        item = np.repeat(np.arange(1000), n_labels)
        label = (
            (rng.random(item.size) < chance[item]).astype(int)
            if metric == "accuracy"
            else mean[item] + rng.normal(0, 0.7, item.size)
        )
        found = noise_ceiling(metric, {"item": item, "label": label})
        assert found.lower - 0.02 < truth < found.upper + 0.02
        gaps.append(found.upper - found.lower)
    assert gaps[1] < gaps[0] / 3


def test_any_metric_agrees_with_the_known_one():
    from sklearn.metrics import accuracy_score

    rng = np.random.default_rng(3)
    item = np.repeat(np.arange(150), 5)
    table = {"item": item, "label": (rng.random(750) < rng.random(150)[item]).astype(int)}
    known, tried = noise_ceiling("accuracy", table), noise_ceiling(accuracy_score, table)
    assert tried.plug_in.mean == pytest.approx(known.plug_in.mean, abs=0.01)
    assert tried.left_out.mean == pytest.approx(known.left_out.mean, abs=0.02)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 500))
def test_names_of_labels_and_order_of_rows_change_nothing(seed):
    rng = np.random.default_rng(seed)
    item, label = np.repeat(np.arange(5), 4), rng.integers(3, size=20)
    mixed = rng.permutation(20)
    for metric in ("accuracy", "relevance"):
        one = noise_ceiling(metric, {"item": item, "label": label})
        other = noise_ceiling(
            metric, {"item": item[mixed], "label": np.array(["z", "y", "x"])[label[mixed]]}
        )
        assert other.plug_in.mean == pytest.approx(one.plug_in.mean)
        assert other.left_out.mean == pytest.approx(one.left_out.mean)


def test_what_cannot_be_said_is_refused_and_single_labels_are_counted():
    with pytest.raises(InputError, match="one label per item"):
        noise_ceiling("accuracy", {"item": [1, 2], "label": [1, 0]})
    with pytest.raises(InputError, match="one of accuracy"):
        noise_ceiling("auc", _VOTES)
    with pytest.raises(InputError, match="rmse only"):
        noise_ceiling("accuracy", sd=0.5)
    with pytest.raises(InputError, match="positive"):
        noise_ceiling("f", _VOTES, positive="c")
    with pytest.raises(InputError, match="alpha, beta"):
        noise_ceiling("relevance", _VOTES, alpha=0, beta=0)
    with pytest.raises(InputError, match="several people"):
        noise_ceiling("accuracy")
    more = {"item": [*_VOTES["item"], 3], "label": [*_VOTES["label"], "a"]}
    assert noise_ceiling("accuracy", more).provenance.rows_dropped == {"item with one label": 1}
