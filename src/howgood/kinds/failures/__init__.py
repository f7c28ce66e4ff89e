"""Failures: scenarios of answers that fail in several ways. How often may each happen?"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from howgood.kinds.failures import data, screens
from howgood.kinds.failures.plan import FailuresPlan
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
    from howgood.kinds.failures import results

    return results.result(sample, study, settings, progress)


KIND = Kind(
    name="failures",
    plan=FailuresPlan,
    title="Kinds of failure",
    about="People judge systems whose answers fail in several ways: wrong, invented, refused. You "
    "learn how much each kind weighs and how often it may happen.",
    template=packaged_template("howgood.kinds.failures"),
    steps=screens.steps,
    pictures=screens.pictures,
    rows=data.rows,
    answer_columns=data.answer_columns,
    rating_columns=data.rating_columns,
    offline_task=screens.offline_task,
    tables=data.TABLES,
    result=_result,
)
