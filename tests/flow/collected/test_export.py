"""Files of data: the same rows in every format, safe in a spreadsheet, made while they are read."""

import csv
import io
import json
import sys
import zipfile
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.flow.hosting.conftest import RERATING, SURVEY

from howgood.errors import MissingExtraError
from howgood.flow.collected import data_file, tidy_rows
from howgood.flow.collected.writers import CsvWriter, JsonWriter, protected, unprotected
from howgood.records.codebook import TABLES

WORDS = {"key": "words", "text": "=Anything else?", "type": "text"}


@pytest.fixture
def doors(run, person):
    run(SURVEY, closing=[WORDS])
    for seed in range(3):
        someone = person("doors", seed=seed)
        someone.begin()
        while not (view := someone.look()).screen.is_last:
            someone.send(view, words="=HYPERLINK(0)\n'quoted', \"twice\" ü")


def _content(host, **options):
    return b"".join(data_file(host, "doors", **options).pieces)


def _read_csv(data):
    return list(csv.DictReader(io.StringIO(data.decode(), newline="")))


def test_a_zip_holds_every_table_and_the_codebook(doors, host):
    archive = zipfile.ZipFile(io.BytesIO(_content(host, kind="csv")))
    assert archive.testzip() is None
    assert sorted(archive.namelist()) == [
        "answers.csv", "codebook.csv", "participants.csv", "screens.csv"
    ]  # fmt: skip
    book = _read_csv(archive.read("codebook.csv"))
    for table in TABLES:
        rows = _read_csv(archive.read(f"{table}.csv"))
        expected = list(tidy_rows(host, "doors", table=table))
        assert len(rows) == len(expected) > 0
        assert list(rows[0]) == [each["column"] for each in book if each["table"] == table]
        assert [row["participant"] for row in rows] == [row["participant"] for row in expected]


def test_what_people_write_is_no_formula(doors, host):
    rows = _read_csv(_content(host, kind="csv", table="participants"))
    assert {row["words"][:2] for row in rows} == {"'="}
    assert {unprotected(row["words"]) for row in rows} == {
        row["words"] for row in tidy_rows(host, "doors", table="participants")
    }
    archive = zipfile.ZipFile(io.BytesIO(_content(host, kind="csv")))
    question = {
        each["column"]: each["question"] for each in _read_csv(archive.read("codebook.csv"))
    }
    assert question["words"] == "'=Anything else?"


@given(st.text())
def test_no_cell_begins_a_formula_and_none_is_lost(text):
    cell = str(protected(text))
    assert not cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n"))
    assert unprotected(cell) == text or text.startswith("'")
    (row,) = csv.DictReader(
        io.StringIO(CsvWriter(["a", "b"]).write({"a": [text], "b": [1]}).decode(), newline="")
    )
    assert row["a"] == cell


@pytest.mark.parametrize("number", [-1.5, np.float64(-1.5), np.int64(-2), Decimal("-0.5")])
def test_numbers_of_every_type_are_written_as_they_are(number):
    assert CsvWriter(["a"]).write({"a": [number]}) == f"a\r\n{number}\r\n".encode()


_CELLS = [0.0, -0.0, 1.0, 0.5, 1, 0, True, False, None, "a", "=a", [1, 2], np.int64(3)]


_COLUMNS = st.lists(st.sampled_from(_CELLS) | st.text(), min_size=1, max_size=3) | st.lists(
    st.none() | st.text('ab"\\,=-\r\n\0', max_size=3), min_size=1, max_size=4
)


@given(_COLUMNS, st.integers(1, 9))
def test_a_cell_is_written_the_same_whatever_else_is_in_its_column(cells, times):
    """Equal numbers of different types, both zeros: alone or repeated, each keeps its own text."""
    alone = [CsvWriter(["a"]).write({"a": [cell]}).split(b"\r\n", 1)[1] for cell in cells]
    lines = CsvWriter(["a"]).write({"a": cells * times}).split(b"\r\n", 1)[1]
    assert lines == b"".join(alone) * times


@given(_COLUMNS.filter(lambda cells: np.int64 not in map(type, cells)))
def test_json_is_what_the_encoder_writes(cells):
    writer = JsonWriter(["a"])
    written = json.loads(writer.write({"a": cells}) + writer.close())
    assert repr(written) == repr([{"a": cell} for cell in cells])


def test_json_holds_the_rows_and_the_codebook(doors, host):
    found = json.loads(_content(host, kind="json"))
    assert found["study"] == "doors"
    for table in TABLES:
        assert found[table] == list(tidy_rows(host, "doors", table=table))
        names = [each["name"] for each in found["codebook"]["tables"][table]]
        assert names == list(found[table][0])


def test_parquet_keeps_types_and_the_codebook(doors, host):
    import pyarrow.parquet as pq

    table = pq.read_table(io.BytesIO(_content(host, kind="parquet", table="answers")))
    rows = list(tidy_rows(host, "doors"))
    assert table.num_rows == len(rows)
    assert table.column("rating").to_pylist() == [row["rating"] for row in rows]
    assert str(table.schema.field("precision").type) == "double"
    assert json.loads(table.schema.metadata[b"codebook"])["study"] == "doors"
    people = pq.read_table(io.BytesIO(_content(host, kind="parquet", table="participants")))
    assert str(people.schema.field("started_at").type) == "timestamp[us, tz=UTC]"
    archive = zipfile.ZipFile(io.BytesIO(_content(host, kind="parquet")))
    assert archive.testzip() is None


def test_an_empty_study_gives_headers_and_no_rows(run, host):
    run(RERATING)
    answers = b"".join(data_file(host, "songs", kind="csv", table="answers").pieces)
    assert answers == b"user,item,trial,rating,position,seconds,at,finished,pilot,excluded\r\n"
    assert json.loads(b"".join(data_file(host, "songs", kind="json").pieces))["answers"] == []


def test_parquet_without_its_package_names_the_extra(doors, host, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"howgood\[parquet\]"):
        _content(host, kind="parquet", table="answers")
