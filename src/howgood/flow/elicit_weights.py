"""Use cases of weighing classes and groups: prepare an interview from labels and scores.

In: arrays, paths, settings. Out: `MulticlassElicitor` or `FairElicitor`, asked where people are.
Absent: asking itself (`elicit_criteria`), printing.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from howgood import ask, learn
from howgood.flow.elicit_criteria import UserInterface, asked, resumed
from howgood.learn.elicitation.fair import FairElicitor
from howgood.learn.elicitation.matrices import OutOf
from howgood.learn.elicitation.multiclass import MulticlassElicitor
from howgood.learn.elicitation.outcome_tables import (
    SYSTEMS_SEED,
    numbered,
    outcomes_by_class,
    outcomes_by_group,
)
from howgood.records.elicitation import WeightsResult
from howgood.stats.randomness import RandomState

Weighing = MulticlassElicitor | FairElicitor


def elicit_weights(
    y: ArrayLike,
    scores: ArrayLike,
    *,
    labels: Sequence[object] | None,
    groups: ArrayLike | None,
    positive: object,
    ui: UserInterface,
    out_of: OutOf,
    resume: str | Path | None,
    random_state: RandomState,
    **settings: int,
) -> WeightsResult:
    """Ask somebody what right answers on each class, or gaps between groups, are worth."""
    if groups is not None:
        elicitor: Weighing = of_groups(
            y, scores, groups, positive=positive, random_state=random_state, **settings
        )
    else:
        elicitor = of_classes(
            y, scores, labels=labels, out_of=out_of, random_state=random_state, **settings
        )
    log = None if resume is None else Path(resume)
    if log is not None and log.exists():
        elicitor = resumed(log, of=elicitor)
    return asked(elicitor, ui, log).result()


def of_classes(
    y: ArrayLike,
    probabilities: ArrayLike,
    *,
    labels: Sequence[object] | None = None,
    out_of: OutOf = "auto",
    random_state: RandomState = None,
    **settings: int,
) -> MulticlassElicitor:
    """Prepare an interview about classes; `labels` are in the order of the columns."""
    chances = np.asarray(probabilities, dtype=np.float64)
    truth = np.asarray(y).ravel()
    if labels is not None:
        truth = numbered(truth, labels)
    outcomes = learn.weighted_outcomes(truth, chances, out_of=out_of, random_state=SYSTEMS_SEED)
    return MulticlassElicitor(outcomes, labels=labels, random_state=random_state, **settings)


def of_groups(
    y: ArrayLike,
    scores: ArrayLike,
    groups: ArrayLike,
    *,
    positive: object = 1,
    random_state: RandomState = None,
    **settings: int,
) -> FairElicitor:
    """Prepare an interview about thresholds that may differ between groups."""
    outcomes = learn.group_outcomes(
        y, scores, groups, pos_label=positive, random_state=SYSTEMS_SEED
    )
    return FairElicitor(outcomes, random_state=random_state, **settings)


def start(
    path: Path,
    *,
    truth: str,
    score: str,
    positive: str,
    classes: Sequence[str],
    group: str | None,
    random_state: int | None,
    **settings: int,
) -> Weighing:
    """Open a table and prepare an interview: of classes by their columns, or of groups."""
    frame, where = ask.open_table(path), str(path)
    if group is not None:
        grouped = outcomes_by_group(
            frame, truth=truth, score=score, group=group, positive=positive, where=where
        )
        return FairElicitor(grouped, random_state=random_state, **settings)
    outcomes, names = outcomes_by_class(frame, truth=truth, classes=classes, where=where)
    return MulticlassElicitor(outcomes, labels=names, random_state=random_state, **settings)
