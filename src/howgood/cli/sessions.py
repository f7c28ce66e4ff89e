"""`howgood sessions`: does the ranking depend on when the same people were asked?

In: a table of raw ratings with a session column. Out: scores per session, rankings and their
frequencies, a test whether sessions are alike. Absent: statistics.
"""

from pathlib import Path

import click

from howgood.cli.options import (
    TableFile,
    missing_option,
    named_columns,
    writable,
    write_report,
)
from howgood.flow.ranking import SessionColumns, sessions_of_file
from howgood.show import sessions as words
from howgood.show import text


@click.command()
@click.argument("ratings", type=TableFile())
@click.option("--session", required=True, metavar="COLUMN", help="Column: in which session.")
@click.option(
    "--system",
    "systems",
    multiple=True,
    required=True,
    callback=named_columns,
    metavar="NAME=COLUMN",
    help="A system and its predictions; repeat for each.",
)
@click.option("--user", default="user", show_default=True, help="Column: who rated.")
@click.option("--item", default="item", show_default=True, help="Column: what was rated.")
@click.option("--rating", default="rating", show_default=True, help="Column: the rating.")
@click.option(
    "--metric", type=click.Choice(["rmse", "mse", "mae"]), default="rmse", show_default=True
)
@click.option("--level", default=0.05, show_default=True, help="Error level of the test.")
@missing_option
@click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), callback=writable,
    help="Write a report: .html, .md or .json.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def command(
    ratings: str | Path,
    session: str,
    systems: dict[str, str],
    user: str,
    item: str,
    rating: str,
    metric: str,
    level: float,
    missing: str,
    out: Path | None,
    as_json: bool,
) -> int:
    """Score systems in every session of RATINGS, and test whether sessions are alike.

    The same people rated the same items several times, one row per rating. To rank systems by all
    sessions together, use `howgood rank RATINGS --repeated`.
    """
    scored = sessions_of_file(
        ratings,
        columns=SessionColumns(session=session, user=user, item=item, rating=rating),
        systems=systems,
        metric=metric,
        missing=missing,
        level=level,
    )
    if as_json:
        click.echo(text.to_json(scored.to_dict()))
    else:
        click.echo("\n".join(f"- {finding.text}" for finding in words.findings(scored)))
        click.echo(text.text_table(words.readable_sessions(scored)))
        click.echo(text.text_table(words.readable_orderings(scored)))
    if out is not None:
        write_report(words.report(scored), out)
    return 0
