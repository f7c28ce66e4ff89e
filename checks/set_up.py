"""Set up an environment with the packages of a lock file, saying what is happening.

Run: `python3 checks/set_up.py FOLDER LOCK` (make does). In: a lock with digests. Out: a virtual
environment with those packages and howgood itself, and a file `.ready` in it. Needs Python alone.
"""

import os
import re
import subprocess
import sys
import threading
import time
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
_QUIET = {
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "PIP_ROOT_USER_ACTION": "ignore",
    "PIP_NO_INPUT": "1",
    "PIP_USE_PEP517": "1",
    "PIP_PROGRESS_BAR": "off",
}
_ENDS = re.compile(r"ERROR|error:", re.IGNORECASE)
_EVERY = 15.0


def main(folder: str, lock: str) -> int:
    """Make the environment; return an exit code."""
    place, packages = ROOT / folder, _packages(ROOT / lock)
    print(f"make: setting up {folder}: {len(packages)} packages of {lock}", flush=True)
    started = time.monotonic()
    programs = place / ("Scripts" if os.name == "nt" else "bin")
    if not (programs / ("python.exe" if os.name == "nt" else "python")).exists():
        venv.create(place, with_pip=True)
    # A lock names everything: pip need not look for more, and stumbles over an extra whose package
    # has a newer version since.
    locked = ["--no-deps", "--require-hashes", "-r", str(ROOT / lock)]
    for words, total in ((locked, len(packages)), (["--no-deps", "-e", str(ROOT)], 0)):
        if not _install(programs / "python", words, total=total, started=started):
            return 1
    (place / ".ready").touch()
    print(f"make: {folder} is ready after {time.monotonic() - started:.0f} s", flush=True)
    return 0


def _packages(lock: Path) -> list[str]:
    return re.findall(r"^([A-Za-z0-9._-]+)==", lock.read_text("utf-8"), re.MULTILINE)


def _install(python: Path, words: list[str], *, total: int, started: float) -> bool:
    """Run pip, tell every few seconds how far it is, and show what it said where it fails."""
    pip = subprocess.Popen(
        [str(python), "-m", "pip", "install", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env={**os.environ, **_QUIET},
        cwd=ROOT,
    )
    said: list[str] = []
    done = threading.Event()
    speaker = threading.Thread(target=_speak, args=(said, done, total, started), daemon=True)
    speaker.start()
    said.extend(pip.stdout or ())
    code = pip.wait()
    done.set()
    if code:
        errors = [line for line in said if _ENDS.search(line)] or said[-20:]
        print("make: pip could not install:", *errors, sep="\n  ", file=sys.stderr)
    return code == 0


def _speak(said: list[str], done: threading.Event, total: int, started: float) -> None:
    while not done.wait(_EVERY):
        seconds = f"{time.monotonic() - started:.0f} s"
        step = _step(list(said), total)
        print(f"make:   {step} ({seconds})", flush=True)


def _step(said: list[str], total: int) -> str:
    """Return what pip is doing, by what it said."""
    if not total:
        return "adding howgood itself"
    if any(line.startswith("Installing collected") for line in said):
        return "unpacking"
    if any(line.startswith("Building wheel") for line in said):
        return "building the few that come as source"
    fetched = sum(line.startswith("Collecting ") for line in said)
    return f"fetched {fetched} of at most {total}"


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
