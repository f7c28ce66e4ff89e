"""Agreement of the raters in a file: open, compare.

In: a path and column names. Out: `RaterAgreement`. Absent: statistics and printing.
"""

from pathlib import Path

from howgood.ask.files import open_table
from howgood.flow.files import naming
from howgood.learn.raters import rater_agreement
from howgood.records.rater_agreement import RaterAgreement


def agreement_of_file(
    path: str | Path, *, item: str, rater: str, grade: str, level: str, missing: str, engine: str
) -> RaterAgreement:
    """Return how far the raters of a file with one row per grade agree."""
    frame = open_table(path, engine=engine)
    with naming({"grades": path, "labels": path, "the table": path}):
        return rater_agreement(
            frame, item=item, rater=rater, grade=grade, level=level, missing=missing
        )
