"""Rows of ratings in parts to the counts the ordinal model needs.

In: `Answers` with a part per row. Out: `RatingCells`. Absent: the model.
"""

import numpy as np

from howgood.errors import InputError, UnknownNameError
from howgood.learn.ordinal_model import RatingCells
from howgood.records.answers import Answers


def rating_cells(answers: Answers, *, reference: str) -> RatingCells:
    """Collapse rows to distinct questions, one row of counts per person.

    The reference part comes first; the others follow by name.
    """
    names = answers["part"].astype(str)
    known = sorted(set(names.tolist()))
    if reference not in known:
        raise UnknownNameError(where="reference part", name=reference, names=known)
    parts = [reference, *(name for name in known if name != reference)]
    levels = sorted({int(value) for value in answers["rating"].tolist()})
    if len(levels) < 2:
        raise InputError(
            where="ratings",
            found=f"only the rating {levels[0]}",
            needed="at least two different ratings, or there is nothing to learn from",
            cure="Ask more people or show a wider range of accuracies.",
        )
    part = np.array([parts.index(name) for name in known])[np.searchsorted(known, names)]
    question = np.column_stack([part, answers["precision"], answers["recall"]])
    distinct, cell = np.unique(question, axis=0, return_inverse=True)
    people, person = np.unique(answers["participant"].astype(str), return_inverse=True)
    level = np.searchsorted(levels, answers["rating"])
    counts = np.zeros((len(people), len(distinct) * len(levels)))
    np.add.at(counts, (person, cell * len(levels) + level), 1.0)
    return RatingCells(
        parts=tuple(parts),
        levels=tuple(levels),
        part=distinct[:, 0].astype(np.intp),
        precision=distinct[:, 1],
        recall=distinct[:, 2],
        counts=counts,
        people=tuple(str(name) for name in people),
    )
