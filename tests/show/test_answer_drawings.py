"""Drawings of one person's answers: what stands out, what is said, and that words are escaped."""

import re
import xml.etree.ElementTree as ET

from howgood.records.answer_checks import JudgedMap, JudgedPoint, Repetition
from howgood.show.answer_drawings import judged_map, page_times, ratings_in_order, repetition


def _classes(svg):
    ET.fromstring(svg)  # noqa: S314 - made by us a line above
    return re.findall(r'<(?:rect|circle|line|polyline) class="([a-z-]+)"', svg)


def test_pages_faster_than_the_limit_stand_out_and_are_counted():
    svg = page_times([10.0, 1.0, 1.9, 8.0, 500.0], fast=2.0)
    assert _classes(svg) == ["page", "fast", "fast", "page", "cut", "limit"]
    assert "2 of 5 pages in less than 2 s" in svg
    assert page_times([], fast=2.0) == ""


def test_a_long_run_of_the_same_rating_is_drawn_over_the_line():
    svg = ratings_in_order([1, 5, 5, 5, 2], least=3)
    assert _classes(svg) == ["rating", "run"]
    assert len(re.search(r'class="run" points="([^"]*)"', svg)[1].split()) == 3
    assert _classes(ratings_in_order([1, 5, 5, 5, 2], least=4)) == ["rating"]
    assert _classes(ratings_in_order([4] * 9, least=6)) == ["rating", "run"]


def test_a_contradiction_is_a_line_between_its_two_systems():
    points = (
        JudgedPoint(x=0.5, y=0.5, is_accepted=True),
        JudgedPoint(x=1.0, y=1.0, is_accepted=False),
        JudgedPoint(x=0.6, y=0.4, is_accepted=None),
    )
    drawn = JudgedMap(title="<b>", x_label="precision", y_label="recall", points=points)
    svg = judged_map(drawn)
    assert _classes(svg) == ["ground", "against", "accepted", "refused", "between"]
    assert "<b>" not in svg
    assert "1 of 1 comparable pairs" in svg
    assert _classes(judged_map(drawn, is_small=True)) == _classes(svg)


def test_ratings_half_a_scale_apart_are_wide():
    wide = repetition(Repetition(title="Film", ratings=(1.0, 3.0, 1.0), highest=5))
    steady = repetition(Repetition(title="Film", ratings=(3.0, 3.0, 4.0), highest=5))
    assert set(_classes(wide)) == {"scale-line", "wide"}
    assert set(_classes(steady)) == {"scale-line", "steady"}
    assert "Film: rated 3, 3, 4" in steady
