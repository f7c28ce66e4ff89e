"""A comparison's answers as rows: the log of pairs, and what was said beside them.

In: a comparison and one person's participation. Out: one row per pair shown, and facts about the
person with the elicited metric. Absent: fitting many people together.
"""

from collections.abc import Iterator

from howgood.flow.participate import comparison
from howgood.flow.participate.interview import Choice, Interview, Pair, replayed, weight_of
from howgood.flow.participate.practice import ANSWER, is_right, practice_key, questions_of
from howgood.records.elicitation import ElicitationResult
from howgood.records.plans import ComparisonPlan
from howgood.records.screen import Answer, AnswerValue, Participation
from howgood.records.study import Study, plan_of

# What the column of choices holds, by what a page sends; the codebook takes it from here.
_EXPORTED = {"first": "left", "second": "right", "same": "same", comparison.UNDO: "undo"}
CHOICE_LEVELS = {
    "left": "prefers the left system",
    "right": "prefers the right system",
    "same": "no preference",
    "undo": "took the choice before back",
}
_CELLS = ("true_positives", "false_negatives", "false_positives", "true_negatives")
Row = dict[str, AnswerValue | bool]


def comparison_rows(study: Study, participation: Participation) -> Iterator[Row]:
    """Yield one row per pair shown, undone ones too: counts, sides, choice, kind and time."""
    answered = {each.screen: each for each in participation.answers}
    ratio = comparison.direct_ratio(answered, comparison.BEFORE)
    interviews = [Interview(study, seed=participation.seed, ratio=ratio)]
    choices: list[str] = []
    for answer in comparison.compare_answers(answered):
        pair = interviews[-1].pair()
        given = answer.values.get(comparison.CHOICE)
        if pair is None or not isinstance(given, str):
            return
        yield _row(participation, answer, pair, number=len(choices) + 1, given=given)
        if given == comparison.UNDO:
            choices = choices[:-1]
            interviews.append(
                replayed(
                    study, seed=participation.seed, ratio=ratio, choices=_checked(tuple(choices))
                )
            )
        else:
            choices.append(given)
            interviews[-1].take(_checked((given,))[0])


def _row(
    participation: Participation, answer: Answer, pair: Pair, *, number: int, given: str
) -> Row:
    """Return one pair as it was shown; what kind it was comes from replaying the choices."""
    replayed_text = comparison.pair_text(pair)
    shown = str(answer.values.get(comparison.PAIR) or replayed_text)
    left, right = ([int(count) for count in side.split()] for side in shown.split(" / "))
    return {
        "participant": participation.participant,
        "screen": answer.screen,
        "number": number,
        "kind": pair.kind if shown == replayed_text else None,
        **{f"left_{name}": count for name, count in zip(_CELLS, left, strict=True)},
        **{f"right_{name}": count for name, count in zip(_CELLS, right, strict=True)},
        "choice": _EXPORTED[given],
        "seconds": answer.seconds,
    }


def comparison_facts(study: Study, participation: Participation) -> Row:
    """Return practice, direct answers, the last questions, and what the choices say."""
    plan = plan_of(study, ComparisonPlan)
    answered = {each.screen: each for each in participation.answers}
    facts: Row = {
        "ratio_before": comparison.direct_ratio(answered, comparison.BEFORE),
        "ratio_after": comparison.direct_ratio(answered, comparison.AFTER),
    }
    if plan.practice:
        facts |= _practice(study, answered)
    if plan.interview:
        given = answered.get(comparison.INTERVIEW)
        facts |= {
            each.key: given.values.get(each.key) if given else None
            for each in comparison.interview_questions(plan, study.language)
        }
    choices = comparison.choices_so_far(answered)
    if choices:
        facts |= _elicited(study, participation, answered)
    return facts


def _practice(study: Study, answered: dict[str, Answer]) -> Row:
    tries = {False: 0, True: 0}
    for number, question in enumerate(questions_of(study), start=1):
        for again in tries:
            answer = answered.get(practice_key(number, again=again))
            tries[again] += answer is not None and is_right(question, answer.values.get(ANSWER))
    return {"practice_right_at_once": tries[False], "practice_right_again": tries[True]}


def _elicited(study: Study, participation: Participation, answered: dict[str, Answer]) -> Row:
    interview = replayed(
        study,
        seed=participation.seed,
        ratio=comparison.direct_ratio(answered, comparison.BEFORE),
        choices=comparison.choices_so_far(answered),
    )
    result, weight = interview.result(), weight_of(interview)
    between = result.interval if weight is not None else None
    facts: Row = {
        "a0": weight.mean if weight is not None else None,
        "a0_lower": between.lower if between else None,
        "a0_upper": between.upper if between else None,
    }
    if isinstance(result, ElicitationResult):
        return facts | {
            "p_linear": result.families.get("linear"),
            "agreement": result.agreement.percent if result.agreement else None,
            "checks_wrong": result.checks.catch_wrong,
            "looks_careless": result.checks.looks_careless,
        }
    return facts


def _checked(choices: tuple[str, ...]) -> tuple[Choice, ...]:
    names: dict[str, Choice] = {"first": "first", "second": "second", "same": "same"}
    return tuple(names[each] for each in choices)
