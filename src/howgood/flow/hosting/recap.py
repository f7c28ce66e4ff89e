"""A page somebody has answered, to be read again: what it said and what they answered.

In: a stored screen and the answer to it. Out: `Recap`. Absent: changing the answer: the first one
stands, for pages after it may depend on it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from howgood.ask.sentences import sentence
from howgood.kinds import kind_of
from howgood.records.screen import AnswerValue, Block, Cards, Field, Screen
from howgood.records.study import Study


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """One question of the page and the answer to it, in words."""

    question: str
    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Recap:
    """What a page said and what was answered; `is_hidden` where answers must not be seen again."""

    blocks: tuple[Block, ...] = ()
    given: tuple[Given, ...] = ()
    is_hidden: bool = False


def recap(study: Study, screen: Screen, values: Mapping[str, AnswerValue]) -> Recap:
    """Return an answered page to read; ratings that are asked for again are kept out of sight."""
    if kind_of(study).hides_answers and screen.kind == "task":
        return Recap(is_hidden=True)
    return Recap(
        blocks=tuple(_without_buttons(each) for each in screen.blocks),
        given=(*_fields(screen, values), *_buttons(screen, values)),
    )


def _without_buttons(block: Block) -> Block:
    if not isinstance(block, Cards):
        return block
    return replace(block, cards=tuple(replace(card, button=None) for card in block.cards))


def _fields(screen: Screen, values: Mapping[str, AnswerValue]) -> Iterator[Given]:
    nothing = sentence(screen.language, "earlier_nothing")
    for field in screen.fields:
        if field.kind != "hidden":
            answer = _in_words(field, values.get(field.name))
            yield Given(question=field.label, answer=answer or nothing)


def _in_words(field: Field, value: AnswerValue) -> str:
    if value is None:
        return ""
    if field.kind == "agree":
        return "✓"
    labels = {option.value: option.label for option in field.options}
    several = value if isinstance(value, list) else [value]
    return ", ".join(labels.get(str(each), str(each)) for each in several)


def _buttons(screen: Screen, values: Mapping[str, AnswerValue]) -> Iterator[Given]:
    """Yield what was pressed; a button on a card stands for the card."""
    titles = {
        (card.button.name, card.button.value): card.title
        for block in screen.blocks
        if isinstance(block, Cards)
        for card in block.cards
        if card.button
    }
    question = sentence(screen.language, "earlier_given")
    for each in screen.all_buttons:
        if each.name and values.get(each.name) == each.value:
            answer = titles.get((each.name, each.value), each.label)
            yield Given(question=question, answer=answer)
