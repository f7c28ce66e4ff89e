"""Rank systems by a file of grades: open, rank, report.

In: a path and column names. Out: `RankedFile`, a `Report`. Absent: statistics (see `decide`) and
printing (see `cli`).
"""

from dataclasses import dataclass
from pathlib import Path

from howgood.ask.files import open_table
from howgood.decide.grades import rank_grades
from howgood.flow.named_files import naming
from howgood.flow.ranking import RankedFile, picture
from howgood.records.report import Report
from howgood.show import leaderboard as words
from howgood.show.figures.theme import to_svg


@dataclass(frozen=True, slots=True, kw_only=True)
class GradeColumns:
    """Which columns say whose output was graded, on what, by whom (None: unknown), and how."""

    system: str = "system"
    item: str = "item"
    rater: str | None = "rater"
    grade: str = "grade"


def rank_grades_file(
    path: str | Path,
    *,
    columns: GradeColumns,
    greater_is_better: bool = True,
    combine: str = "error",
    level: float = 0.05,
    missing: str = "error",
    engine: str = "auto",
) -> RankedFile:
    """Rank the systems of a file with one row per grade."""
    frame = open_table(path, engine=engine)
    with naming({"grades": path, "the table": path}):
        ranking = rank_grades(
            frame,
            system=columns.system,
            item=columns.item,
            rater=columns.rater,
            grade=columns.grade,
            greater_is_better=greater_is_better,
            combine=combine,
            level=level,
            missing=missing,
        )
    return RankedFile(ranking=ranking, sums=None)


def leaderboard_report(ranked: RankedFile) -> Report:
    """Return the report with its picture."""
    with picture(ranked) as figure:
        svg = to_svg(figure, title="Mean grades and rank probabilities")
    return words.report(ranked.ranking, svg=svg)
