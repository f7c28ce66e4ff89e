"""A scenario's counts and sentences as blocks.

In: a survey plan, an application's phrases, a scenario. Out: bullets with bold counts. Absent: any
other part of the page, and how levels become counts (`ask.scenarios`).
"""

import re
from collections import Counter
from functools import lru_cache

from howgood.ask.accuracy_levels import scenarios
from howgood.ask.wording import word_scenario
from howgood.kinds.protocol import SituationGrid
from howgood.kinds.screen_parts import words
from howgood.kinds.study import Study, plan_of
from howgood.kinds.survey.plan import SurveyApplication, SurveyPlan
from howgood.records.scenario import Scenario, level_from
from howgood.records.screen import Bullets, Entry

PHRASES_IN_ORDER = ("happened", "found", "missed", "false_alarm", "cleared")
PHRASES = frozenset(PHRASES_IN_ORDER)
BLANK = re.compile(r"\{([^{}]*)\}")
BLANKS = frozenset({"n", "real", "system"})


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
    return scenarios(precision=precision, recall=recall, real_positives=real_positives, cases=cases)


def scenario_bullets(application: SurveyApplication, scenario: Scenario, *, system: str) -> Bullets:
    """Return the scenario in frequencies, counts in bold."""
    lines = word_scenario(application.phrases, scenario, system=system)
    entries = [
        Entry(
            words=words(lines["happened"]),
            entries=(
                words(lines["found"]),
                words(lines["missed"]),
            ),
        ),
        Entry(words=words(lines["false_alarm"])),
    ]
    if scenario.true_negatives is not None:
        entries.append(Entry(words=words(lines["cleared"])))
    return Bullets(entries=tuple(entries))


def situation_grid(study: Study) -> SituationGrid:
    """Return what the levels of a survey make, with the situations that are the same twice."""
    plan = plan_of(study, SurveyPlan)
    made = scenarios_of(plan)
    counts = Counter(_counts(scenario) for scenario in made)
    across = len(plan.precision)
    rows = [made[start : start + across] for start in range(0, len(made), across)]
    return SituationGrid(
        precision=tuple(_percent(level) for level in plan.precision),
        rows=tuple(
            (_percent(level), tuple((_cell(entry), counts[_counts(entry)] > 1) for entry in row))
            for level, row in zip(plan.recall, rows, strict=True)
        ),
    )


def _counts(scenario: Scenario) -> tuple[int, int]:
    return scenario.true_positives, scenario.false_positives


def _cell(scenario: Scenario) -> str:
    return f"{scenario.true_positives} noticed, {scenario.false_positives} false"


def _percent(level: float | str) -> str:
    value = level_from(level)
    return str(level) if value is None else f"{float(100 * value):.0f} %"
