"""People on slow lines, and people who are slow on purpose, keep nobody waiting."""

import contextlib
import socket
import time

import pytest
from tests.faults.counting import counted
from tests.faults.people import SLUG, acknowledged, crowd, meanwhile, until_answered

_HEAD = f"POST /s/{SLUG} HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n"
SLOWNESS = {
    "headers that never end": _HEAD.encode()[:-2],
    "bodies that never come": _HEAD.encode() + b"\r\nvisit=",
    # Twenty pages asked for at once, none of them read.
    "pages that nobody reads": f"GET /s/{SLUG} HTTP/1.1\r\nHost: x\r\n\r\n".encode() * 20,
}


@contextlib.contextmanager
def _slow_lines(port, words, *, lines):
    """Hold this many connections that say their words, then one byte a second, and read nothing."""
    with contextlib.ExitStack() as stack:
        opened = []
        for _ in range(lines):
            line = stack.enter_context(socket.socket())
            line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            line.connect(("127.0.0.1", port))
            line.sendall(words)
            opened.append(line)
        yield opened


def _drip(lines, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for line in lines:
            with contextlib.suppress(OSError):  # hung up on, as it should be sooner or later
                line.send(b"a")
        time.sleep(min(1.0, seconds / 3))


def _keep_nobody_waiting(stage, faults, *, lines, seconds):
    faults.begin(f"3 x {lines} slow clients", stage.database)
    server = stage.serve()
    people = crowd(server, 8)
    found = {}

    def slow_down():
        before = acknowledged(people)
        time.sleep(seconds)
        found["nobody slow"] = acknowledged(people) - before
        for name, words in SLOWNESS.items():
            with _slow_lines(server.port, words, lines=lines) as opened:
                before = acknowledged(people)
                _drip(opened, seconds)
                found[name] = acknowledged(people) - before

    meanwhile(people, slow_down)
    said = ", ".join(f"{name} {n / seconds:.0f}/s" for name, n in found.items())
    faults.judge(counted(server.database, people), found=said)
    # A server that waited for the slow would answer nobody. Others go on at a fifth of their speed
    # at the least: a machine that does other things, too, varies by as much.
    assert min(found.values()) > found["nobody slow"] / 5


def test_slow_clients_keep_nobody_waiting(sqlite_stage, faults):
    """A server that waited for the slow would answer nobody, however long one looks."""
    faults.begin("3 x 100 slow clients", sqlite_stage.database)
    server = sqlite_stage.serve()
    people = crowd(server, 8)

    def slow_down():
        for words in SLOWNESS.values():
            with _slow_lines(server.port, words, lines=100) as opened:
                _drip(opened, 0.5)
                until_answered(people, 8)

    meanwhile(people, slow_down)
    faults.judge(counted(server.database, people), found="people went on answering")


@pytest.mark.slow
def test_many_slow_clients_keep_nobody_waiting_for_long(stage, faults):
    _keep_nobody_waiting(stage, faults, lines=300, seconds=30)
