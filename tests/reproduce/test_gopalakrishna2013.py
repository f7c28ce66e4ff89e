"""`howgood reproduce s2`: the Relevance Score's experiments."""

import numpy as np
import pytest

from howgood.ask import simulate_lighting
from howgood.reproduce import gopalakrishna2013 as s2
from howgood.reproduce import gopalakrishna2013_experiments as s2_models
from howgood.reproduce import papers
from howgood.reproduce.gopalakrishna2013_experiments import FEATURES

CONTRADICTED = {"row scores and mean at alpha 2, beta 1", "row scores and mean at alpha 1, beta 1"}


@pytest.fixture(scope="module")
def short():
    """One shuffle: enough to see every claim judged."""
    return s2.reproduce(random_state=2018, shuffles=1)


def test_every_claim_of_the_list_has_a_verdict(short):
    items = {check.item for check in short.checks}
    assert items >= {f"S2-{number:02}" for number in (3, 4, 5, 8, 10, 11, 13, 14, 15, 16, 17, 18)}
    assert all(check.rule and check.paper and check.ours for check in short.checks)


def test_table_1_is_shown_both_ways_and_does_not_follow_from_the_formula(short):
    shown = {check.claim: check for check in short.checks if check.claim in CONTRADICTED}
    assert set(shown) == CONTRADICTED
    for check in shown.values():
        assert check.verdict == "does not hold"
        assert "mean 65" in check.paper
    assert "94.7" in shown["row scores and mean at alpha 2, beta 1"].ours


def test_table_3_stands_beside_our_bounds(short):
    rows = [check for check in short.checks if check.item == "S2-16"]
    assert [check.claim.split()[0] for check in rows] == list(s2_models.STANDS_FOR)
    assert all(check.verdict == "cannot be checked here" for check in rows)
    assert "73.68 and 73.56" in rows[0].paper


def test_every_data_figure_is_drawn(short, tmp_path):
    assert {name[:7] for name in short.figures} >= {f"s2-fig{number}" for number in (3, 4, 5, 6)}
    for path in papers.write_figures(short, tmp_path):
        assert "<svg" in path.read_text(encoding="utf-8")


def test_a_decision_table_is_right_by_hand():
    # Column 0 decides; column 1 is noise. Leave-one-out keeps column 0 alone.
    features = np.array([["a", "p"], ["a", "q"], ["a", "p"], ["b", "q"], ["b", "p"], ["b", "q"]])
    outcomes = np.array(["x", "x", "x", "y", "y", "y"])
    model = s2_models.fit_all(features, outcomes, seed=0, only=("DecisionTable",))["DecisionTable"]
    assert model.predict(np.array([["a", "q"], ["b", "p"]])).tolist() == ["x", "y"]
    assert model.columns == (0,)


@pytest.mark.parametrize("model", ["JRip", "Ridor"])
def test_a_rule_learner_finds_a_rule(model):
    generator = np.random.default_rng(0)
    features = generator.choice(["a", "b", "c"], size=(200, 3))
    outcomes = np.where(features[:, 0] == "a", "x", "z")
    fitted = s2_models.fit_all(features, outcomes, seed=1, only=(model,))[model]
    assert (fitted.predict(features) == outcomes).all()


def test_every_model_beats_guessing_on_simulated_choices():
    rows = simulate_lighting(rows=400, random_state=1)
    features = np.column_stack([rows[name] for name in FEATURES])
    models = s2_models.fit_all(features[:300], rows["light"][:300], seed=0)
    for name, model in models.items():
        right = np.mean(model.predict(features[300:]) == rows["light"][300:])
        assert right > 1 / 8, name


@pytest.mark.slow
def test_the_full_reproduction_agrees_with_the_claims_that_do_not_need_the_data():
    verdicts = {check.claim: check.verdict for check in s2.reproduce(random_state=2018).checks}
    for claim in (
        "no model is right more often than 50 %",
        "the best Relevance Score is about 73, well above accuracy",
        "with dice for outcomes accuracy is 1/8",
        "people's choices score above dice",
        "an inconsistent teacher costs relevance less than accuracy",
    ):
        assert verdicts[claim] == "holds", claim
