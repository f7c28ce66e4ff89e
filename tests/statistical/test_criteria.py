"""People drawn from what the search by criteria assumes, and some who slip more: is it right?

The people are written anew here, from the description of the model alone.
"""

import numpy as np
import pytest
from tests.statistical.judging import COVERAGES, covers, expected_counts, rank_among, uniform_ranks
from tests.statistical.weighing import Person

from howgood import learn

pytestmark = pytest.mark.slow
INTERVIEWS = 100


def _interviews(seed, *, flips=None, sd=0.0):
    """Yield the person, the true features, and the result of an interview about random tables."""
    for number in range(INTERVIEWS):
        rng = np.random.default_rng([seed, number])
        k, n = int(rng.integers(2, 6)), int(rng.integers(3, 9))
        true = 100 * rng.random((n, k))
        names = [f"c{place}" for place in range(k)]
        table = {"name": [f"a{row}" for row in range(n)]}
        for place, name in enumerate(names):
            table[name] = true[:, place] + sd * rng.normal(size=n)
            if sd:
                table[f"{name}_sd"] = np.full(n, sd)
        ways = {name: "max" if place % 2 else "min" for place, name in enumerate(names)}
        learner = learn.CriteriaElicitor(table, criteria=ways, random_state=number)
        person = Person(k, rng, flips=flips)

        def answer(one, other, person=person, learner=learner, names=names):
            sides = [np.array([[side.values[name] for name in names]]) for side in (one, other)]
            return person.choose(
                (learner.table.features(sides[0]) - learner.table.features(sides[1]))[0]
            )

        result = learn.ask_oracle(learner, answer)
        yield rng, person, learner.table.features(true), result


def _judged(interviews):
    ranks, hits, said, happened = [], {level: [] for level in COVERAGES}, [], []
    for rng, person, features, result in interviews:
        place = int(rng.integers(len(person.weights)))
        draws = list(result.weights.values())[place].draws
        ranks.append(rank_among(draws, person.weights[place], rng))
        for level in COVERAGES:
            lower, upper = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2])
            hits[level].append(lower <= person.weights[place] <= upper)
        best = int(np.argmax(features @ person.weights))
        leading = max(result.best_probability, key=result.best_probability.get)
        said.append(result.best_probability[leading])
        happened.append(leading == f"a{best}")
    return ranks, hits, np.array(said), np.array(happened)


def test_weights_and_the_best_alternative_are_as_probable_as_said(ledger):
    seed = 71001
    ranks, hits, said, happened = _judged(_interviews(seed))
    about = {
        "setting": "2 to 5 criteria, 3 to 8 alternatives; stopped when the best was settled",
        "seed": seed,
    }
    ledger.add("calibration", "weight of a criterion", uniform_ranks(ranks), **about)
    ledger.add("coverage", "weight of a criterion", covers(hits), **about)
    judgement = expected_counts(happened, said, what="leaders that are the best")
    ledger.add("probability", "alternative is the best", judgement, **about)
    ledger.settle()


def test_uncertain_scores_are_in_the_probability_of_the_best(ledger):
    seed = 71002
    _, _, said, happened = _judged(_interviews(seed, sd=10.0))
    judgement = expected_counts(happened, said, what="leaders that are the best")
    ledger.add(
        "probability", "alternative is the best, uncertain scores", judgement, seed=seed,
        setting="scores measured with a standard deviation of a tenth of their range",
    )  # fmt: skip
    ledger.settle()


def test_weights_hold_when_one_answer_in_ten_is_turned_round(ledger):
    seed = 71003
    _, hits, said, happened = _judged(_interviews(seed, flips=0.1))
    about = {
        "setting": "people who see every difference, 10 % of answers turned round: not the noise "
        "that is assumed; five points less, or any more, allowed",
        "seed": seed,
    }
    ledger.add(
        "coverage", "weight of a criterion, noise: flips",
        covers(hits, allowed=0.05, at_least=True), **about,
    )  # fmt: skip
    judgement = expected_counts(happened, said, what="leaders that are the best")
    ledger.add("probability", "alternative is the best, noise: flips", judgement, **about)
    ledger.settle()
