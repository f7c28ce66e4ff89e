"""The Relevance Score's experiments 4.1 to 4.4 on simulated choices of light.

In: a seed. Out: scores per model and shuffle. Absent: judging them against the paper
(`paper`), and the breakout data, which is not public.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from howgood.ask.lighting import simulate_lighting
from howgood.flow.reproduce.s2.models import STANDS_FOR, fit_all
from howgood.learn.outcomes import outcome_probabilities
from howgood.records.outcomes import OutcomeTable, Reference
from howgood.records.progress import Progress
from howgood.records.table import Table
from howgood.score.relevance_reporting import RelevanceReport, relevance_report

MODELS = tuple(STANDS_FOR)
FEATURES = ("user", "activity", "area", "company", "time", "daylight")
CONTEXT = FEATURES[1:]  # the user is dropped "for generalisation" (section 3.1)
SHUFFLES, TRAIN_SHARE = 10, 0.7


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcomes:
    """Every model's reports over the shuffles, on one data set.

    `reports[model]` has one report per shuffle with the paper's table (reference "all"),
    `honest[model]` one with the cross-fitted table.
    """

    data: Table
    table: OutcomeTable
    reports: dict[str, list[RelevanceReport]]
    honest: dict[str, list[RelevanceReport]]

    def accuracy(self, model: str) -> NDArray[np.float64]:
        """Return the accuracy per shuffle, in percent."""
        return np.array([100 * report.accuracy for report in self.reports[model]])

    def score(
        self, model: str, *, alpha_share: float = 2 / 3, honest: bool = False
    ) -> NDArray[np.float64]:
        """Return the Relevance Score per shuffle at any alpha share."""
        reports = self.honest[model] if honest else self.reports[model]
        at_alpha = np.array([report.at_infinite_alpha.mean for report in reports])
        at_beta = np.array([report.at_infinite_beta.mean for report in reports])
        return alpha_share * at_alpha + (1.0 - alpha_share) * at_beta

    def mean(self, model: str, *, alpha_share: float = 2 / 3, honest: bool = False) -> float:
        """Return the mean Relevance Score over the shuffles."""
        return float(self.score(model, alpha_share=alpha_share, honest=honest).mean())

    def baseline(self, name: str, *, honest: bool = False) -> float:
        """Return the mean of a baseline over the shuffles; it is the same for every model."""
        reports = (self.honest if honest else self.reports)[MODELS[0]]
        return float(np.mean([getattr(report, name) for report in reports]))


def run(
    *,
    seed: int,
    random_outcomes: bool,
    progress: Progress,
    shuffles: int = SHUFFLES,
) -> Outcomes:
    """Fit six models on each of ten 70/30 shuffles and score them."""
    data = simulate_lighting(random_outcomes=random_outcomes, random_state=seed)
    features = np.column_stack([data[name] for name in FEATURES])
    tables = {reference: _table(data, reference) for reference in ("all", "cross-fit")}
    found: dict[str, dict[str, list[RelevanceReport]]] = {
        reference: {model: [] for model in MODELS} for reference in tables
    }
    generator = np.random.default_rng(seed)
    for shuffle in range(shuffles):
        order = generator.permutation(len(data))
        cut = round(TRAIN_SHARE * len(data))
        train, test = order[:cut], order[cut:]
        models = fit_all(features[train], data["light"][train], seed=shuffle)
        here = {name: data[name][test] for name in CONTEXT}
        for model, fitted in models.items():
            predicted = fitted.predict(features[test])
            for reference, table in tables.items():
                found[reference][model].append(
                    relevance_report(
                        data["light"][test],
                        predicted,
                        contexts=here,
                        table=table,
                        # A single row leaves an empty context behind: leaving out the wrong
                        # ones alone would flatter every model.
                        unseen="marginal",
                        resamples=200,
                        random_state=shuffle,
                    )
                )
        progress((shuffle + 1) / shuffles, "dice" if random_outcomes else "choices of light")
    return Outcomes(data=data, table=tables["all"], reports=found["all"], honest=found["cross-fit"])


def _table(data: Table, reference: Reference) -> OutcomeTable:
    return outcome_probabilities(
        data, outcome="light", context=FEATURES, drop=["user"], reference=reference
    )
