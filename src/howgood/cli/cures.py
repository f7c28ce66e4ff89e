"""What to do about an error, in the words of the command line.

In: an error of the library, whose cure names keyword arguments of Python. Out: its message, whose
cure names options of the command that was called. Absent: any knowledge of single commands.
"""

import re
import shlex

import click

from howgood.errors import HowgoodError, InputError, MissingColumnError

_KEYWORD = re.compile(r"\b(\w+)=('[^']*'|\.\.\.|\w+)")
_COLUMNS = re.compile(r'columns=\{"(\w+)": "?([\w.]+)"?\}')


def in_options(error: HowgoodError, command: click.Command | None) -> str:
    """Return the error's message with its cure said in options of `command`."""
    if command is None or not isinstance(error, InputError):
        return str(error)
    options = {name: each for each in command.params for name in each.opts}
    cure = error.cure
    if "--map" in options:
        cure = _COLUMNS.sub(r"--map \1=\2", cure)
    cure = _KEYWORD.sub(lambda found: _as_option(found, options), cure)
    if isinstance(error, MissingColumnError):
        cure += _how_to_name(error, options)
    return error.sentence(cure)


def _as_option(found: re.Match[str], options: dict[str, click.Parameter]) -> str:
    name = found[1].replace("_", "-")
    option, without = f"--{name}", f"--no-{name}"
    if found[2] == "None" and without in options:
        return without
    return f"{option} {found[2].strip(chr(39))}" if option in options else found[0]


def _how_to_name(error: MissingColumnError, options: dict[str, click.Parameter]) -> str:
    """Say which options name the missing columns: --map, or the one with that default."""
    by_default = {each.default: name for name, each in options.items() if name.startswith("--")}
    said = []
    for column in error.missing:
        yours = shlex.quote(error.near[column] or "COLUMN")
        if "--map" in options:
            said.append(f"--map {error.ours.get(column, column)}={yours}")
        elif column in by_default:
            said.append(f"{by_default[column]} {yours}")
    return f" Write {' '.join(said)}" if said else ""
