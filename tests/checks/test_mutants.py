"""Mutants change one place, run as changed, and leave texts and errors alone."""

import ast

import pytest
from checks.mutants_kept import AREAS, fate_of, modules_of
from checks.mutations import Mutant, mutants_of, mutated

SOURCE = '''
LIMIT = 3

def clipped(x: float, *, top: float = 1.0) -> float:
    """Return x, at most top."""
    if x < 0:
        raise ValueError(f"{x} is below {0}", 5)
    return min(x, top) * 2
'''


def _changes() -> dict[str, Mutant]:
    return {f"{each.scope} {each.change}": each for each in mutants_of("some/module", SOURCE)}


def test_every_place_that_can_go_wrong_is_found_once() -> None:
    assert sorted(_changes()) == [
        "LIMIT 3 -> 4",
        "clipped 0 -> 1",
        "clipped 1 -> 2",
        "clipped 2 -> 3",
        "clipped Lt -> GtE",
        "clipped Lt -> LtE",
        "clipped Mult -> Div",
        "clipped min -> max",
        "clipped returns None",
    ]


@pytest.mark.parametrize(
    ("change", "x", "expected"),
    [
        ("clipped Mult -> Div", 0.5, 0.25),
        ("clipped 2 -> 3", 0.5, 1.5),
        ("clipped min -> max", 0.5, 2.0),
        ("clipped 1 -> 2", 3.0, 4.0),
        ("clipped returns None", 0.5, None),
    ],
)
def test_a_mutant_runs_as_changed(change: str, x: float, expected: float | None) -> None:
    names: dict[str, object] = {}
    exec(compile(mutated(SOURCE, _changes()[change]), "mutant", "exec"), names)  # noqa: S102 - the source above
    assert names["clipped"](x) == expected


def test_a_mutant_differs_from_the_source_in_one_place() -> None:
    original = ast.unparse(ast.parse(SOURCE)).splitlines()
    for mutant in mutants_of("some/module", SOURCE):
        changed = ast.unparse(mutated(SOURCE, mutant)).splitlines()
        assert sum(a != b for a, b in zip(original, changed, strict=True)) == 1


def test_names_survive_a_change_elsewhere_in_the_module() -> None:
    moved = f"import numpy\n\nOTHER = 1.5\n{SOURCE}"
    names = {mutant.name for mutant in mutants_of("some/module", SOURCE)}
    assert names < {mutant.name for mutant in mutants_of("some/module", moved)}


def test_a_result_counts_until_its_function_changes() -> None:
    mutant = _changes()["clipped min -> max"]
    results = {mutant.name: {"fate": "killed", "code": mutant.code}}
    assert fate_of(mutant, results) == "killed"
    for source, fate in [(f"OTHER = 1\n{SOURCE}", "killed"), (SOURCE.replace("0:", "9:"), None)]:
        again = {each.name: each for each in mutants_of("some/module", source)}[mutant.name]
        assert fate_of(again, results) == fate


def test_every_area_names_modules_that_exist() -> None:
    for area in AREAS:
        assert all(mutants_of(module, "x = 1") for module in modules_of(area))
        assert len(modules_of(area)) >= 4
