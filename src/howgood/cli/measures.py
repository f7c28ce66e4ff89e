"""`howgood measures`: which measure of accuracy do people follow?

In: a table of answers. Out: findings and a table, JSON, a picture, a report. Absent: comparing.
"""

from pathlib import Path

import click

from howgood.cli.knowledge import say
from howgood.cli.options import TableFile, renamed_columns, report_options, write_report
from howgood.flow.acceptability import compare_measures_of_file
from howgood.records.inclusion import DEFAULT, POLICIES
from howgood.show import measures as show
from howgood.show import progress, text


@click.command("measures")
@click.argument("answers", type=TableFile())
@click.option(
    "--measure", "measures", multiple=True,
    help="A candidate, such as F or accuracy; all when left out. Repeat.",
)  # fmt: skip
@click.option(
    "--prevalence", type=float,
    help="Share of real cases among all; accuracy, informedness and Matthews need it.",
)  # fmt: skip
@click.option(
    "--map", "columns", multiple=True, callback=renamed_columns, metavar="OURS=YOURS",
    help="A column by another name: --map precision=ppv. Repeat.",
)  # fmt: skip
@click.option("--priors", default="howgood", show_default=True, help="Preset, or a .json file.")
@click.option("--scale", type=int, help="Points of the rating scale.  [default: 7]")
@click.option(
    "--cut", type=int, help="Lowest rating that accepts.  [default: first above the middle]"
)
@click.option(
    "--missing", type=click.Choice(["unanswered", "drop", "error"]), default="unanswered",
    show_default=True, help="Which rows with gaps may be left out.",
)  # fmt: skip
@click.option(
    "--people", type=click.Choice(list(POLICIES)), default=DEFAULT, show_default=True,
    help="Whose answers count; see howgood fit.",
)  # fmt: skip
@click.option("--only-part", help="The part to use, where there are several.")
@click.option("--seed", type=int, default=2015, show_default=True, help="Seed of the draws.")
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
    only_part: str | None,
    seed: int,
    as_json: bool,
    out: Path | None,
    plot: Path | None,
) -> int:
    """Say which measure of accuracy the people behind ANSWERS follow.

    ANSWERS is what howgood fit takes. Candidates: accuracy, error rate, F, G, weighted mean,
    informedness, Matthews, net benefit, weighted power mean.
    """
    with progress.bar("measures") as report:
        compared = compare_measures_of_file(
            answers, measures=measures, prevalence=prevalence, columns=columns, priors=priors,
            scale=scale, cut=cut, missing=missing, people=people, only_part=only_part,
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
