"""Weights from noisy choices: by hand, by a property, against importance sampling."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from howgood.stats.weighted_choices import (
    NOISE_MEANS,
    NOISE_SDS,
    Choices,
    drawn_particles,
    group_information,
    log_density,
    log_likelihoods,
    moved,
    no_choices,
    particle_weights,
    side_probabilities,
    updated,
)


def test_the_probability_of_a_side_by_hand():
    # Weights 3/4 and 1/4, sensitivity 2, lapse 1/5, width 1/2, half of lapses "no preference"; the
    # first side is better by (1, -1).
    particle = np.array([[np.log(3.0), np.log(2.0), np.log(0.25), np.log(0.5), 0.0]])
    first, second, neither = side_probabilities(particle, np.array([[1.0, -1.0]]))
    strength = 2 * (0.75 - 0.25)
    assert first[0, 0] == pytest.approx(0.2 / 4 + 0.8 * expit(strength - 0.5))
    assert second[0, 0] == pytest.approx(0.2 / 4 + 0.8 * expit(-strength - 0.5))
    assert first + second + neither == pytest.approx(1.0)


@given(seed=st.integers(0, 2**32 - 1), k=st.integers(2, 6))
def test_weights_lie_on_the_simplex_and_swapping_sides_swaps_probabilities(seed, k):
    rng = np.random.default_rng(seed)
    particles, gaps = drawn_particles(20, k, rng), rng.normal(size=(3, k))
    weights = particle_weights(particles)
    assert weights.min() >= 0
    assert weights.sum(axis=1) == pytest.approx(1.0)
    first, second, neither = side_probabilities(particles, gaps)
    swapped = side_probabilities(particles, -gaps)
    assert second == pytest.approx(swapped[0])
    assert first == pytest.approx(swapped[1])
    assert neither == pytest.approx(swapped[2])


def test_the_moved_particles_agree_with_importance_sampling():
    rng = np.random.default_rng(3)
    choices = no_choices(3)
    particles = drawn_particles(2000, 3, rng)
    true = np.array([0.6, 0.3, 0.1])
    for _ in range(12):
        gap = rng.uniform(-1, 1, 3)
        choices = choices.and_one(gap, 0 if gap @ true > 0 else 1)
        particles = updated(particles, choices, rng, moves=8)
    particles = moved(particles, choices, rng, moves=40)
    # Independent: the prior itself, weighted by the likelihood of every answer.
    wide = np.random.default_rng(4)
    weights = wide.dirichlet(np.ones(3), size=400_000)
    s, lapse, nu, same = (
        wide.normal(m, d, 400_000) for m, d in zip(NOISE_MEANS, NOISE_SDS, strict=True)
    )
    x = np.where(choices.chosen == 0, 1, -1) * (weights @ choices.differences.T)
    slipped = (expit(lapse) * (1 - expit(same)) / 2)[:, None]
    chance = slipped + (1 - expit(lapse))[:, None] * expit(
        np.exp(s)[:, None] * x - np.exp(nu)[:, None]
    )
    importance = np.exp(np.log(chance).sum(axis=1))
    expected = (importance[:, None] * weights).sum(axis=0) / importance.sum()
    found = particle_weights(particles)
    assert found.mean(axis=0) == pytest.approx(expected, abs=0.02)
    second = (importance[:, None] * weights**2).sum(axis=0) / importance.sum()
    assert found.std(axis=0) == pytest.approx(np.sqrt(second - expected**2), abs=0.015)


def test_the_probability_of_what_was_chosen_is_that_of_its_side():
    rng = np.random.default_rng(4)
    particles, gaps = drawn_particles(50, 3, rng), rng.uniform(-1, 1, (9, 3))
    chosen = np.tile([0, 1, 2], 3)
    sides = np.stack(side_probabilities(particles, gaps))
    expected = np.array([sides[said, :, place] for place, said in enumerate(chosen)]).T
    found = log_likelihoods(particles, Choices(differences=gaps, chosen=chosen))
    assert np.exp(found) == pytest.approx(expected, abs=1e-12)


def test_the_prior_is_even_on_the_simplex():
    particles = moved(
        drawn_particles(4000, 3, np.random.default_rng(1)),
        no_choices(3),
        np.random.default_rng(2),
        moves=30,
    )
    # Of an even simplex with three corners each weight has mean 1/3 and variance 1/18.
    weights = particle_weights(particles)
    assert weights.mean(axis=0) == pytest.approx(1 / 3, abs=0.02)
    assert weights.var(axis=0) == pytest.approx(1 / 18, abs=0.006)


def test_an_answer_tells_nothing_about_groups_that_answer_alike():
    chances = np.array([[0.7, 0.9], [0.7, 0.1]])
    told = group_information(np.array([0, 1]), chances, 1 - chances)
    assert told[0] == pytest.approx(0.0)
    assert told[1] > 0.3


def test_the_density_counts_every_choice_once():
    rng = np.random.default_rng(5)
    particles = drawn_particles(7, 2, rng)
    one = Choices(differences=np.array([[0.5, -0.5]]), chosen=np.array([2]))
    twice = one.and_one(np.array([0.5, -0.5]), 2)
    base = log_density(particles, no_choices(2))
    gain = log_density(particles, one) - base
    assert log_density(particles, twice) - base == pytest.approx(2 * gain)
