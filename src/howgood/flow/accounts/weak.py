"""Passwords that are tried first: common words, rows of keys, years, repetitions.

In: a password. Out: how much of it is none of these. Absent: everything else a password must be
(`passwords`).

The commonest passwords are short words with digits and signs behind them, and rows of keys: so the
words are written here, and the rest is a rule.
"""

import re
import unicodedata
from functools import cache

# What people write instead of letters.
_LETTERS = str.maketrans("0134578@$!|", "oieastbasil")
_WORDS = (
    "password passwort passw pass motdepasse contrasena qwerty qwertz azerty letmein welcome "
    "willkommen bienvenue changeme change default admin administrator root user guest login logon "
    "test testing secret geheim master access server system computer internet service support "
    "monkey dragon shadow sunshine princess superman batman spiderman pokemon starwars football "
    "baseball basketball soccer hockey liverpool chelsea arsenal barcelona juventus cowboys "
    "yankees iloveyou iloveu loveyou love lovely baby angel flower butterfly chocolate cookie "
    "freedom whatever trustno trust hello hallo bonjour ciao google facebook youtube samsung "
    "apple iphone michael michelle jennifer jessica jordan charlie daniel thomas andrew ashley "
    "nicole matthew summer winter spring autumn sommer herbst monday friday january december "
    "berlin london paris mustang ferrari porsche mercedes killer hunter ranger matrix phoenix "
    "gandalf merlin ninja fuckyou asshole fuck shit howgood study survey research researcher "
    "university science one two three four five six seven eight nine zero abc xyz aaa "
)
_ROWS = (
    "abcdefghijklmnopqrstuvwxyz", "qwertyuiop", "qwertzuiop", "azertyuiop", "asdfghjkl",
    "zxcvbnm", "yxcvbnm", "01234567890", "1q2w3e4r5t6y7u8i9o0p", "q1w2e3r4t5y6u7i8o9p0",
    "1qaz2wsx3edc4rfv5tgb6yhn7ujm",  # pragma: allowlist secret
    "qazwsxedcrfvtgbyhnujm", "zaq12wsxcde34rfv", "147258369",
)  # fmt: skip
_SHORTEST_ROW = 3
_LONGEST_FIRST = sorted(_WORDS.split(), key=len, reverse=True)
_YEAR = re.compile(r"(19|20)\d\d")


def strength(password: str) -> int:
    """Return how many characters are left when everything that is tried first is taken out.

    Examples
    --------
    >>> strength("Password123"), strength("1q2w3e4r5t"), strength("p@ssw0rd-2024")
    (0, 0, 0)
    >>> strength("correct horse battery staple") > 20
    True
    """
    text = unicodedata.normalize("NFKC", password).casefold()
    left = _without_words(_without_rows(_YEAR.sub(" ", _once(text))))
    left = _without_words(left.translate(_LETTERS))
    return len(re.sub(r"[\W\d_]", "", left))


def _once(text: str) -> str:
    """Return what is repeated once: "abcabcabc" is no longer than "abc"."""
    for size in range(1, len(text) // 2 + 1):
        piece = text[:size]
        if piece * (len(text) // size) + piece[: len(text) % size] == text:
            return piece
    return text


def _without_words(text: str) -> str:
    for word in _LONGEST_FIRST:
        text = text.replace(word, " ")
    return text


def _without_rows(text: str) -> str:
    """Take out neighbouring keys, the longest rows first."""
    for piece in _pieces():
        text = text.replace(piece, " ")
    return text


@cache
def _pieces() -> list[str]:
    """Return every part of every row, in either direction, the longest first."""
    ways = [way for row in _ROWS for way in (row, row[::-1])]
    parts = {
        way[start:end]
        for way in ways
        for start in range(len(way))
        for end in range(start + _SHORTEST_ROW, len(way) + 1)
    }
    return sorted(parts, key=len, reverse=True)
