"""`python -m benchmarks` goes on when one of them fails, and says so at the end."""

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
from benchmarks import __main__ as benchmarks
from benchmarks.rows import Row, used_by


def _module(name, run):
    module = ModuleType(f"benchmarks.{name}")
    module.run = run
    return module


def _broken():
    raise RuntimeError("no such peer")


def test_one_that_fails_does_not_stop_the_others(monkeypatch, capsys):
    kept = {}
    monkeypatch.setattr(benchmarks.page, "remember", kept.update)
    row = Row(subject="growth: of nothing", size="N = 1", ours="1 s")
    monkeypatch.setitem(sys.modules, "benchmarks.fit", _module("fit", _broken))
    monkeypatch.setitem(sys.modules, "benchmarks.growth", _module("growth", lambda: [row]))
    with pytest.raises(SystemExit, match="failed: fit") as ended:
        benchmarks.main(["fit", "growth"])
    assert ended.value.code not in (0, None)
    assert kept == {"growth": [row]}
    out, err = capsys.readouterr()
    assert "growth: of nothing" in out
    assert "no such peer" in err
    assert "benchmark: growth took 0 s" in err


def test_a_ratio_is_against_somebody():
    with pytest.raises(ValueError, match="peer's name"):
        Row(subject="speed", size="N = 1", ours="1 s", ratio=2.0)


def test_memory_is_that_of_the_command_alone():
    held = bytearray(200_000_000)  # what this process holds is not counted
    used = used_by([sys.executable, "-S", "-c", "b'x' * 50_000_000"])
    assert len(held) / 1e6 > used.megabytes > 40
    assert used.cpu > 0
    assert used.wall > 0


def test_every_benchmark_can_be_imported():
    names = sorted(path.stem for path in Path(benchmarks.__file__).parent.glob("*.py"))
    for name in set(names) - benchmarks.OWN:
        assert callable(import_module(f"benchmarks.{name}").run)
