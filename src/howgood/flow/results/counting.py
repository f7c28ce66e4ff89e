"""A table of truth and prediction that anybody may send: limited, and counted in a child process.

In: the bytes of a CSV file. Out: its confusion matrix. Absent: how many are counted at once
(`web.routes.library`), and tables of researchers (`uploaded`).
"""

import json
import os
import subprocess
import sys

from howgood.errors import FileFormatError, InputError
from howgood.flow.decisions import positives
from howgood.flow.results.uploaded import column, guess, labels, read_upload

LARGEST = 5 * 1024 * 1024
MOST_ROWS, MOST_COLUMNS = 100_000, 200
# What the child may use; the interpreter and its libraries take 200 MB of addresses by themselves.
MEMORY, CPU_SECONDS, SECONDS = 600 * 1024 * 1024, 20, 60
CHILD = (sys.executable, "-m", "howgood.flow.results.counting_child")
_YES = ("1", "true", "yes", "positive", "pos", "y", "t")
_MEMORY_ENDED = "a table that needs too much memory or time to be counted"

Counts = tuple[int, int, int, int]


class TooLargeError(FileFormatError):
    """A table that is larger than what is counted for everybody."""

    def __init__(self, *, name: str, found: str) -> None:
        super().__init__(
            where=name,
            found=found,
            needed=f"at most {LARGEST // 2**20} MB, {MOST_ROWS:,} rows and {MOST_COLUMNS} columns",
            cure="Take a random sample of the rows, or type the four counts instead.",
        )


def count_apart(
    name: str, content: bytes, *, positive: str, truth: str = "", predicted: str = ""
) -> Counts:
    """Count a stranger's table in a process that may use little; nothing of it is kept.

    Size, rows and columns are looked at before anything is parsed. Columns that are not named, and
    a positive label that is not, are guessed.
    """
    _refuse_large(name, content)
    chosen = {"positive": positive, "truth": truth, "predicted": predicted}
    order = json.dumps({"name": name, **chosen}).encode() + b"\n"
    try:
        done = subprocess.run(  # noqa: S603 - our own program, no shell
            CHILD,
            input=order + content,
            capture_output=True,
            timeout=SECONDS,
            check=False,
            env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
        )
        reply = json.loads(done.stdout)
    except (subprocess.TimeoutExpired, ValueError) as error:
        raise TooLargeError(name=name, found=_MEMORY_ENDED) from error
    if "problem" in reply:
        raise FileFormatError(**reply["problem"])
    hits, missed, alarms, cleared = (int(count) for count in reply["counts"])
    return hits, missed, alarms, cleared


def counts_of_file(
    name: str, content: bytes, *, positive: str = "", truth: str = "", predicted: str = ""
) -> Counts:
    """Return the confusion matrix of a CSV of truth and prediction."""
    table = read_upload(name, content)
    truth = truth or guess(table.columns, "truth")
    predicted = predicted or guess(table.columns, "predicted")
    if not truth or not predicted:
        raise InputError(
            where=name,
            found=f"columns {', '.join(table.columns)[:300]}",
            needed="a column y_true (or truth, label) and a column y_pred (or prediction)",
            cure="Write the names of the two columns into the form, or type the four counts.",
        )
    positive = positive or _positive(labels(column(table, truth, where=name)))
    real, said = (
        positives(
            column(table, one_column, where=name),
            positive,
            where=f"{name}, column {one_column!r}",
            may_be_none=one_column == predicted,
        )
        for one_column in (truth, predicted)
    )
    cells = (real & said, real & (1 - said), (1 - real) & said, (1 - real) & (1 - said))
    hits, missed, alarms, cleared = (int(cell.sum()) for cell in cells)
    return hits, missed, alarms, cleared


def _positive(names: tuple[str, ...]) -> str:
    """Return the label that probably means yes; 1 where none of the usual ones is there."""
    return next((label for label in names if label.lower() in _YES), "1")


def _refuse_large(name: str, content: bytes) -> None:
    rows = max(content.count(b"\n"), content.count(b"\r"))
    columns = 1 + max(
        content.partition(b"\n")[0].count(separator) for separator in (b",", b";", b"\t")
    )
    if len(content) > LARGEST:
        raise TooLargeError(name=name, found=f"{len(content) / 2**20:.1f} MB")
    if rows > MOST_ROWS + 1:
        raise TooLargeError(name=name, found=f"{rows:,} rows")
    if columns > MOST_COLUMNS:
        raise TooLargeError(name=name, found=f"{columns:,} columns")
