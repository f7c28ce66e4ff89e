"""Would the tests notice a slip of the pen? Make small faults, one at a time, and see.

In: modules (`stats`, `score/pairs`, ...). Out: for every mutant whether a test failed, in
`.mutants/results.json`, and the survivors on the terminal. Run: `python -m checks.mutants stats`
or `make mutants`. The tests are loaded once; every mutant is a fork of that process in which one
function has other code, and only tests that reach the changed lines run, until the first fails.
"""

import argparse
import gc
import os
import resource
import signal
import sys
import time
from collections import Counter, defaultdict
from fnmatch import fnmatchcase
from importlib import import_module
from typing import Any, TextIO

import hypothesis
import pytest
from _pytest.runner import runtestprotocol

from checks.mutants_applied import Functions, apply, functions_by_scope
from checks.mutants_kept import (
    ALIVE,
    AREAS,
    KEPT,
    ROOT,
    explained,
    fate_of,
    kept,
    modules_of,
    reason_for,
    source_of,
    write,
)
from checks.mutants_reached import SLOWEST, reached_by
from checks.mutations import Mutant, mutants_of

STAGES = ["stats", "score", "decide", "learn"]
TESTS = [f"tests/{stage}" for stage in STAGES] + ["tests/property", "tests/reference"]
DOCTESTS = [f"src/howgood/{stage}" for stage in STAGES]
_MOST_ADDRESSES = 16 * 2**30
_Results = dict[str, dict[str, Any]]
_Running = dict[int, tuple[Mutant, int]]  # process: the mutant and where its report is read


def main(arguments: list[str] | None = None) -> int:
    """Run the mutants that were asked for and say which survived."""
    options = _options(arguments)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # The same examples for every mutant, no shrinking (one failure is enough), nothing kept.
    hypothesis.settings.register_profile(
        "mutants",
        derandomize=True,
        database=None,
        phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate],
    )
    hypothesis.settings.load_profile("mutants")
    KEPT.mkdir(exist_ok=True)
    chosen = _sample(options)
    for mutant in chosen if options.list else []:
        print(f"{mutant.module}:{mutant.line} {mutant.name}")
    if options.list or not chosen:
        print(f"{len(chosen)} mutants")
        return 0
    terminal = os.fdopen(os.dup(2), "w", buffering=1)
    run = _Run(chosen, options, terminal)
    places = [str(ROOT / place) for place in options.tests]
    quiet = ["-qq", "--tb=no", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
    pytest.main([*quiet, f"--rootdir={ROOT}", *places], plugins=[run])
    _report(run.results, chosen)
    return 0


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="checks.mutants")
    parser.add_argument("areas", nargs="*", default=list(AREAS))
    parser.add_argument("--per-module", type=int, default=0, help="at most so many of a module")
    parser.add_argument("--budget", type=float, default=60, help="seconds of tests per mutant")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--tests", nargs="+", default=TESTS + DOCTESTS, help="files or folders")
    parser.add_argument("--survivors", action="store_true", help="only those alive and unexplained")
    parser.add_argument("--only", default="*", help="a pattern of names, as in explained.toml")
    parser.add_argument("--again", action="store_true", help="also those already judged")
    parser.add_argument("--list", action="store_true", help="name the mutants and run none")
    return parser.parse_args(arguments)


def _sample(options: argparse.Namespace) -> list[Mutant]:
    results, reasons, chosen = kept("results.json"), explained(), []
    for module in dict.fromkeys(name for area in options.areas for name in modules_of(area)):
        every = sorted(mutants_of(module, source_of(module)), key=lambda mutant: mutant.lot)
        some = every[: options.per_module or None]
        if options.survivors:
            some = [m for m in every if fate_of(m, results) in ALIVE]
            some = [m for m in some if not reason_for(m, reasons)]
        elif not options.again:
            some = [m for m in some if fate_of(m, results) is None]
        some = [m for m in some if fnmatchcase(m.name, options.only)]
        chosen += sorted(some, key=lambda mutant: (mutant.line, mutant.ordinal))
    return chosen


class _Run:
    """A pytest plugin that, instead of running the tests, runs mutants with them."""

    def __init__(self, chosen: list[Mutant], options: argparse.Namespace, terminal: TextIO) -> None:
        self.chosen, self.options, self.terminal = chosen, options, terminal
        self.results: _Results = {}
        self.killers: dict[str, Counter[str]] = defaultdict(Counter)

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Trace the tests, then judge every mutant."""
        for module in {mutant.module for mutant in self.chosen}:
            import_module(f"howgood.{module.replace('/', '.')}")
        self.items = {item.nodeid: item for item in session.items if "spark" not in item.nodeid}
        self.reached = reached_by(self.items, self.options.jobs, self._say)
        functions = functions_by_scope()
        gc.freeze()  # what is loaded stays: forks need not copy it to look for rubbish
        running: _Running = {}
        for number, mutant in enumerate(self.chosen):
            if len(running) >= self.options.jobs:
                self._collect(running)
            self._start(mutant, functions, running)
            if number % 50 == 0:
                self._say(f"{number} of {len(self.chosen)} mutants")
                write("results.json", kept("results.json") | self.results)
        while running:
            self._collect(running)
        self._strike_false_kills()
        write("results.json", kept("results.json") | self.results)
        return True

    def _strike_false_kills(self) -> None:
        """Forget kills by tests that fail in a fork of the unchanged program too."""
        for node in {found["by"] for found in self.results.values()} & self.items.keys():
            child = os.fork()
            if child == 0:
                _limit(10 + 4 * self.reached[node]["seconds"])
                os._exit(int(self._first_failure([node]) is not None))
            if os.waitpid(child, 0)[1]:
                self._say(f"fails without a mutant: {node}")
                self.results = {k: v for k, v in self.results.items() if v["by"] != node}

    def _say(self, text: str) -> None:
        self.terminal.write(f"{time.strftime('%H:%M:%S')} {text}\n")

    def _tests_for(self, mutant: Mutant) -> list[str]:
        """Return tests that reach the place: those that killed its neighbours, then the quick."""
        first, last = mutant.lines
        quick = [
            (-self.killers[f"{mutant.module}:{mutant.scope}"][node], trace["seconds"], node)
            for node, trace in self.reached.items()
            if trace["seconds"] <= SLOWEST
            and any(first <= line <= last for line in trace["lines"].get(mutant.module, ()))
        ]
        chosen, spent = [], 0.0
        for _, seconds, node in sorted(quick):
            spent += seconds
            if chosen and spent > self.options.budget:
                break
            chosen.append(node)
        return chosen

    def _start(self, mutant: Mutant, functions: Functions, running: _Running) -> None:
        tests = self._tests_for(mutant)
        if not tests:
            self._settle(mutant, "unreached", "")
            return
        limit = 10 + 4 * sum(self.reached[node]["seconds"] for node in tests)
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            _limit(limit)
            os.write(writer, (self._judge(mutant, functions, tests) or "").encode())
            os._exit(0)
        os.close(writer)
        running[child] = (mutant, reader)

    def _judge(self, mutant: Mutant, functions: Functions, tests: list[str]) -> str | None:
        """Return what noticed the mutant, in the fork."""
        try:
            apply(mutant, functions)
        except Exception as error:  # a constant that cannot be computed: the import would fail
            return f"{type(error).__name__}: {error}"
        return self._first_failure(tests)

    def _first_failure(self, tests: list[str]) -> str | None:
        """Return the first test that fails."""
        try:
            for index, node in enumerate(tests):
                following = self.items[tests[index + 1]] if index + 1 < len(tests) else None
                reports = runtestprotocol(self.items[node], log=False, nextitem=following)
                if any(report.failed for report in reports):
                    return node
        except BaseException as error:  # whatever it was, the tests did not pass
            return f"{type(error).__name__}: {error}"
        return None

    def _collect(self, running: _Running) -> None:
        """Wait until one fork ends, and write down what it found."""
        child, status = os.wait()
        mutant, reader = running.pop(child)
        with os.fdopen(reader) as pipe:
            killer = pipe.read()
        if os.WIFSIGNALED(status):
            timed = os.WTERMSIG(status) in (signal.SIGALRM, signal.SIGXCPU, signal.SIGKILL)
            self._settle(mutant, "timeout" if timed else "killed", f"signal {os.WTERMSIG(status)}")
        else:
            self._settle(mutant, "killed" if killer else "survived", killer)

    def _settle(self, mutant: Mutant, fate: str, killer: str) -> None:
        self.results[mutant.name] = {"fate": fate, "code": mutant.code, "by": killer}
        if fate == "killed":
            self.killers[f"{mutant.module}:{mutant.scope}"][killer] += 1
        elif fate != "timeout":
            self._say(f"{fate}: {mutant.module}:{mutant.line} {mutant.scope}: {mutant.change}")


def _limit(seconds: float) -> None:
    """End this process when it computes or waits too long, or takes too much memory."""
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 5))
    signal.alarm(60 + int(20 * seconds))  # for one that sleeps: a busy machine is slow, not wrong
    with open("/proc/self/statm", encoding="ascii") as file:
        size = int(file.read().split()[0]) * resource.getpagesize()
    # Table engines reserve gibibytes of addresses they never use: a tight limit makes tests fail.
    resource.setrlimit(resource.RLIMIT_AS, (size + _MOST_ADDRESSES,) * 2)
    with open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
        file.write("1000")  # should memory run out, this process goes first


def _report(results: _Results, chosen: list[Mutant]) -> None:
    """Print a line per module and every survivor."""
    table: dict[str, Counter[str]] = defaultdict(Counter)
    for mutant in chosen:
        table[mutant.module][results.get(mutant.name, {}).get("fate", "not run")] += 1
    for module, fates in table.items():
        print(f"{module:<32} {fates.total():>5}  {dict(fates)}")


if __name__ == "__main__":
    sys.exit(main())
