"""A job ends once: with one result, or with a reason; a dead worker's job is free again."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from howgood.records.job import JobStatus
from howgood.store import cards, jobs, schema, studies, uploads
from howgood.store.studies import NewVersion

NOW = datetime(2026, 5, 4, 12, 30, tzinfo=UTC)
LEASE = timedelta(seconds=30)


@pytest.fixture
def study(database):
    new = NewVersion(slug="alarm", title="Alarm", kind="survey", digest="a" * 64, content={})
    return database.write(lambda connection: studies.save(connection, new, now=NOW)).number


@pytest.fixture
def queue(database, study):
    class Queue:
        def __getattr__(self, name):
            return lambda *a, **k: database.write(lambda c: getattr(jobs, name)(c, *a, **k))

        def put(self, **settings):
            return self.add(study, "fit", settings, now=NOW)

        def take(self, worker="w", now=NOW):
            return self.claim(worker, now=now, until=now + LEASE)

    return Queue()


def test_jobs_are_taken_in_order_and_each_by_one(queue):
    first, second = queue.put(seed=1), queue.put(seed=2)
    assert queue.take("a").number == first
    assert queue.take("b").number == second
    assert queue.take("c") is None


def test_the_same_work_waits_only_once_and_may_be_asked_for_again_later(queue):
    number = queue.put(seed=1)
    assert queue.put(seed=1) == number
    queue.finish(queue.take(), {"x": 1}, message="", now=NOW)
    assert queue.put(seed=1) != number


def test_ten_workers_at_once_take_ten_jobs(queue, database):
    numbers = [queue.put(seed=seed) for seed in range(10)]
    with ThreadPoolExecutor(10) as pool:
        taken = list(pool.map(lambda worker: queue.take(str(worker)), range(10)))
    assert sorted(job.number for job in taken if job) == sorted(numbers)


def test_a_result_is_stored_with_its_message_and_read_back(queue):
    queue.put()
    job = queue.take()
    assert queue.renew(job, until=NOW + 2 * LEASE, progress=0.5, message="fitting")
    assert queue.find(job.number).progress == 0.5
    assert queue.finish(job, {"findings": ["ü"]}, message="12 people", now=NOW)
    done = queue.find(job.number)
    assert (done.status, done.progress, done.message) == (JobStatus.DONE, 1.0, "12 people")
    assert queue.result(job.number) == {"findings": ["ü"]}
    assert not done.is_open


def test_after_the_lease_another_takes_over_and_the_first_cannot_finish(queue):
    queue.put()
    dead = queue.take("dead")
    assert queue.take("early", NOW + LEASE / 2) is None
    heir = queue.take("heir", NOW + LEASE)
    assert (heir.number, heir.attempts) == (dead.number, 2)
    assert not queue.finish(dead, {"from": "dead"}, message="", now=NOW)
    assert not queue.renew(dead, until=NOW, progress=1.0, message="")
    assert queue.finish(heir, {"from": "heir"}, message="", now=NOW)
    assert not queue.finish(heir, {"from": "twice"}, message="", now=NOW)
    assert queue.result(heir.number) == {"from": "heir"}


def test_the_same_worker_cannot_finish_an_attempt_it_lost(queue):
    queue.put()
    before = queue.take("same")
    queue.take("same", NOW + LEASE)
    assert not queue.finish(before, {}, message="", now=NOW)


def test_work_that_kills_its_worker_is_given_up(queue):
    number = queue.put()
    for attempt in range(jobs.MOST_ATTEMPTS):
        assert queue.take("w", NOW + attempt * LEASE).attempts == attempt + 1
    assert queue.take("w", NOW + jobs.MOST_ATTEMPTS * LEASE) is None
    given_up = queue.find(number)
    assert (given_up.status, given_up.message) == (JobStatus.FAILED, jobs.GAVE_UP)


def test_a_stopping_worker_gives_back_without_counting_and_a_crash_counts(queue):
    number = queue.put()
    assert queue.give_back(queue.take(), counts=False)
    assert queue.find(number).attempts == 0
    assert queue.give_back(queue.take(), counts=True)
    assert queue.find(number).attempts == 1
    assert queue.take().attempts == 2
    last = queue.take("w", NOW + LEASE)
    with pytest.raises(ValueError, match="last attempt"):
        queue.give_back(last, counts=True)


def test_a_cancelled_job_stays_cancelled(queue, study):
    waiting, running = queue.put(seed=1), queue.put(seed=2)
    assert queue.cancel(study, waiting, now=NOW)
    job = queue.take()
    assert job.number == running
    assert queue.cancel(study, running, now=NOW)
    assert not queue.renew(job, until=NOW, progress=0.5, message="")
    assert not queue.finish(job, {}, message="", now=NOW)
    assert not queue.cancel(study, running, now=NOW)
    assert not queue.cancel(study + 1, waiting, now=NOW)
    assert {each.status for each in queue.of_study(study)} == {JobStatus.CANCELLED}


def test_a_failed_job_says_why_and_lists_come_newest_first(queue, study):
    first, second = queue.put(seed=1), queue.put(seed=2)
    assert queue.fail(queue.take(), "no answers", now=NOW)
    assert [each.number for each in queue.of_study(study)] == [second, first]
    assert queue.find(first).message == "no answers"
    assert queue.result(first) is None
    assert queue.find(99) is None


def test_uploads_stay_with_their_study_and_old_ones_make_room(database, study):
    def add(content):
        return database.write(lambda c: uploads.add(c, study, "scores", "s.csv", content, now=NOW))

    first = add(b"\x00\xff")
    with database.reading() as connection:
        assert uploads.find(connection, study, first).content == b"\x00\xff"
        assert uploads.find(connection, study + 1, first) is None
    numbers = [add(bytes([number])) for number in range(uploads.MOST_KEPT)]
    with database.reading() as connection:
        assert uploads.find(connection, study, first) is None
        assert uploads.find(connection, study, numbers[0]).content == b"\x00"


def test_a_card_is_renewed_by_its_study_alone_and_withdrawn_even_without_it(database, study):
    other = NewVersion(slug="other", title="O", kind="survey", digest="b" * 64, content={})
    stranger = database.write(lambda c: studies.save(c, other, now=NOW)).number

    def publish(owner, content):
        return database.write(lambda c: cards.publish(c, owner, "alarm", content, now=NOW))

    assert publish(study, {"v": 1})
    assert publish(study, {"v": 2})
    assert not publish(stranger, {"v": 3})
    with database.reading() as connection:
        assert [(each.name, each.content) for each in cards.everything(connection)] == [
            ("alarm", {"v": 2})
        ]
    database.write(lambda c: c.execute(sa.delete(schema.studies)))
    with database.reading() as connection:
        assert [each.study for each in cards.everything(connection)] == [None]
    assert not publish(stranger, {"v": 3})
    assert database.write(lambda c: cards.withdraw(c, "alarm"))
    assert not database.write(lambda c: cards.withdraw(c, "alarm"))
