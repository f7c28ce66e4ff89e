"""What researchers do on a results page: ask for a fit, upload, look, publish.

In: a host, a study's short name, what was chosen. Out: jobs, uploads, results as they are stored.
Absent: the work (`tasks`), pages (`web`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy.engine import Connection

from howgood.errors import InputError, UnknownNameError
from howgood.flow.collected.rows import find_study
from howgood.flow.decisions import positives
from howgood.flow.hosting import Host
from howgood.flow.registry import cards as library_cards
from howgood.flow.results.uploaded import guess, labels, preview, read_upload
from howgood.kinds import kind_of
from howgood.kinds.fit import chosen_name, chosen_number
from howgood.kinds.study import Study
from howgood.records.inclusion import EXCLUDED, POLICIES
from howgood.records.job import CLASSIFIER, FIT, SYSTEMS, Job, JobStatus
from howgood.records.result import StudyResult
from howgood.records.table import Table
from howgood.store import answers, audit, cards, imported, jobs, reviews, uploads
from howgood.store.studies import StudyRow

_MOST_SEED = 2**32 - 1
_MOST_JUDGES = 5
_LARGEST_NUMBER = 2**63 - 1  # of a row, in either database


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """A study's fits: the newest result, what runs, what came before."""

    row: StudyRow
    study: Study
    jobs: tuple[Job, ...]
    latest: StudyResult | None
    latest_job: Job | None
    judge: StudyResult | None
    judge_job: Job | None
    held: int
    excluded: int
    imports: tuple[int, ...]
    published: tuple[str, ...]

    @property
    def running(self) -> tuple[Job, ...]:
        """Jobs that wait or run."""
        return tuple(job for job in self.jobs if job.is_open)

    def has_lost(self, result: StudyResult) -> bool:
        """Return whether an import whose answers a result rests on was undone since."""
        return not set(result.imports) <= set(self.imports)

    def is_stale(self, result: StudyResult) -> bool:
        """Return whether answers came (or went) since a result."""
        others_excluded = result.left_out.get(EXCLUDED, 0) != self.excluded
        return result.answers != self.held or others_excluded or self.has_lost(result)

    @property
    def can_judge(self) -> bool:
        """Whether a classifier can be judged: by the newest fit that knows what people accept."""
        return self.judge is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadView:
    """An uploaded table as its mapping page shows it."""

    number: int
    name: str
    purpose: str
    table: Table
    guesses: Mapping[str, str]

    @property
    def first_rows(self) -> Mapping[str, list[object]]:
        """The first values of every column."""
        return preview(self.table)

    @property
    def labels(self) -> tuple[str, ...]:
        """What the column of true labels holds, as far as one can guess which that is."""
        truth = self.guesses.get("truth")
        return labels(self.table[truth]) if truth else ()


def overview(host: Host, slug: str) -> Overview:
    """Return what a study's results page shows."""
    row = find_study(host, slug)
    with host.database.reading() as connection:
        known = jobs.of_study(connection, row.number)
        fits = [job for job in known if job.task == FIT and job.status is JobStatus.DONE]
        latest = None if not fits else _result(connection, fits[0])
        judge_job, judge = _newest_judge(connection, fits, latest)
        held = answers.count_of_study(connection, row.number)
        excluded = reviews.excluded(connection, row.number)
        known_imports = imported.numbers_of_study(connection, row.number)
        published = tuple(
            card.name for card in cards.everything(connection) if card.study == row.number
        )
    return Overview(
        row=row,
        study=host.study(row.version),
        jobs=known,
        latest=latest,
        latest_job=fits[0] if fits else None,
        judge=judge,
        judge_job=judge_job,
        held=held,
        excluded=excluded,
        imports=known_imports,
        published=published,
    )


def _result(connection: Connection, job: Job) -> StudyResult | None:
    content = jobs.result(connection, job.number)
    return None if content is None else StudyResult.from_dict(content)


def _newest_judge(
    connection: Connection, fits: Sequence[Job], latest: StudyResult | None
) -> tuple[Job | None, StudyResult | None]:
    """Return the newest fit that can judge a classifier; a fit without evidence cannot."""
    for place, job in enumerate(fits[:_MOST_JUDGES]):
        result = latest if place == 0 else _result(connection, job)
        if result is not None and (result.cards or result.weight_draws.size):
            return job, result
    return None, None


def ask_fit(host: Host, slug: str, chosen: Mapping[str, str], *, actor: str, now: datetime) -> int:
    """Queue a fit and return its number; wrong choices are refused before anything waits."""
    row = find_study(host, slug)
    study = host.study(row.version)
    settings: dict[str, Any] = {
        "people": chosen_name(chosen.get("people") or "attentive", POLICIES, "people"),
        "seed": chosen_number(chosen.get("seed") or "1", "seed", 0, _MOST_SEED),
        **kind_of(study).fit_settings(study, chosen, library_cards),
    }
    return host.database.write(lambda c: _queue(c, row, FIT, settings, actor=actor, now=now))


def take_upload(
    host: Host, slug: str, *, purpose: str, name: str, content: bytes, actor: str, now: datetime
) -> int:
    """Check an uploaded table whole, keep it, and return its number."""
    row = find_study(host, slug)
    given = _given(purpose, name, content)
    return host.database.write(lambda c: _keep(c, row, given, actor=actor, now=now))


def open_upload(host: Host, slug: str, number: int) -> UploadView:
    """Return an uploaded table and what its columns probably mean."""
    row = find_study(host, slug)
    with host.database.reading() as connection:
        upload = uploads.find(connection, row.number, _known_number(number, "upload"))
    if upload is None or upload.purpose not in (CLASSIFIER, SYSTEMS):  # one waits to be imported
        raise UnknownNameError(where="upload", name=str(number), names=())
    given = _given(upload.purpose, upload.name, upload.content)
    return UploadView(
        number=number,
        name=given.name,
        purpose=given.purpose,
        table=given.table,
        guesses=given.guesses,
    )


def ask_upload(
    host: Host, slug: str, number: int, chosen: Mapping[str, str], *, actor: str, now: datetime
) -> int:
    """Queue the judging of an upload with the columns that were chosen."""
    seen = open_upload(host, slug, number)
    settings = _judging(host, slug, seen.purpose, seen.table, chosen)
    settings |= {"upload": number, "file": seen.name}
    row = find_study(host, slug)
    return host.database.write(
        lambda c: _queue(c, row, seen.purpose, settings, actor=actor, now=now)
    )


def judge_table(
    host: Host,
    slug: str,
    *,
    purpose: str,
    name: str,
    content: bytes,
    chosen: Mapping[str, str],
    actor: str,
    now: datetime,
) -> int:
    """Keep a table and queue its judging in one go; columns that are not chosen are guessed."""
    row = find_study(host, slug)
    given = _given(purpose, name, content)
    settings = _judging(host, slug, purpose, given.table, {**given.guesses, **chosen})

    def store(connection: Connection) -> int:
        number = _keep(connection, row, given, actor=actor, now=now)
        whole = settings | {"upload": number, "file": given.name}
        return _queue(connection, row, purpose, whole, actor=actor, now=now)

    return host.database.write(store)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Given:
    """A table as somebody sent it."""

    purpose: str
    name: str
    content: bytes
    table: Table

    @property
    def guesses(self) -> Mapping[str, str]:
        roles = ("truth", "score") if self.purpose == CLASSIFIER else ("item", "user")
        return {role: guess(self.table.columns, role) for role in roles}


def _given(purpose: str, name: str, content: bytes) -> _Given:
    shown = name.replace("\\", "/").rpartition("/")[2][:100] or "upload.csv"
    return _Given(purpose=purpose, name=shown, content=content, table=read_upload(name, content))


def _keep(
    connection: Connection, row: StudyRow, given: _Given, *, actor: str, now: datetime
) -> int:
    number = uploads.add(connection, row.number, given.purpose, given.name, given.content, now=now)
    detail = {"file": given.name, "rows": len(given.table), "purpose": given.purpose}
    audit.note(connection, actor=actor, action="upload", study=row.slug, detail=detail, now=now)
    return number


def _judging(
    host: Host, slug: str, purpose: str, table: Table, chosen: Mapping[str, str]
) -> dict[str, Any]:
    """Return how a table is judged, or say which column or which fit is missing."""
    if purpose == SYSTEMS:
        return {
            "item": _column(chosen, "item", table),
            "user": _column(chosen, "user", table) if chosen.get("user") else "",
            "people": "attentive",
            "seed": 1,
        }
    known = overview(host, slug)
    if known.judge_job is None or known.judge is None:
        raise InputError(
            where="classifier",
            found="no fit with enough evidence",
            needed="a fit of this study",
            cure="Fit the study first.",
        )
    settings: dict[str, Any] = {
        "truth": _column(chosen, "truth", table),
        "score": _column(chosen, "score", table),
        "positive": _positive(chosen, table),
        "result": known.judge_job.number,
        "seed": 1,
    }
    if known.judge.cards:
        names = [card.application for card in known.judge.cards]
        settings["application"] = chosen_name(chosen.get("application") or names[0], names, "for")
    return settings


def cancel_job(host: Host, slug: str, number: int, *, now: datetime) -> bool:
    """End a job that waits or runs."""
    row = find_study(host, slug)
    return host.database.write(
        lambda connection: jobs.cancel(
            connection, row.number, _known_number(number, "result"), now=now
        )
    )


def job_of(host: Host, slug: str, number: int) -> tuple[Job, StudyResult | None]:
    """Return a job of this study and its result, None while there is none."""
    row = find_study(host, slug)
    with host.database.reading() as connection:
        job = jobs.find(connection, _known_number(number, "result"))
        if job is None or job.study != row.number:
            raise UnknownNameError(where="result", name=str(number), names=())
        content = jobs.result(connection, number)
    return job, None if content is None else StudyResult.from_dict(content)


def _known_number(number: int, where: str) -> int:
    """Refuse numbers no database holds before one is asked."""
    if not 0 < number <= _LARGEST_NUMBER:
        raise UnknownNameError(where=where, name=str(number)[:40], names=())
    return number


def _queue(
    connection: Connection,
    row: StudyRow,
    task: str,
    settings: Mapping[str, Any],
    *,
    actor: str,
    now: datetime,
) -> int:
    number = jobs.add(connection, row.number, task, settings, now=now)
    audit.note(
        connection, actor=actor, action="fit", study=row.slug, detail={"task": task}, now=now
    )
    return number


def _positive(chosen: Mapping[str, str], table: Table) -> str:
    """Return the positive label; one that no case has is refused before anything waits."""
    name, label = _column(chosen, "truth", table), chosen.get("positive", "1").strip()
    names = labels(table[name])
    if not label:
        raise InputError(
            where="label that counts as positive",
            found="nothing",
            needed=f"one of the labels in {name!r}: {', '.join(names)}",
            cure="Type it.",
        )
    positives(table[name], label, where=f"column {name!r}")
    return label


def _column(chosen: Mapping[str, str], role: str, table: Table) -> str:
    name = chosen.get(role, "")
    if name not in table:
        raise InputError(
            where=role,
            found=repr(name) if name else "no column chosen",
            needed=f"one of the columns found: {', '.join(table.columns)}",
            cure="Choose it from the list.",
        )
    return name
