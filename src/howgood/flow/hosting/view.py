"""What a participant is shown, and why someone cannot take part.

In: facts from `visit` and `admission`. Out: frozen records a page is made of. Absent: HTML.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from howgood.ask.sentences import sentence
from howgood.errors import HowgoodError
from howgood.flow.participate.forms import Form
from howgood.kinds import kind_of
from howgood.kinds.field_types import FIELD_TYPES
from howgood.kinds.study import Study
from howgood.records.screen import AnswerValue, Block, Cards, Paragraph, Screen


class Reason(StrEnum):
    """Why there is no screen to show."""

    UNKNOWN_LINK = "unknown_link"
    UNKNOWN_STUDY = "unknown_study"
    CLOSED = "closed"
    FULL = "full"
    NO_IDENTITY = "no_identity"  # the study is for people of a platform, which named nobody
    PREVIEW = "preview"  # a recruiting platform shows the page before the person has accepted
    UNSIGNED = "unsigned"  # the form was not written by this server


# What a study counts: people who would have begun.
COUNTED = (Reason.FULL, Reason.NO_IDENTITY)


class RefusedError(HowgoodError):
    """Someone cannot go on here; the reason is a value, the words are the page's.

    `study` is the number of a study that counts this refusal, 0 if none does. `blocks` are words
    of the study's own, `way_back` leads to the platform that sent the person, and
    `framed_by` are sites that may show the page inside theirs.
    """

    def __init__(
        self,
        reason: Reason,
        *,
        language: str = "en",
        study: int = 0,
        blocks: tuple[Paragraph, ...] = (),
        way_back: str = "",
        framed_by: tuple[str, ...] = (),
    ) -> None:
        super().__init__(f"refused: {reason.value}")
        self.reason, self.language, self.study = reason, language, study
        self.blocks, self.way_back, self.framed_by = blocks, way_back, framed_by


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredQuestion:
    """One question of the page and the answer to it, in words."""

    question: str
    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerReview:
    """What a page said and what was answered; `is_hidden` where answers must not be seen again."""

    blocks: tuple[Block, ...] = ()
    questions: tuple[AnsweredQuestion, ...] = ()
    is_hidden: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """One screen for one person, at their `step`, counted from 1.

    `token` is empty before a person has begun: their form goes to the study's start then, with
    `visit`, a number that makes sending it twice the same as sending it once. `review` is there
    when the screen has its answer already and can only be read; `is_change` when the answer may be
    changed. `here` is where they are. `withdrawal` is the code on the last page. `languages`
    are those the first page can be read in.
    """

    study: Study
    version: int
    screen: Screen
    signature: str
    token: str = ""
    step: int = 1
    here: int = 1
    review: AnswerReview | None = None
    is_change: bool = False
    visit: str = ""
    is_pilot: bool = False
    languages: tuple[str, ...] = ()
    withdrawal: str = ""
    origin: Mapping[str, str] = field(default_factory=dict)
    sent: Form = field(default_factory=dict)
    problems: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """Someone at a study's start page: a view to begin from, or the token of who has begun."""

    view: View | None = None
    token: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SendResult:
    """What became of a form: go on by the token, or look at the view again.

    `step` is the page to go to, 0 for wherever the person is. `seconds` is how long a saved screen
    was in front of the person; `is_new` is False for a screen that already had its answer.
    """

    token: str = ""
    step: int = 0
    view: View | None = None
    is_new: bool = False
    seconds: float | None = None


def sent_before(screen: Screen, values: Mapping[str, AnswerValue]) -> dict[str, list[str]]:
    """Return the form from which a screen's answer came, to show the screen filled in."""
    return {
        question.name: FIELD_TYPES[question.kind].as_sent(values.get(question.name))
        for question in screen.fields
    }


def review_answers(study: Study, screen: Screen, values: Mapping[str, AnswerValue]) -> AnswerReview:
    """Return an answered page to read; ratings that are asked for again are kept out of sight."""
    if kind_of(study).hides_answers and screen.kind == "task":
        return AnswerReview(is_hidden=True)
    return AnswerReview(
        blocks=tuple(_without_buttons(block) for block in screen.blocks),
        questions=answered_questions(screen, values),
    )


def answered_questions(
    screen: Screen, values: Mapping[str, AnswerValue]
) -> tuple[AnsweredQuestion, ...]:
    """Return what was asked on a screen and what was answered, in words."""
    return (*_fields(screen, values), *_buttons(screen, values))


def _without_buttons(block: Block) -> Block:
    if not isinstance(block, Cards):
        return block
    return block.changed(cards=tuple(card.changed(button=None) for card in block.cards))


def _fields(screen: Screen, values: Mapping[str, AnswerValue]) -> Iterator[AnsweredQuestion]:
    nothing = sentence(screen.language, "earlier_nothing")
    for question in screen.fields:
        if question.kind not in ("hidden", "views"):
            answer = FIELD_TYPES[question.kind].in_words(question, values.get(question.name))
            yield AnsweredQuestion(question=question.label, answer=answer or nothing)


def _buttons(screen: Screen, values: Mapping[str, AnswerValue]) -> Iterator[AnsweredQuestion]:
    """Yield what was pressed; a button on a card stands for the card."""
    titles = {
        (card.button.name, card.button.value): card.title
        for block in screen.blocks
        if isinstance(block, Cards)
        for card in block.cards
        if card.button
    }
    question = sentence(screen.language, "earlier_given")
    for button in screen.all_buttons:
        if button.name and values.get(button.name) == button.value:
            answer = titles.get((button.name, button.value), button.label)
            yield AnsweredQuestion(question=question, answer=answer)
