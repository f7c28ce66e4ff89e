"""Comparison: pairs of confusion matrices, of which people prefer one. Which errors weigh more?"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from howgood.kinds.comparison import data, plan, screens
from howgood.kinds.comparison.plan import ComparisonPlan
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
    from howgood.kinds.comparison import results

    return results.result(sample, study, settings, progress)


KIND = Kind(
    name="comparison",
    plan=ComparisonPlan,
    title="Comparison",
    about="People say which of two systems they prefer, again and again. You learn the "
    "metric they have in mind: what a miss costs in false alarms.",
    template=packaged_template("howgood.kinds.comparison"),
    file_keys=plan.FILE_KEYS,
    fill_from_files=plan.fill_from_files,
    problems=plan.wording_problems,
    text_keys={"words": (*sorted(plan.WORDS), *sorted(plan.OPTIONAL_WORDS))},
    steps=screens.steps,
    computes_steps=True,
    is_task=screens.shows_pair,
    rows=data.rows,
    answer_columns=data.answer_columns,
    person_facts=data.person_facts,
    answer_checks=data.answer_checks,
    person_columns=data.person_columns,
    own_questions=screens.own_questions,
    offline_task=screens.offline_task,
    asks_offline_differently=True,
    facilitator_questions=screens.facilitator_questions,
    result=_result,
    usual_people=12,
    judges_by="the threshold that suits what the group values",
)
