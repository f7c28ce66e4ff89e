"""`howgood reproduce`: papers' claims next to our numbers.

In: a paper's short name, or all. Out: lines, JSON, pictures and one page. Absent: the experiments.
"""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from howgood.cli.options import json_option, seed_option
from howgood.errors import MissingExtraError
from howgood.records.reproduction import Reproduction
from howgood.reproduce import papers
from howgood.show import progress, text
from howgood.show.reproduction import reproduction_text


@click.command()
@click.argument("paper")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for index.html and the pictures.",
)
@click.option(
    "--data",
    type=click.Path(path_type=Path, exists=True),
    metavar="FILE|DIRECTORY",
    help="Data file, where a paper needs one; a folder of them for all.",
)
@click.option(
    "--fetch",
    is_flag=True,
    help="Get the papers' public data from where their authors published them (once).",
)
@seed_option(2018)
@json_option
def command(
    paper: str, out: Path | None, data: Path | None, fetch: bool, seed: int, as_json: bool
) -> int:
    """Recompute PAPER (s0, s1, s2, s3 or all): our value next to the paper's, holds or not."""
    if fetch and data:
        raise click.UsageError("--fetch gets the data, --data names them: use one of the two")
    if any(find_spec(package) is None for package in ("sklearn", "matplotlib")):
        raise MissingExtraError(task="howgood reproduce", extra="reproduce")
    if fetch:
        data = papers.fetched_data(paper, report=lambda line: click.echo(line, err=True))
    with progress.bar(f"reproduce {paper}") as report_progress:
        if paper == "all":
            results = papers.reproduce_all(data=data, random_state=seed, progress=report_progress)
        else:
            results = (
                papers.reproduce(paper, data=data, random_state=seed, progress=report_progress),
            )
    if as_json:
        plain = [_plain(result) for result in results]
        click.echo(text.to_json({"papers": plain} if paper == "all" else plain[0]))
    else:
        click.echo("\n\n".join(reproduction_text(result) for result in results))
    if out:
        pictures = [path for result in results for path in papers.write_figures(result, out)]
        for path in (*pictures, papers.write_page(results, out)):
            click.echo(f"wrote {path}", err=True)
    return 0


def _plain(result: Reproduction) -> dict[str, Any]:
    return {"paper": result.paper, "checks": result.to_table(), "errata": result.errata}
