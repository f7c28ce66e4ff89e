"""Opening tables: every engine gives the same columns; wrong files are refused kindly."""

import narwhals as nw
import numpy as np
import polars as pl
import pytest

from howgood.ask import files, open_table
from howgood.errors import FileFormatError, InputError, MissingExtraError
from howgood.records.table import frame_columns

TABLE = pl.DataFrame({"user": ["a", "b"], "rating": [1.5, None], "n": [1, 2]})


@pytest.fixture
def csv_path(tmp_path):
    TABLE.write_csv(tmp_path / "ratings.csv")
    return tmp_path / "ratings.csv"


@pytest.fixture
def parquet_path(tmp_path):
    TABLE.write_parquet(tmp_path / "ratings.parquet")
    return tmp_path / "ratings.parquet"


@pytest.mark.parametrize("engine", ["auto", "polars", "duckdb"])
@pytest.mark.parametrize("kind", ["csv_path", "parquet_path"])
def test_every_engine_reads_the_same_columns(engine, kind, request):
    frame = open_table(request.getfixturevalue(kind), engine=engine)
    columns = frame_columns(frame, ["rating", "n", "user"], where="file")
    np.testing.assert_array_equal(columns["rating"].astype(float), [1.5, np.nan])
    np.testing.assert_array_equal(columns["n"], [1, 2])
    assert list(columns["user"]) == ["a", "b"]


def test_without_an_engine_csv_still_opens_and_parquet_says_what_to_install(
    csv_path, parquet_path, monkeypatch
):
    monkeypatch.setattr(files, "find_spec", lambda name: None)
    table = open_table(csv_path)
    np.testing.assert_array_equal(table["rating"], [1.5, np.nan])
    assert list(table["user"]) == ["a", "b"]
    with pytest.raises(MissingExtraError, match=r'pip install "howgood\[files\]"'):
        open_table(parquet_path)
    with pytest.raises(MissingExtraError, match="polars engine"):
        open_table(csv_path, engine="polars")


def test_the_built_in_reader_names_the_ragged_row(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "find_spec", lambda name: None)
    path = tmp_path / "ragged.csv"
    path.write_text("a,b\n1,2\n3\n")
    with pytest.raises(
        FileFormatError,
        match=r"ragged.csv, row 3: found 1 field, expected 2\. Check for a missing comma",
    ):
        open_table(path)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("gone.csv", None, "no such file"),
        ("empty.csv", b"", "an empty file"),
        ("picture.png", b"\x89PNG", "ending in '.png'"),
        ("noending", b"a,b", "without an ending"),
        ("binary.csv", b"a\0b", "binary content"),
        ("fake.parquet", b"a,b\n1,2\n", "not Parquet"),
        ("cut.parquet", b"PAR1 and then nothing", "."),
    ],
)
@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_what_is_not_a_table_is_refused(tmp_path, engine, name, content, message):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(FileFormatError, match=message):
        open_table(tmp_path / name, engine=engine)


def test_an_unknown_engine_is_refused(csv_path):
    with pytest.raises(InputError, match="auto, polars, duckdb, spark"):
        open_table(csv_path, engine="excel")


@pytest.mark.parametrize("engine", ["auto", "polars", "duckdb"])
def test_a_folder_of_parquet_files_is_one_table(tmp_path, engine):
    # As Spark and Dask write a table: a folder with its name, its parts, and marks of its own.
    folder = tmp_path / "ratings.parquet"
    folder.mkdir()
    TABLE.head(1).write_parquet(folder / "part-00000.snappy.parquet")
    TABLE.tail(len(TABLE) - 1).write_parquet(folder / "part-00001.snappy.parquet")
    (folder / "_SUCCESS").write_text("")
    frame = nw.from_native(open_table(folder, engine=engine)).lazy().collect()
    assert len(frame) == len(TABLE)
    assert set(frame.columns) == set(TABLE.columns)


def test_a_folder_without_parquet_files_is_refused(tmp_path):
    with pytest.raises(FileFormatError, match=r"a folder without \.parquet files"):
        open_table(tmp_path)


def test_opening_is_lazy(parquet_path):
    assert isinstance(open_table(parquet_path, engine="polars"), pl.LazyFrame)
