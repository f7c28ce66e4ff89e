"""`howgood target`: what accuracy to aim for.

In: a saved fit, a model card or answers. Out: findings, JSON, a picture. Absent: deciding.
"""

from pathlib import Path

import click

from howgood.cli.knowledge import model_options, say
from howgood.cli.options import drawable
from howgood.flow import acceptability, decisions
from howgood.records.acceptance import draws_for
from howgood.show import decisions as show
from howgood.show import text


@click.command("target")
@click.argument("model")
@click.option("--share", default=0.8, show_default=True, help="Share of people to win.")
@click.option("--precision", type=float, help="Where the classifier is now.")
@click.option("--recall", type=float, help="Where the classifier is now.")
@click.option(
    "--plot",
    type=click.Path(path_type=Path),
    callback=drawable,
    help="Write the map of acceptance.",
)
@model_options
def command(
    model: str,
    share: float,
    precision: float | None,
    recall: float | None,
    plot: Path | None,
    application: str | None,
    part: str | None,
    folder: Path,
    seed: int,
    as_json: bool,
) -> int:
    """Say what accuracy MODEL's people need, and what one more point of it brings.

    MODEL is a saved fit (.npz), a model card (its name or .json file), or a table of answers.
    """
    if (precision is None) != (recall is None):
        raise click.UsageError("--precision and --recall go together: say both, or neither")
    people = acceptability.open_model(model, folder=folder, part=part, random_state=seed)
    target = decisions.decide_target(
        people,
        application=application,
        share=share,
        precision=precision,
        recall=recall,
    )
    if as_json:
        click.echo(text.to_json(target.to_dict()))
    else:
        say(show.target_findings(target))
    if plot:
        draws = draws_for(people, application, where="target")
        click.echo(f"wrote {show.save_target_map(target, draws, plot)}", err=True)
    return 0
