"""Rewrite the tables of docs/reference/study-files.md from the records.

Run it after changing a record of a study: python docs/_ext/renew_study_keys.py
"""

import re
from pathlib import Path

from howgood.flow.study_files.keys import study_keys
from howgood.kinds import KINDS

PAGE = Path(__file__).parents[1] / "reference" / "study-files.md"


def table(part: str) -> str:
    """Return the table of one part: a kind of study, or "every" for the frame."""
    rows = [
        f"| `{key.name}` | {key.type} | {key.default} | {key.note} |"
        for key in study_keys()
        if (key.name.split(".")[0] if key.name.split(".")[0] in KINDS else "every") == part
    ]
    return "\n".join(["| key | holds | left out | what for |", "|---|---|---|---|", *rows])


def renewed(text: str) -> str:
    """Return the page with fresh tables between its markers."""
    return re.sub(
        r"(<!-- keys: (\w+) -->\n).*?(\n<!-- end -->)",
        lambda match: match[1] + table(match[2]) + match[3],
        text,
        flags=re.DOTALL,
    )


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
