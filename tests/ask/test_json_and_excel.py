"""JSON, JSON Lines, Excel and addresses: the same columns as a CSV file would give."""

import gzip
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howgood.ask import files, open_table
from howgood.ask.json_and_excel import columns_of_lines
from howgood.cli.main import run
from howgood.errors import FileFormatError, MissingExtraError
from howgood.records.table import Table, frame_columns

ROWS = [
    {"id": "q1", "scores": {"helpful": 4, "safe": 1.5}, "tags": ["a", "b"]},
    {"id": "q2", "scores": {"helpful": 5}},
]
ENGINES = ["auto", "polars", "duckdb", "built-in"]


def _write(tmp_path, name, text):
    path = tmp_path / name
    data = text.encode() if isinstance(text, str) else text
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return path


def _lines(rows):
    return "\n".join(json.dumps(row) for row in rows) + "\n"


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", ["a.jsonl", "a.ndjson", "a.jsonl.gz", "a.json", "a.json.gz"])
def test_nested_fields_get_dotted_names_on_every_engine(tmp_path, engine, name):
    text = json.dumps(ROWS) if ".json" in name and "jsonl" not in name else _lines(ROWS)
    frame = open_table(_write(tmp_path, name, text), engine=engine)
    columns = frame_columns(frame, ["id", "scores.helpful", "scores.safe", "tags"], where="answers")
    assert list(columns["id"]) == ["q1", "q2"]
    np.testing.assert_array_equal(columns["scores.helpful"], [4, 5])
    np.testing.assert_array_equal(columns["scores.safe"].astype(float), [1.5, np.nan])
    assert list(columns["tags"]) == ['["a", "b"]', None]


def test_spark_reads_lines_too(tmp_path, spark):
    frame = open_table(_write(tmp_path, "a.jsonl", _lines(ROWS)), engine="spark")
    assert [row["scores.helpful"] for row in frame.collect()] == [4, 5]


def test_an_object_of_columns_is_a_table(tmp_path):
    path = _write(tmp_path, "a.json", '{"y": [1, 0], "s": [0.9, null]}')
    np.testing.assert_array_equal(open_table(path, engine="built-in")["s"], [0.9, np.nan])


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.jsonl", '{"a": 1}\n{"a": \n', "line 2"),
        ("a.jsonl", '{"a": 1}\n[1]\n', "line 2: a list"),
        ("a.jsonl", '{"a": 1, "a": 2}\n', "'a' twice"),
        ("a.jsonl", '{"a.b": 1, "a": {"b": 2}}\n', "'a.b' twice"),
        ("a.jsonl", "\n\n", "no rows"),
        ("a.json", '{"samples": [{"a": 1}], "when": 3}', "list in 'samples' as a file of its own"),
        ("a.json", "3", "a single value"),
        ("a.json", "[" * 100_000, "."),
        ("a.json", b"\xff\xfe{", "not UTF-8"),
        ("a.json.gz", None, "damaged gzip"),
    ],
)
def test_what_is_not_rows_is_refused_with_its_place(tmp_path, name, text, message):
    path = tmp_path / name
    if text is None:
        path.write_bytes(gzip.compress(b'[{"a": 1}]')[:-9])
    else:
        _write(tmp_path, name, text)
    with pytest.raises(FileFormatError, match=message):
        open_table(path)


def test_rows_without_common_fields_do_not_fill_the_memory(tmp_path):
    text = "\n".join(json.dumps({f"field {i}": i}) for i in range(5_000))
    with pytest.raises(FileFormatError, match="different fields"):
        open_table(_write(tmp_path, "a.jsonl", text))


def test_a_column_of_numbers_and_words_is_text_and_whole_numbers_stay_whole(tmp_path):
    rows = [{"mixed": 1, "id": 2**60}, {"mixed": "one", "id": 3}, {"mixed": True, "id": 4}]
    table = open_table(_write(tmp_path, "a.jsonl", _lines(rows)), engine="built-in")
    assert list(table["mixed"]) == ["1", "one", "true"]
    assert table["id"].tolist() == [2**60, 3, 4]


@given(
    st.lists(
        st.dictionaries(
            st.sampled_from("abc"), st.none() | st.floats(allow_nan=False) | st.text(max_size=3)
        ),
        min_size=1,
        max_size=6,
    )
)
def test_every_row_keeps_its_values_in_its_place(rows):
    lines = [json.dumps(row).encode() for row in rows]
    columns = columns_of_lines(lines, where="a", most_cells=100)
    for name, values in columns.items():
        assert len(values) == len(rows)
        for row, value in zip(rows, values, strict=True):
            given = row.get(name)
            assert value == given or value == json.dumps(given)


def test_the_command_takes_dotted_names(tmp_path, capsys):
    rows = [
        {"item": f"q{i}", "model": model, "judge": {"id": f"r{r}"}, "scores": {"helpful": 3 + good}}
        for i in range(8)
        for r in range(3)
        for model, good in (("a", (i + r) % 2), ("b", (i * r) % 3 % 2))
    ]
    path = _write(tmp_path, "grades.jsonl", _lines(rows))
    options = ["--system", "model", "--rater", "judge.id", "--grade", "scores.helpful"]
    assert run(["leaderboard", str(path), *options, "--json"]) == 0
    places = json.loads(capsys.readouterr().out)
    assert {"a", "b"} <= set(json.dumps(places).replace('"', " ").split())


def test_excel_gives_the_columns_of_its_only_filled_sheet(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (["user", "rating", "share"], ["a", 4, 0.5], [None, None, None], ["b", 5, None]):
        book.active.append(row)
    book.create_sheet("empty")
    book.save(tmp_path / "a.xlsx")
    table = open_table(tmp_path / "a.xlsx", engine="built-in")
    assert list(table["user"]) == ["a", "b"]
    assert table["rating"].tolist() == [4, 5]
    np.testing.assert_array_equal(table["share"], [0.5, np.nan])
    book["empty"].append(["user"])
    book.save(tmp_path / "a.xlsx")
    with pytest.raises(FileFormatError, match="2 filled sheets: 'Sheet', 'empty'"):
        open_table(tmp_path / "a.xlsx")


def test_excel_says_what_to_install_and_what_is_no_workbook(tmp_path, monkeypatch):
    path = _write(tmp_path, "a.xlsx", "a,b\n1,2\n")
    with pytest.raises(FileFormatError, match="not an Excel workbook"):
        open_table(path)
    monkeypatch.setattr("howgood.ask.json_and_excel.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"howgood\[excel\]"):
        open_table(path)


@pytest.mark.parametrize("address", ["s3://bucket/a.csv", "https://example.org/a.jsonl"])
def test_only_parquet_is_read_at_an_address(address):
    with pytest.raises(FileFormatError, match="only Parquet is read at an address"):
        open_table(address)


def test_a_path_is_never_an_address():
    from pathlib import Path

    with pytest.raises(FileFormatError, match="no such file"):
        open_table(Path("s3://bucket/a.parquet"))
    assert files.is_address("s3://bucket/a.parquet")
    assert not files.is_address("C:/folder/a.parquet")


class _Bucket(BaseHTTPRequestHandler):
    content = b""

    def _answer(self, *, with_body):
        start, end = 0, len(self.content)
        asked = self.headers.get("Range", "").removeprefix("bytes=")
        if asked:
            first, _, last = asked.partition("-")
            start = int(first) if first else max(0, end - int(last))
            end = min(end, int(last) + 1) if first and last else end
        part = self.content[start:end]
        self.send_response(206 if asked else 200)
        self.send_header("Content-Length", str(len(part)))
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("ETag", '"1"')
        self.send_header("Last-Modified", "Tue, 01 Sep 2026 00:00:00 GMT")
        self.send_header("Content-Range", f"bytes {start}-{end - 1}/{len(self.content)}")
        self.end_headers()
        if with_body:
            self.wfile.write(part)

    def do_GET(self):
        self._answer(with_body=True)

    def do_HEAD(self):
        self._answer(with_body=False)

    def log_message(self, *arguments):
        pass


@pytest.fixture
def bucket(tmp_path):
    pl.DataFrame({"user": ["a", "b"], "rating": [4, 5]}).write_parquet(tmp_path / "a.parquet")
    handler = type("Bucket", (_Bucket,), {"content": (tmp_path / "a.parquet").read_bytes()})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_parquet_is_read_where_it_lies(bucket, monkeypatch):
    frame = open_table(f"{bucket}/a.parquet")
    assert frame_columns(frame, ["rating"], where="bucket")["rating"].tolist() == [4, 5]
    for name, value in {
        "AWS_ENDPOINT_URL": bucket, "AWS_ALLOW_HTTP": "true", "AWS_SKIP_SIGNATURE": "true",
        "AWS_REGION": "nowhere",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    frame = open_table("s3://bucket/a.parquet")
    assert frame_columns(frame, ["rating"], where="bucket")["rating"].tolist() == [4, 5]


def test_tables_speak_arrow():
    table = Table({"user": np.array(["a", None], dtype=object), "rating": [4.0, 5.0]})
    frame = pl.DataFrame(table.__class__(table))
    assert frame["rating"].to_list() == [4.0, 5.0]
    import pyarrow

    assert pyarrow.table(table).column("user").to_pylist() == ["a", None]
