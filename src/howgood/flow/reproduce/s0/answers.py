"""The public answers of Study 1, read as the paper describes them.

In: the file. Out: `StudyOne`, with a fit per branch. Absent: checks.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howgood import ask, learn
from howgood.learn.acceptability_fit import AcceptabilityFit
from howgood.records.progress import Progress
from howgood.records.table import Table, frame_columns

COLUMNS = {
    "participant": "participant",
    "application": "application",
    "precision": "ppv",
    "recall": "tpr",
    "rating": "acceptable",
    "usefulness": "useful",
    "intent": "would_use",
}
_OTHERS = ("branch", "gender", "tp", "fn", "fp", "desired_tpr", "desired_ppv")
NAMES = {
    "alarm_police": "Alarm (police)",
    "alarm_text_message": "Alarm (text message)",
    "electricity": "Electricity monitor",
    "location": "Location tracker",
}
PER_BRANCH = {"Application": 3 * 16, "UI": 2 * 16}


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyOne:
    """The raw columns, and a fit of both branches together and of each alone."""

    raw: Mapping[str, NDArray[Any]]
    both: AcceptabilityFit
    application: AcceptabilityFit
    interface: AcceptabilityFit

    def people(self, branch: str) -> int:
        """Return how many people answered a branch."""
        return len(set(self.raw["participant"][self.raw["branch"] == branch].tolist()))

    def incomplete(self, branch: str) -> int:
        """Return how many people of a branch did not answer all of its scenarios."""
        here = self.raw["branch"] == branch
        _, counts = np.unique(self.raw["participant"][here].astype(str), return_counts=True)
        return int(np.sum(counts < PER_BRANCH[branch]))

    def share_female(self) -> float:
        """Return the share of people who call themselves female."""
        people = dict(zip(self.raw["participant"], self.raw["gender"], strict=True))
        return float(np.mean([gender == "Female" for gender in people.values()]))


def read_study_one(data: Path, *, random_state: int, progress: Progress) -> StudyOne:
    """Read the public file and fit it three times with the paper's priors."""
    raw = frame_columns(ask.open_table(data), [*COLUMNS.values(), *_OTHERS], where=str(data))
    fits = []
    for index, branch in enumerate((None, "Application", "UI")):
        progress(0.05 + 0.2 * index, f"fit {branch or 'both branches'}")
        rows = np.full(len(raw["branch"]), True) if branch is None else raw["branch"] == branch
        table = Table({ours: raw[theirs][rows] for ours, theirs in COLUMNS.items()})
        fits.append(
            learn.fit_acceptability(table, priors="kay2015", random_state=random_state + index)
        )
    return StudyOne(raw=raw, both=fits[0], application=fits[1], interface=fits[2])
