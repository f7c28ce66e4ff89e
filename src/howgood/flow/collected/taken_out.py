"""Who takes data out otherwise than as an export: page by page, as a list of addresses, as notes.

In: a host, a study, who and what. Out: a line in the history. Absent: exports, which write their
own (`export`), and platform ids, which need a reason.
"""

from datetime import datetime, timedelta

from howgood.flow.hosting import Host
from howgood.store import audit

_ACTION = "exported data"
# Programs read thousands of pages: one line says it for an hour.
_SAID_FOR = timedelta(hours=1)
_LATEST = 50


def note_taken_out(
    host: Host, slug: str, *, table: str, way: str, actor: str, now: datetime
) -> None:
    """Write who takes which table out by which way, unless that was written within the hour."""
    detail = {"format": way, "table": table}
    with host.database.reading() as connection:
        latest = audit.lines(connection, study=slug, action=_ACTION, most=_LATEST)
    is_said = any(
        line.actor == actor and line.detail == detail and now - line.at < _SAID_FOR
        for line in latest
    )
    if not is_said:
        host.database.write(
            lambda c: audit.note(c, actor=actor, action=_ACTION, study=slug, detail=detail, now=now)
        )
