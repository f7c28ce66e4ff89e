"""How long the next screen takes: surveys, and adaptive comparisons of 50 people at once."""

import time
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from benchmarks.rows import Row
from howgood.flow.participate import fill, next_screen, parse_answer, take_part
from howgood.flow.study_files import read_study
from howgood.kinds.comparison import interview
from howgood.records.screen import Answer

EXAMPLES = Path(__file__).parents[1] / "examples"
NOW = datetime(2026, 1, 1, tzinfo=UTC)
PEOPLE = 50


def run() -> list[Row]:
    return [_survey(), _adaptive(), _replayed()]


def _survey() -> Row:
    study = read_study(EXAMPLES / "alarm-survey.toml")
    _, whole = take_part(study, seed=1, now=NOW, condition="application")
    times = []
    for stop in range(1, len(whole.answers)):
        start = time.process_time()
        next_screen(study, condition="application", seed=1, answers=whole.answers[:stop], now=NOW)
        times.append(time.process_time() - start)
    return _row("next screen of a survey", f"{len(times)} screens", times, 5)


def _adaptive() -> Row:
    """50 people take turns, as on a server; each next screen follows a new answer."""
    study = read_study(EXAMPLES / "cancer-comparison.toml")
    answers: list[list[Answer]] = [[] for _ in range(PEOPLE)]
    done, times = set(), []
    while len(done) < PEOPLE:
        for seed in range(PEOPLE):
            if seed in done:
                continue
            start = time.process_time()
            screen = next_screen(study, condition="all", seed=seed, answers=answers[seed], now=NOW)
            if screen.key.startswith("compare-"):
                times.append(time.process_time() - start)
            if screen.is_last:
                done.add(seed)
                continue
            values = parse_answer(screen, fill(screen, seed=seed)).values
            answers[seed].append(Answer(screen=screen.key, values=values, at=NOW))
    return _row("next adaptive pair, CPU", f"{PEOPLE} people in turn", times, 50)


def _replayed() -> Row:
    """After a restart nothing is remembered: a whole interview is replayed for one screen."""
    study = read_study(EXAMPLES / "cancer-comparison.toml")
    choices = ("first", "second") * 10
    times = []
    for seed in range(10):
        start = time.process_time()
        interview.replayed(study, seed=seed, ratio=None, choices=choices).pair()
        times.append(time.process_time() - start)
    return _row("next adaptive pair after a restart, CPU", "20 choices replayed", times, 1000)


def _row(subject: str, size: str, times: list[float], target: float) -> Row:
    p95 = 1000 * float(np.quantile(times, 0.95))
    return Row(
        subject=subject,
        size=size,
        ours=f"p95 {p95:.1f} ms, median {1000 * float(np.median(times)):.1f} ms",
        target=f"p95 <= {target:g} ms",
        met=p95 <= target,
    )
