"""Votes: outputs of several systems, of which people prefer one of two. Which system is best?"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from howgood.kinds.fit import Sample
from howgood.kinds.protocol import Kind, SharedTask, packaged_template
from howgood.kinds.study import Study
from howgood.kinds.votes import checks, data, files, next_pair, screens
from howgood.kinds.votes.plan import VotesPlan
from howgood.records.progress import Progress

if TYPE_CHECKING:
    from howgood.records.live_board import LiveBoard
    from howgood.records.result import StudyResult


def _result(
    sample: Sample, study: Study, settings: Mapping[str, Any], progress: Progress
) -> "StudyResult":
    # Fits and pictures load when a job runs, not when a server starts.
    from howgood.kinds.votes import results

    return results.result(sample, study, settings, progress)


def _live_board(sample: Sample, study: Study) -> "LiveBoard | None":
    from howgood.kinds.votes import results

    return results.live_board(sample, study)


KIND = Kind(
    name="votes",
    plan=VotesPlan,
    title="Votes",
    about="People see outputs of two systems side by side, blind, and vote. You learn which "
    "systems are better, which tie, and when you have enough votes.",
    template=packaged_template("howgood.kinds.votes"),
    file_keys=files.FILE_KEYS,
    fill_from_files=files.fill_from_files,
    study_of_table=files.study_of_table,
    advice=checks.advice,
    steps=screens.steps,
    computes_steps=True,
    shared=SharedTask(
        screens=screens.SCREENS, summary=next_pair.votes_so_far, steps=screens.steps_among
    ),
    is_task=screens.shows_pair,
    pictures=screens.pictures,
    rows=data.rows,
    answer_columns=data.answer_columns,
    offline_task=screens.offline_task,
    tables=data.TABLES,
    preferences=data.preferences,
    asks_offline_differently=True,
    result=_result,
    usual_people=12,
    live_board=_live_board,
)
