"""Every row of a CSV file has as many fields as the header; every engine reads the same rows."""

import csv
import gzip
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howgood.ask import csv_rows, open_table
from howgood.ask.csv_rows import check_rows
from howgood.errors import FieldCountError, FileFormatError
from howgood.records.table import frame_columns

ENGINES = ("polars", "duckdb", "built-in")


def _checked(content, separator=","):
    return check_rows(io.BytesIO(content), separator=separator, where="t.csv")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"y,s,x\n1,0,9,a\n0,0,2,b\n", "row 2: found 4 fields, expected 3. Check for a comma too"),
        (b"y,s,x\n1,1,a\n0,0,b,7\n1,0,c\n", "row 3: found 4 fields, expected 3."),
        (b"y,s,x\n1,1,a\n0,0\n", "row 3: found 2 fields, expected 3. Check for a missing comma."),
        (b"y,s,x\n1,1,a\n\n0\n", "row 4: found 1 field, expected 3. Check for a missing comma."),
        (b"y,s,x\n1,1,a,\n0,0,b,\n", "row 2: found 4 fields, expected 3."),
        (b"y;s;x\n1;0,9\n", "row 2: found 2 fields, expected 3. Check for a missing semicolon."),
        (b"y,s,\n1,0,9\n0,0,2\n", "row 2: a value in the last column, which has no name"),
        (b'y,s,x\n1,1,"a\n0,0,b\n', "row 2: a quotation mark that is never closed"),
        (b'y,s,x\n1,1,"a"b\n0,0,b\n', "row 2: a quotation mark in the middle of a field"),
        (b'y,s,x\n1,1,"a"\n0,0,5"\n0,0,6"\n', "row 3: a quotation mark in the middle"),
        (b'y,s,x\n1,1,5"\n0,0,"a"\n', "row 3: a quotation mark in the middle"),
        (b"y,s,x\n1,1,caf\xe9\n", "row 2: bytes that are not UTF-8"),
        (b"y,s,x\n1,1,a\n0,0,b\r1,1,c\n", "row 3: line ends of two kinds"),
        (b"\ny,s,x\n1,1,a\n", "row 1: an empty row where the column names should be"),
    ],
)
def test_a_row_unlike_the_header_is_refused_by_every_engine(
    tmp_path, engine, packed, content, said
):
    path = tmp_path / ("bad.csv.gz" if packed else "bad.csv")
    path.write_bytes(gzip.compress(content) if packed else content)
    with pytest.raises(FileFormatError) as caught:
        open_table(path, engine=engine)
    assert str(caught.value).startswith(f"{path}, {said}")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "content",
    [
        b"y,s,x\n1,0.9,a\n0,0.2,b\n1,0.7,c",
        b"\xef\xbb\xbfy,s,x\r\n1,0.9,a\r\n0,0.2,b\r\n1,0.7,c\r\n\r\n\r\n",
        b"y,s,x\r1,0.9,a\r0,0.2,b\r1,0.7,c\r",
        b"y,s,x\n\n1,0.9,a\n0,0.2,b\n\n1,0.7,c\n\n",
        b'"y","s","x"\n1,0.9,"a,\n\n""b"""\n0,0.2,"\r"\n1,0.7,\n',
        b"y,s,x,\n1,0.9,a,\n0,0.2,b,\n1,0.7,c,\n",
        b"y;s;x\r\n1;0,9;a,b\r\n0;0,2;c\r\n1;0,7;d\r\n\r\n",
        b'"y";"s";"a, b"\n1;0,9;a\n0;0,2;c\n1;0,7;d\n',
        b'y,s,x\n1,0.9,5" wide\n0,0.2,\n1,0.7,6"\n',
    ],
)
def test_every_engine_reads_the_same_rows(tmp_path, engine, content):
    path = tmp_path / "good.csv"
    path.write_bytes(content)
    found = frame_columns(open_table(path, engine=engine), ["y", "s"], where="file")
    np.testing.assert_array_equal(found["y"].astype(float), [1, 0, 1])
    np.testing.assert_array_equal(found["s"].astype(float), [0.9, 0.2, 0.7])


def test_a_pattern_of_csv_files_is_refused(tmp_path):
    """The first file's header would stand for all of them."""
    (tmp_path / "a.csv").write_text("y,s\n1,2\n")
    with pytest.raises(FileFormatError, match="no such file"):
        open_table(tmp_path / "*.csv", engine="polars")


@pytest.mark.parametrize("block", [16, 19, 1 << 17])
@given(
    rows=st.lists(
        st.lists(st.text(st.sampled_from('ab,;"\n\r é'), max_size=5), min_size=2, max_size=4),
        min_size=1,
        max_size=8,
    ),
    line_end=st.sampled_from(["\n", "\r\n"]),
)
def test_rows_are_counted_as_the_csv_module_counts_them(block, rows, line_end):
    """Whatever a field holds, and wherever the file is cut into pieces."""
    text = io.StringIO(newline="")
    text.write(",".join("h" * len(rows[0])) + line_end)
    writer = csv.writer(text, lineterminator=line_end, quoting=csv.QUOTE_ALL)
    writer.writerows(rows)
    wrong = next((i for i, row in enumerate(rows) if len(row) != len(rows[0])), None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_rows, "_BLOCK", block)
        if wrong is None:
            assert _checked(text.getvalue().encode()).n_rows == len(rows)
            return
        with pytest.raises(FieldCountError, match=f"row {wrong + 2}: found {len(rows[wrong])} "):
            _checked(text.getvalue().encode())


def test_empty_rows_are_found_wherever_the_file_is_cut(monkeypatch):
    content = b"a,b\n" + b"1,2\n\n" * 40 + b"\n\n"
    for block in (1, 3, 8, 64):
        monkeypatch.setattr(csv_rows, "_BLOCK", block)
        shape = _checked(content)
        assert shape.n_rows == 40
        assert shape.empty == (*range(1, 80, 2), 80, 81)


def test_a_row_that_never_ends_is_refused_before_it_fills_the_memory(monkeypatch):
    monkeypatch.setattr(csv_rows, "_LONGEST_ROW", 1000)
    monkeypatch.setattr(csv_rows, "_BLOCK", 100)
    with pytest.raises(FileFormatError, match="row 2: a quotation mark that is never closed"):
        _checked(b'a,b\n1,"' + b"x\n" * 2000)
    with pytest.raises(FileFormatError, match="row 2: more than 4 MB"):
        _checked(b"a,b\n" + b"x," * 2000)
    monkeypatch.setattr(csv_rows, "_MOST_EMPTY", 10)
    with pytest.raises(FileFormatError, match="more than 10 empty rows"):
        _checked(b"a,b\n" + b"\n" * 2000)


@pytest.mark.parametrize("engine", ENGINES)
def test_tabs_part_columns_where_the_header_has_no_comma_and_no_semicolon(tmp_path, engine):
    path = tmp_path / "u.csv"
    path.write_text("user\titem\trating\n1\t7\t3.5\n2\t7\t4\n")
    columns = frame_columns(open_table(path, engine=engine), ["user", "rating"], where="t")
    assert columns["rating"].tolist() == [3.5, 4.0]


def test_two_colons_between_columns_are_refused_with_the_command_that_helps(tmp_path):
    path = tmp_path / "movielens.csv"
    path.write_text("user::item::rating\n1::7::3.5\n")
    with pytest.raises(FileFormatError, match=r"parted by '::'.*sed 's/::/,/g' movielens.csv"):
        open_table(path)
