"""A rerating's answers from a table: one row per rating.

In: a row. Out: a judgement. Absent: files and people (`flow.importing`).
"""

from howgood.kinds.cells import WrongCellError, on_scale, place_from_1
from howgood.kinds.rerating.plan import RatedItem, ReratingPlan
from howgood.kinds.rerating.screens import RATING, item_key
from howgood.kinds.study import Study, plan_of
from howgood.kinds.table_import import Missing, PersonDraft, RowReader, TableImport, Target

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
