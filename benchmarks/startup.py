"""How soon a command is there, and what it holds: new processes, against importing named packages.

Seconds (wall clock, CPU) are the least of five runs, memory is the most that the process held.
`howgood rank` does its work and prints; the peers are imported and do nothing.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.house import RATINGS
from benchmarks.rows import Row, Used, used_by
from howgood import ask

REPEATS = 5
PEERS = {"import sklearn.metrics": "scikit-learn", "import pymc": "PyMC"}
_VOTES, _PEOPLE = 100_000, 1_000


def run() -> list[Row]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ratings = folder / "ratings.csv"
        ratings.write_text(RATINGS)
        rank = ["rank", str(ratings), "--system", "A=a", "--system", "B=b"]
        ours = {
            "howgood --help": _howgood("--help"),
            "howgood rank, 99 ratings": _howgood(*rank),
        }
        theirs = {name: _python("-c", code) for code, name in PEERS.items()}
        held = [_votes(folder / "votes.csv"), _fit(folder / "answers.csv")]
    rows = [
        row
        for what, mine in ours.items()
        for name, peer in theirs.items()
        if what != "howgood --help" or name == "scikit-learn"
        for row in _beside(what, mine, name, peer)
    ]
    return [*rows, *held]


def _howgood(*arguments: str, repeats: int = REPEATS) -> Used:
    return _python("-m", "howgood", *arguments, repeats=repeats)


def _python(*arguments: str, repeats: int = REPEATS) -> Used:
    return used_by([sys.executable, *arguments], repeats=repeats)


def _beside(what, ours, peer, theirs):
    measures = {
        "wall clock": (ours.wall, theirs.wall, "{:.2f} s"),
        "CPU": (ours.cpu, theirs.cpu, "{:.2f} CPU-s"),
        "most memory": (ours.megabytes, theirs.megabytes, "{:.0f} MB"),
    }
    return [
        Row(
            subject=f"start to end of `{what.partition(',')[0]}`, {measure}",
            size=what.partition(", ")[2] or "nothing to do",
            ours=form.format(mine),
            peer=f"importing {peer}",
            peer_value=form.format(other),
            ratio=other / mine,
        )
        for measure, (mine, other, form) in measures.items()
    ]


def _votes(path):
    rng = np.random.default_rng(8)
    left = rng.integers(0, 20, _VOTES)
    right = (left + rng.integers(1, 20, _VOTES)) % 20
    won = np.where(rng.random(_VOTES) < 0.5, "left", "right")
    lines = [f"s{a},s{b},{w}" for a, b, w in zip(left, right, won, strict=True)]
    path.write_text("\n".join(["left,right,winner", *lines]) + "\n")
    asked = ["--left", "left", "--right", "right", "--winner", "winner"]
    used = _howgood("leaderboard", str(path), *asked, repeats=1)
    return _held("leaderboard of votes", f"{_VOTES:,} votes, 20 systems, CSV", used)


def _fit(path):
    answers = ask.simulate_answers(
        {"alarm": {"alpha": 0.35, "intercept": -14.0, "slope": 18.0}},
        people=_PEOPLE, per_person=8, random_state=1,
    )  # fmt: skip
    columns = {name: answers[name] for name in answers}
    lines = [",".join(map(str, row)) for row in zip(*columns.values(), strict=True)]
    path.write_text("\n".join([",".join(columns), *lines]) + "\n")
    return _held("fit", f"{_PEOPLE:,} people x 8, CSV", _howgood("fit", str(path), repeats=1))


def _held(what, size, used):
    return Row(
        subject=f"howgood {what}, start to end",
        size=size,
        ours=f"{used.cpu:.1f} CPU-s, {used.megabytes:.0f} MB at most",
    )
