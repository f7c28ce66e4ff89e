"""The papers' data come from their authors, once, and only if they are what was published."""

import hashlib
import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from howgood.errors import FileFormatError, InputError
from howgood.reproduce.papers import SOURCES, Source, fetch

CONTENT = b"participant,answer\np1,3\n"


@pytest.fixture
def published():
    """A server on this machine with one file, and how often it was asked."""
    asked = []

    class Author(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(200 if self.path == "/data.csv" else 404)
            self.end_headers()
            self.wfile.write(CONTENT if self.path == "/data.csv" else b"")

        def log_message(self, *arguments):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Author)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    source = Source(
        name="data.csv", address=f"http://127.0.0.1:{server.server_port}/data.csv",
        digest=hashlib.sha256(CONTENT).hexdigest(), licence="CC BY 4.0", citation="Somebody (2015)",
    )  # fmt: skip
    yield source, asked
    server.shutdown()
    server.server_close()


def test_a_file_is_fetched_once_and_its_licence_said_every_time(published, tmp_path):
    source, asked = published
    said = []
    for _ in range(2):
        path = fetch("s0", folder=tmp_path / "new", sources={"s0": source}, report=said.append)
        assert path.read_bytes() == CONTENT
    assert asked == ["/data.csv"]
    assert sum("CC BY 4.0). Please cite: Somebody (2015)" in line for line in said) == 2


def test_a_damaged_copy_is_fetched_again(published, tmp_path):
    source, asked = published
    (tmp_path / "data.csv").write_text("half")
    fetch("s0", folder=tmp_path, sources={"s0": source}, report=lambda line: None)
    assert (tmp_path / "data.csv").read_bytes() == CONTENT
    assert len(asked) == 1


def test_what_is_not_the_published_file_is_refused_and_not_kept(published, tmp_path):
    wrong = replace(published[0], digest="0" * 64)
    with pytest.raises(FileFormatError, match="not the published ones"):
        fetch("s0", folder=tmp_path, sources={"s0": wrong}, report=lambda line: None)
    assert not list(tmp_path.iterdir())


def test_no_answer_says_what_to_do(published, tmp_path):
    gone = replace(published[0], address=published[0].address + "-gone")
    with pytest.raises(InputError, match=r"Not Found.*--data data\.csv"):
        fetch("s0", folder=tmp_path, sources={"s0": gone}, report=lambda line: None)


def test_a_paper_without_published_data_needs_none(tmp_path):
    assert fetch("s3", folder=tmp_path) is None


def test_every_source_is_https_and_says_what_may_be_done_with_it():
    for source in SOURCES.values():
        assert source.address.startswith("https://")
        assert len(source.digest) == 64
        assert source.licence
        assert source.citation


def test_the_answers_of_kay_are_the_published_ones(kay_file):
    assert hashlib.sha256(kay_file.read_bytes()).hexdigest() == SOURCES["s0"].digest
