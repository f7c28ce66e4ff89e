"""Rerating: the same items, rated in several rounds. How noisy are people's ratings?"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from howgood.kinds.protocol import Kind, packaged_template
from howgood.kinds.rerating import data, screens
from howgood.kinds.rerating.plan import ReratingPlan
from howgood.kinds.study import Study
from howgood.records.progress import Progress

if TYPE_CHECKING:
    from howgood.kinds.fit import Sample
    from howgood.records.result import StudyResult
    from howgood.records.table import Table


def _result(
    sample: "Sample", study: Study, settings: Mapping[str, Any], progress: Progress
) -> "StudyResult":
    # Fits and pictures load when a job runs, not when a server starts.
    from howgood.kinds.rerating import results

    return results.result(sample, study, settings, progress)


def _repeated_ratings(sample: "Sample") -> "Table":
    from howgood.kinds.rerating import results

    return results.repeated_ratings(sample)


KIND = Kind(
    name="rerating",
    plan=ReratingPlan,
    title="Repeated ratings",
    about="People rate the same things in several rounds. You learn how much their ratings "
    "vary by themselves, and what that means for a ranking.",
    template=packaged_template("howgood.kinds.rerating"),
    steps=screens.steps,
    pause_minutes=screens.pause_minutes,
    hides_answers=True,
    pictures=screens.pictures,
    rows=data.rows,
    answer_columns=data.answer_columns,
    rating_columns=data.rating_columns,
    offline_task=screens.offline_task,
    answer_checks=data.answer_checks,
    tables=data.TABLES,
    result=_result,
    usual_people=12,
    judges="systems",
    repeated_ratings=_repeated_ratings,
)
