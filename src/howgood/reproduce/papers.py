"""Which papers can be reproduced, and how to write a reproduction to a folder.

In: a paper's short name. Out: `Reproduction` records and their files. Absent: the experiments
(one module per paper beside this one).
"""

from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import cast

from howgood.errors import InputError, UnknownNameError
from howgood.records.progress import Progress, silent
from howgood.records.reproduction import Reproduction
from howgood.reproduce import fetching
from howgood.show import page
from howgood.show.reproduction import reproduction_report
from howgood.writing import write_text

# Short name -> module with reproduce(*, data, random_state, progress) -> Reproduction.
PAPERS: dict[str, str] = {
    "s0": "howgood.reproduce.kay2015",
    "s1": "howgood.reproduce.ali2022",
    "s2": "howgood.reproduce.gopalakrishna2013",
    "s3": "howgood.reproduce.jasberg2018",
}
# What a paper's file is called in a folder of data.
DATA_FILES = {paper: source.name for paper, source in fetching.SOURCES.items()}


def reproduce(
    paper: str,
    *,
    data: Path | None = None,
    random_state: int = 2018,
    progress: Progress = silent,
) -> Reproduction:
    """Run every experiment of one paper; `data` is its file, or a folder that holds it."""
    if paper not in PAPERS:
        raise UnknownNameError(where="paper", name=paper, names=PAPERS)
    module = import_module(PAPERS[paper])
    run = cast("Callable[..., Reproduction]", module.reproduce)
    return run(data=_file_of(paper, data), random_state=random_state, progress=progress)


def reproduce_all(
    *, data: Path | None = None, random_state: int = 2018, progress: Progress = silent
) -> tuple[Reproduction, ...]:
    """Run every experiment of every paper; `data` is a folder with the files some need."""
    if data is not None and not data.is_dir():
        raise InputError(
            where=f"--data {data}",
            found="no folder",
            needed="a folder when all papers are reproduced",
            cure=f"Put {' and '.join(DATA_FILES.values())} into one folder and name it.",
        )
    done: list[Reproduction] = []
    for paper in PAPERS:
        before = len(done)
        done.append(
            reproduce(
                paper,
                data=data,
                random_state=random_state,
                progress=lambda share, step, paper=paper, before=before: progress(
                    (before + share) / len(PAPERS), f"{paper}: {step}"
                ),
            )
        )
    return tuple(done)


def fetched_data(paper: str, *, told: Callable[[str], object]) -> Path | None:
    """Fetch what was published with one paper or all; return the file, or the folder of all."""
    if paper != "all":
        return fetching.fetch(paper, told=told)
    for each in PAPERS:
        fetching.fetch(each, told=told)
    return fetching.cache_folder()


def write_page(reproductions: Sequence[Reproduction], folder: Path) -> Path:
    """Write one page with every claim, picture and misprint, and return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    return write_text(folder / "index.html", page.to_html(reproduction_report(reproductions)))


def _file_of(paper: str, data: Path | None) -> Path | None:
    """Return the paper's file in a folder of data, if it is there; a file stays a file."""
    if data is None or not data.is_dir():
        return data
    path = data / DATA_FILES.get(paper, "")
    return path if path.is_file() else None


def write_figures(reproduction: Reproduction, folder: Path) -> list[Path]:
    """Write each picture of a reproduction as an SVG file and return the paths."""
    folder.mkdir(parents=True, exist_ok=True)
    return [
        write_text(folder / f"{name}.svg", svg.replace("currentColor", "#1b1b1f"))
        for name, svg in reproduction.figures.items()
    ]
