"""What surrounds NUTS: the symbolic mean, how chains are judged, and what is told meanwhile.

That the sampler itself agrees with the other engine is proven in tests/statistical.
"""

import numpy as np
import pytest

from howgood.errors import MissingExtraError
from howgood.learn.engines import nuts
from howgood.stats.power_mean import power_mean

PRECISION = np.array([0.5, 0.9, 0.0, 0.7, 0.0, 1.0])
RECALL = np.array([0.8, 0.3, 0.6, 0.0, 0.0, 1.0])


def test_the_symbolic_power_mean_is_the_power_mean():
    symbolic = pytest.importorskip("pytensor")
    import pytensor.tensor as tensor

    from howgood.learn.engines.nuts import _power_mean

    order, alpha = tensor.dscalar(), tensor.dscalar()
    mean = _power_mean(tensor, PRECISION, RECALL, order, alpha)
    found = symbolic.function([order, alpha], mean, mode="FAST_COMPILE")
    for p in (-3.0, -1.0, -1e-5, 0.0, 1e-5, 2e-4, 0.5, 2.0):
        expected = power_mean(PRECISION, RECALL, p=p, alpha=0.3)
        assert found(p, 0.3) == pytest.approx(expected, abs=1e-9), p
    geometric = _power_mean(tensor, PRECISION, RECALL, 0.0, tensor.as_tensor(0.3))
    expected = power_mean(PRECISION, RECALL, p=0.0, alpha=0.3)
    assert geometric.eval(mode="FAST_COMPILE") == pytest.approx(expected)


class Bell:
    """A model whose plain parameters are its own, with a standard normal density times 5."""

    def from_plain(self, plain):
        return plain

    def log_density(self, points):
        return np.log(5.0) - 0.5 * (points**2).sum(axis=1)


def test_chains_that_agree_pass_with_their_evidence():
    rng = np.random.default_rng(0)
    found = nuts._judged(Bell(), rng.normal(size=(4, 600, 2)), rng)
    assert found.complaint == ""
    assert found.rhat < 1.01
    assert found.sample.draws.shape == (2400, 2)
    assert found.sample.weights == pytest.approx(np.full(2400, 1 / 2400))
    # Independent draws: all 2400 count, give or take the noise of the estimate.
    assert 1500 < found.sample.effective < 3500
    assert found.sample.log_evidence == pytest.approx(np.log(5.0 * 2 * np.pi), abs=0.1)


def test_chains_that_sit_in_different_places_are_named():
    rng = np.random.default_rng(1)
    apart = rng.normal(size=(4, 600, 2)) + np.array([0, 0, 0, 1.0])[:, None, None]
    assert nuts._judged(Bell(), apart, rng).complaint.startswith("R-hat is 1.")


def test_too_few_effective_draws_of_any_parameter_are_named(monkeypatch):
    rng = np.random.default_rng(2)
    chains = rng.normal(size=(4, 600, 2))
    chains[:, :, 1] = np.repeat(chains[:, ::2, 1], 2, axis=1)  # half as many different draws
    monkeypatch.setattr(nuts, "LEAST_EFFECTIVE", 1700.0)
    assert "effective draws, below 1700" in nuts._judged(Bell(), chains, rng).complaint
    monkeypatch.setattr(nuts, "LEAST_EFFECTIVE", 700.0)
    assert nuts._judged(Bell(), chains, rng).complaint == ""


def test_every_model_gets_its_own_seed_and_progress_is_told(monkeypatch):
    seeds, told = [], []

    def run(model, *, draws, seed):
        seeds.append((model, draws, seed))
        return np.random.default_rng(seed).normal(size=(4, 500, 1))

    monkeypatch.setattr(nuts, "_run", run)
    monkeypatch.setattr(nuts, "find_spec", lambda name: name)
    first, second = Bell(), Bell()
    found = nuts.sample_chains(
        {-1.0: first, 0.0: second},
        draws=2000,
        rng=np.random.default_rng(3),
        progress=lambda share, words: told.append((share, words)),
    )
    assert [model for model, _, _ in seeds] == [first, second]
    assert {draws for _, draws, _ in seeds} == {2000}
    assert seeds[0][2] != seeds[1][2]
    assert list(found) == [-1.0, 0.0]
    assert told == [(0.0, "NUTS for p = -1"), (0.5, "NUTS for p = 0")]


@pytest.mark.parametrize("absent", ["pymc", "nutpie"])
def test_without_the_extra_nothing_is_sampled(monkeypatch, absent):
    monkeypatch.setattr(nuts, "find_spec", lambda name: None if name == absent else name)
    with pytest.raises(MissingExtraError, match="nuts"):
        nuts.sample_chains({0.0: Bell()}, draws=10, rng=np.random.default_rng(0))
