"""A server that is asked to stop under load: gone in time, nobody is told anything untrue."""

import os
import signal
import threading
import time
from contextlib import suppress

import pytest
from benchmarks.load.servers import children
from tests.faults.counting import counted
from tests.faults.people import crowd, meanwhile


def _stop(server):
    """Ask the server to stop and wait for its end; return after how many seconds that was."""
    workers, began = server.workers(), time.monotonic()
    assert server.stop() in (0, -signal.SIGTERM)  # one process says by which signal it ended
    assert not [each for each in workers if os.path.exists(f"/proc/{each}")]
    return time.monotonic() - began


def _stop_under_load(stage, faults, *, people, workers):
    faults.begin(f"the server is asked to stop while {people:,} people answer", stage.database)
    server = stage.serve(workers=workers)
    there = crowd(server, people)

    def stop():
        time.sleep(5)
        return _stop(server)

    took = meanwhile(there, stop)
    faults.judge(counted(server.database, there), found=f"gone after {took:.1f} s")


def test_a_server_that_is_asked_to_stop_is_gone_in_time(stage, faults):
    workers = 1 if stage.database == "SQLite" else 2
    _stop_under_load(stage, faults, people=40, workers=workers)


@pytest.mark.slow
def test_a_server_that_is_asked_to_stop_under_much_load_is_gone_in_time(stage, faults):
    workers = 1 if stage.database == "SQLite" else 2
    _stop_under_load(stage, faults, people=1000, workers=workers)


def test_a_server_whose_database_hangs_can_be_stopped(own_postgresql, faults):
    postgresql, stage = own_postgresql
    faults.begin("PostgreSQL hangs, and the server is asked to stop", "PostgreSQL")
    server = stage.serve(workers=2)
    people = crowd(server, 40)
    backends = [postgresql.process.pid]

    def hang_and_stop():
        time.sleep(3)
        backends.extend(children(postgresql.process.pid))
        _signal(backends, signal.SIGSTOP)
        try:
            time.sleep(1)
            return _stop(server)
        finally:
            _signal(backends, signal.SIGCONT)

    took = meanwhile(people, hang_and_stop)
    faults.judge(counted(server.database, people), found=f"gone after {took:.1f} s")


def _signal(processes, which):
    for each in processes:
        with suppress(ProcessLookupError):  # one that served a connection may have ended
            os.kill(each, which)


def test_a_process_that_is_kept_leaves_by_itself(monkeypatch):
    from howgood.web import app

    left = threading.Event()
    monkeypatch.setattr(app, "SHUTDOWN_SECONDS", 0.01)
    monkeypatch.setattr(app.os, "_exit", lambda code: left.set() if code == 0 else None)
    app._exit_late()
    assert left.is_set()
