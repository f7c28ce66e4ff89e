"""Run every benchmark, or those named, and print one table: `python -m benchmarks [NAME ...]`.

The rows are kept in docs/explanation/performance.md. A benchmark is a module beside this one with
`run() -> list[Row]`. One that fails keeps its old rows and does not stop the others; it is named at
the end, and the exit status is 1.
"""

import sys
import time
import traceback
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TypeVar

from benchmarks import page
from benchmarks.rows import Row
from howgood.records.table import Table
from howgood.show.text import text_table

_T = TypeVar("_T")
OWN = {"__init__", "__main__", "page", "rows"}
# Writes a page of its own, and is run when named.
APART = {"validity"}


def main(names: list[str]) -> None:
    known = sorted(path.stem for path in Path(__file__).parent.glob("*.py") if path.stem not in OWN)
    unknown = [name for name in names if name not in known]
    if unknown:
        sys.exit(f"benchmarks: no {', '.join(unknown)}; known are {', '.join(known)}")
    failed: list[str] = []
    # All are imported before the first is run: half an hour is a long time to find a slip.
    chosen = names or [name for name in known if name not in APART]
    modules = {name: _tried(name, lambda name=name: _imported(name), failed) for name in chosen}
    measured: list[Row] = []
    for name, run in modules.items():
        if run is None:
            continue
        print(f"benchmark: {name}", file=sys.stderr, flush=True)
        start = time.perf_counter()
        rows = _tried(name, run, failed)
        took = time.perf_counter() - start
        print(f"benchmark: {name} took {took:.0f} s", file=sys.stderr, flush=True)
        if rows:
            page.remember({name: rows})
            measured += rows
    print(text_table(_table(measured), width=150))
    print(f"written to {page.FOLDER}")
    if failed:
        sys.exit(f"benchmarks: failed: {', '.join(failed)}")


def _imported(name: str) -> Callable[[], list[Row]]:
    run: Callable[[], list[Row]] = import_module(f"benchmarks.{name}").run
    return run


def _tried(name: str, work: Callable[[], _T], failed: list[str]) -> _T | None:
    """Return what the work returns; where it fails, say how, note the name and return None."""
    try:
        return work()
    except (Exception, SystemExit):
        traceback.print_exc()
        failed.append(name)
        return None


def _table(rows: list[Row]) -> Table:
    met = {True: "yes", False: "NO", None: ""}
    return Table(
        {
            "what": [row.subject for row in rows],
            "size": [row.size for row in rows],
            "howgood": [row.ours for row in rows],
            "peer": [row.peer for row in rows],
            "peer's": [row.peer_value for row in rows],
            "ratio": ["" if row.ratio is None else f"{page.times(row.ratio)}x" for row in rows],
            "target": [row.target for row in rows],
            "met": [met[row.met] for row in rows],
        }
    )


if __name__ == "__main__":
    main(sys.argv[1:])
