"""Scores of confusion counts, by hand."""

import numpy as np
import pytest

from howgood.stats.confusion_scores import capped_score, f_beta_score


@pytest.mark.parametrize(("missed", "cap"), [(3, 0.03), (7, 0.07), (29, 0.29), (57, 0.57)])
def test_exactly_at_the_cap_is_within_it_whatever_the_last_bit_says(missed, cap):
    assert capped_score(missed, 10, 100, cap=cap) == pytest.approx(0.9)
    assert capped_score(missed + 1, 10, 100, cap=cap) == pytest.approx(-(missed + 1) / 100)


def test_nothing_positive_and_nothing_flagged_scores_zero():
    assert f_beta_score([0, 0], [0, 3], [0, 0], beta=1.0).tolist() == [0.0, 0.0]


def test_half_a_case_counts_too():
    # 1.25 * .25 / (1.25 * .25 + .25 * .5 + .125) = .3125 / .5625
    assert f_beta_score(0.25, 0.5, 0.125, beta=0.5) == pytest.approx(0.3125 / 0.5625)


def test_single_precision_is_taken_in_double():
    for each in (
        f_beta_score(*np.ones(3, dtype=np.float32), beta=np.float32(1)),
        capped_score(*np.ones(3, dtype=np.float32), cap=np.float32(1)),
    ):
        assert each.dtype == np.float64
