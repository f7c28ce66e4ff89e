"""Run the command line: `python -m howgood`, and the `howgood` command.

In: the process's arguments. Out: an exit code. Absent: everything else (see `cli`).
"""

import os
import sys
import traceback
from contextlib import suppress
from io import TextIOWrapper

from howgood.cli.exit_codes import FAULT, WRONG_INPUT
from howgood.cli.main import run


def main() -> None:
    """Run the command named in `sys.argv` and leave with its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # A file's name may hold bytes, and a text letters, that the terminal cannot show.
            stream.reconfigure(errors="backslashreplace")
    try:
        code = run(sys.argv[1:])
    except Exception:  # Python's own 1 would read as a verdict
        with suppress(OSError):
            traceback.print_exc()
        code = FAULT
    sys.exit(code if _is_written() or code else WRONG_INPUT)


def _is_written() -> bool:
    """Write what still waits; what nobody takes (a full disk, a reader that has gone) is dropped.

    Python would try once more at its end, fail again, and leave with a code of its own.
    """
    is_written = True
    for stream in (sys.stdout, sys.stderr):
        if stream is None:
            continue
        try:
            stream.flush()
        except OSError:
            is_written = False
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    return is_written


if __name__ == "__main__":
    main()
