"""Answers as tidy rows: what the learning stages and a spreadsheet want.

In: a study and one person's participation. Out: one row per judgement, one about the person.
Absent: files and formats (`store`, `flow`), names and addresses (never asked for).
"""

from collections.abc import Mapping

from howgood.flow.participate.path import CLOSING, CONSENT, DEMOGRAPHICS
from howgood.kinds import Row, kind_of
from howgood.kinds.study import Study
from howgood.records.screen import Answer, AnswerValue, Participation


def answers_as_rows(study: Study, participation: Participation) -> tuple[Row, ...]:
    """Return one row per judgement, ready for `learn`.

    Surveys give participant, application, part, precision, recall, rating (the first item), the
    other items and the counts shown: what `learn.fit_acceptability` and `learn.fit_ordinal` read.
    Comparisons give the log of pairs shown and chosen. Reratings give user, item, trial, rating:
    what `learn.rating_uncertainty` reads.

    Notes
    -----
    Stability: experimental
    """
    if participation.condition is None:
        return ()
    return tuple(kind_of(study).rows(study, participation))


def participant_row(study: Study, participation: Participation) -> Row:
    """Return one row about the person: condition, questions beside the task, attention, time.

    Notes
    -----
    Stability: experimental
    """
    answered = {each.screen: each for each in participation.answers}
    row: Row = {
        "participant": participation.participant,
        "condition": participation.condition,
        "consent": _value(answered, CONSENT, "consent"),
        "pages": len(answered),
        "seconds": sum(each.seconds or 0.0 for each in participation.answers),
    }
    for screen, questions in ((DEMOGRAPHICS, study.demographics), (CLOSING, study.closing)):
        row |= {each.key: _flat(_value(answered, screen, each.key)) for each in questions}
    if participation.condition:
        row |= kind_of(study).person_facts(study, participation)
    return row


def passed_checks(study: Study, participation: Participation) -> bool | None:
    """Return whether a person passed every attention check they saw; None: they saw none."""
    return kind_of(study).passed_checks(study, participation)


def _value(answered: Mapping[str, Answer], screen: str, name: str) -> AnswerValue:
    return answered[screen].values.get(name) if screen in answered else None


def _flat(value: AnswerValue) -> AnswerValue:
    """Several choices in one cell: a;b."""
    return ";".join(value) if isinstance(value, list) else value
