"""Questions next to the task as pages: in which order, on which page, for whom.

In: a study, a person's seed and answers. Out: the pages of a section with the questions this person
sees on them, and what they answered there. Absent: the screens made of them (`flow.participate`),
whether rules can hold (`logic`).

Pages without scripts cannot react to what is ticked on them, so a question that depends on an
answer comes on a page after it: a new page begins where one is needed.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from howgood.kinds.field_types import FIELD_TYPES
from howgood.kinds.questions import Question, question_type
from howgood.kinds.rules import RandomBlock, ScreenOut, holds, piped_names
from howgood.kinds.seeded import shuffled
from howgood.kinds.study import Study
from howgood.records.screen import Answer, AnswerValue

DEMOGRAPHICS, CLOSING = "demographics", "closing"


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionPage:
    """A page of a section: the questions on it, as far as they are shown to this person.

    `is_sure` is False while it is not known whether there will be any.
    """

    key: str
    questions: tuple[Question, ...]
    is_sure: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """One person's way past the questions: pages by section, and the answers that count.

    `known` are answers to questions that were shown, `words` the same as people read them.
    """

    pages: Mapping[str, tuple[QuestionPage, ...]]
    known: Mapping[str, AnswerValue] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict)

    def screened_out(self, study: Study) -> ScreenOut | None:
        """Return the first rule that ends this person's way."""
        return next((rule for rule in study.screen_outs if holds(rule.when, self.known)), None)

    def quotas(self, study: Study) -> tuple[str, ...]:
        """Return the quotas that count this person."""
        return tuple(quota.key for quota in study.quotas if holds(quota.when, self.known))


def walk(study: Study, *, seed: int, answered: Mapping[str, Answer]) -> Walk:
    """Return a person's way past the questions, as far as the answers decide it."""
    known: dict[str, AnswerValue] = {}
    words: dict[str, str] = {}
    pages = {
        section: tuple(_pages(study, section, seed, answered, known, words)) if questions else ()
        for section, questions in ((DEMOGRAPHICS, study.demographics), (CLOSING, study.closing))
    }
    return Walk(pages=pages, known=known, words=words)


def _pages(
    study: Study,
    section: str,
    seed: int,
    answered: Mapping[str, Answer],
    known: dict[str, AnswerValue],
    words: dict[str, str],
) -> Iterable[QuestionPage]:
    given = section_answers(section, answered)
    is_ahead = False
    for number, page in enumerate(_section_pages(study, section, seed), start=1):
        key = section if number == 1 else f"{section}-{number}"
        if is_ahead:
            yield QuestionPage(key=key, questions=page, is_sure=not all(q.show_if for q in page))
            continue
        shown = tuple(question for question in page if holds(question.show_if, known))
        if not shown:
            continue
        yield QuestionPage(key=key, questions=shown)
        # Tables from other programs have the answers to a whole section under its first page.
        if key in answered or (section in answered and _names(shown) & given.keys()):
            _learn(shown, given, study.language, known, words)
        else:
            is_ahead = True


@lru_cache(maxsize=1024)
def _section_pages(study: Study, section: str, seed: int) -> tuple[tuple[Question, ...], ...]:
    """Remember the pages of those who are here: they ask again with every answer."""
    questions = study.demographics if section == DEMOGRAPHICS else study.closing
    return tuple(paged(ordered(questions, study.blocks, seed)))


def _learn(
    shown: Iterable[Question],
    given: Mapping[str, AnswerValue],
    language: str,
    known: dict[str, AnswerValue],
    words: dict[str, str],
) -> None:
    for question in shown:
        for asked in question_type(question).fields(question, language):
            value = given.get(asked.name)
            known[asked.name] = value
            words[asked.name] = FIELD_TYPES[asked.kind].in_words(asked, value)


def section_answers(section: str, answered: Mapping[str, Answer]) -> dict[str, AnswerValue]:
    """Return what was answered on the pages of a section, by the name of the question."""
    return {
        name: value
        for screen, answer in answered.items()
        if screen == section or screen.startswith(f"{section}-")
        for name, value in answer.values.items()
    }


def ordered(
    questions: Sequence[Question], blocks: Iterable[RandomBlock], seed: int
) -> tuple[Question, ...]:
    """Return questions in a person's order: a random block is shuffled among its own places.

    A page begins at a place, whichever question stands there; where none does, at the next one.
    """
    places: list[Question | None] = list(questions)
    for block in blocks:
        own = [index for index, question in enumerate(questions) if question.block == block.key]
        drawn = shuffled(own, seed, "block", block.key)[: block.show]
        for place, source in zip(own, [*drawn, *[None] * len(own)], strict=False):
            places[place] = None if source is None else questions[source]
    found, begins_page = [], False
    for written, question in zip(questions, places, strict=True):
        begins_page = begins_page or written.new_page
        if question is not None:
            found.append(question.model_copy(update={"new_page": begins_page}))
            begins_page = False
    return tuple(found)


def paged(questions: Iterable[Question]) -> list[tuple[Question, ...]]:
    """Return questions page by page: a new one begins where an answer on this one is needed."""
    pages: list[list[Question]] = []
    for question in questions:
        needed = {rule.question for rule in question.show_if} | piped_in(question)
        if not pages or question.new_page or needed & _names(pages[-1]):
            pages.append([])
        pages[-1].append(question)
    return [tuple(page) for page in pages]


def piped_in(question: Question) -> set[str]:
    """Return the questions whose answers a question repeats in its words."""
    parts = question_type(question).parts(question)
    texts = (question.text, question.help, *(part.text for part in parts))
    return set().union(*map(piped_names, texts))


def _names(questions: Iterable[Question]) -> set[str]:
    return {name for question in questions for name in question_type(question).names(question)}
