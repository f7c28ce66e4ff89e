"""How long a study is, found by walking through it.

In: a study. Out: pages per person, by condition. Absent: minutes; those depend on people.
"""

from datetime import UTC, datetime

from howgood.flow.participate import conditions, take_part
from howgood.kinds.study import Study

_MOST_CONDITIONS = 12


def pages_per_person(study: Study) -> dict[str, int]:
    """Return how many pages a participant answers in each condition (the first twelve)."""
    start = datetime(2026, 1, 1, tzinfo=UTC)
    return {
        condition: len(take_part(study, seed=1, now=start, condition=condition)[1].answers)
        for condition in conditions(study)[:_MOST_CONDITIONS]
    }
