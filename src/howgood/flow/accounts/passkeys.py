"""Passkeys: keys that a device keeps and opens with a finger, a face or a PIN (WebAuthn).

In: a host, the server's public address, what a browser sends. Out: options for the browser, and who
signed in. Absent: the browser's part (`web/static/passkeys.js`), and pages.

A passkey is two factors in one: the device, and what opens it; no code is asked for after it. A
challenge is signed, holds for five minutes and works once.
"""

import base64
import json
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from sqlalchemy.engine import Connection

from howgood.errors import InputError
from howgood.flow.accounts.sign_in import SignedIn, begin_session
from howgood.flow.hosting import Host, tokens
from howgood.records.researcher import Researcher
from howgood.store import audit, factors, researchers
from howgood.store.researchers import Allowance

LASTS = timedelta(minutes=5)
ONCE = Allowance(at_once=1, one_more_after=timedelta(minutes=30))
_LONGEST_NAME, _LARGEST = 100, 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Challenge:
    """What a browser is asked, as JSON, and what it sends back along with its answer."""

    options: str
    memory: str


class PasskeyError(InputError):
    """A passkey that does not work here."""

    def __init__(self, cure: str) -> None:
        super().__init__(
            where="passkey", found="a passkey that does not work here", needed=cure, cure=cure
        )


def ask_new(host: Host, person: Researcher, *, home: str, now: datetime) -> Challenge:
    """Return what a browser needs to make a passkey."""
    from webauthn import generate_registration_options, options_to_json
    from webauthn.helpers.structs import (
        AuthenticatorSelectionCriteria,
        PublicKeyCredentialDescriptor,
        ResidentKeyRequirement,
        UserVerificationRequirement,
    )

    challenge, memory = _challenge(host, f"new {person.number}", now)
    with host.database.reading() as connection:
        known = factors.passkeys_of(connection, person.number)
    options = generate_registration_options(
        rp_id=_site(home),
        rp_name="howgood",
        user_name=person.name,
        user_id=tokens.signature(host.key, "passkey user", person.number).encode(),
        challenge=challenge,
        authenticator_selection=AuthenticatorSelectionCriteria(
            resident_key=ResidentKeyRequirement.REQUIRED,
            user_verification=UserVerificationRequirement.REQUIRED,
        ),
        exclude_credentials=[
            PublicKeyCredentialDescriptor(id=_bytes(passkey.credential)) for passkey in known
        ],
    )
    return Challenge(options=options_to_json(options), memory=memory)


def keep_new(
    host: Host, person: Researcher, *, home: str, memory: str, answer: str, name: str, now: datetime
) -> None:
    """Keep a passkey that a browser has just made."""
    from webauthn import verify_registration_response
    from webauthn.helpers.exceptions import WebAuthnException

    challenge = _opened(host, f"new {person.number}", memory, now)
    try:
        made = verify_registration_response(
            credential=_answer(answer),
            expected_challenge=challenge,
            expected_rp_id=_site(home),
            expected_origin=home,
            require_user_verification=True,
        )
    except WebAuthnException:
        raise PasskeyError("Try again, or use another device.") from None
    label = " ".join(name.split())[:_LONGEST_NAME] or "passkey"
    label = label if label.isprintable() else "passkey"

    def store(connection: Connection) -> None:
        _use_once(connection, memory, now)
        credential = _text(made.credential_id)
        if factors.find_passkey(connection, credential) is not None:
            raise PasskeyError("This passkey is known already.")
        factors.add_passkey(
            connection, researcher=person.number, credential=credential,
            public_key=made.credential_public_key, sign_count=made.sign_count, name=label, now=now,
        )  # fmt: skip
        detail = {"passkey": label}
        audit.note(connection, actor=person.name, action="passkey added", detail=detail, now=now)

    host.database.write(store)


def ask_for_passkey(host: Host, *, home: str, now: datetime) -> Challenge:
    """Return what a browser needs to sign in with any passkey it has for this server."""
    from webauthn import generate_authentication_options, options_to_json
    from webauthn.helpers.structs import UserVerificationRequirement

    challenge, memory = _challenge(host, "known", now)
    options = generate_authentication_options(
        rp_id=_site(home),
        challenge=challenge,
        user_verification=UserVerificationRequirement.REQUIRED,
    )
    return Challenge(options=options_to_json(options), memory=memory)


def sign_in_by_passkey(
    host: Host, *, home: str, memory: str, answer: str, now: datetime
) -> SignedIn:
    """Return a session for who has a passkey, or raise `PasskeyError`."""
    from webauthn import verify_authentication_response
    from webauthn.helpers.exceptions import WebAuthnException

    challenge = _opened(host, "known", memory, now)
    given = _answer(answer)
    with host.database.reading() as connection:
        key = factors.find_passkey(connection, str(given.get("id", ""))[:1400])
        everyone = {member.number: member for member in researchers.everyone(connection)}
    if key is None or key.researcher not in everyone:
        raise PasskeyError("No account has this passkey: sign in another way.")
    try:
        shown = verify_authentication_response(
            credential=given,
            expected_challenge=challenge,
            expected_rp_id=_site(home),
            expected_origin=home,
            credential_public_key=key.public_key,
            credential_current_sign_count=key.sign_count,
            require_user_verification=True,
        )
    except WebAuthnException:
        raise PasskeyError("Try again, or sign in another way.") from None
    person, credential = everyone[key.researcher], key.credential

    def store(connection: Connection) -> SignedIn:
        _use_once(connection, memory, now)
        factors.use_passkey(connection, credential, sign_count=shown.new_sign_count, now=now)
        detail = {"by": "passkey"}
        audit.note(connection, actor=person.name, action="signed in", detail=detail, now=now)
        return begin_session(connection, person, now=now)

    return host.database.write(store)


def remove_passkey(host: Host, person: Researcher, credential: str, *, now: datetime) -> None:
    """Let one of somebody's passkeys work no longer."""

    def store(connection: Connection) -> None:
        name = factors.remove_passkey(connection, person.number, credential)
        if name is not None:
            detail = {"passkey": name}
            audit.note(
                connection, actor=person.name, action="passkey removed", detail=detail, now=now
            )

    host.database.write(store)


def _site(home: str) -> str:
    return urlsplit(home).hostname or ""


def _challenge(host: Host, purpose: str, now: datetime) -> tuple[bytes, str]:
    random, until = secrets.token_bytes(32), int((now + LASTS).timestamp())
    text = f"{_text(random)}.{until}"
    return random, f"{text}.{tokens.signature(host.key, 'passkey', purpose, text)}"


def _opened(host: Host, purpose: str, memory: str, now: datetime) -> bytes:
    text, _, signature = memory.rpartition(".")
    random, _, until = text.partition(".")
    is_ours = tokens.is_signed(host.key, signature, "passkey", purpose, text)
    if not is_ours or int(until) < now.timestamp():
        raise PasskeyError("This page was open too long: try again.")
    return _bytes(random)


def _use_once(connection: Connection, memory: str, now: datetime) -> None:
    if not researchers.take(connection, tokens.digest(memory), ONCE, now=now):
        raise PasskeyError("This was sent before: try again.")


def _answer(text: str) -> dict[str, object]:
    try:
        given = json.loads(text[:_LARGEST])
    except ValueError:
        given = None
    if not isinstance(given, dict):
        raise PasskeyError("Try again; passkeys need a browser that runs scripts.")
    return given


def _text(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


def _bytes(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
