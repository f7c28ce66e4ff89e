"""Seventeen kinds of respondents by two shares of positives: who is described, and how well.

Each kind is written from its description alone (see `respondents`). The rows are written to
docs/_data/respondents.json, and a page of docs/explanation is drawn from them. A run renews the
kinds that ran. Interviews about criteria, classes, groups and quantiles follow, with people of five
kinds (docs/_data/weighing.json).
"""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import log_expit
from tests.ledgers import alone
from tests.statistical import respondents, weighing

from howgood import learn

pytestmark = pytest.mark.slow

DOCS = Path(__file__).parents[2] / "docs"
ROWS = DOCS / "_data" / "respondents.json"
WEIGHED = DOCS / "_data" / "weighing.json"
PAGE = DOCS / "explanation" / "respondents.md"
SHARES, INTERVIEWS, PEERS = (0.36, 0.1), 24, 8
RARE_SHARES = (0.01, 0.001)
# With rare positives: who must be described, with slips and without, and who must be caught.
RARE_KINDS = ("linear", "F-beta", "cap on misses", "linear, 10 % flips", "random clicks")
ASKED = [(kind, share) for kind in respondents.FITTING + respondents.NOT_FITTING
         for share in (SHARES + RARE_SHARES if kind in RARE_KINDS else SHARES)]  # fmt: skip
SEED = 88031  # not one that anything was designed with
# What is asked of each kind: the most whom no metric is said to describe, and the least who are
# given no metric, for that reason or because their answers say too little.
NOISY = ("linear, 10 % flips", "linear, 20 % flips", "linear, logistic s = 1",
         "linear, logistic s = .3")  # fmt: skip
AT_MOST = dict.fromkeys(("linear", "F-beta", "cap on misses"), 0.05) | dict.fromkeys(NOISY, 0.13)
AT_LEAST = {"random clicks": 0.85, "always left": 0.85, "tires": 0.85, "changes midway": 0.75}
# Whoever answers without error is given a threshold that forgoes at most so much of the gain, and
# hardly more than the published search.
CLEAN = ("linear", "F-beta", "cap on misses", "cap on false alarms", "both limits",
         "square-root costs", "quadratic costs")  # fmt: skip
MOST_REGRET, WORSE_THAN_PUBLISHED = 0.02, 0.01
NAMES = ("respondent", "positives", "misfit", "too little", "a0 covered", "M", "regret",
         "Algorithm 1", "random pairs")  # fmt: skip


@pytest.mark.parametrize(("kind", "share"), ASKED)
def test_each_kind_of_respondent_is_described_or_told_that_nothing_describes_them(kind, share):
    row = _row(kind, share)
    with alone(ROWS.parent):
        rows = json.loads(ROWS.read_text()) if ROWS.exists() else []
        kept = [
            one_row
            for one_row in rows
            if (one_row["respondent"], one_row["positives"]) != (kind, share)
        ]
        order = [*respondents.FITTING, *respondents.NOT_FITTING]
        rows = sorted([*kept, row], key=lambda x: (order.index(x["respondent"]), -x["positives"]))
        ROWS.write_text(json.dumps(rows, indent=1) + "\n")
        _write_page()
    assert row["misfit"] <= AT_MOST.get(kind, 1.0)
    assert row["misfit"] + row["too little"] >= AT_LEAST.get(kind, 0.0)
    if kind == "linear":
        assert row["no simple rule"] == 0
    if kind in CLEAN:
        assert row["regret"] <= MOST_REGRET
        assert row["regret"] <= row["Algorithm 1"] + WORSE_THAN_PUBLISHED


def _row(kind, share):
    data = [respondents.systems(share, SEED + k) for k in range(3)]
    reachable = [learn.threshold_matrices(*each, out_of="auto") for each in data]
    flagged, little, unruly, covered, agreed = [], [], [], [], []
    regrets = {"ours": [], "Algorithm 1": [], "random pairs": []}
    for number in range(INTERVIEWS):
        matrices, labelled = reachable[number % 3], data[number % 3]

        def person(number=number):
            rng = np.random.default_rng([SEED, number, *kind.encode()])
            return respondents.make(kind, rng, share)

        who = person()
        result = learn.ask_oracle(learn.Elicitor(matrices, random_state=SEED + number), who)
        flagged.append(not result.fits)
        unruly.append(result.family == "monotone")
        little.append(result.fits and result.evidence == "little")
        if result.agreement is not None:
            agreed.append(result.agreement.percent)
        if result.a0 is not None and getattr(who, "a0", None) is not None:
            covered.append(who.a0 in result.interval)
        if who.value is None:
            continue
        if result.matrix is not None:
            regrets["ours"].append(_regret(who.value, matrices, result.counts))
        if number < PEERS:
            bisected = learn.ask_oracle(learn.Bisection(matrices), person()).a0
            fitted = _random_pairs(matrices, person(), number)
            for name, threshold in (("Algorithm 1", bisected), ("random pairs", fitted)):
                counts = _at(threshold, *labelled)
                regrets[name].append(_regret(who.value, matrices, counts))
    return {
        "respondent": kind, "positives": share, "misfit": float(np.mean(flagged)),
        "too little": float(np.mean(little)), 
        "no simple rule": float(np.mean(unruly)),
        "a0 covered": _mean(covered), "M": _mean(agreed), "regret": _mean(regrets["ours"]),
        "Algorithm 1": _mean(regrets["Algorithm 1"]),
        "random pairs": _mean(regrets["random pairs"]), "interviews": INTERVIEWS,
    }  # fmt: skip


def _mean(values):
    return float(np.mean(values)) if values else None


def _regret(value, matrices, counts):
    """Return what is forgone, as a share of what the best threshold gains over an average one."""
    every = [matrices.counts.matrix(index) for index in range(len(matrices.counts.missed))]
    values = np.array([respondents._of(value, each) for each in every])
    gain = values.max() - values.mean()
    lost = values.max() - respondents._of(value, counts)
    return float(lost / gain) if gain > 0 else 0.0


def _at(threshold, truth, scores):
    flagged = scores >= threshold
    cells = (truth & flagged, truth & ~flagged, ~truth & flagged, ~truth & ~flagged)
    names = ("true_positives", "false_negatives", "false_positives", "true_negatives")
    return learn.ConfusionMatrix(
        **{name: int(cell.sum()) for name, cell in zip(names, cells, strict=True)}
    )


def _random_pairs(matrices, person, number, n=25):
    """Return a0 by penalised logistic regression on as many pairs drawn at random."""
    rng = np.random.default_rng([SEED, number])
    rows, chosen = [], []
    for _ in range(n):
        one, other = (matrices[i] for i in rng.choice(len(matrices), 2, replace=False))
        chosen.append({"first": 1.0, "second": 0.0}.get(person(one, other), 0.5))
        gaps = (
            one.true_negatives - other.true_negatives,
            one.true_positives - other.true_positives,
        )
        rows.append(np.array(gaps) / one.total)
    x, y = np.array(rows), np.array(chosen)

    def loss(weights):
        odds = x @ weights
        return -(y * log_expit(odds) + (1 - y) * log_expit(-odds)).sum() + 1e-3 * weights @ weights

    cleared, found = np.maximum(minimize(loss, np.ones(2)).x, 1e-9)
    return cleared / (cleared + found)


# Of each kind, the least and the most who may be given a result; and so many are interviewed.
GIVEN = {"no slips": (1.0, 1.0, 12), "10 % slips": (0.85, 1.0, 24), "20 % slips": (0.7, 1.0, 24),
         "random clicks": (0.0, 0.15, 24), "always left": (0.0, 0.15, 12),
         "changes midway": (0.0, 0.25, 24)}  # fmt: skip
WEIGHING_SEED = 88052  # fresh too: 500 to 900 and 88051 were for design
LEAST_COVERED = 0.88


CHANGES = "changes midway"
WEIGHING = [(about, kind) for about in weighing.INTERVIEWS for kind in GIVEN
            if about == "criteria" or kind != CHANGES]  # fmt: skip


@pytest.mark.parametrize(("about", "kind"), WEIGHING)
def test_slips_leave_a_result_about_weights_and_carelessness_none(about, kind):
    least, most, n = GIVEN[kind]
    row = _weighed(about, kind, n)
    with alone(WEIGHED.parent):
        rows = json.loads(WEIGHED.read_text()) if WEIGHED.exists() else []
        kept = [one for one in rows if (one["interview"], one["respondent"]) != (about, kind)]
        rows = sorted(
            [*kept, row], key=lambda one: WEIGHING.index((one["interview"], one["respondent"]))
        )
        WEIGHED.write_text(json.dumps(rows, indent=1) + "\n")
        _write_page()
    assert least <= row["given"] <= most


def test_intervals_of_weights_hold_those_of_people_who_slip():
    """All interviews together: of each kind alone there are too few."""
    rows = [one for one in json.loads(WEIGHED.read_text()) if one["n intervals"]]
    assert {one["respondent"] for one in rows} >= {"no slips", "10 % slips", "20 % slips"}
    held = sum(one["covered"] * one["n intervals"] for one in rows)
    assert held / sum(one["n intervals"] for one in rows) >= LEAST_COVERED


def _weighed(about, kind, n):
    given, misfit, little, questions, held = [], [], [], [], []
    for number in range(n):
        rng = np.random.default_rng([WEIGHING_SEED, number, *f"{about} {kind}".encode()])
        learner = weighing.INTERVIEWS[about](WEIGHING_SEED + number, rng)
        person = weighing.Person(len(learner.table.criteria), rng,
                                 flips=weighing.SLIPS.get(kind, 0.0))  # fmt: skip
        later, at = person, 0
        if kind == CHANGES:
            later, at = weighing.far_from(person, rng), int(rng.integers(8, 13))
        while (query := learner.shown()) is not None:
            who = person if query.number <= at else later
            learner.answer(weighing.reply(kind, who, learner, query, rng))
        result = learner.result()
        named = result.best if about == "criteria" else result.metric
        given.append(named is not None)
        misfit.append(bool(result.misfit))
        little.append(not result.misfit and named is None)
        questions.append(len(learner.answers))
        if named is not None and kind in weighing.SLIPS:
            known = [result.quantile] if about == "quantile" else list(result.weights.values())
            held += [true in one.interval for one, true in zip(known, person.weights, strict=False)]
    return {
        "interview": about, "respondent": kind, "given": float(np.mean(given)),
        "misfit": float(np.mean(misfit)), "too little": float(np.mean(little)),
        "covered": _mean(held), "n intervals": len(held), "questions": float(np.mean(questions)),
        "interviews": n,
    }  # fmt: skip


def _write_page():
    rows, weighed = (
        json.loads(path.read_text()) if path.exists() else [] for path in (ROWS, WEIGHED)
    )
    PAGE.write_text(_page(rows) + _weighed_page(weighed))


def _weighed_page(rows):
    lines = [
        "",
        "## Criteria, classes, groups and quantiles",
        "",
        "The same test for interviews about weights: people who see every difference and slip so "
        "often, and people who do not look. Given: share with a result, that is a best "
        "alternative, weights or a ratio. At least 85 % of those with 10 % slips and 70 % with "
        "20 % were to get one, everybody without, at most 15 % of the careless, and 25 % of those "
        "who change their mind after 8 to 12 questions. Covered: "
        "share of the 90 % intervals of weights that hold, of those with a result.",
        "",
        "| interview about | respondent | interviews | given | misfit | too little | covered | "
        "questions |",
        "|---|---|" + "---:|" * 6,
    ]
    for row in rows:
        cells = [
            row["interview"], row["respondent"], f"{row['interviews']}",
            *(f"{100 * row[name]:.0f} %" for name in ("given", "misfit", "too little")),
            _shown(row["covered"], 2), f"{row['questions']:.0f}",
        ]  # fmt: skip
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n" if rows else ""


def _page(rows):
    lines = [
        "# Respondents of many kinds",
        "",
        f"{INTERVIEWS} simulated interviews each, out of 100 cases, of 1,000 where 1 % are "
        "positive and of 10,000 where 0.1 % are; written by `make slow`. "
        "Misfit: the result says that no metric considered describes them. Too little: it says "
        "that their answers can hardly be distinguished from random clicks, and gives only an "
        "interval. Covered: share of the 90 % intervals that hold the true a0, without those "
        "called a misfit. M: agreement on 15 held-out "
        "pairs. Regret: what the recommended threshold forgoes, as a share of what the best one "
        "gains over an average one "
        f"(where one is recommended); next to it Algorithm 1, and {25} random pairs with logistic "
        f"regression, both on the first {PEERS} interviews.",
        "",
        "Neither a misfit nor too little information gives a headline or a threshold. One of "
        "the two was asked for in at least 85 % of the people who click at random, always take "
        "one side or tire, and in 75 % of those who change their mind; a misfit in at most 5 % of "
        "clean linear, F-beta and capped people.",
        "",
        "| " + " | ".join(NAMES) + " |",
        "|---|" + "---:|" * (len(NAMES) - 1),
    ]
    for row in rows:
        cells = [
            row["respondent"] + (" †" if row.get("earlier") else ""),
            f"{100 * row['positives']:g} %",
            f"{100 * row['misfit']:.0f} %",
            f"{100 * row['too little']:.0f} %",
            _shown(row["a0 covered"], 2), _shown(row["M"], 1), _shown(row["regret"], 3),
            _shown(row["Algorithm 1"], 3), _shown(row["random pairs"], 3),
        ]  # fmt: skip
        lines.append("| " + " | ".join(cells) + " |")
    if any(row.get("earlier") for row in rows):
        lines += ["", "† Measured before people whose answers say too little were asked further "
                  "pairs; the next `make slow` renews it."]  # fmt: skip
    return "\n".join(lines) + "\n"


def _shown(value, digits):
    return "" if value is None else f"{value:.{digits}f}"
