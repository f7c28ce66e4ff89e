"""Answers about failures as rows, what their columns mean, and answers from tables.

In: a study and one person's participation; a row of a table. Out: rows and columns; a judgement.
Absent: files (`flow.collected`, `flow.importing`).
"""

from collections.abc import Iterator
from dataclasses import replace

from howgood.errors import InputError
from howgood.kinds.cells import WrongCellError, on_scale
from howgood.kinds.failures.plan import FailuresPlan
from howgood.kinds.failures.screens import (
    RATING,
    counts_of,
    question_of,
    scale_of,
    scenario_key,
)
from howgood.kinds.protocol import Row
from howgood.kinds.study import Study, plan_of
from howgood.kinds.table_import import Missing, PersonDraft, RowReader, TableImport, Target
from howgood.records.codebook import PARTICIPANT, SECONDS, Column, columns, scale_levels
from howgood.records.failures import FailureScenario
from howgood.records.screen import Participation

_BEFORE = columns(
    PARTICIPANT,
    ("application", "text", "name of the feature"),
    ("order", "integer", "place of the page on the person's way, from 1"),
    ("right", "integer", "answers of the scenario that are right"),
)
_AFTER = columns(("rating", "integer", "rating, 1 is lowest"), SECONDS)


def rows(study: Study, participation: Participation) -> Iterator[Row]:
    """Yield one row per judged scenario: what `learn.fit_failures` reads."""
    plan = plan_of(study, FailuresPlan)
    for order, answer in enumerate(participation.answers, start=1):
        scenario = counts_of(plan, answer.screen)
        if scenario is None:
            continue
        yield {
            "participant": participation.participant,
            "application": plan.name,
            "order": order,
            "right": scenario.right,
            **scenario.counts,
            "rating": answer.values.get(RATING),
            "seconds": answer.seconds,
        }


def answer_columns(study: Study) -> Iterator[Column]:
    """Yield the columns of a judgement, with the study's own words."""
    plan = plan_of(study, FailuresPlan)
    yield from _BEFORE
    for kind in plan.kinds:
        yield Column(
            name=kind.key,
            type="integer",
            meaning=f"answers of {plan.out_of} that fail so: {kind.text}",
        )
    rating, seconds = _AFTER
    levels = scale_levels(scale_of(study, plan))
    yield replace(rating, question=question_of(study, plan), levels=levels)
    yield seconds


def rating_columns(study: Study) -> tuple[str, ...]:
    """Return the column that holds the rating."""
    return ("rating",)


def _targets(study: Study) -> tuple[Target, ...]:
    plan = plan_of(study, FailuresPlan)
    return (
        *(Target(name=kind.key, meaning=kind.text, is_required=True) for kind in plan.kinds),
        Target(
            name=RATING,
            meaning=question_of(study, plan),
            is_required=True,
            aliases=("score", "value"),
        ),
    )


def _read_row(reader: RowReader, person: PersonDraft, missing: Missing) -> None:
    plan = plan_of(reader.study, FailuresPlan)
    names = [kind.key for kind in plan.kinds]
    if reader.has_gap([*names, RATING], missing):
        return
    counts = {name: reader.mapped(name, _count) for name in names}
    rating = reader.mapped(RATING, lambda text: on_scale(text, scale_of(reader.study, plan)))
    known = {name: count for name, count in counts.items() if count is not None}
    if rating is None or len(known) < len(names):
        return
    number = 1 + len(person.answers)
    try:
        scenario = FailureScenario(counts=known, out_of=plan.out_of)
    except InputError:
        reader.mapped(names[0], _too_many)
        return
    reader.judge(person, scenario_key(plan, number, scenario), {RATING: rating})


def _count(text: str) -> int:
    if not text.strip().isdecimal() or len(text.strip()) > 4:
        raise WrongCellError("a count of answers")
    return int(text)


def _too_many(text: str) -> int:
    raise WrongCellError("counts that do not exceed the answers of a scenario together")


TABLES = TableImport(targets=_targets, read_row=_read_row)
