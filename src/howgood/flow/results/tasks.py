"""What a job does, by its task and the kind of study.

In: a host, a study's number, a task and its settings. Out: `StudyResult`. Absent: the queue
(`worker`) and the web.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from howgood.errors import InputError
from howgood.flow.hosting import Host
from howgood.flow.results.classifier import classifier_result
from howgood.flow.results.comparison import comparison_result
from howgood.flow.results.people import gather
from howgood.flow.results.rerating import rerating_result
from howgood.flow.results.survey import survey_result
from howgood.flow.results.systems import systems_result
from howgood.flow.results.uploaded import read_upload
from howgood.records.progress import Progress, silent
from howgood.records.result import StudyResult
from howgood.records.table import Table
from howgood.store import answers, imported, jobs, studies, uploads
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
    gathered = gather(host, row, policy=str(settings.get("people", "attentive")))
    if task == SYSTEMS:
        table = _table(host, row.number, settings)
        found = systems_result(gathered, table, settings, held=held, progress=progress)
        return replace(found, imports=known)
    fit = {
        "survey": survey_result,
        "comparison": comparison_result,
        "rerating": rerating_result,
    }[row.kind]
    found = fit(gathered, host.study(row.version), settings, held=held, progress=progress)
    return replace(found, imports=known)


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
