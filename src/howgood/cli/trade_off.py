"""`howgood trade-off`: how much accuracy can be given up.

In: a saved fit, a model card or answers. Out: findings, JSON, a picture. Absent: deciding.
"""

from pathlib import Path

import click

from howgood.cli.exit_codes import DONE, VERDICT_FAILED
from howgood.cli.knowledge import model_options, say
from howgood.cli.options import certainty_option, plot_option, share_option
from howgood.flow import acceptability, decisions
from howgood.show import decisions as show
from howgood.show import text


@click.command("trade-off")
@click.argument("model")
@share_option(0.8)
@certainty_option
@plot_option
@model_options
def command(
    model: str,
    share: float,
    certainty: float,
    plot: Path | None,
    application: str | None,
    part: str | None,
    folder: Path,
    seed: int,
    as_json: bool,
) -> int:
    """Find how low accuracy may be for enough of MODEL's people: for privacy, cost or battery.

    MODEL is a saved fit (.npz), a model card (its name or .json file), or a table of answers. Exit
    code 1 when no accuracy is enough.
    """
    trade = decisions.decide_trade_off(
        acceptability.open_model(model, folder=folder, part=part, random_state=seed),
        application=application,
        share=share,
        certainty=certainty,
    )
    if as_json:
        click.echo(text.to_json(trade.to_dict()))
    else:
        say(show.trade_off_findings(trade))
    if plot:
        click.echo(f"wrote {show.save_trade_off(trade, plot)}", err=True)
    return VERDICT_FAILED if trade.least_accuracy is None else DONE
