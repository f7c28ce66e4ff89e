"""A rerating's answers as rows, what their columns mean, and answers read from a table.

In: a study and one person's participation, or a row of a table. Out: rows and columns, or a
judgement. Absent: files (`flow.collected`, `flow.importing`).
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from howgood.kinds.cells import WrongCellError, on_scale, place_from_1
from howgood.kinds.protocol import Row
from howgood.kinds.rerating.plan import RatedItem, ReratingPlan
from howgood.kinds.rerating.screens import RATING, item_key
from howgood.kinds.study import Study, plan_of
from howgood.kinds.table_import import Missing, PersonDraft, RowReader, TableImport, Target
from howgood.records.answer_checks import AnswerChecks, Repetition
from howgood.records.codebook import SECONDS, Column, columns, scale_levels
from howgood.records.screen import Participation

_COLUMNS = columns(
    ("user", "text", "number of the participant, the same in every table"),
    ("item", "text", "key of what was rated"),
    ("trial", "integer", "round, from 1"),
    ("rating", "integer", "rating, 1 is lowest"),
    ("position", "integer", "place in the round, from 1"),
    SECONDS,
    ("at", "time", "when the rating was sent, UTC"),
)


def rows(study: Study, participation: Participation) -> Iterator[Row]:
    """Yield one row per rating: what `learn.rating_uncertainty` reads."""
    plan = plan_of(study, ReratingPlan)
    asked = {
        item_key(trial, item): (trial, item)
        for trial in range(1, plan.rounds + 1)
        for item in plan.items
    }
    rated_in_round: Counter[int] = Counter()
    for answer in participation.answers:
        if answer.screen not in asked:
            continue
        trial, item = asked[answer.screen]
        rated_in_round[trial] += 1
        yield {
            "user": participation.participant,
            "item": item.key,
            "trial": trial,
            "rating": answer.values.get(RATING),
            "position": rated_in_round[trial],
            "seconds": answer.seconds,
            "at": answer.at.isoformat(),
        }


def answer_checks(study: Study, participation: Participation) -> AnswerChecks:
    """Return how somebody rated the same item, round by round."""
    plan = plan_of(study, ReratingPlan)
    ratings: dict[str, list[float]] = {item.key: [] for item in plan.items}
    for row in rows(study, participation):
        if isinstance(row["rating"], int | float):
            ratings[str(row["item"])].append(float(row["rating"]))
    return AnswerChecks(
        repetitions=tuple(
            Repetition(title=item.text, ratings=tuple(ratings[item.key]), highest=len(plan.scale))
            for item in plan.items
            if len(ratings[item.key]) > 1
        )
    )


def answer_columns(study: Study) -> Iterator[Column]:
    """Yield the columns of a rating, with the study's own words."""
    plan = plan_of(study, ReratingPlan)
    for column in _COLUMNS:
        if column.name == "rating":
            yield replace(column, question=plan.question, levels=scale_levels(plan.scale))
        elif column.name == "item":
            yield replace(column, levels={item.key: item.text for item in plan.items})
        else:
            yield column


def rating_columns(study: Study) -> tuple[str, ...]:
    """Return the column that holds the rating."""
    return ("rating",)


# A rerating's answers from a table: one row per rating.

_ITEM, _TRIAL, _RATING = "item", "trial", "rating"


def _targets(study: Study) -> tuple[Target, ...]:
    question = plan_of(study, ReratingPlan).question
    return (
        Target(
            name=_ITEM,
            meaning="key of what was rated",
            is_required=True,
            aliases=("item_id", "song", "picture"),
        ),
        Target(
            name=_TRIAL,
            meaning="round, from 1",
            is_required=True,
            aliases=("round", "session"),
        ),
        Target(name=_RATING, meaning=question, is_required=True, aliases=("score", "value")),
    )


def _read_row(reader: RowReader, person: PersonDraft, missing: Missing) -> None:
    plan = plan_of(reader.study, ReratingPlan)
    if reader.has_gap([_ITEM, _TRIAL, _RATING], missing):
        return
    item = reader.mapped(_ITEM, lambda text: _item(text, plan))
    trial = reader.mapped(
        _TRIAL, lambda text: place_from_1(text, plan.rounds, of="the number of a round")
    )
    rating = reader.mapped(_RATING, lambda text: on_scale(text, plan.scale))
    if item is not None and trial is not None and rating is not None:
        reader.judge(person, item_key(trial, item), {RATING: rating})


def _item(text: str, plan: ReratingPlan) -> RatedItem:
    for item in plan.items:
        if text.casefold() in (item.key.casefold(), item.text.casefold()):
            return item
    raise WrongCellError(f"one of {', '.join(item.key for item in plan.items[:12])}")


TABLES = TableImport(targets=_targets, read_row=_read_row)
