"""Is there a password, a key or a token in a file we keep?

In: the files under version control; no network, no history. Out: file and line of whatever looks
like a secret, and exit code 1. Run: `python -m checks.secrets`. A line that only looks like one
says so: `no secret: why`.
"""

import math
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
EXCUSE = "no secret:"

# What providers' secrets look like; each is put together so that this file has none itself.
PATTERNS = {
    "private key": r"-----BEGIN [A-Z ]*" + "PRIVATE KEY-----",
    "AWS key": r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",
    "GitHub token": r"\bgh[pousr]_[A-Za-z0-9]{36,}\b|\bgithub_pat_[A-Za-z0-9_]{50,}\b",
    "GitLab token": r"\bglpat-[A-Za-z0-9_-]{20,}\b",
    "Slack token": r"\bxox[abprs]-[A-Za-z0-9-]{10,}",
    "Google key": r"\bAIza[0-9A-Za-z_-]{35}\b",
    "PyPI token": r"\bpypi-[A-Za-z0-9_-]{50,}",
    "npm token": r"\bnpm_[A-Za-z0-9]{36}\b",
    "Stripe key": r"\b[rs]k_live_[0-9A-Za-z]{20,}",
    "OpenAI-like key": r"\bsk-[A-Za-z0-9_-]{32,}",
    "JSON web token": r"\beyJ[A-Za-z0-9_-]{15,}\.eyJ[A-Za-z0-9_-]{15,}\.[A-Za-z0-9_-]{10,}",
    "password in an address": r"\b[a-z][a-z0-9+.-]*://[^\s/:@'\"<>{}$]+:[^\s/:@'\"<>{}$]{3,}@[\w.-]+\w",
}
ASSIGNED = re.compile(
    r"""(?i)\b[\w-]*(?:password|passwd|secret|token|api_?key|access_?key)[\w-]*\s*[:=]\s*
        ["']([A-Za-z0-9+/_=-]{20,})["']""",
    re.VERBOSE,
)
# A lock file is full of hashes, and pictures are no text.
SKIPPED = re.compile(
    r"(^|/)(uv\.lock|requirements.*\.lock)$|\.(png|jpg|webp|gif|mp4|webm|npz|parquet)$"
)
_RANDOM = 4.0  # bits per character; words have about three


def findings(text: str) -> Iterator[tuple[int, str]]:
    """Yield line number and kind of everything in a text that looks like a secret."""
    for number, line in enumerate(text.splitlines(), start=1):
        if EXCUSE in line:
            continue
        for kind, pattern in PATTERNS.items():
            if re.search(pattern, line):
                yield number, kind
        for value in ASSIGNED.findall(line):
            if bits_per_character(value) > _RANDOM:
                yield number, "a random value called a secret"


def bits_per_character(text: str) -> float:
    """Return the Shannon entropy of a text's characters.

    Examples
    --------
    >>> bits_per_character("aabb")
    1.0
    """
    shares = [count / len(text) for count in Counter(text).values()]
    return -sum(share * math.log2(share) for share in shares)


def kept_files() -> list[Path]:
    """Return every file under version control, and new ones that are not ignored."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],  # noqa: S607 - git
        cwd=ROOT,
        capture_output=True,
        check=True,
    ).stdout.decode()
    return [ROOT / name for name in listed.split("\0") if name and not SKIPPED.search(name)]


def main() -> int:
    """Print what was found; return 1 when there is anything."""
    files = [path for path in kept_files() if path.is_file()]
    found = [
        f"{path.relative_to(ROOT)}:{line}: {kind}"
        for path in files
        for line, kind in findings(path.read_text(encoding="utf-8", errors="replace"))
    ]
    for each in found:
        print(each)
    print(f"secrets: {len(files)} files, {len(found)} to look at")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
