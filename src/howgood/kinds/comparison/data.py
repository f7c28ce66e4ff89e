"""A comparison's answers as rows, and what their columns mean.

In: a comparison and one person's participation. Out: one row per pair shown, facts about the person
with the elicited metric, columns. Absent: fitting many people together (`results`).
"""

from collections.abc import Iterator

from howgood.kinds import pair_choices
from howgood.kinds.comparison import screens
from howgood.kinds.comparison.interview import Interview, Pair, replayed, weight_of
from howgood.kinds.comparison.plan import ComparisonPlan
from howgood.kinds.comparison.practice import ANSWER, is_right, practice_key, questions_of
from howgood.kinds.field_types import views_of
from howgood.kinds.offline_pairs import is_offline
from howgood.kinds.pair_choices import Choice
from howgood.kinds.protocol import Row
from howgood.kinds.study import Study, plan_of
from howgood.records.answer_checks import AnswerChecks, JudgedMap, JudgedPoint, is_better
from howgood.records.codebook import CELLS, PARTICIPANT, SECONDS, Column, columns
from howgood.records.comparison import PracticeQuestion
from howgood.records.elicitation import QUERY_KINDS, ElicitationResult
from howgood.records.screen import Answer, AnswerValue, Participation

# What the column of choices holds, by what a page sends.
_EXPORTED = {"first": "left", "second": "right", "same": "same", pair_choices.UNDO: "undo"}
_CHOICE_LEVELS = {
    "left": "prefers the left system",
    "right": "prefers the right system",
    "same": "no preference",
    "undo": "took the choice before back",
}
_OPENABLE = {screens.BARS: "the bars", screens.COSTS: "the costs of errors"}
_KIND_LEVELS = {str(kind): why for kind, why in QUERY_KINDS.items()}
_COLUMNS = columns(
    PARTICIPANT,
    ("screen", "text", "name of the page"),
    ("number", "integer", "number of the pair; a pair that was undone is asked again"),
    ("kind", "text", "why this pair was asked; empty: not known", _KIND_LEVELS),
    *((f"left_{name}", "integer", f"{meaning}, left") for name, meaning in CELLS.items()),
    *((f"right_{name}", "integer", f"{meaning}, right") for name, meaning in CELLS.items()),
    ("choice", "text", "what was chosen", _CHOICE_LEVELS),
    SECONDS,
    *(
        column
        for part, what in _OPENABLE.items()
        for column in (
            (f"{part}_opened", "integer", f"how often {what} were opened; empty: not known"),
            (f"{part}_seconds", "number", f"for how many seconds {what} were open, together"),
        )
    ),
)
_DIRECT = columns(
    ("ratio_before", "number", "direct answer before the pairs: false alarms that equal one miss"),
    ("ratio_after", "number", "the same, asked after the pairs"),
)
_PRACTICE = columns(
    ("practice_right_at_once", "integer", "practice questions right at the first try"),
    ("practice_right_again", "integer", "practice questions right at the second try"),
)
_ELICITED = columns(
    (
        "a0",
        "number",
        "weight of true negatives (correct rejections) that the choices say, from 0 to 1; true "
        "positives weigh 1 - a0, so one miss is worth (1 - a0) / a0 false alarms; empty: not "
        "enough evidence",
    ),
    ("a0_lower", "number", "lower end of its 90 % interval, or of a bisection's last bracket"),
    ("a0_upper", "number", "upper end of its 90 % interval, or of a bisection's last bracket"),
    (
        "p_linear",
        "number",
        "probability that the person's metric is linear; empty: not enough evidence",
    ),
    (
        "fits",
        "boolean",
        "whether a metric describes the person, as far as tests of fit can tell; if not, a0 is "
        "empty; empty for a bisection, which has no such test",
    ),
    ("agreement", "number", "percent of hidden pairs the metric predicts"),
    ("checks_wrong", "integer", "pairs with a plainly better side answered against it"),
    ("looks_careless", "boolean", "whether the checks suggest careless answers"),
)


def rows(study: Study, participation: Participation) -> Iterator[Row]:
    """Yield one row per pair shown, undone ones too: counts, sides, choice, kind and time."""
    answered = {one_answer.screen: one_answer for one_answer in participation.answers}
    ratio = screens.direct_ratio(answered, screens.BEFORE)
    offline = is_offline(answered)
    interviews = [Interview(study, seed=participation.seed, ratio=ratio, offline=offline)]
    choices: list[Choice] = []
    for answer in pair_choices.compare_answers(answered):
        pair = interviews[-1].pair()
        given = answer.values.get(pair_choices.CHOICE)
        if not isinstance(given, str) or not (pair or answer.values.get(pair_choices.PAIR)):
            return
        yield _row(participation, answer, pair, number=len(choices) + 1, given=given)
        if given == pair_choices.UNDO:
            choices = choices[:-1]
            again = replayed(
                study,
                seed=participation.seed,
                ratio=ratio,
                choices=tuple(choices),
                offline=offline,
            )
            interviews.append(again)
        else:
            choices.append(pair_choices.as_choice(given))
            interviews[-1].take(choices[-1])


def _row(
    participation: Participation, answer: Answer, pair: Pair | None, *, number: int, given: str
) -> Row:
    """Return one pair as it was shown; what kind it was comes from replaying the choices."""
    replayed_text = screens.pair_text(pair) if pair else None
    shown = str(answer.values.get(pair_choices.PAIR) or replayed_text)
    left, right = ([int(count) for count in side.split()] for side in shown.split(" / "))
    return {
        "participant": participation.participant,
        "screen": answer.screen,
        "number": number,
        "kind": pair.kind if pair and shown == replayed_text else None,
        **{f"left_{name}": count for name, count in zip(CELLS, left, strict=True)},
        **{f"right_{name}": count for name, count in zip(CELLS, right, strict=True)},
        "choice": _EXPORTED[given],
        "seconds": answer.seconds,
        **_opened(answer),
    }


def _opened(answer: Answer) -> Row:
    """Return how often and how long the parts below a pair were open; None where not known."""
    facts = Row()
    for part in _OPENABLE:
        times, seconds = views_of(answer.values.get(part)) or (None, None)
        facts |= {f"{part}_opened": times, f"{part}_seconds": seconds}
    return facts


def person_facts(study: Study, participation: Participation) -> Row:
    """Return practice, direct answers, the last questions, and what the choices say."""
    plan = plan_of(study, ComparisonPlan)
    answered = {answer.screen: answer for answer in participation.answers}
    facts: Row = {
        "ratio_before": screens.direct_ratio(answered, screens.BEFORE),
        "ratio_after": screens.direct_ratio(answered, screens.AFTER),
    }
    if plan.practice:
        facts |= _practice(study, answered)
    if plan.interview:
        given = answered.get(screens.INTERVIEW)
        facts |= {
            last_question.key: given.values.get(last_question.key) if given else None
            for last_question in screens.last_questions(plan, study.language)
        }
    if pair_choices.standing_answers(answered):
        facts |= _elicited(study, participation)
    return facts


def answer_checks(study: Study, participation: Participation) -> AnswerChecks:
    """Return the pairs with a plainly better side, and which side was chosen."""
    answered = {one_answer.screen: one_answer for one_answer in participation.answers}
    pairs: list[tuple[JudgedPoint, JudgedPoint]] = []
    for answer in pair_choices.compare_answers(answered):
        given, shown = answer.values.get(pair_choices.CHOICE), answer.values.get(pair_choices.PAIR)
        if given == pair_choices.UNDO:
            pairs = pairs[:-1]
        elif isinstance(given, str) and isinstance(shown, str) and " / " in shown:
            left, right = shown.split(" / ")
            pairs.append((_point(left, given, "first"), _point(right, given, "second")))
    plain = [pair for pair in pairs if is_better(*pair) or is_better(*reversed(pair))]
    points = tuple(point for pair in plain for point in pair)
    drawn = JudgedMap(
        title="Pairs with a plainly better side",
        x_label="false alarms avoided",
        y_label="cases found",
        points=points,
        pairs=tuple((place, place + 1) for place in range(0, len(points), 2)),
        accepted_word="chosen",
        refused_word="not chosen",
    )
    return AnswerChecks(maps=(drawn,) if points else ())


def _point(side: str, given: str, own: str) -> JudgedPoint:
    """Return one side of a pair: its shares of right answers, and whether it was chosen."""
    hits, missed, alarms, cleared = (int(count) for count in side.split())
    return JudgedPoint(
        x=cleared / max(1, cleared + alarms),
        y=hits / max(1, hits + missed),
        is_accepted=None if given == "same" else given == own,
    )


def answer_columns(study: Study) -> tuple[Column, ...]:
    """Return the columns of a pair."""
    return _COLUMNS


def person_columns(study: Study) -> tuple[Column, ...]:
    """Return the columns of `person_facts`; the last questions describe their own."""
    practice = _practice_columns(study) if plan_of(study, ComparisonPlan).practice else ()
    return (*_DIRECT, *practice, *_ELICITED)


def _practice(study: Study, answered: dict[str, Answer]) -> Row:
    tries, facts = {False: 0, True: 0}, Row()
    for number, question in enumerate(questions_of(study), start=1):
        for again, name in ((False, f"practice_{number}"), (True, f"practice_{number}_again")):
            answer = answered.get(practice_key(number, again=again))
            given = None if answer is None else answer.values.get(ANSWER)
            is_answered = answer is not None and is_right(question, given)
            tries[again] += is_answered
            facts |= {
                name: _as_read(question, given),
                f"{name}_right": None if answer is None else is_answered,
                f"{name}_seconds": None if answer is None else answer.seconds,
            }
    totals: Row = {"practice_right_at_once": tries[False], "practice_right_again": tries[True]}
    return totals | facts


def _as_read(question: PracticeQuestion, given: AnswerValue) -> str | None:
    """Return an answer as it was read; choices are kept by their place from 1."""
    if given is None or given == "":
        return None
    if question.options and isinstance(given, str) and given.isdecimal():
        return question.options[int(given) - 1]
    return str(given)


def _practice_columns(study: Study) -> tuple[Column, ...]:
    """Return the columns of the practice: totals, then every question and its second try."""
    return _PRACTICE + tuple(
        column
        for number, question in enumerate(questions_of(study), start=1)
        for name, try_ in ((f"practice_{number}", ""), (f"practice_{number}_again", ", second try"))
        for column in columns(
            (name, "text", f"practice, {question.kind}{try_}: {question.text}"),
            (f"{name}_right", "boolean", f"whether that was right: {question.answer}"),
            (f"{name}_seconds", "number", "how long it took"),
        )
    )


def _elicited(study: Study, participation: Participation) -> Row:
    interview = screens.heard(study, participation)
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
            "fits": result.fits,
            "agreement": result.agreement.percent if result.agreement else None,
            "checks_wrong": result.checks.catch_wrong,
            "looks_careless": result.checks.looks_careless,
        }
    return facts
