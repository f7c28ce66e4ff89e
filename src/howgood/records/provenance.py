"""Where a result came from: method, settings, seed, versions, rows used and dropped.

In: what the stage knows when it finishes. Out: a frozen record every result carries.
Absent: clocks and machine names; the same call twice gives the same provenance.
"""

import platform
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import metadata
from typing import Any, ClassVar

from howgood import __version__
from howgood.records.saved import Saved


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance(Saved):
    """How a number was made.

    Stability: stable
    """

    is_plain: ClassVar[bool] = True

    method: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None
    rows_used: int | None = None
    rows_dropped: Mapping[str, int] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=lambda: versions_of("numpy", "scipy"))

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "method": self.method,
            "settings": dict(self.settings),
            "seed": self.seed,
            "rows_used": self.rows_used,
            "rows_dropped": dict(self.rows_dropped),
            "versions": dict(self.versions),
        }


def versions_of(*packages: str) -> dict[str, str]:
    """Return the versions of howgood, Python and the named packages."""
    versions = {"howgood": __version__, "python": platform.python_version()}
    for package in packages:
        versions[package] = _version(package)
    return versions


@cache
def _version(package: str) -> str:
    """Look a version up once: it is read from a file, and results are made in loops."""
    return metadata.version(package)
