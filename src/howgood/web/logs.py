"""The log: lines for people, or JSON for programs.

In: settings, and records of Python's logging. Out: one line each on standard error. Absent: what is
logged; addresses, names and answers never are (`tests/attacks/test_logs.py`).

Our own lines are a word and pairs, such as `job_ended number=4 outcome=done`; as JSON each pair is
a field of its own.
"""

import json
import logging
import re
from datetime import UTC, datetime

from howgood.settings import Settings

TEXT = "%(asctime)s %(name)s %(message)s"
_PAIR = re.compile(r"(\w+)=(\S+)")
_OWN = {"at", "level", "logger", "event", "text"}


class JsonFormatter(logging.Formatter):
    """One JSON object per record.

    Examples
    --------
    >>> record = logging.LogRecord("howgood.web", 20, "", 0, "refused reason=full", (), None)
    >>> json.loads(JsonFormatter().format(record))["reason"]
    'full'
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as JSON; pairs of our own lines become fields."""
        text = record.getMessage()
        made: dict[str, object] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
        }
        word = text.split(" ", 1)[0]
        if record.name.startswith("howgood") and re.fullmatch(r"\w+", word):
            made["event"] = word
            pairs = dict(_PAIR.findall(text))
            made |= {name: value for name, value in pairs.items() if name not in _OWN}
        else:
            made["text"] = text
        if record.exc_info and record.exc_info[0] is not None:
            made["error"] = record.exc_info[0].__name__  # its text may repeat what somebody sent
        return json.dumps(made, ensure_ascii=False)


def set_up_logging(settings: Settings) -> None:
    """Write our log to standard error, as the settings say."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonFormatter() if settings.log == "json" else logging.Formatter(TEXT))
    root = logging.getLogger()
    root.setLevel(logging.INFO)
    if not root.handlers:
        root.addHandler(handler)
