"""Quantiles of weights on a grid, by hand."""

import numpy as np
import pytest
from scipy import stats

from howgood.stats.shares import beta_draws, grid_draws


def test_weights_are_spread_evenly_over_their_cells_to_the_outer_edges():
    # Cells [-.5, .5], [.5, 1.5], [1.5, 2.5] hold 1/4, 1/2, 1/4: quantiles 1/8, 3/8, 5/8, 7/8.
    found = grid_draws(np.arange(3.0), np.array([1.0, 2.0, 1.0]), n_draws=4)
    assert found == pytest.approx([0.0, 0.75, 1.25, 2.0], abs=1e-12)


def test_a_cell_without_mass_gets_no_draw():
    found = grid_draws(np.array([0.0, 0.5, 1.0]), np.array([3.0, 0.0, 1.0]), n_draws=1000)
    assert not np.any((found > 0.25) & (found < 0.75))
    assert np.mean(found < 0.5) == pytest.approx(0.75, abs=0.001)


def test_draws_of_a_share_are_evenly_spread_quantiles_of_jeffreys_posterior():
    posterior = stats.beta(3.5, 7.5)
    assert beta_draws(3, 10, n_draws=1) == pytest.approx([posterior.median()])
    assert beta_draws(3, 10, n_draws=2) == pytest.approx(posterior.ppf([0.25, 0.75]))
    assert len(beta_draws(3, 10)) == len(grid_draws(np.arange(3.0), np.ones(3))) == 4000
