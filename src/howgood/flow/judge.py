"""Correct a judge by a file of labels, and say how far raters agree: open, estimate, report.

In: paths and column names. Out: `JudgeReport`, `JudgeDrift`, `RaterAgreement`, a `Report`. Absent:
statistics (see `score.judging`, `learn`) and printing (see `cli`).
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from howgood.ask.files import open_table
from howgood.flow.files import naming
from howgood.flow.leaderboard import columns_of_grades
from howgood.records.judged import JudgeDrift, JudgePlan, JudgeReport
from howgood.records.report import Report
from howgood.score.judge_rows import JudgeColumns
from howgood.score.judging import judge, judge_drift
from howgood.show import judge as words
from howgood.show.figures.intervals import judge_figure
from howgood.show.figures.theme import to_svg

if TYPE_CHECKING:
    from matplotlib.figure import Figure
from howgood.learn.raters import rater_agreement
from howgood.records.rater_agreement import RaterAgreement
from howgood.records.table import Table, frame_column_names


def judge_file(
    path: Path,
    *,
    columns: JudgeColumns,
    scores: Path | None = None,
    levels: tuple[str, ...] | None = None,
    cut: float | None = None,
    judge_cut: float = 0.5,
    missing: str = "error",
    engine: str = "auto",
) -> JudgeReport:
    """Correct the judge of a file with one row per label, and perhaps one of all its scores."""
    labels = open_table(path, engine=engine)
    everything = None if scores is None else open_table(scores, engine=engine)
    with naming({"labels": path, "scores": scores or path, "the table": path}):
        return judge(
            labels,
            item=columns.item,
            rater=columns.rater,
            label=columns.label,
            judge=columns.judge,
            system=columns.system,
            cluster=columns.cluster,
            segment=columns.segment,
            bias=columns.bias,
            scores=everything,
            levels=levels,
            cut=cut,
            judge_cut=judge_cut,
            missing=missing,
        )


def drift_of_files(
    earlier: Path, later: Path, *, columns: JudgeColumns, engine: str = "auto"
) -> JudgeDrift:
    """Compare a judge's scores of the same outputs in two files."""
    with naming({"earlier": earlier, "later": later}):
        return judge_drift(
            open_table(earlier, engine=engine),
            open_table(later, engine=engine),
            item=columns.item,
            judge=columns.judge,
            system=columns.system,
        )


@contextmanager
def picture(report: JudgeReport) -> Iterator["Figure"]:
    """Draw the corrected values next to the judge's."""
    with judge_figure(report) as figure:
        yield figure


def judge_report(report: JudgeReport, *, plan: JudgePlan | None = None) -> Report:
    """Return the report with its picture."""
    with picture(report) as figure:
        svg = to_svg(figure, title="What people would say, next to the judge alone")
    return words.report_of(report, svg=svg, plan=plan)


def agreement_of_file(
    path: str | Path,
    *,
    named: Mapping[str, str],
    level: str,
    missing: str,
    engine: str,
) -> RaterAgreement:
    """Return how far the raters of a file with one row per grade agree.

    Columns that are not `named` are found by their usual names, the system's too where there is
    one: a file for a leaderboard has it. Parts of documents are items within these.
    """
    frame = open_table(path, engine=engine)
    roles = columns_of_grades(frame_column_names(frame), named)
    item = roles["item"]
    if "cluster" in roles:
        frame, item = _within(frame, roles["cluster"], item)
    with naming({"grades": path, "labels": path, "the table": path}):
        agreement = rater_agreement(
            frame,
            item=item,
            rater=roles["rater"],
            grade=roles["grade"],
            system=roles.get("system"),
            level=level,
            missing=missing,
        )
    if set(roles) <= set(named):
        return agreement
    settings = {**agreement.provenance.settings, "read as": {"kind": "grades", **roles}}
    return replace(agreement, provenance=replace(agreement.provenance, settings=settings))


def _within(frame: Any, outer: str, inner: str) -> tuple[Any, str]:  # noqa: ANN401 - any frame
    """Return the table with a column that names each part together with its document."""
    import narwhals as nw

    made = f"{outer}, {inner}"
    if isinstance(frame, Table):
        names = [f"{one}, {other}" for one, other in zip(frame[outer], frame[inner], strict=True)]
        return Table({**frame, made: names}), made
    both = [nw.col(name).cast(nw.String) for name in (outer, inner)]
    joined = nw.concat_str(*both, separator=", ").alias(made)
    return nw.from_native(frame).with_columns(joined).to_native(), made
