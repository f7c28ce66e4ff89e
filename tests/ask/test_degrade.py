"""A system made worse on purpose has the accuracies asked for, and never better ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howgood import ask
from howgood.errors import InputError


def _system(seed=1, n=400):
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < 0.4).astype(int)
    return truth, rng.normal(size=n) + 2.0 * truth


@given(st.floats(0.45, 0.75), st.floats(0.3, 0.75), st.integers(0, 50))
def test_accuracies_are_met_as_closely_as_whole_cases_allow(precision, recall, seed):
    truth, scores = _system()
    worse = ask.degrade(truth, scores, precision=precision, recall=recall, random_state=seed)
    found, flagged = int((worse & truth).sum()), int(worse.sum())
    assert found == np.floor(recall * truth.sum() + 0.5)
    assert abs(flagged - found / precision) <= 0.5 + 1e-9


def test_the_surest_cases_are_flagged_first():
    truth, scores = np.array([1, 1, 1, 0, 0, 0]), np.array([0.9, 0.8, 0.1, 0.7, 0.3, 0.2])
    worse = ask.degrade(truth, scores, precision=0.5, recall=2 / 3)
    assert worse.tolist() == [1, 1, 0, 1, 1, 0]


def test_nothing_is_made_better():
    truth, scores = np.array([1, 1, 0, 0]), np.array([0.9, 0.2, 0.8, 0.1])
    with pytest.raises(InputError, match="only be made worse"):
        ask.degrade(truth, scores, precision=1.0, recall=1.0)
    assert ask.degrade(truth, scores, precision=1.0, recall=0.5).tolist() == [1, 0, 0, 0]


def test_wrong_input_is_refused():
    with pytest.raises(InputError, match="false alarms"):
        ask.degrade([1, 1, 0], [0.9, 0.8, 0.1], precision=0.2, recall=1.0)
    with pytest.raises(InputError):
        ask.degrade([1, 1], [0.9, 0.8], precision=0.5, recall=1.0)
    with pytest.raises(InputError):
        ask.degrade([1, 0], [0.9], precision=0.5, recall=1.0)
    with pytest.raises(InputError):
        ask.degrade([1, 0], [0.9, np.nan], precision=0.5, recall=1.0)
