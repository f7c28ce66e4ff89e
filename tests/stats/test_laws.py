"""Laws of one number against SciPy's distributions and counts by hand."""

import numpy as np
import pytest
from scipy import stats

from howgood.stats.discrete_sum import DiscreteMean
from howgood.stats.distributions import DrawsLaw, NormalLaw, RootLaw
from howgood.stats.weighted_chi_square import WeightedChiSquare

X = np.array([-2.0, 0.3, 1.0, 4.5])


@pytest.mark.parametrize("sd", [1.0, 2.0])
def test_a_gaussian_law_is_scipys(sd):
    law, reference = NormalLaw(mean=1.0, variance=sd**2), stats.norm(1.0, sd)
    assert law.cdf(X) == pytest.approx(reference.cdf(X))
    assert law.sf(X) == pytest.approx(reference.sf(X))
    assert law.pdf(X) == pytest.approx(reference.pdf(X))
    assert law.quantile(np.array([0.1, 0.9])) == pytest.approx(reference.ppf([0.1, 0.9]))
    draws = law.sample(10_000, np.random.default_rng(0))
    assert (draws.mean(), draws.std()) == pytest.approx((1.0, sd), abs=0.08)


def test_a_gaussian_without_variance_is_a_point():
    law = NormalLaw(mean=1.0, variance=0.0)
    assert law.cdf(X).tolist() == [0.0, 0.0, 1.0, 1.0]
    assert law.sf(X).tolist() == [1.0, 1.0, 0.0, 0.0]
    assert law.pdf(X).tolist() == [0.0, 0.0, np.inf, 0.0]
    assert law.quantile(np.array([0.2, np.nan])) == pytest.approx([1.0, np.nan], nan_ok=True)


def test_draws_are_counted():
    law = DrawsLaw(draws=np.array([1.0, 2.0, 2.0, 5.0]))
    assert law.cdf(np.array([0.5, 1.0, 2.0, 5.0])).tolist() == [0.0, 0.25, 0.75, 1.0]
    assert law.sf(np.array([0.5, 1.0, 2.0, 5.0])).tolist() == [1.0, 0.75, 0.25, 0.0]
    assert law.mean == 2.5
    assert law.variance == pytest.approx(3.0)  # (2.25 + .25 + .25 + 6.25) / 3
    assert set(law.sample(200, np.random.default_rng(1))) == {1.0, 2.0, 5.0}
    assert law.quantile(np.array(0.5)) == 2.0


def test_the_density_of_draws_is_a_gaussian_kernel_of_silvermans_width():
    draws = np.array([-1.0, 0.0, 1.0, 2.0, 9.0])
    # Quartiles 0 and 2 are closer than the sd of 3.96 allows: width = .9 (2 / 1.349) 5^-.2.
    width = 0.9 * (2.0 / 1.349) * 5**-0.2
    expected = [np.mean(stats.norm.pdf(x, draws, width)) for x in (0.5, 3.0)]
    found = DrawsLaw(draws=draws).pdf(np.array([[0.5], [3.0]]))
    assert found == pytest.approx(np.array(expected)[:, None])
    # An even pair has quartiles as wide apart as its sd of 1.414 would: the smaller one counts.
    pair = DrawsLaw(draws=np.array([0.0, 2.0])).pdf(np.array([1.0]))
    assert pair == pytest.approx(stats.norm.pdf(1.0, 0.0, 0.9 * (1.0 / 1.349) * 2**-0.2))


def test_draws_that_are_all_the_same_are_a_point():
    law = DrawsLaw(draws=np.full(5, 2.0))
    assert law.pdf(np.array([1.0, 2.0])).tolist() == [0.0, np.inf]
    assert DrawsLaw(draws=np.array([2.0])).variance == 0.0


def test_draws_whose_middle_half_is_one_value_still_have_a_density():
    draws = np.array([0.0, 1.0, 1.0, 1.0, 3.0])
    width = 0.9 * np.std(draws, ddof=1) * 5**-0.2
    found = DrawsLaw(draws=draws).pdf(np.array([1.5]))
    assert found == pytest.approx(np.mean(stats.norm.pdf(1.5, draws, width)))


@pytest.mark.parametrize(("location", "sd"), [(0.0, 2.0), (1.5, 0.5)])
def test_the_root_of_one_square_is_a_folded_normal_from_zero_on(location, sd):
    law = RootLaw(WeightedChiSquare.from_terms(np.array([location]), np.array([sd]), np.zeros(1)))
    reference = stats.foldnorm(location / sd, scale=sd)
    x = np.array([0.0, 0.5, 1.7, 4.0])
    assert law.pdf(x) == pytest.approx(reference.pdf(x), rel=1e-9)
    assert law.cdf(x) == pytest.approx(reference.cdf(x), rel=1e-9, abs=1e-15)
    below = np.array([-1.0])
    assert (law.pdf(below)[0], law.cdf(below)[0], law.sf(below)[0]) == (0.0, 0.0, 1.0)
    assert law.mean == pytest.approx(reference.mean())
    assert law.variance == pytest.approx(reference.var())
    assert law.quantile(np.array([0.3])) == pytest.approx(reference.ppf([0.3]))


def _root_of(locations, sds):
    n = len(locations)
    return RootLaw(WeightedChiSquare.from_terms(np.array(locations), np.array(sds), np.zeros(n)))


def test_the_root_of_two_free_squares_is_rayleighs():
    law, reference = _root_of([0.0, 0.0], [1.0, 1.0]), stats.rayleigh(scale=np.sqrt(0.5))
    x = np.array([0.0, 0.5, 2.0])
    assert law.pdf(x) == pytest.approx(reference.pdf(x), rel=1e-9)
    draws = law.sample(10_000, np.random.default_rng(3))
    assert stats.kstest(draws, reference.cdf).pvalue > 0.001


@pytest.mark.parametrize("seed", range(12))
def test_the_root_of_a_point_has_its_step_at_the_root(seed):
    # Some of these roots, squared, are rounded to below the mean square itself.
    law = _root_of(np.random.default_rng(seed).uniform(size=3), [0.0] * 3)
    step = np.sqrt(law.square.mean)
    assert law.cdf(np.array([step * (1 - 1e-9), step])).tolist() == [0.0, 1.0]


def test_no_error_at_all_is_a_point_at_zero():
    law = _root_of([0.0, 0.0], [0.0, 0.0])
    assert (law.cdf(np.zeros(1))[0], law.sf(np.zeros(1))[0]) == (1.0, 0.0)


def test_answers_that_are_all_certainly_right_have_all_density_at_zero():
    law = RootLaw(DiscreteMean(np.zeros((3, 2)), np.full((3, 2), 0.5)))
    assert law.pdf(np.array([-1.0, 0.0, 1.0])).tolist() == [0.0, np.inf, 0.0]
