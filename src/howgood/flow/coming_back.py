"""Coming back: a calendar entry, a link for another device, reminders by e-mail.

In: a host, a token, an address; settings and the time. Out: what a page or a calendar needs;
letters sent. Absent: mail itself (`mail`), the page.

An address stands in a table of its own, is in no export, and is erased when the person has
finished, has left, or cannot be reached.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial

from howgood.ask.sentences import sentence
from howgood.errors import InputError
from howgood.flow.hosting import Host, tokens
from howgood.flow.hosting.host import SessionState
from howgood.flow.mail import Letter, MailError, mail_address, send_mail
from howgood.kinds.translation import in_language
from howgood.records.participant import Status
from howgood.settings import Settings
from howgood.store import addresses

_AT_ONCE, _MOST_ATTEMPTS = 50, 4
_LATER = timedelta(minutes=30)
_FOLD = 73  # bytes of a line in a calendar file
Send = Callable[[Settings, Letter], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ComingBack:
    """Where somebody goes on, and when: `until` is empty where they need not wait."""

    title: str
    language: str
    signature: str
    until: datetime | None
    is_reminded: bool


def coming_back(host: Host, token: str) -> ComingBack:
    """Return how the holder of a token comes back; an unknown one is refused."""
    state = host.state(token)
    language = state.screen.language if state.screen else state.study.language
    with host.database.reading() as connection:
        is_reminded = addresses.is_reminded(connection, state.participant.number)
    return ComingBack(
        title=in_language(state.study, language).title,
        language=language,
        signature=tokens.signature(host.key, "later", token),
        until=_until(state),
        is_reminded=is_reminded,
    )


def _until(state: SessionState) -> datetime | None:
    screen = state.screen
    return datetime.fromisoformat(screen.until) if screen and screen.kind == "wait" else None


def remind_me(host: Host, token: str, address: str) -> None:
    """Remember an address until the person has finished; an empty one erases it."""
    state = host.state(token)
    number = state.participant.number
    if not address.strip():
        host.database.write(lambda connection: addresses.forget_reminder(connection, number))
        return
    written, until = mail_address(address), _until(state)
    if until is None:
        raise InputError(
            where="reminder",
            found="somebody who need not wait",
            needed="a round that begins later",
            cure="Go on with the link.",
        )
    host.database.write(
        lambda connection: addresses.remind(connection, number, written, token, due_at=until)
    )


def send_due(host: Host, settings: Settings, *, now: datetime, send: Send = send_mail) -> int:
    """Write to everybody whose round begins, and erase the addresses of those who have finished.

    Returns how many letters the mail server took. One that it does not take is tried again; after
    four times its address is erased.

    Notes
    -----
    Stability: experimental
    """
    _look_ahead(host)
    due = host.database.write(
        lambda connection: addresses.take_due(connection, now=now, most=_AT_ONCE)
    )
    sent = 0
    for reminder in due:
        try:
            send(settings, _letter(host, settings, reminder))
            sent += 1
        except MailError:
            _try_later(host, reminder, now)
        except InputError:  # the participant was erased meanwhile, or the address is none
            _forget(host, reminder.participant)
    return sent


def _look_ahead(host: Host) -> None:
    """Find the next round of those who were reminded before; erase who needs no reminder."""
    with host.database.reading() as connection:
        known = addresses.notified(connection)
    for number, status, told_of, until in known:
        if status is not Status.ACTIVE:
            _forget(host, number)
        elif until and (moment := datetime.fromisoformat(until)) != told_of:
            host.database.write(partial(addresses.again, participant=number, due_at=moment))


def _try_later(host: Host, reminder: addresses.Reminder, now: datetime) -> None:
    if reminder.attempts >= _MOST_ATTEMPTS:
        _forget(host, reminder.participant)
        return
    number, until = reminder.participant, now + _LATER
    host.database.write(lambda connection: addresses.put_off(connection, number, until=until))


def _forget(host: Host, number: int) -> None:
    host.database.write(lambda connection: addresses.forget_reminder(connection, number))


def _letter(host: Host, settings: Settings, reminder: addresses.Reminder) -> Letter:
    state = host.state(reminder.token)
    language = state.screen.language if state.screen else state.study.language
    title = in_language(state.study, language).title
    link = f"{settings.public_url}/p/{reminder.token}"
    return Letter(
        to=reminder.address,
        subject=sentence(language, "reminder_subject", title=title),
        text=sentence(language, "reminder_text", title=title, link=link),
    )


def calendar_file(entry: ComingBack, link: str, *, now: datetime) -> str:
    """Return a calendar file (RFC 5545) with the moment from which somebody can go on.

    Examples
    --------
    >>> soon = datetime(2026, 5, 4, 12, tzinfo=UTC)
    >>> entry = ComingBack(title="Songs", language="en", signature="", until=soon,
    ...                    is_reminded=False)
    >>> "DTSTART:20260504T120000Z" in calendar_file(entry, "https://a.example/p/x", now=soon)
    True
    """
    start = entry.until or now
    lines = [
        "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//howgood//howgood//EN", "BEGIN:VEVENT",
        f"UID:{tokens.digest(link)[:32]}-{start:%Y%m%dT%H%M%S}@howgood",
        f"DTSTAMP:{now.astimezone(UTC):%Y%m%dT%H%M%SZ}",
        f"DTSTART:{start.astimezone(UTC):%Y%m%dT%H%M%SZ}", "DURATION:PT30M",
        f"SUMMARY:{_escaped(entry.title)}", f"DESCRIPTION:{_escaped(link)}", f"URL:{link}",
        "BEGIN:VALARM", "ACTION:DISPLAY", f"DESCRIPTION:{_escaped(entry.title)}", "TRIGGER:PT0M",
        "END:VALARM", "END:VEVENT", "END:VCALENDAR",
    ]  # fmt: skip
    return "".join(f"{_folded(line)}\r\n" for line in lines)


def _escaped(text: str) -> str:
    plain = " ".join(text.split()).replace("\\", "\\\\")
    return plain.replace(";", "\\;").replace(",", "\\,")


def _folded(line: str) -> str:
    """Return a line in pieces of at most 75 bytes, no character cut in two."""
    pieces, piece = [], ""
    for character in line:
        if len((piece + character).encode()) > _FOLD:
            pieces.append(piece)
            piece = ""
        piece += character
    return "\r\n ".join([*pieces, piece])
