"""The lock of the one server of a SQLite file."""

import errno
import os
import sys

import pytest

from howgood.errors import InputError
from howgood.store.server_lock import ServerLock

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="locks files otherwise")


@pytest.mark.parametrize("code", [errno.ENOLCK, errno.EOPNOTSUPP, errno.EINVAL])
def test_a_disk_that_cannot_lock_is_named_with_what_to_do(tmp_path, monkeypatch, code):
    """Before: a traceback, and the file stayed open."""
    opened = []

    def refuse(file, _):
        opened.append(file)
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr("fcntl.flock", refuse)
    with pytest.raises(InputError) as caught:
        ServerLock(tmp_path / "answers.sqlite")
    assert "cannot lock" in caught.value.found
    assert "PostgreSQL" in caught.value.cure
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(opened[0])
