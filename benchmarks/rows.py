"""One row of the peers' table, and how time and memory are measured.

CPU seconds, best of several runs; commands in processes of their own, with their largest memory.
"""

import json
import subprocess
import sys
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

    def __post_init__(self) -> None:
        if self.ratio is not None and not (self.peer and self.peer_value):
            msg = f"{self.subject}: a ratio needs the peer's name and what was measured of it"
            raise ValueError(msg)


def cpu_seconds(work: Callable[[], object], *, repeats: int = 3) -> float:
    """Return the least CPU time of several runs, all threads counted."""
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


@dataclass(frozen=True, slots=True)
class Used:
    """What a command used, its children included: seconds of CPU and of the clock, most memory."""

    cpu: float
    wall: float
    megabytes: float


# A small process starts the command: the memory that the system counts for a new process begins
# with that of the one which started it.
_WATCHED = """
import json, os, subprocess, sys, time
start = time.perf_counter()
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, used = os.wait4(child.pid, 0)
wall = time.perf_counter() - start
print(json.dumps([used.ru_utime + used.ru_stime, wall, used.ru_maxrss / 1024]))
sys.exit(os.waitstatus_to_exitcode(status))
"""


def used_by(command: list[str], *, repeats: int = 1) -> Used:
    """Run a command in a new process, several times; return the least of each."""
    watched = [sys.executable, "-S", "-c", _WATCHED, *command]
    runs = [
        json.loads(subprocess.run(watched, check=True, stdout=subprocess.PIPE).stdout)
        for _ in range(repeats)
    ]
    return Used(*(min(each) for each in zip(*runs, strict=True)))
