"""Outcomes from a table of labels and scores: of classes by their columns, or of groups.

In: a frame and the names of its columns. Out: outcomes, and what classes are called. Absent:
opening files, asking.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howgood.errors import InputError, UnknownNameError
from howgood.learn.elicitation.fair import group_outcomes
from howgood.learn.elicitation.matrices import check_finite
from howgood.learn.elicitation.multiclass import weighted_outcomes
from howgood.records.outcomes_by_class import ClassOutcome, GroupOutcome
from howgood.records.table import as_numbers, frame_columns

# Which systems there are does not depend on who is asked.
SYSTEMS_SEED = 0


def outcomes_by_class(
    frame: Any,  # noqa: ANN401 - any frame
    *,
    truth: str,
    classes: Sequence[str],
    where: str,
) -> tuple[tuple[ClassOutcome, ...], tuple[str, ...]]:
    """Return outcomes and the classes' names; columns are called by a class, or end with it."""
    columns = frame_columns(frame, [truth, *classes], where=where)
    chances = np.column_stack([_finite(columns[name], name, where) for name in classes])
    labels = columns[truth].astype(str)
    names = _names_of(labels, classes, where)
    outcomes = weighted_outcomes(
        numbered(labels, names), chances, out_of="auto", random_state=SYSTEMS_SEED
    )
    return outcomes, names


def outcomes_by_group(
    frame: Any,  # noqa: ANN401 - any frame
    *,
    truth: str,
    score: str,
    group: str,
    positive: str,
    where: str,
) -> tuple[GroupOutcome, ...]:
    """Return what thresholds that may differ between groups lead to."""
    columns = frame_columns(frame, [truth, score, group], where=where)
    is_positive = np.array([_spelled(value) == positive for value in columns[truth].tolist()])
    return group_outcomes(
        is_positive.astype(int),
        _finite(columns[score], score, where),
        columns[group].astype(str),
        random_state=SYSTEMS_SEED,
    )


def numbered(truth: NDArray[Any], labels: Sequence[object]) -> NDArray[np.int64]:
    """Return labels as the numbers of their places."""
    places = {label: place for place, label in enumerate(labels)}
    unknown = next((value for value in truth.tolist() if value not in places), None)
    if unknown is not None:
        raise UnknownNameError(
            where="y", name=str(unknown), names=[str(one_label) for one_label in labels]
        )
    return np.array([places[value] for value in truth.tolist()], dtype=np.int64)


def _spelled(value: object) -> str:
    """Return a label as people write it: 1.0 and True are 1."""
    if isinstance(value, bool | float) and float(value).is_integer():
        return str(int(value))
    return str(value)


def _finite(values: NDArray[Any], column: str, where: str) -> NDArray[Any]:
    numbers = as_numbers(values, where=f"{where}, column {column!r}")
    check_finite(numbers, column=column, where=where)
    return numbers


def _names_of(labels: NDArray[Any], columns: Sequence[str], where: str) -> tuple[str, ...]:
    present = sorted(set(labels.tolist()))
    names = []
    for column in columns:
        fitting = [label for label in present if column == label or column.endswith(f"_{label}")]
        if len(fitting) != 1:
            raise UnknownNameError(where=f"{where}, column {column!r}", name=column, names=present)
        names.append(fitting[0])
    missing = sorted(set(present) - set(names))
    if missing:
        raise InputError(
            where=where,
            found=f"cases of class {missing[0]!r:.60} and no column for it",
            needed="one column of probabilities per class, called by its label or ending with it",
            cure="Name all of them, such as p_cat, p_dog and p_bird.",
        )
    return tuple(names)
