"""Passwords: what they must be, and how they are kept (argon2id).

In: what a person typed. Out: a hash, a yes or no, or what is wrong. Absent: storage. Hashing takes
a tenth of a second and 64 MB on purpose: callers run it in a thread, few at a time.
"""

import unicodedata
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from howgood.flow.accounts.weak import is_soon_guessed

LEAST, MOST = 10, 200
_HASHER = PasswordHasher()  # argon2id with the parameters RFC 9106 recommends for servers


def clean_name(text: str) -> str:
    """Return a name as it is stored: capitals and look-alike spellings make no second person."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def name_problem(name: str) -> str:
    """Return what is wrong with a cleaned name, or nothing."""
    if not name:
        return "Write a name: it is what you sign in with."
    if len(name) > 80 or not name.replace(" ", "").isprintable():
        return "Use at most 80 letters, digits and signs."
    return ""


def password_problem(password: str, *, name: str) -> str:
    """Return what is wrong with a new password, or nothing."""
    if len(password) < LEAST:
        return f"Use at least {LEAST} characters; a few words in a row are fine."
    if len(password) > MOST:
        return f"Use at most {MOST} characters."
    if is_soon_guessed(password, name=name):
        return (
            "This is too easy to guess: it is like those that are tried first. Use a few words "
            "that do not belong together; digits behind a common word or your name do not help."
        )
    return ""


def hashed(password: str) -> str:
    """Return the hash that is stored."""
    return _HASHER.hash(_plain(password))


def is_right(password: str, password_hash: str | None) -> bool:
    """Return whether the password belongs to the hash; None takes as long and is never right."""
    stranger = _nobodys()
    try:
        return _HASHER.verify(password_hash or stranger, _plain(password)) and bool(password_hash)
    except (VerificationError, InvalidHashError):
        return False


def is_dated(password_hash: str) -> bool:
    """Return whether the hash was made with weaker parameters than today's."""
    return _HASHER.check_needs_rehash(password_hash)


@cache
def _nobodys() -> str:
    """Return a hash to compare with when there is no such person."""
    return _HASHER.hash("nobody has this password")


def _plain(password: str) -> str:
    # Keyboards compose letters differently; the same password must be the same everywhere.
    return unicodedata.normalize("NFKC", password[: MOST * 4])
