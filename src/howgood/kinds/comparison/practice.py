"""Practice before comparing: can the participant read the chart?

In: a comparison and the answers so far. Out: the steps of the practice, with feedback and one more
try. Absent: the questions (`ask.practice_questions`); whether somebody may go on: everybody may.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from howgood.ask.comparison import practice_pair, practice_questions
from howgood.ask.sentences import sentence
from howgood.kinds.comparison.interview import matrices_of
from howgood.kinds.comparison.system_cards import card, wording_of
from howgood.kinds.screen_parts import Step, continue_button, paragraphs
from howgood.kinds.study import Study
from howgood.records.comparison import PracticeQuestion
from howgood.records.screen import (
    Answer,
    AnswerValue,
    Block,
    Cards,
    Field,
    FieldOption,
    Notice,
    Screen,
    Tone,
    Words,
)

ANSWER = "answer"


@lru_cache(maxsize=64)
def questions_of(study: Study) -> tuple[PracticeQuestion, ...]:
    """Return the practice questions about the study's own matrices, in order."""
    return practice_questions(
        matrices_of(study), wording=wording_of(study), language=study.language
    )


def is_right(question: PracticeQuestion, given: AnswerValue) -> bool:
    """Whether an answer counts as right; choices are kept by their place from 1."""
    if isinstance(given, str) and question.options:
        return question.is_right(question.options[int(given) - 1])
    return isinstance(given, int | float) and question.is_right(given)


def practice_key(number: int, *, again: bool) -> str:
    """Return the key of the screen of a question, or of its second try."""
    return f"practice-{number}-again" if again else f"practice-{number}"


def practice_steps(study: Study, answered: Mapping[str, Answer]) -> list[Step]:
    """Return the steps of the practice: a question, and once more where it was not right."""
    steps: list[Step] = []
    above: tuple[Block, ...] = paragraphs(sentence(study.language, "practice_text"))
    for number, question in enumerate(questions_of(study), start=1):
        first, again = (practice_key(number, again=flipped) for flipped in (False, True))
        steps.append(_step(study, question, number, key=first, above=above))
        if first in answered and not is_right(question, answered[first].values.get(ANSWER)):
            retry = (_notice("warning", sentence(study.language, "practice_again")),)
            retried = _step(study, question, number, key=again, above=retry)
            steps.append(replace(retried, advance=0))
        above = _feedback(question, study.language, answered.get(again) or answered.get(first))
    return steps


def offline_practice(study: Study) -> dict[str, Any]:
    """Return what a page without a server says before, between and after the questions."""
    again = _notice("warning", sentence(study.language, "practice_again"))
    return {
        "text": [part.to_dict() for part in paragraphs(sentence(study.language, "practice_text"))],
        "again": again.to_dict(),
        "questions": [
            {
                "right": _right_answers(question),
                "said": {
                    tone: _said(question, study.language, tone == "good").to_dict()
                    for tone in ("good", "neutral")
                },
            }
            for question in questions_of(study)
        ],
    }


def _right_answers(question: PracticeQuestion) -> dict[str, Any]:
    """Return which places of the options are right, or between which numbers an answer is."""
    if question.options:
        places = range(1, len(question.options) + 1)
        return {"places": [str(place) for place in places if is_right(question, str(place))]}
    middle = float(question.answer)
    return {"from": middle - question.tolerance, "to": middle + question.tolerance}


def last_feedback(study: Study, answered: Mapping[str, Answer]) -> tuple[Block, ...]:
    """Return what to say about the last question, on the page after the practice."""
    questions = questions_of(study)
    keys = (practice_key(len(questions), again=again) for again in (True, False))
    answer = next((answered[key] for key in keys if key in answered), None)
    return _feedback(questions[-1], study.language, answer)


def _feedback(
    question: PracticeQuestion, language: str, answer: Answer | None
) -> tuple[Block, ...]:
    if answer is None:
        return ()
    return (_said(question, language, is_right(question, answer.values.get(ANSWER))),)


def _said(question: PracticeQuestion, language: str, was_right: bool) -> Notice:
    if was_right:
        return _notice("good", f"{sentence(language, 'practice_right')} {question.feedback}")
    right = sentence(language, "practice_answer", answer=question.answer)
    return _notice("neutral", f"{right} {question.feedback}")


def _notice(tone: Tone, text: str) -> Notice:
    return Notice(words=(Words(text=text),), tone=tone)


def _step(
    study: Study, question: PracticeQuestion, number: int, *, key: str, above: tuple[Block, ...]
) -> Step:
    def make() -> Screen:
        total = len(questions_of(study))
        return Screen(
            key=key,
            kind="task",
            title=sentence(study.language, "practice_title", number=number, total=total),
            language=study.language,
            blocks=(*above, _cards(study, question)),
            fields=(_field(question),),
            buttons=continue_button(study.language),
        )

    return Step(key=key, make=make)


def _cards(study: Study, question: PracticeQuestion) -> Cards:
    one, two = practice_pair(matrices_of(study))
    first = card(study, one, name="A")
    return Cards(cards=(first, card(study, two, name="B")) if question.options else (first,))


def _field(question: PracticeQuestion) -> Field:
    if not question.options:
        return Field(
            name=ANSWER,
            kind="number",
            label=question.text,
            minimum=0,
            maximum=100_000,
            whole=True,
        )
    options = tuple(
        FieldOption(value=str(place), label=label)
        for place, label in enumerate(question.options, start=1)
    )
    return Field(name=ANSWER, kind="choice", label=question.text, options=options)
