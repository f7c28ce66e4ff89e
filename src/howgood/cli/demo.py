"""`howgood demo`: a whole study end to end with synthetic people.

In: a folder. Out: findings in the terminal, data and report.html in the folder. Absent: servers.
"""

from pathlib import Path

import click

from howgood.flow.demo import run_demo
from howgood.show import page, progress, text


@click.command()
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default="howgood-demo",
    show_default=True,
    help="Folder for data and report.",
)
@click.option("--seed", default=85, show_default=True, help="Seed of everything synthetic.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def command(out: Path, seed: int, as_json: bool) -> int:
    """Ask, learn, score and decide with synthetic people, ending in a report."""
    with progress.bar("demo") as told:
        demo = run_demo(out, seed=seed, progress=told)
    if as_json:
        click.echo(text.to_json(page.to_plain(demo.report)))
        return 0
    for number, chapter in enumerate(demo.chapters, start=1):
        click.secho(f"\n{number}. {chapter.title}", bold=True)
        click.echo("\n".join(f"   - {finding.text}" for finding in chapter.findings))
        click.echo(f"   go on: {chapter.command}")
    click.echo(f"\nEverything above with pictures: {demo.path}")
    return 0
