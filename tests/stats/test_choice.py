"""Probabilities of answers to a pair, by hand."""

import pytest
from scipy.special import expit

from howgood.stats.paired_choices import choice_probabilities


def test_strength_width_and_lapse_by_hand():
    first, second, neither = choice_probabilities(1.0, width=0.5, lapse=0.3)
    # Three answers share the lapses; the rest follows sigma(1 - .5) and sigma(-1 - .5).
    assert first == pytest.approx(0.1 + 0.7 * expit(0.5))
    assert second == pytest.approx(0.1 + 0.7 * expit(-1.5))
    assert first + second + neither == pytest.approx(1)
    assert choice_probabilities(-1.0, width=0.5, lapse=0.3)[0] == pytest.approx(float(second))
