"""Relevance Scores of test rows drawn from a known population, and weights learned from grades."""

from functools import cache

import numpy as np
import pytest
from tests.statistical.judging import covers
from tests.statistical.tally import Tally

from howgood import learn, score
from howgood.show.relevance import differences

pytestmark = pytest.mark.slow


LIMITS = {"alpha": {"alpha": 1.0, "beta": 0.0}, "beta": {"alpha": 0.0, "beta": 1.0}}


class Population:
    """Twenty thousand people, and a table of outcomes made from other rows."""

    def __init__(self, each, seed):
        rng = np.random.default_rng(seed)
        self.each, self.n_people = each, 20_000
        chances = rng.dirichlet(np.full(6, 0.6), size=30)
        self.context = rng.integers(0, 30, self.n_people * each)
        n = self.context.size
        skill = np.repeat(rng.beta(0.8, 0.8, self.n_people), each)
        self.truth = (chances[self.context].cumsum(axis=1) < rng.random((n, 1))).sum(axis=1)
        self.guess = np.where(rng.random(n) < skill, self.truth, rng.integers(0, 6))
        self.other = np.where(rng.random(n) < 0.6 * skill, self.truth, rng.integers(0, 6, n))
        seen = rng.integers(0, 30, 600)
        outcome = (chances[seen].cumsum(axis=1) < rng.random((600, 1))).sum(axis=1)
        self.table = learn.outcome_probabilities(
            {"c": seen, "y": outcome}, outcome="y", context=["c"], reference="train"
        )
        self._contexts = self.table.encode({"c": self.context})

    @cache  # noqa: B019 - one population per proof
    def score(self, model="guess", **weights):
        """Return the score of everybody."""
        return score.relevance_score(
            self.truth, getattr(self, model), contexts=self._contexts, table=self.table, **weights
        )

    def report(self, rng, *, people, grouped, model="guess"):
        chosen = rng.choice(self.n_people, people, replace=False)
        rows = (chosen[:, None] * self.each + np.arange(self.each)).ravel()
        return score.relevance_report(
            self.truth[rows], getattr(self, model)[rows], contexts={"c": self.context[rows]},
            table=self.table, groups=rows // self.each if grouped else None,
            resamples=500, random_state=rng,
        )  # fmt: skip


@pytest.mark.parametrize("grouped", [False, True])
def test_intervals_hold_the_score_of_all_rows(grouped, ledger):
    seed = 20130
    rng = np.random.default_rng([seed, grouped])
    population, tally = Population(4 if grouped else 1, seed), Tally(rng, kind="quantile")
    name = "Relevance Score" + (", people grouped" if grouped else "")
    for _ in range(800):
        report = population.report(rng, people=100, grouped=grouped)
        tally.take(name, report.estimate.draws, population.score())
        for limit, weights in LIMITS.items():
            estimate = getattr(report, f"at_infinite_{limit}")
            tally.take(f"{name}, infinite {limit}", estimate.draws, population.score(**weights))
    tally.report_coverage(
        ledger,
        setting="100 people of 20,000; two points allowed: the bootstrap of 100 units is an "
        "approximation",
        seed=seed,
        allowed=0.02,
    )
    ledger.settle()


@pytest.mark.parametrize("people", [5, 12, 100])
def test_intervals_of_few_people_and_of_the_gap_between_models(people, ledger):
    seed = 20132
    rng = np.random.default_rng([seed, people])
    population, tally = Population(4, seed), Tally(rng, kind="quantile")
    truth = population.score() - population.score("other")
    for _ in range(800):
        one = int(rng.integers(2**31))
        reports = [
            population.report(np.random.default_rng(one), people=people, grouped=True, model=model)
            for model in ("guess", "other")
        ]
        tally.take("Relevance Score, few people", reports[0].estimate.draws, population.score())
        gap = reports[0].estimate.draws - reports[1].estimate.draws
        tally.take("gap between two Relevance Scores", gap, truth)
    tally.report_coverage(
        ledger,
        setting=f"{people} people of 20,000, four rows each; three points allowed: scores are skew",
        seed=seed,
        allowed=0.03,
    )
    ledger.settle()


class Tastes:
    """People who differ in taste, and a model that predicts one outcome per context."""

    def __init__(self, seed, *, contexts, each, reference):
        rng = np.random.default_rng(seed)
        self.each, self.reference = each, reference
        self.chances = rng.dirichlet(np.full(6, 0.6), size=contexts)
        self.model = np.array([rng.choice(6, p=chance) for chance in self.chances])

    def ask(self, rng, people):
        """Ask so many people; their own choices are the table."""
        who = np.repeat(np.arange(people), self.each)
        context = rng.integers(0, len(self.chances), who.size)
        taste = rng.standard_gamma(2.0 * np.repeat(self.chances[None], people, axis=0) + 1e-3)
        taste = (taste / taste.sum(axis=2, keepdims=True))[who, context]
        choice = np.minimum((taste.cumsum(axis=1) < rng.random((who.size, 1))).sum(axis=1), 5)
        rows = {"c": context, "y": choice, "who": who}
        folds = "who" if self.reference == "cross-fit" else None
        table = learn.outcome_probabilities(
            rows, outcome="y", context=["c"], reference=self.reference, folds=folds
        )
        return (choice, self.model[context]), {"contexts": rows, "table": table}

    def score(self, rng, people):
        """Return the score of so many other people."""
        outcomes, given = self.ask(rng, people)
        return score.relevance_score(*outcomes, **given)

    def interval(self, rng, people):
        outcomes, given = self.ask(rng, people)
        who = given["contexts"]["who"]
        report = score.relevance_report(
            *outcomes, **given, groups=who, resamples=400, random_state=rng
        )
        return report.estimate.interval


@pytest.mark.parametrize(
    ("people", "reference"), [(20, "all"), (20, "cross-fit"), (60, "all"), (60, "cross-fit")]
)
def test_intervals_hold_the_score_of_other_people(people, reference, ledger):
    """Other people would have brought other choices, and with them another table."""
    seed, n_models, n_studies = 20134, 10, 40
    rng = np.random.default_rng([seed, people, reference == "all"])
    held = []
    for number in range(n_models):
        tastes = Tastes([seed, number], contexts=6, each=6, reference=reference)
        truth = np.mean([tastes.score(rng, people) for _ in range(300)])
        held += [truth in tastes.interval(rng, people) for _ in range(n_studies)]
    ledger.add(
        "coverage",
        "Relevance Score of other people",
        covers({0.95: held}, allowed=0.03, at_least=True),
        setting=f"{people} people of different tastes, six rows each, table from their own "
        f"choices (reference {reference}); intervals may hold more, three points less allowed",
        seed=seed,
    )
    ledger.settle()


class Good:
    """Twenty thousand rows of two models that are right equally often."""

    def __init__(self, accuracy, seed):
        rng = np.random.default_rng(seed)
        rows = Population(1, seed)
        self.table, self.context, self.truth = rows.table, rows.context, rows.truth
        n = len(self.truth)
        self.guesses = [
            np.where(rng.random(n) < accuracy, self.truth, rng.integers(0, 6, n)) for _ in range(2)
        ]
        self.score = score.relevance_score(
            self.truth, self.guesses[0], contexts={"c": self.context}, table=self.table
        )

    def reports(self, n, rng):
        rows, one = rng.choice(len(self.truth), n, replace=False), int(rng.integers(2**31))
        return {
            name: score.relevance_report(
                self.truth[rows], guess[rows], contexts={"c": self.context[rows]},
                table=self.table, resamples=500, random_state=one,
            )
            for name, guess in zip("ab", self.guesses, strict=True)
        }  # fmt: skip


@pytest.mark.parametrize("rows", [10, 30, 100])
def test_good_models_are_neither_certain_nor_clearly_ahead_of_their_like(rows, ledger):
    seed = 20133
    rng = np.random.default_rng([seed, rows])
    models = Good(0.95, seed)
    held, quiet = [], []
    for _ in range(500):
        reports = models.reports(rows, rng)
        held.append(models.score in reports["a"].estimate.interval)
        quiet.append(not any("clearly ahead" in said and "not clearly" not in said
                             for said in differences(reports)))  # fmt: skip
    setting = f"{rows} rows, right in 95 %; intervals may hold more, two points less allowed"
    for name, hits in (
        ("Relevance Score, good model", held),
        ("equal models are not called clearly ahead", quiet),
    ):
        ledger.add("coverage", name, covers({0.95: hits}, allowed=0.02, at_least=True),
                   setting=setting, seed=seed)  # fmt: skip
    ledger.settle()


def _graded(table, rng, *, share, people, each):
    """Grades of wrong predictions by people of different severity."""
    n = people * each
    context = rng.integers(0, 12, n)
    pairs = np.argsort(rng.random((n, 5)), axis=1)[:, :2]
    shares = table.lookup({"c": context})
    actual, predicted = (shares[np.arange(n), pairs[:, side]] for side in (0, 1))
    distance = share * (shares.max(axis=1) - predicted) + (1 - share) * abs(predicted - actual)
    who = np.repeat(np.arange(people), each)
    error = 0.15 + 0.8 * distance + rng.normal(0, 0.04, people)[who] + rng.normal(0, 0.08, n)
    return {"c": context, "y": pairs[:, 0], "shown": pairs[:, 1], "who": who,
            "grade": 100 - 100 * np.clip(error, 0, 1)}  # fmt: skip


def test_intervals_hold_the_share_people_used(ledger):
    seed, share = 20131, 0.6
    rng = np.random.default_rng(seed)
    chances = rng.dirichlet(np.full(5, 0.8), size=12)
    context = np.repeat(np.arange(12), 60)
    outcome = (chances[context].cumsum(axis=1) < rng.random((720, 1))).sum(axis=1)
    table = learn.outcome_probabilities(
        {"c": context, "y": np.minimum(outcome, 4)}, outcome="y", context=["c"]
    )
    tally = Tally(rng)
    for _ in range(2000):
        fit = learn.fit_relevance_weights(
            _graded(table, rng, share=share, people=30, each=8), table=table,
            predicted="shown", grade="grade", respondent="who", draws=1000, random_state=rng,
        )  # fmt: skip
        tally.take("weights of the Relevance Score", fit.alpha_share.draws, share)
        tally.take("error at zero distance", fit.base_error.draws, 0.15)
    tally.report_coverage(
        ledger,
        setting="30 people grade 8 mismatches each; two points allowed: the Bayesian bootstrap "
        "of 30 people is an approximation",
        seed=seed,
        allowed=0.02,
    )
    ledger.settle()
