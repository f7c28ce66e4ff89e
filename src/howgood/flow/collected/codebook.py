"""The codebook of a study: every column, what it means, its levels and the words of its question.

In: the study, in one or several versions. Out: `Codebook`. Absent: rows (`rows`) and files.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from howgood.ask.sentences import sentence
from howgood.kinds import kind_of
from howgood.kinds.questions import question_columns
from howgood.kinds.study import Study
from howgood.kinds.translation import offered
from howgood.records.codebook import (
    PARTICIPANT,
    SECONDS,
    TABLES,
    Codebook,
    Column,
    ColumnType,
    TableName,
    columns,
)
from howgood.records.inclusion import EXCLUDED_COLUMN, FINISHED_COLUMN, PILOT_COLUMN
from howgood.records.participant import STATUS_MEANINGS, Status

# What decides whose answers enter a fit, on every row of a table of answers.
_WHO_COUNTS = columns(
    (FINISHED_COLUMN, "boolean", "whether the person reached the last page"),
    (PILOT_COLUMN, "boolean", "whether this was a test run"),
    (EXCLUDED_COLUMN, "boolean", "whether a researcher excluded the person"),
)

_SCREENS = columns(
    PARTICIPANT,
    ("screen", "text", "name of the page"),
    ("position", "integer", "place of the page on the person's way, from 1"),
    ("shown_at", "time", "when the page was first shown, UTC"),
    ("answered_at", "time", "when its answer was stored, UTC; empty: not answered"),
    SECONDS,
    ("changes", "integer", "how often the person went back and changed the answer"),
    ("earlier_answers", "text", "answers before those changes, the first one first, as JSON"),
)

# Who only has a link is in no table.
_STATUS_LEVELS = {
    status.value: STATUS_MEANINGS[status] for status in Status if status is not Status.INVITED
}
_PEOPLE = columns(
    PARTICIPANT,
    ("external_id", "text", "id the recruiting platform or an import gave; it may name a person"),
    ("status", "text", "how far the person has come", _STATUS_LEVELS),
    ("pilot", "boolean", "whether this was a test run"),
    (EXCLUDED_COLUMN, "boolean", "whether a researcher excluded the person"),
    ("excluded_because", "text", "why a researcher excluded the person"),
    ("version", "text", "fingerprint of the version of the study this person saw"),
    ("condition", "text", "branch or single scenario the person was assigned to"),
    ("started_at", "time", "when the person was first known, UTC"),
    ("consented_at", "time", "when consent was given, UTC"),
    ("finished_at", "time", "when the last page was reached, UTC"),
    ("consent", "text", "answer to the consent, yes"),
    ("pages", "integer", "pages answered"),
    ("seconds", "number", "time on all answered pages together"),
    ("changes", "integer", "answers that the person went back to and changed"),
    ("screened_out", "text", "why the person could not take part; empty: could"),
)


_LANGUAGE = Column(name="study_language", type="text", meaning="language the person read it in")


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
    >>> [column.levels["7"] for column in book.tables["answers"] if column.name == "rating"]
    ['Extremely likely']
    """
    made = [_tables(version) for version in (study, *earlier)]
    return Codebook(
        study=study.slug,
        title=study.title,
        kind=study.kind,
        versions=tuple(version.version for version in (study, *earlier)),
        tables={name: _joined(one_codebook[name] for one_codebook in made) for name in TABLES},
    )


def _joined(versions: Iterable[tuple[Column, ...]]) -> tuple[Column, ...]:
    """Return the columns of all versions, each once; levels of every version are kept."""
    joined: dict[str, Column] = {}
    for column in (column for version in versions for column in version):
        first = joined.setdefault(column.name, column)
        levels = {**column.levels, **first.levels}
        joined[column.name] = replace(first, type=_wider(first, column), levels=levels)
    return tuple(joined.values())


def _wider(first: Column, second: Column) -> ColumnType:
    """Return a type that holds both: numbers hold integers, text holds all."""
    if first.type == second.type:
        return first.type
    return "number" if {first.type, second.type} == {"integer", "number"} else "text"


def _tables(study: Study) -> Mapping[TableName, tuple[Column, ...]]:
    kind = kind_of(study)
    return {
        "answers": _unique((*kind.answer_columns(study), *_WHO_COUNTS)),
        "participants": _unique(_people_columns(study)),
        "screens": _SCREENS,
    }


def _unique(every: Iterable[Column]) -> tuple[Column, ...]:
    return tuple({column.name: column for column in every}.values())


def _people_columns(study: Study) -> Iterator[Column]:
    kind = kind_of(study)
    reasons = {rule.key: rule.text for rule in study.screen_outs}
    for column in _PEOPLE:
        yield replace(column, levels=reasons) if column.name == "screened_out" else column
    if study.translations:
        yield replace(
            _LANGUAGE, levels={code: sentence(code, "language") for code in offered(study)}
        )
    yield from kind.person_columns(study)
    questions = (*study.demographics, *study.closing, *kind.own_questions(study))
    yield from question_columns(questions)
