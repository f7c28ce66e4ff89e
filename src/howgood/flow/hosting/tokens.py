"""Personal links and signed forms: unguessable, and the same again for the same person.

In: the database's signing key and names. Out: tokens and signatures. Absent: storage; a token is
stored only as its digest, so a stolen database opens nobody's random link. Links of people from a
recruiting platform are derived from the signing key, which the database holds: guard its copies.
"""

import base64
import hashlib
import hmac
import secrets

_BYTES = 24
_MOST_DIGITS = 18


def fresh_token() -> str:
    """Return a new personal token: 192 random bits."""
    return secrets.token_urlsafe(_BYTES)


def fresh_seed() -> int:
    """Return a participant's seed, small enough for every database and for JavaScript."""
    return secrets.randbelow(2**53)


def derived_token(key: bytes, *parts: object) -> str:
    """Return the token that belongs to these facts: whoever comes again gets the same link.

    Without the key it is as hard to guess as a fresh one.
    """
    return _mac(key, "token", *parts)


def signature(key: bytes, *parts: object) -> str:
    """Return what proves that this server wrote a form for these facts."""
    return _mac(key, "form", *parts)


def is_signed(key: bytes, given: str, *parts: object) -> bool:
    """Return whether the signature belongs to these facts; takes equally long either way."""
    return hmac.compare_digest(_mac(key, "form", *parts).encode(), given.encode())


def withdrawal_code(key: bytes, number: int) -> str:
    """Return the code by which a participant withdraws: short enough to write down.

    It names nobody; without the key its 75 random bits cannot be guessed.
    """
    text = base64.b32encode(hmac.digest(key, f"withdraw:{number}".encode(), "sha256")).decode()
    return f"{number}-{text[:5]}-{text[5:10]}-{text[10:15]}"


def withdrawing(key: bytes, code: str) -> int | None:
    """Return the number of the participant whose code this is; None: nobody's."""
    plain = "-".join(code.upper().replace("-", " ").split())
    number = plain.partition("-")[0]
    if not (number.isascii() and number.isdecimal() and len(number) < _MOST_DIGITS):
        return None
    is_right = hmac.compare_digest(withdrawal_code(key, int(number)).encode(), plain.encode())
    return int(number) if is_right else None


def person_code(key: bytes, product: int, user: str) -> str:
    """Return what stands for a product's person: the same every time, and no way back to the id."""
    text = f"use:{product}:{user}"
    return hmac.digest(key, text.encode(), "sha256").hex()[:32]


def step_address(token: str, step: int, query: str = "") -> str:
    """Return the address of a step; of a person's own link without one."""
    address = f"/p/{token}/{step}" if step else f"/p/{token}"
    return f"{address}?{query}" if query else address


def digest(token: str) -> str:
    """Return what is stored of a token."""
    return hashlib.sha256(token.encode()).hexdigest()


def _mac(key: bytes, *parts: object) -> str:
    # Lengths keep ("a", "bc") and ("ab", "c") apart.
    text = "".join(f"{len(str(part))}:{part}" for part in parts)
    code = hmac.digest(key, text.encode(), "sha256")[:_BYTES]
    return base64.urlsafe_b64encode(code).decode()
