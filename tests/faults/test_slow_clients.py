"""People on slow lines, and people who are slow on purpose, keep nobody waiting."""

import contextlib
import socket
import time

import pytest
from tests.faults.counting import counted
from tests.faults.people import SLUG, crowd, meanwhile

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

    def answers():
        return sum(len(each.acknowledged) for each in people)

    def slow_down():
        before = answers()
        time.sleep(seconds)
        found["nobody slow"] = answers() - before
        for name, words in SLOWNESS.items():
            with _slow_lines(server.port, words, lines=lines) as opened:
                before = answers()
                _drip(opened, seconds)
                found[name] = answers() - before

    meanwhile(people, slow_down)
    said = ", ".join(f"{name} {n / seconds:.0f}/s" for name, n in found.items())
    faults.judge(counted(server.database, people), found=said)
    # A server that waited for the slow would answer nobody. Others go on at a fifth of their speed
    # at the least: a machine that does other things, too, varies by as much.
    assert min(found.values()) > found["nobody slow"] / 5


def test_slow_clients_keep_nobody_waiting(sqlite_stage, faults):
    _keep_nobody_waiting(sqlite_stage, faults, lines=100, seconds=1.0)


@pytest.mark.slow
def test_many_slow_clients_keep_nobody_waiting_for_long(stage, faults):
    _keep_nobody_waiting(stage, faults, lines=300, seconds=30)
