"""`howgood ship`: two logs in, one sentence out.

In: logs of evaluations. Out: the verdict, its exit code, JSON, Markdown, a badge, a report. Absent:
deciding, and reading of formats.
"""

from pathlib import Path

import click

from howgood.cli.exit_codes import DONE, UNDECIDED, VERDICT_FAILED
from howgood.cli.options import (
    CLUSTER,
    column_option,
    comment_options,
    file_option,
    level_option,
    report_options,
    share_option,
    write_picture,
    write_report,
)
from howgood.flow import ship as flow
from howgood.show import ship as show
from howgood.show import text
from howgood.writing import write_text

_CODES = {"ship": DONE, "do not ship": VERDICT_FAILED, "not enough evidence": UNDECIDED}


@click.command()
@click.argument("base")
@click.argument("candidate")
@click.option(
    "--metric", metavar="NAMES", default="",
    help="The metric that decides, and after commas those that must not get worse: acc,safety.",
)  # fmt: skip
@column_option("--item", "task or prompt, in tables.")
@column_option("--cluster", CLUSTER)
@click.option("--margin", default=0.0, show_default=True, help="Differences that do not matter.")
@click.option(
    "--bar",
    metavar="NUMBER|FILE",
    help="What the candidate's own mean must exceed; or the rates of failure people tolerate: what "
    "`howgood bar FIT --json` printed, or the saved fit itself.",
)
@share_option(0.7, when="With --bar FIT: ")
@level_option("a candidate that is no better may be shipped")
@click.option(
    "--lower-is-better", metavar="NAMES", default="", help="Metrics that are better when lower."
)
@file_option(
    "--labels", "Labels of people (item, rater, label, system), which correct a judge's metric."
)
@click.option(
    "--looks",
    type=click.Choice(["one", "many"]),
    default="one",
    show_default=True,
    help="Whether the verdict must hold however often one looks.",
)
@click.option("--planned", default=500, show_default=True, help="Many looks: items planned.")
@click.option(
    "--missing",
    type=click.Choice(["drop", "error"]),
    default="drop",
    show_default=True,
    help="Items only one log has: leave out and say so, or refuse.",
)
@click.option("--doctor", is_flag=True, help="Only report what was found and what is missing.")
@click.option("--allow-undecided", is_flag=True, help="Exit with 0 on 'not enough evidence' too.")
@comment_options
@report_options
def command(
    base: str,
    candidate: str,
    metric: str,
    item: str | None,
    cluster: str | None,
    margin: float,
    bar: str | None,
    share: float,
    level: float,
    lower_is_better: str,
    labels: Path | None,
    looks: str,
    planned: int,
    missing: str,
    doctor: bool,
    allow_undecided: bool,
    markdown: Path | None,
    badge: Path | None,
    plot: Path | None,
    out: Path | None,
    as_json: bool,
) -> int:
    """Compare two evaluation logs: may the CANDIDATE replace the BASE?

    Reads logs of Inspect (.eval, .json), promptfoo, lm-eval samples, DeepEval, and tables (CSV,
    JSONL, Parquet). FILE#NAME takes one system out of a file of several.

    Exit code 0: ship. 1: do not ship. 2: no verdict, because the evidence is not enough or the
    input is wrong (the message says which).
    """
    logs = flow.read_logs(base, candidate, item=item)
    if doctor:
        click.echo("\n".join(f"- {finding.text}" for finding in show.doctor(logs)))
        return DONE
    question = flow.ShipQuestion(
        metrics=flow.metric_names(metric, logs),
        cluster=cluster,
        margin=margin,
        bar=flow.read_bar(bar, share=share),
        level=level,
        lower_is_better=flow.metric_names(lower_is_better, logs),
        looks=looks,
        planned=planned,
        missing=missing,
    )
    decision = flow.ship_logs(logs, question, labels=labels)
    if as_json:
        documents = [log.to_dict() for log in logs]
        said = [finding.text for finding in show.findings(decision, logs)]
        click.echo(text.to_json({"findings": said, **decision.to_dict(), "logs": documents}))
    else:
        click.echo("\n".join(finding.text for finding in show.findings(decision, logs)))
        click.echo(text.text_table(decision.table))
    if markdown:
        write_text(markdown, show.pull_request(decision, logs))
    if badge:
        write_text(badge, text.to_json(show.badge(decision)) + "\n")
    if plot is not None:
        write_picture(flow.picture(decision), plot)
    if out is not None:
        write_report(flow.ship_report(decision, logs), out)
    code = _CODES[decision.verdict]
    return DONE if code == UNDECIDED and allow_undecided else code
