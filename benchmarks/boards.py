"""Boards of grades, votes and lists, against a mixed model, evalica, choix and ir-measures.

Peers give less: evalica and choix points, ir-measures scores of the ratings given once. What ours
adds (raters and prompts as samples, noise, P(best)) is in our time.
"""

import sys
import tempfile
import warnings
from itertools import product
from pathlib import Path

import numpy as np

from benchmarks.rows import Row, cpu_seconds, used_by
from howgood import decide

_MANY = (8_000, 10, 50)
_RESAMPLES = 200


def run() -> list[Row]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [*_grades(), _many_grades(), *_votes(), *_lists()]


def _board():
    rng = np.random.default_rng(3)
    systems, items, raters = 8, 60, 5
    rows = np.array(list(product(range(systems), range(items), range(raters))))
    grade = (
        rng.normal(0, 0.3, systems)[rows[:, 0]]
        + rng.normal(0, 0.5, items)[rows[:, 1]]
        + rng.normal(0, 0.5, raters)[rows[:, 2]]
        + rng.normal(0, 0.2, (systems, raters))[rows[:, 0], rows[:, 2]]
        + rng.normal(0, 0.6, len(rows))
    )
    return {"system": rows[:, 0].astype(str), "item": rows[:, 1], "rater": rows[:, 2],
            "grade": grade}  # fmt: skip


def _ours_of(board):
    return decide.rank_grades(board, item="item", system="system", rater="rater", grade="grade")


def _mixed_model(board):
    import pandas as pd
    import statsmodels.formula.api as smf

    frame = pd.DataFrame(board).assign(everything=1)
    parts = {"item": "0 + C(item)", "rater": "0 + C(rater)", "both": "0 + C(system):C(rater)"}
    smf.mixedlm(
        "grade ~ C(system)", frame, groups="everything", vc_formula=parts, re_formula="0"
    ).fit()


def _resampled(board, times):
    """Means of the systems with items and raters drawn again, as a careful analyst would."""
    rng = np.random.default_rng(4)
    shape = (8, 60, 5)
    grades = board["grade"].reshape(shape)
    return [
        grades[:, rng.integers(0, 60, 60)][:, :, rng.integers(0, 5, 5)].mean(axis=(1, 2))
        for _ in range(times)
    ]


def _grades():
    board = _board()
    ours = cpu_seconds(lambda: _ours_of(board))
    size = "8 systems, 60 items, 5 raters"
    peers = {
        "statsmodels, crossed mixed model": lambda: _mixed_model(board),
        "NumPy bootstrap of items and raters, 10,000 times": lambda: _resampled(board, 10_000),
    }
    return [_row("board of grades", size, ours, name, work) for name, work in peers.items()]


def _row(subject, size, ours, peer, work, repeats=1):
    seconds = cpu_seconds(work, repeats=repeats)
    return Row(
        subject=subject,
        size=size,
        ours=f"{1000 * ours:.0f} ms",
        peer=peer,
        peer_value=f"{1000 * seconds:,.0f} ms",
        ratio=seconds / ours,
    )


def _many_grades():
    import polars as pl

    item, system, rater = (part.ravel() for part in np.indices(_MANY, dtype=np.int32))
    grade = np.random.default_rng(1).normal(0, 1, item.size)
    columns = {"item": item, "system": system, "rater": rater, "grade": grade}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "grades.parquet")
        pl.DataFrame(columns).write_parquet(path)
        command = [sys.executable, "-m", "howgood", "leaderboard", str(path), "--item", "item",
                   "--system", "system", "--rater", "rater", "--grade", "grade"]  # fmt: skip
        used = used_by(command)
    return Row(
        subject="howgood leaderboard, start to end, from Parquet",
        size="4e6 grades, 10 systems, 50 raters",
        ours=f"{used.cpu:.1f} CPU-s, {used.megabytes:.0f} MB at most",
        target="<= 5 s and 300 MB",
        met=used.cpu <= 5 and used.megabytes <= 300,
    )


def _votes():
    import choix
    import evalica

    rng = np.random.default_rng(5)
    n, systems = 100_000, 50
    strength = rng.normal(0, 0.5, systems)
    left = rng.integers(0, systems, n)
    right = (left + rng.integers(1, systems, n)) % systems
    wins = rng.random(n) < 1 / (1 + np.exp(strength[right] - strength[left]))
    names = np.array([f"s{k:02d}" for k in range(systems)])
    votes = {"left": names[left], "right": names[right],
             "winner": np.where(wins, "left", "right")}  # fmt: skip
    ours = cpu_seconds(
        lambda: decide.rank_votes(votes, left="left", right="right", winner="winner")
    )
    who = [evalica.Winner.X if won else evalica.Winner.Y for won in wins]
    pairs = list(zip(np.where(wins, left, right).tolist(), np.where(wins, right, left).tolist(),
                     strict=True))  # fmt: skip
    size = f"{n:,} votes, {systems} systems"

    def evalica_again():
        for _ in range(_RESAMPLES):
            drawn = rng.integers(0, n, n)
            evalica.bradley_terry(
                votes["left"][drawn].tolist(), votes["right"][drawn].tolist(),
                [who[k] for k in drawn],
            )  # fmt: skip

    peers = {
        f"evalica, bootstrap of {_RESAMPLES}": evalica_again,
        "choix (ilsr_pairwise), points alone": lambda: choix.ilsr_pairwise(systems, pairs, 0.01),
    }
    return [_row("board of votes", size, ours, name, work) for name, work in peers.items()]


def _lists():
    import ir_measures

    rng = np.random.default_rng(6)
    users, items = 2_000, 20
    user, item = (part.ravel() for part in np.indices((users, items)))
    mean = rng.normal(3, 1, user.size)
    ratings = {"user": user, "item": item, "rating": np.clip(np.round(mean), 1, 5)}
    systems = {f"s{k}": mean + rng.normal(0, 0.4 + 0.2 * k, user.size) for k in range(3)}
    ours = cpu_seconds(lambda: decide.rank_lists(systems, ratings, metric="ndcg@10", sd=0.6))
    rows = list(zip(*(values.tolist() for values in ratings.values()), strict=True))
    judged = [ir_measures.Qrel(str(u), str(i), int(r)) for u, i, r in rows]
    runs = [
        [
            ir_measures.ScoredDoc(str(u), str(i), float(s))
            for (u, i, _), s in zip(rows, scores, strict=True)
        ]
        for scores in systems.values()
    ]

    def given_once():
        for found in runs:
            ir_measures.calc_aggregate([ir_measures.nDCG @ 10], judged, found)

    size = f"{users:,} users x {items} items, 3 systems"
    return [_row("ndcg@10 with human noise", size, ours, "ir-measures, given ratings alone",
                 given_once)]  # fmt: skip
