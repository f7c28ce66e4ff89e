"""Files of the offline page: walked again, taken whole or refused with the place."""

import json
import tomllib
from contextlib import suppress
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.flow.hosting.conftest import NOW, RERATING, SURVEY

from howgood.errors import InputError
from howgood.flow.collected import tidy_rows
from howgood.flow.importing import import_files
from howgood.flow.importing.files import OfflineFile
from howgood.flow.participate import answers_as_rows, choose_condition, fill, take_part
from howgood.flow.study_files.new import template
from howgood.flow.survey_export.offline import FORMAT
from howgood.kinds.study import Study

QUESTIONS = [{"key": "age", "text": "How old?", "type": "number", "minimum": 18, "maximum": 99}]


def _study(**changes):
    return Study.from_dict({**SURVEY, "demographics": QUESTIONS, **changes})


def _file(study, *, seed=5, person="ab12"):
    """What the page saves for somebody who fills in whatever the seed says."""
    forms = {}

    def filler(screen):
        forms[screen.key] = fill(screen, seed=seed)
        return forms[screen.key]

    _, participation = take_part(study, seed=seed, now=NOW, filler=filler)
    answers = [
        {"screen": each.screen, "form": forms[each.screen],
         "shown_at": (each.at - timedelta(seconds=5)).isoformat(),
         "answered_at": each.at.isoformat().replace("+00:00", "Z")}
        for each in participation.answers
    ]  # fmt: skip
    found = {"howgood": FORMAT, "format": 1, "study": study.slug, "version": study.version,
             "person": person, "seed": seed, "condition": choose_condition(study, {}, seed),
             "answers": answers}  # fmt: skip
    return found, participation


def _import(host, *files, slug="doors"):
    named = [(f"{number}.json", json.dumps(each).encode()) for number, each in enumerate(files)]
    return import_files(host, slug, named, mapping={}, actor="ada", now=NOW)


def test_a_saved_file_gives_the_rows_the_server_would_have(run, host):
    run(SURVEY, demographics=QUESTIONS)
    study = _study()
    saved, participation = _file(study)
    report = _import(host, saved)
    assert (report.people, report.answers) == (1, len(participation.answers))
    found = list(tidy_rows(host, "doors"))
    expected = answers_as_rows(study, participation)
    for mine, theirs in zip(found, expected, strict=True):
        assert {k: v for k, v in mine.items() if k in theirs and k != "participant"} == {
            k: v for k, v in theirs.items() if k != "participant"
        }
    (someone,) = tidy_rows(host, "doors", table="participants")
    assert someone["status"] == "complete"
    assert someone["seconds"] == 5.0 * len(participation.answers)


def test_the_same_file_twice_is_one_person(run, host):
    run(SURVEY, demographics=QUESTIONS)
    saved, _ = _file(_study())
    other, _ = _file(_study(), seed=6, person="cd34")
    _import(host, saved)
    report = _import(host, saved, other, other)
    assert report.people == 1
    assert report.people_here == 1
    assert report.answers == len(other["answers"])
    assert len(list(tidy_rows(host, "doors", table="participants"))) == 2


@pytest.mark.parametrize(("change", "says"), [
    (lambda f: f.update(study="other"), "0.json, study"),
    (lambda f: f.update(version="0" * 16), "0.json, version"),
    (lambda f: f.update(howgood="x"), "0.json, howgood"),
    (lambda f: f.update(condition="c"), "0.json, condition"),
    (lambda f: f.update(seed=f["seed"] + 1), "0.json, answers"),
    (lambda f: f.pop("seed"), "expected 'seed'"),
    (lambda f: f.update(person="a b"), "0.json, person"),
    (lambda f: f["answers"][1]["form"].update(age="\ud800"), "no JSON"),
    (lambda f: f["answers"][1]["form"].update(age="\x00"), "no JSON"),
    (lambda f: f["answers"].pop(), "an answer to 'bell-s"),
    (lambda f: f["answers"].pop(1), "'demographics', which comes next"),
    (lambda f: f["answers"].append(f["answers"][-1]), "'finished', which comes next"),
    (lambda f: f["answers"][1]["form"].update(age="7"), "answers[2].form.age: '7'"),
    (lambda f: f["answers"][-1]["form"].clear(), "form.acceptable"),
    (lambda f: f["answers"][2].update(answered_at="yesterday"), "answers[3].answered_at"),
])  # fmt: skip
def test_a_changed_file_is_refused_whole_and_says_where(run, host, change, says):
    run(SURVEY, demographics=QUESTIONS)
    study = _study(survey=SURVEY["survey"] | {"branches": SURVEY["survey"]["branches"][:1]})
    run(SURVEY, demographics=QUESTIONS, survey=study.to_dict()["survey"],
        now=NOW + timedelta(hours=1))  # fmt: skip
    good, _ = _file(study, seed=9, person="good")
    bad, _ = _file(study)
    change(bad)
    with pytest.raises(InputError) as caught:
        _import(host, bad, good)
    assert says in str(caught.value)
    assert list(tidy_rows(host, "doors", table="participants")) == []


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b"\xff", b"[" * 100_000, b'"x"', b"null"])
def test_what_is_no_such_file_is_refused_kindly(run, host, content):
    run(SURVEY)
    with pytest.raises(InputError, match=r"x\.json"):
        import_files(host, "doors", [("x.json", content)], mapping={}, actor="ada", now=NOW)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)


@settings(max_examples=150)
@given(name=st.sampled_from([*OfflineFile.model_fields]), value=JSON)
def test_no_value_anywhere_breaks_the_reading(name, value):
    from howgood.flow.importing.files import _check_origin, _walked
    from howgood.records.record import read_record
    from howgood.store.studies import StudyRow

    study = _study()
    saved, _ = _file(study)
    row = StudyRow(number=1, version=1, slug="doors", title="", kind="survey", is_open=True)
    with suppress(InputError):
        read = read_record(OfflineFile, saved | {name: value}, where="x.json")
        _check_origin(read, row, "x.json")
        if read.condition in ("a", "b"):
            _walked(study, read, "x.json")


def test_comparisons_are_not_for_tables(run, host):
    run(RERATING)
    run(tomllib.loads(template("comparison")), slug="pairs")
    with pytest.raises(InputError, match="a comparison"):
        import_files(host, "pairs", [("x.csv", b"a,b\n1,2\n")], mapping={}, actor="x", now=NOW)
