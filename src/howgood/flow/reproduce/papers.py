"""Which papers can be reproduced, and how to write a reproduction to a folder.

In: a paper's short name. Out: `Reproduction` records and their files. Absent: the experiments
(one module per paper beside this one).
"""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import cast

from howgood.errors import UnknownNameError
from howgood.records.progress import Progress, silent
from howgood.records.reproduction import Reproduction

# Short name -> module with reproduce(*, data, random_state, progress) -> Reproduction.
PAPERS: dict[str, str] = {
    "s0": "howgood.flow.reproduce.s0",
    "s1": "howgood.flow.reproduce.s1",
    "s2": "howgood.flow.reproduce.s2",
    "s3": "howgood.flow.reproduce.s3",
}


def reproduce(
    paper: str,
    *,
    data: Path | None = None,
    random_state: int = 2018,
    progress: Progress = silent,
) -> Reproduction:
    """Run every experiment of one paper; `data` names the file some papers need."""
    if paper not in PAPERS:
        raise UnknownNameError(where="paper", name=paper, names=PAPERS)
    module = import_module(PAPERS[paper])
    run = cast("Callable[..., Reproduction]", module.reproduce)
    return run(data=data, random_state=random_state, progress=progress)


def write_figures(reproduction: Reproduction, folder: Path) -> list[Path]:
    """Write each picture of a reproduction as an SVG file and return the paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, svg in reproduction.figures.items():
        path = folder / f"{name}.svg"
        path.write_text(svg.replace("currentColor", "#1b1b1f"), encoding="utf-8")
        paths.append(path)
    return paths
