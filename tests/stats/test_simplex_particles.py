"""Particles on a simplex: one by hand, many against a grid."""

import numpy as np
import pytest
from scipy.special import expit

from howgood.stats.paired_choices import (
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


def test_weights_hold_for_log_ratios_whose_powers_do_not():
    # exp(800) is beyond double precision, and exp(-800) is 0: each row needs a scale of its own.
    particles = np.array([[800.0, 0.0], [-800.0, 0.0], [np.log(3.0), 0.0], [-1500.0, 0.0]])
    expected = [[1.0, 0.0], [0.0, 1.0], [0.75, 0.25], [0.0, 1.0]]
    np.testing.assert_allclose(simplex_weights(particles), expected, rtol=1e-14, atol=1e-300)


def test_particles_have_the_posterior_they_have_alone():
    rng = np.random.default_rng(7)
    particles, differences = prior_particles(5, 3, rng), rng.normal(size=(4, 3))
    chosen = np.array([1.0, 0.0, 0.5, 1.0])
    together = log_posterior(particles, differences, chosen)
    for particle, found in zip(particles, together, strict=True):
        # A product over the choices, one at a time.
        powers = np.append(np.exp(particle[:-1]), 1.0)
        weights = powers / powers.sum()
        density = weights.prod() * np.exp(-0.5 * (particle[-1] / SENSITIVITY_SD) ** 2)
        for difference, choice in zip(differences, chosen, strict=True):
            chance = LAPSE / 2 + (1 - LAPSE) * expit(np.exp(particle[-1]) * weights @ difference)
            density *= chance**choice * (1 - chance) ** (1 - choice)
        assert found == pytest.approx(np.log(density))


class _HighestDraw:
    """Draws the greatest number below 1."""

    def random(self):
        return np.nextafter(1.0, 0.0)


def test_the_last_particle_takes_a_draw_above_all_rounded_weights():
    # The last position rounds to 1, and sums of shares often to the number just below.
    short = 0
    for seed in range(20):
        particles = prior_particles(1000, 2, np.random.default_rng(seed))
        difference = np.array([3.0, -2.0])
        chance = first_probabilities(particles, difference[None])[:, 0]
        short += np.cumsum(chance / chance.sum())[-1] < 1.0
        found = reweighted(particles, difference, 1.0, np.zeros_like, _HighestDraw(), moves=0)
        assert found[-1].tolist() == particles[-1].tolist()
    assert short > 0


def test_particles_that_have_become_one_move_apart_again():
    rng = np.random.default_rng(8)
    particles = np.tile([0.4, -0.2, 0.1], (50, 1))

    def target(points):
        return log_posterior(points, np.zeros((0, 3)), np.zeros(0))

    found = reweighted(particles, np.zeros(3), 0.5, target, rng, moves=5)
    assert len(np.unique(found, axis=0)) > 40
    assert found == pytest.approx(particles, abs=0.1)
