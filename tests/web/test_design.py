"""One list of sizes and colours: readable in both schemes, and the same everywhere."""

import pytest

from howgood.show.design import asset, mark_address, tokens
from howgood.show.figures import theme
from howgood.web.render import static_files

TEXTS = [("ink", "paper"), ("ink", "soft"), ("faint", "paper"), ("faint", "soft"), ("act", "paper"),
         ("act-ink", "act"), ("good", "good-soft"), ("note", "note-soft"), ("bad", "bad-soft"),
         ("bad", "paper")]  # fmt: skip
EDGES = [("edge", "paper"), ("chart-wrong", "paper"), ("chart-wrong", "soft")]


def _light(colour):
    text = colour.removeprefix("#")
    text = "".join(2 * each for each in text) if len(text) == 3 else text
    parts = [int(text[place : place + 2], 16) / 255 for place in (0, 2, 4)]
    red, green, blue = (
        each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _contrast(one, other):
    first, second = sorted((_light(one), _light(other)))
    return (second + 0.05) / (first + 0.05)


@pytest.mark.parametrize("is_dark", [False, True])
def test_colours_hold_the_contrast_that_readers_need(is_dark):
    values = tokens(is_dark=is_dark)
    for one, other in TEXTS:
        assert _contrast(values[one], values[other]) >= 4.5, (one, other)
    for one, other in EDGES:
        assert _contrast(values[one], values[other]) >= 3, (one, other)


def test_pages_and_pictures_take_the_same_colours():
    sheet = next(text for name, text in static_files().items() if name.startswith("howgood."))
    assert asset("tokens.css").encode() in sheet
    assert theme.COLOURS[0] == tokens()["data-1"]
    assert tokens()["chart-ink"] == theme.INK
    assert mark_address().startswith("data:image/svg+xml,")


def test_scripts_of_the_dashboard_stay_small():
    scripts = [text for name, text in static_files().items() if name.endswith(".js")]
    assert sum(map(len, scripts)) <= 150_000
