"""What a study asks of earlier answers: who sees a question, who is screened out, who is counted.

In: plain values of a study file, answers by the name of their question. Out: records, and whether
they hold: a pure function. Absent: whether rules can ever hold (`logic`), storing who was counted
(`flow.hosting`).
"""

import re
from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from howgood.records.record import Record
from howgood.records.screen import AnswerValue

# An earlier answer in a text: {answer.pet}, or {answer.pet|your pet} for those who gave none.
PIPED = re.compile(r"\{answer\.([\w-]+)(?:\|([^{}|]*))?\}")


class Rule(Record):
    """What an earlier answer has to be; a rule that says several things wants all of them."""

    question: str = Field(description="key of an earlier question")
    any_of: tuple[str, ...] = Field(
        default=(), description="holds for these answers: keys of options, points of a scale, text"
    )
    none_of: tuple[str, ...] = Field(default=(), description="holds for all answers but these")
    at_least: float | None = Field(default=None, description="holds from this number on")
    at_most: float | None = Field(default=None, description="holds up to this number")
    answered: bool | None = Field(
        default=None, description="holds if there is an answer (true) or none (false)"
    )


def _as_list(value: Any) -> Any:  # noqa: ANN401 - plain values of a file
    if isinstance(value, Mapping | Rule):
        return (value,)
    return tuple(value) if isinstance(value, list) else value


# A single table may stand for a list of one.
Rules = Annotated[tuple[Rule, ...], BeforeValidator(_as_list)]


class ScreenOut(Record):
    """People who cannot take part, found by their answers."""

    key: str = Field(description="short name in the data")
    when: Rules = Field(description="all of these have to hold")
    text: str = Field(description="why they cannot take part, in words for them")


class AnswerQuota(Record):
    """How many people of a sort are wanted."""

    key: str = Field(description="short name in the data")
    when: Rules = Field(description="whom it counts: all of these have to hold")
    people: int = Field(description="no more people than this", ge=1)


class RandomBlock(Record):
    """Questions that come in an order of chance: those that name this block."""

    key: str = Field(description="name that the questions give as their block")
    show: int | None = Field(
        default=None, description="a random subset of this many of its questions", ge=1
    )


def holds(rules: Iterable[Rule], known: Mapping[str, AnswerValue]) -> bool:
    """Return whether all rules hold for answers by the name of their question.

    Examples
    --------
    >>> adult = Rule(question="age", at_least=18)
    >>> holds([adult], {"age": 18}), holds([adult], {"age": None}), holds([], {})
    (True, False, True)
    """
    return all(_holds(rule, known.get(rule.question)) for rule in rules)


def wants_answer(rule: Rule) -> bool:
    """Return whether a rule holds only for people who gave an answer."""
    has_limit = rule.at_least is not None or rule.at_most is not None
    return bool(rule.any_of) or has_limit or rule.answered is True


def _holds(rule: Rule, value: AnswerValue) -> bool:
    if value is None:
        return not wants_answer(rule)
    if rule.answered is False:
        return False
    given = {_written(part) for part in value} if isinstance(value, list) else {_written(value)}
    if rule.any_of and given.isdisjoint(rule.any_of):
        return False
    return given.isdisjoint(rule.none_of) and _is_between(rule, value)


def _is_between(rule: Rule, value: AnswerValue) -> bool:
    if rule.at_least is None and rule.at_most is None:
        return True
    try:
        number = float(str(value))
    except ValueError:
        return False
    low = rule.at_least is None or number >= rule.at_least
    return low and (rule.at_most is None or number <= rule.at_most)


def _written(value: object) -> str:
    """Return an answer as a rule writes it: 3 and 3.0 alike."""
    return f"{value:g}" if isinstance(value, int | float) else str(value)


def in_words(rules: Iterable[Rule]) -> str:
    """Return rules as a codebook says them.

    Examples
    --------
    >>> in_words([Rule(question="age", at_least=18), Rule(question="pet", any_of=("cat", "dog"))])
    'age at least 18 and pet cat or dog'
    """
    return " and ".join(_in_words(rule) for rule in rules)


def _in_words(rule: Rule) -> str:
    parts = [
        " or ".join(rule.any_of),
        f"not {' or '.join(rule.none_of)}" if rule.none_of else "",
        f"at least {rule.at_least:g}" if rule.at_least is not None else "",
        f"at most {rule.at_most:g}" if rule.at_most is not None else "",
        {None: "", True: "answered", False: "not answered"}[rule.answered],
    ]
    return f"{rule.question} {', '.join(part for part in parts if part)}"


def piped_names(text: str) -> set[str]:
    """Return the questions whose answers a text repeats."""
    return {match[1] for match in PIPED.finditer(text)}


def piped(text: str, words: Mapping[str, str]) -> str:
    """Return a text with earlier answers in their places; `words` has them as people read them.

    Examples
    --------
    >>> piped("How old is {answer.pet|your pet}?", {"pet": "Rex"})
    'How old is Rex?'
    >>> piped("How old is {answer.pet|your pet}?", {})
    'How old is your pet?'
    """
    return PIPED.sub(lambda match: words.get(match[1]) or match[2] or "", text)
