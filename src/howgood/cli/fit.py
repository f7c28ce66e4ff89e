"""`howgood fit`: what people accept, from a file of answers.

In: a table of answers. Out: findings and tables, JSON, a picture, a report, a saved fit. Absent:
fitting (see `learn`).
"""

from pathlib import Path

import click

from howgood.cli.knowledge import say
from howgood.cli.options import named_columns, report_options, write_report
from howgood.flow import acceptability as flow
from howgood.show import progress, text


@click.command("fit")
@click.argument("answers", type=click.Path(path_type=Path))
@click.option(
    "--model", type=click.Choice(["binary", "ordinal"]), default="binary", show_default=True
)
@click.option("--priors", default="howgood", show_default=True, help="Preset, or a .json file.")
@click.option(
    "--map", "columns", multiple=True, callback=named_columns, metavar="OURS=YOURS",
    help="A column by another name: --map precision=ppv. Repeat.",
)  # fmt: skip
@click.option("--cut", default=5, show_default=True, help="Lowest rating that accepts.")
@click.option(
    "--engine", type=click.Choice(["auto", "importance", "nuts"]), default="auto", show_default=True
)
@click.option("--save", type=click.Path(path_type=Path), help="Save the fit (.npz).")
@click.option("--seed", type=int, default=2015, show_default=True, help="Seed of the draws.")
@report_options
def command(
    answers: Path,
    model: str,
    priors: str,
    columns: dict[str, str],
    cut: int,
    engine: str,
    save: Path | None,
    seed: int,
    as_json: bool,
    out: Path | None,
    plot: Path | None,
) -> int:
    """Learn from ANSWERS (CSV or Parquet) what accuracy people accept.

    ANSWERS has columns participant, application, precision, recall, and rating (1 to 7, or the
    labels) or accepted. Rename columns with --map.
    """
    from howgood.show import acceptability as show

    with progress.bar("fit") as report:
        fit = flow.fit_answers(
            answers,
            columns=columns,
            priors=priors,
            cut=cut,
            engine=engine,
            random_state=seed,
            progress=report,
        )
    if as_json:
        click.echo(text.to_json(show.fit_values(fit)))
    else:
        say(show.fit_findings(fit))
        click.echo(text.text_table(fit.summary()))
    if save:
        fit.save(save)
    if out:
        write_report(show.fit_report(fit), out)
    if plot:
        click.echo(f"wrote {show.save_picture(fit, plot)}", err=True)
    return 0
