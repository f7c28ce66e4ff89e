"""A survey for other programs: complete, well-formed, with codes that are recognised again."""

import csv
import io
import json
import re
from html import unescape
from pathlib import Path

import pytest
from tests.flow.hosting.conftest import RERATING, SURVEY

from howgood.errors import InputError
from howgood.flow.study_files import read_study
from howgood.flow.survey_export.codes import recognised
from howgood.flow.survey_export.file import limesurvey_file, qualtrics_file
from howgood.flow.survey_export.offline import offline_page
from howgood.flow.survey_export.source import Picture, StudySource
from howgood.kinds.cells import on_scale
from howgood.kinds.questions import answer_in_cell
from howgood.kinds.study import Study

QUESTIONS = [
    {"key": "age", "text": "How old are you?", "type": "number", "minimum": 18},
    {"key": "way", "text": "How do you [[travel]]?", "type": "choices",
     "options": [{"key": "bike", "text": "Bicycle"}, {"key": "bus", "text": "Bus & train"}]},
    {"key": "mood", "text": "How are you?", "type": "scale", "scale": ["bad", "good"]},
]  # fmt: skip
HOSTILE = "</script><script>alert(1)</script> {{script}} <b>&"


def _source(**changes):
    task = SURVEY["survey"] | {"attention": [{"key": "care", "text": "Second, please.",
                                              "answer": 2}]}  # fmt: skip
    data = {**SURVEY, "demographics": QUESTIONS[:2], "closing": QUESTIONS[2:], "survey": task}
    study = Study.from_dict(data | changes)
    drawing = Picture(media_type="image/svg+xml", content=b"<svg/>")
    return StudySource(study=study, picture=lambda _: drawing)


def _no_picture(name):
    return Picture(media_type="x/y", content=b"")


def _rows(source):
    text = limesurvey_file(source).decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline=""), delimiter="\t"))


def test_limesurvey_has_a_page_per_scenario_with_items_and_scale():
    rows = _rows(_source())
    questions = [row for row in rows if row["class"] == "Q" and row["type/scale"] == "F"]
    assert [row["name"] for row in questions] == [f"a{a}s{s}" for a in (1, 2) for s in range(1, 5)]
    assert all(re.fullmatch(r"[A-Za-z][A-Za-z0-9]{0,19}", row["name"])
               for row in rows if row["class"] == "Q")  # fmt: skip
    assert all(len(row["name"]) <= 5 for row in rows if row["class"] in ("A", "SQ"))
    assert {row["relevance"] for row in rows if row["random_group"] == "a2"} == {"branch==2"}
    assert [row["text"] for row in rows if row["name"] == "surveyls_title"] == ["Doors"]
    number = {row["name"]: row["id"] for row in rows if row["class"] == "Q"}
    scale = [row for row in rows if row["class"] == "A" and row["id"] == number["a1s1"]]
    assert [row["name"] for row in scale] == list("1234567")
    assert {row["type/scale"] for row in rows if row["name"] == "d2"} == {"M"}


def test_qualtrics_has_a_block_per_application_and_a_matrix_per_scenario():
    text = qualtrics_file(_source()).decode()
    assert text.startswith("[[AdvancedFormat]]\n")
    assert re.findall(r"\[\[Block:(.*)\]\]", text)[2:4] == ["Bell", "Camera"]
    assert text.count("[[Question:Matrix]]") == 8
    ids = re.findall(r"\[\[ID:(.*)\]\]", text)
    assert len(ids) == len(set(ids))
    assert {"consent", "d1", "d2", "c1", "k1", "a2s4"} <= set(ids)
    # A researcher's brackets are no command.
    assert "How do you &#91;&#91;travel&#93;&#93;?" in text
    matrix = text.split("[[ID:a1s1]]")[1].split("[[Question")[0]
    assert matrix.count("\nI would") == 2
    assert "[[Answers]]\nExtremely unlikely\n" in matrix


def test_codes_are_recognised_in_every_spelling():
    source = _source()

    def screen(column):
        found = recognised(source.study, source.task("x"), column)
        return found and (found.screen, found.name, found.option)

    assert screen("a2s3_1") == screen("a2s3[i1]") == screen("a2s3[SQ001]") == screen("a2s3_i1")
    assert screen("a2s3_2") == ("camera-s3", "useful", None)
    assert screen("d2[o2]") == screen("d2_2") == ("demographics", "way", 2)
    assert screen("c1") == ("closing", "mood", None)
    assert screen("k1") == ("", "attention-care", None)
    for unknown in ("a3s1_1", "a1s5_1", "a1s1_4", "a1s1", "d3", "k2", "d1_2", "age", "x1"):
        assert screen(unknown) is None
    assert screen(f"d2[{'9' * 5000}]") is None


def test_the_offline_page_is_one_file_that_trusts_only_itself():
    source = _source(title=HOSTILE, introduction=HOSTILE)
    page = offline_page(source).decode()
    assert page.count("<script") == 2
    assert "alert(1)</script>" not in page
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    assert "http://" not in page.replace("http://www.w3.org", "")
    data = json.loads(re.search(r'id="survey">(.*)</script>\n<script>', page)[1])
    assert data["title"] == HOSTILE
    assert set(data["screens"]) >= {"consent", "bell", "bell-s1", "camera-s4", "finished",
                                    "declined"}  # fmt: skip
    assert set(data["sections"]) == {"demographics", "closing"}


def test_a_survey_of_systems_in_use_knows_each_as_the_one_imagined():
    study = read_study(Path(__file__).parents[3] / "examples" / "weather-survey.toml")
    page = offline_page(StudySource(study=study, picture=_no_picture))
    data = json.loads(re.search(r'id="survey">(.*)</script>\n<script>', page.decode())[1])
    application = study.plan.applications[0].key
    for system in study.plan.real.systems:
        assert f"real-{system.key}" in data["screens"]
        assert system.name in json.dumps(data["screens"][f"{application}|{system.key}"],
                                         ensure_ascii=False)  # fmt: skip


def test_pictures_that_are_too_large_and_other_kinds_are_refused():
    other = StudySource(study=Study.from_dict(RERATING), picture=_no_picture)
    with pytest.raises(InputError, match="'rerating', which LimeSurvey cannot ask"):
        limesurvey_file(other)
    task = SURVEY["survey"]
    film = [each | {"picture": {"file": "a.mp4", "alternative": "x"}}
            for each in task["applications"]]  # fmt: skip
    study = Study.from_dict(SURVEY | {"survey": task | {"applications": film}})
    big = Picture(media_type="video/mp4", content=b"0" * 30_000_000)
    with pytest.raises(InputError, match="more than 20 MB"):
        offline_page(StudySource(study=study, picture=lambda _: big))


MARKUP = "<img src=x onerror=alert(1)> <b>R&D</b> {1+1} ${e://Field/x} [[Choices]] 'a' \"b\""


def _marked_everywhere():
    """A survey with markup, expressions and commands in every text a researcher writes."""
    key = SURVEY["survey"]["applications"][0]
    marked = {"text": MARKUP, "help": MARKUP}
    return _source(
        title=MARKUP, introduction=MARKUP, consent={"text": MARKUP}, completion={"text": MARKUP},
        demographics=[
            {"key": "a", **marked, "type": "choice",
             "options": [{"key": "x", "text": MARKUP}, {"key": "y", "text": "no"}]},
            {"key": "b", **marked, "type": "choices",
             "options": [{"key": "x", "text": MARKUP}, {"key": "y", "text": "no"}]},
            {"key": "c", **marked, "type": "scale", "scale": [MARKUP, "good"]},
            {"key": "d", **marked, "type": "text"},
        ],
        closing=[{"key": "e", **marked, "type": "number"}],
        survey=SURVEY["survey"] | {
            "applications": [key | {"name": MARKUP, "description": MARKUP},
                             *SURVEY["survey"]["applications"][1:]],
            "scale": [MARKUP, "2", "3", "4", "5", "6", "7"],
            "attention": [{"key": "care", "text": MARKUP, "answer": 2}],
        },
    )  # fmt: skip


def _seen(html):
    """What somebody reads where a program shows this as HTML."""
    return unescape(re.sub(r"</?(p|ul|li|strong)>", "", html))


def test_limesurvey_shows_every_text_as_it_was_written_and_computes_nothing():
    rows = _rows(_marked_everywhere())
    ours = {"branch"}
    texts = [row["text"] for row in rows if row["class"] != "S" and row["name"] not in ours]
    texts += [row["help"] for row in rows] + [row["name"] for row in rows if row["class"] == "G"]
    assert not [each for each in texts if re.search(r"[{}]|<(?!/?(p|ul|li|strong)>)", each)]
    assert sum(MARKUP in _seen(each) for each in texts) > 30
    assert not [each for each in texts if "onerror" in each and MARKUP not in _seen(each)]


def test_qualtrics_shows_every_text_as_it_was_written_and_fills_nothing_in():
    lines = qualtrics_file(_marked_everywhere()).decode().splitlines()
    commands = [each for each in lines if each.startswith("[[")]
    texts = [each for each in lines if not each.startswith("[[")]
    known = (
        r"\[\[(AdvancedFormat|Block:.*|Question:[A-Za-z:]+|ID:\w+|Choices|Answers|PageBreak)\]\]"
    )
    assert all(re.fullmatch(known, each) for each in commands)
    assert not [each for each in commands if "[[" in each[2:] or "]]" in each[:-2]]
    assert not [each for each in texts if re.search(r"\[\[|\$\{|<(?!/?(p|ul|li|strong)>)", each)]
    assert sum(MARKUP in _seen(each) for each in texts) > 20
    assert not [each for each in texts if "onerror" in each and MARKUP not in _seen(each)]


def test_labels_come_back_whether_they_were_kept_as_html_or_not():
    options = [{"key": "x", "text": "R&D"}, {"key": "y", "text": "no"}]
    asked = [{"key": "a", "text": "?", "type": "choice", "options": options}]
    (question,) = Study.from_dict(SURVEY | {"closing": asked}).closing
    for said in ("R&D", "R&amp;D", "r&amp;d"):
        assert answer_in_cell(question, said, language="en") == "x"
        assert on_scale(said, ["no", "R&D"]) == 2


@pytest.mark.parametrize("write", [limesurvey_file, qualtrics_file])
def test_a_program_that_would_ask_everybody_everything_is_refused(write):
    rule = {"question": "age", "at_least": 30}
    source = _source(closing=[QUESTIONS[2] | {"show_if": rule}])
    with pytest.raises(InputError, match="offline page"):
        write(source)
    assert offline_page(source)
