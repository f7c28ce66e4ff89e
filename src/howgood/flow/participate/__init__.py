"""Take part in a study: the next screen, reading what was sent, conditions, rows of data."""

from howgood.flow.participate.bot import fill, take_part
from howgood.flow.participate.forms import (
    answers_as_batch,
    answers_as_rows,
    parse_answer,
    participant_row,
    passed_checks,
)
from howgood.flow.participate.path import (
    choose_condition,
    completion_address,
    conditions,
    ending_blocks,
    has_quota,
    is_mirrored,
    next_screen,
)

__all__ = [
    "answers_as_batch",
    "answers_as_rows",
    "choose_condition",
    "completion_address",
    "conditions",
    "ending_blocks",
    "fill",
    "has_quota",
    "is_mirrored",
    "next_screen",
    "parse_answer",
    "participant_row",
    "passed_checks",
    "take_part",
]
