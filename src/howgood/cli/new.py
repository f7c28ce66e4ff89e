"""`howgood new`: write a study file that runs as it is.

In: a kind and a file name. Out: the file, and what to do next. Absent: any work (`flow`).
"""

import click

from howgood.flow.study_files import new_study
from howgood.kinds import KINDS

# \b keeps the lines of the table as they are.
_HELP = """Write a study of a KIND into FILE, with notes on what to change; it runs as it is.

\b
KIND        what people do
survey      judge how acceptable a system's mistakes are
comparison  say which of two systems they prefer
rerating    rate the same things several times
criteria    choose between options that differ in quality, price, ...
failures    judge systems whose answers fail in several ways
votes       see outputs of two systems, blind, and vote

A FILE ending in .toml is written as TOML, one ending in .yaml or .yml as YAML. For votes, FILE may
be a table of your systems' outputs (.jsonl, .csv, ...; columns prompt, system, output): the study
is then written next to it.
"""


@click.command("new", help=_HELP)
@click.argument("kind", type=click.Choice(list(KINDS)), metavar="KIND")
@click.argument("file", type=click.Path(dir_okay=False))
def command(kind: str, file: str) -> None:
    """Write a study file of a kind, ready to run."""
    path = new_study(kind, file)
    click.echo(f"Wrote {path}. Next: howgood check {path}")
