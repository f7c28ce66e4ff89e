"""No public name without a property: what is added later is not forgotten."""

import ast
from functools import cache
from pathlib import Path

import pytest
from tests.property.registry import ELSEWHERE

from howgood import ask, decide, learn, score

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
NAMES = [
    f"{stage.__name__.partition('.')[2]}.{name}"
    for stage in (ask, learn, score, decide)
    for name in stage.__all__
]


@cache
def _marked() -> frozenset[str]:
    """Every name given to `about` above a test of this folder that Hypothesis drives."""
    tests = [
        node
        for path in HERE.glob("test_*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and _is_property(node)
    ]
    calls = [
        each
        for test in tests
        for each in test.decorator_list
        if isinstance(each, ast.Call) and getattr(each.func, "id", "") == "about"
    ]
    return frozenset(ast.literal_eval(name) for call in calls for name in call.args)


def _is_property(test: ast.FunctionDef) -> bool:
    return any(
        isinstance(each, ast.Call) and getattr(each.func, "id", "") == "given"
        for each in test.decorator_list
    )


@pytest.mark.parametrize("name", NAMES)
def test_a_public_name_has_a_property_test(name: str) -> None:
    assert name in _marked() | set(ELSEWHERE), f"write a test with @about({name!r}) and @given"


@pytest.mark.parametrize("name", sorted(set(ELSEWHERE) | _marked()))
def test_the_registry_names_nothing_that_is_gone(name: str) -> None:
    assert name in NAMES


@pytest.mark.parametrize("place", sorted(set(ELSEWHERE.values())))
def test_a_property_test_elsewhere_is_there(place: str) -> None:
    path, _, test = place.partition("::")
    assert f"def {test}(" in (ROOT / path).read_text(encoding="utf-8")
    assert "@given(" in (ROOT / path).read_text(encoding="utf-8")
