"""Times as people read them.

In: seconds, moments. Out: text. Absent: time zones other than UTC; a server does not know where its
readers are.
"""

from datetime import UTC, datetime


def duration(seconds: float) -> str:
    """Return a time span with the precision it deserves.

    Examples
    --------
    >>> duration(7.26), duration(75), duration(1500), duration(9000)
    ('7.3 s', '1 min 15 s', '25 min', '2 h 30 min')
    """
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 10:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def moment(at: datetime) -> str:
    """Return a moment to the minute.

    Examples
    --------
    >>> moment(datetime(2026, 3, 5, 9, 7, tzinfo=UTC))
    '5 Mar 2026, 09:07 UTC'
    """
    here = at.astimezone(UTC)
    return f"{here.day} {here:%b %Y, %H:%M} UTC"
