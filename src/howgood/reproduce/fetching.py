"""The papers' public data, from where their authors published them.

In: a paper's short name. Out: the path of its file, fetched once and known by its digest. Absent:
other data; what is fetched is listed here, with licence and citation, and nothing else ever is.
"""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from howgood.errors import FileFormatError, InputError
from howgood.writing import write_bytes

_MOST_BYTES, _SECONDS = 5_000_000, 60


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
        citation="Wolberg (1992), Breast Cancer Wisconsin (Original), UCI Machine Learning "
        "Repository, doi:10.24432/C5HP4Z",
    ),
}


def cache_folder() -> Path:
    """Return the folder where fetched files stay."""
    return Path.home() / ".cache" / "howgood"


def fetch(
    paper: str,
    *,
    folder: Path | None = None,
    sources: Mapping[str, Source] = SOURCES,
    told: Callable[[str], object] = print,
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
        told(f"fetched {source.address}")
    told(f"data: {place} ({source.licence}). Please cite: {source.citation}")
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
