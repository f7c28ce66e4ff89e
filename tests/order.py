"""Which files are run first, so that two processes end at about the same time.

In: the tests that were collected. Out: the same, files that take long first. `make slow` goes by
the seconds its proofs took the last time; `make test` begins with browsers and broken servers, one
of each in turn (who waits for a server leaves the processor to the other), and ends with examples
in docstrings.
"""

import json
from collections import Counter
from itertools import chain, zip_longest
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[1]
_LEDGER = _ROOT / "docs" / "_data" / "calibration.json"
_FIRST = ("tests/journeys/", "tests/faults/")


def sort(items: list[pytest.Item], *, is_slow: bool) -> None:
    """Sort in place, whole files at a time; the tests of a file keep their order."""
    files = list(dict.fromkeys(_file(item) for item in items))
    places = {
        name: place for place, name in enumerate(_by_seconds(files) if is_slow else _mixed(files))
    }
    items.sort(key=lambda item: places[_file(item)])


def _file(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0]


def _by_seconds(files: list[str]) -> list[str]:
    """Those that took longest first; those nobody has measured before all."""
    longest: Counter[str] = Counter()
    rows = json.loads(_LEDGER.read_text(encoding="utf-8")) if _LEDGER.exists() else []
    for row in rows:
        longest[row["proof"]] = max(longest[row["proof"]], row["seconds"])
    of_files: Counter[str] = Counter()
    for proof, seconds in longest.items():
        of_files[proof.partition("::")[0]] += seconds
    return sorted(files, key=lambda name: -of_files.get(name, float("inf")))


def _mixed(files: list[str]) -> list[str]:
    first = [[name for name in files if name.startswith(folder)] for folder in _FIRST]
    ordered = [name for name in chain(*zip_longest(*first)) if name]
    rest = [name for name in files if not name.startswith(_FIRST)]
    return ordered + sorted(rest, key=lambda name: name.startswith("src/"))
