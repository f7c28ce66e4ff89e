"""`howgood gate`: does a classifier pass, in continuous integration.

In: what is known about people, and a test set. Out: the verdict, its exit code, JSON, a badge,
a picture.
Absent: deciding.
"""

from pathlib import Path

import click

from howgood.cli.exit_codes import DONE, VERDICT_FAILED
from howgood.cli.knowledge import label_options, model_options, say
from howgood.cli.options import (
    certainty_option,
    column_option,
    comment_options,
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
@click.argument("model")
@label_options
@column_option("--group", "groups of people, with an elicited metric about gaps between them.")
@share_option(0.8)
@certainty_option
@column_option(
    "--than",
    "labels predicted by the system it must be better than, with an elicited metric.  [the better "
    "of flagging nothing and flagging everything]",
)
@strict_option
@comment_options
@plot_option
@model_options
def command(
    model: str,
    predictions: Path | None,
    truth: str,
    predicted: str,
    positive: str | None,
    counts: str | None,
    missing: str,
    group: str | None,
    share: float,
    certainty: float,
    than: str | None,
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
    a saved fit (.npz), a model card (its name or .json file), or a table of answers; or an elicited
    metric (what `howgood elicit --save` or `howgood quantile --save` wrote): then the question is
    whether PREDICTIONS are better than others by what that person values.
    """
    columns = {"truth": truth, "predicted": predicted, "missing": missing}
    gate: Gate | MetricGate
    if is_elicited(model):
        if plot is not None:
            raise click.UsageError("--plot draws shares of people; an elicited metric has none")
        gate = decisions.decide_metric_gate(
            load_elicited(model), predictions, than=than, counts=counts, certainty=certainty,
            random_state=seed, positive=positive, group=group, **columns,
        )  # fmt: skip
    elif than is not None or group is not None:
        raise _no_metric(model, "--than" if than is not None else "--group")
    else:
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
    elif isinstance(gate, MetricGate):
        say(show.metric_gate_findings(gate))
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


def _no_metric(model: str, option: str) -> Exception:
    """Return why these options cannot be used: no such file, or not an elicited metric."""
    if Path(model).suffix and not Path(model).exists():
        return InputError(
            where=model,
            found="no such file",
            needed="what `howgood elicit --save` wrote",
            cure="Check the path.",
        )
    return click.UsageError(f"{option} compares by an elicited metric; MODEL is none")
