"""`howgood reproduce`: a paper's claims beside our numbers.

In: a paper's short name. Out: a table, JSON, pictures. Absent: the experiments.
"""

from pathlib import Path

import click

from howgood.flow.reproduce import papers
from howgood.show import progress, text
from howgood.show.reproduction import reproduction_text


@click.command()
@click.argument("paper")
@click.option("--out", type=click.Path(path_type=Path), help="Folder for the pictures.")
@click.option("--data", type=click.Path(path_type=Path), help="Data file, where a paper needs one.")
@click.option("--seed", default=2018, show_default=True, help="Seed of every simulation.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def command(paper: str, out: Path | None, data: Path | None, seed: int, as_json: bool) -> int:
    """Recompute PAPER (s0, s1, s2, s3 or all): our value beside the paper's, holds or not."""
    with progress.bar(f"reproduce {paper}") as report:
        result = papers.reproduce(paper, data=data, random_state=seed, progress=report)
    if as_json:
        checks = result.to_table()
        click.echo(text.to_json({"paper": result.paper, "checks": checks, "errata": result.errata}))
    else:
        click.echo(reproduction_text(result))
    for path in papers.write_figures(result, out) if out else []:
        click.echo(f"wrote {path}", err=True)
    return 0
