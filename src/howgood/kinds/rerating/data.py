"""A rerating's answers as rows, and what their columns mean.

In: a study and one person's participation. Out: rows and columns. Absent: files (`flow.collected`).
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from howgood.kinds.protocol import Row
from howgood.kinds.rerating.plan import ReratingPlan
from howgood.kinds.rerating.screens import RATING, item_key
from howgood.kinds.study import Study, plan_of
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
