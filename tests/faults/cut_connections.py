"""Cut connections to PostgreSQL at the n-th packet, once or from then on.

In: the folder of a server's socket. Out: `CutConnections`, whose own folder has a socket that leads
there. A packet of the client that is cut was never heard; one of the server was done, and nobody
knows. Absent: SQLite (`disk_errors`).
"""

import socket
import tempfile
import threading
from contextlib import contextmanager, suppress
from pathlib import Path

_SOCKET = ".s.PGSQL.5432"


class CutConnections:
    """Hands packets on in both directions, counts them, and cuts where it was asked to."""

    def __init__(self, target: Path, folder: Path) -> None:
        self._target, self.folder = str(target / _SOCKET), folder
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self.arm(0, lasting=False)
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(str(folder / _SOCKET))
        self._listening.listen(64)
        threading.Thread(target=self._accept, daemon=True).start()

    def arm(self, nth: int, *, lasting: bool) -> None:
        """Cut at the n-th packet from now; with `lasting`, at every one after it as well."""
        with self._lock:
            self.n_seen, self.n_failed, self._nth, self._lasting = 0, 0, nth, lasting

    def disarm(self) -> int:
        """Cut no longer; return how often it was cut since `arm`."""
        failed = self.n_failed
        self.arm(0, lasting=False)
        return failed

    def close(self) -> None:
        """End every connection."""
        self._listening.close()
        for each in list(self._open):
            _end(each)

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                server = socket.socket(socket.AF_UNIX)
                try:
                    server.connect(self._target)
                except OSError:
                    _end(client)
                    continue
                self._open |= {client, server}
                for source, sink in ((client, server), (server, client)):
                    threading.Thread(target=self._hand_on, args=(source, sink), daemon=True).start()

    def _hand_on(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while (packet := source.recv(65536)) and not self._is_cut():
                sink.sendall(packet)
        for each in (source, sink):
            _end(each)
            self._open.discard(each)

    def _is_cut(self) -> bool:
        with self._lock:
            self.n_seen += 1
            here = self.n_seen >= self._nth if self._lasting else self.n_seen == self._nth
            is_cut = bool(self._nth) and here
            self.n_failed += is_cut
            return is_cut


def _end(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()


@contextmanager
def cut_connections(address: str):
    """Give what cuts, and the address that leads through it."""
    target = address.rpartition("host=")[2]
    # A socket's path may have about a hundred letters: no deep folder of the tests.
    with tempfile.TemporaryDirectory(prefix="howgood-cut-") as folder:
        cutting = CutConnections(Path(target), Path(folder))
        try:
            yield cutting, address.replace(target, folder)
        finally:
            cutting.close()
