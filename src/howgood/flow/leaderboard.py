"""Rank systems by a file of grades: open, rank, report.

In: a path and column names. Out: `RankedFile`, a `Report`. Absent: statistics (see `decide`) and
printing (see `cli`).
"""

from dataclasses import dataclass
from pathlib import Path

from howgood.ask.files import open_table
from howgood.decide.grades import rank_grades
from howgood.decide.votes import rank_votes
from howgood.flow.files import naming
from howgood.flow.ranking import RankedFile, picture
from howgood.records.report import Finding, Report
from howgood.records.table import frame_column_names
from howgood.show import leaderboard as words
from howgood.show import votes as words_of_votes
from howgood.show.figures.theme import to_svg


@dataclass(frozen=True, slots=True, kw_only=True)
class GradeColumns:
    """Which columns say whose output was graded, on what, by whom (None: unknown), and how."""

    system: str = "system"
    item: str = "item"
    rater: str | None = "rater"
    grade: str = "grade"


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteColumns:
    """Which columns say who stood where, who won, on what, by whom (where these are there)."""

    left: str = "left"
    right: str = "right"
    winner: str = "winner"
    item: str = "item"
    rater: str | None = "rater"
    style: str | None = None


def rank_votes_file(
    path: str | Path,
    *,
    columns: VoteColumns,
    level: float = 0.05,
    missing: str = "error",
    engine: str = "auto",
) -> RankedFile:
    """Rank the systems of a file with one row per vote."""
    frame = open_table(path, engine=engine)
    present = frame_column_names(frame)
    usual = VoteColumns()
    # The usual names count where they are there; a name somebody gave must be there.
    item, rater = (
        None if name == default and name not in present else name
        for name, default in ((columns.item, usual.item), (columns.rater, usual.rater))
    )
    with naming({"votes": path, "the table": path}):
        ranking = rank_votes(
            frame,
            left=columns.left,
            right=columns.right,
            winner=columns.winner,
            item=item,
            rater=rater,
            style=columns.style,
            level=level,
            missing=missing,
        )
    return RankedFile(ranking=ranking, sums=None)


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


def findings_of(ranked: RankedFile) -> tuple[Finding, ...]:
    """Return what to say first, of grades or of votes."""
    if ranked.ranking.metric == "strength":
        return words_of_votes.findings(ranked.ranking)
    return words.findings(ranked.ranking)


def leaderboard_report(ranked: RankedFile) -> Report:
    """Return the report with its picture."""
    with picture(ranked) as figure:
        svg = to_svg(figure, title="Scores and rank probabilities")
    if ranked.ranking.metric == "strength":
        return words_of_votes.report(ranked.ranking, svg=svg)
    return words.report(ranked.ranking, svg=svg)
