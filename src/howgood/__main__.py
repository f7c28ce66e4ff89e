"""Run the command line: `python -m howgood`, and the `howgood` command.

In: the process's arguments. Out: an exit code. Absent: everything else (see `cli`).
"""

import sys

from howgood.cli.main import run


def main() -> None:
    """Run the command named in `sys.argv` and leave with its exit code."""
    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
