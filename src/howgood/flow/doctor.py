"""Whether a server is fit to run: database, disk, clock, public address, mail, backups, versions.

In: settings, perhaps a folder of backups. Out: one `Check` each: what was found and what to do.
Absent: repairs; nothing is changed but a value that nobody reads, to see whether answers can be
stored, and the server may run meanwhile. What an evaluation log supports is said by
`howgood ship --doctor`.
"""

import platform
import shutil
import ssl
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Literal

import sqlalchemy as sa

from howgood import __version__
from howgood.errors import HowgoodError, InputError
from howgood.flow.hosting.studies import drill
from howgood.flow.mail import ask_mail_server, can_mail, mail_address
from howgood.settings import Settings
from howgood.store import studies
from howgood.store.database import (
    AWAY,
    Database,
    address_without_password,
    is_sqlite,
    open_database,
    sqlite_file,
)
from howgood.store.migrate import newest
from howgood.store.schema import CLOCKS_DIFFER, answers, jobs

State = Literal["ok", "warning", "problem"]
_LITTLE, _TOO_LITTLE = 1_000_000_000, 200_000_000
# One a night, and some time for it to be made.
_OLD_BACKUP = timedelta(hours=26)
_LONGEST_WAIT = timedelta(minutes=10)
_ASK_SECONDS = 5.0
_MEGABYTE = 1_000_000
_WRITING_CURE = (
    "Is the disk full, read-only or failing (df, dmesg), and may this user write there? What was "
    "acknowledged is stored. On a failing disk: howgood backup to another one, then restore there."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that was looked at.

    Notes
    -----
    Stability: experimental
    """

    name: str
    state: State
    found: str
    cure: str = ""

    def to_dict(self) -> dict[str, str]:
        """Return plain values, ready for JSON."""
        return {"name": self.name, "state": self.state, "found": self.found, "cure": self.cure}


def examine(settings: Settings, *, backups: Path | None, now: datetime) -> tuple[Check, ...]:
    """Look at everything a server needs; no answer, study or setting is changed.

    Parameters
    ----------
    settings : Settings
        Where the database is and how the server is reached.
    backups : Path or None
        The folder that backups are written to.
    now : datetime
        The time by this machine's clock.

    Notes
    -----
    Stability: experimental
    """
    return (
        _versions(),
        *_database(settings, now),
        _disk(settings),
        *_public(settings),
        _mail(settings),
        _backups(settings, backups, now),
    )


def is_well(checks: tuple[Check, ...]) -> bool:
    """Return whether nothing stands in the way; warnings do not."""
    return all(check.state != "problem" for check in checks)


def _versions() -> Check:
    import sqlite3

    found = f"howgood {__version__}, Python {platform.python_version()}"
    return Check(name="versions", state="ok", found=f"{found}, SQLite {sqlite3.sqlite_version}")


def _database(settings: Settings, now: datetime) -> Iterator[Check]:
    """Open the database without bringing it up to date, and look at what is in it."""
    shown = address_without_password(settings.database)
    if is_sqlite(settings.database) and not sqlite_file(settings.database).is_file():
        cure = "Start the server once, or name the database with HOWGOOD_DATABASE."
        yield Check(name="database", state="problem", found=f"no file {shown}", cure=cure)
        return
    try:
        database = open_database(settings.database)
    except HowgoodError as error:
        yield Check(name="database", state="problem", found=str(error), cure="See above.")
        return
    try:
        layout = _looked("database", _layout, database, now)
        yield layout
        if layout.state != "problem":  # else nothing may be written into it
            yield _looked("writing", _writing, database, now)
        for name, look in (("clock", _clock), ("worker", _worker)):
            yield _looked(name, look, database, now)
    finally:
        database.close()


def _looked(
    name: str, look: Callable[[Database, datetime], Check], database: Database, now: datetime
) -> Check:
    try:
        return look(database, now)
    except sa.exc.SQLAlchemyError as error:
        cure = "Is it a database of howgood, and in reach? Else restore a backup."
        return Check(name=name, state="problem", found=_first_line(error), cure=cure)


def _first_line(error: Exception) -> str:
    return str(getattr(error, "orig", error)).strip().splitlines()[0][:200]


def _layout(database: Database, now: datetime) -> Check:
    with database.reading() as connection:
        noted = connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar()
        count = connection.execute(sa.select(sa.func.count()).select_from(answers)).scalar_one()
        sound = "ok"
        if connection.dialect.name == "sqlite":
            sound = str(connection.execute(sa.text("PRAGMA quick_check(1)")).scalar())
    if sound != "ok":
        cure = "Stop the server and restore a backup: howgood restore FILE."
        return Check(name="database", state="problem", found=f"damaged: {sound[:200]}", cure=cure)
    found = f"{database.engine.dialect.name}, layout {noted}, {count:,} answers"
    if str(noted) > newest():
        cure = f"Update howgood: this one knows layouts up to {newest()}."
        return Check(name="database", state="problem", found=found, cure=cure)
    if str(noted) < newest():
        cure = f"The next start brings it to layout {newest()}: make a backup before."
        return Check(name="database", state="warning", found=found, cure=cure)
    return Check(name="database", state="ok", found=found)


def _writing(database: Database, now: datetime) -> Check:
    """Write as the server's own check does: a disk that fails can often still be read."""
    try:
        database.write(studies.touch)
    except AWAY as error:
        found = f"nothing can be stored ({_first_line(error)})"
        return Check(name="writing", state="problem", found=found, cure=_WRITING_CURE)
    return Check(name="writing", state="ok", found="answers can be stored")


def _clock(database: Database, now: datetime) -> Check:
    """Compare this machine's clock with the newest answer, and with the database's own."""
    with database.reading() as connection:
        last = connection.execute(sa.select(sa.func.max(answers.c.answered_at))).scalar()
        there = now
        if connection.dialect.name == "postgresql":
            there = connection.execute(sa.select(sa.func.clock_timestamp())).scalar_one()
    apart = max(abs(there - now), last - now if last is not None else timedelta())
    if apart > CLOCKS_DIFFER:
        found = f"{apart.total_seconds():,.0f} s apart from the database or its newest answer"
        cure = "Set the clock, and keep it right with NTP (timedatectl set-ntp true)."
        return Check(name="clock", state="problem", found=found, cure=cure)
    return Check(name="clock", state="ok", found=f"{now:%Y-%m-%d %H:%M:%S} UTC")


def _worker(database: Database, now: datetime) -> Check:
    with database.reading() as connection:
        oldest = connection.execute(
            sa.select(sa.func.min(jobs.c.created_at)).where(jobs.c.status == "queued")
        ).scalar()
    if oldest is not None and now - oldest > _LONGEST_WAIT:
        found = f"a job waits since {oldest:%Y-%m-%d %H:%M} UTC"
        cure = "Is a worker running? howgood serve brings one, else start howgood worker."
        return Check(name="worker", state="warning", found=found, cure=cure)
    return Check(name="worker", state="ok", found="no job waits long")


def _disk(settings: Settings) -> Check:
    if not is_sqlite(settings.database):
        return Check(name="disk", state="ok", found="the database keeps its own")
    folder = sqlite_file(settings.database).absolute().parent
    if not folder.is_dir():
        cure = "Make the folder, or name another database."
        return Check(name="disk", state="problem", found=f"no folder {folder}", cure=cure)
    free = shutil.disk_usage(folder).free
    found = f"{free / _MEGABYTE:,.0f} MB free"
    cure = "Make room before answers can no longer be stored."
    if free < _TOO_LITTLE:
        return Check(name="disk", state="problem", found=found, cure=cure)
    if free < _LITTLE:
        return Check(name="disk", state="warning", found=found, cure=cure)
    return Check(name="disk", state="ok", found=found)


def _public(settings: Settings) -> Iterator[Check]:
    """Ask the server as people reach it: through its proxy."""
    address = settings.public_url
    if not address:
        cure = "Set HOWGOOD_PUBLIC_URL to the address people use, such as https://study.org."
        yield Check(name="proxy", state="warning", found="no public address is set", cure=cure)
        return
    if not address.startswith("https://"):
        cure = "Put a proxy with a certificate in front (see the guide about going live)."
        yield Check(name="proxy", state="warning", found=f"{address} is not https", cure=cure)
    if not address.startswith(("http://", "https://")):
        return
    yield _answering(address)


def _answering(address: str) -> Check:
    cure = "Is the server running, and does the proxy lead to it? Ask ADDRESS/health yourself."
    try:
        with urllib.request.urlopen(f"{address}/health", timeout=_ASK_SECONDS) as answer:  # noqa: S310 - http or https, checked
            status = answer.status
    except urllib.error.HTTPError as error:
        found = f"{address}/health answers {error.code}"
        return Check(name="proxy", state="problem", found=found, cure=cure)
    except (OSError, ssl.SSLError, ValueError) as error:
        found = f"{address}/health does not answer ({error})"
        return Check(name="proxy", state="problem", found=found, cure=cure)
    return Check(name="proxy", state="ok", found=f"{address}/health answers {status}")


def _mail(settings: Settings) -> Check:
    if not can_mail(settings):
        return Check(name="mail", state="ok", found="no mail server is set; links are handed on")
    try:
        mail_address(settings.mail_from)
        return Check(name="mail", state="ok", found=f"{ask_mail_server(settings)} answers")
    except InputError as error:
        return Check(name="mail", state="problem", found=error.found, cure=error.cure)


def _backups(settings: Settings, folder: Path | None, now: datetime) -> Check:
    if folder is None:
        cure = "Say where backups are: --backups FOLDER."
        return Check(name="backups", state="warning", found="not looked at", cure=cure)
    files = [path for path in folder.glob("*") if path.is_file()] if folder.is_dir() else []
    if not files:
        cure = "Make one a night: deploy/howgood-backup.timer, or pg_dump."
        return Check(name="backups", state="problem", found=f"none in {folder}", cure=cure)
    latest = max(files, key=lambda path: path.stat().st_mtime)
    age = timedelta(seconds=max(now.timestamp() - latest.stat().st_mtime, 0))
    found = f"{latest.name}, {age.total_seconds() / 3600:,.0f} h old"
    if age > _OLD_BACKUP:
        cure = "Look why no newer one was made."
        return Check(name="backups", state="problem", found=found, cure=cure)
    if not is_sqlite(settings.database):
        return Check(name="backups", state="ok", found=found)
    try:
        done = drill(latest, now=now)
    except HowgoodError as error:
        cure = "Take an earlier one as the newest sound backup, and look at the disk."
        return Check(name="backups", state="problem", found=f"{found}: {error}", cure=cure)
    text = f"{found}; restored in a drill: {done.answers:,} answers of {done.people:,} people"
    return Check(name="backups", state="ok", found=text)
