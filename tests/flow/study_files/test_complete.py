"""Nothing that people read may be empty, and a picture must be one: on every road to publishing."""

import copy
import tomllib

import pytest
from tests.flow.authoring.test_draft import ADA
from tests.flow.hosting.conftest import NOW, RERATING, SURVEY, host, run

from howgood.errors import InputError, ManyProblemsError
from howgood.flow import authoring
from howgood.flow.remote import create_study
from howgood.flow.study_files import check_study
from howgood.flow.study_files.as_text import toml_text
from howgood.flow.study_files.attached_files import media_problem
from howgood.flow.study_files.check import study_from
from howgood.flow.study_files.new import template
from howgood.records.record import written

__all__ = ["host", "run"]
QUESTION = {
    "key": "way",
    "text": "How do you travel?",
    "options": [{"key": "bike", "text": "Bicycle"}, {"key": "bus", "text": "Bus"}],
}
REAL = {
    "question": "Which do you use?",
    "systems": [{"key": "old", "name": "Old bell", "accuracy": {"rings": [0.8, 0.9]}}],
    "items": [{"key": "rings", "text": "It rings."}],
    "scale": ["no", "yes"],
}
FULL = copy.deepcopy(SURVEY) | {"demographics": [QUESTION]}
FULL["survey"] |= {
    "items": [{"key": "fine", "text": "It is fine."}],
    "scale": ["no", "perhaps", "yes"],
    "attention": [{"key": "care", "text": "Choose yes.", "answer": 3}],
    "real": REAL,
}
PAIRS = tomllib.loads(template("comparison"))
PNG = b"\x89PNG\r\n\x1a\n"


def _emptied(study, path, text=" "):
    changed = copy.deepcopy(study)
    place = changed
    for part in path[:-1]:
        place = place[part]
    place[path[-1]] = text
    return changed


@pytest.mark.parametrize(("study", "path"), [
    (FULL, ("title",)),
    (FULL, ("consent", "text")),
    (FULL, ("survey", "applications", 0, "name")),
    (FULL, ("survey", "applications", 0, "description")),
    (FULL, ("survey", "items", 0, "text")),
    (FULL, ("survey", "scale", 1)),
    (FULL, ("survey", "attention", 0, "text")),
    (FULL, ("survey", "real", "question")),
    (FULL, ("survey", "real", "systems", 0, "name")),
    (FULL, ("survey", "real", "items", 0, "text")),
    (FULL, ("survey", "real", "scale", 0)),
    (FULL, ("demographics", 0, "text")),
    (FULL, ("demographics", 0, "options", 1, "text")),
    (RERATING, ("rerating", "question")),
    (RERATING, ("rerating", "scale", 2)),
    (PAIRS, ("comparison", "task")),
    (PAIRS, ("comparison", "question")),
])  # fmt: skip
@pytest.mark.parametrize("text", ["", " \n"])
def test_an_empty_text_is_a_problem_that_names_its_field(study, path, text):
    assert study_from(study, problems=[]) is not None
    problems = []
    assert study_from(_emptied(study, path, text), problems=problems) is None
    assert [written(each.path) for each in problems] == [written(path)]
    assert problems[0].found == "no text"


def test_check_names_the_line_and_programs_get_the_same_problem(tmp_path, host):
    wrong = _emptied(SURVEY, ("survey", "applications", 1, "description"), "")
    file = tmp_path / "doors.toml"
    file.write_text(toml_text(wrong))
    (problem,) = check_study(file).problems
    assert "survey.applications[2].description: no text" in problem.message
    assert 'description = ""' in file.read_text().splitlines()[problem.line - 1]
    with pytest.raises(ManyProblemsError, match=r"applications\[2\]\.description"):
        create_study(host, wrong, is_open=False, actor="api", now=NOW)


@pytest.mark.parametrize("alternative", ["", "  "])
def test_a_picture_needs_words_for_those_who_cannot_see_it(tmp_path, alternative):
    (tmp_path / "x.png").write_bytes(PNG)
    study = _emptied(RERATING, ("rerating", "items", 0, "picture"),
                     {"file": "x.png", "alternative": alternative})  # fmt: skip
    file = tmp_path / "songs.toml"
    file.write_text(toml_text(study))
    (problem,) = check_study(file).problems
    assert "rerating.items[1].picture.alternative: no text" in problem.message


@pytest.mark.parametrize(("name", "content"), [
    ("a.png", PNG + b"..."),
    ("a.jpg", b"\xff\xd8\xff\xe0..JFIF"),
    ("a.jpeg", b"\xff\xd8\xff\xe1..Exif"),
    ("a.gif", b"GIF89a..."),
    ("a.webp", b"RIFF\x00\x00\x00\x00WEBPVP8 "),
    ("a.svg", b"<?xml version='1.0'?>\n<!-- made by hand -->\n<svg xmlns='x'></svg>"),
    ("a.mp4", b"\x00\x00\x00\x18ftypisom"),
    ("a.webm", b"\x1a\x45\xdf\xa3..."),
])  # fmt: skip
def test_a_file_is_what_its_name_says(name, content, tmp_path):
    assert media_problem(name, content) is None
    study = _emptied(RERATING, ("rerating", "items", 0, "picture"),
                     {"file": name, "alternative": "A picture"})  # fmt: skip
    file = tmp_path / "songs.toml"
    file.write_text(toml_text(study))
    (tmp_path / name).write_bytes(content)
    assert check_study(file).problems == ()
    for wrong in (b"", b"this is a text", b"<html><svg></svg></html>", b"%PDF-1.4"):
        (tmp_path / name).write_bytes(wrong)
        (problem,) = check_study(file).problems
        assert "rerating.items[1].picture.file" in problem.message
        assert "whatever its name says" in problem.message


def test_every_media_type_that_is_accepted_has_its_check():
    from howgood.flow.study_files.attached_files import PICTURES

    for ending in PICTURES:
        assert "browsers show" not in media_problem(f"a{ending}", b"")


def test_a_draft_with_empty_texts_or_a_false_picture_is_not_published(run, host):
    run(RERATING)
    item = "rerating.items.0"
    texts = {"rerating.question": [""], "rerating.scale": ["bad\nfair\ngood"],
             f"{item}.key": ["x"], f"{item}.text": ["First"],
             f"{item}.picture.alternative": [""]}  # fmt: skip
    files = {f"{item}.picture.file": authoring.Upload(file_name="a.png", content=b"a text")}
    edition = authoring.written(host, "songs").edition
    saved = authoring.save(host, ADA, "songs", part="task", texts=texts, uploads=files,
                           edition=edition, action="", now=NOW)  # fmt: skip
    assert "'a.png' was not kept: a file that is no PNG picture" in saved.editing.upload_problem
    review = authoring.review(host, "songs")
    assert not review.can_publish
    assert "rerating.question" in {written(each.path) for each in review.result.problems}
    with pytest.raises(InputError, match=r"rerating"):
        authoring.publish(host, ADA, "songs", edition=review.edition, now=NOW)
