"""Cells to values: scales, choices, numbers, times, in any of the ways programs write them.

In: text of a cell. Out: the value, or `WrongCellError` that says what would be right. Absent: which
cell means what (`flow.importing`).
"""

import math
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from html import unescape

_LONGEST_SECONDS = 10_000_000  # a third of a year


class WrongCellError(Exception):
    """A cell that cannot be taken; says what would be right."""

    def __init__(self, needed: str) -> None:
        super().__init__(needed)
        self.needed = needed


def on_scale(text: str, scale: Sequence[str]) -> int:
    """Return the point on a scale that a number or a label means, from 1."""
    labels = [one_label.casefold() for one_label in scale]
    places = [at for at, label in enumerate(labels, start=1) if label in readings(text)]
    if places:
        return places[0]
    number = whole(text, needed=f"1 to {len(scale)}, or a label of the scale")
    if not 1 <= number <= len(scale):
        raise WrongCellError(f"1 to {len(scale)}, or a label of the scale")
    return number


def readings(text: str) -> set[str]:
    """Return a text as it is, and as a program means it that keeps labels as HTML (R&amp;D)."""
    return {text.casefold(), unescape(text).casefold()}


def whole(text: str, *, needed: str) -> int:
    """Return a whole number; 3.0 is one."""
    if not re.fullmatch(r"[+-]?\d{1,15}(\.0+)?", text):
        raise WrongCellError(needed)
    return int(float(text))


def number(text: str) -> float:
    """Return a finite number with a decimal point."""
    try:
        value = float(text)
    except ValueError:
        raise WrongCellError("a number such as 0.75") from None
    if not math.isfinite(value):
        raise WrongCellError("a number such as 0.75")
    return value


def seconds(text: str) -> float:
    """Return how long something took; a time of day or a count of milliseconds is refused."""
    value = number(text)
    if not 0 <= value <= _LONGEST_SECONDS:
        raise WrongCellError("seconds that a page took, such as 12.5")
    return value


def yes_or_no(text: str) -> bool:
    """Return what a column means that says whether something is so."""
    from howgood.ask.intake import NO, YES  # loads what reads whole tables

    if text.casefold() not in YES | NO:
        raise WrongCellError("true or false; rename the column if it means something else")
    return text.casefold() in YES


def moment(text: str) -> datetime:
    """Return a point in time; one without a zone is UTC."""
    try:
        value = datetime.fromisoformat(text)
        return value.astimezone(UTC) if value.tzinfo else value.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        raise WrongCellError("a time such as 2026-05-04 12:00:00") from None


def place_from_1(text: str, most: int, *, of: str) -> int:
    """Return a place in something that is counted from 1."""
    needed = f"{of}, 1 to {most}"
    place = whole(text, needed=needed)
    if not 1 <= place <= most:
        raise WrongCellError(needed)
    return place
