"""Compare confusion matrices in pairs.

In: study, seed, answers. Out: the steps of the task. Absent: how the next pair is chosen
(`learn.Elicitor`, `learn.Bisection`) and how a matrix is drawn (`show`).
"""

from collections.abc import Mapping
from datetime import datetime

from howgood.flow.participate.pieces import Step
from howgood.records.screen import Answer
from howgood.records.study import Study


def steps(
    study: Study, condition: str, seed: int, answered: Mapping[str, Answer], now: datetime
) -> list[Step]:
    """Return the steps of the comparison."""
    return []
