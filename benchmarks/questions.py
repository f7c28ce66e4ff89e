"""How many questions until the metric is known: ours, Algorithm 1, and pairs chosen at random.

Ten percent of the answers are slips. The peers: Algorithm 1 of the elicitation paper, started again
and averaged until its budget is used; and random pairs fitted by logistic regression, as packages
for pairwise comparisons do it (choix style): the log odds of a choice are linear in the difference
of correct rejections and hits. Error is the mean over weights and splits of |a0 found - a0|.

BoTorch's PairwiseGP is a third peer where `HOWGOOD_BOTORCH` names a Python that has it, with each
of `GP_WAYS` to choose a pair (`peers/pairwise_gp.py` says how it is set). It knows no family of
metrics, and is asked for what it was not made for: the weight, not the best system.
PyTorch is too heavy for a locked tool; without it there is no such row.
"""

import json
import os
import subprocess
import tempfile
from itertools import product
from pathlib import Path

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_expit

from benchmarks.elicitation import SPLITS, WEIGHTS, _elicitor, _systems
from benchmarks.rows import Row
from howgood import ask, learn, score

FLIPS, WANTED, MOST = 0.1, 0.03, 640
STEPS = (5, 10, 15, 20, 30, 40, 60, 80, 120, 160, 240, 320, 480, 640)
# Each of its questions takes a twentieth of a second or more.
GP_MOST = 40
# How pairs are chosen, and what the row is called.
GP_WAYS = {
    "expected best": "BoTorch PairwiseGP, EUBO",
    "uncertain": "BoTorch PairwiseGP, most uncertain pair",
}
_GP = Path(__file__).parent / "peers" / "pairwise_gp.py"
_TOOLS = Path(__file__).parents[1] / ".venv-tools" / "bin" / "python"


def run() -> list[Row]:
    systems = [_systems(seed) for seed in range(SPLITS)]
    ours = _needed(systems, _adaptive, most=40)
    rows = [
        _row(name, ours, _needed(systems, method, most=MOST), MOST)
        for name, method in (("Algorithm 1, repeated", _bisecting), ("random pairs", _random_pairs))
    ]
    return [*rows, *_against_botorch(systems, ours)]


def _row(peer, ours, theirs, most):
    return Row(
        subject=f"questions to an error of {WANTED}, 10 % slips",
        size=f"{len(WEIGHTS)} weights x {SPLITS} splits",
        ours=str(ours or "more than 40"),
        peer=peer,
        peer_value=str(theirs or f"more than {most}"),
        ratio=(theirs or most) / ours if ours else None,
    )


def _against_botorch(systems, ours):
    python, rows = _botorch(), []
    steps = [step for step in STEPS if step <= GP_MOST]
    for way, name in GP_WAYS.items() if python else ():
        errors = np.concatenate([_gp_errors(python, matrices, steps, way) for matrices in systems])
        rows.append(_row(name, ours, _first_within(errors.mean(axis=0), steps), GP_MOST))
    return rows


def _botorch():
    """Return the Python that has BoTorch, or None."""
    python = os.environ.get("HOWGOOD_BOTORCH", str(_TOOLS))
    tried = subprocess.run([python, "-c", "import botorch"], check=False, capture_output=True)
    if tried.returncode and "HOWGOOD_BOTORCH" in os.environ:
        raise RuntimeError(f"HOWGOOD_BOTORCH={python}: {tried.stderr.decode()}")
    return None if tried.returncode else python


def _gp_errors(python, matrices, steps, way):
    points = [[m.true_negatives / m.total, m.true_positives / m.total] for m in matrices]
    with tempfile.TemporaryDirectory() as folder:
        given, printed = Path(folder) / "given.npz", Path(folder) / "found.json"
        np.savez(given, points=points, weights=WEIGHTS, steps=steps, slips=FLIPS, choice=way)
        # Matrices of forty rows: more threads than one only wait for each other.
        alone = os.environ | {"OMP_NUM_THREADS": "1"}
        subprocess.run([python, _GP, given, printed], check=True, env=alone)
        found = np.array(json.loads(printed.read_text()))
    return np.abs(found - np.array(WEIGHTS)[:, None])


def _needed(systems, method, *, most):
    """Return the least number of questions after which the mean error stays small, or None."""
    steps = [step for step in STEPS if step <= most]
    errors = np.mean(
        [
            np.abs(np.array(method(matrices, _person(a0, number), steps, number)) - a0)
            for number, (matrices, a0) in enumerate(product(systems, WEIGHTS))
        ],
        axis=0,
    )
    return _first_within(errors, steps)


def _first_within(errors, steps):
    above = np.flatnonzero(errors > WANTED)
    first = 0 if above.size == 0 else above[-1] + 1
    return steps[first] if first < len(steps) else None


def _person(a0, number):
    return ask.simulate_respondent(score.LinearMetric(a0=a0), flips=FLIPS, random_state=number)


def _adaptive(matrices, person, steps, number):
    learner, found = _elicitor(matrices, number, n=max(steps)), {}
    while (query := learner.query()) is not None:
        learner.answer(person(query.first, query.second))
        if query.number in steps:
            found[query.number] = learner.result().a0.mean
    return [found.get(step, learner.result().a0.mean) for step in steps]


def _bisecting(matrices, person, steps, _number):
    """Run Algorithm 1 again and again; the mean of the runs that fit into the budget."""
    asked, ends = 0, []
    while asked < max(steps):
        search = learn.Bisection(matrices)
        result = learn.ask_oracle(search, person)
        asked += result.queries
        ends.append((asked, result.a0))
    return [np.mean([a0 for end, a0 in ends if end <= step] or [0.5]) for step in steps]


def _random_pairs(matrices, person, steps, number):
    rng = np.random.default_rng(number)
    pairs = [rng.choice(len(matrices), 2, replace=False) for _ in range(max(steps))]
    chosen, differences = [], []
    for first, second in pairs:
        one, other = matrices[first], matrices[second]
        chosen.append({"first": 1.0, "second": 0.0}.get(person(one, other), 0.5))
        differences.append(
            [(one.true_negatives - other.true_negatives) / one.total,
             (one.true_positives - other.true_positives) / one.total]
        )  # fmt: skip
    return [_fitted(np.array(differences[:step]), np.array(chosen[:step])) for step in steps]


def _fitted(x, y):
    """Return a0 of the penalised logistic regression (penalty 1e-3, so that one exists)."""

    def loss(weights):
        odds = x @ weights
        return -(y * log_expit(odds) + (1 - y) * log_expit(-odds)).sum() + 1e-3 * weights @ weights

    cost = minimize(loss, np.ones(2)).x
    cleared, found = np.maximum(cost, 1e-9)
    return cleared / (cleared + found)
