"""A file that is written here and sent from there, without ever being whole in memory.

In: writes. Out: the bytes written since the last time. Absent: seeking back; the formats that use
it (ZIP, Parquet) do not need to.
"""


class Drain:
    """Collects what a writer of files writes until somebody takes it."""

    closed = False

    def __init__(self) -> None:
        self._waiting: list[bytes] = []

    def write(self, data: bytes) -> int:
        """Keep the data until it is taken."""
        self._waiting.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        """Do nothing: what is written can be taken at once."""

    def taken(self) -> bytes:
        """Return everything written since the last call."""
        data = b"".join(self._waiting)
        self._waiting.clear()
        return data
