"""Large answers that somebody asks for and does not read: they take no place, memory or handle."""

import gc
import socket
import threading
import time
from types import SimpleNamespace

import pytest
import sqlalchemy as sa
import uvicorn

from howgood.flow import hosting
from howgood.settings import Settings
from howgood.store import schema
from howgood.web import server, timeouts
from howgood.web.app import make_app

_SOON = 60  # seconds, on a busy machine
FILM = bytes(range(256)) * 64 * 1024  # 16 MB: more than the system keeps of a connection
ASKING = b"GET /media/1/film.mp4 HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n"


@pytest.fixture
def film(host):
    row = {"version_id": 1, "name": "film.mp4", "media_type": "video/mp4", "content": FILM}
    host.database.write(lambda c: c.execute(sa.insert(schema.media).values(row)))


@pytest.fixture
def running(host, film, monkeypatch):
    """A real server of few places, which soon looks whether somebody reads."""
    monkeypatch.setattr(timeouts, "UNREAD_SECONDS", 0.5)
    app = make_app(host, Settings(busy_limit=2))
    serving = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, **server.options()))
    thread = threading.Thread(target=serving.run)
    thread.start()
    while not serving.started:
        time.sleep(0.01)
    port = serving.servers[0].sockets[0].getsockname()[1]
    yield SimpleNamespace(port=port, connections=serving.server_state.connections)
    serving.should_exit = True
    thread.join()


def _line(running, words):
    line = socket.socket()
    line.settimeout(_SOON)
    line.connect(("127.0.0.1", running.port))
    line.sendall(words)
    return line


def _ask(running, words=b"GET /health HTTP/1.1\r\nHost: x\r\n"):
    found = b""
    with _line(running, words + b"Connection: close\r\n\r\n") as line:
        while piece := line.recv(1 << 20):
            found += piece
    return found


def _gone(running, *, within=_SOON):
    end = time.monotonic() + within
    while running.connections and time.monotonic() < end:
        time.sleep(0.02)
    return not running.connections


@pytest.mark.parametrize("end", [b"\r\n", b"Connection: close\r\n\r\n"], ids=["kept", "closing"])
def test_a_film_that_nobody_reads_is_not_kept_for_them(running, end):
    lines = []
    for _ in range(6):  # more than this server has places
        lines.append(_line(running, ASKING + end))
        assert lines[-1].recv(1)
    assert b"well" in _ask(running)
    assert _gone(running)
    for line in lines:
        line.close()


def test_who_reads_slowly_gets_all_of_it(running):
    with _line(running, ASKING + b"Connection: close\r\n\r\n") as line:
        found, pause, pauses = b"", 0.05, 0
        while piece := line.recv(300_000):
            found += piece
            pauses += 1
            time.sleep(pause)
    assert pauses * pause > 4 * timeouts.UNREAD_SECONDS  # longer than who reads nothing is given
    head, _, body = found.partition(b"\r\n\r\n")
    assert body == FILM
    assert b"content-encoding" not in head.lower()  # packing it would hold everybody up


def test_who_waits_between_pages_is_not_taken_for_somebody_who_does_not_read(running):
    with _line(running, b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n") as line:
        assert b"well" in line.recv(65536)
        time.sleep(4 * timeouts.UNREAD_SECONDS)
        line.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
        assert b"well" in line.recv(65536)


def test_a_part_of_a_film_is_that_part(running):
    found = _ask(running, ASKING + b"Range: bytes=1000-199999\r\n")
    assert b" 206 " in found.partition(b"\r\n")[0]
    assert found.partition(b"\r\n\r\n")[2] == FILM[1000:200_000]


def test_everybody_who_looks_at_a_film_looks_at_the_same_one(host, film):
    first, second = (hosting.picture(host, 1, "film.mp4") for _ in range(2))
    assert first is second
    del first, second
    gc.collect()
    assert not host.media
