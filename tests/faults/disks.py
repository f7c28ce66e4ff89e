"""Disks that fill up, and folders that cannot be written.

In: a folder. Out: the same folder, broken on purpose and made whole again. Where we may not mount
file systems, a limit on the size of files stands in for a full disk.
"""

import contextlib
import os
import resource
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

_BLOCK = b"\0" * 65536


@contextmanager
def small_disk(megabytes):
    """Give a file system of this size in memory, or None where we may not mount one."""
    folder = Path(tempfile.mkdtemp(prefix="howgood-disk-"))
    made = _mount("-t", "tmpfs", "-o", f"size={megabytes}m,mode=0755", "howgood", folder)
    try:
        yield folder if made else None
    finally:
        if made:
            subprocess.run(["umount", "-l", str(folder)], check=True)  # noqa: S607 - the system's
        folder.rmdir()


@contextmanager
def full(folder):
    """Fill the disk a folder is on, until the end."""
    ballast = folder / "ballast"
    with contextlib.suppress(OSError), ballast.open("wb", buffering=0) as file:
        while True:
            file.write(_BLOCK)
    with contextlib.suppress(OSError), ballast.open("ab", buffering=0) as file:
        while True:
            file.write(b"\0")
    try:
        yield
    finally:
        ballast.unlink()


@contextmanager
def no_room_for(processes):
    """Let no file of these processes grow any more: what a full disk does, for who is not root."""
    before = {each: resource.prlimit(each, resource.RLIMIT_FSIZE) for each in processes}
    for process, (_, hard) in before.items():
        resource.prlimit(process, resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        for process, limits in before.items():
            resource.prlimit(process, resource.RLIMIT_FSIZE, limits)


@contextmanager
def read_only(folder):
    """Make a folder read-only: by its rights, or for root by a mount; say whether it is."""
    if os.geteuid() != 0:
        files = [folder, *folder.iterdir()]
        modes = [each.stat().st_mode for each in files]
        for each in files:
            each.chmod(0o555 if each.is_dir() else 0o444)
        try:
            yield True
        finally:
            for each, mode in zip(files, modes, strict=True):
                each.chmod(mode)
        return
    made = _mount("--bind", folder, folder) and _mount("-o", "remount,bind,ro", folder)
    try:
        yield made
    finally:
        if made:
            subprocess.run(["umount", "-l", str(folder)], check=True)  # noqa: S607 - the system's


def _mount(*words):
    done = subprocess.run(["mount", *map(str, words)], capture_output=True, check=False)  # noqa: S607 - the system's
    return done.returncode == 0
