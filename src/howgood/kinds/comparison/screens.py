"""Compare confusion matrices in pairs: practice, a direct guess, pairs, a few last questions.

In: study, seed, answers. Out: the steps of the task. Absent: how the next pair is chosen
(`interview`) and how a system looks (`cards`). The hidden evaluation pairs look like all
others.
"""

from collections.abc import Mapping
from datetime import datetime

from howgood.ask.comparison import DIRECT_LEAST, DIRECT_MOST, direct_question
from howgood.ask.sentences import sentence
from howgood.kinds.comparison.cards import bar_details, cost_details, two_cards, wording_of
from howgood.kinds.comparison.interview import Pair, most_pairs, next_pair
from howgood.kinds.comparison.plan import ComparisonPlan
from howgood.kinds.comparison.practice import last_feedback, practice_steps
from howgood.kinds.offline_pairs import is_offline
from howgood.kinds.pair_choices import (
    CHOICE,
    PAIR,
    UNDO,
    choices_over_time,
    choices_so_far,
    compare_answers,
    pair_key,
    pair_steps,
)
from howgood.kinds.questions import Option, Question, question_fields
from howgood.kinds.screen_parts import (
    Step,
    continue_button,
    paragraphs,
    unreached,
)
from howgood.kinds.study import Study, plan_of
from howgood.records.screen import (
    Answer,
    Block,
    Button,
    Field,
    Screen,
)

RATIO, EASIER = "ratio", "easier"
# What can be opened below a pair: the same numbers as bars, and what each error means.
BARS, COSTS = "bars", "costs"
_EASIER = ("easier", "same", "harder")
BEFORE, AFTER, INTERVIEW = "direct-before", "direct-after", "interview"


def steps(
    study: Study, condition: str, seed: int, answered: Mapping[str, Answer], now: datetime
) -> list[Step]:
    """Return the steps of the comparison, with as many pairs as are still possible."""
    plan, language = plan_of(study, ComparisonPlan), study.language
    task_steps = [task_step(study, plan)]
    if plan.practice:
        task_steps += practice_steps(study, answered)
    if plan.direct in ("both", "before"):
        above = last_feedback(study, answered) if plan.practice else ()
        task_steps.append(direct_step(study, BEFORE, above))
    if all(part.key in answered for part in task_steps):
        task_steps += _pairs(study, plan, seed, answered)
    else:
        task_steps.append(unreached("pairs ahead", advance=most_pairs(plan)))
    if plan.direct in ("both", "after"):
        task_steps.append(direct_step(study, AFTER, ()))
    if plan.interview:
        task_steps.append(interview_step(plan, language))
    return task_steps


def direct_ratio(answered: Mapping[str, Answer], key: str) -> float | None:
    """Return how many false alarms one miss is worth, as said directly; None if not said."""
    given = answered[key].values.get(RATIO) if key in answered else None
    return float(given) if isinstance(given, int | float) and given > 0 else None


def shows_pair(screen: Screen) -> bool:
    """Return whether a screen asks about a pair; practice before it is not what is studied."""
    return any(field.name == PAIR for field in screen.fields)


def own_questions(study: Study) -> tuple[Question, ...]:
    """Return the last questions, where the study asks them."""
    plan = plan_of(study, ComparisonPlan)
    return last_questions(plan, study.language) if plan.interview else ()


def facilitator_questions(study: Study) -> tuple[Question, ...]:
    """Return the six published questions, which a facilitator may ask instead of the page."""
    return interview_questions(plan_of(study, ComparisonPlan), study.language)


def last_questions(plan: ComparisonPlan, language: str) -> tuple[Question, ...]:
    """Return the six published questions, and whether choosing was easier than a number."""
    options = tuple(Option(key=key, text=sentence(language, f"easier_{key}")) for key in _EASIER)
    easier = Question(key=EASIER, text=sentence(language, "easier_question"), options=options)
    return (*interview_questions(plan, language), easier)


def interview_questions(plan: ComparisonPlan, language: str) -> tuple[Question, ...]:
    """Return the six published questions in the study's words."""
    own = {**plan.words, "use": f" {plan.words['use']}" if plan.words.get("use") else ""}
    options = tuple(
        Option(key=name, text=sentence(language, f"interview_q1_{name}")) for name in ("a", "b")
    )
    return (
        Question(key="q1", text=sentence(language, "interview_q1", **own), options=options),
        *(
            Question(
                key=f"q{number}",
                type="text",
                text=sentence(language, f"interview_q{number}", **own),
            )
            for number in range(2, 7)
        ),
    )


def pair_text(pair: Pair) -> str:
    """Return the counts as shown, left and right; kept with the answer as what was judged."""
    return " / ".join(
        " ".join(f"{count:g}" for count in side.to_dict().values())
        for side in (pair.left, pair.right)
    )


def _pairs(
    study: Study, plan: ComparisonPlan, seed: int, answered: Mapping[str, Answer]
) -> list[Step]:
    """Return the answered pairs, the next one, and a place for all that may follow."""
    pair, at = next_pair(
        study,
        seed=seed,
        ratio=direct_ratio(answered, BEFORE),
        history=choices_over_time(answered),
        offline=is_offline(answered),
    )
    number = len(compare_answers(answered)) + 1
    shown = None
    if pair is not None:
        shown = pair_step(study, plan, pair, number, may_undo=bool(choices_so_far(answered)))
    return pair_steps(shown, answered, at=at, most=most_pairs(plan))


def task_step(study: Study, plan: ComparisonPlan) -> Step:
    """Return what the systems do, before practice."""

    def make() -> Screen:
        return Screen(
            key="task",
            kind="text",
            title=sentence(study.language, "task_title"),
            language=study.language,
            blocks=(*paragraphs(plan.task), *cost_details(study, is_open=True)),
            buttons=continue_button(study.language),
        )

    return Step(key="task", make=make)


def direct_step(study: Study, key: str, above: tuple[Block, ...]) -> Step:
    """Return the direct question, before the pairs or after them."""
    language, wording = study.language, wording_of(study)

    def make() -> Screen:
        begin = sentence(language, "direct_begin") if key == BEFORE else ""
        own = {"miss": wording.miss, "alarm": wording.alarm, "alarms": wording.alarms}
        return Screen(
            key=key,
            kind="task",
            title=sentence(language, "direct_title"),
            language=language,
            blocks=(*above, *paragraphs(begin), *cost_details(study, is_open=False)),
            fields=(
                Field(
                    name=RATIO,
                    kind="number",
                    label=direct_question(wording, language=language).text,
                    help=sentence(language, "direct_help", **own),
                    required=False,
                    minimum=DIRECT_LEAST,
                    maximum=DIRECT_MOST,
                ),
            ),
            buttons=continue_button(language),
        )

    return Step(key=key, make=make)


def pair_step(
    study: Study, plan: ComparisonPlan, pair: Pair, number: int, *, may_undo: bool
) -> Step:
    """Return the page of a pair."""
    language, key = study.language, pair_key(number)

    def make() -> Screen:
        prefer = sentence(language, "prefer_this")
        cards = two_cards(
            study,
            pair.left,
            pair.right,
            buttons=(
                Button(label=prefer, name=CHOICE, value="first", key="1"),
                Button(label=prefer, name=CHOICE, value="second", key="2"),
            ),
        )
        openable = (
            *bar_details(study, pair.left, pair.right, logged=BARS),
            *cost_details(study, is_open=False, logged=COSTS),
        )
        same = sentence(language, "no_preference")
        buttons = [Button(label=same, name=CHOICE, value="same", main=False, key="0")]
        if may_undo:
            undo = sentence(language, "undo")
            buttons.append(Button(label=undo, name=CHOICE, value=UNDO, main=False, key="u"))
        return Screen(
            key=key,
            kind="task",
            title=plan.question,
            language=language,
            blocks=(cards, *openable),
            fields=(
                Field(name=PAIR, kind="hidden", label="", value=pair_text(pair)),
                *(
                    Field(name=part.logged, kind="views", label="", required=False)
                    for part in openable
                ),
            ),
            buttons=tuple(buttons),
        )

    return Step(key=key, make=make)


def interview_step(plan: ComparisonPlan, language: str) -> Step:
    """Return the last questions."""

    def make() -> Screen:
        questions = last_questions(plan, language)
        return Screen(
            key=INTERVIEW,
            kind="questions",
            title=sentence(language, "interview_title"),
            language=language,
            blocks=paragraphs(sentence(language, "closing_text")),
            fields=question_fields(questions, language),
            buttons=continue_button(language),
        )

    return Step(key=INTERVIEW, make=make)
