"""One answer's way through the server: functions and files it passes, and what it costs in CPU.

`python -m benchmarks.walks` walks people through a survey in one process without sockets, counting
functions of the package alone. The first person is neither counted nor timed: what is made once for
everybody is made for them. CPU seconds of the process, all threads included, hardly depend on what
else the machine does; to compare two commits, measure them in turns.
"""

import asyncio
import io
import random
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, redirect_stdout
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from types import FrameType
from typing import Any
from urllib.parse import urlencode

from benchmarks.load.people import filled_form
from benchmarks.rows import Row

_PEOPLE = 4
Answer = tuple[int, dict[str, str], str]


def run() -> list[Row]:
    return [Row(subject=what, size="one person", ours=value) for what, value in measured().items()]


def measured() -> dict[str, str]:
    with tempfile.TemporaryDirectory() as folder:
        whole = _counted_stages(Path(folder))
    return _in_new_folder(_counted_walk) | whole | _in_new_folder(_timed_walk)


def _in_new_folder(walk: Callable[[Path], Coroutine[Any, Any, dict[str, str]]]) -> dict[str, str]:
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(walk(Path(folder)))


def _application(folder: Path) -> Any:
    from benchmarks.export import STUDY
    from howgood.flow.hosting import add_study, open_host
    from howgood.kinds.study import Study
    from howgood.settings import Settings
    from howgood.web.app import make_app

    host = open_host(str(folder / "answers.sqlite"))
    add_study(host, Study.from_dict(STUDY.to_dict()), folder=folder, now=datetime.now(UTC))
    return make_app(host, Settings())


async def _timed_walk(folder: Path) -> dict[str, str]:
    """Return what an answer and the page after it cost, over the whole surveys of four people."""
    app, chance = _application(folder), random.Random(1)  # noqa: S311 - a benchmark
    spent: dict[str, list[float]] = {"POST answer": [], "GET screen": []}
    await _walked(app, chance)
    for _ in range(_PEOPLE):
        path, page = await _begun(app, "/s/doors", chance)
        while "<form" in page:
            before = time.process_time()
            sent = await _asked(app, "POST", path, filled_form(page, chance))
            between = time.process_time()
            path = sent[1]["location"]
            page = (await _asked(app, "GET", path))[2]
            spent["POST answer"].append(between - before)
            spent["GET screen"].append(time.process_time() - between)
    return {f"{what}: CPU ms, median": f"{1000 * median(all_):.2f}" for what, all_ in spent.items()}


@contextmanager
def _noted() -> Iterator[set[tuple[str, str]]]:
    """Give the functions of the package that are called meanwhile, in all threads, with files."""
    calls: set[tuple[str, str]] = set()

    def note(frame: FrameType, event: str, _argument: object) -> None:
        code = frame.f_code
        if event == "call" and "/howgood/" in code.co_filename and "<" not in code.co_name:
            calls.add((code.co_filename, code.co_qualname))

    threading.setprofile(note)  # for the threads that the application starts
    sys.setprofile(note)
    try:
        yield calls
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]  # None ends it, as documented


def _in_numbers(counts: dict[str, set[tuple[str, str]]]) -> dict[str, str]:
    return {
        f"{what}: functions / files": f"{len(passed)} / {len({file for file, _ in passed})}"
        for what, passed in counts.items()
    }


async def _counted_walk(folder: Path) -> dict[str, str]:
    """Return how many functions in how many files one answer and one page pass."""
    counts = {}
    with _noted() as calls:
        app, chance = _application(folder), random.Random(1)  # noqa: S311 - a benchmark
        await _walked(app, chance)
        path, page = await _begun(app, "/s/doors", chance)
        for _ in range(2):  # the first answer is to the introduction
            calls.clear()
            sent = await _asked(app, "POST", path, filled_form(page, chance))
            path, counts["POST answer"] = sent[1]["location"], set(calls)
            calls.clear()
            page = (await _asked(app, "GET", path))[2]
            counts["GET screen"] = set(calls)
    return _in_numbers(counts)


def _counted_stages(folder: Path) -> dict[str, str]:
    """Return the same for a stored study's report, and for `howgood rank`; the second time each."""
    from benchmarks.export import fill
    from benchmarks.house import RATINGS
    from howgood.cli.main import run as command
    from howgood.flow.hosting import open_host
    from howgood.flow.results.tasks import run_task
    from howgood.show.page import to_html

    address, ratings = str(folder / "answers.sqlite"), folder / "ratings.csv"
    fill(address, answers=640)
    ratings.write_text(RATINGS)
    host, counts = open_host(address), {}
    asked = ["rank", str(ratings), "--system", "A=a", "--system", "B=b", "--trials", "known"]
    walks: dict[str, Callable[[], object]] = {
        "stored answers to report": lambda: to_html(run_task(host, 1, "fit", {}).report),
        "rank to table": lambda: command(asked),
    }
    for what, walk in walks.items():
        with redirect_stdout(io.StringIO()):
            walk()
            with _noted() as calls:
                walk()
        counts[what] = set(calls)
    host.close()
    return _in_numbers(counts)


async def _walked(app: Any, chance: random.Random) -> None:
    """Take one person from the first page to the last."""
    path, page = await _begun(app, "/s/doors", chance)
    while "<form" in page:
        path = (await _asked(app, "POST", path, filled_form(page, chance)))[1]["location"]
        page = (await _asked(app, "GET", path))[2]


async def _begun(app: Any, path: str, chance: random.Random) -> tuple[str, str]:
    """Consent as a newcomer; return where they are, and that page."""
    page = (await _asked(app, "GET", path))[2]
    sent = await _asked(app, "POST", path, filled_form(page, chance))
    place = sent[1]["location"]
    return place, (await _asked(app, "GET", place))[2]


async def _asked(app: Any, method: str, path: str, form: dict[str, str] | None = None) -> Answer:
    """Send one request to the application; return status, headers and text."""
    body = urlencode(form or {}).encode()
    head = {
        b"host": b"127.0.0.1", b"content-type": b"application/x-www-form-urlencoded",
        b"content-length": str(len(body)).encode(),
    }  # fmt: skip
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method,
        "path": path, "raw_path": path.encode(), "query_string": b"", "root_path": "",
        "scheme": "http", "headers": list(head.items()), "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
    }  # fmt: skip
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await app(scope, receive, send)
    start = next(message for message in sent if message["type"] == "http.response.start")
    headers = {name.decode().lower(): value.decode() for name, value in start["headers"]}
    return start["status"], headers, b"".join(m.get("body", b"") for m in sent).decode()


if __name__ == "__main__":
    for what, value in measured().items():
        print(f"{what:40s} {value}")
