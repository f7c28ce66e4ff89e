"""Thresholds and study sizes, from populations that are known exactly."""

import numpy as np
import pytest
from scipy.special import ndtr
from tests.statistical.judging import Judgement, agree, covers, two_sided
from tests.statistical.tally import Tally

from howgood import ask, decide, learn, score
from howgood.records.acceptance import AcceptanceDraws

pytestmark = pytest.mark.slow

GRID = np.linspace(-3, 6, 9001)
# Share of positives, distance of the classes in sd, cases in the test set.
POPULATIONS = ((0.2, 1.5, 200), (0.2, 1.5, 1000), (0.05, 2.0, 1000))
METRICS = (score.PowerMean(p=0, alpha=0.5), score.LinearMetric(a0=0.2))


def _cells(share, apart, at):
    found, alarms = share * ndtr(apart - at), (1 - share) * ndtr(-np.asarray(at))
    return found, share - found, alarms, 1 - share - alarms


def test_thresholds_chosen_on_a_test_set_are_honest_about_it(ledger):
    seed = 20152
    rng = np.random.default_rng(seed)
    best, there = Tally(rng, kind="quantile"), Tally(rng)
    for share, apart, n in POPULATIONS:
        for metric in METRICS:
            truth = float(GRID[np.argmax(metric.of_counts(*_cells(share, apart, GRID)))])
            for _ in range(70):
                positive = (rng.random(n) < share).astype(int)
                scores = rng.normal(apart * positive)
                choice = decide.threshold(metric, positive, scores, random_state=rng)
                found, missed, alarms, _ = _cells(share, apart, choice.chosen)
                best.take("best threshold", choice.threshold.draws, truth)
                there.take(
                    "precision at the chosen threshold",
                    choice.precision.draws,
                    float(found / (found + alarms)),
                )
                there.take(
                    "recall at the chosen threshold",
                    choice.recall.draws,
                    float(found / (found + missed)),
                )
    for tally in (best, there):
        for name, hits in tally.hits.items():
            ledger.add(
                "coverage",
                name,
                covers(hits, allowed=0.02),
                setting="two metrics, 200 and 1,000 cases, 5 and 20 % positive; two points "
                "allowed: the bootstrap of a maximum is an approximation",
                seed=seed,
            )
    ledger.settle()


def test_acceptance_at_the_chosen_threshold_is_honest_about_it(ledger):
    seed, share, apart, n = 20153, 0.2, 1.5, 400
    rng = np.random.default_rng(seed)
    tally = Tally(rng)
    spread = rng.normal(size=(3, 400))
    people = AcceptanceDraws(
        application="alarm",
        p=np.zeros(400),
        alpha=np.clip(0.3 + 0.1 * spread[0], 0.01, 0.99),
        intercept=-6 + 0.5 * spread[1],
        slope=10 + 0.5 * spread[2],
        person_sd=np.full(400, 2.0),
    )
    for _ in range(250):
        positive = (rng.random(n) < share).astype(int)
        scores = rng.normal(apart * positive)
        choice = decide.threshold(people, positive, scores, random_state=rng)
        found, missed, alarms, _ = _cells(share, apart, choice.chosen)
        # The people asked are one of those the posterior holds possible.
        known = people.taken(rng.integers(400, size=1))
        accepting = known.shares(found / (found + alarms), found / (found + missed))
        tally.take("acceptance at the chosen threshold", choice.acceptance.draws, accepting[0])
    ledger.add(
        "coverage",
        "acceptance at the chosen threshold",
        covers(tally.hits["acceptance at the chosen threshold"], allowed=0.02),
        setting="400 cases, 20 % positive, people known by 400 draws; two points allowed as above",
        seed=seed,
    )
    ledger.settle()


APPLICATIONS = {
    "text": {"alpha": 0.25, "intercept": -13.0, "slope": 16.0},
    "police": {"alpha": 0.65, "intercept": -17.0, "slope": 20.0},
}


def test_studies_of_the_size_recommended_are_as_precise_as_promised(ledger):
    """The calculator simulates with one seed; fresh studies with another one judge it."""
    seed, wanted, studies = 20154, 0.25, 40
    size = decide.study_size(
        APPLICATIONS, width=wanted, people=(15, 25, 35), studies=studies, random_state=seed
    )
    rng = np.random.default_rng([seed, 1])
    widths, covered = {name: [] for name in APPLICATIONS}, {name: [] for name in APPLICATIONS}
    for _ in range(studies):
        answers = ask.simulate_answers(
            APPLICATIONS, people=size.people, per_person=8, random_state=rng
        )
        fit = learn.fit_acceptability(answers, means=(0,), draws=1000, random_state=rng)
        for name, known in APPLICATIONS.items():
            interval = fit.estimate("alpha", name).interval
            widths[name].append(interval.width)
            covered[name].append(known["alpha"] in interval)
    z, said_and_found = [], []
    for name, fresh in widths.items():
        here = (size.widths["people"] == size.people) & (size.widths["application"] == name)
        said, got = float(size.widths["width"][here][0]), float(np.mean(fresh))
        # Both are means of as many simulated studies with the same spread.
        z.append((got - said) / (np.std(fresh, ddof=1) * np.sqrt(2 / studies)))
        said_and_found.append(f"{name}: said {said:.3f}, found {got:.3f}")
    setting = f"two applications, width {wanted} wanted, {size.people} people recommended"
    ledger.add(
        "planning",
        "study size: width of alpha's interval",
        agree(z, found="; ".join(said_and_found)),
        setting=setting,
        seed=seed,
    )
    widest = max(float(np.mean(each)) for each in widths.values())
    se = max(float(np.std(each, ddof=1)) for each in widths.values()) / np.sqrt(studies)
    ledger.add(
        "planning",
        "study size: wanted width is reached",
        Judgement(
            n=studies,
            found=f"widest mean width {widest:.3f}, wanted {wanted}",
            p_value=min(1.0, two_sided(max(widest - wanted, 0.0) / se)),
            notices=f"a mean width above {wanted + 4.6 * se:.3f}",
        ),
        setting=setting,
        seed=seed,
    )
    ledger.add(
        "coverage",
        "study size: alpha's interval",
        covers({0.95: np.concatenate(list(covered.values()))}),
        setting=setting + "; a fixed truth, the product's own wide priors",
        seed=seed,
    )
    ledger.settle()
