"""Scenarios in words: frequencies, never percentages, counts in bold.

In: an application's phrases and a `Scenario`. Out: sentences with **counts** between stars.
Absent: pages and layout (see `flow.participate`). One template per language tells every
application; the phrases of the published ones are data files next to this module.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from howgood.ask.sentences import labels, sentence
from howgood.errors import UnknownNameError
from howgood.records.scenario import Scenario

if TYPE_CHECKING:
    from howgood.records.item import Item

SENTENCES = ("happened", "found", "missed", "false_alarm", "cleared")
_FIELD = re.compile(r"\{(\w+)\}")
# {time|times}: the first for a count of 1, the second for every other.
_NUMBER = re.compile(r"\{([^{}|]*)\|([^{}]*)\}")
_COUNTS = ("n", "real")


@dataclass(frozen=True, slots=True, kw_only=True)
class Application:
    """What people read about an application, in one language.

    `phrases` holds a sentence per count ("happened", "found", "missed", "false_alarm", and
    "cleared" where true negatives are shown), as study files have them.

    Stability: experimental
    """

    key: str
    language: str
    name: str
    description: str
    phrases: Mapping[str, str]
    real_positives: int
    cases: int | None = None


@cache
def applications() -> tuple[str, ...]:
    """Return the keys of the applications that come with howgood.

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> applications()
    ('alarm_police', 'alarm_text_message', 'electricity', 'location', 'weather')
    """
    folder = files("howgood.ask") / "applications"
    names = (path.name.removesuffix(".toml") for path in folder.iterdir())
    return tuple(sorted(name for name in names if not name.startswith("_")))


def application(key: str, *, language: str = "en") -> Application:
    """Return one of the published applications, worded in a language.

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> application("weather", language="de").name
    'Wettervorhersage'
    """
    if key not in applications():
        raise UnknownNameError(where="application", name=key, names=applications())
    data, template = _data(key), _data("_template")
    if language not in template:
        raise UnknownNameError(where="language", name=language, names=template)
    fields = data[language]
    sentence_names = SENTENCES if "quiet" in fields else SENTENCES[:-1]
    return Application(
        key=key,
        language=language,
        name=fields["name"],
        description=fields["description"],
        phrases={
            name: _filled(template[language][name], template[language] | fields)
            for name in sentence_names
        },
        real_positives=data["real_positives"],
        cases=data.get("cases"),
    )


def word_scenario(
    phrases: Mapping[str, str], scenario: Scenario, *, system: str = ""
) -> dict[str, str]:
    """Return the sentences of a scenario, counts between two stars.

    Parameters
    ----------
    phrases : mapping
        Of an `Application`, or of a study file: sentences with {n} (the count), {real} (how often
        it happened), {time|times} (for one, for more) and {system}.
    scenario : Scenario
    system : str
        The name that replaces {system}, where the phrases leave it open.

    Returns
    -------
    dict
        "happened", "found", "missed", "false_alarm" and, where the scenario counts true negatives,
        "cleared".

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> from howgood import ask
    >>> dryer = ask.application("electricity")
    >>> lines = word_scenario(dryer.phrases, ask.scenarios()[11])
    >>> print(lines["happened"])
    **10** times over a three month period, you used your clothes dryer.
    """
    counts = {
        "happened": scenario.real_positives,
        "found": scenario.true_positives,
        "missed": scenario.false_negatives,
        "false_alarm": scenario.false_positives,
        "cleared": scenario.true_negatives,
    }
    return {
        name: _counted(phrases[name].replace("{system}", system), count, scenario.real_positives)
        for name, count in counts.items()
        if count is not None and name in phrases
    }


def items(*, language: str = "en", ease_of_use: bool = False) -> "tuple[Item, ...]":
    """Return the statements people rate: acceptable, useful, intent, and ease of use if wanted.

    Pilots of the published study found ease of use confusing for systems that do not exist.

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> [item.key for item in items(ease_of_use=True)]
    ['acceptable', 'useful', 'intent', 'ease']
    """
    # Study files are what this is for; nothing else of the library needs their records.
    from howgood.records.item import Item

    keys = ("acceptable", "useful", "intent", *(("ease",) if ease_of_use else ()))
    return tuple(Item(key=key, text=sentence(language, f"item_{key}")) for key in keys)


def anchors(*, language: str = "en", real: bool = False) -> tuple[str, ...]:
    """Return the seven labels: likelihood for imagined systems, agreement for real ones.

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> anchors()[4], anchors(real=True)[0]
    ('Slightly likely', 'Strongly disagree')
    """
    return labels(language, "agree_scale" if real else "likely_scale")


def counted(text: str, count: int) -> str:
    """Put a count into a phrase: {n} is the number, {was|were} takes the first word for 1.

    Examples
    --------
    >>> counted("{n} {was|were} right", 1)
    '**1** was right'
    """
    return _counted(text, count, count)


def _counted(text: str, count: int, real: int) -> str:
    text = _NUMBER.sub(r"\1" if count == 1 else r"\2", text)
    return text.replace("{n}", f"**{count}**").replace("{real}", f"**{real}**")


def _filled(sentence_template: str, fields: Mapping[str, str]) -> str:
    """Put an application's fields into a sentence, leaving the counts open."""
    return _FIELD.sub(
        lambda match: match[0] if match[1] in _COUNTS else fields[match[1]], sentence_template
    )


@cache
def _data(name: str) -> dict[str, Any]:
    text = (files("howgood.ask") / "applications" / f"{name}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
