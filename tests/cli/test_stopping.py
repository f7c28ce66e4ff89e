"""Ctrl+C ends the server; pressed again it does so at once, and quietly."""

import os
import signal
import socket
import subprocess
import sys
import time

import pytest


def _connected(port, server):
    """A connection as soon as somebody listens."""
    for _ in range(600):
        assert server.poll() is None, server.stdout.read()
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=5)
        except OSError:
            time.sleep(0.1)
    raise AssertionError("nobody listens")


@pytest.fixture
def serving(database_address):
    """`howgood serve` in a terminal of its own: with PostgreSQL as two processes."""
    workers = "2" if "://" in database_address else "1"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = ["serve", "--port", str(port), "--workers", workers, "--database", database_address]
    server = subprocess.Popen(
        [sys.executable, "-m", "howgood", *words],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
    )  # fmt: skip
    yield server, port
    if server.poll() is None:
        os.killpg(server.pid, signal.SIGKILL)
    server.wait()
    server.stdout.close()


def test_a_server_that_is_told_twice_breaks_off_without_a_word(serving):
    server, port = serving
    with _connected(port, server) as slow:
        slow.sendall(b"POST /s/x HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf a form")
        time.sleep(0.5)
        for _ in range(2):
            os.killpg(server.pid, signal.SIGINT)  # as a terminal does: to every process
            time.sleep(0.3)
        said, _ = server.communicate(timeout=60)
    assert server.returncode == 0
    assert "stop with Ctrl+C" in said.splitlines()[-1]
    assert "Traceback" not in said
