"""`howgood watch`: is a system in use still acceptable?

In: answers from inside a product, with times. Out: findings and a table, or JSON; an exit code.
Absent: deciding.
"""

from pathlib import Path

import click

from howgood.cli.exit_codes import DONE, VERDICT_FAILED
from howgood.cli.knowledge import say
from howgood.cli.options import (
    TableFile,
    json_option,
    level_option,
    map_option,
    share_option,
    strict_option,
)
from howgood.decide.watching import PERIODS
from howgood.flow import decisions
from howgood.show import text
from howgood.show.watching import watch_findings


@click.command("watch")
@click.argument("answers", type=TableFile())
@map_option("participant=user", more="Ours: participant, at, rating, accepted. ")
@share_option(0.8)
@level_option("a verdict or a warning may ever be wrong")
@click.option("--cut", default=5, show_default=True, help="Lowest rating that accepts.")
@click.option("--since", metavar="TIME", help="Judge answers from here on, such as 2026-05-01.")
@click.option("--period", type=click.Choice(PERIODS), default="auto", show_default=True,
              help="What the table counts by.")  # fmt: skip
@strict_option
@json_option
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
    """Check whether enough people accept a system in use, and warn when that has changed.

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
