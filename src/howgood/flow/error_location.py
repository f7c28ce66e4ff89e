"""Where a fault happened, without what it says.

In: an exception. Out: its kind and the lines of the program it passed. Absent: its text, which may
repeat what somebody answered: logs hold events, not people.
"""

import traceback
from pathlib import PurePath

_MOST_LINES = 12


def error_location(error: BaseException) -> str:
    """Return an exception's kind and the lines of the program it passed, the last one first.

    Examples
    --------
    >>> try:
    ...     int("what somebody wrote")
    ... except ValueError as error:
    ...     error_location(error).split(":")[0].split("<")[0]
    'error=ValueError at='
    """
    frames = traceback.extract_tb(error.__traceback__)[-_MOST_LINES:]
    lines = " < ".join(
        f"{PurePath(frame.filename).name}:{frame.lineno}" for frame in reversed(frames)
    )
    return f"error={type(error).__name__} at={lines}"
