"""`howgood gate`: does a classifier pass, in continuous integration.

In: what is known about people, and a test set. Out: the verdict, its exit code, JSON, a badge,
a picture.
Absent: deciding.
"""

from pathlib import Path

import click
from click.core import ParameterSource

from howgood.cli.exit_codes import DONE, VERDICT_FAILED
from howgood.cli.knowledge import label_options, model_options, say
from howgood.cli.options import (
    certainty_option,
    column_option,
    comment_options,
    file_option,
    plot_option,
    share_option,
    strict_option,
    write_picture,
)
from howgood.errors import InputError
from howgood.flow import acceptability, decisions
from howgood.learn.elicitation.saved import is_elicited, load_elicited
from howgood.records.decision import Gate, MetricGate
from howgood.show import decisions as show
from howgood.show import text
from howgood.show.figures.intervals import gate_figure
from howgood.writing import write_text


@click.command("gate")
@click.argument("model", required=False)
@label_options
@file_option("--elicited", "Instead of MODEL: what `howgood elicit --save` wrote.")
@column_option("--group", "groups of people, with an elicited metric about gaps between them.")
@share_option(0.8)
@certainty_option
@column_option(
    "--than",
    "labels predicted by the system it must be better than, with an elicited metric.  [the better "
    "of flagging nothing and flagging everything]",
)
@click.option(
    "--margin", type=float, default=0.0, show_default=True,
    help="With an elicited metric: by how much of it PREDICTIONS must be better; below 0, by how "
    "much they may be worse.",
)  # fmt: skip
@strict_option
@comment_options
@plot_option
@model_options
def command(
    model: str | None,
    predictions: Path | None,
    elicited: Path | None,
    truth: str,
    predicted: str,
    positive: str | None,
    counts: str | None,
    missing: str,
    group: str | None,
    share: float,
    certainty: float,
    than: str | None,
    margin: float,
    strict: bool,
    badge: Path | None,
    markdown: Path | None,
    plot: Path | None,
    application: str | None,
    part: str | None,
    folder: Path,
    seed: int,
    as_json: bool,
) -> int:
    """Pass, fail or investigate: would enough of MODEL's people accept these PREDICTIONS?

    Exit code 0 for pass and investigate (1 with --strict), 1 for fail, 2 for wrong input. MODEL is
    a saved fit (.npz), a model card (its name or .json file), or a table of answers. With
    --elicited FILE in its place (what `howgood elicit --save` or `howgood quantile --save` wrote)
    the question is whether PREDICTIONS are better than others by what that person values.
    """
    model, predictions = _in_place(model, predictions, elicited)
    columns = {"truth": truth, "predicted": predicted, "missing": missing}
    gate: Gate | MetricGate
    if elicited is not None or is_elicited(model):
        _refuse(_OF_PEOPLE, "asks people about an application; an elicited metric is one person's")
        gate = decisions.decide_metric_gate(
            load_elicited(model), predictions, than=than, counts=counts, certainty=certainty,
            margin=margin, random_state=seed, positive=positive, group=group, **columns,
        )  # fmt: skip
    else:
        if than is not None or group is not None or margin:
            _check_file(model)
        _refuse(_OF_METRICS, "compares by an elicited metric; MODEL is none")
        gate = decisions.decide_gate(
            acceptability.open_model(model, folder=folder, part=part, random_state=seed),
            decisions.labels_from(
                predictions,
                counts=counts,
                positive=decisions.positive_of(None, positive),
                **columns,
            ),
            application=application,
            share=share,
            certainty=certainty,
            random_state=seed,
        )
    if as_json:
        click.echo(text.to_json(gate.to_dict()))
    else:
        say(show.gate_findings(gate))
    if badge:
        write_text(badge, text.to_json(show.gate_badge(gate)) + "\n")
    if markdown:
        write_text(markdown, show.gate_markdown(gate))
    if plot is not None and isinstance(gate, Gate):
        write_picture(gate_figure(gate), plot)
    failing = {"fail", "investigate"} if strict else {"fail"}
    return VERDICT_FAILED if gate.verdict in failing else DONE


# What only one kind of gate takes.
_OF_PEOPLE = ("share", "application", "part", "plot")
_OF_METRICS = ("than", "margin", "group")


def _in_place(
    model: str | None, predictions: Path | None, elicited: Path | None
) -> tuple[str, Path | None]:
    """Return the model, and the predictions: the first argument where --elicited is the model."""
    if elicited is not None and predictions is not None:
        raise click.UsageError("name MODEL or --elicited FILE, not both")
    if elicited is not None:
        return str(elicited), None if model is None else Path(model)
    if model is None:
        raise click.UsageError("name MODEL, or --elicited FILE")
    return model, predictions


def _refuse(options: tuple[str, ...], why: str) -> None:
    """Refuse options that were given and would change nothing."""
    context = click.get_current_context()
    for option in context.command.params:
        name = option.name or ""
        is_given = context.get_parameter_source(name) == ParameterSource.COMMANDLINE
        if is_given and name in options:
            raise click.UsageError(f"{option.opts[0]} {why}")


def _check_file(model: str) -> None:
    """Say that there is no such file before its options are looked at."""
    if Path(model).suffix and not Path(model).exists():
        raise InputError(
            where=model,
            found="no such file",
            needed="a saved fit, a model card, a table of answers, or an elicited metric",
            cure="Check the path.",
        )
