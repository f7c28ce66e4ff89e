"""Criteria: alternatives by criteria, of which people choose one of two. Which one should it be?"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from howgood.kinds.criteria import data, plan, screens
from howgood.kinds.criteria.plan import CriteriaPlan
from howgood.kinds.protocol import Kind, packaged_template
from howgood.kinds.study import Study
from howgood.records.progress import Progress

if TYPE_CHECKING:
    from howgood.kinds.fit import Sample
    from howgood.records.result import StudyResult


def _result(
    sample: "Sample", study: Study, settings: Mapping[str, Any], progress: Progress
) -> "StudyResult":
    # Fits and pictures load when a job runs, not when a server starts.
    from howgood.kinds.criteria import results

    return results.result(sample, study, settings, progress)


KIND = Kind(
    name="criteria",
    plan=CriteriaPlan,
    title="Criteria",
    about="People choose between options that differ in quality, price, speed or whatever "
    "matters. You learn how much each criterion weighs, and which of your alternatives is best.",
    template=packaged_template("howgood.kinds.criteria"),
    file_keys=plan.FILE_KEYS,
    fill_from_files=plan.fill_from_files,
    steps=screens.steps,
    computes_steps=True,
    is_task=screens.shows_pair,
    rows=data.rows,
    answer_columns=data.answer_columns,
    person_facts=data.person_facts,
    person_columns=data.person_columns,
    offline_task=screens.offline_task,
    asks_offline_differently=True,
    result=_result,
    usual_people=12,
)
