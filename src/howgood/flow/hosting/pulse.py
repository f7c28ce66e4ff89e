"""Whether answers can be stored now, for whatever watches the server.

In: a host. Out: yes or no, soon, however often it is asked. Absent: what to do about it.

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

# Looking costs a write to the disk: whoever asks in between is told what was found last, if that
# was good. Bad news costs none, and is looked at again.
LOOK_SECONDS = 0.5
# A look that takes longer has found trouble; a shorter one may only wait for its turn.
PATIENCE_SECONDS = 5.0
# So long a write that was refused is remembered, unless another has gone well since.
REMEMBERED_SECONDS = 30.0


class Pulse:
    """Looks at most twice a second while all is well, and never twice at once."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._lock = Lock()
        self._is_looking, self._is_well, self._began_at = False, True, -LOOK_SECONDS

    def is_well(self) -> bool:
        """Return whether answers can be stored now."""
        refused_at = self._host.database.refused_at
        if refused_at is not None and monotonic() - refused_at < REMEMBERED_SECONDS:
            return False
        with self._lock:
            since = monotonic() - self._began_at
            if self._is_looking or (self._is_well and since < LOOK_SECONDS):
                return self._is_well and since < PATIENCE_SECONDS
            self._is_looking, self._began_at = True, monotonic()
        try:  # without the lock: a database may keep us waiting
            self._is_well = self._can_store()
        finally:
            self._is_looking = False
        return self._is_well

    def _can_store(self) -> bool:
        try:
            self._host.database.write(studies.touch)
        except AWAY:
            return False
        return True
