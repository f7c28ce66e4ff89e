"""Families of metrics: a new one is one class and one line of the registry."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from scipy.special import ndtr

from howgood import ask, learn, score
from howgood.errors import UnknownNameError
from howgood.flow.elicit import simulated_respondent
from howgood.learn.elicitation.families import Family
from howgood.learn.elicitation.family_registry import (
    DEFAULT_FAMILIES,
    FAMILIES,
    family_class,
    family_label,
    make_families,
    metric_from_dict,
)
from howgood.records.elicited_metric import ElicitedMetric
from howgood.show.elicitation import elicitation_findings

_RNG = np.random.default_rng(0)
_SCORES = _RNG.beta(0.5, 0.9, 3000)
MATRICES = learn.threshold_matrices(_RNG.random(3000) < _SCORES, _SCORES)
COUNTS = np.array([list(each.to_dict().values()) for each in MATRICES], dtype=float)


@dataclass(frozen=True, slots=True, kw_only=True)
class FlagsMetric(ElicitedMetric):
    """Somebody who wants a fixed number of cases flagged, whoever they are."""

    flags: float = 0.2

    def of_counts(self, tp, fn, fp, tn):
        flagged = np.asarray(tp, dtype=float) + fp
        return -np.abs(flagged / (flagged + fn + tn) - self.flags)

    def to_dict(self):
        return {"family": "flags", "flags": self.flags}


class Flags(Family):
    """The throw-away family: this class and one line of the registry are all it takes."""

    name: ClassVar[str] = "flags"
    label: ClassVar[str] = "a workload"
    weight: ClassVar[float] = 0.2
    metric_class = FlagsMetric
    sentence = "The choices fit a workload: flag {flags} of all {cases}."

    @classmethod
    def over(cls, systems, *, direct_ratio):
        nodes = np.linspace(0.01, 0.99, 50)
        return cls(nodes=nodes, prior=np.full(50, 0.02), noise_prior=np.full(5, 0.2))

    def utilities(self, nodes, counts):
        return FlagsMetric(flags=nodes).of_counts(*counts.T[:, :, None])

    def metric(self, node):
        return FlagsMetric(flags=float(node))

    def is_precise(self, weights):
        low, high = np.quantile(self.draws(weights), [0.05, 0.95])
        return bool(high - low < 0.05)


@pytest.fixture
def flags(monkeypatch):
    monkeypatch.setitem(FAMILIES, "flags", Flags)


@pytest.mark.usefixtures("flags")
def test_one_class_and_one_line_make_a_family():
    learner = learn.Elicitor(MATRICES, families=("linear", "flags"), random_state=1)
    person = simulated_respondent("flags=.3,noise=0", random_state=1)
    result = learn.ask_oracle(learner, person)
    assert result.family == "flags"
    assert result.metric.flags == pytest.approx(0.3, abs=0.03)
    assert metric_from_dict(result.metric.to_dict()) == result.metric
    said = elicitation_findings(result, ask.GENERIC_WORDING)[0].text
    assert said.startswith("The choices fit a workload: flag 0.")
    assert "a workload 9" in said
    assert family_label("flags") == "a workload"
    log = learn.elicitation_log(learner)
    assert learn.replay(log).result().to_dict() == result.to_dict()


@pytest.mark.parametrize("name", list(FAMILIES))
def test_a_family_scores_systems_as_its_metric_does(name):
    family = make_families([name], systems=COUNTS)[0]
    values = family.utilities(family.nodes, COUNTS)
    assert values.shape == (len(COUNTS), len(family.nodes))
    for at in np.linspace(0, len(family.nodes) - 1, 7).round().astype(int):
        expected = family.metric(family.nodes[at]).of_counts(*COUNTS.T)
        assert values[:, at] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", list(FAMILIES))
def test_a_family_reads_its_own_metric_back_and_has_words_for_it(name):
    family = make_families([name], systems=COUNTS)[0]
    metric = family.typical(family.prior)
    assert metric_from_dict(metric.to_dict()) == metric
    assert metric.to_dict()["family"] == name
    assert family.prior.sum() == pytest.approx(1)
    assert family.noise_prior.sum() == pytest.approx(1)
    assert family_label(name) == family.label != name or name == "linear"
    words = {name: name for name in ("miss", "misses", "alarms", "cases", "total")}
    assert "{" not in family.sentence.format(**words, **family.amounts(metric, 100))


@pytest.mark.parametrize("name", list(FAMILIES))
def test_nobody_prefers_a_system_that_is_worse_on_both_counts(name):
    family = make_families([name], systems=COUNTS)[0]
    better = np.array([[30.0, 5.0, 7.0, 58.0]])
    worse = np.array([[28.0, 7.0, 12.0, 53.0]])
    for strengths in family.strengths(better, worse):
        assert (strengths >= 0).all()


def test_families_weigh_one_together():
    assert sum(FAMILIES[name].weight for name in DEFAULT_FAMILIES) == pytest.approx(1)


def test_an_unknown_family_is_refused_by_name():
    with pytest.raises(UnknownNameError, match="cubic"):
        family_class("cubic")
    with pytest.raises(UnknownNameError):
        metric_from_dict({"family": "cubic", "a": 1})
    assert family_label(None) == "not settled"
    assert metric_from_dict({"family": "linear", "a0": 0.2}) == score.LinearMetric(a0=0.2)


def test_two_limits_are_considered_only_where_the_systems_show_two_of_either_kind():
    one_positive = np.array([[1 - k % 2, k % 2, 10.0 * k, 99 - 10.0 * k] for k in range(8)])
    names = [family.name for family in make_families(("cap", "satisfice"), systems=one_positive)]
    assert names == ["cap"]
    assert [family.name for family in make_families(("satisfice",), systems=one_positive)] == [
        "satisfice"
    ]
    both = make_families(("cap", "satisfice"), systems=COUNTS)
    assert [family.name for family in both] == ["cap", "satisfice"]


def _rare(total, positives):
    """Return what thresholds of a good classifier show where positives are rare: two bells."""
    cuts = np.linspace(-2.0, 4.0, 200)
    missed = np.round(positives * ndtr(cuts - 2.2)).astype(int)
    alarms = np.round((total - positives) * ndtr(-cuts)).astype(int)
    shown = zip(missed.tolist(), alarms.tolist(), strict=True)
    return tuple(
        learn.ConfusionMatrix(
            true_positives=positives - miss,
            false_negatives=miss,
            false_positives=alarm,
            true_negatives=total - positives - alarm,
        )
        for miss, alarm in dict.fromkeys(shown)
    )


@pytest.mark.parametrize(
    ("total", "positives", "a0"),
    [(10_000, 10, 0.002), (1_000, 10, 0.01), *(
        pytest.param(*case, marks=pytest.mark.slow)
        for case in [(10_000, 10, 0.0005), (10_000, 10, 0.03), (1_000, 10, 0.15)]
    )],
)  # fmt: skip
def test_a_consistent_linear_person_is_linear_where_positives_are_rare(total, positives, a0):
    asked = learn.Elicitor(_rare(total, positives), random_state=5)
    result = learn.ask_oracle(asked, score.LinearMetric(a0=a0).prefers)
    assert result.fits
    assert result.is_linear
    assert a0 in result.interval
    assert result.ratio.interval.upper < 3 * result.ratio.interval.lower


def test_where_no_class_is_rare_weights_are_even_from_one_in_two_hundred():
    for share in (0.1, 0.5, 0.9):
        systems = np.array([[share, 0, 0, 1 - share]])
        made = FAMILIES["linear"].over(systems, direct_ratio=None)
        assert (made.nodes[0], made.nodes[-1], made.nodes.size) == (-5.3, 5.3, 121)
        even = np.gradient(1 / (1 + np.exp(-made.nodes)))
        # At the ends a difference quotient looks to one side only.
        assert made.prior[1:-1] == pytest.approx(even[1:-1] / even.sum(), rel=0.01)


@pytest.mark.parametrize("share", [0.01, 0.001])
def test_a_rare_class_widens_the_weights_towards_itself(share):
    rare, common = (
        FAMILIES["linear"].over(np.array([[part, 0, 0, 1 - part]]), direct_ratio=None)
        for part in (share, 1 - share)
    )
    assert 1 / (1 + np.exp(-rare.nodes[0])) < share / 10
    assert rare.nodes == pytest.approx(-common.nodes[::-1])
    assert rare.prior == pytest.approx(common.prior[::-1])
