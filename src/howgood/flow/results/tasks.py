"""What a job does: gather the people whose answers count, then fit or judge.

In: a host, a study's number, a task and its settings. Out: `StudyResult`. Absent: the queue
(`worker`), the fits (`kinds`) and the web. Who counts is decided by `records.inclusion`.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from howgood.errors import InputError
from howgood.flow.collected.rows import participation_of, people, who_counts
from howgood.flow.hosting import Host
from howgood.flow.participate import answers_as_rows
from howgood.flow.registry import cards
from howgood.flow.results.classifier import classifier_result
from howgood.flow.results.systems import systems_result
from howgood.flow.results.uploaded import read_upload
from howgood.kinds import kind_of
from howgood.kinds.fit import Respondent, Sample
from howgood.kinds.study import Study
from howgood.records.inclusion import (
    CHECKS_COLUMN,
    FINISHED_COLUMN,
    NO_ANSWERS,
    PILOT,
    PILOT_COLUMN,
    columns_read,
    why_left_out,
)
from howgood.records.progress import Progress, silent
from howgood.records.result import StudyResult
from howgood.records.screen import Participation
from howgood.records.table import Table
from howgood.store import answers, imported, jobs, studies, uploads
from howgood.store.collected import PersonRow
from howgood.store.studies import StudyRow

FIT, CLASSIFIER, SYSTEMS = "fit", "classifier", "systems"


def run_task(
    host: Host, study: int, task: str, settings: Mapping[str, Any], *, progress: Progress = silent
) -> StudyResult:
    """Do one job and return its result.

    `task` is "fit", "classifier" (an uploaded table judged by the people of an earlier fit) or
    "systems" (an uploaded table of predictions ranked on the study's ratings).
    """
    with host.database.reading() as connection:
        row = studies.find_number(connection, study)
    if row is None:
        raise _gone("a study that is gone")
    if task == CLASSIFIER:
        return classifier_result(
            _earlier(host, study, int(settings["result"])),
            _table(host, study, settings),
            settings,
            progress=progress,
        )
    return _on_answers(host, row, task, settings, progress)


def _on_answers(
    host: Host, row: StudyRow, task: str, settings: Mapping[str, Any], progress: Progress
) -> StudyResult:
    with host.database.reading() as connection:
        # Counted before they are read: what comes in between makes the result stale, not wrong.
        held = answers.count_of_study(connection, row.number)
        known = imported.numbers_of_study(connection, row.number)
    progress(0.0, "reading the answers")
    study = host.study(row.version)
    sample = gather(host, row, policy=str(settings.get("people", "attentive")))
    sample = replace(sample, held=held, cards=cards)
    if task == SYSTEMS:
        table = _table(host, row.number, settings)
        result = systems_result(sample, study, table, settings, progress=progress)
    else:
        result = kind_of(study).result(sample, study, settings, progress)
    return replace(result, imports=known)


def gather(host: Host, row: StudyRow, *, policy: str) -> Sample:
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
            taken.append(Respondent(study=study, participation=participation, rows=rows))
        else:
            left_out[reason] += 1
    return Sample(people=tuple(taken), left_out=dict(left_out), policy=policy)


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


def _earlier(host: Host, study: int, number: int) -> StudyResult:
    with host.database.reading() as connection:
        job, found = jobs.find(connection, number), jobs.result(connection, number)
    if job is None or job.study != study or found is None:
        raise _gone("a fit that is gone")
    return StudyResult.from_dict(found)


def _table(host: Host, study: int, settings: Mapping[str, Any]) -> Table:
    with host.database.reading() as connection:
        found = uploads.find(connection, study, int(settings["upload"]))
    if found is None:
        raise _gone("an upload that is gone")
    return read_upload(found.name, found.content)


def _gone(found: str) -> InputError:
    return InputError(where="job", found=found, needed="what it was asked about", cure="Ask anew.")
