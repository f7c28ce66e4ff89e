"""`howgood doctor`: is this server fit to run?

In: the settings of the environment. Out: a line per check, or JSON; 0 when nothing stands in the
way, 1 when something does. Absent: any work (`flow.doctor`).
"""

import json
from datetime import UTC, datetime
from pathlib import Path

import click

from howgood.cli.database import database_option
from howgood.cli.exit_codes import DONE, VERDICT_FAILED
from howgood.cli.options import json_option
from howgood.cli.web_extra import need_web
from howgood.settings import read_settings

_MARKS = {"ok": "ok     ", "warning": "warning", "problem": "PROBLEM"}


@click.command()
@click.option("--backups", type=click.Path(path_type=Path), metavar="DIRECTORY",
              help="Folder of backups: the newest is restored as a test.")  # fmt: skip
@json_option
@database_option
def command(backups: Path | None, as_json: bool, database: str) -> int:
    """Look at database, disk, clock, proxy, mail, backups and versions; data is not changed.

    Exit code 0: nothing stands in the way (warnings may be shown); 1: something has to be done.
    """
    need_web("howgood doctor")
    from howgood.flow.doctor import examine, is_well

    settings = read_settings().model_copy(update={"database": database})
    checks = examine(settings, backups=backups, now=datetime.now(UTC))
    if as_json:
        well = {"is_well": is_well(checks), "checks": [check.to_dict() for check in checks]}
        click.echo(json.dumps(well, indent=2))
    else:
        for check in checks:
            click.echo(f"{_MARKS[check.state]}  {check.name:<9} {check.found}")
            if check.state != "ok":
                click.echo(f"{'':<19}{check.cure}")
    return DONE if is_well(checks) else VERDICT_FAILED
