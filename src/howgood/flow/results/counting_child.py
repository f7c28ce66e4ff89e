"""One table counted in a process of its own: `python -m howgood.flow.results.counting_child`.

In: a line of JSON (the file's name, the positive label, names of columns) and the table on
standard input. Out: one line of JSON: the four counts, or what is wrong with the table. Absent:
everything else; a table that needs more memory or time than allowed ends this process and no other.
"""

import contextlib
import json
import os
import sys
import warnings
from typing import Any


def main() -> None:
    """Count the table on standard input and say how it went."""
    from howgood.flow.results import counting

    _limit(memory=counting.MEMORY, seconds=counting.CPU_SECONDS)
    order = json.loads(sys.stdin.buffer.readline())
    print(json.dumps(_counted(order, sys.stdin.buffer.read(counting.LARGEST + 1))))


def _counted(order: dict[str, str], content: bytes) -> dict[str, Any]:
    from howgood.errors import InputError
    from howgood.flow.results import counting

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # nobody reads them here
            name = order.pop("name")
            counts = counting.counts_of_file(name, content, **order)
    except InputError as error:
        parts = ("where", "found", "needed", "cure")
        return {"problem": {part: getattr(error, part) for part in parts}}
    return {"counts": counts}


def _limit(*, memory: int, seconds: int) -> None:
    """Use no more than this; pages of participants come first."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource  # absent on Windows

        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        os.nice(5)


if __name__ == "__main__":
    main()
