"""Plain values that remember their lines.

In: what a reader of TOML or YAML found. Out: `Document`. Absent: reading.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from howgood.errors import FileFormatError
from howgood.records.record import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """Plain values and the line each of them is written on."""

    data: Mapping[str, Any]
    lines: Mapping[Path, int]

    def line(self, path: Path) -> int:
        """Return the line of a value, or of the nearest thing around it that is written down."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)


class SyntaxProblemError(FileFormatError):
    """The text is not TOML or not YAML; `line` says where it stops making sense."""

    def __init__(self, *, file: str, line: int, found: str, format_name: str) -> None:
        super().__init__(
            where=f"{file}:{line}",
            found=found,
            needed=f"valid {format_name}",
            cure="Look at this line and the one above it: a quote, bracket or colon is missing.",
        )
        self.line = line
