"""Messages that name the file somebody gave, not the role it plays in a function.

In: words of the library and the files behind them. Out: errors that say the file. Absent: wording.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from howgood.errors import InputError


@contextmanager
def naming(files: Mapping[str, str | Path]) -> Iterator[None]:
    """Say the file instead of its word, wherever an error begins with one of these words.

    Examples
    --------
    >>> with naming({"ratings": Path("may.csv")}):
    ...     raise InputError(where="ratings, column 'x'", found="a", needed="b", cure="C.")
    Traceback (most recent call last):
    howgood.errors.InputError: may.csv, column 'x': a; b. C.
    """
    try:
        yield
    except InputError as error:
        for word, path in files.items():
            if error.where == word or error.where.startswith(f"{word},"):
                error.found_in(f"{path}{error.where[len(word) :]}")
                break
        raise
