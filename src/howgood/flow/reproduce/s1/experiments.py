"""The paper's search on the paper's data, beside the search that expects noise.

In: matrices of several splits, simulated respondents. Out: tables. Absent: verdicts
(see `checks`), pictures (see `figures`).
"""

from collections.abc import Sequence
from itertools import product

import numpy as np

from howgood import ask, learn
from howgood.learn.elicitation.bisection import Rule
from howgood.records.confusion import ThresholdMatrices
from howgood.records.elicitation import AnsweredQuery, Query
from howgood.records.elicited_metric import LinearMetric
from howgood.records.progress import Progress
from howgood.records.table import Table

# The metrics and agreements printed in Table 3, respondents S1 to S10.
TABLE_3_A0 = (0.125, 0.141, 0.125, 0.141, 0.328, 0.031, 0.031, 0.359, 0.125, 0.141)
TABLE_3_M = (87, 100, 93, 100, 73, 87, 100, 87, 93, 87)
WEIGHTS = (0.03, 0.05, 0.08, 0.1, 0.125, 0.141, 0.18, 0.22, 0.28, 0.33, 0.36, 0.5)
NOISES: dict[str, dict[str, float | None]] = {
    "no noise": {"flips": 0.0, "sensitivity": None},
    "10 % flips": {"flips": 0.1, "sensitivity": None},
    "logistic, s = 1": {"flips": 0.0, "sensitivity": 1.0},
}
COUNTS = (5, 10, 20)


def reachable_outcomes(*, tolerance: float) -> tuple[float, ...]:
    """Return every a0 Algorithm 1 can print: halves start 0, 1 or 2 quarters into the interval.

    Examples
    --------
    >>> outcomes = reachable_outcomes(tolerance=0.05)
    >>> len(outcomes), outcomes[0] * 64, outcomes[-1] * 64
    (63, 1.0, 63.0)
    """
    rounds = 0
    while 0.5**rounds > tolerance:
        rounds += 1
    found = set()
    for halves in product((0, 1, 2), repeat=rounds):
        start, width = 0.0, 1.0
        for half in halves:
            start, width = start + half * width / 4, width / 2
        found.add(start + width / 2)
    return tuple(sorted(found))


def recovered(splits: Sequence[ThresholdMatrices], *, seed: int) -> Table:
    """Return what each search makes of consistent respondents, one row per weight and split."""
    rows: dict[str, list[float]] = {
        "split": [], "a0": [], "first decrease": [], "default order": [], "mixture": [],
    }  # fmt: skip
    for number, matrices in enumerate(splits):
        for a0 in np.linspace(0.03, 0.5, 16).tolist():
            person = LinearMetric(a0=a0).prefers
            rows["split"].append(number)
            rows["a0"].append(a0)
            rules: tuple[tuple[str, Rule], ...] = (
                ("first decrease", "first"),
                ("default order", "default"),
            )
            for name, rule in rules:
                search = learn.Bisection(matrices, rule=rule)
                rows[name].append(learn.ask_oracle(search, person).a0)
            learner = learn.Elicitor(
                matrices, random_state=seed, min_queries=20, max_queries=20, catch_pairs=0,
                repeats=0,
            )  # fmt: skip
            result = learn.ask_oracle(learner, person)
            rows["mixture"].append(result.a0.mean)
    return Table(rows)


def errors_by_questions(
    splits: Sequence[ThresholdMatrices], *, seed: int, progress: Progress
) -> Table:
    """Return mean absolute errors of a0: Algorithm 1 at its end, the mixture along the way."""
    rows: dict[str, list[object]] = {"noise": [], "search": [], "questions": [], "error": []}
    for step, (noise, slips) in enumerate(NOISES.items()):
        progress(0.3 + 0.6 * step / len(NOISES), f"respondents with {noise}")
        found: dict[tuple[str, int], list[float]] = {}
        for number, (matrices, a0) in enumerate(product(splits, WEIGHTS)):
            for key, error in _errors(matrices, a0, slips, seed + number).items():
                found.setdefault(key, []).append(error)
        for (search, questions), values in sorted(found.items()):
            rows["noise"].append(noise)
            rows["search"].append(search)
            rows["questions"].append(questions)
            rows["error"].append(float(np.mean(values)))
    return Table({name: np.array(values) for name, values in rows.items()})


def _errors(
    matrices: ThresholdMatrices, a0: float, slips: dict[str, float | None], seed: int
) -> dict[tuple[str, int], float]:
    def person() -> ask.respondent.Respondent:
        return ask.simulate_respondent(
            LinearMetric(a0=a0),
            flips=slips["flips"] or 0.0,
            sensitivity=slips["sensitivity"],
            random_state=seed,
        )

    bisected = learn.ask_oracle(learn.Bisection(matrices), person())
    errors = {("Algorithm 1", 20): abs(bisected.a0 - a0)}
    learner = learn.Elicitor(
        matrices, random_state=seed, min_queries=20, max_queries=20, catch_pairs=0, repeats=0
    )
    answer = person()
    while (query := learner.query()) is not None:
        learner.answer(answer(query.first, query.second))
        if query.number in COUNTS:
            estimate = learner.result().a0
            errors["mixture", query.number] = abs(estimate.mean - a0) if estimate else np.nan
    return errors


def random_threshold_queries(
    matrices: ThresholdMatrices, *, n: int, seed: int
) -> tuple[Query, ...]:
    """Return questions as Phase III draws them: two random thresholds, identical ones left out."""
    thresholds = np.random.default_rng(seed).random((20 * n, 2))
    pairs = [(matrices.at(one), matrices.at(other)) for one, other in thresholds.tolist()]
    differing = [(one, other) for one, other in pairs if one != other]
    return tuple(Query(first=one, second=other) for one, other in differing[:n])


def constant_agreement(queries: Sequence[Query]) -> tuple[tuple[float, float], ...]:
    """Return (a0, M) of the constant metric a0 = 0.141 for respondents with other weights."""
    constant = LinearMetric(a0=9 / 64)
    pairs = []
    for a0 in (0.03, 0.08, 0.125, 0.141, 0.2, 0.28, 0.36):
        person = LinearMetric(a0=a0)
        answered = [
            AnsweredQuery(query=each, choice=person.prefers(each.first, each.second))
            for each in queries
        ]
        pairs.append((a0, learn.agreement(constant, answered).percent))
    return tuple(pairs)
