"""Half widths against their equation, moments outside against quadrature."""

import numpy as np
import pytest
from scipy import integrate, stats
from scipy.special import ndtr

from howgood.stats.distributions import outside_moments, symmetric_half_width


@pytest.mark.parametrize("outside", [1e-6, 0.05, 0.5, 0.9])
def test_what_lies_outside_has_the_mass_asked_for(outside):
    ratio = np.array([0.0, 1e-6, 0.3, 1.0, 3.0, 20.0])
    b = symmetric_half_width(ratio, outside=outside)
    np.testing.assert_allclose(ndtr(ratio - b) + ndtr(-ratio - b), outside, rtol=1e-10)
    assert np.all(b > 0)


@pytest.mark.parametrize(("ratio", "cut"), [(0.0, 1.0), (0.7, 0.4), (2.0, 3.0)])
def test_moments_outside_are_those_of_quadrature(ratio, cut):
    found = outside_moments(np.array([ratio]), np.array([cut]), orders=4)
    assert found.shape == (5, 1)
    for order in range(5):
        expected = sum(
            integrate.quad(
                lambda u, k=order: abs(u) ** k * stats.norm.pdf(u, ratio), *ends, epsabs=1e-13
            )[0]
            for ends in ((-14.0, -cut), (cut, 14.0))
        )
        assert found[order, 0] == pytest.approx(expected, rel=1e-9)
