"""`howgood watch`: is a system in use still acceptable?

In: answers from inside a product, with times. Out: findings and a table, or JSON; an exit code.
Absent: deciding.
"""

from pathlib import Path

import click

from howgood.cli.exit_codes import DONE, VERDICT_FAILED
from howgood.cli.knowledge import say
from howgood.cli.options import TableFile, renamed_columns
from howgood.decide.watching import PERIODS
from howgood.flow import decisions
from howgood.show import text
from howgood.show.watching import watch_findings


@click.command("watch")
@click.argument("answers", type=TableFile())
@click.option(
    "--map", "columns", multiple=True, callback=renamed_columns, metavar="OURS=YOURS",
    help="A column by another name: --map participant=user. Ours: participant, at, rating, "
    "accepted. Repeat.",
)  # fmt: skip
@click.option("--share", default=0.8, show_default=True, help="Share of people that must accept.")
@click.option("--level", default=0.05, show_default=True, help="How often it may ever be wrong.")
@click.option("--cut", default=5, show_default=True, help="The lowest rating that accepts.")
@click.option("--since", metavar="TIME", help="Judge answers from here on, such as 2026-05-01.")
@click.option("--period", type=click.Choice(PERIODS), default="auto", show_default=True,
              help="What the table counts by.")  # fmt: skip
@click.option("--strict", is_flag=True, help="Exit with 1 on 'investigate' too.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def command(
    answers: str | Path,
    columns: dict[str, str],
    share: float,
    level: float,
    cut: int,
    since: str | None,
    period: str,
    strict: bool,
    as_json: bool,
) -> int:
    """Say whether enough people accept a system in use, and warn when that has changed.

    ANSWERS has one row per answer: participant, at (a time), and rating or accepted; or it is what
    a study exports: then the answers from inside products count. Look as often as you like: bounds
    and warnings stay valid. Exit code 1 when too few accept, or acceptance fell.
    """
    seen = decisions.watch_file(
        answers, columns=columns, share=share, level=level, cut=cut, since=since, period=period
    )
    if as_json:
        click.echo(text.to_json(seen.to_dict()))
    else:
        say(watch_findings(seen))
        click.echo(text.text_table(seen.periods))
    failing = {"fail", "investigate"} if strict else {"fail"}
    has_fallen = any(change.direction == "fell" for change in seen.changes)
    return VERDICT_FAILED if seen.verdict in failing or has_fallen else DONE
