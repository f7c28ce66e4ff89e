"""One part of the demo's story, and how it leaves its data behind.

In: what a part found. Out: `Chapter`, CSV files. Absent: the parts themselves.
"""

import csv
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path

from howgood.records.report import Finding, Section
from howgood.records.table import Table
from howgood.writing import replacing


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    """Findings and sections of one part, and the command that repeats it on the saved data."""

    title: str
    findings: tuple[Finding, ...]
    sections: tuple[Section, ...]
    command: str


def save_table(table: Table, path: Path) -> None:
    """Write a table as CSV, so that the reader can go on with the same data."""
    with replacing(path) as file, TextIOWrapper(file, newline="", encoding="utf-8") as text:
        writer = csv.writer(text)
        writer.writerow(table.columns)
        writer.writerows(row.values() for row in table.rows())
