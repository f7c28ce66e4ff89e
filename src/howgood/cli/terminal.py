"""What a command prints, so that no name in it can command the terminal.

In: whatever is printed while a command runs. Out: the same text, in which characters that act
(escape sequences, turned directions) are written out. Absent: bytes, which `export --out -` hands
on as they are.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import Any, TextIO, cast

from howgood.names import visible


class _Visible:
    """A stream like the one it writes to, but for characters that act."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        self._stream.write(visible(text))
        return len(text)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the stream has
        return getattr(self._stream, name)


@contextmanager
def visible_output() -> Iterator[None]:
    """Print only what can be seen, on standard output and standard error, while the block runs."""
    out, errors = (
        None if stream is None else cast(TextIO, _Visible(stream))
        for stream in (sys.stdout, sys.stderr)
    )
    with redirect_stdout(out), redirect_stderr(errors):
        yield
