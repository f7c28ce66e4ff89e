"""The queue of work: jobs that wait, run under a lease, and end once.

In: a connection and plain values. Out: `Job` records. Absent: the work (`flow.results`).

A worker claims a job with a lease and renews it while it works. A worker that dies stops renewing;
after the lease the job is free again, until it was tried `MOST_ATTEMPTS` times. Only the holder of
the current attempt can finish a job, so there is never a second result. Claiming is one
transaction: `FOR UPDATE SKIP LOCKED` on PostgreSQL, the single writer on SQLite.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row

from howgood.records.job import Job, JobStatus
from howgood.store.schema import CLOCKS_DIFFER, jobs

MOST_ATTEMPTS = 3
GAVE_UP = "The work was begun several times and never came to its end."
_OPEN = (JobStatus.QUEUED.value, JobStatus.RUNNING.value)
# Results hold pictures; lists of jobs do without them.
_FACTS = [column for column in jobs.c if column.name != "result"]


def add(
    connection: Connection, study: int, task: str, settings: Mapping[str, Any], *, now: datetime
) -> int:
    """Queue a job and return its number; the same work that already waits is not queued twice."""
    waiting = connection.execute(
        sa.select(jobs.c.id, jobs.c.settings).where(
            jobs.c.study_id == study, jobs.c.task == task, jobs.c.status.in_(_OPEN)
        )
    )
    same = [row.id for row in waiting if row.settings == dict(settings)]
    if same:
        return int(same[0])
    row = connection.execute(
        sa.insert(jobs)
        .values(
            study_id=study,
            task=task,
            settings=dict(settings),
            status=JobStatus.QUEUED.value,
            progress=0.0,
            message="",
            attempts=0,
            created_at=now,
        )
        .returning(jobs.c.id)
    )
    return int(row.scalar_one())


def claim(connection: Connection, worker: str, *, now: datetime, until: datetime) -> Job | None:
    """Take the oldest job that is free, lease it until then, and return it."""
    is_abandoned = sa.and_(
        jobs.c.status == JobStatus.RUNNING.value,
        sa.or_(jobs.c.leased_until <= now, jobs.c.leased_until > until + CLOCKS_DIFFER),
    )
    connection.execute(
        sa.update(jobs)
        .where(is_abandoned, jobs.c.attempts >= MOST_ATTEMPTS)
        .values(**_ended(JobStatus.FAILED, GAVE_UP, now))
    )
    number = connection.execute(
        sa.select(jobs.c.id)
        .where(sa.or_(jobs.c.status == JobStatus.QUEUED.value, is_abandoned))
        .order_by(jobs.c.id)
        .limit(1)
        .with_for_update(skip_locked=True)
    ).scalar()
    if number is None:
        return None
    connection.execute(
        sa.update(jobs)
        .where(jobs.c.id == number)
        .values(
            status=JobStatus.RUNNING.value,
            worker=worker,
            leased_until=until,
            attempts=jobs.c.attempts + 1,
            progress=0.0,
            message="",
        )
    )
    return find(connection, int(number))


def renew(
    connection: Connection, job: Job, *, until: datetime, progress: float, message: str
) -> bool:
    """Say how far the work is and keep the lease; False: the job is no longer ours."""
    return _change(connection, job, leased_until=until, progress=progress, message=message)


def finish(
    connection: Connection, job: Job, result: Mapping[str, Any], *, message: str, now: datetime
) -> bool:
    """Store the result, once; False: the job was cancelled or is in other hands."""
    ended = _ended(JobStatus.DONE, message, now) | {"progress": 1.0}
    return _change(connection, job, result=dict(result), **ended)


def fail(connection: Connection, job: Job, message: str, *, now: datetime) -> bool:
    """End the job without a result: trying again would not help."""
    return _change(connection, job, **_ended(JobStatus.FAILED, message, now))


def give_back(connection: Connection, job: Job, *, counts: bool) -> bool:
    """Put the job back into the queue; an attempt that did not fail by itself does not count."""
    if counts and job.attempts >= MOST_ATTEMPTS:
        raise ValueError("the last attempt cannot be given back; fail the job")
    return _change(
        connection,
        job,
        status=JobStatus.QUEUED.value,
        attempts=job.attempts if counts else job.attempts - 1,
        worker=None,
        leased_until=None,
        progress=0.0,
        message="",
    )


def cancel(connection: Connection, study: int, number: int, *, now: datetime) -> bool:
    """End a job that waits or runs; its worker notices at the next renewal."""
    changed = connection.execute(
        sa.update(jobs)
        .where(jobs.c.id == number, jobs.c.study_id == study, jobs.c.status.in_(_OPEN))
        .values(**_ended(JobStatus.CANCELLED, "", now))
    )
    return changed.rowcount == 1


def find(connection: Connection, number: int) -> Job | None:
    """Return a job, without its result."""
    row = connection.execute(sa.select(*_FACTS).where(jobs.c.id == number)).one_or_none()
    return None if row is None else _job(row)


def of_study(connection: Connection, study: int, *, most: int = 100) -> tuple[Job, ...]:
    """Return a study's jobs, the newest first."""
    rows = connection.execute(
        sa.select(*_FACTS).where(jobs.c.study_id == study).order_by(jobs.c.id.desc()).limit(most)
    )
    return tuple(_job(row) for row in rows)


def result(connection: Connection, number: int) -> Mapping[str, Any] | None:
    """Return a job's result, None while it has none."""
    content: Mapping[str, Any] | None = connection.execute(
        sa.select(jobs.c.result).where(jobs.c.id == number)
    ).scalar_one_or_none()
    return content


def _change(connection: Connection, job: Job, **values: object) -> bool:
    """Change a job only while this very attempt holds it."""
    changed = connection.execute(
        sa.update(jobs)
        .where(
            jobs.c.id == job.number,
            jobs.c.status == JobStatus.RUNNING.value,
            jobs.c.worker == job.worker,
            jobs.c.attempts == job.attempts,
        )
        .values(**values)
    )
    return changed.rowcount == 1


def _ended(status: JobStatus, message: str, now: datetime) -> dict[str, Any]:
    return {
        "status": status.value,
        "message": message,
        "finished_at": now,
        "leased_until": None,
    }


def _job(row: Row[Any]) -> Job:
    return Job(
        number=row.id,
        study=row.study_id,
        task=row.task,
        settings=row.settings,
        status=JobStatus(row.status),
        progress=row.progress,
        message=row.message,
        attempts=row.attempts,
        worker=row.worker,
        leased_until=row.leased_until,
        created_at=row.created_at,
        finished_at=row.finished_at,
    )
