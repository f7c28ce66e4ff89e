"""`howgood quantile`: is too low worse than too high, and what should be predicted?

In: a table of outcomes and predictions. Out: questions, findings, JSON, a report, a log. Absent:
choosing questions (see `learn`), the page (see `web`).
"""

from functools import partial
from pathlib import Path

import click

from howgood.cli.criteria import answered_in_browser, from_keys
from howgood.cli.knowledge import say
from howgood.cli.options import (
    column_option,
    interview_options,
    report_options,
    write_picture,
    write_report,
)
from howgood.flow import elicit_criteria, elicit_quantile
from howgood.show import quantile as show
from howgood.show import text
from howgood.show.figures.intervals import quantile_figure


@click.command("quantile")
@click.argument("forecasts", type=click.Path(path_type=Path))
@column_option("--truth", "what happened.", default="y_true")
@column_option("--predicted", "what was predicted.", default="y_pred")
@click.option("--unit", default="", help="Unit of both, such as EUR; questions are asked in it.")
@click.option(
    "--simulate",
    type=float,
    metavar="RATIO",
    help="Let a simulated person answer, to whom one too low is as bad as RATIO too high.",
)
@interview_options(held_out=8)
@report_options
def command(
    forecasts: Path,
    truth: str,
    predicted: str,
    unit: str,
    log: Path | None,
    browser: bool,
    simulate: float | None,
    questions: int,
    held_out: int,
    seed: int | None,
    save: Path | None,
    as_json: bool,
    out: Path | None,
    plot: Path | None,
) -> int:
    """Learn whether too low or too high is worse, and which quantile FORECASTS should predict."""
    elicitor = elicit_quantile.start(
        forecasts,
        truth=truth,
        predicted=predicted,
        unit=unit,
        random_state=seed,
        max_queries=questions,
        held_out=held_out,
    )
    if log is not None and log.exists():
        click.echo(f"resuming {log}", err=True)
        elicitor = elicit_criteria.resumed(log, of=elicitor)
    if browser:
        elicitor = answered_in_browser(elicitor, log)
    elif simulate is not None:
        weights = {"too low": simulate, "too high": 1.0}
        person = elicit_criteria.simulated_respondent(weights, elicitor.table)
        elicit_criteria.hold(elicitor, lambda query: person(query.first, query.second), log=log)
    else:
        elicit_criteria.hold(elicitor, partial(from_keys, elicitor), log=log)
    result = elicitor.result()
    if as_json:
        click.echo(text.to_json(result.to_dict()))
    else:
        say(show.quantile_findings(result))
    if save is not None:
        result.save(save)
        click.echo(f"wrote {save}", err=True)
    if out:
        write_report(show.quantile_report(result), out)
    if plot is not None and result.metric is None:
        click.echo("no picture: the answers settle no quantile", err=True)
    elif plot is not None:
        write_picture(quantile_figure(result), plot)
    return 0
