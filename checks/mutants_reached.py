"""Which lines every test reaches, and how long it takes: what decides which tests judge a mutant.

In: the tests of a loaded session. Out: a trace of each, kept in `.mutants/traces.json` and renewed
only where the test or a module it reaches has changed.
"""

import functools
import gc
import hashlib
import os
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from checks.mutants_kept import SOURCE, kept, write

SLOWEST = 8.0  # seconds; a slower test is left out
Traces = dict[str, dict[str, Any]]
_Trace = Callable[[FrameType, str, Any], Any]


def reached_by(items: dict[str, pytest.Item], jobs: int, say: Callable[[str], None]) -> Traces:
    """Return for every test that passes how long it took and which lines it reached."""
    known = kept("traces.json")
    traces = {node: _if_fresh(known.get(node, {}), item) for node, item in items.items()}
    missing = [node for node, trace in traces.items() if not trace]
    if missing:
        say(f"tracing {len(missing)} tests")
        parts = [{node: items[node] for node in missing[start::jobs]} for start in range(jobs)]
        for child in [_trace_in_fork(f"part{i}.json", p, say) for i, p in enumerate(parts)]:
            os.waitpid(child, 0)
        for number in range(len(parts)):
            traces |= kept(f"part{number}.json")
        write("traces.json", known | traces)
    return {node: trace for node, trace in traces.items() if trace.get("passed")}


def _if_fresh(trace: dict[str, Any], item: pytest.Item) -> dict[str, Any]:
    fresh = trace.get("test") == _digest(item.path) and all(
        _digest(SOURCE / f"{module}.py") == digest for module, digest in trace["modules"].items()
    )
    return trace if fresh else {}


def _trace_in_fork(file: str, items: dict[str, pytest.Item], say: Callable[[str], None]) -> int:
    """Trace some tests without leaving a mark in this process; return the fork's number."""
    child = os.fork()
    if child == 0:
        try:
            _trace(file, items, say)
        finally:
            os._exit(0)
    return child


def _trace(file: str, items: dict[str, pytest.Item], say: Callable[[str], None]) -> None:
    caches = [o for o in gc.get_objects() if isinstance(o, functools._lru_cache_wrapper)]
    signal.signal(signal.SIGPROF, _too_slow)
    traces = {}
    for number, (node, item) in enumerate(items.items(), start=1):
        for cache in caches:  # else the first test alone is seen to reach the cached function
            cache.cache_clear()
        traces[node] = _traced(item)
        if number % 100 == 0 or number == len(items):
            say(f"traced {number} of {len(items)} tests")
            write(file, traces)


def _traced(item: pytest.Item) -> dict[str, Any]:
    lines: dict[str, set[int]] = defaultdict(set)
    began = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, 2 * SLOWEST)
    sys.settrace(_tracer(lines))
    reports = runtestprotocol(item, log=False, nextitem=None)
    sys.settrace(None)
    signal.setitimer(signal.ITIMER_PROF, 0)
    return {
        "test": _digest(item.path),
        "modules": {module: _digest(SOURCE / f"{module}.py") for module in lines},
        "seconds": time.process_time() - began,
        "passed": all(report.passed for report in reports),
        "lines": {module: sorted(found) for module, found in lines.items()},
    }


@functools.cache
def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12] if path.exists() else "gone"


def _too_slow(_: int, __: FrameType | None) -> None:
    raise TimeoutError


def _tracer(lines: dict[str, set[int]]) -> _Trace:
    names: dict[str, str | None] = {}

    def follow(frame: FrameType, event: str, _: object) -> _Trace | None:
        path = frame.f_code.co_filename
        if path not in names:
            inside = path.startswith(f"{SOURCE}{os.sep}")
            names[path] = path[len(str(SOURCE)) + 1 : -3] if inside else None
        if names[path] is None:
            return None
        add = lines[names[path]].add
        add(frame.f_lineno)

        def each_line(frame: FrameType, event: str, _: object) -> _Trace:
            add(frame.f_lineno)
            return each_line

        return each_line

    return follow
