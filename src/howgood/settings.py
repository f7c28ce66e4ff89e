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
from pathlib import Path

from pydantic import ConfigDict, Field

from howgood.errors import InputError
from howgood.records.record import Record, check_record

DATABASE = "HOWGOOD_DATABASE"
DATABASE_FILE = "HOWGOOD_DATABASE_FILE"
BUSY_LIMIT = "HOWGOOD_BUSY_LIMIT"


class Settings(Record):
    """Where the database is and how the server is reached; one variable per field."""

    model_config = ConfigDict(strict=False)  # an environment holds text alone

    database: str = "howgood.sqlite"
    public_url: str = ""
    public_library: bool = True
    busy_limit: int = Field(default=400, ge=1, le=999_999_999)


def read_settings(environment: Mapping[str, str] | None = None) -> Settings:
    """Return the settings named in the environment, or their defaults."""
    given = os.environ if environment is None else environment
    texts = {name: given.get(_variable(name), "").strip() for name in Settings.model_fields}
    texts |= {"database": _database(given), "public_url": texts["public_url"].rstrip("/")}
    settings, problems = check_record(
        Settings, {name: text for name, text in texts.items() if text}
    )
    if settings is None:
        wrong = problems[0]
        raise InputError(
            where=_variable(str(wrong.path[0])),
            found=wrong.found,
            needed=wrong.needed,
            cure="Change it, or leave it out.",
        )
    return settings


def _variable(name: str) -> str:
    return f"HOWGOOD_{name.upper()}"


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
