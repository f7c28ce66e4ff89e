"""Options several commands share, and how a result leaves the command line.

In: click options and a finished result. Out: text or JSON on standard output, files where asked.
Absent: the meaning of results.
"""

import re
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from howgood import writing
from howgood.ask.files import is_address
from howgood.errors import InputError
from howgood.records.report import Report
from howgood.settings import read_settings
from howgood.show import page, text
from howgood.show.figures import theme

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class TableFile(click.Path):
    """A table on this machine (a path), or the address of one (text such as s3://...)."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(
        self,
        value: Any,  # noqa: ANN401 - as typed
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> Any:  # noqa: ANN401 - a path, or the address as it was typed
        """Keep an address as it was typed."""
        return value if is_address(value) else super().convert(value, param, ctx)


Command = TypeVar("Command", bound=Callable[..., Any])
REPORT_KINDS = (".html", ".md", ".json")


def named_columns(
    context: click.Context, option: click.Parameter, values: tuple[str, ...]
) -> dict[str, str]:
    """Turn NAME=COLUMN pairs into a dict; a bare COLUMN names itself."""
    pairs = [value.partition("=") for value in values]
    named = {name: column if equals else name for name, equals, column in pairs}
    if len(named) < len(values) or not all(named) or not all(named.values()):
        raise click.BadParameter("each needs a name of its own: NAME=COLUMN", context, option)
    return named


def renamed_columns(
    context: click.Context, option: click.Parameter, values: tuple[str, ...]
) -> dict[str, str]:
    """Turn OURS=YOURS pairs into a dict; a name alone renames nothing, so it is refused."""
    bare = next((value for value in values if "=" not in value), None)
    if bare is not None:
        raise click.BadParameter(
            f"{bare!r} renames nothing; write our name, then your column: {bare}=COLUMN",
            context,
            option,
        )
    return named_columns(context, option, values)


def given_columns(values: Mapping[str, str | None]) -> dict[str, str]:
    """Return the columns that somebody named, not those that are there by default."""
    source = click.get_current_context().get_parameter_source
    by_default = (ParameterSource.DEFAULT, ParameterSource.DEFAULT_MAP)
    return {role: name for role, name in values.items() if name and source(role) not in by_default}


def missing_option(command: Command) -> Command:
    """Add --missing."""
    return click.option(
        "--missing",
        type=click.Choice(["error", "drop"]),
        default="error",
        show_default=True,
        help="Rows with a missing value: refuse, or leave out.",
    )(command)


def combine_option(command: Command) -> Command:
    """Add --combine."""
    return click.option(
        "--combine",
        type=click.Choice(["error", "mean", "sum", "last"]),
        default="error",
        show_default=True,
        help="Several rows of one rater for one output: refuse, or take their mean (repeated "
        "grades), their sum (counts of errors), or the last (corrections).",
    )(command)


def report_options(command: Command) -> Command:
    """Add --plot, --out and --json."""
    path = click.Path(path_type=Path, dir_okay=False)
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text."),
        click.option(
            "--out", type=path, callback=writable, help="Write a report: .html, .md or .json."
        ),
        plot_option,
    ):
        command = option(command)
    return command


def plot_option(command: Command) -> Command:
    """Add --plot."""
    return click.option(
        "--plot",
        type=click.Path(path_type=Path, dir_okay=False),
        callback=drawable,
        help="Write the picture: .svg, .png or .pdf.",
    )(command)


def write_picture(picture: AbstractContextManager["Figure"], path: Path) -> None:
    """Write a picture in the form its ending asks for, and say so."""
    with picture as figure:
        click.echo(f"wrote {theme.save(figure, path)}", err=True)


def write_report(report: Report, path: Path) -> None:
    """Write a report in the form its ending asks for, and say so."""
    forms: Mapping[str, Callable[[], str]] = {
        ".html": lambda: page.to_html(report, language=read_settings().language),
        ".md": lambda: page.to_markdown(report),
        ".json": lambda: text.to_json(page.to_plain(report)),
    }
    _require_known_kind(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    writing.write_text(path, forms[path.suffix.lower()]())
    click.echo(f"wrote {path}", err=True)


def write_pictures(report: Report, folder: Path) -> None:
    """Write every picture of a report to a file of its own, and say so."""
    folder.mkdir(parents=True, exist_ok=True)
    drawn = [section for section in report.sections if section.svg]
    for number, section in enumerate(drawn, start=1):
        name = re.sub(r"[^a-z0-9]+", "-", section.title.lower()).strip("-")[:60]
        writing.write_text(folder / f"{number:02}-{name}.svg", theme.of_widths(section.svg)[0])
    click.echo(f"wrote {len(drawn)} pictures to {folder}", err=True)


def writable(context: click.Context, option: click.Parameter, path: Path | None) -> Path | None:
    """Refuse a report nobody can write before the work starts, not after it."""
    if path is not None:
        _require_known_kind(path)
        theme.require_plots()
    return path


def drawable_folder(
    context: click.Context, option: click.Parameter, path: Path | None
) -> Path | None:
    """Refuse pictures nobody can draw before the work starts, not after it."""
    if path is not None:
        theme.require_plots()
    return path


def drawable(context: click.Context, option: click.Parameter, path: Path | None) -> Path | None:
    """Refuse a picture nobody can draw before the work starts, not after it."""
    if path is not None:
        theme.require_picture_kind(path)
        theme.require_plots()
    return path


def _require_known_kind(path: Path) -> None:
    if path.suffix.lower() not in REPORT_KINDS:
        raise InputError(
            where=f"--out {path}",
            found=f"a report ending in {path.suffix!r}",
            needed=f"one of {', '.join(REPORT_KINDS)}",
            cure="Change the ending.",
        )
