"""Compare confusion matrices in pairs: practice, a direct guess, pairs, a few last questions.

In: study, seed, answers. Out: the steps of the task; every screen of a page without a server, and
what it needs to choose pairs. Absent: how the next pair is chosen (`interview`) and how a system
looks (`system_cards`). The hidden evaluation pairs look like all others.

Without a server the bisection runs as it is: every state it can reach lies in the page. The mixture
needs a posterior, so the page asks by a plan instead (`kinds.offline_pairs`).
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from howgood import learn
from howgood.ask.comparison import DIRECT_LEAST, DIRECT_MOST, direct_question
from howgood.ask.sentences import sentence
from howgood.errors import InputError
from howgood.kinds.comparison.interview import Interview, Pair, matrices_of, most_pairs, next_pair
from howgood.kinds.comparison.plan import ComparisonPlan
from howgood.kinds.comparison.practice import last_feedback, offline_practice, practice_steps
from howgood.kinds.comparison.system_cards import bar_details, cost_details, two_cards, wording_of
from howgood.kinds.offline_pairs import as_outline, is_offline, seat_seeds
from howgood.kinds.pair_choices import (
    CHOICE,
    PAIR,
    UNDO,
    Choice,
    choices_over_time,
    choices_so_far,
    compare_answers,
    pair_key,
    pair_steps,
    replay,
)
from howgood.kinds.questions import Option, Question, question_fields
from howgood.kinds.screen_parts import (
    Step,
    continue_button,
    paragraphs,
    unreached,
)
from howgood.kinds.study import Study, plan_of
from howgood.kinds.task_export import OfflineTask
from howgood.records.confusion import ConfusionMatrix
from howgood.records.screen import (
    Answer,
    Block,
    Button,
    Field,
    Participation,
    Screen,
)

RATIO, EASIER = "ratio", "easier"
# What can be opened below a pair: the same numbers as bars, and what each error means.
BARS, COSTS = "bars", "costs"
_EASIER = ("easier", "same", "harder")
BEFORE, AFTER, INTERVIEW = "direct-before", "direct-after", "interview"
_MOST_STATES, _BISECTION_SEATS = 12_000, 12
_ANSWERS: tuple[Choice, ...] = ("first", "second", "same")
# Two matrices by number, as the pool and the page know them.
Numbered = dict[tuple[ConfusionMatrix, ConfusionMatrix], int]


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


def heard(study: Study, participation: Participation) -> Interview:
    """Return a person's interview after the choices that this version would have asked for."""
    answered = {answer.screen: answer for answer in participation.answers}
    interview = Interview(
        study,
        seed=participation.seed,
        ratio=direct_ratio(answered, BEFORE),
        offline=is_offline(answered),
    )
    replay(interview, answered, pair_text)
    return interview


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


def offline_task(study: Study) -> OfflineTask:
    """Return every screen of a comparison, and how the page chooses its pairs."""
    plan = plan_of(study, ComparisonPlan)
    shown, asks = _bisection(study, plan) if plan.algorithm == "bisection" else _mixture(study)
    steps = {step.key: step for step in _around(study, plan)}
    for number, (one, other) in enumerate(shown):
        for name, left, right in (
            (f"pair-{number}-0", one, other),
            (f"pair-{number}-1", other, one),
        ):
            pair = Pair(left=left, right=right, kind="choice")
            steps[name] = pair_step(study, plan, pair, 1, may_undo=True)
    before = [step.key for step in _before(study, plan)]
    after = [step.key for step in _after(study, plan)]
    return OfflineTask(
        outline={
            "walk": "pairs",
            "before": ["task"],
            "practice": offline_practice(study) if plan.practice else None,
            "then": before,
            "after": after,
            **asks,
        },
        steps=steps,
    )


def _around(study: Study, plan: ComparisonPlan) -> Iterator[Step]:
    yield task_step(study, plan)
    if plan.practice:
        yield from practice_steps(study, {})
    yield from _before(study, plan)
    yield from _after(study, plan)


def _before(study: Study, plan: ComparisonPlan) -> Iterator[Step]:
    if plan.direct in ("both", "before"):
        yield direct_step(study, BEFORE, ())


def _after(study: Study, plan: ComparisonPlan) -> Iterator[Step]:
    if plan.direct in ("both", "after"):
        yield direct_step(study, AFTER, ())
    if plan.interview:
        yield interview_step(plan, study.language)


Shown = list[tuple[ConfusionMatrix, ConfusionMatrix]]


def _mixture(study: Study) -> tuple[Shown, dict[str, Any]]:
    from howgood.kinds.comparison.pool import bank_of, pool_of  # loads SciPy

    plan, matrices = plan_of(study, ComparisonPlan), matrices_of(study)
    pool, bank = pool_of(matrices, plan.evaluation), bank_of(matrices)
    shown = [(bank.matrices[one], bank.matrices[other]) for one, other in pool.pairs]
    return shown, as_outline(pool, queries=plan.queries, checks=plan.checks, repeats=plan.repeats)


def _bisection(study: Study, plan: ComparisonPlan) -> tuple[Shown, dict[str, Any]]:
    """Return the pairs of every state that Algorithm 1 can reach, and of the end, per seat."""
    numbered: Numbered = {}
    graph = _graph(study, plan, numbered)
    seats = []
    for seed in seat_seeds(_BISECTION_SEATS):
        kept = Interview(study, seed=seed, ratio=None).kept_back
        after = [numbered.setdefault((query.first, query.second), len(numbered)) for query in kept]
        seats.append({"seed": seed, "after": after})
    return list(numbered), {"graph": graph, "seats": seats, "most": most_pairs(plan)}


def _graph(study: Study, plan: ComparisonPlan, numbered: Numbered) -> list[list[int]]:
    """Return the states: a pair each, and the state after each answer; -1 where it ends."""

    def search(choices: tuple[Choice, ...]) -> learn.Bisection:
        begun = Interview(study, seed=0, ratio=None).search
        if not isinstance(begun, learn.Bisection):
            raise TypeError("not a bisection")
        for choice in choices:
            begun.answer(choice)
        return begun

    paths: list[tuple[Choice, ...]] = [()]
    places, graph = {search(()).state: 0}, list[list[int]]()
    for path in paths:
        query = search(path).query()
        if query is None:
            graph.append([-1, -1, -1, -1])
            continue
        row = [numbered.setdefault((query.first, query.second), len(numbered))]
        for choice in _ANSWERS:
            state = search((*path, choice)).state
            if state not in places:
                places[state] = len(paths)
                paths.append((*path, choice))
            row.append(places[state])
        graph.append(row)
        _check_size(study, plan, len(paths))
    return graph


def _check_size(study: Study, plan: ComparisonPlan, n_states: int) -> None:
    if n_states > _MOST_STATES:
        raise InputError(
            where=f"study {study.slug!r}, comparison.tolerance",
            found=f"{plan.tolerance:g}: more than {_MOST_STATES:,} states of the bisection",
            needed="a page that people can open",
            cure="Use a tolerance of 0.02 or more, or run it with howgood serve.",
        )
