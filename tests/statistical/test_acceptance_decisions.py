"""Decisions from a posterior that is right by construction: do their own numbers hold?

The people asked are one of the draws of the posterior, and test sets come from Jeffreys' prior;
what is left to go wrong is the decision. Posteriors of real fits are in
`test_acceptability_studies`.
"""

import numpy as np
import pytest
from scipy.special import expit
from tests.statistical.judging import COVERAGES, covers, expected_counts
from tests.statistical.tally import Tally

from howgood import decide
from howgood.records.acceptance import AcceptanceDraws
from howgood.stats.power_mean import power_mean

pytestmark = pytest.mark.slow

N_DRAWS, SHARE, CERTAINTY = 1000, 0.6, 0.9
PEOPLE = np.linspace(-8, 8, 801)
WEIGHT = np.exp(-(PEOPLE**2) / 2) / np.exp(-(PEOPLE**2) / 2).sum()


class Posterior:
    """Draws of two applications about random places; one more draw is the truth."""

    def __init__(self, rng):
        self.applications = ("x", "y")
        self._draws, self.truth = {}, {}
        for name in self.applications:
            place = (rng.uniform(0.2, 0.8), rng.normal(-10, 2), rng.normal(14, 2), 2.0)
            z = rng.normal(size=(4, N_DRAWS + 1))
            columns = {
                "p": rng.choice([-1.0, 0.0, 1.0], N_DRAWS + 1),
                "alpha": np.clip(place[0] + 0.08 * z[0], 0.01, 0.99),
                "intercept": place[1] + 0.7 * z[1],
                "slope": place[2] + 0.7 * z[2],
                "person_sd": np.abs(place[3] + 0.4 * z[3]),
            }
            known = {key: values[1:] for key, values in columns.items()}
            self._draws[name] = AcceptanceDraws(application=name, **known)
            self.truth[name] = {key: float(values[0]) for key, values in columns.items()}

    def acceptance_draws(self, application):
        return self._draws[application]

    def share(self, application, precision, recall):
        """Return the true accepting share, people integrated by brute quadrature."""
        truth = self.truth[application]
        mean = float(power_mean(precision, recall, p=truth["p"], alpha=truth["alpha"]))
        place = truth["intercept"] + truth["slope"] * mean
        return float(expit(place + truth["person_sd"] * PEOPLE) @ WEIGHT)


def test_trade_offs_hold_what_they_say(ledger):
    seed = 20160
    rng = np.random.default_rng(seed)
    band, enough, one_less, reachable, reached = [], [], [], [], []
    for _ in range(400):
        posterior = Posterior(rng)
        found = decide.trade_off(posterior, "x", share=SHARE, certainty=CERTAINTY)
        place = int(rng.integers(60, 101))
        accuracy = float(found.curve["accuracy"][place])
        true = posterior.share("x", accuracy, accuracy)
        band.append(found.curve["lower"][place] <= true <= found.curve["upper"][place])
        if found.least_accuracy is not None:
            least = found.least_accuracy
            enough.append(posterior.share("x", least, least) >= SHARE)
            one_less.append(posterior.share("x", least - 0.01, least - 0.01) >= SHARE)
        target = decide.target(posterior, "x", share=0.9)
        reachable.append(target.reachable)
        reached.append(posterior.share("x", 1.0, 1.0) >= 0.9)
    setting = "posteriors that are right by construction, 1,000 draws"
    ledger.add("coverage", "trade-off: band of acceptance", covers({0.95: band}),
               setting=setting, seed=seed)  # fmt: skip
    ledger.add(
        "coverage", "trade-off: enough people at the least accuracy",
        covers({CERTAINTY: enough}, at_least=True),
        setting=f"{setting}; accuracies are whole points, so more than said may accept", seed=seed,
    )  # fmt: skip
    ledger.add(
        "coverage", "trade-off: not enough one point lower",
        covers({1 - CERTAINTY: ~np.array(one_less)}, at_least=True),
        setting=f"{setting}; the share is missed at least as often as the certainty allows",
        seed=seed,
    )  # fmt: skip
    ledger.add(
        "probability", "target: the share can be reached",
        expected_counts(reached, reachable, what="true"), setting=setting, seed=seed,
    )  # fmt: skip
    ledger.settle()


def test_the_best_application_is_best_as_often_as_said(ledger):
    seed = 20161
    rng = np.random.default_rng(seed)
    tally, said, best, sure = Tally(rng), [], [], []
    for _ in range(400):
        posterior = Posterior(rng)
        counts = rng.multinomial(150, rng.dirichlet([8.0, 2.0, 2.0, 8.0]))
        # Jeffreys' posterior, whatever the counts: the true cells are drawn given them.
        cells = rng.dirichlet(counts + 0.5)
        precision, recall = cells[0] / (cells[0] + cells[2]), cells[0] / (cells[0] + cells[1])
        labels = np.repeat([1, 1, 0, 0], counts), np.repeat([1, 0, 1, 0], counts)
        choice = decide.best_application(posterior, *labels, random_state=rng)
        shares = {name: posterior.share(name, precision, recall) for name in "xy"}
        said.append(choice.best_probability["x"])
        best.append(shares["x"] > shares["y"])
        sure.append(max(choice.best_probability.values()))
        tally.take("acceptance in an application", choice.acceptance["y"].draws, shares["y"])
    said, best, sure = np.array(said), np.array(best), np.array(sure) > 0.9
    likelier = np.where(said > 0.5, best, ~best)[sure]
    setting = "two applications, posteriors that are right by construction, test sets of 150 cases"
    for name, happened, probability in (
        ("application is the best", best, said),
        ("application is the best, where said with 90 % or more", likelier,
         np.maximum(said, 1 - said)[sure]),
    ):  # fmt: skip
        judgement = expected_counts(happened, probability, what="true")
        ledger.add("probability", name, judgement, setting=setting, seed=seed)
    tally.report(ledger, setting=setting, seed=seed)
    assert set(tally.hits["acceptance in an application"]) == set(COVERAGES)
    ledger.settle()
