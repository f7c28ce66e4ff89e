"""A second factor: codes of an app that change every half minute, and recovery codes on paper.

In: a host, who it is about, codes, the time. Out: secrets, once; whether a code is right. Absent:
the password, which comes first (`signing_in`), and pages.

A code works once, within a minute around its own half. Guesses are counted for the account wherever
they come from. A password that was right is remembered for five minutes in a ticket that the server
signs; it names the password's hash, so that it ends when the password is changed.
"""

import hmac
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from string import ascii_lowercase, digits

from sqlalchemy.engine import Connection

from howgood.errors import InputError
from howgood.flow.accounts import passwords
from howgood.flow.accounts.sign_in import SignedIn, begin_session
from howgood.flow.hosting import Host, tokens
from howgood.records.researcher import Researcher
from howgood.store import audit, factors, researchers
from howgood.store.researchers import Allowance

STEP_SECONDS = 30
RECOVERY_CODES = 10
TICKET_LASTS = timedelta(minutes=5)
# Six digits are guessed in 500,000 attempts: at this rate that takes four months.
GUESSES = Allowance(at_once=8, one_more_after=timedelta(seconds=20))
# Letters and digits that nobody takes for another.
_ALPHABET = "".join(sorted(set(ascii_lowercase + digits) - set("ilo01")))


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondStep:
    """Somebody whose password is right and who has to show a code next."""

    ticket: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSecret:
    """A secret for an app: as text, as an address, and as a picture of that (a data: address)."""

    secret: str
    address: str
    picture: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ways:
    """How somebody signs in apart from a password."""

    has_codes: bool
    recovery_left: int
    passkeys: tuple[factors.Passkey, ...]
    providers: tuple[str, ...]


def ways_of(host: Host, person: Researcher) -> Ways:
    """Return how somebody signs in."""
    with host.database.reading() as connection:
        factor = factors.second_factor(connection, person.number)
        return Ways(
            has_codes=factor is not None and factor.confirmed_at is not None,
            recovery_left=factors.count_recovery_codes(connection, person.number),
            passkeys=factors.passkeys_of(connection, person.number),
            providers=factors.identities_of(connection, person.number),
        )


def begin_codes(host: Host, person: Researcher) -> NewSecret:
    """Make a secret for an app; it is used once a code of it was shown."""
    import pyotp

    secret = pyotp.random_base32()

    def store(connection: Connection) -> None:
        known = factors.second_factor(connection, person.number)
        if known is not None and known.confirmed_at is not None:
            raise _wrong("Codes are in use already: switch them off first.")
        factors.begin_second_factor(connection, person.number, secret)

    host.database.write(store)
    return _shown(person, secret)


def begun_codes(host: Host, person: Researcher) -> NewSecret | None:
    """Return the secret whose first code is still to be typed; None if there is none."""
    with host.database.reading() as connection:
        known = factors.second_factor(connection, person.number)
    if known is None or known.confirmed_at is not None:
        return None
    return _shown(person, known.secret)


def _shown(person: Researcher, secret: str) -> NewSecret:
    import pyotp
    import segno

    address = pyotp.TOTP(secret).provisioning_uri(name=person.name, issuer_name="howgood")
    picture = segno.make(address, micro=False).svg_data_uri(scale=4, border=2, light="#fff")
    return NewSecret(secret=secret, address=address, picture=picture)


def confirm_codes(host: Host, person: Researcher, code: str, *, now: datetime) -> tuple[str, ...]:
    """Put codes into use and return recovery codes, this once; every other session ends."""
    codes = tuple(_recovery_code() for _ in range(RECOVERY_CODES))

    def store(connection: Connection) -> bool:
        if not researchers.take(connection, _guessing(host, person.number), GUESSES, now=now):
            return False
        factor = factors.second_factor(connection, person.number)
        step = None if factor is None else _step_of(factor.secret, code, now)
        if step is None or not factors.confirm_second_factor(
            connection, person.number, step=step, now=now
        ):
            return False
        digests = [_digest(host, one_code) for one_code in codes]
        factors.set_recovery_codes(connection, person.number, digests)
        audit.note(connection, actor=person.name, action="second factor on", now=now)
        return True

    if not host.database.write(store):
        raise _wrong("This code is not right. Is the clock of the device right?")
    return codes


def end_codes(host: Host, person: Researcher, *, password: str, now: datetime) -> None:
    """Switch codes off; the password proves who asks."""
    _check_password(host, person, password)

    def store(connection: Connection) -> None:
        if factors.remove_second_factor(connection, person.number):
            audit.note(connection, actor=person.name, action="second factor off", now=now)

    host.database.write(store)


def end_codes_of(host: Host, name: str, *, actor: str, now: datetime) -> bool:
    """Switch off the codes of somebody who lost their device, and say whether they had any.

    Only owners of the server do that, and who may open its database.
    """
    name = passwords.clean_name(name)

    def store(connection: Connection) -> bool:
        member = researchers.find(connection, name)
        if member is None or not factors.remove_second_factor(connection, member[0].number):
            return False
        detail = {"name": name}
        audit.note(connection, actor=actor, action="second factor off", detail=detail, now=now)
        return True

    return host.database.write(store)


def needs_second_step(connection: Connection, number: int) -> bool:
    """Return whether somebody has to show a code after the password."""
    factor = factors.second_factor(connection, number)
    return factor is not None and factor.confirmed_at is not None


def ticket_for(host: Host, person: Researcher, password_hash: str, *, now: datetime) -> str:
    """Return what shows for some minutes that the password was right."""
    until = int((now + TICKET_LASTS).timestamp())
    signature = tokens.signature(host.key, "second step", person.number, until, password_hash)
    return f"{person.number}.{until}.{signature}"


def show_code(host: Host, ticket: str, code: str, *, now: datetime) -> SignedIn | None:
    """Return a session for a ticket and a code that is right: of the app, or for recovery."""
    researcher = _holder(host, ticket, now)
    if researcher is None:
        return None
    person = researcher

    def store(connection: Connection) -> SignedIn | None:
        if not researchers.take(connection, _guessing(host, person.number), GUESSES, now=now):
            return None
        how = _accepted(connection, host, person.number, code, now)
        if not how:
            audit.note(connection, actor=person.name, action="second factor failed", now=now)
            return None
        audit.note(
            connection, actor=person.name, action="signed in", detail={"second": how}, now=now
        )
        return begin_session(connection, person, now=now)

    return host.database.write(store)


def is_ticket(host: Host, ticket: str, *, now: datetime) -> bool:
    """Return whether a ticket still holds."""
    return _holder(host, ticket, now) is not None


def _holder(host: Host, ticket: str, now: datetime) -> Researcher | None:
    number, _, rest = ticket.partition(".")
    until, _, signature = rest.partition(".")
    if not (number.isdecimal() and until.isdecimal() and len(number) < 16 and len(until) < 16):
        return None
    if int(until) < now.timestamp():
        return None
    with host.database.reading() as connection:
        everyone = {member.number: member for member in researchers.everyone(connection)}
        person = everyone.get(int(number))
        researcher = researchers.find(connection, person.name) if person is not None else None
    if researcher is None:
        return None
    parts = ("second step", researcher[0].number, int(until), researcher[1])
    return researcher[0] if tokens.is_signed(host.key, signature, *parts) else None


def _accepted(connection: Connection, host: Host, number: int, code: str, now: datetime) -> str:
    factor = factors.second_factor(connection, number)
    if factor is None or factor.confirmed_at is None:
        return ""
    step = _step_of(factor.secret, code, now)
    if step is not None and factors.use_step(connection, number, step):
        return "code"
    is_recovery = factors.use_recovery_code(connection, number, _digest(host, code))
    return "recovery code" if is_recovery else ""


def _step_of(secret: str, code: str, now: datetime) -> int | None:
    """Return the half minute whose code this is, of the one now and its neighbours."""
    import pyotp

    typed = "".join(code.split())
    here = int(now.timestamp()) // STEP_SECONDS
    codes = pyotp.TOTP(secret, interval=STEP_SECONDS)
    for step in (here, here - 1, here + 1):
        if hmac.compare_digest(codes.at(step * STEP_SECONDS).encode(), typed.encode()):
            return step
    return None


def _recovery_code() -> str:
    """Return 59 random bits that can be written down."""
    letters = "".join(secrets.choice(_ALPHABET) for _ in range(12))
    return f"{letters[:4]}-{letters[4:8]}-{letters[8:]}"


def _digest(host: Host, code: str) -> str:
    plain = "".join(letter for letter in code.lower() if letter in _ALPHABET)
    return tokens.digest(tokens.signature(host.key, "recovery", plain))


def _guessing(host: Host, number: int) -> str:
    return tokens.signature(host.key, "attempts", "second factor", str(number))


def _check_password(host: Host, person: Researcher, password: str) -> None:
    with host.database.reading() as connection:
        researcher = researchers.find(connection, person.name)
    if not passwords.is_right(password, researcher[1] if researcher else None):
        raise _wrong("This is not your password.")


def _wrong(cure: str) -> InputError:
    return InputError(where="code", found="a code that does not work", needed=cure, cure=cure)
