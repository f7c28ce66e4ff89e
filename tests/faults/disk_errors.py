"""Let SQLite's n-th write, truncation or flush fail, once or from then on.

In: nothing. Out: `DiskErrors`, which fails on command. Absent: PostgreSQL (`cut_connections`).

SQLite's own tests put a layer between the library and the file system (a VFS) and let each call
fail in turn. This is the same: files are opened by the ordinary layer and get a table of functions
of which three are ours. It needs neither a compiler nor other rights.
"""

import _sqlite3
import ctypes
from contextlib import contextmanager

import pytest

_POINTER, _INT, _LONG = ctypes.c_void_p, ctypes.c_int, ctypes.c_int64
_OPEN = ctypes.CFUNCTYPE(_INT, _POINTER, _POINTER, _POINTER, _INT, _POINTER)
_WRITE = ctypes.CFUNCTYPE(_INT, _POINTER, _POINTER, _INT, _LONG)
_TRUNCATE = ctypes.CFUNCTYPE(_INT, _POINTER, _LONG)
_SYNC = ctypes.CFUNCTYPE(_INT, _POINTER, _INT)
# What SQLite's documentation calls these results.
IOERR_WRITE, IOERR_FSYNC, IOERR_TRUNCATE = 778, 1034, 1546
_NAME = b"howgood-disk-errors"
_MORE = ("xDelete", "xAccess", "xFullPathname", "xDlOpen", "xDlError", "xDlSym", "xDlClose",
         "xRandomness", "xSleep", "xCurrentTime", "xGetLastError", "xCurrentTimeInt64",
         "xSetSystemCall", "xGetSystemCall", "xNextSystemCall")  # fmt: skip
_FILE_METHODS = ("xClose", "xRead", "xWrite", "xTruncate", "xSync", "xFileSize", "xLock", "xUnlock",
                 "xCheckReservedLock", "xFileControl", "xSectorSize", "xDeviceCharacteristics",
                 "xShmMap", "xShmLock", "xShmBarrier", "xShmUnmap", "xFetch",
                 "xUnfetch")  # fmt: skip


class _Vfs(ctypes.Structure):
    _fields_ = (
        ("iVersion", _INT), ("szOsFile", _INT), ("mxPathname", _INT), ("pNext", _POINTER),
        ("zName", ctypes.c_char_p), ("pAppData", _POINTER), ("xOpen", _POINTER),
        *((name, _POINTER) for name in _MORE),
    )  # fmt: skip


class _Methods(ctypes.Structure):
    _fields_ = (("iVersion", _INT), *((name, _POINTER) for name in _FILE_METHODS))


class DiskErrors:
    """Counts what SQLite does to its files, and fails where it was asked to."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self._library = library
        library.sqlite3_vfs_find.restype = ctypes.POINTER(_Vfs)
        self._usual = library.sqlite3_vfs_find(None)
        self._open_file = _OPEN(self._usual.contents.xOpen)
        # By the address of the usual table: ours. They live as long as files may be open.
        self._tables, self._functions = {}, []
        self._vfs = _Vfs.from_buffer_copy(self._usual.contents)
        self._vfs.zName = _NAME
        self._vfs.xOpen = self._address(_OPEN(self._open))
        self.disarm()

    def arm(self, nth: int, *, lasting: bool) -> None:
        """Let the n-th call from now fail; with `lasting`, every call after it as well."""
        self.n_seen, self.n_failed, self._nth, self._lasting = 0, 0, nth, lasting

    def disarm(self) -> int:
        """Fail no longer; return how many calls have failed since `arm`."""
        failed = getattr(self, "n_failed", 0)
        self.arm(0, lasting=False)
        return failed

    @contextmanager
    def failing(self, nth: int, *, lasting: bool):
        """Fail until the end of the block."""
        self.arm(nth, lasting=lasting)
        try:
            yield self
        finally:
            self._nth = 0

    @contextmanager
    def installed(self):
        """Let every database that is opened meanwhile go through this layer."""
        self._library.sqlite3_vfs_register(ctypes.byref(self._vfs), 1)
        try:
            yield self
        finally:
            self.disarm()
            self._library.sqlite3_vfs_register(self._usual, 1)

    def _fails(self) -> bool:
        self.n_seen += 1
        fails = self._nth and (
            self.n_seen >= self._nth if self._lasting else self.n_seen == self._nth
        )
        self.n_failed += bool(fails)
        return bool(fails)

    def _open(self, _vfs: int, name: int, file: int, flags: int, out: int) -> int:
        result = self._open_file(ctypes.addressof(self._usual.contents), name, file, flags, out)
        methods = _POINTER.from_address(file)
        if result == 0 and methods.value:
            methods.value = self._table(methods.value)
        return result

    def _table(self, usual: int) -> int:
        """Return our table of functions for files whose usual one is this."""
        if usual not in self._tables:
            table = _Methods.from_buffer_copy(_Methods.from_address(usual))
            for name, kind, code in (
                ("xWrite", _WRITE, IOERR_WRITE),
                ("xTruncate", _TRUNCATE, IOERR_TRUNCATE),
                ("xSync", _SYNC, IOERR_FSYNC),
            ):
                setattr(table, name, self._failing_call(kind, kind(getattr(table, name)), code))
            self._tables[usual] = table
        return ctypes.addressof(self._tables[usual])

    def _failing_call(self, kind, usual, code: int) -> int:
        return self._address(kind(lambda *words: code if self._fails() else usual(*words)))

    def _address(self, function) -> int:
        self._functions.append(function)
        return ctypes.cast(function, _POINTER).value


def disk_errors() -> DiskErrors:
    """Return the layer for the SQLite that Python uses, or skip where it cannot be reached."""
    library = ctypes.CDLL(getattr(_sqlite3, "__file__", None))
    if not hasattr(library, "sqlite3_vfs_register"):
        pytest.skip("this Python has SQLite built in, and its functions cannot be reached")
    return DiskErrors(library)
