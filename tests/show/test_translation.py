"""Researchers' pages and reports in other languages: complete where promised, honest where not."""

import calendar
import re
import tomllib
from pathlib import Path

import pytest

import howgood
from howgood.show import translation
from howgood.show.translation import is_english, languages, texts, translated, translated_page

SOURCES = Path(howgood.__file__).parent
OTHERS = [code for code in languages() if code != "en"]


def _words(text):
    return " ".join(re.findall(r"[A-Za-z0-9']+", text))


# Put together of a word and a name, or of parts of a name in the study file.
COMPOSED = {
    *("Copy for {own}", "Day of", "Filled: accepted.", "Hollow: refused.", "Alarms", "Miss"),
    *("Negative", "Positive", "Cleared", "Correctly cleared", "With negative", "With positive"),
    *("scopes: none; expected at least one.", "{n} new links."),
}


def _source():
    """Return the words of every text of the package; pieces of strings are joined."""
    files = [
        file
        for ending in ("py", "html", "toml", "json")
        for file in SOURCES.rglob(f"*.{ending}")
        if file.parent != SOURCES / "show" / "languages"
    ]
    whole = "\n".join(file.read_text(encoding="utf-8") for file in files)
    whole += " ".join([*calendar.month_name, *calendar.month_abbr])
    joined = re.sub(r'"\s*\n\s*\+?\s*f?"', "", whole)
    return f" {_words(joined)} "


def _pairs(key):
    """Yield two words in a row, or the one there is, between the blanks of a key."""
    for piece in re.split(r"\{\w+\}", key):
        words = _words(piece).split()
        for start in range(max(1, len(words) - 1)):
            yield " ".join(words[start : start + 2])


@pytest.mark.parametrize("language", OTHERS)
def test_every_key_is_a_text_that_howgood_says(language):
    """Most of its words follow each other in the package; sentences are put together of parts."""
    source, gone = _source(), []
    for key in texts(language):
        pairs = [pair for pair in _pairs(key) if pair]
        found = sum(f" {pair} " in source for pair in pairs)
        if found < 0.5 * len(pairs) and key not in COMPOSED:
            gone.append(key)
    assert gone == []


@pytest.mark.parametrize("language", OTHERS)
def test_a_translation_has_the_blanks_of_its_key(language):
    for key, said in texts(language).items():
        assert set(re.findall(r"\{(\w+)\}", said)) == set(re.findall(r"\{(\w+)\}", key)), key


def test_numbers_and_parts_of_a_sentence_are_translated_too():
    said = translated(
        "At 85 % precision and 85 % recall, 46.5 % of people would accept it (likely between 39 "
        "and 53 %).",
        "de",
    )
    assert said.startswith("Bei 85 % Precision und 85 % Recall würden es 46,5 % der Menschen")
    assert translated("1,234.5", "de") == "1.234,5"
    text = (
        "Whose answers count: everyone but those who failed attention checks. 1 person, 8 "
        "judgements. Left out: 2 (did not finish), 1 (test runs)."
    )
    assert translated(text, "de").endswith(
        "Nicht dabei: 2 (nicht fertig geworden), 1 (Probeläufe)."
    )


PAGE = (
    '<!doctype html><html lang="en"><head><style>.Methods{}</style></head><body>'
    '<h2 title="Results">Methods</h2><p lang="fr">Results</p><code>Results</code>'
    "<p>Nobody ever wrote the words for this.</p><p>Müllers Studie</p>"
    '<textarea>Results</textarea><script>"<p>Results</p>"</script></body></html>'
)


def test_only_our_words_are_translated_and_english_says_that_it_is():
    page = translated_page(PAGE, "de")
    assert '<html lang="de">' in page
    assert '<h2 title="Ergebnisse">Methoden</h2><p lang="fr">Results</p>' in page
    assert "<code>Results</code>" in page
    assert '<p><span lang="en">Nobody ever wrote the words for this.</span></p>' in page
    assert "<p>Müllers Studie</p>" in page
    assert "<textarea>Results</textarea>" in page
    assert '<script>"<p>Results</p>"</script>' in page
    assert ".Methods{}" in page


def test_english_words_stay_visible_in_pictures_and_in_the_name_of_a_page():
    """A picture draws no span, and a tab would show its letters."""
    words = "what the people of this town said"
    page = f"<title>{words}</title><svg><text>{words}</text></svg><p>{words}</p>"
    expected = (
        f'<title>{words}</title><svg><text><tspan lang="en">{words}</tspan></text></svg>'
        f'<p><span lang="en">{words}</span></p>'
    )
    assert translated_page(page, "de") == expected


def test_english_pages_stay_as_they_are():
    assert translated_page(PAGE, "en") == PAGE
    assert translated_page(PAGE, "xx") == PAGE


def test_a_new_language_is_one_file(tmp_path, monkeypatch):
    (tmp_path / "nl.toml").write_text(
        'language = "Nederlands"\n[texts]\n"Methods" = "Methoden"\n"{n} people" = "{n} mensen"\n'
    )
    for cached in (languages, texts, translation._patterns, translated):
        cached.cache_clear()
    monkeypatch.setattr(translation, "folder", lambda: tmp_path)
    try:
        assert languages() == {"en": "English", "nl": "Nederlands"}
        assert translated_page("<h2>Methods</h2><p>3 people</p>", "nl") == (
            "<h2>Methoden</h2><p>3 mensen</p>"
        )
    finally:
        for cached in (languages, texts, translation._patterns, translated):
            cached.cache_clear()


def test_files_are_sorted_into_a_name_and_texts():
    for code in OTHERS:
        found = tomllib.loads((translation.folder() / f"{code}.toml").read_text(encoding="utf-8"))
        assert set(found) == {"language", "texts"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [("The people of this study", True), ("Alarm (police)", False), ("0.62", False),
     ("Was Menschen akzeptieren", False)],
)  # fmt: skip
def test_english_is_told_from_names(text, expected):
    assert is_english(text) is expected


@pytest.mark.parametrize(
    "n", ["0 pages", "1 page", "1 page in 20 s", "5 pages", "5 pages in 3 min"]
)
@pytest.mark.parametrize("device", ["", ", on a computer", ", on a phone", ", on a tablet"])
def test_the_head_of_a_person_s_page_is_german_however_far_they_came(n, device):
    said = translated(f"5 Mar 2026, 09:07 UTC, {n}{device}", "de")
    assert said is not None
    assert "Seite" in said
