"""Particles on a simplex: one by hand, many against a grid."""

import numpy as np
import pytest
from scipy.special import expit

from howgood.stats.simplex_particles import (
    first_probabilities,
    log_posterior,
    prior_particles,
    reweighted,
    simplex_weights,
)

LAPSE, SENSITIVITY_SD = 0.05, 1.5


def test_the_prior_is_even_on_the_simplex_with_log_normal_sensitivity():
    particles = prior_particles(40_000, 3, np.random.default_rng(0))
    weights = simplex_weights(particles)
    # Dirichlet(1, 1, 1): mean 1/3, variance 2 / (9 * 4) = 1/18.
    assert weights.mean(axis=0) == pytest.approx([1 / 3] * 3, abs=0.005)
    assert weights.var(axis=0) == pytest.approx([1 / 18] * 3, rel=0.03)
    assert particles[:, -1].mean() == pytest.approx(0.0, abs=0.03)
    assert particles[:, -1].std() == pytest.approx(SENSITIVITY_SD, rel=0.02)


def test_one_particle_by_hand():
    # Weights 3/4 and 1/4, sensitivity 2; the sides differ by (1, -1) and by (0, 4).
    particle = np.array([[np.log(3.0), np.log(2.0)]])
    differences = np.array([[1.0, -1.0], [0.0, 4.0]])
    strengths = np.array([2 * (0.75 - 0.25), 2 * 1.0])
    chance = LAPSE / 2 + (1 - LAPSE) * expit(strengths)
    assert first_probabilities(particle, differences)[0] == pytest.approx(chance)
    prior = np.log(0.75) + np.log(0.25) - 0.5 * (np.log(2.0) / SENSITIVITY_SD) ** 2
    expected = prior + np.log(1 - chance[0]) + 0.5 * np.log(chance[1]) + 0.5 * np.log1p(-chance[1])
    found = log_posterior(particle, differences, np.array([0.0, 0.5]))
    assert found[0] == pytest.approx(expected)


@pytest.mark.parametrize("chosen", [1.0, 0.0, 0.5])
def test_a_choice_taken_in_gives_the_posterior_of_a_grid(chosen):
    difference = np.array([3.0, -2.0])
    # By brute force over the first weight and the log of the sensitivity.
    weight, log_s = np.meshgrid(np.linspace(5e-4, 1 - 5e-4, 1000), np.linspace(-7.5, 7.5, 601))
    chance = LAPSE / 2 + (1 - LAPSE) * expit(np.exp(log_s) * (3 * weight - 2 * (1 - weight)))
    mass = np.exp(-0.5 * (log_s / SENSITIVITY_SD) ** 2)
    mass *= chance**chosen * (1 - chance) ** (1 - chosen)
    mass /= mass.sum()
    rng = np.random.default_rng(5)
    particles = prior_particles(20_000, 2, rng)
    targets = []

    def target(points):
        targets.append(len(points))
        return log_posterior(points, difference[None], np.array([chosen]))

    found = reweighted(particles, difference, chosen, target, rng, moves=3)
    assert targets == [20_000] * 4
    first = simplex_weights(found)[:, 0]
    # Resampled particles repeat, so twice the usual five standard errors.
    assert first.mean() == pytest.approx((mass * weight).sum(), abs=10 * 0.29 / np.sqrt(20_000))
    assert found[:, 1].mean() == pytest.approx((mass * log_s).sum(), abs=10 * 1.5 / np.sqrt(20_000))
    spread = (mass * weight**2).sum() - (mass * weight).sum() ** 2
    assert first.var() == pytest.approx(spread, rel=0.06)


def test_moves_alone_reach_the_posterior_from_elsewhere():
    # No answer at all: the target is the prior, and particles squeezed together spread out to it.
    rng = np.random.default_rng(6)
    particles = 0.3 * prior_particles(4000, 2, rng)

    def target(points):
        return log_posterior(points, np.zeros((0, 2)), np.zeros(0))

    for _ in range(12):
        particles = reweighted(particles, np.zeros(2), 0.5, target, rng, moves=4)
    assert simplex_weights(particles)[:, 0].var() == pytest.approx(1 / 12, rel=0.1)
    assert particles[:, -1].std() == pytest.approx(SENSITIVITY_SD, rel=0.08)
