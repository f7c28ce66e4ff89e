"""Which column of a table holds what the study needs.

In: a study and a table. Out: what can be mapped, and a suggestion by name. Absent: reading the
cells (`prepare`).

Two shapes are known. Long: one row per judgement, with columns for person, application, scenario
and items. Wide: one row per person, with a column per question whose names are the codes that
`flow.elsewhere` gave LimeSurvey and Qualtrics; those need no mapping.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from howgood.errors import InputError, UnknownNameError
from howgood.flow.elsewhere.codes import Asked, recognised
from howgood.flow.importing.sheet import Sheet
from howgood.kinds.survey.screens import check_name, survey_items
from howgood.records.inclusion import FINISHED_COLUMN, PILOT_COLUMN
from howgood.records.plans import ReratingPlan, SurveyPlan
from howgood.records.study import Study

PARTICIPANT, APPLICATION, SCENARIO = "participant", "application", "scenario"
PRECISION, RECALL, CONDITION = "precision", "recall", "condition"
SECONDS, ANSWERED_AT = "seconds", "answered_at"
ITEM, TRIAL, RATING = "item", "trial", "rating"
_SHOWN = 60  # of a column's name, in messages
_ALIASES = {
    PARTICIPANT: ("responseid", "response_id", "user", "respondent", "respondentid", "id",
                  "participantid", "prolificpid", "workerid", "person", "subject"),
    APPLICATION: ("app", "app_name", "system"),
    SCENARIO: ("scenario_number", "scenario_id"),
    PRECISION: ("desired_precision",),
    RECALL: ("desired_recall",),
    CONDITION: ("branch", "group"),
    SECONDS: ("duration", "time"),
    ANSWERED_AT: ("at", "enddate", "submitdate", "timestamp", "recordeddate"),
    ITEM: ("item_id", "song", "picture"),
    TRIAL: ("round", "session"),
    RATING: ("score", "value"),
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Something a column can hold."""

    name: str
    meaning: str
    is_required: bool = False


def targets(study: Study) -> tuple[Target, ...]:
    """Return everything that columns of a table can hold for this study."""
    person = Target(name=PARTICIPANT, meaning="who answered", is_required=True)
    times = (
        Target(name=SECONDS, meaning="how long the page took"),
        Target(name=ANSWERED_AT, meaning="when it was answered (UTC)"),
    )
    questions = tuple(
        Target(name=each.key, meaning=each.text) for each in (*study.demographics, *study.closing)
    )
    known = (person, *_task_targets(study), *times, *questions)
    names = {each.name for each in known}
    # A question of the study may have such a name: then the column holds its answers.
    facts = (
        Target(name=FINISHED_COLUMN, meaning="whether the person finished; none: all did"),
        Target(name=PILOT_COLUMN, meaning="whether it was a test run, which never counts"),
    )
    return (*known, *(each for each in facts if each.name not in names))


def _task_targets(study: Study) -> tuple[Target, ...]:
    plan = study.plan
    if isinstance(plan, SurveyPlan):
        first, *others = survey_items(plan, study.language)
        return (
            Target(name=APPLICATION, meaning="key or name of the application"),
            Target(
                name=SCENARIO,
                meaning="number of the scenario, from 1, unless its precision and recall are given",
            ),
            Target(name=PRECISION, meaning="precision of the scenario"),
            Target(name=RECALL, meaning="recall of the scenario"),
            Target(name=CONDITION, meaning="branch of the person"),
            Target(name=first.key, meaning=first.text),
            *(Target(name=each.key, meaning=each.text) for each in others),
            *(Target(name=check_name(each), meaning=each.text) for each in plan.attention),
        )
    if isinstance(plan, ReratingPlan):
        return (
            Target(name=ITEM, meaning="key of what was rated", is_required=True),
            Target(name=TRIAL, meaning="round, from 1", is_required=True),
            Target(name=RATING, meaning=plan.question, is_required=True),
        )
    raise InputError(
        where=f"study {study.slug!r}",
        found="a comparison, whose next pair follows from every answer before",
        needed="a survey or a rerating",
        cure="Learn from a log of comparisons with howgood elicit instead.",
    )


def suggested(study: Study, sheet: Sheet) -> dict[str, str]:
    """Return the columns whose names say what they hold: exactly, or by a common other name.

    A column without a single value holds nothing, whatever its name.
    """
    by_name = {
        _simple(column): column for column in reversed(sheet.columns) if sheet.examples(column)
    }
    found: dict[str, str] = {}
    taken: set[str] = set(wide_columns(study, sheet))
    for target in targets(study):
        names = (target.name, *_ALIASES.get(target.name, ()))
        columns = [by_name[_simple(each)] for each in names if _simple(each) in by_name]
        column = next((each for each in columns if each not in taken), None)
        if column is not None:
            found[target.name] = column
            taken.add(column)
    return found


def wide_columns(study: Study, sheet: Sheet) -> dict[str, Asked]:
    """Return the columns that carry codes of an exported survey, and what each asks."""
    if study.survey is None:
        return {}
    found = {
        column: asked
        for column in sheet.columns
        if (asked := recognised(study, study.survey, column)) is not None
    }
    # A code or two may be chance; an exported survey has a scenario among them.
    has_scenario = any(re.match(r"a\d", column) for column in found)
    return found if has_scenario else {}


def checked_mapping(study: Study, sheet: Sheet, mapping: Mapping[str, str]) -> dict[str, str]:
    """Return a mapping whose names and columns exist and that holds what is needed."""
    known = {each.name: each for each in targets(study)}
    for name, column in mapping.items():
        if name not in known:
            raise UnknownNameError(where="--map", name=name, names=known)
        if column not in sheet.columns:
            raise UnknownNameError(
                where=f"{sheet.name}, column for {name!r}", name=column, names=sheet.columns
            )
    missing = _missing(study, sheet, mapping)
    if missing:
        raise NotMappedError(sheet, missing)
    return dict(mapping)


class NotMappedError(InputError):
    """Something that is needed has no column yet."""

    def __init__(self, sheet: Sheet, target: str) -> None:
        super().__init__(
            where=sheet.name,
            found=f"no column for {target}",
            needed="a column that holds it; there are "
            + ", ".join(each[:_SHOWN] for each in sheet.columns[:12]),
            cure=f"Name it: --map {target}=COLUMN.",
        )
        self.target = target


def _missing(study: Study, sheet: Sheet, mapping: Mapping[str, str]) -> str:
    """Return the first thing that is needed and not mapped, or nothing."""
    needed = [each.name for each in targets(study) if each.is_required]
    is_wide = bool(wide_columns(study, sheet))
    if study.survey is not None and not is_wide:
        first = survey_items(study.survey, study.language)[0].key
        needed.append(first)
        if len(study.survey.applications) > 1:
            needed.append(APPLICATION)
        if SCENARIO not in mapping:
            needed += [PRECISION, RECALL]
    return next((each for each in needed if each not in mapping), "")


def _simple(name: str) -> str:
    return re.sub(r"[\s_.-]", "", name).casefold()
