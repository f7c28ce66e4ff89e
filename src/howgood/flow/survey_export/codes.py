"""Short codes for the questions of a study, the same in every program it runs in.

In: a study. Out: code and question, and back from a column's name to what it asks. Absent: the
formats (`file`) and values.

`d1` is the first question about the person, `c1` the first closing question; pages of the task
have the codes that their kind gives them (`kinds.task_export`). The statements of a page `a2s5`
follow as `a2s5_1` (Qualtrics) or `a2s5[i1]` (LimeSurvey).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from howgood.kinds.question_pages import CLOSING, DEMOGRAPHICS
from howgood.kinds.questions import Question, question_type
from howgood.kinds.study import Study
from howgood.kinds.task_export import TaskExport

# a2s5_1, a2s5[i1], a2s5[SQ001] ...; d1; d1[2] and d1_2 for one of several choices.
_COLUMN = re.compile(r"([a-z]\d+(?:s\d+)?)(?:_i?(\d{1,4})|\[(?:i|SQ0*|o)?(\d{1,4})\])?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a column holds: a field of a screen, or one choice of it (`option`, from 1).

    A column of the task has the scale it is rated on.
    """

    screen: str
    name: str
    option: int | None = None
    scale: tuple[str, ...] = ()


def question_codes(study: Study) -> Iterator[tuple[str, str, Question]]:
    """Yield code, screen and question of every question outside the task."""
    for letter, screen, questions in (
        ("d", DEMOGRAPHICS, study.demographics),
        ("c", CLOSING, study.closing),
    ):
        for place, question in enumerate(questions, start=1):
            yield f"{letter}{place}", screen, question


def recognised(study: Study, task: TaskExport, column: str) -> Asked | None:
    """Return what a column with one of our codes asks, or None."""
    match = _COLUMN.fullmatch(column)
    if match is None:
        return None
    code, number = match[1], match[2] or match[3]
    place = int(number) if number else None
    page = task.pages.get(code)
    if page is not None:
        if place is None or not 1 <= place <= len(page.fields):
            return None
        return Asked(screen=page.screen, name=page.fields[place - 1], scale=page.scale)
    for check in task.checks:
        if check.code == code:
            return Asked(screen="", name=check.field, scale=check.scale)
    for known, screen, question in question_codes(study):
        if known == code and (place is None or question_type(question).choices_as_subquestions):
            return Asked(screen=screen, name=question.key, option=place)
    return None
