"""Passwords that are soon guessed: common ones, words, names, dates, rows of keys, repetitions.

In: a password and the name of its owner. Out: whether it is soon guessed. Absent: everything else a
password must be (`passwords`), and how guesses are counted, which is zxcvbn's.
"""

import unicodedata
from threading import Lock

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


def is_soon_guessed(password: str, *, name: str) -> bool:
    """Return whether somebody who knows the owner's name would guess a password soon.

    Examples
    --------
    >>> [is_soon_guessed(each, name="ada") for each in ("Password123", "1q2w3e4r5t", "adaadaada1")]
    [True, True, True]
    >>> is_soon_guessed("correct horse battery staple", name="ada")
    False
    """
    text = unicodedata.normalize("NFKC", password)[:_LOOKED_AT]
    words = [*([name] if name else []), *name.split(), *_ALSO_COMMON]
    from zxcvbn import zxcvbn  # its lists of words take long to load, and few need them

    with _one_at_a_time:
        score: int = zxcvbn(text, user_inputs=words)["score"]
    return score < _LEAST_SCORE
