"""What the surroundings decide: the only reader of environment variables.

In: the environment. Out: one frozen `Settings`. Absent: defaults of studies (a study file says
those). Secrets (passwords of a database and a mail server, the secret of a sign-in provider) may
stand in files that only the server reads: NAME_FILE names the file for NAME. Signing keys are in
the database.

======================  =========================================================  =============
variable                meaning                                                    when absent
======================  =========================================================  =============
HOWGOOD_DATABASE        a file for SQLite, or postgresql://user@host/name          howgood.sqlite
HOWGOOD_DATABASE_FILE   a file that holds that address, such as a Docker secret    not read
HOWGOOD_PUBLIC_URL      the address participants use, such as https://study.org    the server's
HOWGOOD_PUBLIC_LIBRARY  yes, or no: only people with an account see the library    yes
HOWGOOD_BUSY_LIMIT      requests in work at once before the polite 503             400
HOWGOOD_MAIL            smtps://USER:PASSWORD@HOST:465 or smtp://HOST:587          no e-mail
HOWGOOD_MAIL_FILE       a file that holds that address                             not read
HOWGOOD_MAIL_FROM       the sender of letters, such as studies@example.org         no e-mail
HOWGOOD_OIDC_ISSUER     address of a sign-in provider (OpenID Connect)             none
HOWGOOD_OIDC_CLIENT     our name at the provider                                   none
HOWGOOD_OIDC_SECRET     our secret there; HOWGOOD_OIDC_SECRET_FILE: a file of it   none
HOWGOOD_OIDC_NAME       what the button says                                       your organisation
HOWGOOD_OIDC_ROLE       role of newcomers (guest, member); else only who is known  nobody new
HOWGOOD_LANGUAGE        language of researchers' pages and reports, such as de     en
HOWGOOD_LOG             text, or json: one object a line                           text
HOWGOOD_METRICS_TOKEN   opens /metrics; HOWGOOD_METRICS_TOKEN_FILE: a file of it   closed
HOWGOOD_TOKEN           for `howgood --server`; HOWGOOD_TOKEN_FILE: a file of it   none
HOWGOOD_WEBHOOK_NETWORKS  private networks that webhooks may reach (10.1.0.0/16)   none
======================  =========================================================  =============
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

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
    mail: str = Field(default="", repr=False)
    mail_from: str = ""
    oidc_issuer: str = ""
    oidc_client: str = ""
    oidc_secret: str = Field(default="", repr=False)
    oidc_name: str = "your organisation"
    oidc_role: Literal["", "guest", "member"] = ""
    webhook_networks: str = ""
    language: str = "en"
    log: Literal["text", "json"] = "text"
    metrics_token: str = Field(default="", repr=False)
    token: str = Field(default="", repr=False)


def read_settings(environment: Mapping[str, str] | None = None) -> Settings:
    """Return the settings named in the environment, or their defaults."""
    given = os.environ if environment is None else environment
    texts = {name: given.get(_variable(name), "").strip() for name in Settings.model_fields}
    texts |= {name: _secret(given, _variable(name)) for name in _IN_FILES}
    texts["public_url"] = texts["public_url"].rstrip("/")
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


# What may stand in a file of its own, and how a line of it looks.
_IN_FILES = {
    "database": "postgresql://USER:PASSWORD@HOST/NAME",
    "mail": "smtps://USER:PASSWORD@HOST:465",
    "oidc_secret": "the secret that the provider gave",
    "metrics_token": "a long random word",
    "token": "the token that the page API tokens showed",
}


def _variable(name: str) -> str:
    return f"HOWGOOD_{name.upper()}"


def _secret(given: Mapping[str, str], variable: str) -> str:
    """Return what the environment says, or the one line of the file named there."""
    direct, file = given.get(variable, "").strip(), given.get(f"{variable}_FILE", "")
    if direct and file:
        raise InputError(
            where=f"{variable} and {variable}_FILE",
            found="both",
            needed="one of them",
            cure="Leave one out.",
        )
    if not file:
        return direct
    try:
        text = Path(file).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise _unreadable(variable, file, f"a file that cannot be read ({error})") from error
    if not text or len(text.splitlines()) != 1:
        raise _unreadable(variable, file, f"{len(text.splitlines())} lines")
    return text


def _unreadable(variable: str, file: str, found: str) -> InputError:
    name = variable.removeprefix("HOWGOOD_").lower()
    return InputError(
        where=f"{variable}_FILE, {file}",
        found=found,
        needed="a file with one line" if name != "database" else _DATABASE_LINE,
        cure=f"Write {_IN_FILES[name]} into it, readable for you alone.",
    )


_DATABASE_LINE = "a file with the database's address in one line"
