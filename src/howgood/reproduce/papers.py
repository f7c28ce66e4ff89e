"""Which papers can be reproduced, from which files, and how to write a reproduction to a folder.

In: a paper's short name. Out: `Reproduction` records and their files; the path of its public data,
fetched once from where the authors published it and known by its digest. Absent: the experiments
(one module per paper next to this one), and other data: what is fetched is listed here, with
licence and citation, and nothing else ever is.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import cast
from urllib.error import URLError
from urllib.request import urlopen

from howgood.errors import FileFormatError, InputError, UnknownNameError
from howgood.records.progress import Progress, silent
from howgood.records.reproduction import Reproduction
from howgood.show import page
from howgood.show.figures.theme import of_widths
from howgood.show.reproduction import reproduction_report
from howgood.writing import write_bytes, write_text

_MOST_BYTES, _SECONDS = 5_000_000, 60
# Short name -> module with reproduce(*, data, random_state, progress) -> Reproduction.
PAPERS: dict[str, str] = {
    "s0": "howgood.reproduce.kay2015",
    "s1": "howgood.reproduce.ali2022",
    "s2": "howgood.reproduce.gopalakrishna2013",
    "s3": "howgood.reproduce.jasberg2018",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One published file: where it is, which bytes it has, what may be done with it."""

    name: str
    address: str
    digest: str
    licence: str
    citation: str


# Digests by SHA-256. The first address names a commit, so it never changes.
SOURCES: Mapping[str, Source] = {
    "s0": Source(
        name="kay2015_study1.csv",
        address="https://raw.githubusercontent.com/mjskay/acceptability-of-accuracy/"
        "39ee3abc638960bed7b27cd1b0c3e72cbac366d4/data/application_and_ui.csv",
        digest="ba65648ef80f5a2ae3ba8f87c42971f2"  # pragma: allowlist secret
        "858a78cdcd8c63c4e6b97e2b5237eb78",  # pragma: allowlist secret
        licence="CC BY 4.0",
        citation='Kay, Patel, Kientz (2015), "How Good is 85%?", CHI, doi:10.1145/2702123.2702603',
    ),
    "s1": Source(
        name="breast-cancer-wisconsin.data",
        address="https://archive.ics.uci.edu/ml/machine-learning-databases/"
        "breast-cancer-wisconsin/breast-cancer-wisconsin.data",
        digest="402c585309c399237740f635ef9919dc"  # pragma: allowlist secret
        "512cca12cbeb20de5e563a4593f22b64",  # pragma: allowlist secret
        licence="CC BY 4.0",
        citation="Wolberg (1990), Breast Cancer Wisconsin (Original), UCI Machine Learning "
        "Repository, doi:10.24432/C5HP4Z",
    ),
}
# What a paper's file is called in a folder of data.
DATA_FILES = {paper: source.name for paper, source in SOURCES.items()}


def cache_folder() -> Path:
    """Return the folder where fetched files stay."""
    return Path.home() / ".cache" / "howgood"


def fetch(
    paper: str,
    *,
    folder: Path | None = None,
    sources: Mapping[str, Source] = SOURCES,
    report: Callable[[str], object] = print,
) -> Path | None:
    """Return the paper's file, fetched now if it was not before; None if none was published."""
    source = sources.get(paper)
    if source is None:
        return None
    place = (folder or cache_folder()) / source.name
    if not (place.is_file() and _digest(place.read_bytes()) == source.digest):
        content = _content(source)
        place.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(place, content)
        report(f"fetched {source.address}")
    report(f"data: {place} ({source.licence}). Please cite: {source.citation}")
    return place


def _content(source: Source) -> bytes:
    try:
        # Only addresses of the table above are opened, all of them HTTPS.
        with urlopen(source.address, timeout=_SECONDS) as answer:  # noqa: S310 - see above
            content: bytes = answer.read(_MOST_BYTES + 1)
    except (URLError, OSError, ValueError) as error:
        reason = getattr(error, "reason", error)
        raise InputError(
            where=source.address,
            found=f"no answer ({reason})",
            needed="the file the authors published",
            cure=f"Try again later, or fetch it yourself and name it with --data {source.name}.",
        ) from error
    if _digest(content) != source.digest:
        raise FileFormatError(
            where=source.address,
            found=f"{len(content):,} bytes that are not the published ones",
            needed=f"a file with the SHA-256 digest {source.digest[:12]}…",
            cure="It was changed or cut on its way: try again, or name a file with --data.",
        )
    return content


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


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


def fetched_data(paper: str, *, report: Callable[[str], object]) -> Path | None:
    """Fetch what was published with one paper or all; return the file, or the folder of all."""
    if paper != "all":
        return fetch(paper, report=report)
    for one_paper in PAPERS:
        fetch(one_paper, report=report)
    return cache_folder()


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
        write_text(folder / f"{name}.svg", of_widths(svg)[0].replace("currentColor", "#1b1b1f"))
        for name, svg in reproduction.figures.items()
    ]
