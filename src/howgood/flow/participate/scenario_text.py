"""A scenario's counts and sentences as blocks.

In: a survey plan, an application's phrases, a scenario. Out: bullets with bold counts. Absent: any
other part of the page, and how levels become counts (`ask.scenarios`).
"""

import re
from fractions import Fraction
from functools import lru_cache

from howgood.ask.levels import scenarios
from howgood.flow.participate.pieces import words
from howgood.records.plans import SurveyApplication, SurveyPlan
from howgood.records.scenario import Scenario
from howgood.records.screen import Bullets, Entry

PHRASES = frozenset({"happened", "found", "missed", "false_alarm", "cleared"})
BLANK = re.compile(r"\{([^{}]*)\}")
BLANKS = frozenset({"n", "real", "system"})
# {time|times}: the first for a count of 1, the second for every other.
_NUMBER = re.compile(r"\{([^{}|]*)\|([^{}]*)\}")


def scenarios_of(plan: SurveyPlan) -> tuple[Scenario, ...]:
    """Return every scenario of a plan, recall outer, precision inner."""
    return _scenarios(plan.precision, plan.recall, plan.real_positives, plan.cases)


@lru_cache(maxsize=256)
def _scenarios(
    precision: tuple[float | str, ...],
    recall: tuple[float | str, ...],
    real_positives: int,
    cases: int | None,
) -> tuple[Scenario, ...]:
    return scenarios(
        precision=[Fraction(each) for each in precision],
        recall=[Fraction(each) for each in recall],
        real_positives=real_positives,
        cases=cases,
    )


def scenario_bullets(application: SurveyApplication, scenario: Scenario, *, system: str) -> Bullets:
    """Return the scenario in frequencies, counts in bold."""

    def line(key: str, count: int) -> str:
        text = application.phrases[key].replace("{system}", system)
        text = _NUMBER.sub(r"\1" if count == 1 else r"\2", text)
        return text.replace("{n}", f"**{count}**").replace(
            "{real}", f"**{scenario.real_positives}**"
        )

    entries = [
        Entry(
            words=words(line("happened", scenario.real_positives)),
            entries=(
                words(line("found", scenario.true_positives)),
                words(line("missed", scenario.false_negatives)),
            ),
        ),
        Entry(words=words(line("false_alarm", scenario.false_positives))),
    ]
    if scenario.true_negatives is not None:
        entries.append(Entry(words=words(line("cleared", scenario.true_negatives))))
    return Bullets(entries=tuple(entries))
