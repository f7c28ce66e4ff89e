"""What the surroundings decide: the only reader of environment variables.

In: the environment. Out: one frozen `Settings`. Absent: defaults of studies (a study file says
those) and anything secret (the database holds the signing key).

=====================  ==========================================================  =============
variable               meaning                                                     when absent
=====================  ==========================================================  =============
HOWGOOD_DATABASE       a file for SQLite, or postgresql://user@host/name           howgood.sqlite
HOWGOOD_PUBLIC_URL     the address participants use, such as https://study.org     the server's
HOWGOOD_BUSY_LIMIT     requests in work at once before the polite 503              400
=====================  ==========================================================  =============
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass

from howgood.errors import InputError

DATABASE = "HOWGOOD_DATABASE"
PUBLIC_URL = "HOWGOOD_PUBLIC_URL"
BUSY_LIMIT = "HOWGOOD_BUSY_LIMIT"
_MOST_DIGITS = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Where the database is and how the server is reached."""

    database: str = "howgood.sqlite"
    public_url: str = ""
    busy_limit: int = 400


def read_settings(environment: Mapping[str, str] | None = None) -> Settings:
    """Return the settings named in the environment, or their defaults."""
    given = os.environ if environment is None else environment
    defaults = Settings()
    return Settings(
        database=given.get(DATABASE) or defaults.database,
        public_url=(given.get(PUBLIC_URL) or defaults.public_url).rstrip("/"),
        busy_limit=_positive(given.get(BUSY_LIMIT), default=defaults.busy_limit),
    )


def _positive(text: str | None, *, default: int) -> int:
    if not text:
        return default
    if not text.isdecimal() or len(text) > _MOST_DIGITS or int(text) < 1:
        raise InputError(
            where=BUSY_LIMIT,
            found=repr(text),
            needed=f"a whole number of at least 1 and at most {_MOST_DIGITS} digits",
            cure=f"Set it to {default}, or leave it out.",
        )
    return int(text)
