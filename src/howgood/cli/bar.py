"""`howgood bar`: how often each kind of failure may happen, and whether a system keeps below.

In: a saved fit of failures; perhaps an evaluation's log. Out: findings, JSON, thresholds for
promptfoo, a verdict. Absent: deciding.
"""

from pathlib import Path

import click

from howgood import writing
from howgood.cli.exit_codes import DONE, VERDICT_FAILED
from howgood.cli.knowledge import say
from howgood.cli.options import named_columns
from howgood.decide.failure_rates import failure_bar
from howgood.errors import InputError
from howgood.flow import failures as flow
from howgood.learn.failures import load_failures
from howgood.show import failures as show
from howgood.show import text


@click.command("bar")
@click.argument("fit", type=click.Path(path_type=Path))
@click.option("--share", default=0.7, show_default=True, help="Share of people to win.")
@click.option("--certainty", default=0.95, show_default=True, help="How sure that must be.")
@click.option(
    "--promptfoo", type=click.Path(path_type=Path, dir_okay=False),
    help="Write the thresholds as a piece of a promptfoo configuration.",
)  # fmt: skip
@click.option(
    "--log", type=click.Path(path_type=Path),
    help="Hold an evaluation's log against the bar: exit code 1 where it fails.",
)  # fmt: skip
@click.option(
    "--metric", "metrics", multiple=True, callback=named_columns, metavar="KIND=METRIC",
    help="The log's metric that is 1 where an answer failed so; !METRIC where it is 0. Repeat.",
)  # fmt: skip
@click.option("--seed", type=int, default=2015, show_default=True, help="Seed of chance.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
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
    """Say how often each kind of failure may happen for a share of people to accept.

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
