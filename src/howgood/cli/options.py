"""Options several commands share, and how a result leaves the command line.

In: click options and a finished result. Out: text or JSON on standard output, files where asked.
Absent: the meaning of results. An option that several commands have is defined here and nowhere
else, so that `--help` says the same thing in the same words.
"""

import re
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from howgood import writing
from howgood.ask.files import ENGINES, is_address
from howgood.errors import InputError
from howgood.records.inclusion import DEFAULT, POLICIES
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


class RenamedOption(click.Option):
    """An option that had another name: the first is shown, the others still work."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return the name shown and its help."""
        names, self.opts = self.opts, self.opts[:1]
        try:
            return super().get_help_record(ctx)
        finally:
            self.opts = names


# One definition of every option that several commands have: the same name, values and words.
MANY = "May be repeated."
# What --cluster names, wherever rows that belong together count as one draw from the world.
CLUSTER = "what items come from: a document, a conversation. Its items are sampled together."


def column_option(
    name: str,
    what: str,
    *,
    default: str | None = None,
    before: str | None = None,
    required: bool = False,
) -> Callable[[Command], Command]:
    """Return an option that names a column; `before` is the name it had before."""
    given: dict[str, Any] = {} if default is None else {"default": default, "show_default": True}
    names = [name] if before is None else [name, before, before.strip("-").replace("-", "_")]
    return click.option(
        *names, cls=RenamedOption, metavar="COLUMN", required=required, help=f"Column: {what}",
        **given,
    )  # fmt: skip


def file_option(name: str, text: str, *, ending: str = "") -> Callable[[Command], Command]:
    """Return an option that names a file to read or to write, by its ending if there is one."""

    def checked(context: click.Context, option: click.Parameter, path: Path | None) -> Path | None:
        if ending and path is not None and path.suffix.lower() != ending:
            raise InputError(
                where=f"{name} {path}",
                found=f"a name ending in {path.suffix!r}",
                needed=f"a name ending in {ending}, by which other commands know the file",
                cure=f"Call it {path.with_suffix(ending)}.",
            )
        return path

    path = click.Path(path_type=Path, dir_okay=False)
    return click.option(name, type=path, metavar="FILE", help=text, callback=checked)


def json_option(command: Command) -> Command:
    """Add --json."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")(
        command
    )


def seed_option(default: int | None = None) -> Callable[[Command], Command]:
    """Return --seed."""
    return click.option(
        "--seed",
        type=int,
        default=default,
        show_default=default is not None,
        help="Seed of random numbers: the same seed gives the same result.",
    )


def share_option(default: float, *, when: str = "") -> Callable[[Command], Command]:
    """Return --share; `when` says with which option it counts."""
    text = f"{when}share of people who must accept."
    return click.option(
        "--share", default=default, show_default=True, help=text[0].upper() + text[1:]
    )


def certainty_option(command: Command) -> Command:
    """Add --certainty."""
    return click.option(
        "--certainty", default=0.95, show_default=True, help="How sure the result must be."
    )(command)


def level_option(of: str) -> Callable[[Command], Command]:
    """Return --level, the error level `of` something."""
    return click.option(
        "--level", default=0.05, show_default=True, help=f"Error level: how often {of}."
    )


def strict_option(command: Command) -> Command:
    """Add --strict."""
    return click.option("--strict", is_flag=True, help="Exit with 1 on 'investigate' too.")(command)


def comment_options(command: Command) -> Command:
    """Add --markdown and --badge."""
    command = file_option("--badge", "Write a badge for shields.io (JSON).")(command)
    return file_option("--markdown", "Write a comment for a pull request (Markdown).")(command)


def engine_option(command: Command) -> Command:
    """Add --engine, of commands that read large tables."""
    return click.option(
        "--engine",
        type=click.Choice(ENGINES),
        default="auto",
        show_default=True,
        help="What reads the tables; built-in needs no other package.",
    )(command)


def map_option(
    example: str, *, name: str = "columns", more: str = ""
) -> Callable[[Command], Command]:
    """Return --map; `name` is the command's argument."""
    return click.option(
        "--map", name, multiple=True, callback=renamed_columns, metavar="OURS=YOURS",
        help=f"A column by another name: --map {example}. {more}{MANY}",
    )  # fmt: skip


def systems_option(command: Command) -> Command:
    """Add --system, of commands that rank columns of predictions."""
    return click.option(
        "--system", "systems", multiple=True, required=True, callback=named_columns,
        metavar="NAME=COLUMN", help=f"A system and the column of its predictions. {MANY}",
    )(command)  # fmt: skip


def positive_option(command: Command) -> Command:
    """Add --positive, which an interview may already say."""
    return click.option(
        "--positive", metavar="LABEL", help="The positive label.  [1, or the interview's own]"
    )(command)


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


def interview_options(held_out: int) -> Callable[[Command], Command]:
    """Return --log, --browser, --questions, --held-out, --seed and --save."""
    options: tuple[Callable[[Any], Any], ...] = (
        file_option("--save", "Write the result (.json).", ending=".json"),
        seed_option(),
        click.option(
            "--held-out", default=held_out, show_default=True,
            help="Questions kept back to test the result.",
        ),
        click.option(
            "--questions", default=25, show_default=True, help="Most questions to learn from."
        ),
        click.option("--browser", is_flag=True, help="Ask in the browser, not in the terminal."),
        file_option("--log", "Keep the interview here, and resume it from here."),
    )  # fmt: skip

    def add(command: Command) -> Command:
        for option in options:
            command = option(command)
        return command

    return add


def answers_options(command: Command) -> Command:
    """Add --map, --priors, --scale, --cut, --missing and --people, of tables of answers."""
    options: tuple[Callable[[Any], Any], ...] = (
        click.option(
            "--people", type=click.Choice(list(POLICIES)), default=DEFAULT, show_default=True,
            help="Whose answers count, by the columns passed_checks, finished and pilot: everyone "
            "but those who failed attention checks; of these who finished; everyone.",
        ),
        click.option(
            "--missing", type=click.Choice(["unanswered", "drop", "error"]), default="unanswered",
            show_default=True,
            help="Rows with a missing value: leave out those without an answer, leave out all, or "
            "refuse.",
        ),
        click.option(
            "--cut", type=int, help="Lowest rating that accepts.  [default: first above the middle]"
        ),
        click.option("--scale", type=int, help="Points of the rating scale.  [default: 7]"),
        click.option(
            "--priors", metavar="NAME|FILE", default="howgood", show_default=True,
            help="What is assumed before the answers: howgood, kay2015, or a .json file.",
        ),
        map_option("precision=ppv"),
    )  # fmt: skip
    for option in options:
        command = option(command)
    return command


def report_options(command: Command) -> Command:
    """Add --plot, --out and --json."""
    return plot_option(out_option(json_option(command)))


def out_option(command: Command) -> Command:
    """Add --out, for a report."""
    path = click.Path(path_type=Path, dir_okay=False)
    return click.option(
        "--out", type=path, callback=writable, help="Write a report: .html, .md or .json."
    )(command)


def plot_option(command: Command) -> Command:
    """Add --plot."""
    return picture_option("--plot", "the picture")(command)


def picture_option(name: str, what: str) -> Callable[[Command], Command]:
    """Return an option that writes `what` as a picture."""
    return click.option(
        name,
        type=click.Path(path_type=Path, dir_okay=False),
        callback=drawable,
        help=f"Write {what}: .svg, .png or .pdf.",
    )


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
