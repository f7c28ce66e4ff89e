"""Run every benchmark, or those named, and print one table: `python -m benchmarks [NAME ...]`.

The rows are kept in docs/explanation/performance.md. A benchmark is a module beside this one with
`run() -> list[Row]`.
"""

import sys
from importlib import import_module
from pathlib import Path

from benchmarks import page
from benchmarks.rows import Row
from howgood.records.table import Table
from howgood.show.text import text_table

OWN = {"__init__", "__main__", "page", "rows"}


def main(names: list[str]) -> None:
    known = sorted(path.stem for path in Path(__file__).parent.glob("*.py") if path.stem not in OWN)
    unknown = [name for name in names if name not in known]
    if unknown:
        sys.exit(f"benchmarks: no {', '.join(unknown)}; known are {', '.join(known)}")
    # All are imported before the first is run: half an hour is a long time to find a slip.
    modules = {name: import_module(f"benchmarks.{name}").run for name in names or known}
    measured: list[Row] = []
    for name, run in modules.items():
        print(f"benchmark: {name}", file=sys.stderr, flush=True)
        rows = run()
        page.remember({name: rows})
        measured += rows
    print(text_table(_table(measured), width=150))
    print(f"written to {page.FOLDER}")


def _table(rows: list[Row]) -> Table:
    met = {True: "yes", False: "NO", None: ""}
    return Table(
        {
            "what": [row.subject for row in rows],
            "size": [row.size for row in rows],
            "howgood": [row.ours for row in rows],
            "peer": [row.peer for row in rows],
            "peer's": [row.peer_value for row in rows],
            "ratio": ["" if row.ratio is None else f"{row.ratio:,.1f}x" for row in rows],
            "target": [row.target for row in rows],
            "met": [met[row.met] for row in rows],
        }
    )


if __name__ == "__main__":
    main(sys.argv[1:])
