"""The words of a comparison of two systems: what is at stake, in the respondent's language.

In: words chosen by the owner of a study. Out: `ComparisonWording`, `CostText`. Absent: numbers
(see `show.comparison_text`) and layout (see `show.comparison_card`).
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from howgood.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class CostText:
    """What one kind of error means for the person it happens to."""

    error: str
    health: str
    money: str
    time: str
    feelings: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonWording:
    """Every word a respondent sees next to the numbers; all of it is the study owner's to edit.

    Plural forms are given, not guessed, so that the words can be in any language.

    Notes
    -----
    Stability: stable
    """

    task: str
    question: str
    cases: str  # "patients"
    positive: str  # "have cancer"
    negative: str  # "do not have cancer"
    with_positive: str  # "with cancer"
    with_negative: str  # "without cancer"
    flagged: str  # "flagged high risk"
    cleared: str  # "flagged low risk"
    found: str  # "found"
    correctly_cleared: str  # "correctly cleared"
    miss: str  # "missed cancer"
    misses: str  # "missed cancers"
    alarm: str  # "false alarm"
    alarms: str  # "false alarms"
    costs: tuple[CostText, ...] = ()

    def __post_init__(self) -> None:
        empty = [
            field.name
            for field in fields(self)
            if field.name != "costs" and not str(getattr(self, field.name)).strip()
        ]
        if empty:
            raise InputError(
                where="ComparisonWording",
                found=f"no words for {', '.join(empty)}",
                needed="words for everything the respondent reads",
                cure="Start from ask.CANCER_WORDING and replace what differs.",
            )

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "ComparisonWording":
        """Return the wording `to_dict` wrote."""
        costs = values.get("costs", ())
        if not isinstance(costs, list | tuple):
            raise _not_words("costs", costs, "a list")
        words = {name: word for name, word in values.items() if name != "costs"}
        _check_words(cls, words, ("costs",))
        for cost in costs:
            _check_words(CostText, cost)
        return cls(**words, costs=tuple(CostText(**cost) for cost in costs))


def _check_words(record: type[Any], values: object, others: tuple[str, ...] = ()) -> None:
    """Refuse anything but a text for each field of a record; `others` are checked by the caller."""
    known = {field.name for field in fields(record)} - set(others)
    if not isinstance(values, Mapping):
        raise _not_words(record.__name__, values, f"a table of {', '.join(sorted(known))}")
    if set(values) != known:
        raise InputError(
            where=record.__name__,
            found=f"missing or unknown: {', '.join(sorted(map(str, set(values) ^ known)))}",
            needed=f"exactly {', '.join(sorted(known))}",
            cure="Start from ask.CANCER_WORDING.to_dict().",
        )
    for name, word in values.items():
        if not isinstance(word, str) or "\x00" in word:
            raise _not_words(name, word, "text")


def _not_words(name: str, found: object, needed: str) -> InputError:
    return InputError(
        where=f"ComparisonWording, {name}",
        found=repr(found)[:60],
        needed=needed,
        cure="Start from ask.CANCER_WORDING.to_dict().",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PracticeQuestion:
    """One question that checks whether a card is understood, with its right answer.

    `kind` is "comprehension" (read a number), "comparison" (which of two) or "simulation" (what
    would happen to a new case). Numbers within `tolerance` of `answer` are right.
    """

    kind: str
    text: str
    answer: str | int
    tolerance: int
    feedback: str
    options: tuple[str, ...] = ()

    def is_right(self, given: str | float) -> bool:
        """Is this the right answer?"""
        if isinstance(self.answer, str):
            return str(given).strip().lower() == self.answer.lower()
        try:
            return abs(float(given) - self.answer) <= self.tolerance
        except ValueError:
            return False


@dataclass(frozen=True, slots=True, kw_only=True)
class InterviewQuestion:
    """One question before or after the choices; `options` are empty for free answers."""

    code: str
    text: str
    options: tuple[str, ...] = ()
