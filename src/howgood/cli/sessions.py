"""`howgood sessions`: does the ranking depend on when the same people were asked?

In: a table of raw ratings with a session column. Out: scores per session, rankings and their
frequencies, a test whether sessions are alike. Absent: statistics.
"""

from pathlib import Path

import click

from howgood.cli.options import (
    TableFile,
    column_option,
    json_option,
    level_option,
    missing_option,
    out_option,
    systems_option,
    write_report,
)
from howgood.flow.ranking import SessionColumns, sessions_of_file
from howgood.show import sessions as words
from howgood.show import text


@click.command()
@click.argument("ratings", type=TableFile())
@column_option("--session", "in which session.", required=True)
@systems_option
@column_option("--user", "who rated.", default="user")
@column_option("--item", "what was rated.", default="item")
@column_option("--rating", "the rating.", default="rating")
@click.option(
    "--metric", type=click.Choice(["rmse", "mse", "mae"]), default="rmse", show_default=True,
    help="What the systems are scored by.",
)  # fmt: skip
@level_option("the test may call sessions different that are alike")
@missing_option
@out_option
@json_option
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
