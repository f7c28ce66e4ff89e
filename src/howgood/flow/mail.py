"""Letters by e-mail: the only sender.

In: settings and a letter of plain text. Out: nothing, or a `MailError` that says what to do.
Absent: what letters say and who gets them (whoever calls this), and a queue: a letter is sent now
or not at all. A password is in no message and no log.

The address of the mail server is HOWGOOD_MAIL, or stands in the file that HOWGOOD_MAIL_FILE names:
`smtps://USER:PASSWORD@HOST:465` (encrypted from the start) or `smtp://USER:PASSWORD@HOST:587`
(encrypted by STARTTLS, which is demanded unless the server is this machine).
"""

import smtplib
import ssl
from dataclasses import dataclass
from email.errors import MessageError
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import make_msgid
from urllib.parse import SplitResult, unquote, urlsplit

from howgood.errors import InputError
from howgood.names import visible
from howgood.settings import Settings

_SECONDS = 10.0
_PORTS = {"smtp": 587, "smtps": 465}
_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_LONGEST_ADDRESS, _LONGEST_SUBJECT = 254, 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """Plain text for one person."""

    to: str
    subject: str
    text: str


class MailError(InputError):
    """A letter was not sent; the message names the server, never its password."""

    def __init__(self, found: str, cure: str) -> None:
        super().__init__(where="e-mail", found=found, needed="a letter that is sent", cure=cure)


def can_mail(settings: Settings) -> bool:
    """Return whether a mail server is set."""
    return bool(settings.mail)


def mail_address(text: str) -> str:
    """Return an e-mail address without spaces around it, or say that it is none.

    Examples
    --------
    >>> mail_address(" ada@example.org ")
    'ada@example.org'
    """
    stripped = text.strip()
    name, at, domain = stripped.rpartition("@")
    is_plain = stripped.isprintable() and stripped.isascii() and len(stripped) <= _LONGEST_ADDRESS
    try:
        parsed = Address(addr_spec=stripped) if at and is_plain else None
    except (MessageError, ValueError, IndexError):
        parsed = None
    if parsed is None or not name or "." not in domain.strip(".") or " " in stripped:
        raise InputError(
            where="e-mail",
            found=f"{visible(stripped[:60])!r}" if stripped else "nothing",
            needed="an address such as ada@example.org",
            cure="Write an e-mail address such as ada@example.org.",
        )
    return stripped


def send_mail(settings: Settings, letter: Letter) -> None:
    """Send a letter and return when the mail server has taken it.

    Notes
    -----
    Stability: experimental
    """
    server = _server(settings)
    message = _message(settings, letter)
    try:
        with _connected(server) as connection:
            if server.username:
                connection.login(unquote(server.username), unquote(server.password or ""))
            connection.send_message(message)
    except smtplib.SMTPAuthenticationError:
        # What the server said may repeat what it was given.
        raise MailError(
            f"{server.hostname} refuses the user or the password",
            "Check HOWGOOD_MAIL: characters such as @ or / in a password are written %40, %2F.",
        ) from None
    except smtplib.SMTPRecipientsRefused:
        raise MailError(
            f"{server.hostname} takes nothing for this address", "Correct the address."
        ) from None
    except (smtplib.SMTPException, ssl.SSLError, OSError) as error:
        raise MailError(
            f"{server.hostname} did not take the letter ({type(error).__name__})",
            "Is the mail server in reach, and HOWGOOD_MAIL right? howgood doctor asks it.",
        ) from None


def ask_mail_server(settings: Settings) -> str:
    """Return the name of the mail server after signing in there; nothing is sent."""
    server = _server(settings)
    try:
        with _connected(server) as connection:
            if server.username:
                connection.login(unquote(server.username), unquote(server.password or ""))
            connection.noop()
    except smtplib.SMTPAuthenticationError:
        raise MailError(
            f"{server.hostname} refuses the user or the password", "Check HOWGOOD_MAIL."
        ) from None
    except (smtplib.SMTPException, ssl.SSLError, OSError) as error:
        raise MailError(
            f"{server.hostname} does not answer ({type(error).__name__})",
            "Is it in reach, and HOWGOOD_MAIL right?",
        ) from None
    return f"{server.hostname}:{server.port or _PORTS[server.scheme]}"


def _server(settings: Settings) -> SplitResult:
    if not settings.mail:
        raise MailError("no mail server", "Set HOWGOOD_MAIL and HOWGOOD_MAIL_FROM.")
    try:
        server = urlsplit(settings.mail)
        is_usable = server.scheme in _PORTS and bool(server.hostname) and server.port != 0
    except ValueError:
        is_usable = False
    if not is_usable:
        raise MailError(
            "an address of the mail server that cannot be read",
            "Write HOWGOOD_MAIL as smtps://USER:PASSWORD@HOST:465 or smtp://HOST:587.",
        )
    return server


def _connected(server: SplitResult) -> smtplib.SMTP:
    """Return a connection that nobody in between reads, or one to this machine."""
    host, port = server.hostname or "", server.port or _PORTS[server.scheme]
    context = ssl.create_default_context()
    if server.scheme == "smtps":
        return smtplib.SMTP_SSL(host, port, timeout=_SECONDS, context=context)
    connection = smtplib.SMTP(host, port, timeout=_SECONDS)
    if host not in _LOOPBACK:
        try:
            connection.starttls(context=context)
        except BaseException:
            connection.close()
            raise
    return connection


def _message(settings: Settings, letter: Letter) -> EmailMessage:
    """Return the letter as it is sent; no line break gets into its head."""
    sender = mail_address(settings.mail_from)
    message = EmailMessage()
    message["From"], message["To"] = sender, mail_address(letter.to)
    message["Subject"] = " ".join(letter.subject.split())[:_LONGEST_SUBJECT]
    message["Message-ID"] = make_msgid(domain=sender.rpartition("@")[2])
    # Says to programs that answer by themselves not to.
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(letter.text)
    return message
