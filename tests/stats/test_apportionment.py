"""Whole numbers that add up: by hand, and whatever the parts."""

from hypothesis import given
from hypothesis import strategies as st

from howgood.stats.shares import whole_parts


def test_what_is_missing_goes_to_whoever_lost_most():
    # Of 10: 3.33, 3.33, 3.33 and 2.6, 3.3, 4.1; five fifths of 99 / 5 lose .2 each.
    assert whole_parts([1, 1, 1], 10) == (4, 3, 3)
    assert whole_parts([26, 33, 41], 10) == (3, 3, 4)
    assert whole_parts([29, 71], 100) == (29, 71)
    # Rounded one by one these five make 98.
    assert whole_parts([204, 204, 204, 204, 184], 100) == (21, 21, 20, 20, 18)
    assert sum(round(each / 10) for each in [204, 204, 204, 204, 184]) == 98


@given(
    st.lists(st.integers(0, 10_000), min_size=1, max_size=12).filter(any), st.integers(1, 10_000)
)
def test_parts_add_up_and_none_is_off_by_one(parts, total):
    found = whole_parts(parts, total)
    assert sum(found) == total
    for part, whole in zip(parts, found, strict=True):
        assert abs(whole - part * total / sum(parts)) < 1
