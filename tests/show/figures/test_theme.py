"""Colours of pictures: nothing stays white where the page is dark."""

import numpy as np
import pytest

from howgood.records.estimate import Estimate
from howgood.show.figures.acceptability import alpha_figure
from howgood.show.figures.people import Likert, likert_figure
from howgood.show.figures.theme import INK, shades


def test_shades_begin_with_the_page_itself():
    pytest.importorskip("matplotlib")
    least, most = shades()(0.0), shades()(1.0)
    assert least[3] == 0.0
    assert most[3] == 1.0
    assert least[:3] == most[:3]


def _contrast(one, other):
    from matplotlib.colors import to_rgb

    def light(colour):
        linear = [
            part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
            for part in to_rgb(colour)
        ]
        return sum(
            weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True)
        )

    brighter, darker = sorted((light(one), light(other)), reverse=True)
    return (brighter + 0.05) / (darker + 0.05)


def _weights():
    alpha = Estimate.from_draws(np.random.default_rng(1).normal(0.3, 0.05, 100))
    return alpha_figure({"": {"alarm": alpha}})


def _answers():
    return likert_figure([Likert(label="useful", levels=("no", "so so", "yes"), counts=(1, 0, 0))])


@pytest.mark.parametrize("drawing", [_weights, _answers])
def test_words_next_to_what_is_drawn_are_in_ink_which_every_page_can_show(drawing):
    """Ink becomes the page's own; another colour would have to do on white and on a dark page."""
    pytest.importorskip("matplotlib")
    from matplotlib.text import Text

    with drawing() as figure:
        figure.draw_without_rendering()
        on_bars = {text for axes in figure.axes for text in axes.texts if axes.patches}
        words = [text for text in figure.findobj(Text) if text.get_text() and text not in on_bars]
        assert len(words) > 2
        for text in words:
            colour = text.get_color()
            on_both = min(_contrast(colour, "#ffffff"), _contrast(colour, "#15161a"))
            assert colour == INK or on_both >= 4.5, (text.get_text(), colour)
