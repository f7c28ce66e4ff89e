"""How often passwords may be tried, by name and by address, whichever process is asked.

In: a host, a name, an address, the time. Out: whether this attempt may be made. Absent: the
password (`signing_in`), and how many are checked at once (`web.routes.accounts`).
"""

from datetime import datetime, timedelta

from sqlalchemy.engine import Connection

from howgood.flow.hosting import Host, tokens
from howgood.store import attempts
from howgood.store.attempts import Allowance

PER_NAME = Allowance(at_once=8, one_more_after=timedelta(seconds=20))
PER_ADDRESS = Allowance(at_once=30, one_more_after=timedelta(seconds=4))
# By then every allowance is full again, so that nothing needs to be remembered.
_KEPT = timedelta(minutes=10)


def may_try(host: Host, *, name: str, address: str, now: datetime) -> bool:
    """Take one attempt from both allowances; False when either is used up."""
    by_address = tokens.signature(host.key, "attempts by address", address)
    by_name = tokens.signature(host.key, "attempts by name", name.casefold())

    def store(connection: Connection) -> bool:
        # Always in this order, so that no two wait for each other.
        may_address = attempts.take(connection, by_address, PER_ADDRESS, now=now)
        return attempts.take(connection, by_name, PER_NAME, now=now) and may_address

    is_allowed = host.database.write(store)
    if not is_allowed:  # many attempts leave many rows, one who signs in leaves two
        host.database.write(lambda c: attempts.forget(c, before=now - _KEPT))
    return is_allowed
