"""Intervals that hold at every look, and what a vote is worth, against formulas and simulation."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howgood.stats.sequential import (
    TYPICAL_GAP,
    is_open,
    lasting_half_width,
    sd_that_settles,
    vote_information,
    widened_sd,
)


def test_the_half_width_is_robbins_boundary_by_hand():
    # tau = s: the boundary is s sqrt(2 (2 log 20 + log 2)).
    expected = TYPICAL_GAP * math.sqrt(2 * (2 * math.log(20) + math.log(2)))
    assert lasting_half_width(TYPICAL_GAP, level=0.05) == pytest.approx(expected)


@given(st.floats(0.01, 5.0), st.floats(0.001, 0.2))
def test_the_sd_that_settles_is_the_inverse(width, level):
    sd = sd_that_settles(width, level=level)
    assert lasting_half_width(sd, level=level) == pytest.approx(width, rel=1e-6)
    assert sd < width


def test_a_walk_without_drift_leaves_the_boundary_rarely_however_long_one_looks():
    rng = np.random.default_rng(3)
    sums = np.cumsum(rng.normal(0, 2.0, (2000, 1500)), axis=1)
    n = np.arange(1, 1501)
    sd = 2.0 / np.sqrt(n)  # of the mean of n steps
    away = np.abs(sums / n)
    ever = (away > lasting_half_width(sd, level=0.05)).any(axis=1).mean()
    once = (away > 1.96 * sd).any(axis=1).mean()
    assert ever < 0.05 < once


def test_information_is_that_of_a_gaussian_by_hand():
    # One open gap, of the two that are voted on: -log(1 - c v / (1 + c v)) / 2 with c = 1/4.
    covariance = np.diag([0.5, 0.3])
    worth = vote_information(np.zeros(2), covariance, [(0, 1)])
    assert worth[0, 1] == pytest.approx(0.5 * math.log(1 + 0.25 * 0.8))
    assert worth[0, 0] == 0


def test_gaps_are_open_until_settled_or_small():
    gaps, sds = np.array([2.0, 0.0, 0.3]), np.array([0.1, 0.02, 0.3])
    assert is_open(gaps, sds, level=0.05, margin=0.4).tolist() == [False, False, True]


def test_few_degrees_of_freedom_widen():
    wide = widened_sd(1.0, np.array([1.0, 5.0, 50.0]))
    assert np.all(np.diff(wide) < 0)
    assert wide[-1] > 1
