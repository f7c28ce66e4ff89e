"""Release decisions: are equal systems shipped at most at the level, and do verdicts hold again?"""

import os
from pathlib import Path

import numpy as np
import pytest
from tests.statistical.judging import covers, expected_counts

from howgood import decide

pytestmark = pytest.mark.slow

_BESIDE = Path(__file__).parents[3] / "shared" / "data"
GRADES = Path(os.environ.get("HOWGOOD_DATA", _BESIDE)) / "wmt23_mqm_zhen.csv"

# Design -> items, clusters (0: none), repeats, and whether answers are right or wrong.
DESIGNS = {
    "200 items, right or wrong": (200, 0, 1, True),
    "60 items three times, right or wrong": (60, 0, 3, True),
    "300 items of 20 documents, right or wrong": (300, 20, 1, True),
    "100 items, graded": (100, 0, 1, False),
}


def _logs(rng, design, gap=0.0):
    n, n_clusters, repeats, is_binary = DESIGNS[design]
    item, _ = (each.ravel() for each in np.indices((n, repeats)))
    topic = np.arange(n) % max(n_clusters, 1)
    hard = rng.normal(0, 1, n) + rng.normal(0, 1, max(n_clusters, 1))[topic]
    logs = []
    for strength in (0.0, gap):
        own = rng.normal(0, 0.5, n) + rng.normal(0, 0.4, max(n_clusters, 1))[topic] * (
            n_clusters > 0
        )
        value = (hard + own + strength)[item] + rng.logistic(0, 1, item.size)
        score = (value > 0).astype(float) if is_binary else value
        logs.append({"item": item, "score": score, "topic": topic[item]})
    return logs, "topic" if n_clusters else None


@pytest.mark.parametrize("design", DESIGNS)
def test_equal_systems_are_shipped_at_most_at_the_level(design, ledger):
    seed, studies = 20811, 400
    rng = np.random.default_rng([seed, list(DESIGNS).index(design)])
    shipped, stopped, held = [], [], []
    for _ in range(studies):
        logs, cluster = _logs(rng, design)
        found = decide.ship(*logs, metric="score", cluster=cluster)
        shipped.append(found.verdict == "ship")
        stopped.append(found.verdict == "do not ship")
        held.append(0.0 in found.difference.interval)
    level = np.full(studies, 0.05)
    for name, wrong in (("shipped though equal", shipped), ("stopped though equal", stopped)):
        ledger.add(
            "probability",
            name,
            expected_counts(wrong, level, what=name, at_most=True),
            setting=design,
            seed=seed,
        )
    ledger.add(
        "coverage",
        "difference of two evaluations",
        covers({0.9: held}, allowed=0.02, at_least=True),
        setting=design,
        seed=seed,
    )
    ledger.settle()


def _ever_shipped(rng, looks):
    """Whether equal systems are shipped at any of 23 looks."""
    parts = [_logs(rng, design)[0] for design in list(DESIGNS)[:3:2]]
    scores = [np.concatenate([part[place]["score"] for part in parts]) for place in range(2)]
    return any(
        decide.ship(
            *({"item": np.arange(n), "score": each[:n]} for each in scores),
            metric="score",
            looks=looks,
        ).verdict
        == "ship"
        for n in range(40, 500, 20)
    )


def test_looking_every_twenty_items_keeps_the_level(ledger):
    seed, studies = 20812, 150
    rng = np.random.default_rng(seed)
    ever = [_ever_shipped(rng, "many") for _ in range(studies)]
    ledger.add(
        "probability",
        "ever shipped though equal, many looks",
        expected_counts(ever, np.full(studies, 0.05), what="shipped at any look", at_most=True),
        setting="a look every 20 items, 40 to 500; rho for 500 items",
        seed=seed,
    )
    ledger.settle()


def test_looking_again_and_again_at_single_looks_does_not():
    rng = np.random.default_rng(20817)
    assert np.mean([_ever_shipped(rng, "one") for _ in range(60)]) > 0.1


def test_a_verdict_on_one_half_is_right_as_often_as_said(ledger):
    """Systems differ by a random amount; the verdict's error is compared with the truth."""
    seed = 20813
    rng = np.random.default_rng(seed)
    said, wrong, above, held = [], [], [], []
    for _ in range(500):
        gap = rng.uniform(-1.5, 1.5)
        logs, _ = _logs(rng, "100 items, graded", gap)
        found = decide.ship(*logs, metric="score", bar=0.0)
        looks_better = found.difference.mean > 0
        p = found.comparisons[0].p_better
        said.append(1 - p if looks_better else p)
        wrong.append(looks_better != (gap > 0))
        above.append(1 - found.p_above_bar)
        held.append(gap <= 0)
    ledger.add(
        "probability",
        "the better evaluation is not the better system",
        expected_counts(wrong, said, what="order opposite"),
        setting="100 items, graded; flat prior over the difference",
        seed=seed,
    )
    ledger.add(
        "probability",
        "the candidate is below the bar",
        expected_counts(held, above, what="below the bar"),
        setting="100 items, graded; flat prior over the candidate's mean",
        seed=seed,
    )
    ledger.settle()


def test_needed_items_settle_it(ledger):
    """With as many items as asked for, about half of repetitions or more give a verdict."""
    seed = 20814
    rng = np.random.default_rng(seed)
    settled = []
    for _ in range(200):
        gaps = rng.normal(0.2, 1, 40)
        gaps += 0.2 - gaps.mean()
        found = decide.ship(
            {"item": np.arange(40), "s": np.zeros(40)},
            {"item": np.arange(40), "s": gaps},
            metric="s",
        )
        n = 40 + (found.needed or 0)
        more = rng.normal(0.2, 1, n)
        again = decide.ship(
            {"item": np.arange(n), "s": np.zeros(n)}, {"item": np.arange(n), "s": more}, metric="s"
        )
        settled.append(again.verdict == "ship")
    ledger.add(
        "planning",
        "needed items for a verdict",
        expected_counts(~np.array(settled), np.full(200, 0.55), what="still open", at_most=True),
        setting="difference .2 of sd 1, 40 items; half of repetitions settle",
        seed=seed,
    )
    ledger.settle()


def test_cost_ratios(ledger):
    seed = 20815
    rng = np.random.default_rng(seed)
    held = []
    for _ in range(1000):
        size = rng.lognormal(0, 0.6, 50)
        logs = [
            {
                "item": np.arange(50),
                "s": rng.normal(size=50),
                "cost": size * rng.lognormal(0, 0.3, 50) * times,
            }
            for times in (1.0, 0.4)
        ]
        held.append(0.4 in decide.ship(*logs, metric="s").cost.interval)
    ledger.add(
        "coverage",
        "ratio of costs",
        covers({0.9: held}, allowed=0.02),
        setting="50 items, lognormal costs",
        seed=seed,
    )
    ledger.settle()


@pytest.mark.skipif(not GRADES.exists(), reason="shared data is not here")
def test_verdicts_on_half_of_the_documents_hold_on_the_other_half(ledger):
    """Public grades of translations: pairs of systems, documents split in two at random."""
    import polars as pl

    seed = 20816
    rng = np.random.default_rng(seed)
    table = pl.read_csv(GRADES)
    table = table.with_columns(item=pl.col("doc").cast(str) + "/" + pl.col("segment").cast(str))
    by = {name[0]: part for name, part in table.group_by("system")}
    docs = np.array(sorted(table["doc"].unique().to_list()))
    names, said, reversed_ = sorted(by), [], []
    for _ in range(60):
        a, b = rng.choice(len(names), 2, replace=False)
        half = set(rng.permutation(docs)[: len(docs) // 2].tolist())
        sides = []
        for is_first in (True, False):
            logs = []
            for name in (names[a], names[b]):
                mine = by[name].filter(pl.col("doc").is_in(list(half)) == is_first)
                logs.append(
                    {
                        "item": mine["item"].to_numpy(),
                        "penalty": mine["penalty"].to_numpy(),
                        "doc": mine["doc"].to_numpy(),
                    }
                )
            sides.append(
                decide.ship(*logs, metric="penalty", cluster="doc", lower_is_better=["penalty"])
            )
        if sides[0].verdict == "not enough evidence":
            continue
        said.append(sides[0].error)
        opposite = {"ship": "do not ship", "do not ship": "ship"}[sides[0].verdict]
        reversed_.append(sides[1].verdict == opposite)
    ledger.add(
        "probability",
        "a verdict is reversed on other documents",
        expected_counts(reversed_, np.maximum(said, 0.01), what="reversed", at_most=True),
        setting=f"WMT 2023 zh-en, {len(said)} verdicts of 60 random pairs and halves",
        seed=seed,
    )
    ledger.settle()


@pytest.mark.parametrize("n", [3, 5, 10, 20])
@pytest.mark.parametrize("gap", [0.0, 1.5])
def test_few_items(n, gap, ledger):
    """Right or wrong, easy and hard data sets; the true difference is that of a million items."""
    seed = 20821
    rng = np.random.default_rng([seed, n, int(2 * gap)])
    held, own, shipped = [], [], []
    for easy in (0.0, 2.5):
        truth = _verdicts(np.random.default_rng([seed, 0]), 10**6, easy, gap).mean(axis=1)
        for _ in range(1000):
            logs = [{"item": np.arange(n), "score": side} for side in _verdicts(rng, n, easy, gap)]
            found = decide.ship(*logs, metric="score")
            held.append((truth[1] - truth[0] if gap else 0.0) in found.difference.interval)
            own.append(truth[1] in found.comparisons[0].candidate.interval)
            shipped.append(found.verdict == "ship")
    setting = f"{n} items, right or wrong, " + ("a better candidate" if gap else "equal systems")
    for name, hits in (
        ("difference of two evaluations, few items", held),
        ("pass rate of one system, few items", own),
    ):
        result = covers({0.9: hits}, at_least=True)
        ledger.add("coverage", name, result, setting=setting, seed=seed)
    if not gap:
        result = expected_counts(shipped, np.full(2000, 0.05), what="shipped", at_most=True)
        ledger.add(
            "probability", "shipped though equal, few items", result, setting=setting, seed=seed
        )
    ledger.settle()


def _verdicts(rng, n, easy, gap):
    hard = rng.normal(easy, 1.5, n)
    return np.array(
        [hard + better + rng.normal(0, 0.5, n) + rng.logistic(size=n) > 0 for better in (0.0, gap)],
        dtype=float,
    )


@pytest.mark.parametrize("n", [20, 100, 400])
def test_rates_of_failure_are_below_what_is_tolerated_as_often_as_said(n, ledger):
    """Flat prior over the rate, on both sides of what is tolerated.

    The test is exact for every rate, so that on average it is wrong less often than said.
    """
    seed = 20822
    rng = np.random.default_rng([seed, n])
    said, wrong = [], []
    for _ in range(600):
        rate = rng.uniform(0.0, 0.3)
        failed = (rng.random(n) < rate).astype(float)
        base = {"item": np.arange(n), "good": rng.random(n), "invented": np.zeros(n)}
        candidate = {"item": np.arange(n), "good": rng.random(n), "invented": failed}
        found = decide.ship(base, candidate, metric="good", bar={"invented": 0.1})
        p_below = found.p_tolerated["invented"]
        said.append(min(p_below, 1 - p_below))
        wrong.append((p_below > 0.5) != (rate < 0.1))
    ledger.add(
        "probability",
        "a rate of failure is below what is tolerated",
        expected_counts(wrong, said, what="on the other side", at_most=True),
        setting=f"{n} answers, a tenth tolerated; flat prior over the rate",
        seed=seed,
    )
    ledger.settle()


def test_a_rate_at_the_limit_passes_at_most_at_the_level(ledger):
    """The rate is exactly what is tolerated: one in 50, and 40 to 300 answers."""
    seed, limit = 20823, 0.02
    rng = np.random.default_rng(seed)
    passed, stopped = [], []
    for n in (40, 100, 150, 200, 300):
        for _ in range(400):
            failed = (rng.random(n) < limit).astype(float)
            base = {"item": np.arange(n), "good": np.zeros(n), "invented": np.zeros(n)}
            candidate = {"item": np.arange(n), "good": np.ones(n), "invented": failed}
            found = decide.ship(base, candidate, metric="good", bar={"invented": limit})
            passed.append(found.verdict == "ship")
            stopped.append(found.verdict == "do not ship")
    level = np.full(len(passed), 0.05)
    for name, wrong in (("passed", passed), ("stopped", stopped)):
        ledger.add(
            "probability",
            f"{name} though the rate of failure is what is tolerated",
            expected_counts(wrong, level, what=name, at_most=True),
            setting="40 to 300 answers, one in 50 tolerated",
            seed=seed,
        )
    ledger.settle()
