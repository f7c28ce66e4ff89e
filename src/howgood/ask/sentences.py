"""The fixed sentences that participants read, per language.

In: a language and the key of a sentence. Out: the sentence with its blanks filled in. Absent: what
researchers write themselves (study files), and the sentences of scenarios (`ask.wording`).
"""

import tomllib
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from howgood.errors import UnknownNameError


def folder() -> Traversable:
    """Return where the languages are: one file each."""
    return files("howgood.ask") / "languages"


@cache
def languages() -> tuple[str, ...]:
    """Return the codes of the languages that come with howgood."""
    names = [file.name for file in folder().iterdir()]
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


@cache
def sentences(language: str) -> dict[str, str | list[str]]:
    """Return every sentence of a language by its key."""
    if language not in languages():
        raise UnknownNameError(where="language", name=language, names=languages())
    text = (folder() / f"{language}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def sentence(language: str, key: str, **blanks: object) -> str:
    """Return one sentence with its blanks filled in."""
    text = sentences(language)[key]
    if not isinstance(text, str):
        raise TypeError(f"{key!r} is a list of labels")
    return text.format(**blanks)


def direction(language: str) -> str:
    """Return how a language is written: "ltr" from left to right, "rtl" from right to left."""
    return sentence(language, "direction")


def whole(count: float, *, language: str = "en") -> str:
    """Return a count as people of a language read it.

    Examples
    --------
    >>> whole(1000), whole(10_000, language="de"), whole(35)
    ('1,000', '10.000', '35')
    """
    if not float(count).is_integer():
        return f"{count:g}"
    return f"{count:,.0f}".replace(",", sentence(language, "thousands"))


def labels(language: str, key: str) -> tuple[str, ...]:
    """Return the labels of a scale, lowest first."""
    texts = sentences(language)[key]
    if isinstance(texts, str):
        raise TypeError(f"{key!r} is a sentence")
    return tuple(texts)
