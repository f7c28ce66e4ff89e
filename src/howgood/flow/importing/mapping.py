"""Which column of a table holds what the study needs.

In: a study and a table. Out: what can be mapped, and a suggestion by name. Absent: reading the
cells (`prepare`).

Two shapes are known. Long: one row per judgement, with columns for the person and what the kind of
study asks for. Wide: one row per person, with a column per question whose names are the codes that
`flow.survey_export` gave LimeSurvey and Qualtrics; those need no mapping.
"""

import re
from collections.abc import Mapping

from howgood.errors import InputError, UnknownNameError
from howgood.flow.importing.sheet import Sheet
from howgood.flow.survey_export.codes import Asked, recognised
from howgood.kinds import kind_of
from howgood.kinds.questions import question_columns
from howgood.kinds.study import Study
from howgood.kinds.table_import import TableImport, Target
from howgood.records.inclusion import FINISHED_COLUMN, PILOT_COLUMN

PARTICIPANT, SECONDS, ANSWERED_AT = "participant", "seconds", "answered_at"
_SHOWN = 60  # of a column's name, in messages
_PERSON = Target(
    name=PARTICIPANT,
    meaning="who answered",
    is_required=True,
    aliases=("responseid", "response_id", "user", "respondent", "respondentid", "id",
             "participantid", "prolificpid", "workerid", "person", "subject"),
)  # fmt: skip
_TIMES = (
    Target(name=SECONDS, meaning="how long the page took", aliases=("duration", "time")),
    Target(
        name=ANSWERED_AT,
        meaning="when it was answered (UTC)",
        aliases=("at", "enddate", "submitdate", "timestamp", "recordeddate"),
    ),
)


def targets(study: Study) -> tuple[Target, ...]:
    """Return everything that columns of a table can hold for this study."""
    questions = tuple(
        Target(name=column.name, meaning=column.question)
        for column in question_columns((*study.demographics, *study.closing))
    )
    known = (_PERSON, *table_import(study).targets(study), *_TIMES, *questions)
    names = {entry.name for entry in known}
    # A question of the study may have such a name: then the column holds its answers.
    facts = (
        Target(name=FINISHED_COLUMN, meaning="whether the person finished; none: all did"),
        Target(name=PILOT_COLUMN, meaning="whether it was a test run, which never counts"),
    )
    return (*known, *(fact for fact in facts if fact.name not in names))


def table_import(study: Study) -> TableImport:
    """Return how the study's kind reads tables; a kind whose pages follow answers reads none."""
    tables = kind_of(study).tables
    if tables is None:
        raise InputError(
            where=f"study {study.slug!r}",
            found=f"a {study.kind}, whose next page follows from every answer before",
            needed="a survey or a rerating",
            cure="Learn from a log of comparisons with howgood elicit instead.",
        )
    return tables


def suggested(study: Study, sheet: Sheet) -> dict[str, str]:
    """Return the columns whose names say what they hold: exactly, or by a common other name.

    A column without a single value holds nothing, whatever its name.
    """
    by_name = {
        _simple(column): column for column in reversed(sheet.columns) if sheet.examples(column)
    }
    suggestions: dict[str, str] = {}
    taken: set[str] = set(wide_columns(study, sheet))
    for target in targets(study):
        names = (target.name, *target.aliases)
        columns = [by_name[_simple(name)] for name in names if _simple(name) in by_name]
        column = next((one_column for one_column in columns if one_column not in taken), None)
        if column is not None:
            suggestions[target.name] = column
            taken.add(column)
    return suggestions


def wide_columns(study: Study, sheet: Sheet) -> dict[str, Asked]:
    """Return the columns that carry codes of an exported survey, and what each asks."""
    task_export = kind_of(study).task_export
    if task_export is None:
        return {}
    task = task_export(study)
    columns = {
        column: asked
        for column in sheet.columns
        if (asked := recognised(study, task, column)) is not None
    }
    # A code or two may be chance; an exported survey has a page of the task among them.
    has_page = any(asked.screen and asked.scale for asked in columns.values())
    return columns if has_page else {}


def checked_mapping(study: Study, sheet: Sheet, mapping: Mapping[str, str]) -> dict[str, str]:
    """Return a mapping whose names and columns exist and that holds what is needed."""
    known = {target.name: target for target in targets(study)}
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
            + ", ".join(column[:_SHOWN] for column in sheet.columns[:12]),
            cure=f"Name it: --map {target}=COLUMN.",
        )
        self.target = target


def _missing(study: Study, sheet: Sheet, mapping: Mapping[str, str]) -> str:
    """Return the first thing that is needed and not mapped, or nothing."""
    needed = [target.name for target in targets(study) if target.is_required]
    if not wide_columns(study, sheet):
        needed += table_import(study).needed(study, mapping)
    return next((target for target in needed if target not in mapping), "")


def _simple(name: str) -> str:
    return re.sub(r"[\s_.-]", "", name).casefold()
