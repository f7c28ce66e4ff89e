"""Crowds drawn from what is assumed about them: middle, spread, people, one or two."""

import numpy as np
import pytest
from tests.statistical.judging import expected_counts
from tests.statistical.tally import Tally

from howgood.learn.elicitation.stakeholders import crowd_of

pytestmark = pytest.mark.slow


def test_a_crowd_is_calibrated(ledger):
    seed = 20404
    rng = np.random.default_rng(seed)
    tally = Tally(rng, kind="quantile")
    for _ in range(300):
        centre, spread = rng.normal(0, 2.5), abs(rng.normal(0, 1.0))
        errors = rng.uniform(0.1, 0.8, 10)
        people = rng.normal(centre, spread, 10)
        if abs(centre) > 5.5 or spread > 2.9:
            continue  # beyond what the grid holds: a ratio of 1 to 250
        found = crowd_of(rng.normal(people, errors), errors, rng)
        tally.take("crowd: the person in the middle", found.centre, centre)
        tally.take("crowd: spread between people", found.spread, spread)
        tally.take("crowd: one person given the others", found.people[:, 0], people[0])
    tally.report_coverage(ledger, setting="ten people, each known with an error", seed=seed)
    ledger.settle()


def test_two_crowds_happen_as_often_as_said(ledger):
    seed = 20405
    rng = np.random.default_rng(seed)
    said, happened = [], []
    for _ in range(600):
        errors = rng.uniform(0.1, 0.5, 12)
        is_two = rng.random() < 0.5
        if is_two:
            centres = np.sort(rng.normal(0, 2.5, 2))
            spread, share = abs(rng.normal(0, 0.5)), rng.uniform(0.1, 0.9)
            people = rng.normal(centres[(rng.random(12) < share).astype(int)], spread)
        else:
            people = rng.normal(rng.normal(0, 2.5), abs(rng.normal(0, 1.0)), 12)
        said.append(crowd_of(rng.normal(people, errors), errors, rng).p_two)
        happened.append(is_two)
    ledger.add(
        "probability",
        "people form two crowds",
        expected_counts(happened, said, what="two crowds"),
        setting="twelve people, one crowd or two with even chances",
        seed=seed,
    )
    ledger.settle()
