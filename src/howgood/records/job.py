"""Work that waits for a worker: what to do, how far it is, how it ended.

In: what the queue stores. Out: `Job`. Absent: doing it (`flow.results`) and the queue
(`store.jobs`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

# What a job may be: a fit of the answers, or an upload that is judged by them.
FIT, CLASSIFIER, SYSTEMS = "fit", "classifier", "systems"


class JobStatus(StrEnum):
    """How far a job has come.

    Stability: experimental
    """

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"  # the work itself said no, or was tried too often
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One piece of work of one study; `result` is read only when asked for by name.

    Stability: experimental
    """

    number: int
    study: int
    task: str
    settings: Mapping[str, Any]
    status: JobStatus
    progress: float
    message: str
    attempts: int
    worker: str | None
    leased_until: datetime | None
    created_at: datetime
    finished_at: datetime | None

    @property
    def is_open(self) -> bool:
        """Whether it still waits or runs."""
        return self.status in (JobStatus.QUEUED, JobStatus.RUNNING)
