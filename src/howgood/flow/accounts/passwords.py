"""Passwords: what they must be, which are soon guessed, and how they are kept (argon2id).

In: what a person typed. Out: a hash, a yes or no, or what is wrong. Absent: storage, and how
guesses are counted, which is zxcvbn's. Hashing takes a tenth of a second and 64 MB on purpose:
callers run it in a thread, few at a time.
"""

import unicodedata
from functools import cache
from threading import Lock

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

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
    if is_guessable(password, name=name):
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


# zxcvbn's 3 of 4, "safely unguessable": more than a hundred million guesses.
_LEAST_SCORE = 3
# What is looked at of a long password: the time taken grows faster than the length.
_LOOKED_AT = 72
# Commonest beginnings that zxcvbn, whose lists are English, takes for rare words.
_ALSO_COMMON = (
    "howgood", "passwort", "willkommen", "geheim", "hallo", "sommer", "herbst", "frühling",
    "motdepasse", "bienvenue", "soleil", "contraseña", "bienvenido", "benvenuto",
)  # fmt: skip
_one_at_a_time = Lock()  # zxcvbn keeps the words it is given where other threads see them


def is_guessable(password: str, *, name: str) -> bool:
    """Return whether somebody who knows the owner's name would guess a password soon.

    Examples
    --------
    >>> weak = ("Password123", "1q2w3e4r5t", "adaadaada1")
    >>> [is_guessable(password, name="ada") for password in weak]
    [True, True, True]
    >>> is_guessable("correct horse battery staple", name="ada")
    False
    """
    text = unicodedata.normalize("NFKC", password)[:_LOOKED_AT]
    words = [*([name] if name else []), *name.split(), *_ALSO_COMMON]
    from zxcvbn import zxcvbn  # its lists of words take long to load, and few need them

    with _one_at_a_time:
        score: int = zxcvbn(text, user_inputs=words)["score"]
    return score < _LEAST_SCORE
