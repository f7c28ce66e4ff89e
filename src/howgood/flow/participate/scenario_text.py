"""A scenario's counts and sentences as blocks.

In: a survey plan, an application's phrases, a scenario. Out: bullets with bold counts. Absent: any
other part of the page.
"""

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from howgood.errors import InputError
from howgood.flow.participate.pieces import words
from howgood.records.plans import SurveyApplication, SurveyPlan
from howgood.records.screen import Bullets, Entry

PHRASES = frozenset({"happened", "found", "missed", "false_alarm", "cleared"})
# {time|times}: the first for a count of 1, the second for every other.
_NUMBER = re.compile(r"\{([^{}|]*)\|([^{}]*)\}")
BLANK = re.compile(r"\{([^{}]*)\}")
BLANKS = frozenset({"n", "real", "system"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """Counts of one accuracy scenario."""

    real_positives: int
    true_positives: int
    false_negatives: int
    false_positives: int
    true_negatives: int | None
    desired_precision: float
    desired_recall: float

    @property
    def precision(self) -> float:
        """What the counts give."""
        return self.true_positives / (self.true_positives + self.false_positives)

    @property
    def recall(self) -> float:
        """What the counts give."""
        return self.true_positives / self.real_positives


def scenarios_of(plan: SurveyPlan) -> tuple[Scenario, ...]:
    """Return every scenario of a plan, recall outer, precision inner."""
    return _scenarios(plan.precision, plan.recall, plan.real_positives, plan.cases)


@lru_cache(maxsize=256)
def _scenarios(
    precisions: tuple[float | str, ...],
    recalls: tuple[float | str, ...],
    real: int,
    cases: int | None,
) -> tuple[Scenario, ...]:
    found = []
    for recall in recalls:
        for precision in precisions:
            p = Fraction(precision).limit_denominator(120)
            r = Fraction(recall).limit_denominator(120)
            hits = math.floor(real * r + Fraction(1, 2))
            alarms = math.floor(hits / p + Fraction(1, 2)) - hits
            if cases is not None and real + alarms > cases:
                raise InputError(
                    where="scenarios",
                    found=f"{alarms} false positives beside {real} real positives",
                    needed=f"together at most cases = {cases}",
                    cure=f"Use at least {real + alarms} cases, or a higher precision.",
                )
            found.append(
                Scenario(
                    real_positives=real,
                    true_positives=hits,
                    false_negatives=real - hits,
                    false_positives=alarms,
                    true_negatives=None if cases is None else cases - real - alarms,
                    desired_precision=float(p),
                    desired_recall=float(r),
                )
            )
    return tuple(found)


def scenario_bullets(
    application: SurveyApplication, scenario: Scenario, *, language: str, system: str
) -> Bullets:
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
