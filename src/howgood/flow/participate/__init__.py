"""Take part in a study: the next screen, reading what was sent, conditions, rows of data."""

from howgood.flow.participate.bot import fill, take_part
from howgood.flow.participate.forms import parse_answer
from howgood.flow.participate.path import (
    choose_condition,
    completion_address,
    conditions,
    has_quota,
    next_screen,
)
from howgood.flow.participate.rows import answers_as_rows, participant_row, passed_checks

__all__ = [
    "answers_as_rows",
    "choose_condition",
    "completion_address",
    "conditions",
    "fill",
    "has_quota",
    "next_screen",
    "parse_answer",
    "participant_row",
    "passed_checks",
    "take_part",
]
