"""Errors are for people to read, whatever a file holds."""

import pytest

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
