"""What the surroundings decide: the only reader of environment variables.

In: the environment. Out: one frozen `Settings`. Absent: defaults of studies (a study file says
those) and anything secret (the database holds the signing key), except a database's password.

======================  =========================================================  =============
variable                meaning                                                    when absent
======================  =========================================================  =============
HOWGOOD_DATABASE        a file for SQLite, or postgresql://user@host/name          howgood.sqlite
HOWGOOD_DATABASE_FILE   a file that holds that address, such as a Docker secret    not read
HOWGOOD_PUBLIC_URL      the address participants use, such as https://study.org    the server's
HOWGOOD_PUBLIC_LIBRARY  yes, or no: only people with an account see the library    yes
HOWGOOD_BUSY_LIMIT      requests in work at once before the polite 503             400
======================  =========================================================  =============
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from howgood.errors import InputError

DATABASE = "HOWGOOD_DATABASE"
DATABASE_FILE = "HOWGOOD_DATABASE_FILE"
PUBLIC_URL = "HOWGOOD_PUBLIC_URL"
PUBLIC_LIBRARY = "HOWGOOD_PUBLIC_LIBRARY"
BUSY_LIMIT = "HOWGOOD_BUSY_LIMIT"
_MOST_DIGITS = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Where the database is and how the server is reached."""

    database: str = "howgood.sqlite"
    public_url: str = ""
    public_library: bool = True
    busy_limit: int = 400


def read_settings(environment: Mapping[str, str] | None = None) -> Settings:
    """Return the settings named in the environment, or their defaults."""
    given = os.environ if environment is None else environment
    defaults = Settings()
    return Settings(
        database=_database(given) or defaults.database,
        public_url=(given.get(PUBLIC_URL) or defaults.public_url).rstrip("/"),
        public_library=_yes(given.get(PUBLIC_LIBRARY), default=defaults.public_library),
        busy_limit=_positive(given.get(BUSY_LIMIT), default=defaults.busy_limit),
    )


def _database(given: Mapping[str, str]) -> str:
    """Return the address named in the environment, or written in the file named there."""
    direct, file = given.get(DATABASE, ""), given.get(DATABASE_FILE, "")
    if direct and file:
        raise InputError(
            where=f"{DATABASE} and {DATABASE_FILE}",
            found="both",
            needed="one of them",
            cure="Leave one out.",
        )
    if not file:
        return direct
    try:
        address = Path(file).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise _unreadable(file, f"a file that cannot be read ({error})") from error
    if not address or len(address.splitlines()) != 1:
        raise _unreadable(file, f"{len(address.splitlines())} lines")
    return address


def _unreadable(file: str, found: str) -> InputError:
    return InputError(
        where=f"{DATABASE_FILE}, {file}",
        found=found,
        needed="a file with the database's address in one line",
        cure="Write postgresql://USER:PASSWORD@HOST/NAME into it, readable for you alone.",
    )


def _yes(text: str | None, *, default: bool) -> bool:
    if not text:
        return default
    known = {"yes": True, "no": False}
    if text.strip().lower() not in known:
        raise InputError(
            where=PUBLIC_LIBRARY,
            found=repr(text[:40]),
            needed="yes or no",
            cure="Set it to no to let only people with an account see the library.",
        )
    return known[text.strip().lower()]


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
