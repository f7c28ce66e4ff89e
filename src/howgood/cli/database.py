"""--database, the same in every command that needs one.

In: what was typed. Out: an address, from the environment if nothing was. Absent: opening it.
"""

from collections.abc import Callable
from typing import Any, TypeVar
from urllib.parse import urlsplit

import click

from howgood.settings import DATABASE, DATABASE_FILE, read_settings

Command = TypeVar("Command", bound=Callable[..., Any])


def database_option(command: Command) -> Command:
    """Add --database; the command gets an address in any case."""
    return click.option(
        "--database",
        metavar="ADDRESS",
        callback=_address,
        help="SQLite file or postgresql:// address.  [HOWGOOD_DATABASE]",
    )(command)


def sqlite_option(command: Command) -> Command:
    """Add --database for commands that take a SQLite file alone."""
    return click.option(
        "--database", metavar="FILE", callback=_address, help="SQLite file.  [HOWGOOD_DATABASE]"
    )(command)


def _address(context: click.Context, option: click.Parameter, typed: str | None) -> str:
    if not typed:
        return read_settings().database
    if _has_password(typed):
        click.echo(
            "howgood: note: everybody on this machine can read the password in the list of "
            f"processes; put the address into {DATABASE}, or into a file named by "
            f"{DATABASE_FILE}",
            err=True,
        )
    return typed


def _has_password(address: str) -> bool:
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return bool(parts.password) or "password=" in parts.query
