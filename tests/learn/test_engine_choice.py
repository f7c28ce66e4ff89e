"""Which engine is used, and that nothing ungated gets out."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from howgood.errors import FallbackWarning, MissingExtraError, UngatedPosteriorError
from howgood.learn.engines import select as choice
from howgood.learn.engines.importance import (
    Mixture,
    Pilot,
    _fitted,
    _until_effective,
    averaged_draws,
    complaint,
    laplace,
    natural_draws,
    pilot,
    posterior_probabilities,
    sample_from,
    sample_mixture,
)
from howgood.learn.engines.nuts import Chains
from howgood.stats.importance import StudentT, WeightedDraws, weigh


@dataclass(frozen=True)
class Model:
    """A model in which people differ by a given number of logits, whatever the draw."""

    sd: float = 2.0
    n_nodes: int = 65

    def spread(self, points):
        return np.full(len(points), self.sd)


DRAWS = WeightedDraws(np.zeros((500, 1)), np.full(500, 1 / 500), -3.0, 0.9)


@pytest.fixture
def failing_importance(monkeypatch):
    mixture = Mixture({0.0: DRAWS}, {0.0: 1.0}, {0.0: -3.0}, {0.0: complaint(DRAWS)})
    monkeypatch.setattr(choice, "sample_mixture", lambda *_, **__: mixture)


def _sample(engine, sd=2.0):
    rng = np.random.default_rng(1)
    return choice.choose_and_sample({0.0: Model(sd)}, {0.0: 1.0}, engine=engine, draws=500, rng=rng)


def _nuts(monkeypatch, words=""):
    chains = Chains(replace(DRAWS, independent=450.0), 1.002, words)
    monkeypatch.setattr(choice, "sample_chains", lambda *_, **__: {0.0: chains})


@pytest.mark.parametrize(
    ("khat", "weights", "words"),
    [
        (0.51, np.full(100, 0.01), "k-hat is 0.51"),
        (np.inf, np.full(100, 0.01), "k-hat"),
        (np.nan, np.full(100, 0.01), "k-hat"),
        (0.1, np.array([0.9] + [0.1 / 99] * 99), "effective"),
    ],
)
def test_each_gate_complains_in_words(khat, weights, words):
    assert words in complaint(WeightedDraws(np.zeros((100, 1)), weights, 0.0, khat))


def test_sound_draws_pass():
    assert complaint(replace(DRAWS, khat=0.2)) == ""


def test_nuts_takes_over_and_says_why(failing_importance, monkeypatch):
    _nuts(monkeypatch)
    with pytest.warns(FallbackWarning, match="k-hat is 0.90"):
        mixture, diagnostics = _sample("auto")
    assert diagnostics.engine == "nuts"
    assert "k-hat" in diagnostics.reason
    assert mixture.effective_draws == pytest.approx(450)


def test_importance_by_name_never_falls_back(failing_importance):
    with pytest.raises(UngatedPosteriorError, match="k-hat"):
        _sample("importance")


def test_without_the_extra_there_is_no_posterior(failing_importance, monkeypatch):
    def missing(*_, **__):
        raise MissingExtraError(task="full sampling", extra="nuts")

    monkeypatch.setattr(choice, "sample_chains", missing)
    with pytest.raises(UngatedPosteriorError, match=r"k-hat.*pip install"):
        _sample("auto")
    with pytest.raises(MissingExtraError):
        _sample("nuts")


def test_chains_that_do_not_mix_are_an_error(failing_importance, monkeypatch):
    _nuts(monkeypatch, "R-hat is 1.200, above 1.01")
    with pytest.raises(UngatedPosteriorError, match=r"k-hat.*R-hat"):
        _sample("auto")


def _sound_importance(monkeypatch):
    """Importance sampling that passes its gates, and keeps the grids it was asked to use."""
    grids = []

    def sample(models, *_, **__):
        grids.append(models[0.0].n_nodes)
        sound = replace(DRAWS, khat=0.1)
        return Mixture({0.0: sound}, {0.0: 1.0}, {0.0: -3.0}, {0.0: ""})

    monkeypatch.setattr(choice, "sample_mixture", sample)
    return grids


@pytest.mark.parametrize(("sd", "expected"), [(2.0, [65]), (9.0, [65]), (12.0, [65, 257])])
def test_people_who_differ_widely_get_a_finer_grid(monkeypatch, sd, expected):
    grids = _sound_importance(monkeypatch)
    _sample("auto", sd)
    assert grids == expected


@pytest.mark.parametrize("engine", ["auto", "importance", "nuts"])
def test_people_who_differ_without_bound_are_no_result_of_any_engine(monkeypatch, engine):
    _sound_importance(monkeypatch)
    _nuts(monkeypatch)
    with pytest.raises(
        UngatedPosteriorError, match=r"do not bound.*exceeds 40 logits with.*priors=\"howgood\""
    ):
        _sample(engine, 60.0)


def test_draws_generator_and_progress_reach_both_engines(monkeypatch):
    asked = []

    def sample(models, prior, **more):
        asked.append(more)
        return Mixture({0.0: DRAWS}, {0.0: 1.0}, {0.0: -3.0}, {0.0: complaint(DRAWS)})

    def chains(models, **more):
        asked.append(more)
        return {0.0: Chains(replace(DRAWS, independent=450.0), 1.002, "")}

    monkeypatch.setattr(choice, "sample_mixture", sample)
    monkeypatch.setattr(choice, "sample_chains", chains)
    more = {"draws": 500, "rng": np.random.default_rng(1), "progress": lambda *_: None}
    with pytest.warns(FallbackWarning):  # people who differ widely: importance twice, then NUTS
        choice.choose_and_sample({0.0: Model(12.0)}, {0.0: 1.0}, engine="auto", **more)
    first = {**more, "find": pilot, "like": None}
    assert asked == [first, first, more]


def test_the_worst_chain_of_all_kinds_of_mean_is_told(monkeypatch):
    sound = replace(DRAWS, independent=450.0)
    chains = {0.0: Chains(sound, 1.001, ""), 1.0: Chains(sound, 1.004, "")}
    monkeypatch.setattr(choice, "sample_chains", lambda *_, **__: chains)
    models, prior = {0.0: Model(), 1.0: Model()}, {0.0: 0.5, 1.0: 0.5}
    _, found = choice.choose_and_sample(
        models, prior, engine="nuts", draws=500, rng=np.random.default_rng(1)
    )
    assert found.rhat == 1.004


def _weighted(weights, khat=0.1):
    return WeightedDraws(np.arange(float(len(weights)))[:, None], np.array(weights), -3.0, khat)


def test_the_gates_are_where_they_are_said_to_be():
    even = np.full(100, 0.01)
    assert complaint(_weighted(even, khat=0.5)) == ""
    # k of 100 draws share all the weight: efficiency k / 100.
    assert complaint(_weighted([1 / 26] * 26 + [0.0] * 74)) == ""
    assert "24% of the draws" in complaint(_weighted([1 / 24] * 24 + [0.0] * 76))


def test_diagnostics_tell_the_worst_of_all_kinds_of_mean(monkeypatch):
    samples = {
        -1.0: _weighted(np.full(100, 0.01), khat=0.1),
        0.0: _weighted([1 / 50] * 50 + [0.0] * 50, khat=0.3),
    }
    mixture = Mixture(samples, {-1.0: 0.25, 0.0: 0.75}, dict.fromkeys(samples, -3.0),
                      dict.fromkeys(samples, ""))  # fmt: skip
    monkeypatch.setattr(choice, "sample_mixture", lambda *_, **__: mixture)
    models = {p: Model() for p in samples}
    _, found = choice.choose_and_sample(
        models, mixture.probabilities, engine="auto", draws=100, rng=np.random.default_rng(0)
    )
    assert (found.engine, found.passed) == ("importance", True)
    assert (found.khat, found.efficiency) == pytest.approx((0.3, 0.5))
    # Averages of p independent parts: 1 / (.25² / 100 + .75² / 50).
    assert found.effective_draws == pytest.approx(1 / (0.0625 / 100 + 0.5625 / 50))


def test_a_failing_kind_of_mean_is_named(monkeypatch):
    words = {-1.0: "", 0.5: "k-hat is 0.9", np.nan: "R-hat"}
    assert choice._complaints(words) == "p = 0.5: k-hat is 0.9; R-hat"
    _nuts(monkeypatch)
    _, found = _sample("nuts")
    assert (found.engine, found.rhat, found.passed, found.reason) == ("nuts", 1.002, True, "")
    assert found.effective_draws == pytest.approx(450)


def test_each_kind_of_mean_gets_its_share_of_draws():
    samples = {p: _weighted(np.full(4, 0.25)) for p in (-1.0, 0.0, 1.0)}
    mixture = Mixture(samples, {-1.0: 0.125, 0.0: 0.58, 1.0: 0.295}, {}, {})
    shares = averaged_draws(mixture, 10, np.random.default_rng(0))
    # 1.25, 5.8 and 2.95: whole parts 1, 5, 2, and the two left over to the largest rests.
    assert [len(shares[p]) for p in (-1.0, 0.0, 1.0)] == [1, 6, 3]


def test_draws_in_natural_units_are_averaged_and_kept_apart():
    class Doubling:
        def natural(self, points):
            return 2.0 * points

    samples = {0.0: _weighted([0.5, 0.5]), 1.0: _weighted([0.0, 0.0, 1.0])}
    mixture = Mixture(samples, {0.0: 0.75, 1.0: 0.25}, {}, {})
    models = dict.fromkeys(samples, Doubling())
    averaged, given = natural_draws(mixture, models, 8, np.random.default_rng(1))
    assert sorted(averaged[:, 0]) == [0.0, 0.0, 0.0, 2.0, 2.0, 2.0, 4.0, 4.0]
    assert sorted(given[0.0][:, 0]) == [0.0] * 4 + [2.0] * 4
    assert given[1.0][:, 0].tolist() == [4.0] * 8


@pytest.mark.parametrize("top", [-np.inf, np.nan])
def test_without_evidence_the_prior_stays(top):
    assert posterior_probabilities({0.0: top}, {0.0: 1.0}) == {0.0: 1.0}


def test_evidence_weighs_the_kinds_of_mean():
    found = posterior_probabilities({0.0: -1000.0, 1.0: -1000.0 + np.log(3)}, {0.0: 0.5, 1.0: 0.5})
    assert found[1.0] == pytest.approx(0.75)


def test_evidence_may_be_worlds_apart_or_absent():
    prior = {0.0: 0.5, 1.0: 0.5}
    assert posterior_probabilities({0.0: -3000.0, 1.0: 0.0}, prior) == {0.0: 0.0, 1.0: 1.0}
    assert posterior_probabilities({0.0: -np.inf, 1.0: -5.0}, prior) == {0.0: 0.0, 1.0: 1.0}


class Bell:
    """A normal density times a number: its evidence is that number times sqrt(2 pi) sd."""

    size = 1

    def __init__(self, centre, sd, log_factor):
        self.centre, self.sd, self.log_factor = centre, sd, log_factor

    def start(self):
        return np.zeros(1)

    def value_and_gradient(self, point):
        away = (point[0] - self.centre) / self.sd
        return self.log_factor - 0.5 * away**2, np.array([-away / self.sd])

    def log_density(self, points):
        return self.log_factor - 0.5 * ((points[:, 0] - self.centre) / self.sd) ** 2


def test_the_first_proposal_has_the_mode_and_the_curvature_there():
    found = laplace(Bell(3.0, 0.5, 1.0))
    assert found.centre == pytest.approx([3.0], abs=1e-4)
    assert found.root[0, 0] == pytest.approx(0.5, rel=1e-4)
    first = pilot(Bell(3.0, 0.5, 1.0), np.random.default_rng(6))
    assert len(first.sample.weights) == 800
    assert len(pilot(Bell(3.0, 0.5, 1.0), np.random.default_rng(6), draws=90).sample.weights) == 90
    assert first.proposal.centre == pytest.approx([3.0], abs=0.1)


def test_later_proposals_are_one_heavy_t_then_mixtures():
    rng = np.random.default_rng(7)
    sample = weigh(Bell(0.0, 1.0, 0.0).log_density, laplace(Bell(0.0, 1.0, 0.0)), 400, rng)
    alone = _fitted(sample, 1, rng)
    assert (type(alone), alone.dof) == (StudentT, 4.0)
    several = _fitted(sample, 4, rng)
    assert [part.dof for part in several.components] == [5.0] * 5  # four and the wide one


def test_draws_are_made_until_enough_are_effective_or_a_gate_fails():
    target, rng = Bell(0.0, 1.0, 0.0), np.random.default_rng(8)
    found, values = _until_effective(target, laplace(target), 1.0, 1000.0, rng)
    np.testing.assert_array_equal(values, target.log_density(found.draws))
    assert found.effective >= 1000
    assert len(found.weights) < 1300  # an efficiency of about .9 asks for little more
    narrow = StudentT(np.zeros(1), 1e-3 * np.eye(1), np.ones(1), np.ones(1), 400.0)
    failed, _ = _until_effective(target, narrow, 1.0, 1000.0, rng)
    # 1.05 draws for each that should count, and no more once the gate has failed.
    assert (len(failed.weights), bool(complaint(failed))) == (1050, True)
    # A poor efficiency is believed down to one in four.
    assert len(_until_effective(target, narrow, 0.01, 1000.0, rng)[0].weights) == 4200


def test_draws_that_fail_a_gate_are_made_again_from_freer_proposals():
    class Bent(Bell):  # two bells far apart: no single t around one of them will do
        def log_density(self, points):
            return np.logaddexp(super().log_density(points), super().log_density(points - 6.0))

    target, rng = Bent(0.0, 1.0, 0.0), np.random.default_rng(9)
    start = StudentT(np.array([1.0]), 2.0 * np.eye(1), np.ones(1), np.ones(1), 5.0)
    sample = weigh(target.log_density, start, 800, rng)
    found = sample_from(target, Pilot(start, sample), effective=1000.0, rng=rng)
    assert complaint(found) == ""
    assert found.effective >= 1000
    assert found.log_evidence == pytest.approx(np.log(2 * np.sqrt(2 * np.pi)), abs=0.1)


def test_kinds_of_mean_are_weighed_by_their_evidence_and_sampled_as_they_deserve():
    told = []
    # Evidences in proportion 3 : 1 : 1e-6, prior 1/5, 3/5 and 1/5: posterior 1/2, 1/2 and nearly 0.
    targets = {
        -1.0: Bell(2.0, 1.0, np.log(3.0)),
        0.0: Bell(-1.0, 0.5, np.log(2.0)),
        1.0: Bell(0.0, 1.0, np.log(1e-6)),
    }
    mixture = sample_mixture(
        targets,
        {-1.0: 0.2, 0.0: 0.6, 1.0: 0.2},
        draws=4000,
        rng=np.random.default_rng(3),
        progress=lambda share, words: told.append((share, words)),
    )
    assert mixture.probabilities[-1.0] == pytest.approx(0.5, abs=0.02)
    assert mixture.probabilities[1.0] == pytest.approx(1e-6 / 6, rel=0.1)
    for p, target in targets.items():
        expected = target.log_factor + np.log(np.sqrt(2 * np.pi) * target.sd)
        assert mixture.log_evidence[p] == pytest.approx(expected, abs=0.05)
        mean, covariance = mixture.samples[p].moments()
        assert mean[0] == pytest.approx(target.centre, abs=0.2)
        assert covariance[0, 0] == pytest.approx(target.sd**2, rel=0.25)
    # Half of the draws each where it matters, 300 where nothing depends on it.
    assert 2000 <= mixture.samples[0.0].effective < 3000
    assert 300 <= mixture.samples[1.0].effective < 800
    assert mixture.complaints == {-1.0: "", 0.0: "", 1.0: ""}
    assert [share for share, _ in told] == pytest.approx(
        [0, 0.1, 0.2, 0.3, 0.3 + 0.7 / 3, 0.3 + 1.4 / 3]
    )
    assert told[0][1] == "finding the mode for p = -1"
    assert told[-1][1] == "sampling p = 1"


def test_a_likely_kind_of_mean_gets_a_thousand_effective_draws_at_least():
    targets = {0.0: Bell(0.0, 1.0, 0.0), 1.0: Bell(0.0, 1.0, np.log(0.1))}
    prior = {0.0: 0.5, 1.0: 0.5}
    rng = np.random.default_rng(4)
    mixture = sample_mixture(targets, prior, draws=3000, rng=rng)
    assert 1000 <= mixture.samples[1.0].effective < 2000
    few = sample_mixture(targets, prior, draws=400, rng=rng)
    assert 400 <= few.samples[1.0].effective < 800
