"""`howgood best-application`: which application or interface suits a classifier.

In: what is known about people in several applications, and a test set. Out: findings or JSON.
Absent: deciding.
"""

from pathlib import Path

import click

from howgood.cli.knowledge import label_options, part_option, say
from howgood.cli.options import certainty_option, json_option, seed_option
from howgood.flow import acceptability, decisions
from howgood.show import decisions as show
from howgood.show import text


@click.command("best-application")
@click.argument("model")
@label_options
@certainty_option
@part_option
@seed_option(2015)
@json_option
def command(
    model: str,
    predictions: Path | None,
    truth: str,
    predicted: str,
    positive: str | None,
    counts: str | None,
    missing: str,
    certainty: float,
    part: str | None,
    seed: int,
    as_json: bool,
) -> int:
    """Find in which of MODEL's applications these PREDICTIONS are best accepted.

    MODEL is a saved fit (.npz) of several applications, or a table of answers. Exit code 0 also
    when the evidence does not say.
    """
    choice = decisions.decide_application(
        acceptability.open_model(model, part=part, random_state=seed),
        decisions.labels_from(
            predictions,
            counts=counts,
            truth=truth,
            predicted=predicted,
            positive=decisions.positive_of(None, positive),
            missing=missing,
        ),
        certainty=certainty,
        random_state=seed,
    )
    if as_json:
        click.echo(text.to_json(choice.to_dict()))
    else:
        say(show.application_findings(choice))
    return 0
