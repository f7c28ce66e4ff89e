"""Chances of each answer, before they are averaged over what is believed."""

import numpy as np
import pytest
from scipy.special import expit

from howgood.learn.elicitation.belief import WIDTHS, choice_table


def test_chances_of_a_choice_are_logistic_and_averaged_over_the_parts_of_a_cell():
    # Two parts of a cell, each with two pairs, three nodes and two strengths.
    strengths = list(np.random.default_rng(1).normal(0, 2, (2, 2, 3, 2)))
    table = choice_table(strengths)  # (node, pair, strength and width)
    assert table.first.shape == (3, 2, 2 * WIDTHS.size)
    for node, pair, place in np.ndindex(3, 2, 2):
        part = slice(place * WIDTHS.size, (place + 1) * WIDTHS.size)
        x = np.array([each[pair, node, place] for each in strengths])[:, None]
        first, second = expit(x - WIDTHS).mean(axis=0), expit(-x - WIDTHS).mean(axis=0)
        assert table.first[node, pair, part] == pytest.approx(first, abs=1e-6)
        assert table.second[node, pair, part] == pytest.approx(second, abs=1e-6)
    assert (table.first + table.second <= 1 + 1e-6).all()
