"""One job in a process of its own: `python -m howgood.flow.results.child`.

In: one line of JSON (the database's address and the job) on standard input. Out: lines of JSON on
standard output: progress, then the result or the reason why there is none. Absent: writing to the
database; the worker that started this process does that, so a result is stored once or not at all.

When the worker dies, standard input ends and this process ends with it.
"""

import contextlib
import json
import os
import sys
import threading
import warnings
from typing import Any, TextIO

from howgood.errors import HowgoodError
from howgood.flow.error_location import error_location
from howgood.flow.hosting import Host
from howgood.flow.results.tasks import run_task
from howgood.store.database import open_database

# Pages come first: people wait for them.
_NICENESS = 5


def main() -> None:
    """Do the job described on standard input and say how it went."""
    answers = _private_output()
    order = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with contextlib.suppress(OSError, AttributeError):
        os.nice(_NICENESS)
    say = _Speaker(answers)
    # A database that is away says nothing about the job: break off, and be tried again.
    host = Host(open_database(order["database"]))
    try:
        with warnings.catch_warnings():
            # What a fit warns about (few people, a fallback) is part of its report.
            warnings.simplefilter("ignore")
            say(result=_worked(host, order, say))
    except HowgoodError as error:
        say(problem=str(error))
    except Exception as error:  # the parent marks the job; its text may repeat answers
        sys.exit(f"job_trouble {error_location(error)}")
    finally:
        host.close()


def _worked(host: Host, order: dict[str, Any], say: "_Speaker") -> dict[str, Any]:
    result = run_task(
        host,
        order["study"],
        order["task"],
        order["settings"],
        progress=lambda share, step: say(share=share, step=step),
    )
    return result.to_dict()


class _Speaker:
    """Writes one line of JSON per call."""

    def __init__(self, output: TextIO) -> None:
        self._output = output

    def __call__(self, **message: object) -> None:
        self._output.write(json.dumps(message) + "\n")
        self._output.flush()


def _private_output() -> TextIO:
    """Return standard output for our lines alone; whatever else prints goes to standard error."""
    ours = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return ours


def _end_with_parent() -> None:
    while sys.stdin.read(1):
        pass
    os._exit(1)


if __name__ == "__main__":
    main()
