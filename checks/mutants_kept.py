"""What mutants are made of, and what was found about them: modules, results and reasons.

In: names of areas or modules, `.mutants/*.json`, `checks/explained.toml`. Out: sources, results of
earlier runs, the reason why a mutant may live.
"""

import functools
import json
import tomllib
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from checks.mutations import Mutant

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "howgood"
KEPT = ROOT / ".mutants"
# What stands for a word on the command line; a folder means its modules.
AREAS = {
    "stats": ["stats"],
    "score": ["score"],
    "decide": [
        "decide/rank", "decide/rank_grades", "decide/rank_ratings", "decide/sampling",
        "decide/scores",
    ],
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
ALIVE = ("survived", "unreached")
REASONS = Path(__file__).with_name("explained.toml")


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


def fate_of(mutant: Mutant, results: dict[str, Any]) -> str | None:
    """Return what became of a mutant, or None if its function was never judged as it is now."""
    found = results.get(mutant.name, {})
    return found["fate"] if found.get("code") == mutant.code else None


def write(name: str, content: dict[str, Any]) -> None:
    """Write down what a run found, all of it or nothing."""
    KEPT.mkdir(exist_ok=True)
    path = KEPT / name
    path.with_suffix(".part").write_text(json.dumps(content, indent=0), encoding="utf-8")
    path.with_suffix(".part").replace(path)
