"""Would the tests notice a slip of the pen? Make small faults, one at a time, and see.

In: modules (`stats`, `score/pairs`, ...). Out: for every mutant whether a test failed, in
`.mutants/results.json`, and the survivors on the terminal. Run: `python -m checks.mutants stats`
or `make mutants`. The tests are loaded once; every mutant is a fork of that process in which one
function has other code, and only tests that reach the changed lines run, until the first fails.
"""

import argparse
import ast
import functools
import gc
import hashlib
import json
import os
import resource
import signal
import sys
import time
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from importlib import import_module
from pathlib import Path
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any, TextIO

import hypothesis
import pytest
from _pytest.runner import runtestprotocol

from checks.mutations import Mutant, mutants_of, mutated

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "howgood"
KEPT = ROOT / ".mutants"
# What stands for a word on the command line; a folder means its modules.
AREAS = {
    "stats": ["stats"],
    "score": ["score"],
    "decide": ["decide/rank", "decide/rank_ratings", "decide/sampling", "decide/scores"],
    "learn": [
        "learn/engines", "learn/acceptability_fit", "learn/binary", "learn/cells",
        "learn/ordinal_cells", "learn/ordinal_fit", "learn/ordinal_model", "learn/prior_density",
        "learn/elicitation/belief", "learn/elicitation/bisection", "learn/elicitation/mixture",
        "learn/elicitation/simplex",
    ],
}  # fmt: skip
# It works while modules are imported, once, before a fork could change it; its tests watch
# processes of their own.
OUT_OF_REACH = {"stats/array_layer"}
STAGES = ["stats", "score", "decide", "learn"]
TESTS = [f"tests/{stage}" for stage in STAGES] + ["tests/property", "tests/reference"]
DOCTESTS = [f"src/howgood/{stage}" for stage in STAGES]
SLOWEST = 8.0  # seconds; a slower test is left out, and so is whatever starts Spark
_Results = dict[str, dict[str, Any]]
_Running = dict[int, tuple[Mutant, int]]  # process: the mutant and where its report is read
_Functions = dict[tuple[str, str], list[FunctionType]]
_Trace = Callable[[FrameType, str, Any], Any]


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
    parser.add_argument("--again", action="store_true", help="also those already judged")
    parser.add_argument("--list", action="store_true", help="name the mutants and run none")
    return parser.parse_args(arguments)


def modules_of(area: str) -> list[str]:
    """Return the modules an area, a folder or a module's name stands for."""
    found = []
    for name in AREAS.get(area, [area]):
        paths = sorted((SOURCE / name).rglob("*.py")) if (SOURCE / name).is_dir() else []
        paths = [path for path in paths if path.name != "__init__.py"]
        found += [str(path.relative_to(SOURCE).with_suffix("")) for path in paths] or [name]
    return [module for module in found if module not in OUT_OF_REACH]


@functools.cache  # a run judges the source it began with
def source_of(module: str) -> str:
    """Return the source of a module named as in `modules_of`."""
    return (SOURCE / f"{module}.py").read_text(encoding="utf-8")


def _sample(options: argparse.Namespace) -> list[Mutant]:
    results, reasons, chosen = kept("results.json"), explained(), []
    for module in [module for area in options.areas for module in modules_of(area)]:
        every = sorted(mutants_of(module, source_of(module)), key=lambda mutant: mutant.lot)
        some = every[: options.per_module or None]
        if options.survivors:
            some = [m for m in every if results.get(m.name, {}).get("fate") in ALIVE]
            some = [m for m in some if not reason_for(m, reasons)]
        elif not options.again:
            some = [m for m in some if m.name not in results]
        chosen += sorted(some, key=lambda mutant: (mutant.line, mutant.ordinal))
    return chosen


ALIVE = ("survived", "unreached")
REASONS = Path(__file__).with_name("explained.toml")


def explained() -> dict[str, str]:
    """Return reasons why mutants need not be killed, by patterns of their names."""
    return tomllib.loads(REASONS.read_text(encoding="utf-8"))


def reason_for(mutant: Mutant, reasons: dict[str, str]) -> str:
    """Return why a mutant need not be killed, or nothing."""
    return next((why for way, why in reasons.items() if fnmatchcase(mutant.name, way)), "")


def kept(name: str) -> dict[str, Any]:
    """Return what an earlier run wrote down."""
    path = KEPT / name
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def _write(name: str, content: dict[str, Any]) -> None:
    path = KEPT / name
    path.with_suffix(".part").write_text(json.dumps(content, indent=0), encoding="utf-8")
    path.with_suffix(".part").replace(path)


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
        self.reached = self._traced()
        functions = functions_by_scope()
        gc.freeze()  # what is loaded stays: forks need not copy it to look for rubbish
        running: _Running = {}
        for number, mutant in enumerate(self.chosen):
            if len(running) >= self.options.jobs:
                self._collect(running)
            self._start(mutant, functions, running)
            if number % 50 == 0:
                self._say(f"{number} of {len(self.chosen)} mutants")
                _write("results.json", kept("results.json") | self.results)
        while running:
            self._collect(running)
        _write("results.json", kept("results.json") | self.results)
        return True

    def _say(self, text: str) -> None:
        self.terminal.write(f"{time.strftime('%H:%M:%S')} {text}\n")

    def _traced(self) -> dict[str, dict[str, Any]]:
        """Return for every test how long it took and which lines it reached; kept on disk."""
        known, traces = kept("traces.json"), {}
        for node, item in self.items.items():
            trace = known.get(node, {})
            fresh = trace.get("test") == _digest(item.path) and all(
                _digest(SOURCE / f"{module}.py") == digest
                for module, digest in trace["modules"].items()
            )
            traces[node] = trace if fresh else {}
        missing = [node for node, trace in traces.items() if not trace]
        if missing:
            self._say(f"tracing {len(missing)} tests")
            parts = [missing[start :: self.options.jobs] for start in range(self.options.jobs)]
            for child in [self._trace_in_fork(f"part{i}.json", p) for i, p in enumerate(parts)]:
                os.waitpid(child, 0)
            for number in range(len(parts)):
                traces |= kept(f"part{number}.json")
            _write("traces.json", known | traces)
        return {node: trace for node, trace in traces.items() if trace.get("passed")}

    def _trace_in_fork(self, file: str, nodes: list[str]) -> int:
        """Trace some tests without leaving a mark in this process; return the fork's number."""
        child = os.fork()
        if child == 0:
            try:
                self._trace(file, nodes)
            finally:
                os._exit(0)
        return child

    def _trace(self, file: str, nodes: list[str]) -> None:
        caches = [o for o in gc.get_objects() if isinstance(o, functools._lru_cache_wrapper)]
        signal.signal(signal.SIGPROF, _too_slow)
        traces = {}
        for number, node in enumerate(nodes, start=1):
            for cache in caches:  # else the first test alone is seen to reach the cached function
                cache.cache_clear()
            lines: dict[str, set[int]] = defaultdict(set)
            began = time.process_time()
            signal.setitimer(signal.ITIMER_PROF, 2 * SLOWEST)
            sys.settrace(_tracer(lines))
            reports = runtestprotocol(self.items[node], log=False, nextitem=None)
            sys.settrace(None)
            signal.setitimer(signal.ITIMER_PROF, 0)
            traces[node] = {
                "test": _digest(self.items[node].path),
                "modules": {module: _digest(SOURCE / f"{module}.py") for module in lines},
                "seconds": time.process_time() - began,
                "passed": all(report.passed for report in reports),
                "lines": {module: sorted(found) for module, found in lines.items()},
            }
            if number % 100 == 0 or number == len(nodes):
                self._say(f"traced {number} of {len(nodes)} tests")
                _write(file, traces)

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

    def _start(self, mutant: Mutant, functions: _Functions, running: _Running) -> None:
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
            found = functions[mutant.module, mutant.scope]
            os.write(writer, (self._judge(mutant, found, tests) or "").encode())
            os._exit(0)
        os.close(writer)
        running[child] = (mutant, reader)

    def _judge(self, mutant: Mutant, functions: list[FunctionType], tests: list[str]) -> str | None:
        """Return the first test that fails, in the fork."""
        try:
            apply(mutant, functions)
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
        self.results[mutant.name] = {"fate": fate, "line": mutant.line, "by": killer}
        if fate == "killed":
            self.killers[f"{mutant.module}:{mutant.scope}"][killer] += 1
        elif fate != "timeout":
            self._say(f"{fate}: {mutant.module}:{mutant.line} {mutant.scope}: {mutant.change}")


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


def _limit(seconds: float) -> None:
    """End this process when it computes or waits too long, or takes too much memory."""
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 5))
    signal.alarm(60 + int(20 * seconds))  # for one that sleeps: a busy machine is slow, not wrong
    with open("/proc/self/statm", encoding="ascii") as file:
        size = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + 2 * 2**30,) * 2)


def functions_by_scope() -> _Functions:
    """Return the loaded functions of the package by module and qualified name."""
    found: _Functions = defaultdict(list)
    for each in gc.get_objects():
        if isinstance(each, FunctionType) and each.__code__.co_filename.startswith(str(SOURCE)):
            path = Path(each.__code__.co_filename).relative_to(SOURCE).with_suffix("")
            found[str(path), each.__code__.co_qualname].append(each)
    return found


def apply(mutant: Mutant, functions: list[FunctionType]) -> None:
    """Put a mutant into this process: other code, other defaults or another constant."""
    module = sys.modules[f"howgood.{mutant.module.replace('/', '.')}"]
    tree = mutated(source_of(mutant.module), mutant)
    if not functions:
        _set_constant(module, mutant.scope, tree)
        return
    path = str(SOURCE / f"{mutant.module}.py")
    code = next(c for c in _codes(compile(tree, path, "exec")) if c.co_qualname == mutant.scope)
    for function in functions:
        function.__code__ = code
        if "args" in mutant.place[:5]:
            _set_defaults(function, _node(tree, mutant.scope), module)


def _codes(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes(constant)


def _node(tree: ast.Module, scope: str) -> ast.FunctionDef:
    body: list[ast.stmt] = tree.body
    for name in scope.split("."):
        found = next(
            node
            for node in body
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name
        )
        body = found.body
    return found  # type: ignore[return-value]  # the last name of a scope is a function's


def _value(node: ast.expr, module: ModuleType) -> object:
    return eval(compile(ast.Expression(node), "<mutant>", "eval"), vars(module))  # noqa: S307 - our source


def _set_defaults(function: FunctionType, node: ast.FunctionDef, module: ModuleType) -> None:
    if node.args.defaults:
        function.__defaults__ = tuple(_value(default, module) for default in node.args.defaults)
    named = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
    chosen = {arg.arg: _value(default, module) for arg, default in named if default is not None}
    if chosen:
        function.__kwdefaults__ = chosen


def _set_constant(module: ModuleType, name: str, tree: ast.Module) -> None:
    """Evaluate a constant anew and hand it to every module that imported the old one."""
    for node in tree.body:
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        if isinstance(target, ast.Name) and target.id == name:
            # Only assignments with a value come here, which the type of a statement does not say.
            old, new = vars(module)[name], _value(node.value, module)  # type: ignore[attr-defined]
    for other in list(sys.modules.values()):
        if getattr(other, "__dict__", {}).get(name) is old:
            setattr(other, name, new)


def _report(results: _Results, chosen: list[Mutant]) -> None:
    """Print a line per module and every survivor."""
    table: dict[str, Counter[str]] = defaultdict(Counter)
    for mutant in chosen:
        table[mutant.module][results.get(mutant.name, {}).get("fate", "not run")] += 1
    for module, fates in table.items():
        print(f"{module:<32} {fates.total():>5}  {dict(fates)}")


if __name__ == "__main__":
    sys.exit(main())
