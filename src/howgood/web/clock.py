"""The time of a request, asked in one place.

In: nothing. Out: now, with its zone. Absent: durations.
"""

from datetime import UTC, datetime


def now() -> datetime:
    """Return the moment, in UTC."""
    return datetime.now(UTC)
