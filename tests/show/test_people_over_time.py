"""People over time: every count is in the drawing, the quota only where it fits."""

import re
from datetime import UTC, datetime, timedelta

from howgood.show.answer_drawings import people_over_time

START = datetime(2026, 3, 5, 9, tzinfo=UTC)
ROWS = [(START, 4, 1), (START + timedelta(hours=3), 2, 4)]


def test_lines_end_at_the_totals():
    drawn = people_over_time(ROWS, now=START + timedelta(hours=6), quota=8)
    assert "6 began" in drawn
    assert "5 finished" in drawn
    assert "quota 8" in drawn
    heights = [float(y) for y in re.findall(r",([\d.]+)", drawn.split('class="finished"')[1])]
    assert heights == sorted(heights, reverse=True)  # nobody un-finishes


def test_a_far_quota_does_not_flatten_the_lines():
    assert "quota" not in people_over_time(ROWS, now=START + timedelta(days=3), quota=500)


def test_nobody_is_no_drawing():
    assert people_over_time([], now=START) == ""
