"""One set of weights or two in turn: against importance sampling, and who is told from whom."""

import numpy as np
import pytest
from scipy.special import logsumexp

from howgood.stats.changed_weights import ChangeOfWeights
from howgood.stats.weighted_choices import Choices, drawn_particles, log_likelihoods


def _chosen(gaps, weights):
    return np.where(gaps @ np.array(weights) > 0, 0, 1)


def test_both_evidences_agree_with_importance_sampling():
    rng = np.random.default_rng(6)
    gaps = rng.uniform(-1, 1, (8, 3))
    said = np.append(_chosen(gaps[:5], [0.8, 0.1, 0.1]), _chosen(gaps[5:], [0.1, 0.1, 0.8]))
    choices, turns = Choices(differences=gaps, chosen=said), np.array([3, 4, 5, 6])
    change = ChangeOfWeights(3, turns, np.random.default_rng(1))
    change.take(choices)

    # The noise, the last four columns, is the same before and after the change.
    earlier, later = (drawn_particles(200_000, 3, np.random.default_rng(seed)) for seed in (7, 8))
    later[:, -4:] = earlier[:, -4:]
    before, after = (log_likelihoods(known, choices) for known in (earlier, later))
    unchanged = np.log(np.exp(before.cumsum(axis=1)).mean(axis=0))
    changed = logsumexp(
        [before[:, :turn].sum(axis=1) + after[:, turn:].sum(axis=1) for turn in turns]
    ) - np.log(turns.size * len(earlier))
    assert change.unchanged[0] == 0.0
    assert change.unchanged[1:] == pytest.approx(unchanged, abs=0.25)
    assert change.changed == pytest.approx(changed, abs=0.25)


def test_choices_taken_in_one_by_one_are_as_taken_in_at_once():
    rng = np.random.default_rng(2)
    gaps = rng.uniform(-1, 1, (14, 2))
    choices = Choices(differences=gaps, chosen=_chosen(gaps, [0.7, 0.3]))
    once, stepwise = (
        ChangeOfWeights(2, np.arange(6, 10), np.random.default_rng(3)) for _ in range(2)
    )
    once.take(choices)
    for n in range(1, 15):
        stepwise.take(choices.first(n))
    assert stepwise.unchanged == once.unchanged
    assert stepwise.changed == once.changed


@pytest.mark.parametrize(("later", "is_changed"), [([0.8, 0.1, 0.1], False),
                                                   ([0.1, 0.1, 0.8], True)])  # fmt: skip
def test_a_change_is_told_from_none(later, is_changed):
    gaps = np.random.default_rng(11).uniform(-1, 1, (30, 3))
    said = np.append(_chosen(gaps[:15], [0.8, 0.1, 0.1]), _chosen(gaps[15:], later))
    change = ChangeOfWeights(3, np.arange(6, 25), np.random.default_rng(5))
    change.take(Choices(differences=gaps, chosen=said))
    factor = change.changed - change.unchanged[-1]
    assert factor > np.log(20) if is_changed else factor < 0
