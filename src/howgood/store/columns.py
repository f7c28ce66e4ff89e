"""What the columns of all tables share: names of keys, moments in UTC, numbers.

In: nothing. Out: types for `schema`. Absent: tables.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Dialect

metadata = sa.MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
    }
)


class Moment(sa.types.TypeDecorator[datetime]):
    """A point in time, always UTC; SQLite keeps no zone, so it is put back on reading."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Return the moment in UTC; a moment without a zone is refused."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a moment needs its zone: use datetime.now(UTC)")
        moment = value.astimezone(UTC)
        return moment.replace(tzinfo=None) if dialect.name == "sqlite" else moment

    def result_processor(
        self, dialect: Dialect, coltype: object
    ) -> Callable[[Any], datetime | None]:
        """Return what makes a moment with its zone of what the driver gives.

        SQLite gives text, and every export reads millions of them: one call each, not three.
        """
        return _from_text if dialect.name == "sqlite" else _in_utc


def _from_text(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(f"{text}+00:00")


def _in_utc(moment: datetime | None) -> datetime | None:
    return None if moment is None else moment.astimezone(UTC)


# Machines' clocks differ by less than this. What was begun later than that from now was begun by a
# clock that was ahead and has been put right since: whatever it allowed is not believed.
CLOCKS_DIFFER = timedelta(minutes=10)
# SQLite gives automatic numbers only to INTEGER columns; PostgreSQL should not run out of them.
NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
