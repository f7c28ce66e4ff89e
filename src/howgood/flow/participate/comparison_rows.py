"""A comparison's answers as rows.

In: a comparison and one person's participation. Out: the log of pairs, and facts about the person.
"""

from collections.abc import Iterator

from howgood.records.screen import AnswerValue, Participation
from howgood.records.study import Study


def comparison_rows(
    study: Study, participation: Participation
) -> Iterator[dict[str, AnswerValue | bool]]:
    """Yield one row per pair shown."""
    yield from ()


def comparison_facts(study: Study, participation: Participation) -> dict[str, AnswerValue | bool]:
    """Return what the person answered beside the pairs."""
    return {}
