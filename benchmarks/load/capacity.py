"""How many participants a second one server holds while 99 % of pages come within 300 ms.

Run it on a quiet machine: python -m benchmarks.load.capacity [--seconds 20]. More and more people,
who think for a second per page, take the survey that `howgood new survey` writes; whoever finishes
is followed by somebody new. Server and people share the machine. Out: a line per crowd. Part of no
other run: it wants the machine for itself.
"""

import argparse
import asyncio
import os
import tempfile
import time
import tomllib
from functools import partial
from pathlib import Path

from benchmarks.load.people import Browser, Load, Response, begin_howgood, keep_submitting
from benchmarks.load.servers import HowgoodServer
from howgood.flow.study_files.new import template

CROWDS = (50, 100, 150, 200, 250, 300, 400, 600)
THINK = 1.0
IN_TIME, SHARE = 0.3, 0.99
SLUG = "capacity"


async def _crowd(port: int, people: int, seconds: float) -> tuple[Load, int]:
    """Let people take part for so long; return what they met, and how many began."""
    load, begun = Load(), 0

    async def start(seed: int) -> tuple[Browser, str, Response]:
        nonlocal begun
        begun += 1
        return await begin_howgood(port, SLUG, seed * 10_000 + begun)

    # Nobody comes at the same instant: people begin within the time they think.
    first = []
    for seed in range(people):
        first.append(await start(seed))
        await asyncio.sleep(THINK / people)
    came, begins = begun, time.perf_counter()
    await asyncio.gather(
        *(
            keep_submitting(
                person, partial(start, seed), load, until=begins + seconds, seed=seed, think=THINK
            )
            for seed, person in enumerate(first)
        )
    )
    load.seconds = time.perf_counter() - begins
    return load, begun - came


def _step(server: HowgoodServer, people: int, seconds: float) -> bool:
    """Measure one crowd and print its line; return whether it was served in time."""
    before = server.cpu_seconds()
    load, finished = asyncio.run(_crowd(server.port, people, seconds))
    load.cpu_seconds = server.cpu_seconds() - before
    p50, p99 = (1000 * load.quantile(share) for share in (0.5, SHARE))
    print(
        f"{people:6}  {load.per_second:7.1f}  {finished / load.seconds:10.2f}  {p50:6.0f}  "
        f"{p99:6.0f}  {load.cpu_ms:11.2f}  {load.wrong:5}",
        flush=True,
    )
    return p99 < 1000 * IN_TIME and load.wrong == 0


def main() -> None:
    """Try larger and larger crowds; stop after two that were not served in time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20.0, help="for each crowd")
    seconds, late = parser.parse_args().seconds, 0
    study = tomllib.loads(template("survey")) | {"slug": SLUG}
    print(f"{os.cpu_count()} cores, load before {os.getloadavg()[0]:.1f}")
    print("people  pages/s  finished/s  p50 ms  p99 ms  CPU ms/page  wrong")
    with tempfile.TemporaryDirectory(prefix="howgood-capacity-") as name:
        server = HowgoodServer(Path(name), [study])
        server.settle()
        for people in CROWDS:
            late += not _step(server, people, seconds)
            if late == 2:
                break
        server.kill()


if __name__ == "__main__":
    main()
