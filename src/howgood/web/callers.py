"""Whose allowance a request is taken from.

In: a request's scope. Out: an address, or the network it belongs to. Absent: allowances (`guards`,
`flow.accounts`).
"""

import ipaddress
from collections.abc import Mapping
from typing import Any


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
