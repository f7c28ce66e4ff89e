"""Every language has every sentence, with the same blanks."""

import re
from string import Formatter

import pytest

from howgood.ask.sentences import labels, languages, sentence, sentences
from howgood.errors import UnknownNameError

OTHERS = [each for each in languages() if each != "en"]


def _blanks(text):
    return sorted(name for _, name, _, _ in Formatter().parse(text) if name)


def test_two_languages_are_shipped():
    assert {"de", "en"} <= set(languages())


@pytest.mark.parametrize("language", OTHERS)
def test_a_language_has_every_sentence_with_the_same_blanks(language):
    english, other = sentences("en"), sentences(language)
    assert set(other) == set(english)
    for key, text in english.items():
        if isinstance(text, str):
            assert _blanks(other[key]) == _blanks(text), key
            assert len(re.findall(r"\*\*", other[key])) == len(re.findall(r"\*\*", text)), key
        else:
            assert len(other[key]) == len(text), key


@pytest.mark.parametrize("language", OTHERS)
def test_a_language_is_really_translated(language):
    same = {key for key, text in sentences("en").items() if sentences(language)[key] == text}
    assert same <= {"card_percent", "card_title", "option_title", "direction"}


def test_a_scale_has_seven_different_labels_in_every_language():
    for language in languages():
        for key in ("likely_scale", "agree_scale"):
            assert len(set(labels(language, key))) == 7


def test_an_unknown_language_names_those_there_are():
    with pytest.raises(UnknownNameError, match="'de', 'en'"):
        sentence("xx", "continue")
