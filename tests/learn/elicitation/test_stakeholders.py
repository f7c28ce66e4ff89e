"""Many stakeholders: one crowd or two, who pays for which threshold."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howgood import ask, learn, score
from howgood.errors import InputError
from howgood.learn.elicitation.stakeholders import crowd_of, person_regrets
from howgood.records.estimate import Estimate
from howgood.show.stakeholders import (
    group_table,
    regret_table,
    stakeholder_findings,
    stakeholder_sections,
)

RNG = np.random.default_rng(0)
CHANCES = RNG.beta(0.5, 0.9, 2000)
MATRICES = learn.threshold_matrices(RNG.random(2000) < CHANCES, CHANCES)


def person(a0, seed):
    learner = learn.Elicitor(MATRICES, families=("linear",), held_out=4, random_state=seed)
    return learn.ask_oracle(learner, score.LinearMetric(a0=a0).prefers)


@pytest.fixture(scope="module")
def together():
    weights = {"ann": 0.08, "bo": 0.1, "cy": 0.09, "di": 0.5, "ed": 0.55, "flo": 0.52}
    people = {name: person(a0, seed) for seed, (name, a0) in enumerate(weights.items())}
    groups = {"ann": "patients", "bo": "patients", "cy": "doctors", "di": "doctors"}
    return people, learn.stakeholders(people, groups=groups)


def test_regrets_are_those_counted_by_hand():
    result = person(0.25, 1)
    sure = Estimate.from_draws(np.full(200, 0.25), probability=0.9, kind="quantile")
    from dataclasses import replace

    found = person_regrets(replace(result, a0=sure), MATRICES)
    values = np.array(
        [(0.25 * each.true_negatives + 0.75 * each.true_positives) / 100 for each in MATRICES]
    )
    expected = (values.max() - values) / (values.max() - values.mean())
    assert found == pytest.approx(expected)
    assert found.min() == 0


def test_two_crowds_are_seen_and_each_has_its_threshold(together):
    _, found = together
    assert found.crowds == "two"
    assert found.crowd_of == {"ann": 1, "bo": 1, "cy": 1, "di": 2, "ed": 2, "flo": 2}
    assert found.gain_of_two > 0.02
    assert {"best for crowd 1", "best for crowd 2", "best for patients"} <= set(found.systems)
    one, two = found.systems["best for crowd 1"], found.systems["best for crowd 2"]
    assert one.false_negatives < two.false_negatives
    rows = {(row["group"], row["threshold"]): row for row in found.regret.rows()}
    for group in ("crowd 1", "crowd 2", "patients", "everybody"):
        own = rows[group, f"best for {group}"]["regret"]
        assert all(own <= row["regret"] + 1e-12 for (name, _), row in rows.items() if name == group)
        assert all(row["lower"] <= row["regret"] <= row["upper"] for row in rows.values())
    assert np.diag(found.disagreement) == pytest.approx(0, abs=0.02)
    assert found.disagreement[0, 3] > 0.05


def test_people_who_say_little_are_drawn_towards_the_others():
    values = np.array([-2.0, -2.1, -1.9, -2.0, 1.0])
    errors = np.array([0.1, 0.1, 0.1, 0.1, 2.0])
    found = crowd_of(values, errors, np.random.default_rng(1))
    assert found.people[:, 4].mean() < -1.0  # hardly known: as the others
    assert found.people[:, 0].mean() == pytest.approx(-2.0, abs=0.05)
    assert found.p_two < 0.5


def test_the_evidence_of_one_crowd_is_that_of_a_fine_grid():
    from scipy.special import logsumexp
    from scipy.stats import norm

    from howgood.learn.elicitation import stakeholders

    values, errors = np.array([-1.0, 0.5, 0.2]), np.array([0.3, 0.5, 0.4])
    centres, spreads = np.linspace(-8, 8, 801), np.linspace(0.005, 4, 400)
    wide = np.sqrt(errors**2 + spreads[:, None] ** 2)
    joint = norm.logpdf(values, centres[:, None, None], wide).sum(axis=2)
    joint = joint + norm.logpdf(centres, 0, 2.5)[:, None] + norm.logpdf(spreads, 0, 1.0) + np.log(2)
    fine = logsumexp(joint) + np.log(centres[1] - centres[0]) + np.log(spreads[1] - spreads[0])
    found = logsumexp(stakeholders._log_joint_of_one(values, errors))
    assert found == pytest.approx(fine, abs=0.05)


@given(st.integers(0, 10_000), st.integers(3, 12), st.floats(-3, 3))
@settings(max_examples=15, deadline=None)
def test_shifting_and_naming_change_nothing(seed, n, shift):
    rng = np.random.default_rng(seed)
    values, errors = rng.normal(-1, 0.3, n), rng.uniform(0.1, 0.4, n)
    order = rng.permutation(n)
    one = crowd_of(values, errors, np.random.default_rng(1))
    other = crowd_of(values[order], errors[order], np.random.default_rng(1))
    assert one.p_two == pytest.approx(other.p_two)
    assert one.second[order] == pytest.approx(other.second)
    assert 0 <= one.p_two <= 1
    assert one.spread.min() >= 0


def test_one_crowd_is_rarely_called_two():
    called = []
    for seed in range(40):
        rng = np.random.default_rng([seed, 3])
        values = rng.normal(-1.5, 0.5, 12)
        errors = np.full(12, 0.25)
        called.append(crowd_of(values + rng.normal(0, 0.25, 12), errors, rng).p_two >= 0.95)
    assert np.mean(called) <= 0.05


def test_words_tables_and_pictures(together):
    people, found = together
    said = stakeholder_findings(found, ask.GENERIC_WORDING)
    assert said[0].text.startswith("Two thresholds: people form two clusters")
    agreements = {name: each.agreement for name, each in people.items()}
    titles = [each.title for each in stakeholder_sections(found, agreements, ask.GENERIC_WORDING)]
    assert titles == ["One threshold or two?", "Who pays for which threshold",
                      "What each threshold means", "Map of disagreement", "By group"]  # fmt: skip
    assert list(group_table(found, agreements)["people"]) == [2, 2]
    regrets = regret_table(found)
    assert next(iter(regrets["people"])) == 6
    # Of two people nobody knows how far others like them would lie from their mean.
    has_interval = ["[" in cell for cell in regrets["best for everybody"]]
    assert has_interval == [people > 2 for people in regrets["people"]]


def test_people_are_split_by_every_question_that_divides_them(together):
    people, found = together
    agreements = {name: each.agreement for name, each in people.items()}
    names = list(people)
    splits = {
        "Which school?": dict(found.groups),
        "How much do you know?": dict(zip(names, ["Nothing"] * 2 + ["Expert"] * 3, strict=False))
        | {"somebody left out": "Expert"},
    }
    last = stakeholder_sections(found, agreements, ask.GENERIC_WORDING, splits=splits)[-1].table
    assert list(last["question"]) == ["Which school?", "", "How much do you know?", ""]
    assert list(last["group"])[2:] == ["Nothing", "Expert"]
    assert list(last["people"])[2:] == [2, 3]


def test_kind_refusals():
    with pytest.raises(InputError, match="at least two people"):
        learn.stakeholders({"ann": person(0.2, 1)})
    clicks = learn.ask_oracle(learn.Elicitor(MATRICES, random_state=1), lambda *_: "first")
    assert clicks.metric is None
    with pytest.raises(InputError, match="no metric describes"):
        learn.stakeholders({"ann": person(0.2, 1), "bo": clicks})
