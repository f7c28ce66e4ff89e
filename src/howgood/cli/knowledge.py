"""Options that say what is known about people: the MODEL argument and its companions.

In: click arguments. Out: the same for every command that decides from people's answers. Absent:
opening anything (see `flow.acceptability`).
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from howgood.cli.options import missing_option
from howgood.records.report import Finding

Command = TypeVar("Command", bound=Callable[..., Any])


def model_options(command: Command) -> Command:
    """Add --application, --part, --registry, --seed and --json."""
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text."),
        click.option("--seed", type=int, default=2015, show_default=True, help="Seed of chance."),
        click.option(
            "--registry",
            "folder",
            type=click.Path(path_type=Path, file_okay=False),
            default=Path("howgood-registry"),
            show_default=True,
            help="Folder of model cards.",
        ),
        part_option,
        click.option("--application", help="Which application; needed when there are several."),
    ):
        command = option(command)
    return command


def part_option(command: Command) -> Command:
    """Add --part."""
    return click.option(
        "--part",
        help="Of an ordinal fit, or of answers with several parts: whose ratings decide, such as "
        "'in use'.",
    )(command)


def label_options(command: Command) -> Command:
    """Add the PREDICTIONS argument, --truth, --predicted, --positive, --counts and --missing."""
    for option in (
        missing_option,
        click.option("--counts", help="Instead of PREDICTIONS: TP,FN,FP,TN."),
        click.option("--positive", help="The positive label; else 1, or the interview's own."),
        click.option("--predicted", default="y_pred", show_default=True, help="Column."),
        click.option("--truth", default="y_true", show_default=True, help="Column."),
        click.argument("predictions", type=click.Path(path_type=Path), required=False),
    ):
        command = option(command)
    return command


def say(findings: tuple[Finding, ...]) -> None:
    """Print findings, one per line."""
    for finding in findings:
        click.echo(finding.text)
