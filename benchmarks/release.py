"""`judge` and `ship` head to head with the tools people use, on the same simulated studies.

How often do 95 % intervals of a pass rate hold what all people would say, and how wide are they?
How often are equal systems shipped, and better ones? Peers run in an environment of their own
(`make bench` makes it): see `peers/release_tools.py`; ppi-python has a place among ours. Cells that
we lose are rows too.
"""

import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from scipy.special import expit

from benchmarks.rows import Row, cpu_seconds
from howgood import decide, score

ROOT = Path(__file__).parents[1]
PEERS = Path(__file__).parent / "peers" / "release_tools.py"
STUDIES, N_ITEMS, N_LABELS = 200, 1000, 300
RATERS = ((3, 0.5), (8, 0.5), (25, 0.5), (3, 0.0))
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(60)


def run() -> list[Row]:
    rows = [row for n_raters, sd in RATERS for row in _judges(n_raters, sd)]
    return [*rows, *_ships(), _judge_speed(), _speed()]


def _judges(n_raters, sd):
    rng = np.random.default_rng([20901, n_raters, int(10 * sd)])
    studies = [_labelled(rng, n_raters, sd) for _ in range(STUDIES)]
    weights = _WEIGHTS / _WEIGHTS.sum()
    truth = float(weights @ expit(0.8 + 1.5 * _NODES[:, None] + sd * _NODES) @ weights)
    ours = []
    for study in studies:
        labels = {
            "item": np.arange(N_LABELS),
            "rater": study["rater"],
            "label": study["label"],
            "judge": study["judge"][:N_LABELS],
        }
        judged = {"item": np.arange(N_ITEMS), "judge": study["judge"]}
        interval = score.judge(labels, scores=judged, random_state=rng).corrected["all"].interval
        ours.append((interval.lower, interval.upper))
    peers = _peers("judge", {key: np.stack([s[key] for s in studies]) for key in studies[0]})
    peers["ppi-python (PPI++)"] = [_ppi(study) for study in studies]
    size = f"{n_raters} raters of leniency sd {sd:g}, {N_LABELS} labels of {N_ITEMS} items"
    return [
        Row(
            subject="95 % intervals of a corrected pass rate hold it (mean width)",
            size=size,
            ours=_held(ours, truth),
            peer=name,
            peer_value=_held(intervals, truth),
        )
        for name, intervals in peers.items()
    ]


def _ppi(study):
    from ppi_py import ppi_mean_ci

    judge = study["judge"]
    lower, upper = ppi_mean_ci(study["label"], judge[:N_LABELS], judge[N_LABELS:], alpha=0.05)
    return float(np.ravel(lower)[0]), float(np.ravel(upper)[0])


def _labelled(rng, n_raters, sd):
    hard = rng.normal(0.8, 1.5, N_ITEMS)
    rater = np.arange(N_LABELS) % n_raters
    lenient = rng.normal(0, sd, n_raters)[rater]
    return {
        "judge": (rng.random(N_ITEMS) < expit(1.2 * hard + 0.4)).astype(float),
        "label": (rng.random(N_LABELS) < expit(hard[:N_LABELS] + lenient)).astype(float),
        "rater": rater,
    }


def _held(intervals, truth):
    ends = np.asarray(intervals)
    held = np.mean((ends[:, 0] <= truth) & (truth <= ends[:, 1]))
    return f"{held:.0%} ({np.mean(ends[:, 1] - ends[:, 0]):.3f})"


def _ships():
    """Right or wrong answers to 300 questions from 20 documents."""
    rows = []
    for gap, what in ((0.0, "equal systems are shipped"), (0.6, "a better candidate is shipped")):
        rng = np.random.default_rng([20902, int(10 * gap)])
        studies = [_answered(rng, gap) for _ in range(STUDIES)]
        ours = [
            decide.ship(
                {"item": np.arange(300), "correct": base, "document": document},
                {"item": np.arange(300), "correct": candidate, "document": document},
                metric="correct",
                cluster="document",
            ).verdict
            == "ship"
            for base, candidate, document in studies
        ]
        pairs = {
            "base": np.stack([study[0] for study in studies]),
            "candidate": np.stack([study[1] for study in studies]),
        }
        rows += [
            Row(
                subject=f"{what} (5 % level)",
                size="300 questions of 20 documents",
                ours=f"{np.mean(ours):.0%}",
                peer=name,
                peer_value=f"{np.mean(said):.0%}",
            )
            for name, said in _peers("ship", pairs).items()
        ]
    return rows


def _answered(rng, gap):
    document = np.arange(300) % 20
    hard = rng.normal(0, 1, 300) + rng.normal(0, 1, 20)[document]
    answers = [
        (hard + rng.normal(0, 0.4, 20)[document] + strength + rng.logistic(0, 1, 300) > 0).astype(
            float
        )
        for strength in (0.0, gap)
    ]
    return (*answers, document)


def _peers(what, arrays):
    with tempfile.TemporaryDirectory() as folder:
        given, printed = Path(folder) / "studies.npz", Path(folder) / "found.json"
        np.savez(given, **arrays)
        python = ROOT / ".venv-tools" / "bin" / "python"
        subprocess.run([python, PEERS, what, given, printed], check=True)
        return json.loads(printed.read_text())


def _judge_speed():
    study = _labelled(np.random.default_rng(20904), 8, 0.5)
    labels = {"item": np.arange(N_LABELS), "rater": study["rater"], "label": study["label"],
              "judge": study["judge"][:N_LABELS]}  # fmt: skip
    judged = {"item": np.arange(N_ITEMS), "judge": study["judge"]}
    ours = cpu_seconds(lambda: score.judge(labels, scores=judged, random_state=1))
    theirs = cpu_seconds(lambda: _ppi(study))
    return Row(
        subject="one pass rate of a judge, corrected (peer: labels taken as true)",
        size=f"8 raters, {N_LABELS} labels of {N_ITEMS} items",
        ours=f"{1000 * ours:.1f} ms",
        peer="ppi-python (PPI++)",
        peer_value=f"{1000 * theirs:.1f} ms",
        ratio=theirs / ours,
    )


def _speed():
    rng = np.random.default_rng(20903)
    base, candidate, document = _answered(rng, 0.2)
    columns = [
        {"item": np.arange(300), "correct": correct, "document": document}
        for correct in (base, candidate)
    ]
    took = cpu_seconds(lambda: decide.ship(*columns, metric="correct", cluster="document"))
    return Row(subject="one decision to ship", size="300 items", ours=f"{1000 * took:.1f} ms")
