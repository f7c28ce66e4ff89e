"""Start and end servers on this machine: howgood's, and oTree's for comparison.

In: studies, a folder. Out: a server that answers on a free port of 127.0.0.1. Absent: load.
"""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from benchmarks.load.residents import PEOPLE, settle
from howgood.kinds.study import Study

_SOURCE = Path(__file__).parents[2] / "src"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def children(parent: int) -> list[int]:
    """Return the processes a process has started (Linux)."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            # What follows the name in brackets: state, parent, ...
            if int(path.read_text().rpartition(")")[2].split()[1]) == parent:
                found.append(int(path.parent.name))
    return found


def workers_of(parent: int) -> list[int]:
    """Return the processes that serve for a parent (Linux)."""
    found = []
    for child in children(parent):
        with contextlib.suppress(OSError):  # one that has just ended
            if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes():
                found.append(child)
    return found


def is_alive(number: int) -> bool:
    """Return whether a process runs; one that has ended and only waits to be noticed does not."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class Process:
    """A server process with its children; `kill` ends them all at once, as a power cut would."""

    def __init__(self, words: list[str], *, folder: Path, ready: str, more: Mapping[str, str]):
        self.words, self.folder, self.ready, self.more = words, folder, ready, more

    def start(self) -> None:
        """Start, or start again, and wait until it answers."""
        self.log = (self.folder / "log.txt").open("ab")
        self.process = subprocess.Popen(
            self.words,
            cwd=self.folder,
            stdout=self.log,
            stderr=self.log,
            start_new_session=True,
            env=os.environ | self.more,
        )
        until = time.monotonic() + 120
        while not self._answers():
            if self.process.poll() is not None or time.monotonic() > until:
                self.kill()
                raise RuntimeError((self.folder / "log.txt").read_text())
            time.sleep(0.05)

    def _answers(self) -> bool:
        try:
            urllib.request.urlopen(self.ready, timeout=5).close()  # noqa: S310 - loopback only
        except urllib.error.HTTPError:
            return True
        except (urllib.error.URLError, OSError):
            return False
        return True

    def cpu_seconds(self) -> float:
        """Return the computing time so far of every process of it (Linux)."""
        ticks = 0
        for path in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):
                # What follows the name in brackets: state, parent, group, ..., user, system time.
                facts = path.read_text().rpartition(")")[2].split()
                ticks += (int(facts[11]) + int(facts[12])) * (int(facts[2]) == self.process.pid)
        return ticks / os.sysconf("SC_CLK_TCK")

    def kill(self) -> None:
        """End every process of it at once; nothing happens if it has ended already."""
        if self.process.poll() is not None:
            return
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.log.close()

    def stop(self) -> int:
        """Ask it to stop; return its exit code."""
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(120)
        self.log.close()
        return code


class HowgoodServer(Process):
    """`howgood serve` with studies given as plain values."""

    def __init__(
        self,
        folder: Path,
        studies: Iterable[Mapping[str, Any]],
        *,
        database: str = "answers.sqlite",
        workers: int = 1,
    ) -> None:
        files, self.studies = [], tuple(studies)
        for study in self.studies:
            path = folder / f"{study['slug']}.yaml"
            path.write_text(json.dumps(study))  # JSON is YAML
            files.append(path.name)
        self.database = database if "://" in database else str(folder / database)
        self.port = free_port()
        self.home = f"http://127.0.0.1:{self.port}"
        super().__init__(
            [sys.executable, "-m", "howgood", "serve", *files, "--port", str(self.port),
             "--database", database, "--workers", str(workers)],
            folder=folder,
            ready=f"{self.home}/health",
            more={"PYTHONPATH": str(_SOURCE)},
        )  # fmt: skip
        self.start()

    def settle(self, *, people: int = PEOPLE) -> None:
        """Let people be in the middle of every study already, next to those who come."""
        for study in self.studies:
            settle(self.database, Study.from_dict(study), people=people)

    def workers(self) -> list[int]:
        """Return the processes that serve, if there are several (Linux)."""
        return workers_of(self.process.pid)


class OtreeServer(Process):
    """oTree's production server on its own SQLite file, with one page of three items."""

    def __init__(self, folder: Path, programs: Path) -> None:
        for name in ("likert", "_static/global", "_templates/global"):
            (folder / name).mkdir(parents=True)
        (folder / "settings.py").write_text(_OTREE_SETTINGS)
        (folder / "likert" / "__init__.py").write_text(_OTREE_APP)
        (folder / "likert" / "Survey.html").write_text(_OTREE_PAGE)
        self.port = free_port()
        self.home = f"http://127.0.0.1:{self.port}"
        more = {
            "PATH": f"{programs}:{os.environ['PATH']}",
            "OTREE_PRODUCTION": "1",
            "OTREE_REST_KEY": "benchmark",
        }
        otree = str(programs / "otree")
        subprocess.run(
            [otree, "resetdb", "--noinput"],
            cwd=folder,
            env=os.environ | more,
            check=True,
            capture_output=True,
        )
        super().__init__(
            [otree, "prodserver", str(self.port)], folder=folder, ready=self.home, more=more
        )
        self.start()

    def participants(self, people: int) -> list[str]:
        """Make a session and return the path each person starts at."""
        made = self._api(
            "/api/sessions", {"session_config_name": "likert", "num_participants": people}
        )
        session = self._api(f"/api/sessions/{made['code']}")
        return [f"/InitializeParticipant/{each['code']}" for each in session["participants"]]

    def _api(self, path: str, data: Mapping[str, Any] | None = None) -> Any:
        request = urllib.request.Request(  # noqa: S310 - loopback only
            self.home + path,
            data=json.dumps(data).encode() if data else None,
            headers={"otree-rest-key": "benchmark"},
        )
        with urllib.request.urlopen(request, timeout=60) as response:  # noqa: S310 - loopback only
            return json.load(response)


_OTREE_SETTINGS = """
SESSION_CONFIGS = [dict(name="likert", app_sequence=["likert"], num_demo_participants=1)]
SESSION_CONFIG_DEFAULTS = dict(real_world_currency_per_point=1.0, participation_fee=0.0)
LANGUAGE_CODE = "en"
REAL_WORLD_CURRENCY_CODE = "USD"
USE_POINTS = True
ADMIN_USERNAME = "admin"
ADMIN_PASSWORD = "benchmark"
SECRET_KEY = "benchmark"
"""
_OTREE_APP = """
from otree.api import *

def item(label):
    return models.IntegerField(
        label=label, choices=[1, 2, 3, 4, 5, 6, 7], widget=widgets.RadioSelectHorizontal
    )

class C(BaseConstants):
    NAME_IN_URL = "likert"
    PLAYERS_PER_GROUP = None
    NUM_ROUNDS = 20

class Subsession(BaseSubsession):
    pass

class Group(BaseGroup):
    pass

class Player(BasePlayer):
    acceptable = item("I would find the accuracy of this system to be acceptable.")
    useful = item("I would find this system to be useful.")
    intent = item("If available to me now, I would begin using this system.")

class Survey(Page):
    form_model = "player"
    form_fields = ["acceptable", "useful", "intent"]

page_sequence = [Survey]
"""
_OTREE_PAGE = """
{{ block title }}Situation{{ endblock }}
{{ block content }}
<p>Somebody came to your door <b>10</b> times.</p>
{{ formfields }}
{{ next_button }}
{{ endblock }}
"""
