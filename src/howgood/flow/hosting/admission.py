"""Consent: a place and a condition, given in one transaction.

In: a connection inside a write, the study, the person. Out: the stored participant. Absent: which
condition is fair (`participate.choose_condition`) and forms (`visit`).

Everything here runs after `participants.lock`, so that fifty people who consent at once are
counted one after another and conditions stay within one of each other.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy.engine import Connection

from howgood.flow.hosting.view import Reason, RefusedError
from howgood.flow.participate import choose_condition, has_quota, next_screen
from howgood.kinds import kind_of
from howgood.records.participant import Participant, Status
from howgood.records.screen import Answer, AnswerValue, Screen
from howgood.records.study import Study
from howgood.store import answers, participants
from howgood.store.participants import NewParticipant


@dataclass(frozen=True, slots=True, kw_only=True)
class Consent:
    """A yes: the page it was given on and what was sent from it."""

    screen: Screen
    values: Mapping[str, AnswerValue]


def admit_new(
    connection: Connection, study: Study, new: NewParticipant, consent: Consent, *, now: datetime
) -> None:
    """Store a person who consents at a study's door; coming twice changes nothing."""
    participants.lock(connection, new.study)
    if participants.position(connection, new.token_digest) is not None:
        return
    condition = _condition(connection, study, new.study, new.seed, new.is_pilot, now)
    number = participants.add(connection, new, now=now)
    _begin(connection, study, number, new.seed, condition, consent, now)


def admit_invited(
    connection: Connection, study: Study, token_digest: str, consent: Consent, *, now: datetime
) -> None:
    """Let in a person who consents on their personal link; sending it twice changes nothing."""
    person = _invited(connection, token_digest)
    if person is None:
        return
    participants.lock(connection, person.study)
    if _invited(connection, token_digest) is None:
        return
    condition = _condition(connection, study, person.study, person.seed, person.is_pilot, now)
    _begin(connection, study, person.number, person.seed, condition, consent, now)


def _invited(connection: Connection, token_digest: str) -> Participant | None:
    position = participants.position(connection, token_digest)
    return position.participant if position and position.screen is None else None


def readmit(connection: Connection, study: Study, person: Participant, *, now: datetime) -> bool:
    """Give an idle person their place back if it is still free; return whether it was."""
    participants.lock(connection, person.study)
    condition = person.condition or ""
    counts = _counts(connection, study, person.study, now)
    if person.is_pilot or _has_room(study, counts, condition):
        participants.admit(connection, person.number, condition=condition, now=now)
        return True
    participants.set_status(connection, person.number, Status.FULL)
    return False


def _condition(
    connection: Connection, study: Study, number: int, seed: int, is_pilot: bool, now: datetime
) -> str:
    # A pilot takes nobody's place, so nobody's place stands in a pilot's way.
    counts = {} if is_pilot else _counts(connection, study, number, now)
    chosen = choose_condition(study, counts, seed)
    if chosen is None or not _has_room(study, counts, chosen):
        raise RefusedError(Reason.FULL, language=study.language, study=number)
    return chosen


def is_full(connection: Connection, study: Study, number: int, *, now: datetime) -> bool:
    """Return whether nobody could begin now, places that would be taken back counted as free."""
    if not has_quota(study):
        return False
    counts = participants.holding(connection, number)
    if _has_any_room(study, counts):
        return False
    idle = participants.idle(connection, number, idle_since=now - idle_time(study))
    return not _has_any_room(study, {key: counts[key] - idle.get(key, 0) for key in counts})


def _has_any_room(study: Study, counts: Mapping[str, int]) -> bool:
    chosen = choose_condition(study, counts, 0)
    return chosen is not None and _has_room(study, counts, chosen)


def _counts(connection: Connection, study: Study, number: int, now: datetime) -> dict[str, int]:
    """Count the places taken, after taking back those of people who went away."""
    participants.free_places(connection, number, idle_since=now - idle_time(study))
    return participants.holding(connection, number)


def idle_time(study: Study) -> timedelta:
    """Return how long somebody may send nothing before their place goes back."""
    return timedelta(minutes=study.idle_minutes + kind_of(study).pause_minutes(study))


def _has_room(study: Study, counts: Mapping[str, int], condition: str) -> bool:
    quota = kind_of(study).quotas(study).get(condition)
    return (study.quota is None or sum(counts.values()) < study.quota) and (
        quota is None or counts.get(condition, 0) < quota
    )


def _begin(
    connection: Connection,
    study: Study,
    number: int,
    seed: int,
    condition: str,
    consent: Consent,
    now: datetime,
) -> None:
    """Store the place, the consent and the first screen after it."""
    participants.admit(connection, number, condition=condition, now=now)
    screen = consent.screen
    answers.add_screen(connection, number, screen.key, screen.to_dict(), position=1, now=now)
    answers.add_answer(connection, number, screen.key, consent.values, now=now)
    given = Answer(screen=screen.key, values=consent.values, at=now)
    following = next_screen(study, condition=condition, seed=seed, answers=(given,), now=now)
    answers.add_screen(connection, number, following.key, following.to_dict(), position=2, now=now)
