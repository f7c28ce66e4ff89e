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
KEPT = timedelta(minutes=10)
# How often somebody tidies up, of all processes together.
TIDYING = Allowance(at_once=1, one_more_after=timedelta(minutes=1))


def may_try(host: Host, *, name: str, address: str, now: datetime) -> bool:
    """Take one attempt from both allowances; False when either is used up.

    Who has not tried for a while is forgotten, so that there are never more rows than attempts
    within the last few minutes.
    """
    by_address = tokens.signature(host.key, "attempts by address", address)
    by_name = tokens.signature(host.key, "attempts by name", name.casefold())

    def store(connection: Connection) -> bool:
        # Always in this order, so that no two wait for each other.
        may_address = attempts.take(connection, by_address, PER_ADDRESS, now=now)
        return attempts.take(connection, by_name, PER_NAME, now=now) and may_address

    def tidy(connection: Connection) -> None:
        if attempts.take(connection, "tidying", TIDYING, now=now):
            attempts.forget(connection, before=now - KEPT)

    is_allowed = host.database.write(store)
    host.database.write(tidy)  # by itself: it must not hold rows that somebody waits for
    return is_allowed
