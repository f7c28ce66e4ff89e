"""Correlations of questions, with an interval that few people ask for."""

import numpy as np
import pytest
from scipy.stats import spearmanr, t

from howgood import ask, learn
from howgood.learn.correlations import correlations_by_part


def _answers(first, second, person):
    n = len(person)
    return ask.read_answers(
        {"participant": person, "application": ["x"] * n, "precision": np.linspace(0.5, 1, n),
         "recall": [0.8] * n, "rating": first, "usefulness": second},
        scale=7,
    )  # fmt: skip


def test_the_interval_is_students_over_people_left_out_in_turn():
    rng = np.random.default_rng(4)
    person = np.repeat(np.arange(6), 4)
    first = rng.integers(1, 8, 24)
    second = np.clip(first + rng.integers(-2, 3, 24), 1, 7)
    row = learn.item_correlations(_answers(first, second, [f"p{k}" for k in person]))
    left_out = [spearmanr(first[person != k], second[person != k]).statistic for k in range(6)]
    se = np.sqrt(5 / 6 * np.sum((left_out - np.mean(left_out)) ** 2))
    rho = spearmanr(first, second).statistic
    assert row["se"][0] == pytest.approx(se)
    # Five degrees of freedom: 2.571 standard errors, where 1.96 held 87 to 89 %.
    assert row["lower"][0] == pytest.approx(rho - t.ppf(0.975, 5) * se)
    assert row["upper"][0] == pytest.approx(min(rho + t.ppf(0.975, 5) * se, 1.0))


def test_two_people_have_no_interval():
    row = learn.item_correlations(_answers([1, 2, 5], [1, 3, 4], ["a", "a", "b"]))
    assert np.isnan([row["se"][0], row["lower"][0], row["upper"][0]]).all()


def test_a_part_that_was_asked_one_question_has_no_correlation():
    table = {
        "participant": ["a", "b", "c"] * 2, "application": ["x"] * 6,
        "part": ["imagined"] * 3 + ["use"] * 3,
        "precision": [0.5, 0.7, 0.9] * 2, "recall": [0.8] * 6, "rating": [2, 4, 6, 3, 5, 7],
        "usefulness": [1, 3, 6, np.nan, np.nan, np.nan],
    }  # fmt: skip
    rows = correlations_by_part(ask.read_answers(table, scale=7))
    assert rows["part"].tolist() == ["imagined"]
    assert rows["spearman"].tolist() == [1.0]
