"""Chances of each answer, before they are averaged over what is believed."""

import numpy as np
import pytest
from scipy.special import expit

from howgood.learn.elicitation.belief import WIDTHS, choice_table


def test_chances_of_a_choice_are_logistic_and_averaged_over_the_parts_of_a_cell():
    strengths = [np.array([[[-1.0, 2.0]], [[0.5, 0.0]]]), np.array([[[1.0, -2.0]], [[0.5, 3.0]]])]
    table = choice_table(strengths)  # (node, pair, strength and width)
    assert table.first.shape == (1, 2, 2 * WIDTHS.size)
    for pair in range(2):
        for place, both in enumerate(zip(*(each[pair, 0] for each in strengths), strict=True)):
            part = slice(place * WIDTHS.size, (place + 1) * WIDTHS.size)
            x = np.array(both)[:, None]
            first, second = expit(x - WIDTHS).mean(axis=0), expit(-x - WIDTHS).mean(axis=0)
            assert table.first[0, pair, part] == pytest.approx(first, abs=1e-6)
            assert table.second[0, pair, part] == pytest.approx(second, abs=1e-6)
    assert (table.first + table.second <= 1 + 1e-6).all()
