"""Cells that no calendar holds are refused, not passed on."""

import pytest

from howgood.kinds.cells import WrongCellError, moment, seconds


@pytest.mark.parametrize("text", ["1700000000000", "-1", "nan", "1e400", "soon"])
def test_what_a_page_cannot_have_taken_is_refused(text):
    with pytest.raises(WrongCellError):
        seconds(text)


def test_a_page_takes_seconds():
    assert seconds("12.5") == 12.5


@pytest.mark.parametrize(
    "text", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "today"]
)
def test_moments_outside_the_calendar_are_refused(text):
    with pytest.raises(WrongCellError):
        moment(text)
