"""Rows of answers to the counts a model needs, and warnings about what they cannot tell.

In: `Answers`. Out: `Cells`, and how many people spoke about each application. Absent: models.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from howgood.errors import FewRespondentsWarning, InputError, NoEvidenceWarning, announce
from howgood.learn.binary import Cells
from howgood.records.answers import Answers
from howgood.stats.grouped import GroupCounts

# Kay et al. (2015) found 20 to 25 people per application enough; half of that is few.
FEW_PEOPLE = 10


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


def warn_about(cells: Cells, people: Mapping[str, int]) -> None:
    """Warn where the answers say little or nothing about an application."""
    few = {name: count for name, count in people.items() if count < FEW_PEOPLE}
    if few:
        listed = ", ".join(f"{name!r} ({count})" for name, count in few.items())
        announce(
            f"few respondents for {listed}: 20 to 25 per application are usual; the intervals "
            "say how little is known, and lean on the priors.",
            FewRespondentsWarning,
        )
    for name, reason in silent_applications(cells).items():
        announce(
            f"the answers about {name!r} say nothing about {reason}: what is reported for it "
            "comes from the priors.",
            NoEvidenceWarning,
        )


def silent_applications(cells: Cells) -> dict[str, str]:
    """Return what the answers cannot say about an application, and why, by its name."""
    total = cells.groups.alike @ cells.groups.counts
    accepted, refused = total[: cells.n_cells], total[cells.n_cells :]
    reasons = {}
    for index, name in enumerate(cells.applications):
        here = cells.application == index
        accuracy = {(p, r) for p, r in zip(cells.precision[here], cells.recall[here], strict=True)}
        if refused[here].sum() == 0:
            reasons[name] = "alpha and slope (every answer accepts)"
        elif accepted[here].sum() == 0:
            reasons[name] = "alpha and slope (every answer refuses)"
        elif len(accuracy) == 1:
            reasons[name] = "alpha and slope (a single scenario was shown)"
        elif len(accuracy) == 2:
            reasons[name] = "alpha apart from the slope (only two scenarios were shown)"
        elif len({p for p, _ in accuracy}) == 1 or len({r for _, r in accuracy}) == 1:
            reasons[name] = "alpha apart from the slope (precision or recall never varied)"
        elif all(precision == recall for precision, recall in accuracy):
            reasons[name] = "alpha (precision equals recall in every scenario)"
    return reasons
