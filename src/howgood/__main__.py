"""Run the command line: `python -m howgood`, and the `howgood` command.

In: the process's arguments. Out: an exit code. Absent: everything else (see `cli`).
"""

import os
import sys
import traceback
from contextlib import suppress
from io import TextIOWrapper

from howgood.cli.exit_codes import FAULT, READER_GONE
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
    if code == READER_GONE:  # what still waits to be written has nobody to read it
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.exit(code)


if __name__ == "__main__":
    main()
