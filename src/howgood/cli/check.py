"""`howgood check`: is a study file ready to run?

In: study files. Out: every problem as file:line: message, or what participants go through; exit
code 2 when something is wrong. Absent: any work (`flow`).
"""

import json
import shlex

import click

from howgood.cli.options import json_option
from howgood.flow.study_files import CheckedStudy, check_study, pages_per_person


@click.command("check")
@click.argument("files", nargs=-1, required=True, type=click.Path())
@json_option
def command(files: tuple[str, ...], as_json: bool) -> int:
    """Check study FILES and everything they name; print every problem with its line."""
    checked = [check_study(file) for file in files]
    if as_json:
        click.echo(
            json.dumps(
                [_facts(checked_file) for checked_file in checked], indent=2, ensure_ascii=False
            )
        )
    else:
        for checked_file in checked:
            _show(checked_file)
    return 2 if any(checked_file.problems for checked_file in checked) else 0


def _show(checked: CheckedStudy) -> None:
    for problem in checked.problems:
        click.echo(str(problem), err=True)
    if checked.study is None:
        return
    click.echo(f"{checked.file}: ready ({checked.study.kind}, version {checked.study.version})")
    for condition, pages in pages_per_person(checked.study).items():
        click.echo(f"  {condition}: about {pages} pages per person")
    for sentence in checked.advice:
        click.echo(f"  advice: {sentence}")
    click.echo(f"  Next: howgood serve {shlex.quote(str(checked.file))}")


def _facts(checked: CheckedStudy) -> dict[str, object]:
    return {
        "file": checked.file,
        "ready": checked.study is not None,
        "version": checked.study.version if checked.study else None,
        "problems": [
            {"line": problem.line, "message": problem.message, "file": problem.file}
            for problem in checked.problems
        ],
        "advice": list(checked.advice),
    }
