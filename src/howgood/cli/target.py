"""`howgood target`: what accuracy to aim for.

In: a saved fit, a model card or answers. Out: findings, JSON, a picture. Absent: deciding.
"""

from pathlib import Path

import click

from howgood.cli.knowledge import model_options, say
from howgood.cli.options import plot_option, share_option
from howgood.flow import acceptability, decisions
from howgood.records.acceptance import draws_for
from howgood.show import decisions as show
from howgood.show import text


@click.command("target")
@click.argument("model")
@share_option(0.8)
@click.option("--precision", type=float, help="Precision of the classifier as it is now.")
@click.option("--recall", type=float, help="Recall of the classifier as it is now.")
@plot_option
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
    """Find the accuracy that MODEL's people need, and what one more point of it brings.

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
