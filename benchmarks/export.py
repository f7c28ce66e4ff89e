"""A million answers leave in constant memory: time and peak memory of every format, both databases.

`python -m benchmarks.export ADDRESS FORMAT` measures one database that `fill` made. `run` does so
for SQLite, the slow test in tests/flow/collected for PostgreSQL too.
"""

import gc
import json
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

import sqlalchemy as sa

from benchmarks.rows import Row
from howgood.flow.collected import data_file
from howgood.flow.hosting import add_study, open_host
from howgood.kinds.study import Study
from howgood.kinds.survey.data import _shown_on

ANSWERS = 1_000_000
MOST_MB = 150
NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
_APPLICATION = {
    "name": "The bell", "description": "It rings.",
    "phrases": {
        "happened": "somebody came {n} times.", "found": "{n} of {real}: {system} told you.",
        "missed": "{n} of {real}: it did not.", "false_alarm": "{system} told you {n} times.",
    },
}  # fmt: skip
STUDY = Study.from_dict({
    "kind": "survey", "slug": "doors", "title": "Doors", "consent": {"text": "I agree."},
    "survey": {"applications": [{"key": "bell", **_APPLICATION}]},
})  # fmt: skip


def run() -> list[Row]:
    """Export a million answers from SQLite, each format in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        address = str(Path(folder) / "answers.sqlite")
        fill(address, answers=ANSWERS)
        found = [_measured_apart(address, kind) for kind in ("csv", "json", "parquet")]
    return [
        Row(
            subject=f"export as {each['format']}, from SQLite",
            size=f"{ANSWERS:,} answers",
            ours=f"{each['cpu']:.1f} CPU-s, {each['bytes'] / 1e6:.0f} MB written, "
            f"{each['more_mb']:+.0f} MB of memory",
            target=f"<= {MOST_MB} MB more memory",
            met=each["more_mb"] <= MOST_MB,
        )
        for each in found
    ]


def _measured_apart(address: str, kind: str) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.export", address, kind]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found: dict[str, float] = json.loads(printed)
    return found


def fill(address: str, *, answers: int) -> None:
    """Make a database with this many answers to scenarios, sixteen of each person."""
    host = open_host(address)
    row = add_study(host, STUDY, folder=Path(), now=NOW)
    pages = list(_shown_on(STUDY))
    people = answers // len(pages)
    with host.database.engine.begin() as connection:
        from howgood.store.schema import participants

        connection.execute(
            sa.insert(participants),
            [
                {"study_id": row.number, "version_id": row.version, "token_digest": f"{each:064d}",
                 "origin": {}, "seed": each, "condition": "all", "status": "complete",
                 "is_pilot": False, "created_at": NOW, "consented_at": NOW, "finished_at": NOW}
                for each in range(people)
            ],
        )  # fmt: skip
        values = ", ".join(f"('{key}', {number})" for number, key in enumerate(pages, start=1))
        source = f"FROM participants p, (VALUES {values}) AS k"
        name, place = ("k.column1", "k.column2")
        # Every moment is another, as in a real study, and ratings differ.
        moment = (
            f"'2026-05-04 12:' || (10 + {place}) || ':' || ({{}} + (p.id & 15)) || '.' || "
            f"(100000 + ((p.id * 7919 + {place} * {{}}) & 524287))"
        )
        given = " || ', ' || ".join(
            f"'\"{item}\": ' || (1 + 2 * ((p.id * {prime} + {place}) & 3))"
            for item, prime in (("acceptable", 3), ("useful", 5), ("intent", 11))
        )
        given = f"'{{' || {given} || '}}'"
        if connection.dialect.name != "sqlite":
            moment, given = f"CAST({moment} || '+00' AS TIMESTAMPTZ)", f"CAST({given} AS JSON)"
        connection.exec_driver_sql(
            "INSERT INTO screens (participant_id, name, position, content, shown_at) "
            f"SELECT p.id, {name}, {place}, '{{}}', {moment.format(10, 104729)} {source}"
        )
        connection.exec_driver_sql(
            "INSERT INTO answers (participant_id, screen, content, answered_at) "
            f"SELECT p.id, {name}, {given}, {moment.format(30, 15485863)} {source}"
        )
    host.close()


def measure(address: str, kind: str) -> dict[str, float]:
    """Export everything once, throwing it away, and say how long and how much memory it took."""
    host = open_host(address)
    import pyarrow.parquet  # noqa: F401 - the package itself is not what is measured

    gc.freeze()  # as a server does when it is ready
    before = _most_memory()
    start, cpu = time.perf_counter(), time.process_time()
    pieces = data_file(host, "doors", kind=kind).pieces
    size = sum(len(piece) for piece in pieces)
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    grown = (_most_memory() - before) / 1024
    host.close()
    return {"format": kind, "seconds": seconds, "cpu": cpu, "bytes": size, "more_mb": grown}


def _most_memory() -> int:
    """Return the most memory this program has held, in KB.

    Not `getrusage`: its number begins with that of the process that started this one.
    """
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.partition("VmHWM:")[2].split()[0])


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], sys.argv[2])))
