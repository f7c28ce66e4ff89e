"""What a job does, by its task and the kind of study.

In: a host, a study's number, a task and its settings. Out: `StudyResult`. Absent: the queue
(`worker`) and the web.
"""

from collections.abc import Mapping
from typing import Any

from howgood.errors import InputError
from howgood.flow.hosting import Host
from howgood.flow.results.comparison import comparison_result
from howgood.flow.results.people import gather
from howgood.flow.results.rerating import rerating_result
from howgood.flow.results.survey import survey_result
from howgood.records.progress import Progress, silent
from howgood.records.result import StudyResult
from howgood.store import answers, studies


def run_task(
    host: Host, study: int, task: str, settings: Mapping[str, Any], *, progress: Progress = silent
) -> StudyResult:
    """Do one job and return its result."""
    with host.database.reading() as connection:
        row = studies.find_number(connection, study)
        held = answers.count_of_study(connection, study)
    if row is None:
        raise InputError(
            where="job", found="a study that is gone", needed="a study", cure="Nothing to do."
        )
    progress(0.0, "reading the answers")
    gathered = gather(host, row, policy=str(settings.get("people", "attentive")))
    fit = {
        "survey": survey_result,
        "comparison": comparison_result,
        "rerating": rerating_result,
    }[row.kind]
    return fit(gathered, host.study(row.version), settings, held=held, progress=progress)
