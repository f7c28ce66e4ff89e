"""The `howgood` command: finds the subcommand, shows errors in one line, returns exit codes.

In: arguments. Out: 0 (done), 1 (a verdict failed), 2 (wrong input, or no place for the output).
Absent: any work; each command lives in its own module and is imported only when it is called.

What the library says about keyword arguments of Python is said here about options of the command
that was called. What is printed, whose names may hold characters that act on a terminal (escape
sequences, turned directions), is printed with these written out; bytes that `export --out -` hands
on stay as they are.
"""

import errno
import os
import re
import shlex
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from importlib import import_module
from typing import Any, TextIO, cast

import click

from howgood import __version__
from howgood.cli.exit_codes import (
    DONE,
    INTERRUPTED,
    READER_GONE,
    VERDICT_FAILED,
    WRONG_INPUT,
)
from howgood.cli.nearest import NearestGroup
from howgood.errors import (
    HowgoodError,
    HowgoodWarning,
    InputError,
    MissingColumnError,
    MissingExtraError,
)
from howgood.names import visible

_KEYWORD = re.compile(r"\b(\w+)=('[^']*'|\.\.\.|\w+)")
_COLUMNS = re.compile(r'columns=\{"(\w+)": "?([\w.]+)"?\}')
# Stage -> name -> (module that defines `command`, one line of help). Sorted by the data flow.
STAGES: dict[str, dict[str, tuple[str, str]]] = {
    "Start": {
        "demo": ("howgood.cli.demo", "See a whole study end to end, with synthetic people."),
    },
    "Ask people": {
        "new": ("howgood.cli.new", "Write a study file that runs as it is."),
        "check": ("howgood.cli.check", "Check study files; each problem is shown with its line."),
        "study-size": ("howgood.cli.study_size", "Find how many people a study needs."),
        "import": ("howgood.cli.import_", "Bring in answers collected with other tools."),
        "export": (
            "howgood.cli.export",
            "Export data with its codebook, or a survey for other tools.",
        ),
    },
    "Learn what they value": {
        "fit": ("howgood.cli.fit", "Learn from answers what accuracy people accept."),
        "measures": ("howgood.cli.measures", "Find which measure of accuracy people follow."),
        "elicit": ("howgood.cli.elicit", "Learn by asking what errors cost; choose a threshold."),
        "criteria": ("howgood.cli.criteria", "Learn what matters, and which alternative is best."),
        "quantile": (
            "howgood.cli.quantile",
            "Learn if too low is worse than too high; what to predict.",
        ),
        "registry": ("howgood.cli.registry", "Look up what is known, application by application."),
    },
    "Score outputs and predictions": {
        "agreement": (
            "howgood.cli.agreement",
            "Measure how far raters agree, and the best score possible.",
        ),
        "judge": ("howgood.cli.judge", "Correct an automatic judge by people's labels."),
        "relevance": ("howgood.cli.relevance", "Grade predictions where several answers are fine."),
    },
    "Decide": {
        "bar": ("howgood.cli.bar", "Find how often each kind of failure may happen."),
        "ship": ("howgood.cli.ship", "Compare two evaluation logs: may the candidate ship?"),
        "leaderboard": ("howgood.cli.leaderboard", "Rank systems by people's grades or votes."),
        "rank": ("howgood.cli.rank", "Rank systems that predict noisy human ratings."),
        "sessions": (
            "howgood.cli.sessions",
            "Test if a ranking depends on when people were asked.",
        ),
        "gate": ("howgood.cli.gate", "Pass, fail or investigate: would enough people accept?"),
        "threshold": ("howgood.cli.threshold", "Choose a classifier's threshold."),
        "target": ("howgood.cli.target", "Find the accuracy to aim for."),
        "trade-off": ("howgood.cli.trade_off", "Find how much accuracy can be given up."),
        "best-application": (
            "howgood.cli.best_application",
            "Find the application a classifier suits best.",
        ),
        "watch": ("howgood.cli.watch", "Check if people still accept a system in use."),
        "go-live": ("howgood.cli.go_live", "Find when to switch from training to predicting."),
    },
    "Run a server": {
        "serve": ("howgood.cli.serve", "Run studies in the browser."),
        "worker": ("howgood.cli.worker", "Fit queued studies in the background."),
        "links": ("howgood.cli.links", "Make personal links to a study."),
        "backup": ("howgood.cli.backup", "Copy the database while the server runs."),
        "restore": ("howgood.cli.restore", "Put a backup in the database's place."),
        "doctor": ("howgood.cli.doctor", "Check the server: database, disk, backups and more."),
        "erase": ("howgood.cli.erase", "Forget one participant, or delete a study."),
        "remote": ("howgood.cli.remote", "Call a remote server: howgood --server URL …"),
        "client": ("howgood.cli.client", "Write a client for the API, in Python or R."),
        "reset-password": ("howgood.cli.reset_password", "Make a link to choose a new password."),
    },
    "Check the papers": {
        "reproduce": ("howgood.cli.reproduce", "Recompute a paper's figures and claims."),
    },
}
COMMANDS = {name: about for stage in STAGES.values() for name, about in stage.items()}
# What to type: shown at the end of every command's help.
EXAMPLES: dict[str, tuple[str, ...]] = {
    "demo": ("howgood demo", "howgood demo --serve"),
    "new": ("howgood new survey alarm.toml",),
    "check": ("howgood check alarm.toml",),
    "study-size": ("howgood study-size --application alarm:alpha=.3,intercept=-13,slope=16",),
    "import": ("howgood import answers.csv --study smart-alarm --dry-run",),
    "export": (
        "howgood export smart-alarm",
        "howgood export smart-alarm --table answers --out answers.csv",
    ),
    "fit": ("howgood fit answers.csv --out report.html --save fit.npz",),
    "measures": ("howgood measures answers.csv --prevalence .2",),
    "elicit": (
        "howgood elicit scores.csv --truth y --score s --save metric.json",
        "howgood elicit scores.csv --truth y --score s --browser",
    ),
    "criteria": ("howgood criteria phones.csv --criterion quality=max --criterion price=min",),
    "quantile": ("howgood quantile forecasts.csv --truth sold --predicted forecast",),
    "registry": ("howgood registry list", "howgood registry show kay2015-weather"),
    "agreement": ("howgood agreement grades.csv --rater annotator --grade score",),
    "judge": ("howgood judge labels.csv --system model --scores judged.csv",),
    "relevance": (
        "howgood relevance test.csv --outcome chosen --predicted guess --context room,hour",
    ),
    "bar": ("howgood bar fit.npz --share .7",),
    "ship": (
        "howgood ship baseline.eval candidate.eval --doctor",
        "howgood ship baseline.eval candidate.eval --metric match",
    ),
    "leaderboard": (
        "howgood leaderboard grades.csv --item task --rater annotator --grade score",
        "howgood leaderboard votes.csv --left left --right right --winner winner --item prompt",
    ),
    "rank": (
        "howgood rank ratings.csv --mean mu --sd sigma --system A=pi1 --system B=pi2",
        "howgood rank ratings.csv --repeated --system A=pi1 --system B=pi2",
        "howgood rank ratings.csv --mean rating --sd .7 --trials 1 --system A=pi1 --system B=pi2",
    ),
    "sessions": ("howgood sessions ratings.csv --session week --system A=pi1 --system B=pi2",),
    "gate": (
        "howgood gate fit.npz predictions.csv --truth y --predicted yhat --share .6",
        "howgood gate kay2015-answers-alarm-police --counts 85,15,10,890",
    ),
    "threshold": (
        "howgood threshold scores.csv --truth y --score s --model fit.npz",
        "howgood threshold scores.csv --truth y --score s --elicited metric.json",
        "howgood threshold scores.csv --truth y --score s --alpha .35",
    ),
    "target": ("howgood target fit.npz --share .8",),
    "trade-off": ("howgood trade-off fit.npz --share .8",),
    "best-application": ("howgood best-application fit.npz --counts 85,15,10,890",),
    "watch": ("howgood watch answers.csv --share .8",),
    "go-live": ("howgood go-live fit.npz curve.csv --share .8",),
    "serve": ("howgood serve alarm.toml", "howgood serve alarm.toml --host 0.0.0.0"),
    "worker": ("howgood worker --database postgresql://howgood@db/howgood",),
    "links": ("howgood links smart-alarm --people 3 --pilot",),
    "backup": ("howgood backup monday.sqlite --verify",),
    "restore": ("howgood restore monday.sqlite",),
    "doctor": ("howgood doctor --backups backups",),
    "erase": ("howgood erase smart-alarm 17",),
    "remote": (
        "howgood --server https://studies.example.org listStudies",
        "howgood --server https://studies.example.org export slug=doors --out doors.zip",
    ),
    "client": ("howgood client --language r --out howgood.R",),
    "reset-password": ("howgood reset-password ada",),
    "reproduce": ("howgood reproduce s3 --out papers",),
}

# Optional package -> the extra that brings it, for whatever a command needs on its way.
_EXTRAS = {
    "alembic": "web",
    "duckdb": "files",
    "jinja2": "web",
    "matplotlib": "plots",
    "pandas": "spark",
    "polars": "files",
    "psycopg": "postgres",
    "joserfc": "accounts",
    "pyarrow": "parquet",
    "pyotp": "accounts",
    "pyrage": "encryption",
    "pyreadstat": "statistics",
    "segno": "accounts",
    "webauthn": "accounts",
    "xlsxwriter": "statistics",
    "python_calamine": "excel",
    "pymc": "nuts",
    "pyspark": "spark",
    "sklearn": "sklearn",
    "sqlalchemy": "web",
    "starlette": "web",
    "uvicorn": "web",
    "wittgenstein": "reproduce",
    "yaml": "web",
}


# What a disk says that takes no more of what is printed.
_OUTPUT_TROUBLE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS}


def shown(name: str) -> str:
    """Return the examples of a command as the end of its help, line by line."""
    lines = EXAMPLES.get(name, ())
    title = "Example:" if len(lines) == 1 else "Examples:"
    return "\n".join(["\b", title, *(f"  {line}" for line in lines)]) if lines else ""


def in_options(error: HowgoodError, command: click.Command | None) -> str:
    """Return the error's message with its cure said in options of `command`."""
    if command is None or not isinstance(error, InputError):
        return str(error)
    options = {name: param for param in command.params for name in param.opts}
    cure = error.cure
    if "--map" in options:
        cure = _COLUMNS.sub(r"--map \1=\2", cure)
    cure = _KEYWORD.sub(lambda match: _as_option(match, options), cure)
    if isinstance(error, MissingColumnError):
        cure += _how_to_name(error, options)
    return error.sentence(cure)


def _as_option(match: re.Match[str], options: dict[str, click.Parameter]) -> str:
    name = match[1].replace("_", "-")
    option, without = f"--{name}", f"--no-{name}"
    if match[2] == "None" and without in options:
        return without
    if option not in options:
        return match[0]
    # By the name it has now, where it had another before.
    return f"{options[option].opts[0]} {shlex.quote(match[2].strip(chr(39)))}"


def _how_to_name(error: MissingColumnError, options: dict[str, click.Parameter]) -> str:
    """Say which options name the missing columns: --map, or the one with that default."""
    by_default = {option.default: name for name, option in options.items() if name.startswith("--")}
    said, without = [], []
    for column in error.missing:
        yours = shlex.quote(error.near[column] or "COLUMN")
        if "--map" in options:
            said.append(f"--map {error.ours.get(column, column)}={yours}")
        elif column in by_default:
            said.append(f"{by_default[column]} {yours}")
        if f"--no-{column}" in options:
            without.append(f", or --no-{column} if there is none")
        if column == "specificity" and "--prevalence" in options:
            without.append(", or give --prevalence")
    return f" Write {' '.join(said)}{''.join(without)}" if said else ""


class _Visible:
    """A stream like the one it writes to, but for characters that act.

    Where its reader has gone (`| head`), what follows is dropped, and the command does what else
    it was asked to do: write its files.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.has_reader = True

    def write(self, text: str) -> int:
        try:
            self._stream.write(visible(text))
        except BrokenPipeError:
            self._drop()
        return len(text)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except BrokenPipeError:
            self._drop()

    def _drop(self) -> None:
        self.has_reader = False
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._stream.fileno())
        os.close(nowhere)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the stream has
        return getattr(self._stream, name)


@contextmanager
def visible_output() -> Iterator[Callable[[], bool]]:
    """Print only what can be seen, on standard output and standard error, while the block runs.

    The block is given a function that says whether somebody still reads standard output.
    """
    out, errors = (
        None if stream is None else _Visible(stream) for stream in (sys.stdout, sys.stderr)
    )
    with redirect_stdout(cast(TextIO, out)), redirect_stderr(cast(TextIO, errors)):
        yield lambda: out is None or out.has_reader


class _LazyGroup(NearestGroup):
    """A group that imports a command's module only when that command is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = import_module(COMMANDS[cmd_name][0]).command
        if not isinstance(command, click.Command):
            raise TypeError(f"{COMMANDS[cmd_name][0]}.command is not a click command")
        command.epilog = shown(cmd_name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        widest = max(map(len, COMMANDS))
        for stage, commands in STAGES.items():
            with formatter.section(stage):
                # The same column in every group.
                formatter.write_dl(
                    [(name.ljust(widest), line) for name, (_, line) in commands.items()]
                )


@click.group(
    cls=_LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="howgood COMMAND --help shows a command's options and what to type. New here? Type: "
    "howgood demo",
)
@click.version_option(__version__, prog_name="howgood")
def app() -> None:
    """Is the model good enough for the people who use it, and which one should we ship?"""


def _show_note(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Show a warning as one line, without the line of code it came from."""
    _tell(f"howgood: note: {message}")


def _tell(text: str) -> None:
    """Say something on standard error; a full disk there changes no exit code."""
    with suppress(OSError):
        click.echo(text, err=True)


def _explained(error: Exception, called: str) -> str | None:
    """Return what to say about an error that is no fault of ours, None about any other."""
    if isinstance(error, HowgoodError):
        return in_options(error, app.get_command(click.Context(app), called))
    if isinstance(error, ModuleNotFoundError):
        extra = _EXTRAS.get(str(error.name).partition(".")[0])
        return str(MissingExtraError(task="this command", extra=extra)) if extra else None
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}. Check the path."
    if isinstance(error, OSError) and error.errno in _OUTPUT_TROUBLE:
        return (
            f"standard output: not written ({error.strerror}). Make room, or write to another disk."
        )
    # Commands without a database do not load it for this.
    store = sys.modules.get("howgood.store.database")
    if store is not None and isinstance(error, store.AWAY):
        why = str(getattr(error, "orig", error)).strip().partition("\n")[0]
        return (
            f"database: it takes no writes now ({why}); nothing was left half done. "
            "Check that it runs, that its disk has room, and that you may write there."
        )
    return None


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code; wrong input never shows a traceback."""
    if arguments and arguments[0].partition("=")[0] == "--server":
        arguments = ["remote", *arguments]
    with visible_output() as has_reader:
        code = _run(arguments)
        return code if has_reader() else READER_GONE


def _run(arguments: Sequence[str]) -> int:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", HowgoodWarning)
            warnings.showwarning = _show_note
            result = app.main(args=list(arguments), prog_name="howgood", standalone_mode=False)
    except click.ClickException as error:
        with suppress(OSError):
            error.show()
        return WRONG_INPUT
    except (click.Abort, KeyboardInterrupt):
        _tell("howgood: stopped")
        return INTERRUPTED
    except SystemExit as error:
        if error.code != VERDICT_FAILED:
            raise
        # So click leaves when the reader of our output has gone (`| head`); verdicts return.
        return READER_GONE
    except Exception as error:  # what has no explanation is raised again
        text = _explained(error, next(iter(arguments), ""))
        if text is None:
            raise
        _tell(f"howgood: {text}")
        return WRONG_INPUT
    return result if isinstance(result, int) else DONE
