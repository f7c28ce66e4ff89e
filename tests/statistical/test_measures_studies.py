"""Simulated studies of people who follow one of several measures: is it found as often as said?"""

import warnings

import numpy as np
import pytest
from scipy.special import expit
from tests.statistical.judging import agree, expected_counts, rank_among, uniform_ranks

from howgood import ask, learn
from howgood.errors import UngatedPosteriorError
from howgood.learn.measure_weights import THREE

pytestmark = pytest.mark.slow

MEASURES = ("F", "G", "weighted mean", "error rate")
SCENARIOS = ask.scenarios()
PRECISION = np.array([scenario.precision for scenario in SCENARIOS])
RECALL = np.array([scenario.recall for scenario in SCENARIOS])


def _values(name, rng):
    """Return the measure of every scenario, on the range the geometric mean has, .5 to 1."""
    if name == "weighted mean":
        alpha = rng.random()
        return alpha * PRECISION + (1 - alpha) * RECALL
    errors = 1 - RECALL + RECALL * (1 / PRECISION - 1)
    values = {
        "F": 2 * PRECISION * RECALL / (PRECISION + RECALL),
        "G": np.sqrt(PRECISION * RECALL),
        "error rate": -errors,
    }[name]
    low, high = (end(np.sqrt(PRECISION * RECALL)) for end in (np.min, np.max))
    return low + (values - values.min()) / np.ptp(values) * (high - low)


def _people(name, rng, people, truth=None):
    """Return answers of people whose parameters come from the default priors, and the truth."""
    if truth is None:
        level, slope = rng.normal(0, 1.6), abs(rng.normal(0, 15))
        truth = {"values": _values(name, rng), "level": level, "slope": slope,
                 "sd": abs(rng.normal(0, 2.5))}  # fmt: skip
    center = truth["level"] + truth["slope"] * (truth["values"] - 0.75)
    seen = np.array([rng.permutation(len(SCENARIOS))[:8] for _ in range(people)])
    leniency = rng.normal(0, truth["sd"], (people, 1))
    accepts = rng.random(seen.shape) < expit(center[seen] + leniency)
    rows = {
        "participant": np.repeat([f"p{number}" for number in range(people)], 8),
        "application": np.full(seen.size, "x", dtype=object),
        "precision": PRECISION[seen].ravel(),
        "recall": RECALL[seen].ravel(),
        "accepted": accepts.ravel().astype(int),
    }
    return rows, truth


def _compared(rows, rng, measures=MEASURES):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return learn.compare_measures(
            rows, measures=measures, flawless=False, draws=400, random_state=rng
        )


def test_measures_are_as_probable_as_said(ledger):
    seed, wanted = 20261, 60
    rng = np.random.default_rng(seed)
    happened, said, used = [], [], 0
    for _ in range(wanted):
        name = MEASURES[rng.integers(len(MEASURES))]
        compared = _compared(_people(name, rng, 25)[0], rng)
        if not compared.table["reliable"].all():
            continue
        used += 1
        rows = {row["measure"]: row for row in compared.table.rows()}
        likeliest = max(rows, key=lambda each: rows[each]["probability"])
        happened.append(likeliest == name)
        said.append(rows[likeliest]["probability"])
    ledger.add(
        "probability",
        "measures: which one people follow",
        expected_counts(happened, said, what="the likeliest is the true one"),
        setting=f"25 people × 8 scenarios, one of {', '.join(MEASURES)}; parameters from the "
        f"default priors; {wanted - used} of {wanted} left out: a failed gate",
        seed=seed,
    )
    ledger.settle()


def test_scores_of_people_left_out_are_those_of_new_people(ledger):
    """On average a person left out is predicted as well as a new one by one person fewer."""
    seed, wanted, people = 20262, 40, 25
    rng = np.random.default_rng(seed)
    gaps = []
    for _ in range(wanted):
        rows, _ = _people("G", rng, people + 1)
        new = rows["participant"] == f"p{people}"
        left = _compared({name: column[~new] for name, column in rows.items()}, rng, ("G",))
        whole = _compared(rows, rng, ("G",))
        # log p(new | the others) is the ratio of the two evidences.
        apart = whole.table["log_evidence"][0] - left.table["log_evidence"][0]
        gaps.append(left.table["held_out_log_score"][0] / people - apart)
    gaps = np.array(gaps)
    z = float(gaps.mean() / (gaps.std(ddof=1) / np.sqrt(wanted)))
    ledger.add(
        "brute force",
        "measures: score of people left out",
        agree(z, found=f"left out less new, per person: {gaps.mean():+.3f} nats"),
        setting=f"{people} people × 8 scenarios, {wanted} studies, parameters from the priors",
        seed=seed,
    )
    ledger.settle()


def _three(rng, people, per_person=10):
    """Return answers of people who weigh three measures, their weights, and whether all count.

    Every second study is of people to whom specificity means nothing. Scenarios differ in how
    many other cases there are, so that specificity varies on its own.
    """
    does_count = bool(rng.random() < 0.5)
    weights = rng.dirichlet(np.ones(3)) if does_count else np.append(rng.dirichlet(np.ones(2)), 0.0)
    p = int(rng.choice([-1, 0, 1]))
    level, slope, sd = rng.normal(0, 1.6), abs(rng.normal(0, 15)), abs(rng.normal(0, 2.5))
    seen = np.array([rng.permutation(len(SCENARIOS))[:per_person] for _ in range(people)])
    cases = rng.choice((1.2, 3.0, 15.0), seen.shape)
    specificity = 1.0 - np.minimum(RECALL[seen] * (1.0 / PRECISION[seen] - 1.0) / cases, 1.0)
    rates = np.stack([PRECISION[seen], RECALL[seen], specificity])
    by_weight = weights[:, None, None]
    if p == 0:
        mean = np.exp((by_weight * np.log(rates)).sum(axis=0))
    else:
        mean = (by_weight * rates**p).sum(axis=0) ** (1 / p)
    chance = expit(level + slope * (mean - 0.75) + rng.normal(0, sd, (people, 1)))
    rows = {
        "participant": np.repeat([f"p{number}" for number in range(people)], per_person),
        "application": np.full(seen.size, "x", dtype=object),
        "precision": rates[0].ravel(),
        "recall": rates[1].ravel(),
        "specificity": rates[2].ravel(),
        "accepted": (rng.random(seen.shape) < chance).ravel().astype(int),
    }
    return rows, dict(zip(THREE, weights, strict=True)), does_count


def test_weights_of_three_measures_are_calibrated(ledger):
    seed, wanted, people = 20263, 320, 20
    rng = np.random.default_rng(seed)
    ranks, happened, said = {name: [] for name in THREE}, [], []
    for _ in range(wanted):
        rows, truth, does_count = _three(rng, people)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                fit = learn.fit_acceptability(
                    rows, measures=THREE, flawless=False, engine="importance", draws=1000,
                    random_state=rng,
                )  # fmt: skip
        except UngatedPosteriorError:
            continue
        measured = fit.measured
        if measured.probability_counting is not None:
            happened.append(does_count)
            said.append(measured.probability_counting)
        if does_count:
            for name, draws in measured.weight_draws("x").items():
                ranks[name].append(rank_among(draws, truth[name], rng))
    setting = (
        f"{people} people × 10 scenarios, specificity varying on its own; parameters from the "
        f"default priors, every second study without specificity; {wanted - len(said)} of "
        f"{wanted} left out: a failed gate"
    )
    for name in THREE:
        judged = uniform_ranks(ranks[name])
        ledger.add(
            "calibration", f"three measures: weight of {name}", judged, setting=setting, seed=seed
        )
    ledger.add(
        "probability",
        "three measures: specificity counts",
        expected_counts(happened, said, what="specificity counts"),
        setting=setting,
        seed=seed,
    )
    ledger.settle()
