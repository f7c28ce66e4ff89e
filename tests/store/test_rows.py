"""What goes into the tables comes out again; the first answer stands."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone

import pytest
import sqlalchemy as sa

from howgood.records.participant import Status
from howgood.store import answers, participants, studies
from howgood.store.database import IsoText, Moment
from howgood.store.participants import NewParticipant
from howgood.store.schema import screens
from howgood.store.studies import MediaFile, NewVersion

NOW = datetime(2026, 5, 4, 12, 30, tzinfo=UTC)
FIRST = NewVersion(
    slug="alarm",
    title="Alarm",
    kind="survey",
    digest="a" * 64,
    content={"title": "Alarm", "ü": [1, 2.5, None]},
    media=(MediaFile(name="clip.png", media_type="image/png", content=b"\x89PNG\x00"),),
)


@pytest.fixture
def study(database):
    return database.write(lambda connection: studies.save(connection, FIRST, now=NOW))


def _add(database, study, **changes):
    values = {"study": study.number, "version": study.version, "token_digest": "d" * 64,
              "seed": 2**62, "status": Status.INVITED, "origin": {"PROLIFIC_PID": "p"}}  # fmt: skip
    new = NewParticipant(**(values | changes))
    return database.write(lambda connection: participants.add(connection, new, now=NOW))


def test_a_study_comes_back_with_its_text_and_pictures(database, study):
    with database.reading() as connection:
        assert studies.find(connection, "alarm") == study
        assert studies.content(connection, study.version) == FIRST.content
        assert studies.media_file(connection, study.version, "clip.png") == FIRST.media[0]
        assert studies.media_file(connection, study.version, "other.png") is None
        assert studies.find(connection, "unknown") is None


def test_a_moment_is_written_by_the_database_as_by_python(database):
    later = NOW.astimezone(timezone(timedelta(hours=5))) + timedelta(seconds=0.000120)
    with database.reading() as connection:
        for moment in (NOW, later, None):
            text = connection.scalar(sa.select(IsoText(sa.literal(moment, Moment()))))
            assert text == (moment and moment.astimezone(UTC).isoformat())


def test_the_same_text_is_the_same_version_and_new_text_a_new_one(database, study):
    def save(new, minutes):
        return database.write(
            lambda c: studies.save(c, new, now=NOW + timedelta(minutes=minutes))
        ).version

    other = NewVersion(slug="alarm", title="Alarm 2", kind="survey", digest="b" * 64, content={})
    assert save(FIRST, 1) == study.version
    changed = save(other, 2)
    assert changed != study.version
    assert save(FIRST, 3) == study.version  # going back to the old text goes back to the version
    with database.reading() as connection:
        assert len(studies.everything(connection)) == 1


def test_a_participant_is_found_by_token_digest_with_their_last_screen(database, study):
    number = _add(database, study)
    for position, name in enumerate(["consent", "one"], start=1):
        database.write(
            lambda c, name=name, position=position: answers.add_screen(
                c, number, name, {"title": name}, position=position, now=NOW
            )
        )
    with database.reading() as connection:
        found = participants.position(connection, "d" * 64)
        assert participants.position(connection, "e" * 64) is None
    assert (found.screen, found.number, found.content) == ("one", 2, {"title": "one"})
    assert found.participant.seed == 2**62
    assert found.participant.origin == {"PROLIFIC_PID": "p"}
    assert found.shown_at == NOW


def test_the_first_answer_stands_even_when_twenty_arrive_at_once(database, study):
    number = _add(database, study)
    database.write(lambda c: answers.add_screen(c, number, "one", {}, position=1, now=NOW))
    with ThreadPoolExecutor(20) as pool:
        stored = list(
            pool.map(
                lambda value: database.write(
                    lambda c: answers.add_answer(c, number, "one", {"value": value}, now=NOW)
                ),
                range(20),
            )
        )
    assert sum(stored) == 1
    with database.reading() as connection:
        (answer,) = answers.answers_of(connection, number)
    assert answer.content == {"value": stored.index(True)}


def test_an_answer_to_a_screen_never_shown_is_refused(database, study):
    import sqlalchemy as sa

    number = _add(database, study)
    with pytest.raises(sa.exc.IntegrityError):
        database.write(lambda c: answers.add_answer(c, number, "secret", {}, now=NOW))


def test_two_screens_cannot_take_the_same_position(database, study):
    number = _add(database, study)
    assert database.write(lambda c: answers.add_screen(c, number, "a", {}, position=1, now=NOW))
    assert not database.write(lambda c: answers.add_screen(c, number, "b", {}, position=1, now=NOW))


def test_places_are_counted_by_condition_without_pilots_and_freed_when_idle(database, study):
    def admit(token, condition, last_seen, **changes):
        number = _add(database, study, token_digest=token, **changes)
        database.write(
            lambda c: answers.add_screen(c, number, "one", {}, position=1, now=last_seen)
        )
        database.write(lambda c: participants.admit(c, number, condition=condition, now=NOW))
        return number

    admit("1", "A", NOW)
    admit("2", "A", NOW - timedelta(minutes=11))
    admit("3", "B", NOW - timedelta(minutes=9))
    admit("4", "B", NOW, is_pilot=True)

    def count(connection):
        participants.lock(connection, study.number)
        freed = participants.free_places(
            connection, study.number, idle_since=NOW - timedelta(minutes=10)
        )
        return freed, participants.holding(connection, study.number)

    assert database.write(count) == (1, {"A": 1, "B": 1})


def test_a_moment_is_kept_to_the_microsecond_in_any_zone_but_never_without_one(database, study):
    import sqlalchemy as sa

    east = datetime(2026, 5, 4, 14, 30, 0, 123456, tzinfo=timezone(timedelta(hours=9)))
    number = _add(database, study)
    database.write(lambda c: answers.add_screen(c, number, "one", {}, position=1, now=east))
    with database.reading() as connection:
        assert participants.position(connection, "d" * 64).shown_at == east
    with pytest.raises((ValueError, sa.exc.StatementError), match="zone"):
        database.write(
            lambda c: answers.add_screen(c, number, "two", {}, position=2, now=datetime(2026, 1, 1))
        )


def _step(person, **changes):
    values = {"participant": person, "screen": "one", "values": {"acceptable": "6"},
              "following": "two", "content": {"key": "two"}, "position": 2, "now": NOW}  # fmt: skip
    return answers.AnswerStep(**(values | changes))


def _shown_one(database, study, people):
    numbers = [_add(database, study, token_digest=f"{each:064}") for each in range(people)]
    for each in numbers:
        database.write(lambda c, n=each: answers.add_screen(c, n, "one", {}, position=1, now=NOW))
    return numbers


def test_steps_of_many_people_and_their_copies_are_stored_once_each(database, study):
    people = _shown_one(database, study, 70)  # more than go into one statement

    async def everyone():
        steps = [_step(each) for each in (*people, *people[:5])]
        return await asyncio.gather(*map(database.write_async, steps))

    told = asyncio.run(everyone())
    assert sum(told) == 70
    with database.reading() as connection:
        for each in people:
            (given,) = answers.answers_of(connection, each)
            assert (given.screen, given.content) == ("one", {"acceptable": "6"})
        assert connection.execute(sa.select(sa.func.count()).select_from(screens)).scalar() == 140


def test_a_step_of_somebody_who_is_gone_fails_alone(database, study):
    people = _shown_one(database, study, 3)

    async def everyone():
        steps = [_step(each) for each in (*people, 10_000)]
        return await asyncio.gather(*map(database.write_async, steps), return_exceptions=True)

    *told, error = asyncio.run(everyone())
    assert told == [True, True, True]
    assert isinstance(error, sa.exc.IntegrityError)
