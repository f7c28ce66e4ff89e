"""`howgood gate`: does a classifier pass, in continuous integration.

In: what is known about people, and a test set. Out: the verdict, its exit code, JSON, a badge.
Absent: deciding.
"""

from pathlib import Path

import click

from howgood.cli.knowledge import model_options, say
from howgood.errors import InputError
from howgood.flow import acceptability, decisions
from howgood.show import decisions as show
from howgood.show import text


@click.command("gate")
@click.argument("model")
@click.argument("predictions", type=click.Path(path_type=Path), required=False)
@click.option("--truth", default="y_true", show_default=True, help="Column of true labels.")
@click.option("--predicted", default="y_pred", show_default=True, help="Column of predictions.")
@click.option("--positive", default="1", show_default=True, help="The positive label.")
@click.option("--counts", help="Instead of PREDICTIONS: TP,FN,FP,TN.")
@click.option("--share", default=0.8, show_default=True, help="Share of people that must accept.")
@click.option("--certainty", default=0.95, show_default=True, help="How sure a verdict must be.")
@click.option("--strict", is_flag=True, help="Exit with 1 on 'investigate' too.")
@click.option("--badge", type=click.Path(path_type=Path), help="Write a shields.io badge (JSON).")
@model_options
def command(
    model: str,
    predictions: Path | None,
    truth: str,
    predicted: str,
    positive: str,
    counts: str | None,
    share: float,
    certainty: float,
    strict: bool,
    badge: Path | None,
    application: str | None,
    folder: Path,
    seed: int,
    as_json: bool,
) -> int:
    """Pass, fail or investigate: would enough of MODEL's people accept these PREDICTIONS?

    Exit code 0 for pass and investigate (1 with --strict), 1 for fail, 2 for wrong input. MODEL is
    a saved fit (.npz), a model card (its name or .json file), or a table of answers.
    """
    labels = (
        decisions.labels_of_counts(_parsed(counts))
        if counts is not None
        else decisions.read_labels(
            _needed(predictions), truth=truth, predicted=predicted, positive=positive
        )
    )
    gate = decisions.decide_gate(
        acceptability.open_model(model, folder=folder, random_state=seed),
        labels,
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
        badge.write_text(text.to_json(show.gate_badge(gate)) + "\n", encoding="utf-8")
    failing = {"fail", "investigate"} if strict else {"fail"}
    return 1 if gate.verdict in failing else 0


def _needed(predictions: Path | None) -> Path:
    if predictions is None:
        raise click.UsageError("name a table of PREDICTIONS, or give --counts TP,FN,FP,TN")
    return predictions


def _parsed(counts: str) -> tuple[int, int, int, int]:
    parts = [part.strip() for part in counts.split(",")]
    if len(parts) != 4 or not all(part.isdecimal() for part in parts):
        raise InputError(
            where="--counts",
            found=repr(counts),
            needed="four whole numbers: TP,FN,FP,TN",
            cure="For instance --counts 85,15,10,890.",
        )
    hits, missed, alarms, rest = (int(part) for part in parts)
    return hits, missed, alarms, rest
