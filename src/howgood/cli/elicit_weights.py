"""`howgood elicit` of more than two classes, or of groups.

In: a prepared interview. Out: questions, findings, JSON, a report, a saved result. Absent: choosing
questions (see `learn`), the options themselves (`cli.elicit`).
"""

from functools import partial
from pathlib import Path

import click

from howgood.cli.criteria import answered_in_browser, from_keys
from howgood.cli.knowledge import say
from howgood.cli.options import write_report
from howgood.flow import elicit_criteria, elicit_weights
from howgood.records.elicitation import WeightsResult
from howgood.show import text
from howgood.show import weights as show


def weigh(
    scores: Path | None,
    *,
    classes: str | None,
    group: str | None,
    truth: str,
    score: str,
    positive: str,
    log: Path | None,
    browser: bool,
    simulate: str | None,
    questions: int,
    held_out: int,
    seed: int | None,
) -> WeightsResult:
    """Hold an interview about classes or groups."""
    if scores is None:
        raise click.UsageError("name the file of SCORES")
    if classes is not None and group is not None:
        raise click.UsageError("--classes and --group ask different questions; name one of them")
    elicitor = elicit_weights.start(
        scores,
        truth=truth,
        score=score,
        positive=positive,
        classes=[part.strip() for part in (classes or "").split(",")],
        group=group,
        random_state=seed,
        max_queries=questions,
        held_out=held_out,
    )
    if log is not None and log.exists():
        click.echo(f"resuming {log}", err=True)
        elicitor = elicit_criteria.resumed(log, of=elicitor)
    if browser:
        elicitor = answered_in_browser(elicitor, log)
    elif simulate is not None:
        person = elicit_criteria.simulated_weights(
            elicit_criteria.weights_in(simulate), elicitor.table
        )
        elicit_criteria.hold(elicitor, lambda query: person(query.first, query.second), log=log)
    else:
        elicit_criteria.hold(elicitor, partial(from_keys, elicitor), log=log)
    return elicitor.result()


def tell(result: WeightsResult, *, as_json: bool, out: Path | None, save: object) -> None:
    """Print what was learned, and write the files that were asked for."""
    if as_json:
        click.echo(text.to_json(result.to_dict()))
    else:
        say(show.weights_findings(result))
        click.echo(text.text_table(show.weights_table(result)))
    if save is not None:
        result.save(save)
        click.echo(f"wrote {save}", err=True)
    if out:
        write_report(show.weights_report(result), out)
