"""How long work tells whoever waits how far it is.

In: nothing. Out: the shape of a progress callback. Absent: bars (see `show.progress`).
"""

from typing import Protocol


class Progress(Protocol):
    """Called with the share done (0 to 1) and a few words on the step at hand."""

    def __call__(self, share: float, step: str) -> None:
        """Report progress."""


def silent(share: float, step: str) -> None:
    """Report nothing: the default of library calls."""
