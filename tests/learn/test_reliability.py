"""Cronbach's alpha and McDonald's omega: by hand, by other programs, as properties."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.decomposition import FactorAnalysis

from howgood.errors import InputError
from howgood.learn import reliability
from howgood.learn.correlations import alpha_of, omega_of


def _rated(rng, n, loadings=(0.9, 0.7, 0.8, 0.6), noise=0.5):
    factor = rng.normal(size=(n, 1))
    return factor * np.array(loadings) + rng.normal(0, noise, (n, len(loadings)))


def _frame(rated, who=None):
    names = [f"i{place}" for place in range(rated.shape[1])]
    people = [str(n) for n in range(len(rated))] if who is None else who
    return {"participant": people, **dict(zip(names, rated.T, strict=True))}, names


def test_alpha_by_hand():
    """Variances 5/3 and 4/3, of the sum 17/3: 2 (1 - 3 / (17/3)) = 16/17."""
    rated = np.array([[1, 2], [2, 2], [3, 4], [4, 4]], float)
    assert alpha_of(rated) == pytest.approx(16 / 17)


def test_omega_of_three_items_by_hand():
    """Three covariances fix three loadings: here 1, 1/2 and 1/4 with unit unique variances."""
    loadings = np.array([1.0, 0.5, 0.25])
    covariance = np.outer(loadings, loadings) + np.eye(3)
    rng = np.random.default_rng(1)
    raw = rng.normal(size=(50, 3))
    raw -= raw.mean(axis=0)
    whitened = raw @ np.linalg.inv(np.linalg.cholesky(np.cov(raw, rowvar=False)).T)
    rated = whitened @ np.linalg.cholesky(covariance).T
    assert omega_of(rated) == pytest.approx(1.75**2 / (1.75**2 + 3))


def test_alpha_is_the_textbook_form_by_mean_covariances():
    rated = _rated(np.random.default_rng(2), 80)
    covariance = np.cov(rated, rowvar=False)
    k = len(covariance)
    shared = covariance[~np.eye(k, dtype=bool)].mean()
    own = np.diag(covariance).mean()
    assert alpha_of(rated) == pytest.approx(k * shared / (own + (k - 1) * shared))


def test_omega_agrees_with_a_maximum_likelihood_factor():
    rated = _rated(np.random.default_rng(3), 4000)
    fitted = FactorAnalysis(n_components=1, tol=1e-8, max_iter=5000).fit(rated)
    common = float(fitted.components_[0].sum()) ** 2
    reference = common / (common + fitted.noise_variance_.sum())
    assert omega_of(rated) == pytest.approx(reference, abs=0.003)


def test_equal_loadings_make_alpha_and_omega_the_same():
    rated = _rated(np.random.default_rng(4), 20_000, loadings=(0.8,) * 4)
    assert omega_of(rated) == pytest.approx(alpha_of(rated), abs=0.002)


@given(st.integers(0, 10_000), st.integers(3, 5), st.floats(0.1, 20), st.floats(-5, 5))
def test_units_and_order_do_not_matter(seed, k, unit, offset):
    rated = _rated(np.random.default_rng(seed), 30, loadings=(0.9, 0.7, 0.8, 0.6, 0.75)[:k])
    frame, names = _frame(rated)
    found = reliability(frame, items=names)
    other = reliability(_frame(rated * unit + offset)[0], items=names[::-1])
    assert other.alpha.mean == pytest.approx(found.alpha.mean)
    assert found.alpha.interval.lower <= found.alpha.mean <= found.alpha.interval.upper <= 1.0
    if found.omega is not None and other.omega is not None:
        assert other.omega.mean == pytest.approx(found.omega.mean, abs=1e-3)


def test_rows_of_one_person_count_as_one_person():
    rated = _rated(np.random.default_rng(5), 40)
    once = reliability(_frame(rated)[0], items=_frame(rated)[1])
    again, names = _frame(np.repeat(rated, 5, axis=0), [str(n // 5) for n in range(200)])
    many = reliability(again, items=names)
    assert many.n_people == once.n_people == 40
    assert many.alpha.interval.width == pytest.approx(once.alpha.interval.width, rel=0.05)


def test_gaps_are_counted_and_what_says_nothing_is_refused():
    frame, names = _frame(_rated(np.random.default_rng(6), 20))
    frame["i0"][3] = np.nan
    assert reliability(frame, items=names).provenance.rows_dropped == {"not all items": 1}
    with pytest.raises(InputError, match="two or more"):
        reliability(frame, items=["i0"])
    with pytest.raises(InputError, match="do not differ"):
        reliability({"participant": ["a", "b"], "x": [1, 1], "y": [2, 2]}, items=["x", "y"])
    two = reliability({"participant": ["a", "b"], "x": [1, 2], "y": [1, 3]}, items=["x", "y"])
    assert two.omega is None
    assert not np.isfinite(two.alpha.sd)
