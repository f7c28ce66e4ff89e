"""Small files, small functions, honest exports: counted, not hoped for."""

import ast
import re
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PLACES = [ROOT / "src" / "howgood", ROOT / "checks", ROOT / "benchmarks"]
MODULES = sorted(path for place in PLACES for path in place.rglob("*.py"))
FORBIDDEN_NAMES = {"utils", "helpers", "common", "base", "misc"}
_STABILITY = re.compile(r"^ *Stability: (?:stable|experimental)\b", re.MULTILINE)
_BLOCKS = (ast.For, ast.While, ast.If, ast.With, ast.Try)


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.fixture(scope="module")
def trees():
    """The parsed modules, by file."""
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in MODULES}


def test_a_module_is_readable_in_one_sitting():
    lengths = {_name(path): len(path.read_text().splitlines()) for path in MODULES}
    assert not {name: lines for name, lines in lengths.items() if lines > 600}


def test_functions_are_short_and_flat(trees):
    functions = [
        (f"{_name(path)}:{node.lineno} {node.name}", node)
        for path, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    assert not [where for where, node in functions if _body_lines(node) > 40]
    assert not [where for where, node in functions if _depth(node) > 3]


def test_every_module_says_what_it_is_and_has_a_telling_name(trees):
    assert not [_name(path) for path, tree in trees.items() if not ast.get_docstring(tree)]
    assert not [_name(path) for path in MODULES if path.stem in FORBIDDEN_NAMES]


@pytest.mark.parametrize("stage", ["ask", "learn", "score", "decide", "records"])
def test_exports_are_sorted_exist_and_state_their_stability(stage):
    module = import_module(f"howgood.{stage}")
    assert list(module.__all__) == sorted(module.__all__)
    for name in module.__all__:
        exported = getattr(module, name)
        if not isinstance(exported, tuple):  # a constant has no docstring of its own
            stated = _STABILITY.findall(exported.__doc__ or "")
            assert len(stated) == 1, f"{stage}.{name} states its stability {len(stated)} times"


@pytest.mark.parametrize("stage", ["ask", "learn", "score", "decide", "records"])
def test_no_module_hides_a_public_name(stage):
    # Importing howgood.decide.rank would make `decide.rank` that module.
    modules = {path.stem for path in (ROOT / "src" / "howgood" / stage).glob("*.py")}
    assert not modules & set(import_module(f"howgood.{stage}").__all__)


def _body_lines(function):
    """Lines of code: without the docstring, which may be as long as it is helpful."""
    body = function.body
    if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        body = body[1:]
    return (function.end_lineno - body[0].lineno + 1) if body else 0


def _depth(node, level=0):
    deepest = level
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr | ast.FunctionDef | ast.AsyncFunctionDef):
            continue  # no expression holds a block
        deeper = level + isinstance(child, _BLOCKS) - _is_elif(node, child)
        deepest = max(deepest, _depth(child, deeper))
    return deepest


def _is_elif(node, child):
    return isinstance(node, ast.If) and isinstance(child, ast.If) and node.orelse == [child]


def test_every_benchmark_can_be_run_with_the_others():
    # Read, not imported: peers are installed for `make bench` alone.
    own = {"__init__", "__main__", "page", "rows"}
    modules = [path for path in (ROOT / "benchmarks").glob("*.py") if path.stem not in own]
    assert [path.name for path in modules if "\ndef run(" not in path.read_text()] == []
