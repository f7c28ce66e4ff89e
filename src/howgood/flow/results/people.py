"""Whose answers count: the people of a study, and who is left out by which rule.

In: a host and a study. Out: `Gathered`: rows ready to learn from, participations, and how many were
left out and why. Absent: fitting.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from howgood.errors import UnknownNameError
from howgood.flow.collected.rows import participation_of, people
from howgood.flow.hosting import Host
from howgood.flow.participate import answers_as_rows, participant_row
from howgood.records.participant import Status
from howgood.records.screen import Participation
from howgood.records.study import Study
from howgood.records.table import Table
from howgood.store.collected import PersonRow
from howgood.store.studies import StudyRow

PILOT = "test runs"
NO_ANSWERS = "gave no judgement"
INATTENTIVE = "failed an attention check"
CARELESS = "chose the clearly worse side at least twice"  # known once choices are replayed
UNFINISHED = "did not finish"

POLICIES = {
    "attentive": "everyone but those who failed attention checks",
    "finished": "only those who finished, without those who failed attention checks",
    "everyone": "everyone who gave any judgement, checks or no checks",
}


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
        """How many judgements they gave."""
        return sum(len(each.rows) for each in self.taken)

    def table(self, *names: str, where: Callable[[Mapping[str, Any]], bool] | None = None) -> Table:
        """Return the named columns of their judgements; a gap is None."""
        rows = [row for each in self.taken for row in each.rows if where is None or where(row)]
        return Table(
            {name: np.array([row.get(name) for row in rows], dtype=object) for name in names}
        )


def gather(host: Host, row: StudyRow, *, policy: str) -> Gathered:
    """Read every person of a study once and keep those the policy keeps."""
    if policy not in POLICIES:
        raise UnknownNameError(where="people", name=policy, names=POLICIES)
    left_out: Counter[str] = Counter()
    taken = []
    for person in people(host, row, pilots=True):
        study = host.study(person.version)
        participation = participation_of(person)
        rows = answers_as_rows(study, participation)
        reason = next(_reasons(study, person, participation, bool(rows), policy), None)
        if reason is None:
            taken.append(Taken(study=study, participation=participation, rows=rows))
        else:
            left_out[reason] += 1
    return Gathered(taken=tuple(taken), left_out=dict(left_out), policy=policy)


def _reasons(
    study: Study, person: PersonRow, participation: Participation, has_rows: bool, policy: str
) -> Iterator[str]:
    """Yield why a person's answers do not count, the plainest reason first."""
    if person.is_pilot:
        yield PILOT
    if not has_rows:
        yield NO_ANSWERS
    if policy == "everyone":
        return
    if policy == "finished" and person.status is not Status.COMPLETE:
        yield UNFINISHED
    if study.survey and study.survey.attention and participation.condition:
        facts = participant_row(study, participation)
        asked, passed = facts.get("attention_asked"), facts.get("attention_passed")
        if isinstance(asked, int) and isinstance(passed, int) and passed < asked:
            yield INATTENTIVE
