"""`howgood criteria`: choices between alternatives, until it is settled which one is best.

In: a table of alternatives by criteria. Out: questions, findings, JSON, a picture, a report, a log.
Absent: choosing questions (see `learn`), the page (see `web`).
"""

import sys
from functools import partial
from pathlib import Path

import click

from howgood.cli.knowledge import say
from howgood.cli.options import (
    MANY,
    TableFile,
    column_option,
    interview_options,
    renamed_columns,
    report_options,
    write_report,
)
from howgood.cli.private_page import private_page
from howgood.cli.web_extra import need_web
from howgood.flow import elicit_criteria as flow
from howgood.flow.elicit import Reply
from howgood.flow.elicit_criteria import Search
from howgood.learn.elicitation.criteria import CriteriaElicitor
from howgood.learn.elicitation.weights_search import WeightsSearch
from howgood.records.elicitation import Query
from howgood.show import criteria as show
from howgood.show import text


def answered_in_browser(elicitor: Search, log: Path | None) -> Search:
    """Open the page, wait until all is answered or Ctrl+C, and return what was answered."""
    need_web("howgood criteria --browser")
    from howgood.flow import elicit_in_browser as browser

    def so_far(seat: browser.Seat) -> Search:
        # The page numbers the criteria; the interview knows them by their names.
        return flow.again(elicitor, browser.criteria_so_far(seat, elicitor))

    def keep(seat: browser.Seat) -> None:
        if log is not None:
            flow.write_log(so_far(seat), log)

    with private_page(lambda database: browser.criteria_seat(elicitor, database), keep) as seat:
        keep(seat)
        return so_far(seat)


@click.command("criteria")
@click.argument("table", type=TableFile())
@click.option(
    "--criterion",
    "criteria",
    multiple=True,
    required=True,
    callback=renamed_columns,
    help=f"A column and which way is better: quality=max, price=min. {MANY}",
)
@click.option("--unit", "units", multiple=True, callback=renamed_columns,
              help=f"Unit of a column: price=EUR. {MANY}")  # fmt: skip
@column_option("--name", "names of the alternatives.  [the first that is no criterion]")
@click.option(
    "--simulate", metavar="PERSON",
    help="Let a simulated person answer, such as quality=.7,price=.3.",
)  # fmt: skip
@interview_options(held_out=8)
@report_options
def command(
    table: Path | str,
    criteria: dict[str, str],
    units: dict[str, str],
    name: str | None,
    log: Path | None,
    browser: bool,
    simulate: str | None,
    questions: int,
    held_out: int,
    seed: int | None,
    save: Path | None,
    as_json: bool,
    out: Path | None,
    plot: Path | None,
) -> int:
    """Learn what matters by asking, and which alternative of TABLE is best by that.

    TABLE has a row per alternative: a column of names, one per criterion, and perhaps the standard
    deviation of a score (quality_sd).
    """
    elicitor = flow.start(
        table,
        criteria={
            criterion: _said(way, units.get(criterion)) for criterion, way in criteria.items()
        },
        name=name,
        random_state=seed,
        max_queries=questions,
        min_queries=min(6, questions),
        held_out=held_out,
    )
    if log is not None and log.exists():
        click.echo(f"resuming {log}", err=True)
        elicitor = flow.resumed(log, of=elicitor)
    if browser:
        elicitor = answered_in_browser(elicitor, log)
    elif simulate is not None:
        person = flow.simulated_respondent(flow.weights_in(simulate), elicitor.table)
        flow.hold(elicitor, lambda query: person(query.first, query.second), log=log)
    else:
        flow.hold(elicitor, partial(from_keys, elicitor), log=log)
    _show(elicitor, as_json=as_json, out=out, plot=plot, save=save)
    return 0


def _said(direction: str, unit: str | None) -> dict[str, str]:
    return {"direction": direction} | ({"unit": unit} if unit else {})


def from_keys(elicitor: WeightsSearch, _query: Query) -> Reply:
    """Show one question on standard error and read a key, or a line when input is a file."""

    def read(_prompt: str) -> str:
        return click.getchar() if sys.stdin.isatty() else sys.stdin.readline()

    return flow.typed(elicitor, partial(click.echo, err=True), read)


def _show(
    elicitor: CriteriaElicitor, *, as_json: bool, out: Path | None, plot: Path | None,
    save: Path | None,
) -> None:  # fmt: skip
    result = elicitor.result()
    if as_json:
        click.echo(text.to_json(result.to_dict()))
    else:
        say(show.criteria_findings(result))
        click.echo(text.text_table(show.readable_table(result)))
    if save is not None:
        result.save(save)
        click.echo(f"wrote {save}", err=True)
    if out:
        write_report(show.criteria_report(result, elicitor.answers), out)
    if plot:
        result.plot(plot)
        click.echo(f"wrote {plot}", err=True)
