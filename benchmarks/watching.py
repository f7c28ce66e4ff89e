"""How long the live page of a study takes to count ten thousand people of ten pages each."""

import tempfile
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.load.many_people import store_many
from benchmarks.rows import Row, cpu_seconds
from howgood.flow.hosting import add_study, open_host
from howgood.flow.study_files import read_study
from howgood.flow.watching import watch

EXAMPLES = Path(__file__).parents[1] / "examples"
PEOPLE, PAGES = 10_000, 10
NOW = datetime(2026, 5, 2, tzinfo=UTC)


def run() -> list[Row]:
    study = read_study(EXAMPLES / "alarm-survey.toml")
    with tempfile.TemporaryDirectory() as folder:
        host = open_host(f"{folder}/answers.sqlite")
        stored = add_study(host, study, folder=EXAMPLES, now=NOW)
        store_many(host, stored.number, people=PEOPLE, pages=PAGES)
        seconds = cpu_seconds(lambda: watch(host, study.slug, now=NOW), repeats=8)
        host.close()
    return [
        Row(
            subject="live page of a study, CPU",
            size=f"{PEOPLE:,} people, {PAGES} pages, SQLite",
            ours=f"{1000 * seconds:.0f} ms",
            target="300 ms",
            met=seconds < 0.3,
        )
    ]
