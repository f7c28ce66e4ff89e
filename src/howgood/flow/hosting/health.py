"""Whether answers can be stored now, for whatever watches the server.

In: a host. Out: yes or no, quickly, however often it is asked. Absent: what to do about it.

Reading tells nothing about it: a full disk and a database that has become read-only can be read.
So something is written, which changes nothing, and what became of the last answer counts too: a
disk may have room for the one and none for the other. A server that was gone is well as soon as it
is back.
"""

from threading import Lock
from time import monotonic

from howgood.flow.hosting.host import Host
from howgood.store import studies
from howgood.store.database import AWAY

# A check costs a write to the disk: whoever asks in between gets the last result, if that was good.
# A bad one costs nothing, and is checked again.
CHECK_SECONDS = 0.5
# A check that takes longer has failed; a shorter one may only wait for its turn.
TIMEOUT_SECONDS = 5.0
# A write that was refused counts for so long, unless another has gone well since.
REFUSAL_SECONDS = 30.0


class HealthCheck:
    """Checks at most twice a second while all is well, and never twice at once."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._lock = Lock()
        self._is_checking, self._is_well, self._began_at = False, True, -CHECK_SECONDS

    def is_well(self) -> bool:
        """Return whether answers can be stored now."""
        refused_at = self._host.database.refused_at
        if refused_at is not None and monotonic() - refused_at < REFUSAL_SECONDS:
            return False
        with self._lock:
            since = monotonic() - self._began_at
            if self._is_checking or (self._is_well and since < CHECK_SECONDS):
                return self._is_well and since < TIMEOUT_SECONDS
            self._is_checking, self._began_at = True, monotonic()
        try:  # without the lock: a database may keep us waiting
            self._is_well = self._can_store()
        finally:
            self._is_checking = False
        return self._is_well

    def _can_store(self) -> bool:
        try:
            self._host.database.write(studies.touch)
        except AWAY:
            return False
        return True
