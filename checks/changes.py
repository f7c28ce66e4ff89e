"""One version's part of the changelog, for the page of its release.

Run: `python -m checks.changes 0.2.0`. In: CHANGELOG.md. Out: the text below that version's heading.
"""

import re
import sys
from pathlib import Path


def changes(text: str, version: str) -> str:
    r"""Return what stands under a version's heading.

    Examples
    --------
    >>> changes("# Log\n\n## 0.2.0 (today)\n\n- new\n\n## 0.1.0\n\n- old\n", "0.2.0")
    '- new'
    """
    parts = re.split(r"^## ", text, flags=re.MULTILINE)[1:]
    found = [part for part in parts if re.match(rf"{re.escape(version)}(\s|$)", part)]
    if len(found) != 1:
        raise SystemExit(f"CHANGELOG.md has {len(found)} parts for {version}; one is needed")
    return found[0].partition("\n")[2].strip()


if __name__ == "__main__":
    print(changes(Path("CHANGELOG.md").read_text("utf-8"), sys.argv[1]))
