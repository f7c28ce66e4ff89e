"""Pictures fit the width they are shown at: nothing overlaps, is too small or cut off."""

import re
from itertools import combinations

import numpy as np
import pytest

from howgood.records.estimate import Estimate
from howgood.show.figures.acceptability import alpha_figure
from howgood.show.figures.layout import SMALLEST, fit, fit_phone, in_lines
from howgood.show.figures.ranking import gaussian_curve, ranking_figure
from howgood.show.figures.theme import canvas, of_widths, to_svg
from howgood.show.translation import translated_page

pytest.importorskip("matplotlib")
PHONE_POINTS = 342 * 72 / 96


def _board(n, name="system {}"):
    curves = [gaussian_curve(name.format(at), 3 - at / n, 0.2) for at in range(n)]
    return ranking_figure(
        curves, rank_probabilities=np.full((n, n), 1 / n), barrier=0.5,
        score_name="RMSE (lower is better)",
    )  # fmt: skip


def _boxes(figure):
    figure.draw_without_rendering()
    for axes in figure.axes:
        shown = [axes.title, axes.xaxis.label, *axes.get_xticklabels(), *axes.get_yticklabels()]
        yield (
            axes,
            [text for text in [*shown, *axes.texts] if text.get_visible() and text.get_text()],
        )


def _overlaps(texts):
    boxes = [text.get_window_extent() for text in texts]
    return sum(
        min(a.x1, b.x1) - max(a.x0, b.x0) > 1 and min(a.y1, b.y1) - max(a.y0, b.y0) > 3
        for a, b in combinations(boxes, 2)
    )


@pytest.mark.parametrize("n", [2, 12, 59])
def test_ranks_do_not_overlap_on_a_desk_or_a_phone(n):
    with _board(n) as figure:
        fitted = fit(figure)
        for for_phone in (False, True):
            if for_phone:
                fit_phone(figure, fitted)
                assert figure.get_figwidth() * 72 <= PHONE_POINTS
            for _, texts in _boxes(figure):
                assert _overlaps(texts) == 0
                assert min(text.get_fontsize() for text in texts) >= SMALLEST


def test_long_names_stay_in_the_picture_and_apart():
    name = "Häusliche Einbruchmeldeanlage mit künstlicher Intelligenz, Fassung {}"
    with _board(3, name) as figure:
        fit_phone(figure, fit(figure))
        for axes, texts in _boxes(figure):
            assert min(text.get_window_extent().x0 for text in texts) >= 0
            assert max(text.get_window_extent().x1 for text in texts) <= figure.bbox.x1 + 1
            assert len({label.get_text() for label in axes.get_yticklabels()}) == 3


def test_long_headings_and_names_at_the_right_leave_room_for_what_is_drawn():
    long = "Häusliche Einbruchmeldeanlage mit künstlicher Intelligenz für Mehrfamilienhäuser"
    alpha = Estimate.from_draws(np.random.default_rng(1).normal(0.3, 0.05, 100))
    with alpha_figure({long: {"alarm": alpha}, "short": {"alarm": alpha}}) as figure:
        (axes,) = figure.axes
        axes.annotate(f"{long} at the right", (1.0, 0.2), annotation_clip=False)
        fitted = fit(figure)
        for for_phone in (False, True):
            if for_phone:
                fit_phone(figure, fitted)
            figure.draw_without_rendering()  # warns where a panel has no room
            assert axes.get_position().width > 0.2
            heading, *_, name = (text.get_text() for text in axes.texts)
            assert long.startswith(heading.partition("…")[0])
            assert name.endswith("right")
            assert max(text.get_window_extent().x1 for text in axes.texts) <= figure.bbox.x1 + 1


def test_a_line_of_wide_letters_stays_in_the_picture():
    with canvas(width=3.0, height=2.0) as figure:
        figure.subplots().set_title("illicit little lilies MMMMM MMMMM MMMMM MMMMM fill it till")
        fit(figure)
        (axes,) = figure.axes
        _, texts = next(_boxes(figure))
        assert axes._left_title.get_window_extent().x1 <= figure.bbox.x1
        assert _overlaps(texts) == 0


def test_a_name_without_room_keeps_its_end():
    assert in_lines("candidate of January", 12, 1).endswith("nuary")
    assert in_lines("short", 12, 1) == "short"


@pytest.mark.parametrize("end", ["er", "of 2026", "Mehrfamilienhäuser"])
def test_the_last_line_of_a_long_name_says_that_something_is_left_out(end):
    name = f"aaaa bbbb cccc dddd eeee ffff gggg hhhh iiii jjj {end}"
    lines = in_lines(name, 16, 3).splitlines()
    assert lines[:2] == ["aaaa bbbb cccc", "dddd eeee ffff"]
    assert lines[2].startswith("…")
    assert name.endswith(lines[2].removeprefix("…"))
    assert 8 < len(lines[2]) <= 16


def test_a_broken_title_is_translated_as_a_whole():
    with _board(3) as figure:
        wide, phone = of_widths(to_svg(figure, title="Board"))
    assert "Score if everybody rated again: mean, 95 %" in wide
    assert 'id="lines"' in phone
    shown = translated_page(phone, "de")
    lines = [" ".join(re.findall(r"<text[^>]*>([^<]*)<", group))
             for group in re.findall(r'<g id="lines">.*?</g>', shown, re.DOTALL)]  # fmt: skip
    assert not any("everybody" in line for line in lines)


def test_one_picture_stands_for_both_widths():
    assert of_widths("<svg>a</svg>") == ("<svg>a</svg>", "<svg>a</svg>")
    assert of_widths("<svg>a</svg><svg>b</svg>") == ("<svg>a</svg>", "<svg>b</svg>")


@pytest.mark.parametrize(
    "name",
    [
        "A phone with a rather long name, number {} of the year 2026",
        "organisation/assistant-{}-instruct-of-the-year",
        "a" * 40 + "{}" + "b" * 40,
    ],
)
def test_long_names_that_begin_and_end_alike_are_told_apart_and_fit(name):
    with _board(20, name) as figure:
        fit_phone(figure, fit(figure))
        figure.draw_without_rendering()
        left = figure.axes[0]
        labels = [label.get_text() for label in left.get_yticklabels()]
        assert len(set(labels)) == 20
        assert min(label.get_window_extent().x0 for label in left.get_yticklabels()) >= 0
        assert left.get_position().width > 0.4


def test_a_short_list_takes_less_room_than_a_long_one_on_a_phone():
    with canvas(width=8.0, height=6.0) as figure:
        short, long = figure.subplots(1, 2)
        for axes, n in ((short, 2), (long, 20)):
            axes.set_yticks(range(n), [f"row {number}" for number in range(n)])
        fit_phone(figure, fit(figure))
        figure.draw_without_rendering()
        assert short.get_position().height < long.get_position().height / 2
        assert figure.get_figheight() < 9


def test_the_colours_of_a_map_stay_next_to_it_on_a_phone():
    with canvas(width=6.5, height=5.0) as figure:
        axes = figure.subplots()
        drawn = axes.imshow(np.eye(12))
        names = [f"p{number}" for number in range(12)]
        axes.set_yticks(range(12), names)
        scale = figure.colorbar(drawn, ax=axes, shrink=0.7, label="lost").ax
        fit_phone(figure, fit(figure))
        figure.draw_without_rendering()
        assert scale.get_position().x0 > axes.get_position().x1
        assert axes.get_position().width > 0.5
        assert _overlaps(axes.get_yticklabels()) == 0
