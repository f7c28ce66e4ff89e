"""Ctrl+C ends the server; pressed again it does so at once, and quietly."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from benchmarks.load.servers import children


def _connected(port, server):
    """A connection as soon as somebody listens."""
    for _ in range(600):
        assert server.poll() is None, server.stdout.read()
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=5)
        except OSError:
            time.sleep(0.1)
    raise AssertionError("nobody listens")


def _wait_until_all_serve(server, workers):
    """Wait until every serving process has its own way to stop; before, Python's own applies."""
    for _ in range(1200):
        assert server.poll() is None, server.stdout.read()
        serving = [server.pid] if workers == 1 else children(server.pid)
        if sum(map(_handles_the_end, serving)) >= workers:
            return
        time.sleep(0.1)
    raise AssertionError("not every process serves")


def _handles_the_end(process):
    caught = next(
        line.split()[1]
        for line in Path(f"/proc/{process}/status").read_text().splitlines()
        if line.startswith("SigCgt")
    )
    return bool(int(caught, 16) >> (signal.SIGTERM - 1) & 1)


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
    yield server, port, int(workers)
    if server.poll() is None:
        os.killpg(server.pid, signal.SIGKILL)
    server.wait()
    server.stdout.close()


def test_a_server_that_is_told_twice_breaks_off_without_a_word(serving):
    server, port, workers = serving
    with _connected(port, server) as slow:
        slow.sendall(b"POST /s/x HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf a form")
        _wait_until_all_serve(server, workers)
        time.sleep(0.5)
        for _ in range(2):
            os.killpg(server.pid, signal.SIGINT)  # as a terminal does: to every process
            time.sleep(0.3)
        said, _ = server.communicate(timeout=300)
    assert server.returncode == 0
    assert "stop with Ctrl+C" in said.splitlines()[-1]
    assert "Traceback" not in said
