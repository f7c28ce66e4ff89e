"""Options that say what is known about people: the MODEL argument and its companions.

In: click arguments. Out: the same for every command that decides from people's answers. Absent:
opening anything (see `flow.acceptability`).
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from howgood.cli.options import (
    RenamedOption,
    column_option,
    json_option,
    missing_option,
    positive_option,
    seed_option,
)
from howgood.records.report import Finding

Command = TypeVar("Command", bound=Callable[..., Any])


def model_options(command: Command) -> Command:
    """Add --application, --part, --registry, --seed and --json."""
    for option in (
        json_option,
        seed_option(2015),
        registry_option,
        part_option,
        application_option,
    ):
        command = option(command)
    return command


def application_option(command: Command) -> Command:
    """Add --application, of what is known about people in several."""
    return click.option(
        "--application", metavar="NAME", help="Which application; needed when there are several."
    )(command)


def registry_option(command: Command) -> Command:
    """Add --registry."""
    return click.option(
        "--registry",
        "folder",
        type=click.Path(path_type=Path, file_okay=False),
        default=Path("howgood-registry"),
        show_default=True,
        help="Folder of model cards.",
    )(command)


def part_option(command: Command) -> Command:
    """Add --part, by its former name --only-part too."""
    return click.option(
        "--part",
        "--only-part",
        "part",
        cls=RenamedOption,
        metavar="NAME",
        help="Which part counts where answers (or the fit) have several, such as 'in use'.",
    )(command)


def label_options(command: Command) -> Command:
    """Add the PREDICTIONS argument, --truth, --predicted, --positive, --counts and --missing."""
    for option in (
        missing_option,
        click.option(
            "--counts",
            metavar="TP,FN,FP,TN",
            help="Instead of PREDICTIONS: how many are true positives, false negatives, false "
            "positives and true negatives.",
        ),
        positive_option,
        column_option("--predicted", "predicted labels.", default="y_pred"),
        column_option("--truth", "true labels.", default="y_true"),
        click.argument("predictions", type=click.Path(path_type=Path), required=False),
    ):
        command = option(command)
    return command


def say(findings: tuple[Finding, ...]) -> None:
    """Print findings, one per line."""
    for finding in findings:
        click.echo(finding.text)
