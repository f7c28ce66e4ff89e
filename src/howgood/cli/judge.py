"""`howgood judge`: can an automatic judge stand in for people, and what would they say?

In: a table of labels with the judge's scores. Out: corrected values as text, JSON, picture and
report. Absent: statistics, and calling a judge.
"""

from pathlib import Path

import click

from howgood.cli.options import (
    CLUSTER,
    column_option,
    engine_option,
    file_option,
    missing_option,
    report_options,
    write_picture,
    write_report,
)
from howgood.flow import judge as flow
from howgood.records.judged import JudgeReport
from howgood.score.judge_rows import JudgeColumns
from howgood.show import judge as show
from howgood.show import text


@click.command()
@click.argument("labels", type=click.Path(path_type=Path))
@column_option("--item", "task or prompt.", default="item")
@column_option("--rater", "who labelled.", default="rater")
@click.option("--no-rater", "has_no_rater", is_flag=True, help="Nobody noted who labelled.")
@column_option("--label", "what people said.", default="label")
@column_option("--judge", "the judge's score.", default="judge")
@column_option("--system", "whose output. Without it, all are one system's.")
@file_option("--scores", "Table of all outputs the judge scored.")
@column_option("--cluster", CLUSTER)
@column_option("--segment", "topic, language: results for each of its values too.")
@click.option(
    "--bias",
    metavar="COLUMNS",
    default="",
    help="Columns that may sway the judge: length,position.",
)
@click.option("--levels", metavar="LABELS", help="Labels from worst to best: bad,fair,good.")
@click.option("--cut", type=float, help="Lowest label that counts as passed.")
@click.option(
    "--judge-cut", default=0.5, show_default=True, help="Lowest score that counts as passed."
)
@click.option(
    "--plan", "width", metavar="WIDTH", type=float,
    help="How many labels would give an interval of this width?",
)  # fmt: skip
@file_option("--drift", "Later scores of the same outputs: has the judge changed?")
@missing_option
@engine_option
@report_options
def command(
    labels: Path,
    item: str,
    rater: str,
    has_no_rater: bool,
    label: str,
    judge: str,
    system: str | None,
    scores: Path | None,
    cluster: str | None,
    segment: str | None,
    bias: str,
    levels: str | None,
    cut: float | None,
    judge_cut: float,
    width: float | None,
    drift: Path | None,
    missing: str,
    engine: str,
    plot: Path | None,
    out: Path | None,
    as_json: bool,
) -> int:
    """Correct an automatic judge by people's LABELS: pass rate or mean of each system.

    LABELS has one row per label: item, rater, label, judge. Rows without a label are outputs only
    the judge scored; --scores names a table of them instead.
    """
    columns = JudgeColumns(
        item=item,
        rater=None if has_no_rater else rater,
        label=label,
        judge=judge,
        system=system,
        cluster=cluster,
        segment=segment,
        bias=tuple(name.strip() for name in bias.split(",") if name.strip()),
    )
    if drift is not None:
        return _say_drift(scores or labels, drift, columns, engine, as_json)
    report = flow.judge_file(
        labels,
        columns=columns,
        scores=scores,
        levels=None if levels is None else tuple(part.strip() for part in levels.split(",")),
        cut=cut,
        judge_cut=judge_cut,
        missing=missing,
        engine=engine,
    )
    _say(report, width, plot, out, as_json)
    return 0


def _say(
    report: JudgeReport, width: float | None, plot: Path | None, out: Path | None, as_json: bool
) -> None:
    plan = None if width is None else report.plan(width=width)
    if as_json:
        planned = {} if plan is None else {"plan": plan.to_dict()}
        click.echo(text.to_json({**report.to_dict(), **planned}))
    else:
        findings = [*show.findings(report), *([show.plan_finding(plan, report)] if plan else [])]
        click.echo("\n".join(f"- {finding.text}" for finding in findings))
        click.echo(text.text_table(report.table))
        click.echo(text.text_table(show.agreement_table(report)))
    if plot is not None:
        write_picture(flow.picture(report), plot)
    if out is not None:
        write_report(flow.judge_report(report, plan=plan), out)


def _say_drift(
    earlier: Path, later: Path, columns: JudgeColumns, engine: str, as_json: bool
) -> int:
    drift = flow.drift_of_files(earlier, later, columns=columns, engine=engine)
    if as_json:
        click.echo(text.to_json(drift.to_dict()))
    else:
        click.echo("\n".join(f"- {finding.text}" for finding in show.drift_findings(drift)))
    return 0
