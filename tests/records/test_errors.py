"""Errors are for people to read, whatever a file holds."""

import inspect
import re

import pytest

from howgood import errors
from howgood.errors import InputError, MissingColumnError, UnknownNameError

LONG = "Was" + "9" * 100_000


@pytest.mark.parametrize(
    "error",
    [
        UnknownNameError(where=LONG, name="Was", names=[LONG, *"abcdef"]),
        UnknownNameError(where="here", name=LONG, names=[LONG + each for each in "abcdef"]),
        MissingColumnError(where=LONG, column=LONG, columns=[LONG + "a"], also=[LONG + "b"]),
        InputError(where=LONG, found=LONG, needed=LONG, cure=LONG),
    ],
)
def test_no_message_is_longer_than_a_screen(error):
    assert len(str(error)) < 3_000
    error.found_in(LONG)
    assert len(str(error)) < 3_000


def _drawn():
    """Return each class of the tree in the docstring with the class it hangs from."""
    above, found = [], {}
    for line in errors.__doc__.splitlines():
        match = re.match(r"^    ([│├└─ ]*)(\w+(?:Error|Warning))\b", line)
        if match:
            level = len(match[1]) // 4
            above[level:] = [match[2]]
            found[match[2]] = above[level - 1] if level else None
    return found


def test_the_tree_of_errors_is_drawn_and_exported_as_it_is():
    own = {name: each for name, each in inspect.getmembers(errors, inspect.isclass)
           if each.__module__ == errors.__name__}  # fmt: skip
    named = {name: each.__mro__[1].__name__ for name, each in own.items()}
    assert _drawn() == {name: parent if parent in own else None for name, parent in named.items()}
    assert set(errors.__all__) == {*own, "announce"}


def test_whoever_passes_an_error_on_may_name_another_cure():
    error = InputError(where="labels", found="gaps", needed="numbers", cure="Call it otherwise.")
    error.cured_by("Fill them in.")
    assert error.cure == "Fill them in."
    assert str(error) == "labels: gaps; expected numbers. Fill them in."
