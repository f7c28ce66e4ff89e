"""One study in several languages: its texts, where each stands, and the study in one of them.

In: a study, or the plain values of one that is being written; a language. Out: every text by its
place, what is missing or unknown in a translation, and the study with translated words. Absent: the
fixed sentences of pages (`ask.sentences`), and who chose which language (`flow.hosting`).

A place is written like `survey.applications.alarm.name`: keys of tables, keys of entries of a list,
and numbers from 1 for labels of a scale. Keys, rules, levels and numbers are in no translation, so
the way through a study and its data are the same in every language.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from howgood.ask.sentences import languages
from howgood.kinds.protocol import Kind
from howgood.kinds.study import Study
from howgood.records.record import Problem, check_record

# What people read: keys of study files whose text has to be there in every language.
TEXTS = frozenset(
    {"title", "introduction", "text", "purpose", "help", "name", "description", "question", "task",
     "instructions", "alternative", "low", "high", "right", "opening", "health", "money", "time",
     "feelings"}
)  # fmt: skip
# Texts that are often the same in every language: left out, they stay as they are.
OPTIONAL_TEXTS = frozenset({"contact", "unit"})
_LABELS, _TABLES = frozenset({"scale"}), frozenset({"phrases", "words"})
# Rules name questions by their keys; what systems answered is judged as they answered it.
_NO_TEXTS = frozenset({"translations", "notes", "show_if", "when", "outputs"})
FIELD = "language"


def offered(study: Study) -> tuple[str, ...]:
    """Return the languages people can choose from, the study's own first."""
    return (study.language, *study.translations)


def texts_of(data: Mapping[str, Any]) -> dict[str, str]:
    """Return every text of a study's plain values by its place, in the order of the file.

    Examples
    --------
    >>> texts_of({"title": "Birds", "slug": "birds",
    ...           "closing": [{"key": "age", "text": "Your age?", "scale": ["young", "old"]}]})
    {'title': 'Birds', 'closing.age.text': 'Your age?', 'closing.age.scale.1': 'young', \
'closing.age.scale.2': 'old'}
    """
    return dict(_texts(data, ""))


def is_optional(place: str) -> bool:
    """Return whether a translation may leave this text as it is."""
    return place.rpartition(".")[2] in OPTIONAL_TEXTS


def _texts(data: object, prefix: str) -> Iterator[tuple[str, str]]:
    for name, value in _entries(data):
        place = f"{prefix}{name}"
        key = place.split(".")[-1] if isinstance(data, Mapping) else ""
        if isinstance(value, str):
            if value.strip() and key in TEXTS | OPTIONAL_TEXTS:
                yield place, value
        elif key in _TABLES and isinstance(value, Mapping):
            yield from ((f"{place}.{word}", text) for word, text in value.items() if text)
        elif key in _LABELS and isinstance(value, list | tuple):
            yield from ((f"{place}.{number}", label) for number, label in enumerate(value, start=1))
        elif key not in _NO_TEXTS:
            yield from _texts(value, f"{place}.")


def _entries(data: object) -> Iterator[tuple[str, Any]]:
    """Yield what is in a table by its keys, and in a list by the keys of its entries."""
    if isinstance(data, Mapping):
        yield from ((str(name), value) for name, value in data.items())
    elif isinstance(data, list | tuple):
        for number, value in enumerate(data, start=1):
            key = value.get("key") if isinstance(value, Mapping) else None
            yield str(key or number), value


def _translated(data: Any, prefix: str, texts: Mapping[str, str]) -> Any:  # noqa: ANN401 - plain values
    if isinstance(data, str):
        return texts.get(prefix[:-1], data)
    if isinstance(data, Mapping):
        return {
            str(name): _translated(value, f"{prefix}{name}.", texts)
            for name, value in data.items()
        }  # fmt: skip
    if isinstance(data, list | tuple):
        return [_translated(value, f"{prefix}{name}.", texts) for name, value in _entries(data)]
    return data


def translated(study: Study, language: str) -> dict[str, Any]:
    """Return the plain values of a study with the words of one of its languages."""
    data = study.to_dict()
    texts = {name: text for name, text in data.pop("translations", {}).get(language, {}).items()
             if text.strip()}  # fmt: skip
    known = texts_of(data)
    words = {place: text for place, text in texts.items() if place in known}
    return {**_translated(data, "", words), "language": language}


def best_language(study: Study, wishes: Iterable[str]) -> str:
    """Return the first language of a study that somebody wishes for, else the study's own.

    Wishes are codes such as "de" or "de-AT", the dearest first.
    """
    known = offered(study)
    for wish in wishes:
        code = wish.strip().lower()
        for language in (code, code.partition("-")[0]):
            if language in known:
                return language
    return study.language


def in_language(study: Study, language: str) -> Study:
    """Return the study as people of one of its languages read it; any other gives its own.

    Everything that is no text is the same: orders, rules, conditions and names in the data.
    """
    return _in_language(study, language) if language in study.translations else study


@lru_cache(maxsize=256)
def _in_language(study: Study, language: str) -> Study:
    return Study.from_dict(translated(study, language))


def translation_problems(study: Study, kind: Kind) -> list[Problem]:
    """Return what is missing, unknown or wrong in each language of a study."""
    known = texts_of(study.to_dict())
    problems: list[Problem] = []
    for language, texts in study.translations.items():
        wrong = _language_problem(study, language)
        wrong += _missing(language, known, texts) + _unknown(language, known, texts)
        problems += wrong or _wrong(study, language, kind)
    return problems


def _language_problem(study: Study, language: str) -> list[Problem]:
    others = tuple(code for code in languages() if code != study.language)
    if language in others:
        return []
    return [
        Problem(
            path=("translations", language),
            found=f"the language {language!r}"
            + (", which the study is written in" if language == study.language else ""),
            needed=f"one of {', '.join(others)}",
            cure="A new language is one file next to en.toml.",
        )
    ]


def _missing(language: str, known: Mapping[str, str], texts: Mapping[str, str]) -> list[Problem]:
    return [
        Problem(
            path=("translations", language, place),
            found=f"no text in {language!r}",
            needed=f"a translation of “{text if len(text) <= 60 else text[:59] + '…'}”",
            cure="Write it.",
        )
        for place, text in known.items()
        if not texts.get(place, "").strip() and not is_optional(place)
    ]


def _unknown(language: str, known: Mapping[str, str], texts: Mapping[str, str]) -> list[Problem]:
    return [
        Problem(
            path=("translations", language, place),
            found=f"a translation of {place!r}, where the study has no text",
            needed="the place of a text",
            cure="Correct it, or remove it.",
        )
        for place in texts
        if place not in known
    ]


def _wrong(study: Study, language: str, kind: Kind) -> list[Problem]:
    """Return what is wrong with the words of a language: blanks, phrases, lengths."""
    made, problems = check_record(Study, translated(study, language))
    if made is not None:
        problems = kind.problems(made)
    return [replace(problem, path=("translations", language, *problem.path))
            for problem in problems]  # fmt: skip
