"""Measured rows to docs/explanation/performance.md and its picture.

In: rows by benchmark. Out: the page, written by the run itself; what did not run this time keeps
the rows of its last run, which `docs/_data/performance.json` remembers. Absent: measuring.
"""

import json
import os
import platform
from dataclasses import asdict
from pathlib import Path

from benchmarks.rows import Row
from howgood import __version__
from howgood.show.figures.theme import COLOURS, FAINT, canvas, save

DOCS = Path(__file__).parents[1] / "docs"
FOLDER = DOCS / "explanation"
_MEMORY = DOCS / "_data" / "performance.json"
_PAGE, _PICTURE = "performance.md", "performance.svg"
_HEAD = """# How fast, compared with what

Written by `make bench`: ratios against named peers, measured in one run on one machine ({machine}).
A ratio above 1 says how many times better howgood is than the peer, in what the row measures of
both: it depends on the machine much less than seconds do. "NO" marks a target that was not met in
that run. CPU time unless a row says otherwise; the programs are in `benchmarks/`.

![Ratios against peers, on a logarithmic scale]({picture})
"""


def remember(measured: dict[str, list[Row]], folder: Path = FOLDER, memory: Path = _MEMORY) -> Path:
    """Keep these rows, and write the page and the picture anew from all that are kept."""
    known = json.loads(memory.read_text(encoding="utf-8")) if memory.exists() else {}
    known |= {name: [asdict(row) for row in rows] for name, rows in measured.items()}
    known = dict(sorted(known.items()))
    memory.write_text(json.dumps(known, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    rows = {name: [Row(**row) for row in found] for name, found in known.items()}
    draw(rows, folder / _PICTURE)
    page = folder / _PAGE
    page.write_text(as_page(rows), encoding="utf-8")
    return page


def as_page(rows: dict[str, list[Row]]) -> str:
    machine = f"{os.cpu_count()} cores, Python {platform.python_version()}, howgood {__version__}"
    parts = [_HEAD.format(machine=machine, picture=_PICTURE)]
    for name, found in rows.items():
        parts += [f"## {name.replace('_', ' ').capitalize()}", _table(found)]
    return "\n".join(part.rstrip() + "\n" for part in parts)


def _table(rows: list[Row]) -> str:
    met = {True: "yes", False: "NO", None: ""}
    lines = ["| what | size | howgood | peer | peer's | ratio | target | met |",
             "|---|---|---|---|---|---:|---|---|"]  # fmt: skip
    lines += [
        f"| {row.subject} | {row.size} | {row.ours} | {row.peer} | {row.peer_value} | "
        f"{'' if row.ratio is None else times(row.ratio)} | {row.target} | {met[row.met]} |"
        for row in rows
    ]
    return "\n".join(lines)


def times(ratio: float) -> str:
    """Return a ratio with one decimal, and two digits where it is far below 1."""
    return f"{ratio:,.1f}" if ratio >= 0.95 else f"{ratio:.2g}"


def draw(rows: dict[str, list[Row]], path: Path) -> None:
    """Draw every ratio as a bar with its peer's name, largest first."""
    found = sorted(
        (row for each in rows.values() for row in each if row.ratio), key=lambda row: row.ratio
    )
    with canvas(width=9.0, height=0.6 + 0.34 * max(len(found), 1)) as figure:
        axes = figure.subplots()
        for place, row in enumerate(found):
            axes.plot([1, row.ratio], [place, place], color=COLOURS[0 if row.ratio >= 1 else 1],
                      lw=6, solid_capstyle="butt")  # fmt: skip
            axes.annotate(
                f"{times(row.ratio)}x  {row.peer}: {row.subject}, {row.size}",
                (max(row.ratio, 1), place), xytext=(5, 0), textcoords="offset points",
                va="center", fontsize=8,
            )  # fmt: skip
        axes.axvline(1, color=FAINT, lw=1)
        axes.set_xscale("log")
        ratios = [row.ratio for row in found] or [1.0]
        axes.set_xlim(min(ratios[0] / 2, 0.3), ratios[-1] * 3e4)
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
        ticks = [
            10.0**power for power in range(-2, 5) if ratios[0] / 2 <= 10.0**power <= ratios[-1]
        ]
        axes.set_xticks(ticks, [f"{tick:,g}x" for tick in ticks])
        axes.minorticks_off()
        axes.set_xlabel("times better than the peer")
        save(figure, path)
