"""Judges corrected by few people: do intervals hold what all people would say?"""

import numpy as np
import pytest
from scipy.special import expit
from tests.statistical.judging import covers, expected_counts

from howgood import score

pytestmark = pytest.mark.slow

LENIENCY = (0.0, 0.25, 0.5, 1.0)
N_ITEMS, N_LABELS, STUDIES = 1000, 300, 250
# Design -> how many raters label each item.
DESIGNS = {"each item by one rater": 1, "each item by three raters": 3}
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(60)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()


def _truth(sd):
    """Share that passes over items (logit normal .8, 1.5) and raters: quadrature."""
    return float(_WEIGHTS @ expit(0.8 + 1.5 * _NODES[:, None] + sd * _NODES[None, :]) @ _WEIGHTS)


def _study(rng, n_raters, sd, per_item):
    hard = rng.normal(0.8, 1.5, N_ITEMS)
    judged = (rng.random(N_ITEMS) < expit(1.2 * hard + 0.4)).astype(float)
    lenient = rng.normal(0, sd, n_raters)
    per_item = min(per_item, n_raters)
    item = np.repeat(np.arange(N_LABELS // per_item), per_item)
    if per_item == 1:
        rater = np.arange(len(item)) % n_raters
    else:
        rater = rng.random((item.max() + 1, n_raters)).argsort(axis=1)[:, :per_item].ravel()
    said = (rng.random(len(item)) < expit(hard[item] + lenient[rater])).astype(float)
    labels = {"item": item, "rater": rater, "label": said, "judge": judged[item]}
    return labels, {"item": np.arange(N_ITEMS), "judge": judged}


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("n_raters", [3, 5, 8, 25])
def test_few_raters_of_differing_leniency(n_raters, design, ledger):
    seed = 20801
    for sd in LENIENCY:
        rng = np.random.default_rng([seed, n_raters, DESIGNS[design], int(100 * sd)])
        truth, held, off = _truth(sd), [], []
        said = float(_WEIGHTS @ expit(1.2 * (0.8 + 1.5 * _NODES) + 0.4))
        for _ in range(STUDIES):
            labels, scores = _study(rng, n_raters, sd, DESIGNS[design])
            report = score.judge(labels, scores=scores, random_state=rng)
            held.append(truth in report.corrected["all"].interval)
            off.append(said - truth in report.off["all"].interval)
        for name, hits in (("corrected pass rate", held), ("how far a judge is off", off)):
            ledger.add(
                "coverage",
                f"{name}, {n_raters} raters",
                covers({0.95: hits}, allowed=0.02, at_least=True),
                setting=f"{N_LABELS} labels of {N_ITEMS} items, {design}, leniency sd {sd:g} "
                "(logit); 93 % wanted",
                seed=seed,
            )
    ledger.settle()


def test_a_new_rater_for_every_item_is_as_narrow_as_plain_ppi(ledger):
    seed = 20802
    rng = np.random.default_rng(seed)
    held, ratios = [], []
    for _ in range(STUDIES):
        labels, scores = _study(rng, N_LABELS, 0.5, 1)
        found = score.judge(labels, scores=scores, random_state=rng).corrected["all"].interval
        said, judged, rest = labels["label"], labels["judge"], scores["judge"][N_LABELS:]
        weight = np.cov(said, judged)[0, 1] / scores["judge"].var() / (1 + N_LABELS / len(rest))
        variance = np.var(said - weight * judged) / N_LABELS + weight**2 * rest.var() / len(rest)
        ratios.append(found.width / (2 * 1.959964 * np.sqrt(variance)))
        held.append(_truth(0.5) in found)
    assert np.mean(ratios) < 1.1
    ledger.add(
        "coverage",
        "corrected pass rate, a rater per item",
        covers({0.95: held}, allowed=0.02, at_least=True),
        setting=f"{np.mean(ratios):.3f} times as wide as plain PPI++ (at most 1.1 wanted)",
        seed=seed,
    )
    ledger.settle()


@pytest.mark.parametrize("rate", [0.9, 0.96, 0.99])
@pytest.mark.parametrize("n_labels", [20, 60, 200])
def test_nearly_everything_passes(n_labels, rate, ledger):
    seed = 20806
    rng = np.random.default_rng([seed, n_labels, int(100 * rate)])
    held = []
    for _ in range(STUDIES):
        passes = (rng.random(N_ITEMS) < rate).astype(float)
        judged = np.where(rng.random(N_ITEMS) < 0.9, passes, 1 - passes)
        labels = {"item": np.arange(n_labels), "label": passes[:n_labels]}
        labels["judge"] = judged[:n_labels]
        scores = {"item": np.arange(N_ITEMS), "judge": judged}
        report = score.judge(labels, scores=scores, rater=None, random_state=rng)
        held.append(rate in report.corrected["all"].interval)
    ledger.add(
        "coverage",
        f"corrected pass rate, {rate:.0%} pass",
        covers({0.95: held}, allowed=0.02, at_least=True),
        setting=f"{n_labels} labels of {N_ITEMS} items, the judge right in 90 %; 93 % wanted",
        seed=seed,
    )
    ledger.settle()


def test_differences_agreement_bias_and_segments(ledger):
    """Two systems, twelve raters, two labels per output; length sways the judge."""
    seed, n_items, labelled = 20803, 800, 120
    rng = np.random.default_rng(seed)
    many = np.random.default_rng(1)
    hits = {name: [] for name in (
        "difference of corrected systems", "judge agrees with a person", "two people agree",
        "judge against a colleague", "bias of a judge by length", "corrected mean of a segment",
    )}  # fmt: skip
    truth = _agreement_truth(many)
    for _ in range(200):
        labels, scores = _two_systems(rng, n_items, labelled)
        report = score.judge(labels, scores=scores, system="system", bias=["length"],
                             segment="topic", random_state=rng)  # fmt: skip
        bias = next(report.bias.rows())
        segment = next(report.segments.rows())
        agreed = report.agreement
        found = (
            truth["gap"] in report.difference("b", "a").interval,
            truth["judge"] in agreed.judge_people.interval,
            truth["people"] in agreed.people_people.interval,
            truth["judge"] - truth["people"] in agreed.colleague.interval,
            bias["lower"] <= truth["slope"] <= bias["upper"],
            segment["lower"] <= truth["a"] <= segment["upper"],
        )
        for each, is_held in zip(hits.values(), found, strict=True):
            each.append(is_held)
    for name, held in hits.items():
        ledger.add(
            "coverage",
            name,
            covers({0.95: held}, allowed=0.02, at_least=True),
            setting="12 raters of leniency sd .5, two of them on each of 120 items, 800 judged",
            seed=seed,
        )
    ledger.settle()


def _two_systems(rng, n_items, labelled):
    hard = rng.normal(0.8, 1.5, (n_items, 1)) + rng.normal(0, 0.5, (n_items, 2)) + (0.0, 0.3)
    length = rng.normal(size=(n_items, 2))
    judged = (rng.random((n_items, 2)) < expit(1.2 * hard + 0.4 * length + 0.4)).astype(float)
    lenient = rng.normal(0, 0.5, 12)
    item = np.repeat(np.arange(labelled), 2)
    rater = rng.random((labelled, 12)).argsort(axis=1)[:, :2].ravel()
    columns = {
        name: [] for name in ("item", "rater", "label", "judge", "system", "length", "topic")
    }
    for place, name in enumerate("ab"):
        said = rng.random(len(item)) < expit(hard[item, place] + lenient[rater])
        values = (item, rater, said.astype(float), judged[item, place], [name] * len(item),
                  length[item, place], item % 2)  # fmt: skip
        for column, more in zip(columns.values(), values, strict=True):
            column.extend(np.asarray(more).tolist())
    scores = {"item": np.tile(np.arange(n_items), 2), "judge": judged.T.ravel(),
              "system": np.repeat(["a", "b"], n_items),
              "topic": np.tile(np.arange(n_items) % 2, 2)}  # fmt: skip
    return columns, scores


def _agreement_truth(rng, n=1_000_000):
    hard = rng.normal(0.8, 1.5, (n, 1)) + rng.normal(0, 0.5, (n, 2)) + (0.0, 0.3)
    length = rng.normal(size=(n, 2))
    judged = expit(1.2 * hard + 0.4 * length + 0.4)
    one, two = (expit(hard + rng.normal(0, 0.5, (n, 1))) for _ in range(2))
    return {
        "a": one[:, 0].mean(),
        "gap": one[:, 1].mean() - one[:, 0].mean(),
        "judge": np.mean(judged * one + (1 - judged) * (1 - one)),
        "people": np.mean(one * two + (1 - one) * (1 - two)),
        "slope": np.mean(length * (judged - one)) / np.mean(length**2),
    }


def test_an_interval_as_planned_is_as_narrow_as_planned(ledger):
    """A pilot of 12 raters plans; the planned design is narrow enough about as often as not."""
    seed = 20804
    rng = np.random.default_rng(seed)
    reached, wanted = [], 0.12
    for _ in range(120):
        labels, scores = _study(rng, 12, 0.5, 1)
        plan = score.judge(labels, scores=scores, random_state=rng).plan(width=wanted)
        n_labels = min(plan.labels, N_ITEMS)
        hard = rng.normal(0.8, 1.5, N_ITEMS)
        judged = (rng.random(N_ITEMS) < expit(1.2 * hard + 0.4)).astype(float)
        rater = np.arange(n_labels) % plan.raters
        lenient = rng.normal(0, 0.5, plan.raters)
        said = (rng.random(n_labels) < expit(hard[:n_labels] + lenient[rater])).astype(float)
        new = {
            "item": np.arange(n_labels),
            "rater": rater,
            "label": said,
            "judge": judged[:n_labels],
        }
        found = score.judge(new, scores={"item": np.arange(N_ITEMS), "judge": judged})
        reached.append(found.corrected["all"].interval.width <= 1.3 * wanted)
    ledger.add(
        "planning",
        "labels for a wanted width",
        expected_counts(~np.array(reached), np.full(len(reached), 0.2),
                        what="wider than 1.3 times the wanted width", at_most=True),
        setting="pilot of 12 raters and 300 labels; one in five may be wider",
        seed=seed,
    )  # fmt: skip
    ledger.settle()


def test_a_judge_that_did_not_change_has_not_drifted(ledger):
    seed = 20805
    rng = np.random.default_rng(seed)
    held = []
    for _ in range(2000):
        quality = rng.normal(size=60)
        first, later = (
            {"item": np.arange(60), "judge": np.round(quality + rng.normal(0, 0.7, 60))}
            for _ in range(2)
        )
        held.append(not score.judge_drift(first, later).has_drifted)
    ledger.add("coverage", "drift of a judge", covers({0.95: held}, allowed=0.01),
               setting="60 anchors scored twice with noise, no change", seed=seed)  # fmt: skip
    ledger.settle()
