"""`howgood bar`: how often each kind of failure may happen, and whether a system keeps below.

In: a saved fit of failures; perhaps an evaluation's log. Out: findings, JSON, thresholds for
promptfoo, a verdict. Absent: deciding.
"""

from pathlib import Path

import click

from howgood import writing
from howgood.cli.exit_codes import DONE, VERDICT_FAILED
from howgood.cli.knowledge import say
from howgood.cli.options import (
    MANY,
    certainty_option,
    file_option,
    json_option,
    named_columns,
    seed_option,
    share_option,
)
from howgood.decide.failure_rates import failure_bar
from howgood.errors import InputError
from howgood.flow import failures as flow
from howgood.learn.failures import load_failures
from howgood.show import failures as show
from howgood.show import text


@click.command("bar")
@click.argument("fit", type=click.Path(path_type=Path))
@share_option(0.7)
@certainty_option
@file_option("--promptfoo", "Write the thresholds as part of a promptfoo configuration.")
@file_option("--log", "Log of an evaluation, to check against the bar: exit code 1 where it fails.")
@click.option(
    "--metric", "metrics", multiple=True, callback=named_columns, metavar="KIND=METRIC",
    help="Which metric of the log is 1 where an answer failed in this way; !METRIC where it is 0. "
    f"{MANY}",
)  # fmt: skip
@seed_option(2015)
@json_option
def command(
    fit: Path,
    share: float,
    certainty: float,
    promptfoo: Path | None,
    log: Path | None,
    metrics: dict[str, str],
    seed: int,
    as_json: bool,
) -> int:
    """Find how often each kind of failure may happen for a share of people to accept.

    FIT is a saved fit of failures (howgood fit ANSWERS --model failures --save FIT.npz).
    """
    known = load_failures(fit)
    bar = failure_bar(known, share=share, certainty=certainty)
    if promptfoo is not None and bar.together is None:
        raise InputError(
            where=f"--promptfoo {promptfoo}",
            found="no rates that are known to be low enough",
            needed="rates to write",
            cure="Ask more people, or lower --share or --certainty.",
        )
    verdict = None
    if log is not None:
        verdict = flow.judge_log(
            known, log, metrics, share=share, certainty=certainty, random_state=seed
        )
    if as_json:
        result = {"bar": bar.to_dict(), "gate": None if verdict is None else verdict.to_dict()}
        click.echo(text.to_json(result))
    else:
        say(show.bar_findings(bar))
        say(() if verdict is None else show.failure_gate_findings(verdict))
    if promptfoo is not None:
        writing.write_text(promptfoo, show.promptfoo_config(bar))
        click.echo(f"wrote {promptfoo}", err=True)
    return VERDICT_FAILED if verdict is not None and verdict.verdict == "fail" else DONE
