"""Practice before comparing: can the participant read the chart?

In: a comparison. Out: six questions with their answers: two each on reading one chart, comparing
two, and imagining new cases (after Shen et al. 2020). Absent: whether somebody may go on; everybody
may.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from howgood.ask.sentences import sentence
from howgood.flow.participate.interview import comparison_plan, matrices_of
from howgood.flow.participate.matrix_text import card, counts_of, two_cards
from howgood.flow.participate.pieces import Step, continue_button, paragraphs
from howgood.records.confusion import ConfusionMatrix
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
from howgood.records.study import Study

ANSWER = "answer"
_NEAR = 10  # cases in 100 by which an imagined number may be off


@dataclass(frozen=True, slots=True, kw_only=True)
class PracticeQuestion:
    """One question; `right` is a number, or "first" or "second"."""

    key: str
    right: int | str
    blanks: dict[str, object]
    near: int = 0
    is_pair: bool = False

    def is_right(self, given: AnswerValue) -> bool:
        """Whether an answer counts as right."""
        if isinstance(self.right, int):
            return isinstance(given, int | float) and abs(given - self.right) <= self.near
        return given == self.right


@lru_cache(maxsize=64)
def practice_questions(study: Study) -> tuple[PracticeQuestion, ...]:
    """Return the questions about the study's own matrices, in order."""
    sharp, _ = practice_pair(study)
    counts = counts_of(sharp)
    found = round(100 * sharp.recall)
    questions = [
        PracticeQuestion(key="flagged", right=counts["all_flagged"], blanks={**counts}),
        PracticeQuestion(key="missed", right=counts["missed"], blanks={**counts}),
        PracticeQuestion(key="fewer_misses", right="first", blanks={}, is_pair=True),
        PracticeQuestion(key="more_alarms", right="first", blanks={}, is_pair=True),
        PracticeQuestion(key="found", right=found, blanks={**counts}, near=_NEAR),
    ]
    if sharp.flagged:
        right = round(100 * sharp.precision)
        questions.append(
            PracticeQuestion(key="right_flags", right=right, blanks={**counts}, near=_NEAR)
        )
    return tuple(questions)


@lru_cache(maxsize=64)
def practice_pair(study: Study) -> tuple[ConfusionMatrix, ConfusionMatrix]:
    """Return the clearest trade-off: the first has fewer misses and more false alarms."""

    def clearness(pair: tuple[ConfusionMatrix, ConfusionMatrix]) -> float:
        one, other = pair
        found = one.true_positives - other.true_positives
        cleared = one.true_negatives - other.true_negatives
        return min(abs(found), abs(cleared)) if found * cleared < 0 else 0.0

    one, other = max(combinations(matrices_of(study), 2), key=clearness)
    return (one, other) if one.true_positives > other.true_positives else (other, one)


def practice_key(number: int, *, again: bool) -> str:
    """Return the key of the screen of a question, or of its second try."""
    return f"practice-{number}-again" if again else f"practice-{number}"


def practice_steps(study: Study, answered: Mapping[str, Answer]) -> list[Step]:
    """Return the steps of the practice: a question, and once more where it was not right."""
    questions, language = practice_questions(study), study.language
    found: list[Step] = []
    notice: tuple[Block, ...] = tuple(paragraphs(sentence(language, "practice_text")))
    for number, question in enumerate(questions, start=1):
        first, again = (practice_key(number, again=each) for each in (False, True))
        found.append(_step(study, question, number, key=first, above=notice))
        if first in answered and not question.is_right(answered[first].values.get(ANSWER)):
            retry = (_notice("warning", sentence(language, "practice_again")),)
            found.append(_step(study, question, number, key=again, above=retry))
        notice = feedback(question, language, answered.get(again) or answered.get(first))
    return found


def last_feedback(study: Study, answered: Mapping[str, Answer]) -> tuple[Block, ...]:
    """Return what to say about the last question, on the page after the practice."""
    questions = practice_questions(study)
    keys = (practice_key(len(questions), again=again) for again in (True, False))
    answer = next((answered[key] for key in keys if key in answered), None)
    return feedback(questions[-1], study.language, answer)


def feedback(question: PracticeQuestion, language: str, answer: Answer | None) -> tuple[Block, ...]:
    """Return what to say about an answer, on the page after it."""
    if answer is None:
        return ()
    if question.is_right(answer.values.get(ANSWER)):
        return (_notice("good", sentence(language, "practice_right")),)
    names = {"first": "system_a", "second": "system_b"}
    right = question.right
    shown = sentence(language, names[right]) if isinstance(right, str) else str(right)
    return (_notice("neutral", sentence(language, "practice_answer", answer=shown)),)


def _notice(tone: Tone, text: str) -> Notice:
    return Notice(words=(Words(text=text),), tone=tone)


def _step(
    study: Study, question: PracticeQuestion, number: int, *, key: str, above: tuple[Block, ...]
) -> Step:
    language = study.language

    def make() -> Screen:
        blanks = {**comparison_plan(study).words, **question.blanks}
        asked = sentence(language, f"practice_{question.key}", **blanks)
        total = len(practice_questions(study))
        return Screen(
            key=key,
            kind="task",
            title=sentence(language, "practice_title", number=number, total=total),
            language=language,
            blocks=(*above, _cards(study, question)),
            fields=(_field(question, asked, language),),
            buttons=continue_button(language),
        )

    return Step(key=key, make=make)


def _cards(study: Study, question: PracticeQuestion) -> Cards:
    plan, language = comparison_plan(study), study.language
    sharp, calm = practice_pair(study)
    if question.is_pair:
        shown = two_cards(plan, sharp, calm, language=language)
        return Cards(cards=shown.cards)  # the line on how they differ would give it away
    title = sentence(language, "system_a")
    return Cards(cards=(card(plan, sharp, title=title, language=language),))


def _field(question: PracticeQuestion, label: str, language: str) -> Field:
    if not question.is_pair:
        return Field(
            name=ANSWER, kind="number", label=label, minimum=0, maximum=100_000, whole=True
        )
    options = (
        FieldOption(value="first", label=sentence(language, "system_a")),
        FieldOption(value="second", label=sentence(language, "system_b")),
    )
    return Field(name=ANSWER, kind="choice", label=label, options=options)
