"""Rows of answers to the counts a model needs.

In: `Answers`. Out: `Cells`, and how many people spoke about each application. Absent: models, and
what the answers cannot tell (see `learn.evidence`).
"""

import numpy as np
from numpy.typing import NDArray

from howgood.errors import InputError
from howgood.learn.binary import Cells
from howgood.records.answers import Answers
from howgood.stats.grouped import GroupCounts


def accepted_from(answers: Answers, cut: int) -> NDArray[np.bool_]:
    """Return who accepted: the rating reaches `cut`, or the column says so."""
    if "rating" not in answers:
        return np.asarray(answers["accepted"] == 1)
    highest = int(answers.provenance.settings.get("scale", 7))
    if not 2 <= cut <= highest:
        raise InputError(
            where="cut",
            found=repr(cut),
            needed=f"a rating from 2 to {highest}",
            cure='"Slightly likely or higher" of 7 points is cut=5.',
        )
    return np.asarray(answers["rating"] >= cut)


def usual_cut(answers: Answers) -> int:
    """Return the first rating above the middle of the scale: 5 of 7, 4 of 5."""
    points = int(answers.provenance.settings.get("scale", 7))
    return points - points // 2 + 1


def cells_from(answers: Answers, accepted: NDArray[np.bool_]) -> Cells:
    """Collapse rows to distinct questions and distinct people."""
    names, application = np.unique(answers["application"].astype(str), return_inverse=True)
    _, person = np.unique(answers["participant"].astype(str), return_inverse=True)
    question = np.column_stack([application, answers["precision"], answers["recall"]])
    distinct, cell = np.unique(question, axis=0, return_inverse=True)
    outcome = np.where(accepted, cell, cell + len(distinct))
    return Cells(
        applications=tuple(str(name) for name in names),
        application=distinct[:, 0].astype(np.intp),
        precision=distinct[:, 1],
        recall=distinct[:, 2],
        groups=GroupCounts.from_rows(person, outcome, 2 * len(distinct)),
    )


def people_per_application(answers: Answers) -> dict[str, int]:
    """Return how many people answered about each application."""
    pairs = np.unique(
        np.column_stack([answers["application"].astype(str), answers["participant"].astype(str)]),
        axis=0,
    )
    names, counts = np.unique(pairs[:, 0], return_counts=True)
    return {str(name): int(count) for name, count in zip(names, counts, strict=True)}
