"""`howgood go-live`: when to switch from training to predicting.

In: what is known about people, and a learning curve. Out: findings or JSON. Absent: deciding.
"""

from pathlib import Path

import click

from howgood.cli.exit_codes import DONE, VERDICT_FAILED
from howgood.cli.knowledge import model_options, say
from howgood.cli.options import certainty_option, map_option, share_option
from howgood.flow import acceptability, decisions
from howgood.show import decisions as show
from howgood.show import text


@click.command("go-live")
@click.argument("model")
@click.argument("learning_curve", type=click.Path(path_type=Path))
@map_option("size=n_train")
@share_option(0.8)
@certainty_option
@model_options
def command(
    model: str,
    learning_curve: Path,
    columns: dict[str, str],
    share: float,
    certainty: float,
    application: str | None,
    part: str | None,
    folder: Path,
    seed: int,
    as_json: bool,
) -> int:
    """Find from which size of LEARNING_CURVE on enough of MODEL's people would accept.

    LEARNING_CURVE has columns size, and precision and recall or true_positives, false_negatives
    and false_positives; for people who also weigh specificity, specificity or true_negatives
    too. Exit code 1 when no size is enough.
    """
    decision = decisions.decide_go_live(
        acceptability.open_model(model, folder=folder, part=part, random_state=seed),
        learning_curve,
        columns=columns,
        application=application,
        share=share,
        certainty=certainty,
        random_state=seed,
    )
    if as_json:
        click.echo(text.to_json(decision.to_dict()))
    else:
        say(show.go_live_findings(decision))
        click.echo(text.text_table(show.go_live_table(decision)))
    return VERDICT_FAILED if decision.size is None else DONE
