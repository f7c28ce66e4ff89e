"""How fast one caller may go, and who counts as one.

In: a request's scope, a pace. Out: yes or no. Absent: allowances that all processes share
(`flow.accounts`).
"""

import ipaddress
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How much at once, and how much per second after that."""

    at_once: float
    per_second: float


# The public library: questions about cards, and tables that are counted for strangers. Every table
# is a process of its own for a moment; those that still come in lie on the disk.
QUESTIONS = Pace(at_once=40, per_second=2)
TABLES = Pace(at_once=5, per_second=0.2)
COUNTED_AT_ONCE, COMING_AT_ONCE = 2, 20


class Rate:
    """Allowances that refill, one per name; the longest unused are forgotten."""

    def __init__(
        self, pace: Pace, *, names: int = 20_000, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.pace, self.names, self.clock = pace, names, clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def allows(self, name: str) -> bool:
        """Take one from the name's allowance; False when it is used up."""
        now = self.clock()
        left, since = self._left.pop(name, (self.pace.at_once, now))
        left = min(self.pace.at_once, left + (now - since) * self.pace.per_second)
        is_allowed = left >= 1
        self._left[name] = (left - is_allowed, now)
        if len(self._left) > self.names:
            self._left.popitem(last=False)
        return is_allowed


def caller(scope: Mapping[str, Any]) -> str:
    """Return who is calling, as far as limits are concerned."""
    client = scope.get("client")
    return network_of(client[0]) if client else ""


def network_of(address: str) -> str:
    """Return an IPv4 address as it is, and an IPv6 address as its network.

    A household or a rented server has 2**64 addresses of IPv6; they count as one.

    Examples
    --------
    >>> network_of("203.0.113.9"), network_of("2001:db8:1:2:3::4"), network_of("testclient")
    ('203.0.113.9', '2001:db8:1:2::/64', 'testclient')
    >>> network_of("::ffff:203.0.113.9"), network_of("fe80::1%eth0")
    ('203.0.113.9', 'fe80::/64')
    """
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped is not None:
            return str(found.ipv4_mapped)
        return str(ipaddress.ip_network((found, 64), strict=False))
    return str(found)
