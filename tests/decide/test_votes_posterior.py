"""Votes of few systems against their exact posterior, integrated on a grid.

The model of `rank_votes` without ties and sides: strengths are N(0, 3²) beforehand, and N(0, tau²)
with tau flat, which integrates to the sum of their squares to the power of -(K - 2) / 2.
"""

import numpy as np
import pytest

from howgood import decide

THREE = [("a", "b", 60), ("b", "a", 40)]
FOUR = [("a", "b", 40), ("b", "a", 27), ("a", "c", 45), ("c", "a", 22), ("b", "c", 36),
        ("c", "b", 30)]  # fmt: skip


def _votes(won):
    """Wins of one over the other, so many of them; sides take turns."""
    rows = [
        (first, second, "left") if place % 2 else (second, first, "right")
        for first, second, n in won
        for place in range(n)
    ]
    return dict(zip(("left", "right", "winner"), map(list, zip(*rows, strict=True)), strict=True))


def _exact_errors(won, last):
    """Probabilities that `last` is behind each of the others: gaps to the first on a sinh grid."""
    names = sorted({name for first, second, _ in won for name in (first, second)})
    k, ends = len(names), np.arcsinh(28.0)
    even = np.linspace(-ends, ends, 161 if k == 3 else 121)
    gaps = np.meshgrid(*[np.sinh(even) / 2] * (k - 1), indexing="ij")
    theta = dict(zip(names, [np.zeros_like(gaps[0]), *gaps], strict=True))
    middle = sum(theta.values()) / k
    squares = sum((value - middle) ** 2 for value in theta.values())
    log_p = sum(np.log(part) for part in np.meshgrid(*[np.cosh(even)] * (k - 1), indexing="ij"))
    log_p = log_p - (k - 2) / 2 * np.log(np.maximum(squares, 1e-4)) - squares / (2 * 3.0**2)
    for first, second, n in won:
        log_p = log_p - n * np.logaddexp(0, theta[second] - theta[first])
    p = np.exp(log_p - log_p.max())
    p /= p.sum()
    return {
        name: p[theta[last] < value].sum() + p[theta[last] == value].sum() / 2
        for name, value in theta.items()
        if name != last
    }


@pytest.mark.parametrize("n", [12, 3, 1])
@pytest.mark.parametrize(("others", "last"), [(THREE, "c"), (FOUR, "d")])
def test_a_system_that_won_all_of_few_votes(others, last, n):
    won = [*others, (last, "a", n)]
    found = decide.rank_votes(_votes(won))
    for name, exact in _exact_errors(won, last).items():
        assert found.error(last, name) == pytest.approx(exact, abs=0.03), name


def test_a_system_that_won_most_of_its_votes_against_everybody():
    won = [*FOUR, ("d", "a", 5), ("a", "d", 1), ("d", "b", 5), ("d", "c", 5)]
    found = decide.rank_votes(_votes(won))
    for name, exact in _exact_errors(won, "d").items():
        assert found.error("d", name) == pytest.approx(exact, abs=0.03), name


def test_two_hundred_votes_in_balance():
    found = decide.rank_votes(_votes(FOUR))
    for name, exact in _exact_errors(FOUR, "c").items():
        assert found.error("c", name) == pytest.approx(exact, abs=0.01), name


def test_equal_systems_stay_as_they_were_given():
    won = [("a", "b", 50), ("b", "a", 50), ("c", "a", 6), ("c", "b", 6)]
    assert decide.rank_votes(_votes(won)).order == ("c", "a", "b")
