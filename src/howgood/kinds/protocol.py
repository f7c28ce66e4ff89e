"""What a study kind is: everything howgood asks about one, in one record.

In: functions of a study and of a person's answers. Out: `Kind`. Absent: the kinds themselves (one
package each) and what is the same for all of them: consent, questions about the person, thanks.

A new kind is a package that makes a `Kind`, and one line in `registry`. Nothing else in howgood
compares the names of kinds.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from howgood.kinds.screen_parts import Step
from howgood.records.codebook import Column
from howgood.records.plans import Picture, Question
from howgood.records.screen import Answer, AnswerValue, Participation, Screen
from howgood.records.study import Study

Row = dict[str, AnswerValue | bool]
# The condition of everybody, where a study has no branches.
EVERYBODY = "all"


def _one_condition(study: Study) -> tuple[str, ...]:
    return (EVERYBODY,)


def _no_quotas(study: Study) -> Mapping[str, int | None]:
    return {}


def _no_facts(study: Study, participation: Participation) -> Row:
    return {}


def _no_checks(study: Study, participation: Participation) -> bool | None:
    return None


def _no_columns(study: Study) -> Iterable[Column]:
    return ()


def _no_questions(study: Study) -> tuple[Question, ...]:
    return ()


def _no_pictures(study: Study) -> Iterable[Picture]:
    return ()


def _no_pause(study: Study) -> float:
    return 0.0


def _no_names(study: Study) -> tuple[str, ...]:
    return ()


def _is_task(screen: Screen) -> bool:
    return screen.kind == "task"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind of study, as functions; those with a default need not be given.

    Taking part. `steps` (study, condition, seed, answers by screen, now) returns the steps of the
    task as far as the answers decide them, and is pure: the same arguments, the same steps.
    `conditions` are what people are assigned to, `quotas` how many a condition takes at most.
    `pause_minutes` is how long the task itself makes people wait. `computes_steps` says that
    `steps` takes real computation, so that a server does not hold others up meanwhile;
    `hides_answers` that people must not see their earlier answers again. `is_task` recognises the
    screens that the task is about, `pictures` are those it shows.

    Data. `rows` yields one row per judgement, ready for `learn`, and `answer_columns` what they
    hold, in order; `rating_columns` names those of them that are judgements on one scale.
    `person_facts` and `person_columns` are the same for one row about the person;
    `own_questions` are questions that the task itself asks about the person. `passed_checks` says
    whether somebody passed every attention check they saw, None if they saw none.
    """

    name: str
    steps: Callable[[Study, str, int, Mapping[str, Answer], datetime], Sequence[Step]]
    conditions: Callable[[Study], tuple[str, ...]] = _one_condition
    quotas: Callable[[Study], Mapping[str, int | None]] = _no_quotas
    pause_minutes: Callable[[Study], float] = _no_pause
    computes_steps: bool = False
    hides_answers: bool = False
    is_task: Callable[[Screen], bool] = _is_task
    pictures: Callable[[Study], Iterable[Picture]] = _no_pictures
    rows: Callable[[Study, Participation], Iterable[Row]]
    answer_columns: Callable[[Study], Iterable[Column]]
    rating_columns: Callable[[Study], tuple[str, ...]] = _no_names
    person_facts: Callable[[Study, Participation], Row] = _no_facts
    person_columns: Callable[[Study], Iterable[Column]] = _no_columns
    own_questions: Callable[[Study], tuple[Question, ...]] = _no_questions
    passed_checks: Callable[[Study, Participation], bool | None] = _no_checks
