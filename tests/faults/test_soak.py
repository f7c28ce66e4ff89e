"""Hours of load: memory and file handles of the server stay where they were."""

import os
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

import pytest
from tests.faults.counting import counted
from tests.faults.people import SLUG, crowd, meanwhile

from howgood.flow.hosting.host import SessionState, open_host
from howgood.flow.participate import next_screen
from howgood.kinds.study import Study
from howgood.records.participant import Participant, Status
from howgood.records.screen import Answer

MINUTES = float(os.environ.get("HOWGOOD_SOAK_MINUTES", "30"))
# Short enough that people come, finish and go away all the time.
STUDY = {
    "kind": "rerating", "slug": SLUG, "title": "Again", "consent": {"text": "I agree."},
    "rerating": {"question": "How good?", "scale": list("1234567"), "rounds": 4,
                 "items": [{"key": f"k{number}", "text": "This one"} for number in range(5)]},
}  # fmt: skip
# What the server remembers of people (`hosting.host`): 200,000 answers, below 100 MB. It may grow
# by this much per answer until that is full, and by nothing else.
BYTES_PER_ANSWER, MOST_BYTES = 500, 100e6
# Memory is handed out in pieces: pools, buffers and the interpreter's arenas settle within this.
SLACK_BYTES = 12e6
# Pools open connections when many ask at once, three handles each on SQLite; eight are kept.
SLACK_HANDLES = 24


@dataclass(frozen=True)
class Sample:
    """One look at the server's processes."""

    bytes: int
    handles: int
    answers: int


def _sample(server, people):
    numbers = [server.process.pid, *server.workers()]
    pages = sum(int(Path(f"/proc/{each}/statm").read_text().split()[1]) for each in numbers)
    return Sample(
        bytes=pages * os.sysconf("SC_PAGE_SIZE"),
        handles=sum(len(list(Path(f"/proc/{each}/fd").iterdir())) for each in numbers),
        answers=sum(len(each.acknowledged) for each in people),
    )


def _soak(stage, faults, *, seconds, pace, workers):
    faults.begin(f"nothing but {_said(seconds)} of load", stage.database)
    server = stage.serve(STUDY, workers=workers)
    people = crowd(server, 16, pace=pace)

    def watch():
        samples, end = [], time.monotonic() + seconds
        while time.monotonic() < end:
            time.sleep(seconds / 100)
            samples.append(_sample(server, people))
        return samples

    samples = meanwhile(people, watch)
    # The first fifth is for warming up; the second is compared with the last.
    early, late = samples[20:40], samples[-20:]
    grown = median(each.bytes for each in late) - median(each.bytes for each in early)
    more_answers = median(each.answers for each in late) - median(each.answers for each in early)
    handles = [max(each.handles for each in part) for part in (early, late)]
    faults.judge(
        counted(server.database, people),
        found=f"memory {median(each.bytes for each in late) / 1e6:.0f} MB, {grown / 1e6:+.1f} MB "
        f"during {more_answers:,.0f} answers; handles {handles[0]}, then {handles[1]}",
    )
    assert samples[-1].answers > seconds
    assert grown < min(BYTES_PER_ANSWER * more_answers, MOST_BYTES) + SLACK_BYTES
    assert handles[1] <= handles[0] + SLACK_HANDLES


def _said(seconds):
    return f"{seconds / 60:g} minutes" if seconds >= 60 else f"{seconds:g} seconds"


def test_a_short_soak_holds_memory_and_file_handles(sqlite_stage, faults):
    _soak(sqlite_stage, faults, seconds=10, pace=0.05, workers=1)


@pytest.mark.slow
def test_a_long_soak_holds_memory_and_file_handles(stage, faults):
    workers = 1 if stage.database == "SQLite" else 2
    _soak(stage, faults, seconds=60 * MINUTES, pace=0.8, workers=workers)


def _remember(host, study, number):
    """Let a host remember somebody who has answered 22 pages."""
    now = datetime.now(UTC)
    answers = tuple(
        Answer(screen=f"screen-{number}-{page}", values={"rating": page % 7}, at=now,
               seconds=number + 0.5)
        for page in range(22)
    )  # fmt: skip
    shown = next_screen(study, condition=None, seed=0, answers=(), now=now)
    person = Participant(
        number=number, study=1, version=1, seed=number * 10**9, status=Status.ACTIVE,
        condition="all", is_pilot=False, origin={}, created_at=now,
    )  # fmt: skip
    host.remember(
        SessionState(token_digest=f"{number:064d}", study=study, participant=person, number=23,
                     shown_at=datetime.now(UTC), screen=shown, answers=answers)
    )  # fmt: skip


def test_what_is_remembered_of_people_stops_growing_below_its_limit(tmp_path):
    host = open_host(str(tmp_path / "answers.sqlite"))
    study, seen = Study.from_dict(STUDY), [_own_bytes()]
    for number in range(9_000):
        _remember(host, study, number)
        if number in (7_000, 8_999):
            seen.append(_own_bytes())
    host.close()
    before, full, later = seen
    assert full - before < MOST_BYTES
    assert later - full < 2e6


def _own_bytes():
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
