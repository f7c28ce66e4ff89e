"""What a study holds, in numbers.

In: a host and a study's short name. Out: `Holdings`. Absent: how it is going (`flow.watching`).
"""

from dataclasses import dataclass

from howgood.errors import UnknownNameError
from howgood.flow.hosting import Host
from howgood.store import cards, collected, studies
from howgood.store.studies import StudyHead


@dataclass(frozen=True, slots=True, kw_only=True)
class Holdings:
    """A study, how much was collected (pilots are counted apart), and its published cards."""

    study: StudyHead
    people: int
    answers: int
    pilots: int
    cards: tuple[str, ...] = ()


def holdings(host: Host, slug: str) -> Holdings:
    """Return how much a study has collected; one that was never published has nothing."""
    with host.database.reading() as connection:
        head = studies.head(connection, slug)
        if head is None:
            raise UnknownNameError(where="study", name=slug, names=())
        people, pilots, answers = collected.counts(connection, head.number)
        published = tuple(
            each.name for each in cards.everything(connection) if each.study == head.number
        )
    return Holdings(study=head, people=people, answers=answers, pilots=pilots, cards=published)
