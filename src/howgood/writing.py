"""The one writer of every file howgood leaves behind.

In: a path and what belongs there. Out: a complete file, or `FileWriteError` and what was there
before. Absent: what is written, and databases, which keep their own files.

A file is written under another name in the same folder, brought to the disk and only then renamed:
nobody ever sees half of it, and a full disk or a power cut leaves the old one as it was. What is no
ordinary file (a pipe, /dev/stdout) is written directly.
"""

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from howgood.errors import FileWriteError

# Readable by its owner alone, as databases are: for what people answered.
_PRIVATE, _ORDINARY = 0o600, 0o666
_DEVICES = {Path("/dev"), Path("/dev/fd"), Path("/proc/self/fd")}
_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_NOT_ALLOWED = {errno.EACCES, errno.EPERM, errno.EROFS}


def write_text(path: str | Path, text: str, *, private: bool = False, is_new: bool = False) -> Path:
    """Write a text file in UTF-8 and return its path; the arguments are those of `replacing`."""
    return write_bytes(path, text.encode(), private=private, is_new=is_new)


def write_bytes(
    path: str | Path, content: bytes, *, private: bool = False, is_new: bool = False
) -> Path:
    """Write a file and return its path; the arguments are those of `replacing`."""
    with replacing(path, private=private, is_new=is_new) as file:
        file.write(content)
    return Path(path)


@contextmanager
def replacing(
    path: str | Path, *, private: bool = False, is_new: bool = False
) -> Iterator[IO[bytes]]:
    """Give a file to write that takes its name when the block ends well.

    Parameters
    ----------
    path : str or Path
        Where the file belongs; its folder must be there.
    private : bool
        Whether nobody but the owner may read it.
    is_new : bool
        Whether a file of that name is an error (`FileExistsError` is its cause) or replaced.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(f"{folder}/report.md") as file:
    ...         _ = file.write(b"# Report")
    ...     Path(f"{folder}/report.md").read_text()
    '# Report'
    """
    if _is_special(Path(path)):
        with _explained(Path(path)), Path(path).open("ab") as file:
            yield file
        return
    with unfinished(path, private=private, is_new=is_new) as partial, partial.open("wb") as file:
        yield file


@contextmanager
def unfinished(path: str | Path, *, private: bool = False, is_new: bool = False) -> Iterator[Path]:
    """Give the path of an empty file that takes its name when the block ends well.

    For whatever cannot write into an open file, such as SQLite; else use `replacing`.
    """
    target = Path(os.path.realpath(path))  # a link stays one: what it points to is replaced
    partial = target.with_name(f".{secrets.token_hex(8)}.unfinished")
    with _explained(Path(path), target, partial):
        _refuse_existing(target, is_new)
        os.close(os.open(partial, os.O_CREAT | os.O_EXCL, _PRIVATE if private else _ORDINARY))
        try:
            if not private and target.is_file():
                partial.chmod(stat.S_IMODE(target.stat().st_mode))
            yield partial
            _bring_to_disk(partial)
            _refuse_existing(target, is_new)
            partial.replace(target)
            with contextlib.suppress(OSError):  # not every system opens folders
                _bring_to_disk(target.parent)
        finally:
            partial.unlink(missing_ok=True)


def _refuse_existing(target: Path, is_new: bool) -> None:
    if is_new and target.exists():
        raise FileExistsError(errno.EEXIST, "a file of that name", str(target))


def _is_special(path: Path) -> bool:
    if path.parent in _DEVICES:  # /dev/stdout may lead to a file that others write into too
        return True
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def _bring_to_disk(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def _explained(*paths: Path) -> Iterator[None]:
    """Say why the first of these paths could not be written; errors of other files pass."""
    try:
        yield
    except FileWriteError:
        raise
    except OSError as error:
        if error.filename is not None and Path(error.filename) not in paths:
            raise
        is_old_kept = paths[0].is_file()
        raise FileWriteError(
            path=str(paths[0]), error=error, is_old_kept=is_old_kept, cure=_cure(error)
        ) from error


def _cure(error: OSError) -> str:
    if error.errno in _NO_ROOM:
        return "Make room on the disk, or write to another one."
    if error.errno in _NOT_ALLOWED:
        return "Choose a folder you may write to."
    if error.errno in (errno.ENOENT, errno.ENOTDIR):
        return "Make the folder first, or check the path."
    if error.errno == errno.EISDIR:
        return "Name a file, not a folder."
    if error.errno == errno.EEXIST:
        return "Choose another name."
    return "Check the path and the disk."
