"""`howgood new`: write a study file that runs as it is.

In: a kind and a file name. Out: the file, and what to do next. Absent: any work (`flow`).
"""

import click

from howgood.flow.study_files import new_study
from howgood.kinds import KINDS


@click.command("new")
@click.argument("kind", type=click.Choice(list(KINDS)))
@click.argument("file", type=click.Path(dir_okay=False))
def command(kind: str, file: str) -> None:
    """Write a commented study FILE of a KIND, ready to run.

    A name ending in .toml gives TOML, one ending in .yaml or .yml gives YAML. Of votes, FILE can be
    a table of outputs (.jsonl, .csv, ...; columns prompt, system, output): the study is written
    next to it.
    """
    path = new_study(kind, file)
    click.echo(f"Wrote {path}. Next: howgood check {path}")
