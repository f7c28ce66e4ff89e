"""Rank systems by a file of grades: open, rank, report.

In: a path and column names. Out: `RankedFile`, a `Report`. Absent: statistics (see `decide`) and
printing (see `cli`).
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from howgood.ask.files import open_table
from howgood.decide.grades import rank_grades
from howgood.decide.votes import rank_votes
from howgood.flow.files import naming
from howgood.flow.ranking import RankedFile, picture
from howgood.records.ranking import Ranking
from howgood.records.report import Finding, Report
from howgood.records.table import frame_column_names
from howgood.show import boards as words_of_boards
from howgood.show import leaderboard as words
from howgood.show import votes as words_of_votes
from howgood.show.figures.ranking import DrawnBoard, boards_figure
from howgood.show.figures.theme import to_svg
from howgood.show.ranking import score_axis

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class GradeColumns:
    """Which columns say whose output was graded, on what, by whom (None: unknown)."""

    system: str = "system"
    item: str = "item"
    rater: str | None = "rater"
    cluster: str | None = None
    segment: str | None = None


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


def rank_criteria_file(
    path: str | Path,
    *,
    columns: GradeColumns,
    criteria: Sequence[str] = ("grade",),
    greater_is_better: bool = True,
    combine: str = "error",
    level: float = 0.05,
    missing: str = "error",
    engine: str = "auto",
) -> dict[str, Ranking]:
    """Rank the systems of a file by each of several columns of grades."""
    frame = open_table(path, engine=engine)
    with naming({"grades": path, "the table": path}):
        return {
            criterion: rank_grades(
                frame,
                system=columns.system,
                item=columns.item,
                rater=columns.rater,
                grade=criterion,
                cluster=columns.cluster,
                segment=columns.segment,
                greater_is_better=greater_is_better,
                combine=combine,
                level=level,
                missing=missing,
            )
            for criterion in criteria
        }


def boards_of(criteria: Mapping[str, Ranking]) -> dict[str, Ranking]:
    """Return every board by its name: criteria, and segments within each."""
    boards: dict[str, Ranking] = {}
    for criterion, ranking in criteria.items():
        boards[criterion if len(criteria) > 1 else "all"] = ranking
        for segment, board in ranking.segments.items():
            boards[f"{criterion}, {segment}" if len(criteria) > 1 else segment] = board
    return boards


@contextmanager
def boards_picture(boards: Mapping[str, Ranking]) -> Iterator["Figure"]:
    """Draw all boards next to each other, systems in the order of the first."""
    first = next(iter(boards.values()))
    drawn = [_drawn(name, ranking, first.order) for name, ranking in boards.items()]
    with boards_figure(first.order, drawn, axis=score_axis(first)) as figure:
        yield figure


def _drawn(title: str, ranking: Ranking, systems: Sequence[str]) -> DrawnBoard:
    places = [ranking.systems.index(name) if name in ranking.systems else -1 for name in systems]
    is_here = np.array(places) >= 0
    means = np.where(is_here, ranking.scores[places], np.nan)
    reach = 1.959964 * ranking.score_sds[places]
    settings = ranking.provenance.settings
    least, most = settings["lowest grade"], settings["highest grade"]
    best = ranking.order[0]
    return DrawnBoard(
        title=title,
        means=means,
        lower=np.maximum(means - reach, least),
        upper=np.minimum(means + reach, most),
        is_first=[system in (best, *ranking.ties[best]) for system in systems],
    )


def boards_report(boards: Mapping[str, Ranking]) -> Report:
    """Return the report of several boards with their picture."""
    with boards_picture(boards) as figure:
        svg = to_svg(figure, title="Mean grades on every board")
    return words_of_boards.report(boards, svg=svg)


def findings_of(ranked: RankedFile) -> tuple[Finding, ...]:
    """Return what to say first, of grades or of votes."""
    if ranked.ranking.metric == "strength":
        return words_of_votes.findings(ranked.ranking)
    return words.findings(ranked.ranking)


def board_document(ranking: Ranking) -> dict[str, Any]:
    """Return the board's values with its sentences: numbers go nowhere without their limits."""
    said = findings_of(RankedFile(ranking=ranking, sums=None))
    document = {"findings": [finding.text for finding in said], **ranking.to_dict()}
    boards = {name: board_document(board) for name, board in ranking.segments.items()}
    return document | ({"segments": boards} if boards else {})


def leaderboard_report(ranked: RankedFile) -> Report:
    """Return the report with its picture."""
    with picture(ranked) as figure:
        svg = to_svg(figure, title="Scores and rank probabilities")
    if ranked.ranking.metric == "strength":
        return words_of_votes.report(ranked.ranking, svg=svg)
    return words.report(ranked.ranking, svg=svg)
