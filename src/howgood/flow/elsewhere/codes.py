"""Short codes for the questions of a survey, the same in every program it runs in.

In: a survey. Out: code and question, and back from a column's name to what it asks. Absent: the
formats (`limesurvey`, `qualtrics`) and values.

LimeSurvey allows 20 letters and digits, so keys cannot be used: `a2s5` is scenario 5 of the second
application, `d1` the first question about the person, `c1` the first closing question, `k1` the
first attention check. The items of a scenario follow as `a2s5_1` (Qualtrics) or `a2s5[i1]`
(LimeSurvey).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from howgood.flow.participate.path import CLOSING, DEMOGRAPHICS
from howgood.kinds.survey.scenarios import scenarios_of
from howgood.kinds.survey.screens import check_name, scenario_key, survey_items
from howgood.records.plans import Question, SurveyApplication, SurveyPlan
from howgood.records.scenario import Scenario
from howgood.records.study import Study

# a2s5_1, a2s5[i1], a2s5[SQ001] ...; d1; d1[2] and d1_2 for one of several choices.
_COLUMN = re.compile(r"(a\d+s\d+|[dck]\d+)(?:_i?(\d{1,4})|\[(?:i|SQ0*|o)?(\d{1,4})\])?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a column holds: a field of a screen, or one choice of it (`option`, from 1)."""

    screen: str
    name: str
    option: int | None = None


def scenario_codes(plan: SurveyPlan) -> Iterator[tuple[str, SurveyApplication, int, Scenario]]:
    """Yield code, application, number and scenario of every scenario page."""
    for place, application in enumerate(plan.applications, start=1):
        for number, scenario in enumerate(scenarios_of(plan), start=1):
            yield f"a{place}s{number}", application, number, scenario


def question_codes(study: Study) -> Iterator[tuple[str, str, Question]]:
    """Yield code, screen and question of every question beside the task."""
    for letter, screen, questions in (
        ("d", DEMOGRAPHICS, study.demographics),
        ("c", CLOSING, study.closing),
    ):
        for place, question in enumerate(questions, start=1):
            yield f"{letter}{place}", screen, question


def recognised(study: Study, plan: SurveyPlan, column: str) -> Asked | None:
    """Return what a column with one of our codes asks, or None."""
    match = _COLUMN.fullmatch(column)
    if match is None:
        return None
    code, number = match[1], match[2] or match[3]
    place = int(number) if number else None
    scenarios = {code: scenario_key(app, n) for code, app, n, _ in scenario_codes(plan)}
    items = [each.key for each in survey_items(plan, study.language)]
    if code in scenarios:
        if place is None or not 1 <= place <= len(items):
            return None
        return Asked(screen=scenarios[code], name=items[place - 1])
    checks = {f"k{at}": check_name(each) for at, each in enumerate(plan.attention, start=1)}
    if code in checks:
        return Asked(screen="", name=checks[code])
    for known, screen, question in question_codes(study):
        if known == code and (place is None or question.type == "choices"):
            return Asked(screen=screen, name=question.key, option=place)
    return None
