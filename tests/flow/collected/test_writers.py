"""SPSS, Stata and Excel read back what is stored, with what was asked and what answers mean."""

import io
import math
import zipfile

import openpyxl
import pyreadstat
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.flow.hosting.conftest import SURVEY, Person, host, run  # noqa: F401 - fixtures

from howgood.errors import InputError
from howgood.flow.collected import data_file, tidy_rows
from howgood.flow.collected.writers import StatisticsWriter, Workbook, plain_names
from howgood.records.codebook import Codebook, Column

READ = {"sav": pyreadstat.read_sav, "dta": pyreadstat.read_dta}


@pytest.fixture
def answered(host, run):  # noqa: F811 - fixtures
    run(SURVEY)
    for seed in range(3):
        someone = Person(host, "doors", seed=seed)
        someone.begin()
        someone.finish()
    return host


def _book(*columns):
    return Codebook(study="s", title="S", kind="survey", versions=(),
                    tables={"answers": columns, "participants": (), "screens": ()})  # fmt: skip


def _column(name="text", kind="text", **more):
    return Column(name=name, type=kind, meaning="what it means", **more)


def _read(kind, content, tmp_path):
    path = tmp_path / f"t.{kind}"
    path.write_bytes(content)
    return READ[kind](str(path))


@pytest.mark.parametrize("kind", ["sav", "dta"])
def test_every_table_comes_back_with_labels(answered, kind, tmp_path):
    whole = b"".join(data_file(answered, "doors", kind=kind).pieces)
    archive = zipfile.ZipFile(io.BytesIO(whole))
    assert "codebook.csv" in archive.namelist()
    for table in ("answers", "participants", "screens"):
        frame, about = _read(kind, archive.read(f"{table}.{kind}"), tmp_path)
        stored = list(tidy_rows(answered, "doors", table=table))
        assert len(frame) == len(stored)
        assert all(about.column_labels)
    frame, about = _read(kind, archive.read(f"answers.{kind}"), tmp_path)
    stored = list(tidy_rows(answered, "doors"))
    assert list(frame["rating"]) == [row["rating"] for row in stored]
    assert about.variable_value_labels["rating"][1]
    assert "external_id" not in frame.columns


@pytest.mark.parametrize("kind", ["sav", "dta"])
def test_gaps_truths_and_times_stay_what_they_are(kind, tmp_path):
    book = _book(_column("n", "number"), _column("b", "boolean"), _column("t", "time"),
                 _column("w", "text"),
                 _column("i", "integer", levels={"1": "no", "2": "yes"}))  # fmt: skip
    writer = StatisticsWriter(book, "answers", kind)
    writer.write({"n": [1.5, None], "b": [True, None], "t": ["2026-05-04T12:00:00+02:00", None],
                  "w": ["größer", None], "i": [2, None]})  # fmt: skip
    frame, about = _read(kind, writer.close(), tmp_path)
    assert (frame["n"][0], frame["b"][0], frame["w"][0], frame["i"][0]) == (1.5, 1, "größer", 2)
    assert str(frame["t"][0])[:19] == "2026-05-04 10:00:00"
    assert math.isnan(frame["n"][1])
    assert frame["w"][1] == ""
    assert about.variable_value_labels["i"] == {1: "no", 2: "yes"}


@pytest.mark.parametrize("kind", ["sav", "dta"])
def test_an_empty_table_is_a_file_too(kind, tmp_path):
    writer = StatisticsWriter(_book(_column(), _column("n", "number")), "answers", kind)
    frame, _ = _read(kind, writer.close(), tmp_path)
    assert list(frame.columns) == ["text", "n"]
    assert len(frame) == 0


def test_a_text_that_does_not_fit_is_refused_and_never_cut_off():
    writer = StatisticsWriter(_book(_column()), "answers", "dta")
    writer.write({"text": ["x" * 3000]})
    with pytest.raises(InputError, match="3,000 bytes"):
        writer.close()
    workbook = Workbook(_book(_column()))
    with pytest.raises(InputError, match="cell of Excel"):
        workbook.add_table("answers", [{"text": ["x" * 40_000]}])


@given(st.lists(st.text(min_size=1, max_size=90), min_size=1, max_size=20, unique=True),
       st.sampled_from([32, 64]))  # fmt: skip
def test_names_are_ones_that_programs_hold_and_no_two_are_alike(names, longest):
    given = plain_names([_column(name) for name in names], longest)
    assert list(given) == names
    made = list(given.values())
    assert len({name.lower() for name in made}) == len(names)
    assert all(name[0].isalpha() and len(name) <= longest and name.isascii() for name in made)


def test_excel_holds_every_table_and_the_codebook_and_runs_nothing(answered):
    whole = b"".join(data_file(answered, "doors", kind="xlsx").pieces)
    book = openpyxl.load_workbook(io.BytesIO(whole))
    assert book.sheetnames == ["answers", "participants", "screens", "codebook"]
    rows = list(book["answers"].values)
    stored = list(tidy_rows(answered, "doors"))
    place = rows[0].index("rating")
    assert [row[place] for row in rows[1:]] == [row["rating"] for row in stored]
    workbook = Workbook(_book(_column()))
    workbook.add_table("answers", [{"text": ["=1+1", "https://x.org", "@a"]}])
    sheet = openpyxl.load_workbook(io.BytesIO(workbook.close()))["answers"]
    assert [cell.value for cell in sheet["A"]][1:] == ["=1+1", "https://x.org", "@a"]
    assert {cell.data_type for cell in sheet["A"]} == {"s"}
    assert not sheet["A3"].hyperlink
