"""The codebook of a study: every column, what it means, its levels and the words of its question.

In: the study, in one or several versions. Out: `Codebook`. Absent: rows (`rows`) and files.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from howgood.ask.sentences import labels
from howgood.flow.collected.known_columns import (
    COLUMNS_OF,
    PASSED_CHECKS,
    SCREENS,
    WHO_COUNTS,
    about_people,
)
from howgood.flow.participate.comparison import interview_questions
from howgood.flow.participate.survey import check_name, survey_items, survey_scale
from howgood.records.codebook import TABLES, Codebook, Column, ColumnType, TableName
from howgood.records.plans import AttentionCheck, Item, Question, ReratingPlan, SurveyPlan
from howgood.records.study import Study


def codebook(study: Study, *earlier: Study) -> Codebook:
    """Return what every column of a study's data means.

    Parameters
    ----------
    study : Study
        The version to describe; its words win where versions differ.
    *earlier : Study
        Other versions people took part in: their columns and levels are added.

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> from howgood.flow.study_files.new import template
    >>> import tomllib
    >>> book = codebook(Study.from_dict(tomllib.loads(template("survey"))))
    >>> book.tables["answers"][0].name
    'participant'
    >>> [each.levels["7"] for each in book.tables["answers"] if each.name == "rating"]
    ['Extremely likely']
    """
    made = [_tables(each) for each in (study, *earlier)]
    return Codebook(
        study=study.slug,
        title=study.title,
        kind=study.kind,
        versions=tuple(each.version for each in (study, *earlier)),
        tables={name: _joined(each[name] for each in made) for name in TABLES},
    )


def _joined(versions: Iterable[tuple[Column, ...]]) -> tuple[Column, ...]:
    """Return the columns of all versions, each once; levels of every version are kept."""
    found: dict[str, Column] = {}
    for column in (column for columns in versions for column in columns):
        first = found.setdefault(column.name, column)
        levels = {**column.levels, **first.levels}
        found[column.name] = replace(first, type=_wider(first, column), levels=levels)
    return tuple(found.values())


def _wider(first: Column, second: Column) -> ColumnType:
    """Return a type that holds both: numbers hold integers, text holds all."""
    if first.type == second.type:
        return first.type
    return "number" if {first.type, second.type} == {"integer", "number"} else "text"


def _tables(study: Study) -> Mapping[TableName, tuple[Column, ...]]:
    return {
        "answers": tuple(_unique(_answer_columns(study))),
        "participants": tuple(_unique(_people_columns(study))),
        "screens": SCREENS,
    }


def _unique(columns: Iterator[Column]) -> list[Column]:
    return list({each.name: each for each in columns}.values())


def _answer_columns(study: Study) -> Iterator[Column]:
    known = {each.name: each for each in COLUMNS_OF[study.kind]}
    if study.survey is not None:
        scale = survey_scale(study, study.survey)
        items = survey_items(study.survey, study.language)
        known["rating"] = _rated(known["rating"], items[0], scale)
        seconds = known.pop("seconds")
        yield from known.values()
        yield from (_item(each, scale) for each in items)
        yield from _beside(study, study.survey)
        yield from (_check(each, scale) for each in study.survey.attention)
        yield seconds
        yield from [PASSED_CHECKS] if study.survey.attention else []
        yield from WHO_COUNTS
        return
    if isinstance(study.plan, ReratingPlan):
        known["rating"] = replace(
            known["rating"], question=study.plan.question, levels=_numbered(study.plan.scale)
        )
        known["item"] = replace(
            known["item"], levels={each.key: each.text for each in study.plan.items}
        )
    yield from known.values()
    yield from WHO_COUNTS


def _check(check: AttentionCheck, scale: Iterable[str]) -> Column:
    return Column(
        name=check_name(check),
        type="integer",
        meaning=f"answer to this attention check, on the page where it stood; asked for: "
        f"{check.answer}",
        question=check.text,
        levels=_numbered(scale),
    )


def _rated(rating: Column, item: Item, scale: Iterable[str]) -> Column:
    return replace(rating, question=item.text, levels=_numbered(scale))


def _item(item: Item, scale: Iterable[str]) -> Column:
    return Column(
        name=item.key,
        type="integer",
        meaning="rating of this item",
        question=item.text,
        levels=_numbered(scale),
    )


def _beside(study: Study, plan: SurveyPlan) -> Iterator[Column]:
    """Items about systems people use that have no measured accuracy stand in their own columns."""
    if plan.real is None:
        return
    measured = {key for system in plan.real.systems for key in system.accuracy}
    scale = plan.real.scale or labels(study.language, "agree_scale")
    yield from (_item(each, scale) for each in plan.real.items if each.key not in measured)


def _people_columns(study: Study) -> Iterator[Column]:
    yield from about_people(study)
    for question in (*study.demographics, *study.closing):
        yield _question(question)
    if study.comparison is not None and study.comparison.interview:
        for question in interview_questions(study.comparison, study.language):
            yield _question(question)


def _question(question: Question) -> Column:
    types: dict[str, ColumnType] = {"number": "number"}
    several = question.type == "choices"
    levels = {each.key: each.text for each in question.options}
    return Column(
        name=question.key,
        type=types.get(question.type, "text"),
        meaning="answers chosen, separated by ;" if several else "answer; empty: not given",
        question=question.text,
        levels=_numbered(question.scale) if question.type == "scale" else levels,
    )


def _numbered(scale: Iterable[str]) -> dict[str, str]:
    return {str(number): label for number, label in enumerate(scale, start=1)}
