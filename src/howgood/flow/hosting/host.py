"""The studies one database runs, remembered by version.

In: a database address, studies. Out: `Host`, and personal links. Absent: what participants do
(`visit`), reading study files (`study_files`) and the web.
"""

import mimetypes
from collections import OrderedDict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property, lru_cache
from itertools import takewhile
from pathlib import Path
from threading import Lock
from time import monotonic
from weakref import WeakValueDictionary

from sqlalchemy.engine import Connection

from howgood.errors import UnknownNameError
from howgood.flow.hosting import tokens
from howgood.flow.hosting.view import Reason, RefusedError
from howgood.kinds import kind_of
from howgood.records.participant import Participant, Position, Status, StoredAnswer
from howgood.records.screen import Answer, Screen
from howgood.records.study import Study
from howgood.store import answers, migrate, participants, studies
from howgood.store.database import Database, is_sqlite, open_database, usable_file
from howgood.store.participants import NewParticipant
from howgood.store.server_lock import ServerLock, fresh_run
from howgood.store.soundness import check_sound, refuse_foreign_log, run_in_head
from howgood.store.studies import MediaFile, NewVersion, StudyRow

# Answers kept in memory: enough for everyone who is likely to be here at once, below 100 MB.
_REMEMBERED = 200_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """Where a person is: the screen stored there (None before consent), the answers before it."""

    position: Position
    screen: Screen | None = None
    answers: tuple[Answer, ...] = ()

    @property
    def participant(self) -> Participant:
        """Who it is."""
        return self.position.participant

    @property
    def weight(self) -> int:
        """How much of the memory it takes: its answers, and a few for the screen."""
        return 10 + len(self.answers)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fullness:
    """Whether every place of a study was taken, and when that was counted."""

    study: Study
    at: datetime
    is_full: bool


class Host:
    """One database and what is worth remembering of it; safe to share between threads.

    `moment` is for how many seconds nobody looks again whether a person is still where they were.
    Only another process can have erased them meanwhile, and then nothing of theirs is stored.
    """

    def __init__(self, database: Database, *, lock: ServerLock | None = None) -> None:
        self.database = database
        self._lock = lock
        # Where several processes serve, each must look every time: another may have moved people.
        self.moment = 1.0 if database.is_local else 0.0
        # A version never changes, so what was read once stays right.
        self.study = lru_cache(maxsize=256)(self._read_study)
        self._known: OrderedDict[str, tuple[Known, float]] = OrderedDict()
        self._weight = 0
        self._gate = Lock()
        # A film that hundreds look at is in memory once, and not at all when nobody does.
        self.media: WeakValueDictionary[tuple[int, str], MediaFile] = WeakValueDictionary()
        # Whether a study was full when somebody last counted, so that not everybody counts.
        self.fullness: dict[int, Fullness] = {}
        # Choosing the next pair takes milliseconds: one after the other, beside the event loop.
        self.thinking = ThreadPoolExecutor(1, thread_name_prefix="howgood-thinking")

    @cached_property
    def key(self) -> bytes:
        """The key that signs forms and derives tokens, the same in every process."""
        with self.database.reading() as connection:
            return studies.signing_key(connection)

    def _read_study(self, version: int) -> Study:
        with self.database.reading() as connection:
            return Study.from_dict(studies.content(connection, version))

    def known(self, token_digest: str) -> Known | None:
        """Return where the holder of a token is now.

        Which screen that is, and whether they still hold their place, is read from the database
        unless it was so a moment ago. What a screen says and what was answered before it never
        changes, so that is remembered.
        """
        with self._gate:
            found, seen_at = self._known.get(token_digest, (None, 0.0))
        if found is not None and monotonic() - seen_at < self.moment:
            return found
        seen = participants.glance(self.database, token_digest)
        if seen is None:
            self.forget(token_digest)
            return None
        status, number = seen
        if found is None or found.position.number != number:
            return self._read_known(token_digest)
        if found.participant.status is not status:
            person = replace(found.participant, status=status)
            found = replace(found, position=replace(found.position, participant=person))
        self.remember(token_digest, found)
        return found

    def remember(self, token_digest: str, known: Known) -> None:
        """Keep what was just read or stored: its reader comes back in a moment."""
        with self._gate:
            before, _ = self._known.get(token_digest, (None, 0.0))
            if before is not None and before.position.number > known.position.number:
                return  # another thread knows better
            self._known.pop(token_digest, None)
            self._known[token_digest] = known, monotonic()
            self._weight += known.weight - (before.weight if before else 0)
            while self._weight > _REMEMBERED and len(self._known) > 1:
                self._weight -= self._known.popitem(last=False)[1][0].weight

    def forget(self, token_digest: str | None = None) -> None:
        """Drop what is remembered of one person, or of everybody and every study."""
        with self._gate:
            gone = [token_digest] if token_digest is not None else list(self._known)
            for each in gone:
                known, _ = self._known.pop(each, (None, 0.0))
                self._weight -= known.weight if known else 0
        if token_digest is None:
            self.study.cache_clear()
            self.fullness.clear()

    def _read_known(self, token_digest: str) -> Known | None:
        with self.database.reading() as connection:
            position = participants.position(connection, token_digest)
            if position is None or position.screen is None:
                return Known(position=position) if position else None
            stored = answers.answers_of(connection, position.participant.number)
        # Someone may have answered since the position was read: leave out what came after it.
        screen = Screen.from_dict(position.content)
        before = takewhile(lambda each: each.screen != screen.key, stored)
        position = replace(position, content={})  # held by the screen, and not twice
        known = Known(position=position, screen=screen, answers=tuple(map(_answer, before)))
        self.remember(token_digest, known)
        return known

    def close(self) -> None:
        """Finish waiting writes and close the database."""
        self.thinking.shutdown()
        self.database.close()
        if self._lock is not None:
            self._lock.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A personal link: the token is shown once, here, and stored only as its digest."""

    token: str
    is_pilot: bool


def open_host(address: str) -> Host:
    """Open the database and bring it up to date, or say why not."""
    return Host(_up_to_date(address))


def _up_to_date(address: str) -> Database:
    database = open_database(address)
    try:
        migrate.upgrade(database)
    except BaseException:
        database.close()
        raise
    return database


def open_server(address: str) -> tuple[Host, str]:
    """Open a database as its server does; return a note if there is something to say about it.

    A SQLite file is looked through first, and has one server at a time.
    """
    if not is_sqlite(address):
        return open_host(address), ""
    location = usable_file(address)
    lock = ServerLock(location)
    try:
        refuse_foreign_log(location)
        run_before = run_in_head(location)
        is_checked = check_sound(location)
        database = _up_to_date(address)
    except BaseException:
        lock.close()
        raise
    host = Host(database, lock=lock)
    _begin_run(database, lock, run_before)
    return host, "" if is_checked else _PARTLY_CHECKED


def _begin_run(database: Database, lock: ServerLock, before: int) -> None:
    """Note in the file and next to it which run the log belongs to that is written from now on."""
    run = fresh_run()
    # Killed in between, either number may be the one in the file.
    lock.note(runs=[before, run])
    if database.mark_run(run):
        lock.note(runs=[run])


_PARTLY_CHECKED = (
    "the database is large: the part that was looked at is sound. howgood backup checks all of it."
)


def add_study(host: Host, study: Study, *, folder: Path, now: datetime) -> StudyRow:
    """Make this the version new participants get; pictures come from the folder."""
    new = new_version(study, tuple(media_of(study, folder)))
    return host.database.write(
        lambda connection: studies.save(connection, new, now=now, from_file=True)
    )


def new_version(study: Study, media: tuple[MediaFile, ...]) -> NewVersion:
    """Return a study as it is stored."""
    return NewVersion(
        slug=study.slug,
        title=study.title,
        kind=study.kind,
        digest=study.version,
        content=study.to_dict(),
        media=media,
    )


def every_study(host: Host) -> tuple[StudyRow, ...]:
    """Return the studies in the database."""
    with host.database.reading() as connection:
        return studies.everything(connection)


def make_links(
    host: Host, slug: str, *, people: int, is_pilot: bool = False, now: datetime
) -> tuple[Link, ...]:
    """Invite this many people by personal links; pilots' answers stay out of the data."""
    with host.database.reading() as connection:
        row = studies.find(connection, slug)
        known = [each.slug for each in studies.everything(connection)]
    if row is None:
        raise UnknownNameError(where="study", name=slug, names=known)
    pilot = is_pilot or host.study(row.version).pilot
    links = tuple(Link(token=tokens.fresh_token(), is_pilot=pilot) for _ in range(people))
    host.database.write(lambda connection: _invite(connection, row, links, now))
    return links


def picture(host: Host, version: int, name: str) -> MediaFile:
    """Return a picture or film of a study's version; all who look at it at once share one."""
    found = host.media.get((version, name))
    if found is not None:
        return found
    with host.database.reading() as connection:
        found = studies.media_file(connection, version, name)
    if found is None:
        raise RefusedError(Reason.UNKNOWN_STUDY)
    return host.media.setdefault((version, name), found)


def _invite(connection: Connection, row: StudyRow, links: tuple[Link, ...], now: datetime) -> None:
    for link in links:
        new = NewParticipant(
            study=row.number,
            version=row.version,
            token_digest=tokens.digest(link.token),
            seed=tokens.fresh_seed(),
            status=Status.INVITED,
            origin={},
            is_pilot=link.is_pilot,
        )
        participants.add(connection, new, now=now)


def media_of(study: Study, folder: Path) -> Iterator[MediaFile]:
    """Yield the pictures and films of a study, read from its folder, each once."""
    for name in dict.fromkeys(picture.file for picture in kind_of(study).pictures(study)):
        kind, _ = mimetypes.guess_type(name)
        yield MediaFile(
            name=name,
            media_type=kind or "application/octet-stream",
            content=(folder / name).read_bytes(),
        )


def _answer(stored: StoredAnswer) -> Answer:
    return Answer(
        screen=stored.screen,
        values=stored.content,
        at=stored.answered_at,
        seconds=(stored.answered_at - stored.shown_at).total_seconds(),
    )
