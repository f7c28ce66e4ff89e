"""`howgood measures`: which measure of accuracy do people follow?

In: a table of answers. Out: findings and a table, JSON, a picture, a report. Absent: comparing.
"""

from pathlib import Path

import click

from howgood.cli.knowledge import part_option, say
from howgood.cli.options import (
    MANY,
    TableFile,
    answers_options,
    report_options,
    seed_option,
    write_report,
)
from howgood.flow.acceptability import compare_measures_of_file
from howgood.show import measures as show
from howgood.show import progress, text


@click.command("measures")
@click.argument("answers", type=TableFile())
@click.option(
    "--measure", "measures", metavar="NAME", multiple=True,
    help=f"A candidate, such as F or accuracy; all when left out. {MANY}",
)  # fmt: skip
@click.option(
    "--prevalence", type=float,
    help="Share of real cases among all; accuracy, informedness and Matthews need it.",
)  # fmt: skip
@answers_options
@part_option
@seed_option(2015)
@report_options
def command(
    answers: str | Path,
    measures: tuple[str, ...],
    prevalence: float | None,
    columns: dict[str, str],
    priors: str,
    scale: int | None,
    cut: int | None,
    missing: str,
    people: str,
    part: str | None,
    seed: int,
    as_json: bool,
    out: Path | None,
    plot: Path | None,
) -> int:
    """Find which measure of accuracy the people behind ANSWERS follow.

    ANSWERS is what howgood fit takes. Candidates: accuracy, error rate, F, G, weighted mean,
    informedness, Matthews, net benefit, weighted power mean.
    """
    with progress.bar("measures") as report:
        compared = compare_measures_of_file(
            answers, measures=measures, prevalence=prevalence, columns=columns, priors=priors,
            scale=scale, cut=cut, missing=missing, people=people, only_part=part,
            random_state=seed, progress=report,
        )  # fmt: skip
    if as_json:
        click.echo(text.to_json(compared.to_dict()))
    else:
        say(show.measure_findings(compared))
        click.echo(text.text_table(compared.table))
    if out:
        write_report(show.measure_report(compared), out)
    if plot:
        click.echo(f"wrote {show.save_measures_picture(compared, plot)}", err=True)
    return 0
