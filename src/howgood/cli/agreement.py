"""`howgood agreement`: how far do raters agree, and what does that put out of reach?

In: a table with one row per grade. Out: sentences, a picture, or JSON. Absent: statistics.
"""

from pathlib import Path

import click

from howgood.cli.options import (
    TableFile,
    column_option,
    engine_option,
    given_columns,
    json_option,
    missing_option,
    plot_option,
    write_picture,
)
from howgood.flow import judge as flow
from howgood.show import judge as words
from howgood.show import text
from howgood.show.figures.intervals import agreement_figure
from howgood.stats.rater_disagreement import LEVELS


@click.command()
@click.argument("grades", type=TableFile())
@column_option("--item", "what was graded.", default="item")
@column_option("--rater", "who graded.", default="rater")
@column_option("--grade", "the grade.", default="grade")
@column_option("--system", "whose output was graded; one with a usual name is found by itself.")
@click.option(
    "--level",
    type=click.Choice(LEVELS),
    default="ordinal",
    show_default=True,
    help="Level of measurement: what differences of grades mean.",
)
@missing_option
@engine_option
@plot_option
@json_option
def command(
    grades: str | Path,
    item: str,
    rater: str,
    grade: str,
    system: str | None,
    level: str,
    missing: str,
    engine: str,
    plot: Path | None,
    as_json: bool,
) -> int:
    """Measure how far raters of GRADES agree: Krippendorff's alpha, self-agreement, the ceiling.

    GRADES (CSV, JSON, Excel or Parquet) has one row per grade: item, rater, grade, and the
    system where several systems' outputs of an item were graded. Other usual names of columns
    (question_id, annotator, score, model) are recognised; the output says what was taken as what.
    """
    named = given_columns({"item": item, "rater": rater, "grade": grade, "system": system})
    agreement = flow.agreement_of_file(
        grades, named=named, level=level, missing=missing, engine=engine
    )
    if as_json:
        click.echo(text.to_json(agreement.to_dict()))
    else:
        click.echo(
            "\n".join(f"- {finding.text}" for finding in words.agreement_findings(agreement))
        )
    if plot is not None:
        write_picture(agreement_figure(agreement), plot)
    return 0
