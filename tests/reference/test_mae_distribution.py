"""The distribution of MAE against a convolution in 30 digits, and against a second path."""

import mpmath as mp
import numpy as np
import pytest

from howgood import score
from howgood.stats.cumulant_functions import tail_and_density
from howgood.stats.folded_normal import FoldedMean


def _folded_tails(x, location, sd):
    """P(|X| <= x) and P(|X| > x)."""
    if x <= 0:
        return mp.mpf(0), mp.mpf(1)
    left, right = (-x - location) / sd, (x - location) / sd
    return mp.ncdf(right) - mp.ncdf(left), mp.ncdf(left) + mp.ncdf(-right)


def _two_folded(total, locations, sds):
    """P(|X| + |Y| <= total) and its complement, by quadrature over |X|."""
    with mp.workdps(30):
        t = mp.mpf(float(total))
        (d1, d2), (s1, s2) = ([mp.mpf(v) for v in pair] for pair in (locations, sds))
        near = [abs(d1) + k * s1 for k in (-8, -4, -2, 0, 2, 4, 8)]
        far = [t - abs(d2) + k * s2 for k in (-8, -4, -2, 0, 2, 4, 8)]
        edges = sorted({mp.mpf(0), t, *(p for p in near + far if 0 < p < t)})

        def part(which):
            return mp.quad(
                lambda u: (
                    (mp.npdf((u - d1) / s1) + mp.npdf((u + d1) / s1))
                    / s1
                    * _folded_tails(t - u, d2, s2)[which]
                ),
                edges,
            )

        return part(0), part(1) + _folded_tails(t, d1, s1)[1]


@pytest.mark.parametrize(
    ("locations", "sds"),
    [
        ((0.3, -1.2), (0.8, 1.0)),
        ((0.0, 0.0), (1.0, 1.0)),
        ((2.0, 0.1), (0.3, 2.0)),
        ((1.0, 3.0), (0.05, 0.7)),
    ],
)
def test_two_pairs_equal_the_convolution(locations, sds):
    ours = score.mae(list(locations), list(sds), 0.0)
    for z in (-1.5, 0.0, 3.0, 9.0):
        x = ours.mean + z * ours.sd
        lower, upper = _two_folded(2 * x, locations, sds)
        assert abs(ours.cdf(x) - lower) < 1e-12
        assert abs(ours.cdf(x) / lower - 1) < 1e-10
        assert abs(ours.sf(x) / upper - 1) < 1e-10


@pytest.mark.parametrize("n", [12, 40, 300])
def test_shared_lines_equal_a_contour_for_each_point(n):
    rng = np.random.default_rng(n)
    law = FoldedMean(rng.uniform(-2, 2, n), rng.uniform(0.1, 2, n))
    law.series = None
    x = law.mean + law.sd * np.array([0.5, 2.0, 3.9, 4.1, 6.5, 8.0])
    assert law.sf(x) == pytest.approx(tail_and_density(law.exact, x, upper=True)[0], rel=1e-9)
    x = law.mean - law.sd * np.array([0.2, 1.0, 2.0, 2.5])
    assert law.cdf(x) == pytest.approx(tail_and_density(law.exact, x, upper=False)[0], rel=1e-9)
