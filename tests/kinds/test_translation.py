"""One study in several languages: every text has its place, and nothing but words changes."""

import tomllib
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.flow.hosting.conftest import RERATING, SURVEY

from howgood.ask.sentences import sentences
from howgood.flow.authoring.reading import SentForm, act, read_part
from howgood.flow.authoring.shape import form_of, parts_of
from howgood.flow.collected.codebook import codebook
from howgood.flow.participate import answers_as_rows, participant_row, take_part
from howgood.flow.study_files.as_text import toml_text
from howgood.flow.study_files.check import check_study
from howgood.kinds import KINDS, kind_of
from howgood.kinds.study import Study
from howgood.kinds.translation import (
    OPTIONAL_TEXTS,
    TEXTS,
    best_language,
    in_language,
    texts_of,
    translation_problems,
)
from howgood.records.record import Record, records_in

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
# Text in study files that nobody reads on a page, or that is the same in every language.
NO_WORDS = {
    "kind", "slug", "language", "notes", "key", "type", "block", "code", "redirect", "recruitment",
    "question",  # of a rule: the key of a question; a task's own question is a text
    "file", "digest", "table", "truth", "score", "algorithm", "rule", "direct", "direction",
    "scale",  # of a criterion: linear or log; labels are lists
    "earliest", "latest", "level", "prompt", "system", "prompt_column", "output_column",
    "system_column", "group", "positive", "application",
}  # fmt: skip


def german(data, **changes):
    """A study with every text translated: the same words with a mark that shows on the page."""
    study = {**data, **changes}
    texts = {place: f"{text} (de)" for place, text in texts_of(study).items()}
    return {**study, "translations": {"de": texts}}


def question_survey():
    pet = {"key": "pet", "text": "Which pet?", "type": "choice", "required": True,
           "options": [{"key": "cat", "text": "Cat"}, {"key": "dog", "text": "Dog"}]}  # fmt: skip
    name = {"key": "name", "text": "How do you call {answer.pet|it}?", "type": "text",
            "show_if": {"question": "pet", "any_of": ["cat"]}}  # fmt: skip
    return german(SURVEY, demographics=[pet, name])


def _text_keys(record, seen):
    if record in seen:
        return
    seen.add(record)
    for name, field in record.written_as().model_fields.items():
        if field.annotation is str:
            yield name
        for inner in records_in(field.annotation):
            yield from _text_keys(inner, seen)


def test_every_text_of_a_study_file_is_known_to_be_read_by_people_or_not():
    records: set[type[Record]] = set()
    assert set(_text_keys(Study, records)) <= TEXTS | OPTIONAL_TEXTS | NO_WORDS


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_person_has_the_same_way_and_data_in_every_language(kind):
    study = Study.from_dict(german(check_study(_written(kind)).study.to_dict()))
    assert translation_problems(study, kind_of(study)) == []
    ways = {code: take_part(study, seed=3, now=NOW, language=code) for code in ("en", "de")}
    screens = {code: way[0] for code, way in ways.items()}
    assert [each.key for each in screens["de"]] == [each.key for each in screens["en"]]
    assert {each.language for each in screens["de"]} == {"de"}
    rows = {code: answers_as_rows(study, way[1]) for code, way in ways.items()}
    assert rows["de"] == rows["en"]
    person = participant_row(study, ways["de"][1])
    assert person["study_language"] == "de"


def _written(kind):
    folder = Path(__file__).parents[2] / "src" / "howgood" / "kinds" / kind
    return folder / "template.toml"


@pytest.mark.parametrize("kind", KINDS)
def test_no_english_sentence_of_howgood_is_on_a_german_page(kind):
    study = check_study(_written(kind)).study
    data = {**study.to_dict(), "language": "de"}
    english = {text for text in sentences("en").values() if isinstance(text, str) and " " in text}
    own = set(texts_of(data).values())
    screens, _ = take_part(Study.from_dict(data), seed=1, now=NOW)
    shown = {text for screen in screens for text in _strings(screen.to_dict()) if text not in own}
    assert not shown & english


def _strings(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _strings(each)
    elif isinstance(value, list):
        for each in value:
            yield from _strings(each)


def test_logic_and_piping_are_the_same_and_speak_the_language():
    study = Study.from_dict(question_survey())
    assert translation_problems(study, kind_of(study)) == []

    def cat(screen):
        values = {"consent": "yes", "pet": "cat", "name": "Tom", "systems": []}
        return {
            name: values.get(name, "1")
            for name in [
                *(field.name for field in screen.fields),
                *(button.name for button in screen.all_buttons if button.name),
            ]
        }

    screens, person = take_part(study, seed=1, now=NOW, language="de", filler=cat)
    asked = next(each for each in screens if each.key == "demographics-2")
    assert asked.fields[0].label == "How do you call Cat (de)? (de)"
    assert participant_row(study, person)["pet"] == "cat"
    column = next(
        each for each in codebook(study).tables["participants"] if each.name == "study_language"
    )
    assert column.levels == {"en": "English", "de": "Deutsch"}


def test_what_is_missing_is_listed_by_language():
    data = german(SURVEY)
    del data["translations"]["de"]["survey.applications.bell.name"]
    data["translations"]["de"]["survey.applications.bell.colour"] = "rot"
    study = Study.from_dict(data)
    found = {(each.path, each.found) for each in translation_problems(study, kind_of(study))}
    path = ("translations", "de")
    assert ((*path, "survey.applications.bell.name"), "no text in 'de'") in found
    assert len(found) == 2
    unknown = Study.from_dict({**SURVEY, "translations": {"xx": {}}})
    assert "'xx'" in translation_problems(unknown, kind_of(unknown))[0].found


def test_a_translation_without_its_count_is_refused():
    data = german(SURVEY)
    data["translations"]["de"]["survey.applications.bell.phrases.found"] = "Es klingelte."
    study = Study.from_dict(data)
    (problem,) = translation_problems(study, kind_of(study))
    assert problem.found == "no {n}"
    assert problem.path[:2] == ("translations", "de")


def test_a_file_may_write_places_as_tables_and_labels_as_lists(tmp_path):
    text = toml_text(RERATING) + '\n[translations.de]\ntitle = "Lieder"\nconsent.text = "Ja."\n'
    text += 'rerating.question = "Wie gut?"\nrerating.scale = ["schlecht", "mittel", "gut"]\n'
    text += 'rerating.items.x.text = "Erstes"\n'
    file = tmp_path / "songs.toml"
    file.write_text(text)
    checked = check_study(file)
    (problem,) = checked.problems
    assert "rerating.items.y.text: no text in 'de'" in problem.message
    file.write_text(text + 'rerating.items.y.text = "Zweites"\n')
    study = check_study(file).study
    german_study = in_language(study, "de")
    assert german_study.plan.scale == ("schlecht", "mittel", "gut")
    assert german_study.plan.items[1].text == "Zweites"
    assert Study.from_dict(tomllib.loads(toml_text(study.to_dict()))) == study


def test_a_study_without_translations_keeps_its_version():
    assert "translations" not in Study.from_dict(SURVEY).to_dict()


def test_the_best_language_is_the_first_one_that_is_there():
    study = Study.from_dict(german(SURVEY))
    assert best_language(study, ("fr", "de-AT", "en")) == "de"
    assert best_language(study, ("fr",)) == "en"
    assert best_language(study, ()) == "en"


def test_the_editor_shows_every_text_and_reads_it_back():
    part = next(each for each in parts_of("rerating") if each.key == "languages")
    before, _ = act(RERATING, "add:translations.de")
    (node,) = form_of(part, before)
    assert node.label == "Deutsch"
    texts = {child.name: [f"{child.label} (de)"] for child in node.children}
    after = read_part(part, before, SentForm(texts=texts))
    assert after["translations"]["de"]["consent.text"] == "I agree. (de)"
    study = Study.from_dict(after)
    assert translation_problems(study, kind_of(study)) == []
    without, _ = act(after, "remove:translations.de")
    assert Study.from_dict(without) == Study.from_dict(RERATING)
