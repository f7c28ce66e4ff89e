"""The people of a study whose answers enter a fit, by the rule of `records.inclusion`.

In: a host and a study. Out: `Gathered`: rows ready to learn from, participations, and how many were
left out and why. Absent: fitting.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from howgood.flow.collected.rows import participation_of, people, who_counts
from howgood.flow.hosting import Host
from howgood.flow.participate import answers_as_rows
from howgood.records.inclusion import (
    CHECKS_COLUMN,
    FINISHED_COLUMN,
    NO_ANSWERS,
    PILOT,
    PILOT_COLUMN,
    columns_read,
    why_left_out,
)
from howgood.records.screen import Participation
from howgood.records.study import Study
from howgood.records.table import Table
from howgood.store.collected import PersonRow
from howgood.store.studies import StudyRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """One person whose answers count."""

    study: Study
    participation: Participation
    rows: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """The people whose answers count, and how many do not, by reason."""

    taken: tuple[Taken, ...]
    left_out: Mapping[str, int]
    policy: str

    @property
    def n_rows(self) -> int:
        """How many judgements they gave; one that was taken back, and the undo, are none."""
        undone = sum(bool(row.get("choice") == "undo") for each in self.taken for row in each.rows)
        return sum(len(each.rows) for each in self.taken) - 2 * undone

    def table(self, *names: str, where: Callable[[Mapping[str, Any]], bool] | None = None) -> Table:
        """Return the named columns of their judgements; a gap is None."""
        rows = [row for each in self.taken for row in each.rows if where is None or where(row)]
        return Table(
            {name: np.array([row.get(name) for row in rows], dtype=object) for name in names}
        )


def gather(host: Host, row: StudyRow, *, policy: str) -> Gathered:
    """Read every person of a study once and keep those the rule keeps."""
    columns_read(policy)  # refuses a policy that does not exist, even where nobody answered
    left_out: Counter[str] = Counter()
    taken = []
    for person in people(host, row, pilots=True):
        study = host.study(person.version)
        participation = participation_of(person)
        rows = answers_as_rows(study, participation)
        reason = _why_left_out(study, person, participation, policy)
        if reason != PILOT and not rows:
            reason = NO_ANSWERS
        if reason is None:
            taken.append(Taken(study=study, participation=participation, rows=rows))
        else:
            left_out[reason] += 1
    return Gathered(taken=tuple(taken), left_out=dict(left_out), policy=policy)


def _why_left_out(
    study: Study, person: PersonRow, participation: Participation, policy: str
) -> str | None:
    facts = who_counts(study, person, participation)
    return why_left_out(
        policy,
        is_pilot=bool(facts[PILOT_COLUMN]),
        is_finished=bool(facts[FINISHED_COLUMN]),
        passed_checks=facts[CHECKS_COLUMN],
    )
