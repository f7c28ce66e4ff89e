"""What a server counts about itself, as text for Prometheus.

In: what the gate counted (`middleware`), and a host. Out: text in Prometheus' format. Absent: who
asked, which study, which address: a number names nobody.

Counts of requests are those of this process; with several, each has its own. What is read from the
database (people, answers, jobs, messages) is the same in all.
"""

import os
import resource
from collections.abc import Iterator

import sqlalchemy as sa

from howgood import __version__
from howgood.flow.hosting import Host
from howgood.store.schema import answers, deliveries, jobs, participants
from howgood.web.middleware import BUCKETS, Metrics

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def metrics_text(metrics: Metrics, host: Host, *, working: int, is_well: bool) -> str:
    """Return everything that is counted, in Prometheus' text format."""
    lines = [
        *_one("howgood_build_info", "gauge", "the version", 1, f'{{version="{__version__}"}}'),
        *_one("howgood_up", "gauge", "whether answers can be stored now", int(is_well)),
        *_one("howgood_requests_in_work", "gauge", "requests in work now", working),
        *_one("process_start_time_seconds", "gauge", "when this process began", metrics.began_at),
        *_one("process_cpu_seconds_total", "counter", "CPU time of this process", _cpu()),
        *_one("process_resident_memory_bytes", "gauge", "memory of this process", _memory()),
        *request_lines(metrics),
        *_stored(host),
    ]
    return "\n".join(lines) + "\n"


def request_lines(metrics: Metrics) -> Iterator[str]:
    """Yield the counts of requests."""
    yield from _head("howgood_requests_total", "counter", "requests answered by this process")
    for (kind, method, status), count in sorted(metrics.requests.items()):
        labels = f'kind="{kind}",method="{method}",status="{status}"'
        yield f"howgood_requests_total{{{labels}}} {count}"
    name = "howgood_request_seconds"
    yield from _head(name, "histogram", "seconds until an answer began")
    for kind in sorted(metrics.seconds):
        total = 0
        for place, end in enumerate((*map(str, BUCKETS), "+Inf")):
            total += metrics.buckets[kind, place]
            yield f'{name}_bucket{{kind="{kind}",le="{end}"}} {total}'
        yield f'{name}_sum{{kind="{kind}"}} {metrics.seconds[kind]:.6f}'
        yield f'{name}_count{{kind="{kind}"}} {total}'


def _stored(host: Host) -> Iterator[str]:
    count = sa.func.count()
    with host.database.reading() as connection:
        people = connection.execute(
            sa.select(participants.c.status, count)
            .where(participants.c.is_pilot.is_(False))
            .group_by(participants.c.status)
        ).all()
        given = connection.execute(sa.select(count).select_from(answers)).scalar_one()
        waiting = connection.execute(sa.select(jobs.c.status, count).group_by(jobs.c.status)).all()
        messages = connection.execute(
            sa.select(count).select_from(deliveries).where(deliveries.c.next_at.is_not(None))
        ).scalar_one()
    yield from _head("howgood_participants", "gauge", "people by status, test runs not counted")
    for status, number in sorted(people):
        yield f'howgood_participants{{status="{status}"}} {number}'
    yield from _one("howgood_answers", "gauge", "answers stored", given)
    yield from _head("howgood_jobs", "gauge", "fits by status")
    for status, number in sorted(waiting):
        yield f'howgood_jobs{{status="{status}"}} {number}'
    yield from _one("howgood_messages_waiting", "gauge", "webhook messages not yet sent", messages)


def _head(name: str, kind: str, help_text: str) -> Iterator[str]:
    yield f"# HELP {name} {help_text}"
    yield f"# TYPE {name} {kind}"


def _one(name: str, kind: str, help_text: str, value: float, labels: str = "") -> Iterator[str]:
    yield from _head(name, kind, help_text)
    yield f"{name}{labels} {value}"


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return round(used.ru_utime + used.ru_stime, 3)


def _memory() -> int:
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
