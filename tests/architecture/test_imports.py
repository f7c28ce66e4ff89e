"""Importing does nothing slow."""

import subprocess
import sys

import pytest

HEAVY = {"arviz_stats", "duckdb", "matplotlib", "nutpie", "pandas", "polars", "pyarrow", "pydantic",
         "pymc", "pyspark", "sklearn", "sqlalchemy", "starlette"}  # fmt: skip


def _modules_after(statement):
    program = f"{statement}\nimport sys\nprint(' '.join(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return {name.split(".")[0] for name in done.stdout.split()}


def test_importing_howgood_loads_only_the_standard_library():
    extra = _modules_after("import howgood") - _modules_after("import importlib")
    outside = {name for name in extra if name not in sys.stdlib_module_names and name != "howgood"}
    assert outside == set()


@pytest.mark.parametrize("stage", ["ask", "learn", "score", "decide"])
def test_no_stage_loads_a_heavy_package(stage):
    assert not _modules_after(f"from howgood import {stage}") & HEAVY


def test_the_command_line_shows_help_without_numpy():
    loaded = _modules_after(
        "from howgood.cli.main import run\nimport contextlib, io\n"
        "with contextlib.redirect_stdout(io.StringIO()): run(['--help'])"
    )
    assert not loaded & (HEAVY | {"numpy", "scipy", "rich"})
