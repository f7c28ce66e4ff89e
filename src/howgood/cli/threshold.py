"""`howgood threshold`: where to put a classifier's threshold.

In: what is known about people (or a metric), and a table of scores. Out: findings, JSON, a
picture, a report. Absent: deciding.
"""

from pathlib import Path
from typing import Any

import click

from howgood.cli.knowledge import model_options, say
from howgood.cli.options import (
    column_option,
    file_option,
    missing_option,
    out_option,
    picture_option,
    plot_option,
    positive_option,
    write_report,
)
from howgood.flow import acceptability, decisions
from howgood.learn.elicitation.saved import load_elicited
from howgood.records.acceptance import draws_for
from howgood.records.elicitation import ElicitationResult
from howgood.records.power_mean import PowerMean
from howgood.show import decisions as show
from howgood.show import text


@click.command("threshold")
@click.argument("scores", type=click.Path(path_type=Path))
@column_option("--truth", "true labels.", default="y_true")
@column_option("--score", "scores, higher for the positive label.", default="score")
@positive_option
@missing_option
@click.option(
    "--model", metavar="MODEL",
    help="A saved fit (.npz), a model card (its name or .json file), or a table of answers.",
)  # fmt: skip
@file_option("--elicited", "Instead of --model: what `howgood elicit --save` wrote.")
@click.option("--alpha", type=float, help="Instead of --model: the weight of precision.")
@click.option("--p", "order", type=float, default=0.0, show_default=True,
              help="With --alpha: the kind of mean, -1, 0 or 1.")  # fmt: skip
@click.option(
    "--segments", is_flag=True,
    help="One threshold or one per segment? Needs --model, a fit made with --by.",
)  # fmt: skip
@plot_option
@picture_option("--plot-map", "the map of acceptance with this classifier's curve")
@out_option
@model_options
def command(
    scores: Path,
    truth: str,
    score: str,
    positive: str | None,
    missing: str,
    model: str | None,
    elicited: Path | None,
    alpha: float | None,
    order: float,
    segments: bool,
    plot: Path | None,
    plot_map: Path | None,
    out: Path | None,
    application: str | None,
    part: str | None,
    folder: Path,
    seed: int,
    as_json: bool,
) -> int:
    """Choose the threshold for SCORES that most people would accept, and say how sure that is."""
    if sum(given is not None for given in (model, elicited, alpha)) != 1:
        raise click.UsageError(
            "say what counts: one of --model MODEL, --elicited FILE and --alpha WEIGHT"
        )
    if plot_map and model is None:
        raise click.UsageError("--plot-map shows whom people accept; it needs --model MODEL")
    people = (
        acceptability.open_model(model, folder=folder, part=part, random_state=seed)
        if model
        else None
    )
    metric = load_elicited(elicited) if elicited else PowerMean(p=order, alpha=alpha or 0.0)
    if elicited is not None and not isinstance(metric, ElicitationResult):
        raise click.UsageError(
            f"{elicited} holds a {type(metric).__name__}, and a threshold needs an interview about "
            "two errors; weights of classes and groups have a rule of their own, result.rule()"
        )
    named: dict[str, Any] = {
        "truth": truth, "score": score, "positive": decisions.positive_of(metric, positive),
        "missing": missing, "application": application, "random_state": seed,
    }  # fmt: skip
    if segments:
        return _compare_segments(people, scores, named, as_json=as_json)
    choice = decisions.decide_threshold(
        people if people is not None else metric,
        scores,
        **named,
    )
    if as_json:
        click.echo(text.to_json(choice.to_dict()))
    else:
        say(show.threshold_findings(choice))
    if plot:
        click.echo(f"wrote {show.save_threshold_picture(choice, plot)}", err=True)
    asked = draws_for(people, application, where="threshold") if people else None
    if plot_map and asked:
        click.echo(f"wrote {show.save_threshold_map(choice, asked, plot_map)}", err=True)
    if out:
        write_report(show.threshold_report(choice, asked), out)
    return 0


def _compare_segments(people: object, scores: Path, named: dict[str, Any], *, as_json: bool) -> int:
    from howgood.show.segments import one_threshold_findings

    if people is None:
        raise click.UsageError("--segments compares segments of people; it needs --model MODEL")
    choice = decisions.compare_thresholds(people, scores, **named)
    if as_json:
        click.echo(text.to_json(choice.to_dict()))
    else:
        say(one_threshold_findings(choice))
        click.echo(text.text_table(choice.table))
    return 0
