"""What a comparison takes from files named in the study file: matrices of systems.

In: the plan's values as written, and a reader of tables. Out: the values with matrices filled in.
Absent: opening files, and which of them may be read (`flow.study_files.attached_files`).
"""

import math
from collections.abc import Mapping
from typing import Any

from howgood import learn
from howgood.errors import HowgoodError, InputError
from howgood.kinds.protocol import OpenTable
from howgood.records.confusion import ConfusionMatrix
from howgood.records.record import Problem
from howgood.records.table import frame_columns

FILE_KEYS = ("scores", "table")
_FILLED = "matrices"


def fill_from_files(
    plan: dict[str, Any], open_table: OpenTable, problems: list[Problem]
) -> frozenset[str]:
    """Put in the matrices that files give; return what stays empty because a file is wrong."""
    unfilled = set()
    for key, read in (("scores", _from_scores), ("table", _from_table)):
        try:
            matrices = read(plan.get(key), open_table)
        except HowgoodError as error:
            problems.append(_problem(key, error))
            unfilled.add(_FILLED)
            continue
        if matrices:
            plan[_FILLED] = matrices
    return frozenset(unfilled)


def _problem(key: str, error: HowgoodError) -> Problem:
    path = ("comparison", key)
    if isinstance(error, InputError):
        found = f"{error.where}: {error.found}"
        return Problem(path=path, found=found, needed=error.needed, cure=error.cure)
    return Problem(path=path, found=str(error), needed="a readable table", cure="Save it as CSV.")


# Values of a wrong type are reported when the plan is read, so they give no matrices here.


def _from_table(name: object, open_table: OpenTable) -> list[dict[str, Any]]:
    if not isinstance(name, str) or not name:
        return []
    return [_counts(matrix) for matrix in learn.table_matrices(open_table(name), out_of="auto")]


def _from_scores(scores: object, open_table: OpenTable) -> list[dict[str, Any]]:
    if not isinstance(scores, Mapping):
        return []
    file, truth, score = (scores.get(name) for name in ("file", "truth", "score"))
    if not (isinstance(file, str) and isinstance(truth, str) and isinstance(score, str)):
        return []
    where = file.replace("\\", "/").rpartition("/")[2]
    columns = frame_columns(open_table(file), [truth, score], where=where)
    reachable = learn.threshold_matrices(columns[truth], columns[score], out_of="auto")
    return [
        {
            **_counts(matrix),
            "lower": thresholds.lower,
            "upper": None if math.isinf(thresholds.upper) else thresholds.upper,
        }
        for matrix, thresholds in zip(reachable.matrices, reachable.ranges, strict=True)
    ]


def _counts(matrix: ConfusionMatrix) -> dict[str, Any]:
    return {name: int(count) for name, count in matrix.to_dict().items()}
