"""The packages the web commands need, asked for before they are imported.

In: a command's name. Out: nothing, or an error that names the cure. Absent: the packages.
"""

from importlib.util import find_spec

from howgood.errors import MissingExtraError

_PACKAGES = (
    "alembic",
    "argon2",
    "jinja2",
    "python_multipart",
    "sqlalchemy",
    "starlette",
    "uvicorn",
    "zxcvbn",
)


def need_web(task: str) -> None:
    """Raise unless everything the web commands need is installed."""
    if any(find_spec(package) is None for package in _PACKAGES):
        raise MissingExtraError(task=task, extra="web")
