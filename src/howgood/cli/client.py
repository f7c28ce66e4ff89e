"""`howgood client`: a program for Python or R that asks a server, from the API's description.

In: a language. Out: its text. Absent: any work (`web.api.clients`).
"""

from pathlib import Path
from typing import cast

import click

from howgood.cli.web_extra import need_web
from howgood.writing import replacing


@click.command()
@click.option("--language", type=click.Choice(["python", "r"]), default="python", show_default=True,
              help="Language of the client.")  # fmt: skip
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), help="File to write.")
def command(language: str, out: Path | None) -> None:
    """Write a client for the API: a Python module without dependencies, or an R script."""
    need_web("howgood client")
    from howgood.web.api.clients import Language, client_program
    from howgood.web.api.openapi import openapi

    text = client_program(openapi(), cast(Language, language))
    if out is None:
        click.echo(text, nl=False)
        return
    with replacing(out) as file:
        file.write(text.encode())
    click.echo(f"wrote {out}", err=True)
