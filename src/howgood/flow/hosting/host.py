"""One running database: its connections, its key, and where the people in its studies are.

In: a database address. Out: `Host`. Absent: what participants do (`visit`, `admission`), studies
and their links (`studies`) and the web.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property, lru_cache, partial
from itertools import takewhile
from threading import Lock
from time import monotonic
from typing import TypeVar
from weakref import WeakValueDictionary

from cachetools import LRUCache
from sqlalchemy.engine import Connection
from sqlalchemy.exc import IntegrityError

from howgood.flow.hosting import tokens
from howgood.flow.hosting.view import Reason, RefusedError
from howgood.kinds import kind_of
from howgood.kinds.study import Study
from howgood.records.participant import Participant, StoredAnswer
from howgood.records.screen import Answer, Screen
from howgood.store import answers, migrate, participants, studies
from howgood.store.database import (
    AWAY,
    Database,
    is_sqlite,
    open_database,
    require_database,
    usable_file,
)
from howgood.store.integrity import check_sound, refuse_foreign_log, run_in_head
from howgood.store.server_lock import ServerLock, fresh_run
from howgood.store.studies import MediaFile

T = TypeVar("T")
# People whose screen and answers are kept in memory: all who are likely to be here at once.
_PEOPLE_IN_MEMORY = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionState:
    """Where a person is: their screen (None before consent), its number, the answers before it."""

    token_digest: str
    study: Study
    participant: Participant
    number: int
    shown_at: datetime | None
    screen: Screen | None = None
    answers: tuple[Answer, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FullCheck:
    """Whether every place of a study was taken, and when that was counted."""

    study: Study
    at: datetime
    is_full: bool


class SharedAnswers:
    """What everybody's answers come to, for studies whose next page depends on them.

    Reading all answers takes longer the more there are, so it happens at most every second, and
    takes at most a twentieth of the time. Who answers meanwhile gets a page that was chosen by
    what was known a moment before.
    """

    def __init__(self, database: Database, *, clock: Callable[[], float] = monotonic) -> None:
        self._database, self._clock = database, clock
        # By version of a study: until when it counts as new, and what it says.
        self._known: LRUCache[str, tuple[float, object]] = LRUCache(64)
        self._lock = Lock()

    def of(self, study: Study, number: int) -> object:
        """Return the summary of the answers to a study so far; None where the kind needs none."""
        task = kind_of(study).shared
        if task is None:
            return None
        with self._lock:
            until, summary = self._known.get(study.version, (0.0, None))
        began = self._clock()
        if summary is not None and began < until:
            return summary
        with self._database.reading() as connection:
            given = answers.answers_to(connection, number, begins=task.screens)
        summary = task.summary(study, given)
        took = self._clock() - began
        with self._lock:
            self._known[study.version] = (began + max(1.0, 20.0 * took), summary)
        return summary

    def forget(self) -> None:
        """Read again when somebody asks."""
        with self._lock:
            self._known.clear()


class Host:
    """One database and what is kept of it in memory; safe to share between threads."""

    def __init__(self, database: Database, *, lock: ServerLock | None = None) -> None:
        self.database = database
        self._lock = lock
        # A version never changes, so what was read once stays right.
        self.study = lru_cache(maxsize=256)(self._read_study)
        self._states: LRUCache[str, SessionState] = LRUCache(_PEOPLE_IN_MEMORY)
        self._states_lock = Lock()
        # A film that hundreds look at is in memory once, and not at all when nobody does.
        self.media: WeakValueDictionary[tuple[int, str], MediaFile] = WeakValueDictionary()
        # Whether a study was full when somebody last counted, so that not everybody counts.
        self.full_checks: dict[int, FullCheck] = {}
        self.shared = SharedAnswers(database)
        # What takes milliseconds (choosing the next pair), one after the other, off the event loop.
        self.computing = ThreadPoolExecutor(1, thread_name_prefix="howgood-computing")

    @cached_property
    def key(self) -> bytes:
        """The key that signs forms and derives tokens, the same in every process."""
        with self.database.reading() as connection:
            return studies.signing_key(connection)

    def _read_study(self, version: int) -> Study:
        with self.database.reading() as connection:
            return Study.from_dict(studies.content(connection, version))

    def state(self, token: str) -> SessionState:
        """Return where the holder of a token is now, or refuse a token nobody holds.

        Which screen that is, and whether they still hold their place, is read from the database
        every time: another process may have changed it. What a screen says and what was answered
        before it is kept in memory: who changes an earlier answer moves their screen on.
        """
        digest = tokens.digest(token)
        place = self.database.read_one(partial(answers.place, token_digest=digest))
        with self._states_lock:
            state = self._states.get(digest)
        if place is None:
            self.forget(digest)
            raise RefusedError(Reason.UNKNOWN_LINK)
        status, number = place
        if state is None or state.number != number:
            return self._load_state(digest)
        if state.participant.status is not status:
            state = replace(state, participant=replace(state.participant, status=status))
        return state

    def remember(self, state: SessionState) -> None:
        """Keep what was just read or stored: its reader comes back in a moment."""
        with self._states_lock:
            self._states[state.token_digest] = state

    def forget(self, token_digest: str | None = None) -> None:
        """Drop what is in memory of one person, or of everybody and every study."""
        with self._states_lock:
            if token_digest is not None:
                self._states.pop(token_digest, None)
                return
            self._states.clear()
        self.study.cache_clear()
        self.shared.forget()
        self.full_checks.clear()

    def _load_state(self, token_digest: str) -> SessionState:
        with self.database.reading() as connection:
            position = participants.position(connection, token_digest)
            if position is None:  # erased between the two reads
                raise RefusedError(Reason.UNKNOWN_LINK)
            stored = answers.answers_of(connection, position.participant.number)
        person = position.participant
        screen = Screen.from_dict(position.content) if position.screen else None
        # On PostgreSQL someone may have answered between the two reads: leave out what came after.
        before = takewhile(lambda answer: answer.screen != position.screen, stored)
        state = SessionState(
            token_digest=token_digest,
            study=self.study(person.version),
            participant=person,
            number=position.number,
            shown_at=position.shown_at,
            screen=screen,
            answers=tuple(map(_answer, before)),
        )
        self.remember(state)
        return state

    async def store(self, operation: Callable[[Connection], T]) -> T:
        """Store something for somebody; refuse if they were erased since their form was read."""
        try:
            return await self.database.write_async(operation)
        except IntegrityError as error:
            raise RefusedError(Reason.UNKNOWN_LINK) from error

    def close(self) -> None:
        """Finish waiting writes and close the database."""
        self.computing.shutdown()
        self.database.close()
        if self._lock is not None:
            self._lock.close()


def open_host(address: str) -> Host:
    """Open the database and bring it up to date, or say why not."""
    return Host(_up_to_date(address))


def open_existing(address: str) -> Host:
    """Open a database that is there; in the wrong folder, an export must not make an empty one."""
    require_database(address)
    return open_host(address)


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
    try:
        _begin_run(database, lock, run_before)
    except BaseException:
        host.close()
        raise
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


def _answer(stored: StoredAnswer) -> Answer:
    return Answer(
        screen=stored.screen,
        values=stored.content,
        at=stored.answered_at,
        seconds=(stored.answered_at - stored.shown_at).total_seconds(),
    )


# Whether answers can be stored now, for whatever watches the server.
#
# Reading tells nothing about it: a full disk and a database that has become read-only can be read.
# So a value that nobody reads is written, and what became of the last answer counts too: a
# disk may have room for the one and none for the other. A server that was gone is well as soon as
# it is back.

# A check costs a write to the disk: whoever asks in between gets the last result, if that was good.
# A bad one costs nothing, and is checked again.
CHECK_SECONDS = 0.5
# A check that takes longer has failed; a shorter one may only wait for its turn.
TIMEOUT_SECONDS = 5.0
# A write that was refused counts for so long, unless another has gone well since.
REFUSAL_SECONDS = 30.0


class HealthCheck:
    """Checks at most twice a second while all is well, and never twice at once."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._lock = Lock()
        self._is_checking, self._is_well, self._began_at = False, True, -CHECK_SECONDS

    def is_well(self) -> bool:
        """Return whether answers can be stored now."""
        refused_at = self._host.database.refused_at
        if refused_at is not None and monotonic() - refused_at < REFUSAL_SECONDS:
            return False
        with self._lock:
            since = monotonic() - self._began_at
            if self._is_checking or (self._is_well and since < CHECK_SECONDS):
                return self._is_well and since < TIMEOUT_SECONDS
            self._is_checking, self._began_at = True, monotonic()
        try:  # without the lock: a database may keep us waiting
            self._is_well = self._can_store()
        finally:
            self._is_checking = False
        return self._is_well

    def _can_store(self) -> bool:
        try:
            self._host.database.write(studies.touch)
        except AWAY:
            return False
        return True
