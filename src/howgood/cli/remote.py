"""`howgood --server URL OPERATION`: ask a remote server.

In: an address, an operation of its API, NAME=VALUE. Out: what it answers. Absent: any work
(`flow.remote_call`).
"""

import json
import sys
from pathlib import Path

import click

from howgood.errors import InputError
from howgood.settings import read_settings
from howgood.writing import replacing


@click.command()
@click.option(
    "--server", metavar="URL", required=True, help="Address of the server, beginning with https."
)
@click.argument("operation", required=False)
@click.argument("given", nargs=-1, metavar="[NAME=VALUE]...")
@click.option("--body", type=click.Path(path_type=Path, exists=True, allow_dash=True),
              metavar="FILE", help="JSON to send, - for standard input.")  # fmt: skip
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
              help="File to write.")  # fmt: skip
def command(
    server: str, operation: str | None, given: tuple[str, ...], body: Path | None, out: Path | None
) -> None:
    """Call OPERATION of a server, such as listStudies; without one, list them.

    The token comes from HOWGOOD_TOKEN, or the file that HOWGOOD_TOKEN_FILE names.
    """
    from howgood.flow.remote_call import RemoteServer

    remote = RemoteServer(home=server, token=read_settings().token)
    if operation is None:
        for name, (method, path, about) in remote.operations().items():
            click.echo(f"{name:<18} {about['summary']}  ({method} {path})")
        return
    pieces = remote.call(operation, _pairs(given), _body(body))
    if out is None:
        for piece in pieces:
            sys.stdout.buffer.write(piece)
        sys.stdout.buffer.flush()
        return
    with replacing(out, private=True) as file:
        for piece in pieces:
            file.write(piece)
    click.echo(f"wrote {out} ({out.stat().st_size:,} bytes)", err=True)


def _pairs(given: tuple[str, ...]) -> dict[str, str]:
    pairs = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            raise InputError(
                where="arguments",
                found=repr(text),
                needed="NAME=VALUE",
                cure=f"Write {text}=VALUE.",
            )
        pairs[name] = value
    return pairs


def _body(file: Path | None) -> object:
    if file is None:
        return None
    text = sys.stdin.read() if file.name == "-" else file.read_text(encoding="utf-8")
    try:
        return json.loads(text)
    except ValueError as error:
        raise InputError(
            where=str(file), found=f"no JSON ({error})", needed="JSON", cure="Correct the file."
        ) from error
