"""`howgood demo`: a whole study end to end with synthetic people.

In: a folder. Out: findings in the terminal, data and report.html in the folder; or such studies in
the web app. Absent: real people.
"""

from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from howgood.cli.options import json_option, seed_option
from howgood.cli.web_extra import need_web
from howgood.demo.walkthrough import run_demo
from howgood.errors import MissingExtraError
from howgood.show import page, progress, text


@click.command()
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default="howgood-demo",
    show_default=True,
    help="Folder for data and report.",
)
@seed_option(85)
@json_option
@click.option("--serve", is_flag=True, help="Open studies of synthetic people in the web app.")
@click.option("--port", default=8000, show_default=True, help="Port of --serve.")
def command(out: Path, seed: int, as_json: bool, serve: bool, port: int) -> int:
    """Ask, learn, score and decide with synthetic people, ending in a report."""
    if serve:
        return _serve(seed, port)
    if any(find_spec(package) is None for package in ("sklearn", "matplotlib")):
        raise MissingExtraError(task="howgood demo", extra="plots,sklearn")
    with progress.bar("demo") as report_progress:
        demo = run_demo(out, seed=seed, progress=report_progress)
    if as_json:
        click.echo(text.to_json(page.to_plain(demo.report)))
        return 0
    for number, chapter in enumerate(demo.chapters, start=1):
        click.echo(f"\n{number}. {chapter.title}")
        click.echo("\n".join(f"   - {finding.text}" for finding in chapter.findings))
        click.echo(f"   Next: {chapter.command}")
    click.echo(f"\nEverything above with pictures: {demo.path}")
    return 0


def _serve(seed: int, port: int) -> int:
    """Put synthetic people into a temporary database and show it in the browser."""
    need_web("howgood demo --serve")
    from howgood.demo.web import load_demo
    from howgood.flow import accounts
    from howgood.settings import Settings
    from howgood.web import server

    server.check_free("127.0.0.1", port)
    with TemporaryDirectory(prefix="howgood-demo-") as folder:
        with progress.bar("demo") as report_progress:
            demo = load_demo(
                Path(folder), seed=seed, now=datetime.now(UTC), progress=report_progress
            )
        home = f"http://127.0.0.1:{port}"
        token = accounts.setup_link(demo.host, now=datetime.now(UTC))
        for study in demo.studies:
            click.echo(f"{study.title}: {home}/studies/{study.slug}/results")
        click.echo(f"is 85 % enough? {home}/library")
        click.echo(f"to upload there: {', '.join(str(path) for path in demo.uploads)}")
        click.echo(f"begin here (this link works once): {home}/setup/{token}")
        click.echo("everything is synthetic and gone when you stop with Ctrl+C")
        server.run(
            demo.host, Settings(database=demo.database), address="127.0.0.1", port=port, workers=1
        )
    return 0
