"""One row of the peers' table, and how time is measured: CPU seconds, best of several runs."""

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What was measured, ours and the peer's, and the target it must meet.

    `ratio` is how many times better ours is than the peer's (None without a peer).
    """

    subject: str
    size: str
    ours: str
    peer: str = ""
    peer_value: str = ""
    ratio: float | None = None
    target: str = ""
    met: bool | None = None


def cpu_seconds(work: Callable[[], object], *, repeats: int = 3) -> float:
    """Return the least CPU time of several runs, all threads counted."""
    return _least(work, time.process_time, repeats)


def wall_seconds(work: Callable[[], object], *, repeats: int = 3) -> float:
    """Return the least wall-clock time of several runs."""
    return _least(work, time.perf_counter, repeats)


def _least(work: Callable[[], object], clock: Callable[[], float], repeats: int) -> float:
    best = float("inf")
    for _ in range(repeats):
        start = clock()
        work()
        best = min(best, clock() - start)
    return best
