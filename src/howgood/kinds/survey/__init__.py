"""Survey: scenarios of applications, rated on a few items. Which accuracy do people accept?"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from howgood.kinds.protocol import Kind, packaged_template
from howgood.kinds.study import Study
from howgood.kinds.survey import checks, data, exports, fit_options, plan, screens
from howgood.kinds.survey.plan import SurveyPlan
from howgood.kinds.survey.scenarios import PHRASES_IN_ORDER, situation_grid
from howgood.records.progress import Progress

if TYPE_CHECKING:
    from howgood.kinds.fit import Sample
    from howgood.records.result import StudyResult


def _result(
    sample: "Sample", study: Study, settings: Mapping[str, Any], progress: Progress
) -> "StudyResult":
    # Fits and pictures load when a job runs, not when a server starts.
    from howgood.kinds.survey import results

    return results.result(sample, study, settings, progress)


KIND = Kind(
    name="survey",
    plan=SurveyPlan,
    title="Survey",
    about="People judge how acceptable a system would be in several situations. You learn "
    "which mistakes they mind, and what share of them would accept a given accuracy.",
    template=packaged_template("howgood.kinds.survey"),
    more_templates=plan.published,
    problems=checks.wording_problems,
    advice=checks.advice,
    text_keys={"phrases": PHRASES_IN_ORDER},
    can_go_back=True,
    steps=screens.steps,
    situations=situation_grid,
    conditions=screens.conditions,
    task_rules=screens.task_rules,
    is_small_task=screens.is_small_task,
    quotas=screens.quotas,
    pictures=screens.pictures,
    rows=data.rows,
    batch=data.batch,
    answer_columns=data.answer_columns,
    rating_columns=data.rating_columns,
    person_facts=data.person_facts,
    person_columns=data.person_columns,
    passed_checks=data.passed_checks,
    answer_checks=data.answer_checks,
    task_export=exports.task_export,
    offline_task=exports.offline_task,
    tables=data.TABLES,
    fit_options=fit_options.fit_options,
    fit_settings=fit_options.fit_settings,
    result=_result,
    asked_in_use=fit_options.asked_in_use,
    judges_by="what share of people would accept it at each threshold",
)
