"""Researchers' pages and reports in other languages: every text of a finished page, by its English.

In: HTML, or one text, in English, and a language. Out: the same with the texts that the language's
file knows; everything else stays English, and says so to screen readers. Absent: pages for
participants (`ask.sentences`), and what people wrote themselves.

A language is one file in `languages`: the English text is the key, {names} are filled in. So texts
stay where they are written, and a text that nobody has translated yet is readable all the same.
What stands for {own} are words of the study or of a person: any, and never translated.
"""

import html
import re
import tomllib
from functools import cache, lru_cache, partial
from importlib.resources import files
from importlib.resources.abc import Traversable
from textwrap import wrap
from typing import Any

from howgood.errors import UnknownNameError

ENGLISH = "en"
_TAG = re.compile(r"(<!--.*?-->|<[^>]*>)", re.DOTALL)
_NAME = re.compile(r"<\s*(/?)\s*([a-zA-Z][\w-]*)")
# Sentences that scripts fill in stand in attributes of their own: data-text-….
_ATTRIBUTE = re.compile(
    r'(\s(?:aria-label|alt|placeholder|title|data-label|data-text-[a-z]+)=")([^"]*)(")'
)
_BLANK = re.compile(r"\\\{(\w+)\\\}")
_NUMBER = re.compile(r"[-−–]?\d[\d,]*(?:\.\d+)?(?:[\s\u00a0]?%)?")
_BETWEEN = re.compile(r"(?<!\bal\.)(?<=[.!?])\s+(?=[A-Z0-9])")
# Words of one sentence: a blank never swallows the next one.
_WITHIN = r"(?:(?![.!?]\s+[A-Z0-9]).)+?"
# Blanks of these names hold numbers, all others any words.
_NUMBERS = frozenset({"n", "lower", "upper", "wanted", "quota", "all"})
_OWN = "own"
# Elements that hold nothing but text.
_WITHOUT_PARTS = frozenset({"title", "option", "textarea"})
# A text in a picture that was broken into lines: it is translated as a whole.
_LINES = re.compile(r'<g id="lines">.*?</g>', re.DOTALL)
_LINE = re.compile(r"(<text[^>]*>)([^<]*)(</text>)")
# What is no text, or not ours: programs, code, and what people typed.
_UNTOUCHED = frozenset({"script", "style", "code", "pre", "textarea", "kbd"})
_ENGLISH_WORDS = frozenset(
    ("the", "of", "and", "is", "are", "to", "with", "by", "for", "from", "that", "this", "they",
     "people", "not", "how", "what", "their", "were")
)  # fmt: skip
_FEWEST_WORDS = 3


def folder() -> Traversable:
    """Return where the languages are: one file each."""
    return files("howgood.show") / "languages"


@cache
def languages() -> dict[str, str]:
    """Return the languages of researchers' pages by their code, as their speakers call them."""
    names = {ENGLISH: "English"}
    for file in sorted(folder().iterdir(), key=lambda file: file.name):
        if file.name.endswith(".toml"):
            names[file.name.removesuffix(".toml")] = str(_read(file)["language"])
    return names


def _read(file: Traversable) -> dict[str, Any]:
    return tomllib.loads(file.read_text(encoding="utf-8"))


@cache
def texts(language: str) -> dict[str, str]:
    """Return every text of a language by its English."""
    if language not in languages():
        raise UnknownNameError(where="language", name=language, names=languages())
    if language == ENGLISH:
        return {}
    return dict(_read(folder() / f"{language}.toml")["texts"])


class _Pattern:
    """A text with blanks; its first and last words are looked at before the rest."""

    def __init__(self, key: str, said: str) -> None:
        self.said = said
        self.begins, self.ends = key.split("{")[0], key.rpartition("}")[2]
        self._whole = re.compile(_BLANK.sub(_part, re.escape(key)))

    def parts(self, text: str) -> dict[str, str] | None:
        """Return what stands in the blanks; None: it is another text."""
        if not (text.startswith(self.begins) and text.endswith(self.ends)):
            return None
        match = self._whole.fullmatch(text)
        return None if match is None else match.groupdict()


@cache
def _patterns(language: str) -> tuple[_Pattern, ...]:
    """Return the texts with blanks, those that say most first."""
    # Help about phrases shows their {one|many}: such a text is known as a whole.
    blanked = [
        (key, said) for key, said in texts(language).items() if "{" in key and "|" not in key
    ]
    blanked.sort(key=lambda pair: -len(re.sub(r"\{\w+\}", "", pair[0])))
    return tuple(_Pattern(key, said) for key, said in blanked)


def _part(blank: re.Match[str]) -> str:
    if blank[1] == _OWN:
        return f"(?P<{_OWN}>.+?)"
    content = r"[-−+]?[\d.,]+(?:\s%)?" if blank[1] in _NUMBERS else _WITHIN
    return f"(?P<{blank[1]}>{content})"


@lru_cache(maxsize=8192)
def translated(text: str, language: str) -> str | None:
    """Return a text in a language; None: its file does not know it.

    Examples
    --------
    >>> translated("Methods", "de"), translated("Never heard of", "de")
    ('Methoden', None)
    """
    plain = " ".join(text.replace("\N{NO-BREAK SPACE}", " ").split())
    known = texts(language).get(plain)
    if known is not None:
        return known
    if _NUMBER.fullmatch(plain):
        return _number(plain, language)
    for pattern in _patterns(language):
        parts = pattern.parts(plain)
        if parts is not None:
            return pattern.said.format(
                **{name: _filled_in(name, part, language) for name, part in parts.items()}
            )
    return _sentence_by_sentence(plain, language)


def _filled_in(name: str, part: str, language: str) -> str:
    return part if name == _OWN else translated(part, language) or part


def _sentence_by_sentence(text: str, language: str) -> str | None:
    """Return several sentences, if every one of them is known."""
    parts = _BETWEEN.split(text)
    if len(parts) < 2:
        return None
    known = [translated(part, language) for part in parts]
    return " ".join(part for part in known if part) if all(known) else None


def _number(text: str, language: str) -> str:
    """Return a number as people of a language write it: 1.234,5 for 1,234.5."""
    point = texts(language).get("1,234.5", "1,234.5")
    return text.translate(str.maketrans(",.", point[1] + point[5]))


def translated_page(page: str, language: str) -> str:
    """Return an HTML page, or a part of one, in a language."""
    if language == ENGLISH or language not in languages():
        return page
    page = _LINES.sub(partial(_line_by_line, language), page)
    made: list[str] = []
    within = ""  # the element that a text stands in
    left, depth = "", 0  # the element that is left as it is, and how many of its name are open
    for piece in _TAG.split(page):
        name = _NAME.match(piece)
        if name is None:
            made.append(piece if depth else _text(piece, language, within))
            continue
        within = "" if name[1] else name[2].lower()
        begins = not depth and not name[1] and _is_left(piece, name[2].lower())
        if begins:
            left = name[2].lower()
        if name[2].lower() == left:
            depth += -1 if name[1] else 1
        is_ours = not depth or (begins and " lang=" not in piece)  # labels of what is left
        made.append(_tag(piece, language) if is_ours else piece)
        left = left if depth else ""
    return "".join(made)


def _line_by_line(language: str, group: re.Match[str]) -> str:
    """Return a text of several lines in a language, in as many lines."""
    lines = [html.unescape(line) for _, line, _ in _LINE.findall(group[0])]
    known = translated(" ".join(lines), language)
    if known is None:
        return group[0]
    letters = -(-len(known) // len(lines))
    while len(said := wrap(known.replace(" %", "\N{NO-BREAK SPACE}%"), letters)) > len(lines):
        letters += 1
    rest = iter(said)
    return _LINE.sub(
        lambda line: f"{line[1]}{html.escape(next(rest, ''), quote=False)}{line[3]}", group[0]
    )


def _is_left(tag: str, name: str) -> bool:
    """Return whether an element is left as it is: no text, in a language of its own, or sent."""
    is_sent = name == "option" and " value=" not in tag  # what is read is what the form sends
    return is_sent or name in _UNTOUCHED or (name != "html" and " lang=" in tag)


def _tag(tag: str, language: str) -> str:
    if tag.startswith("<html"):
        return re.sub(r'lang="en"', f'lang="{language}"', tag, count=1)

    def said(match: re.Match[str]) -> str:
        known = translated(html.unescape(match[2]), language)
        return match[0] if known is None else f"{match[1]}{html.escape(known)}{match[3]}"

    return _ATTRIBUTE.sub(said, tag)


def _text(text: str, language: str, within: str = "") -> str:
    core = text.strip()
    if not core or not any(letter.isalnum() for letter in core):
        return text
    known = translated(html.unescape(core), language)
    begin = text[: len(text) - len(text.lstrip())]
    end = text[len(text.rstrip()) :]
    if known is not None:
        return f"{begin}{_unbroken(html.escape(known, quote=False))}{end}"
    if not is_english(core) or within in _WITHOUT_PARTS:
        return text
    part = "tspan" if within == "text" else "span"  # pictures draw no span
    return f'{begin}<{part} lang="en">{core}</{part}>{end}'


def _unbroken(text: str) -> str:
    """Return text without a line break between a number and its per cent sign."""
    return re.sub(r"(?<=\d) %", "\N{NO-BREAK SPACE}%", text)


def is_english(text: str) -> bool:
    """Return whether a text reads like an English sentence, and not like a name or a number."""
    words = re.findall(r"[a-z']+", html.unescape(text).lower())
    return len(words) >= _FEWEST_WORDS and any(word in _ENGLISH_WORDS for word in words)
