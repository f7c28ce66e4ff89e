"""Errors call rows what whoever opens the file sees; expected numbers are counted by hand."""

import gzip
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howgood import ask
from howgood.ask.row_numbers import row_names
from howgood.errors import InputError
from howgood.flow.files import naming


def _called(path, content):
    path.write_text(content, encoding="utf-8")
    return [row_names(path)(place) for place in range(2)]


def test_a_spreadsheet_counts_the_header_and_empty_rows(tmp_path):
    for name in ("a.csv", "a.tsv"):
        assert _called(tmp_path / name, "a\nx\ny\n") == ["row 2", "row 3"]
        assert _called(tmp_path / name, "a\n\n\nx\n\ny\n") == ["row 4", "row 6"]
    assert _called(tmp_path / "a.csv", '\ufeffa\r\n"x\r\nx"\r\ny\r\n') == ["row 2", "row 3"]
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"a\n\nx\n"))
    assert row_names(tmp_path / "a.csv.gz")(0) == "row 3"


def test_json_lines_have_lines_and_lists_have_entries(tmp_path):
    assert _called(tmp_path / "a.jsonl", '{"a": 1}\n\n{"a": 2}\n') == ["line 1", "line 3"]
    assert _called(tmp_path / "a.json", '[{"a": 1}, {"a": 2}]') == ["entry 1", "entry 2"]


def test_what_has_no_header_line_counts_from_one(tmp_path):
    assert row_names(tmp_path / "a.parquet")(0) == "row 1"
    assert row_names("s3://bucket/a.csv")(4) == "row 5"
    assert row_names(tmp_path / "not there.csv")(4) == "row 5"


def test_a_workbook_has_the_rows_of_its_sheet(tmp_path):
    xlsxwriter = pytest.importorskip("xlsxwriter")
    pytest.importorskip("python_calamine")
    for top in (0, 3):
        path = tmp_path / f"{top}.xlsx"
        with xlsxwriter.Workbook(path) as book:
            sheet = book.add_worksheet()
            for place, cell in ((0, "a"), (1, 1), (3, 2)):
                sheet.write(top + place, 0, cell)
        names = [row_names(path)(place) for place in range(2)]
        assert names == [f"row {top + 2}", f"row {top + 4}"]


@settings(max_examples=30, deadline=None)
@given(gaps=st.lists(st.integers(0, 3), min_size=1, max_size=9))
def test_every_row_is_found_at_the_line_it_stands_on(tmp_path_factory, gaps):
    path = tmp_path_factory.mktemp("rows") / "a.csv"
    path.write_text("a\n" + "".join("\n" * gap + f"{place}\n" for place, gap in enumerate(gaps)))
    lines = path.read_text().splitlines()
    for place in range(len(gaps)):
        number = int(row_names(path)(place).removeprefix("row "))
        assert lines[number - 1] == str(place)


def test_an_error_passed_on_twice_is_counted_once_and_quoted_text_stays(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a\n\nx\n")
    found = "'row 1 of it' and \"row 1's\" text (first: row 1)"
    with pytest.raises(InputError) as said, naming({str(path): path}), naming({"grades": path}):
        raise InputError(where="grades, row 1", found=found, needed="b", cure="C.")
    assert said.value.where == f"{path}, row 3"
    assert said.value.found == "'row 1 of it' and \"row 1's\" text (first: row 3)"
    assert str(said.value).startswith(f"{path}, row 3: ")


def test_answers_of_every_kind_of_file_are_found_where_they_stand(tmp_path):
    rows = [{"participant": "p", "application": "a", "precision": share, "recall": 1, "rating": 7}
            for share in (0.5, 85)]  # fmt: skip
    files = {
        "a.csv": "\n".join(
            [",".join(rows[0]), *(",".join(map(str, row.values())) for row in rows)]
        ),
        "a.jsonl": "\n".join(map(json.dumps, rows)),
        "a.json": json.dumps(rows),
    }
    for (name, content), called in zip(files.items(), ("row 3", "line 2", "entry 2"), strict=True):
        (tmp_path / name).write_text(content)
        with pytest.raises(InputError, match=f"{called}: 85"):
            ask.read_answers(tmp_path / name)
    with pytest.raises(InputError, match="row 2: 85"):
        ask.read_answers({column: [row[column] for row in rows] for column in rows[0]})
