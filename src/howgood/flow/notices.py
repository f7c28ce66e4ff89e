"""Messages to other programs and to people when something happens in a study.

In: a host, settings, the time. Out: messages delivered, tried again or given up, each listed.
Absent: what happens (`store.webhooks` finds it), pages, and answers: a message says that something
happened, never what somebody said.

A program gets JSON by POST with `Howgood-Signature: t=TIME,v1=HEX`, HEX being HMAC-SHA-256 of
`TIME.BODY` under the webhook's secret; a person gets a letter. Anything but 2xx is tried again,
later each time, for two days. Addresses of private networks are refused unless
HOWGOOD_WEBHOOK_NETWORKS names them: the name is looked up once and the connection made to the
address that was checked.
"""

import hmac
import http.client
import ipaddress
import json
import logging
import secrets
import socket
import ssl
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import SplitResult, urlsplit

from sqlalchemy.engine import Connection

from howgood.errors import InputError, UnknownNameError
from howgood.flow.error_location import error_location
from howgood.flow.hosting import Host
from howgood.flow.mail import Letter, mail_address, send_mail
from howgood.records.precision import evidence_of
from howgood.records.researcher import Researcher
from howgood.settings import Settings
from howgood.store import audit, studies, webhooks
from howgood.store.database import AWAY, WriterClosedError
from howgood.store.webhooks import PRECISION_REACHED, QUOTA, Delivery, Happened, Webhook

EVENTS: Mapping[str, str] = {
    "participant.completed": "somebody has finished the study",
    "quota.reached": "as many people have finished as the quota takes",
    "precision.reached": "a fit knows a share to within ten points for the first time",
    "fit.done": "a fit has its result",
    "fit.failed": "a fit has failed",
    "history": "anything in the study's history: versions, exports, erasures, roles",
}
# Seconds before each further attempt: two days in all.
WAITS = (10, 60, 300, 1_800, 7_200, 21_600, 54_000, 86_400)
LEASE = timedelta(seconds=60)
KEPT = timedelta(days=30)
_SECONDS, _LOOK_SECONDS = 10.0, 2.0
_LONGEST_TARGET, _MOST_WEBHOOKS = 500, 20
_log = logging.getLogger("howgood.notices")


class DeliveryError(InputError):
    """A message did not arrive; the text is shown in the list of messages."""

    def __init__(self, found: str) -> None:
        super().__init__(where="webhook", found=found, needed="an answer 2xx", cure="Look there.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Notices:
    """Who is notified of what happens in a study, and the newest messages."""

    webhooks: tuple[Webhook, ...]
    deliveries: tuple[Delivery, ...]


def notices_of(host: Host, slug: str) -> Notices:
    """Return the webhooks of a study and its newest messages."""
    with host.database.reading() as connection:
        number = studies.existing(connection, slug).number
        return Notices(
            webhooks=webhooks.of_study(connection, number),
            deliveries=webhooks.latest(connection, number),
        )


def add_webhook(
    host: Host,
    settings: Settings,
    person: Researcher,
    slug: str,
    *,
    target: str,
    events: Sequence[str],
    now: datetime,
) -> Webhook:
    """Tell an address (https, or an e-mail address) about events; its secret is shown once.

    Notes
    -----
    Stability: experimental
    """
    cleaned = _checked_target(settings, target)
    wanted = [event for event in EVENTS if event in events]
    if not wanted:
        raise InputError(
            where="events", found="none", needed="at least one", cure="Tick at least one."
        )
    secret = secrets.token_hex(32)

    def store(connection: Connection) -> Webhook:
        number = studies.existing(connection, slug).number
        if len(webhooks.of_study(connection, number)) >= _MOST_WEBHOOKS:
            raise InputError(
                where="webhooks", found=f"{_MOST_WEBHOOKS} already", needed="fewer",
                cure="Remove one first.",
            )  # fmt: skip
        made = webhooks.add(
            connection, study=number, target=cleaned, secret=secret, events=wanted,
            actor=person.name, now=now,
        )  # fmt: skip
        detail = {"to": shown_target(cleaned), "events": wanted}
        audit.note(
            connection, actor=person.name, action="webhook added", study=slug, detail=detail,
            now=now,
        )  # fmt: skip
        return Webhook(
            number=made, study=slug, target=cleaned, secret=secret, events=tuple(wanted),
            actor=person.name, created_at=now,
        )  # fmt: skip

    return host.database.write(store)


def remove_webhook(
    host: Host, person: Researcher, slug: str, number: int, *, now: datetime
) -> None:
    """Tell an address nothing more."""

    def store(connection: Connection) -> None:
        target = webhooks.remove(connection, studies.existing(connection, slug).number, number)
        if target is None:
            raise UnknownNameError(where="webhooks", name=number, names=())
        audit.note(
            connection, actor=person.name, action="webhook removed", study=slug,
            detail={"to": shown_target(target)}, now=now,
        )  # fmt: skip

    host.database.write(store)


def try_again(host: Host, slug: str, number: int, *, now: datetime) -> None:
    """Send a message again that did not arrive."""

    def store(connection: Connection) -> None:
        if not webhooks.try_again(
            connection, studies.existing(connection, slug).number, number, now=now
        ):
            raise UnknownNameError(where="messages", name=number, names=())

    host.database.write(store)


def shown_target(target: str) -> str:
    """Return where messages go without what may be secret in the address."""
    if target.startswith("mailto:"):
        return target
    parts = urlsplit(target)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}/…"


def deliver_due(host: Host, settings: Settings, *, now: datetime) -> int:
    """Send every message that is due; return how many arrived."""
    with host.database.reading() as connection:
        facts = (*webhooks.happened(connection), *_quotas(host, connection))
        is_due = bool(facts) or webhooks.is_due(connection, now=now)
    if not is_due:
        return 0  # looking every other second writes nothing

    def collect(connection: Connection) -> None:
        for fact in facts:
            webhooks.add_message(connection, fact, now=now)
        webhooks.forget(connection, before=now - KEPT)

    host.database.write(collect)
    arrived = 0
    while True:
        taken = host.database.write(lambda c: webhooks.claim(c, now=now, lease=LEASE))
        if taken is None:
            return arrived
        arrived += _deliver(host, settings, taken, now)


def _quotas(host: Host, connection: Connection) -> Iterator[Happened]:
    """Yield the quotas that were reached since a webhook was made."""
    for webhook in webhooks.about(connection, QUOTA):
        row = studies.find(connection, webhook.study)
        quota = host.study(row.version).quota if row is not None else None
        if quota and (fact := webhooks.quota_reached(connection, webhook, quota)):
            yield fact


def note_precision(
    connection: Connection, study: int, report: Mapping[str, Any], *, now: datetime
) -> None:
    """Write into the history which shares a stored fit knows precisely enough, each once."""
    row = studies.find_number(connection, study)
    if row is None:
        return
    known = {
        line.detail.get("share")
        for line in audit.lines(connection, study=row.slug, action=PRECISION_REACHED)
    }
    for evidence in evidence_of(report):
        if evidence.is_precise and evidence.title not in known:
            detail = {"share": evidence.title, "points": round(evidence.half_width, 1)}
            audit.note(
                connection, actor="howgood", action=PRECISION_REACHED, study=row.slug,
                detail=detail, now=now,
            )  # fmt: skip


def _deliver(host: Host, settings: Settings, message: Delivery, now: datetime) -> bool:
    with host.database.reading() as connection:
        webhook = webhooks.find(connection, message.webhook)
    if webhook is None:
        return False
    try:
        outcome, has_arrived = _send_once(settings, webhook, message, now), True
    except InputError as error:
        outcome, has_arrived = error.found, False
    is_over = has_arrived or message.attempts > len(WAITS)
    wait = None if is_over else now + timedelta(seconds=WAITS[message.attempts - 1])
    host.database.write(
        lambda c: webhooks.settle(
            c,
            message.number,
            outcome=outcome,
            delivered_at=now if has_arrived else None,
            next_at=wait,
        )
    )
    return has_arrived


def _send_once(settings: Settings, webhook: Webhook, message: Delivery, now: datetime) -> str:
    """Send a message once and return what was answered."""
    if webhook.target.startswith("mailto:"):
        send_mail(settings, _letter(settings, webhook, message))
        return "sent"
    content = {"id": message.number, **message.content}
    body = json.dumps(content, ensure_ascii=False, sort_keys=True).encode()
    stamp = int(now.timestamp())
    head = {
        "Content-Type": "application/json",
        "User-Agent": "howgood",
        "Howgood-Event": message.event,
        "Howgood-Delivery": str(message.number),
        "Howgood-Signature": f"t={stamp},v1={signature(webhook.secret, stamp, body)}",
    }
    return _posted(settings, urlsplit(webhook.target), body, head)


def signature(secret: str, stamp: int, body: bytes) -> str:
    """Return what proves that a message is ours: HMAC-SHA-256 of the time, a dot and the body.

    Examples
    --------
    >>> signature("key", 1, b"{}")[:12]
    '1ba6b8171186'
    """
    return hmac.new(secret.encode(), f"{stamp}.".encode() + body, "sha256").hexdigest()


def _letter(settings: Settings, webhook: Webhook, message: Delivery) -> Letter:
    what = EVENTS.get(message.event, message.event)
    lines = [f"{name}: {value}" for name, value in message.content.items() if name != "event"]
    where = f"{settings.public_url}/studies/{webhook.study}" if settings.public_url else ""
    text = "\n".join([f"In the study {webhook.study}: {what}.", "", *lines, "", where, ""])
    return Letter(
        to=webhook.target.removeprefix("mailto:"), subject=f"{webhook.study}: {what}", text=text
    )


def _posted(settings: Settings, target: SplitResult, body: bytes, head: Mapping[str, str]) -> str:
    host, port = target.hostname or "", target.port or (443 if target.scheme == "https" else 80)
    address = _checked_address(settings, host, port)
    connection = _Pinned(host, port, address, is_encrypted=target.scheme == "https")
    path = target.path or "/"
    try:
        query = f"?{target.query}" if target.query else ""
        connection.request("POST", path + query, body, dict(head))
        answer = connection.getresponse()
        answer.read(1000)
    except (OSError, ssl.SSLError, http.client.HTTPException) as error:
        raise DeliveryError(f"no answer ({type(error).__name__})") from None
    finally:
        connection.close()
    if not 200 <= answer.status < 300:
        raise DeliveryError(f"answer {answer.status}")
    return f"answer {answer.status}"


class _Pinned(http.client.HTTPConnection):
    """A connection to an address that was checked, under the name it was found by."""

    def __init__(self, host: str, port: int, address: str, *, is_encrypted: bool) -> None:
        super().__init__(host, port, timeout=_SECONDS)
        self._address, self._is_encrypted = address, is_encrypted

    def connect(self) -> None:
        """Connect to the checked address; a certificate must be for the name."""
        plain = socket.create_connection((self._address, self.port), self.timeout)
        context = ssl.create_default_context()
        self.sock = (
            context.wrap_socket(plain, server_hostname=self.host) if self._is_encrypted else plain
        )


def _checked_address(settings: Settings, host: str, port: int) -> str:
    """Return an address of this name that may be asked; refuse a name with any other."""
    try:
        resolved = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise DeliveryError("a name that leads nowhere") from None
    addresses = [str(entry[4][0]) for entry in resolved]
    if not addresses or not all(_may_ask(settings, address) for address in addresses):
        raise DeliveryError("an address in a private network")
    return addresses[0]


# IPv6 networks whose last 32 bits are an IPv4 address: compatible (RFC 4291), NAT64 (RFC 6052).
_TRANSLATED = tuple(map(ipaddress.IPv6Network, ("::/96", "64:ff9b::/96", "64:ff9b:1::/96")))


def _meant(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    """Return the IPv4 address that an IPv6 one stands for, if it does."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if any(address in network for network in _TRANSLATED):
        return ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
    return address.ipv4_mapped or address.sixtofour or address


def _may_ask(settings: Settings, text: str) -> bool:
    address = _meant(ipaddress.ip_address(text.partition("%")[0]))
    allowed = [
        ipaddress.ip_network(part.strip(), strict=False)
        for part in settings.webhook_networks.split(",")
        if part.strip()
    ]
    if any(address.version == network.version and address in network for network in allowed):
        return True
    return address.is_global and not address.is_multicast


def _checked_target(settings: Settings, target: str) -> str:
    stripped = target.strip()
    if "@" in stripped and "://" not in stripped:
        return f"mailto:{mail_address(stripped.removeprefix('mailto:'))}"
    try:
        parts = urlsplit(stripped)
        is_address = bool(parts.hostname) and parts.port != 0 and not parts.username
    except ValueError:
        is_address = False
    is_allowed = is_address and (
        parts.scheme == "https" or (parts.scheme == "http" and bool(settings.webhook_networks))
    )
    is_text = stripped.isascii() and stripped.isprintable() and " " not in stripped
    if not (is_allowed and is_text and len(stripped) <= _LONGEST_TARGET):
        raise InputError(
            where="address", found=repr(stripped[:60]),
            needed="an address that begins with https://, or an e-mail address",
            cure="Write an address such as https://example.org/events, or an e-mail address.",
        )  # fmt: skip
    try:
        _checked_address(settings, parts.hostname or "", parts.port or 443)
    except DeliveryError as error:
        raise InputError(
            where="address", found=error.found, needed="one that can be reached from here",
            cure=f"This server found {error.found}. Name another address, or let the server's "
            "administrator set HOWGOOD_WEBHOOK_NETWORKS.",
        ) from error  # fmt: skip
    return stripped


class Messenger:
    """Sends messages in a thread of its own until it is stopped; several may share a database."""

    def __init__(self, host: Host, settings: Settings) -> None:
        self._host, self._settings = host, settings
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="howgood-notices", daemon=True)

    def start(self) -> None:
        """Begin to look for messages."""
        self._thread.start()

    def stop(self) -> None:
        """End after the message in hand."""
        self._stopping.set()
        self._thread.join(timeout=_SECONDS)

    def _run(self) -> None:
        while not self._stopping.wait(_LOOK_SECONDS):
            try:
                deliver_due(self._host, self._settings, now=datetime.now(UTC))
            except WriterClosedError:
                return  # this process is stopping and has closed its database already
            except AWAY as error:
                _log.error("database_away error=%s", type(error).__name__)
            except Exception as error:  # whatever one message met, the next deserve a try
                _log.error("notice_trouble %s", error_location(error))
